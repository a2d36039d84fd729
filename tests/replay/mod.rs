//! A capture through one gateway: learnt, played, judged from outside.

mod bad_input;
mod damaged;
mod judge;
mod lockstep;
mod options;
mod tshark;
mod vectors;
