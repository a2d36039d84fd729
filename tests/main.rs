//! Where the crates meet, as sentences.
