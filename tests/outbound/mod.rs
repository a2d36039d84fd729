//! Client to line.

mod departure;
mod flow;
mod icrc;
mod opcode_class;
mod pacer;
mod parse;
mod track;
mod track_rules;
