//! Client to line.

mod opcode_class;
mod track;
mod track_rules;
mod departure;
mod pacer;
