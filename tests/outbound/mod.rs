//! Client to line.

mod back_pressure;
mod departure;
mod ecn;
mod flow;
mod front;
mod gains;
mod icrc;
mod opcode_class;
mod pacer;
mod parse;
mod pseudo_ack;
mod route;
mod track;
mod track_rules;
