//! The opcode decoder against `spec::wire::opcode`.

use matchrdma_rtl::opcode_class::Dut;
use matchrdma_spec::wire::opcode::*;

#[test]
fn all_256_opcodes_are_in_their_classes() {
    let mut dut = Dut::new();
    for op in 0..=255u8 {
        dut.set_opcode(op.into());
        dut.eval();
        let data = is_send(op) || is_write(op);
        let seen = [
            ("rc", dut.rc(), transport(op) == TRANSPORT_RC),
            ("known", dut.known(), known_rc(op)),
            ("response", dut.response(), is_response(op)),
            ("completes", dut.completes(), completes_message(op)),
            ("barrier", dut.barrier(), is_barrier(op, false)),
            ("receives", dut.receives(), is_send(op) || matches!(op, WRITE_LAST_IMM | WRITE_ONLY_IMM)),
            ("read", dut.read(), op == READ_REQUEST),
            ("atomic_write", dut.atomic_write(), op == ATOMIC_WRITE),
            ("ends", dut.ends(), data && (is_last(op) || is_only(op))),
            ("fills", dut.fills(), data && (is_first(op) || is_middle(op))),
            ("ack", dut.ack(), op == ACKNOWLEDGE),
            ("response_fills", dut.response_fills(), matches!(op, READ_RESPONSE_FIRST | READ_RESPONSE_MIDDLE)),
        ];
        for (class, gates, spec) in seen {
            assert_eq!(gates == 1, spec, "{class} of {op:#04x}");
        }
    }
}
