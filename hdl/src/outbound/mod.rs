//! Client to line.
