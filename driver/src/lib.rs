//! The view of the host.
#![deny(unsafe_code)]
