//! Client to line.

mod departure;
mod opcode_class;
mod pacer;
mod track;
mod track_rules;
