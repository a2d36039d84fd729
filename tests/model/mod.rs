//! The model against the world outside.

mod captures;
