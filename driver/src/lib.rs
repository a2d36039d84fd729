//! The view of the host.
