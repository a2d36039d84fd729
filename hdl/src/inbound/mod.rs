//! Line to client.
