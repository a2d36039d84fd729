//! The steps of the guest, in order.

use super::guest::Step;

/// A configuration: the flow of the capture that is played, with little patience for a debt.
const CONFIG: &str = r#"[gateway]
enable = true
slot_log2_cycles = 10

[timers]
tick_log2_cycles = 10
debt_timeout_us = 500

[[path]]
index = 3
mode = "fixed"
rate_gbps = 40

[[route]]
prefix = "10.9.0.0/24"
path = 3

[[flow]]
requester = "10.9.0.1"
requester_qpn = 19
responder = "10.9.0.2"
responder_qpn = 19
mtu_bytes = 1024
"#;

/// Types what the driver says is to be done: all that is behind the first semicolon of its message.
const REMEDY: &str = "#!/bin/sh\nR=$(matchrdma --device $BDF probe 2>&1)\necho \"$R\"\neval \"${R#*; }\"\n";

/// Files that the steps use.
pub const FILES: &[(&str, &str)] = &[
    ("etc/gateway.toml", CONFIG),
    ("etc/wrong.toml", "[gateway]\nenable = true\nspeed = 3\n"),
    ("bin/remedy", REMEDY),
];

/// How much of the device a program of ours has mapped.
const MAPPED: &str = "matchrdma events & P=$!; N=0\n\
                      until grep -q vfio-device /proc/$P/maps || [ $N = 60 ]; do sleep 1; N=$((N+1)); done\n\
                      sleep 1; N=0\n\
                      while read range mode offset rest; do case $rest in *vfio-device*) N=$((N+1))\n\
                      echo \"mapped $((0x${range#*-} - 0x${range%-*})) bytes at $offset\" ;; esac\n\
                      done < /proc/$P/maps; kill $P; wait $P; echo \"$N mapped\"";

/// Waits for the fault with an ear on the interrupt, and shows that the kernel counted it; the count goes with the program.
const EVENTS: &str = "matchrdma events > /tmp/events 2>&1 & P=$!\n\
                      sleep 1; echo; echo '@vm-test traffic'\n\
                      n=0; until grep -q FAULT_DEBT /tmp/events || [ $n = 60 ]; do sleep 1; n=$((n+1)); done\n\
                      sleep 1; cat /tmp/events; grep vfio-msix /proc/interrupts | tee /tmp/interrupts; kill $P; wait $P\n\
                      grep -q FAULT_DEBT /tmp/events && ! grep -q 'without an interrupt' /tmp/events &&\n\
                      awk '{ n = $2 } END { exit !(n > 0) }' /tmp/interrupts";

/// The list of checks that every kind of device passes.
const LIST: &str = "MATCHRDMA_DEVICE=$BDF driver-list --ignored --test-threads=1 --nocapture";

const fn step(name: &'static str, run: &'static str, status: i32, says: &'static [&'static str]) -> Step {
    Step { name, run, status, says, shows: "" }
}

/// What is done.
pub const STEPS: &[Step] = &[
    step(
        "the device is there, with BARs and a function-level reset",
        "cat $D/vendor $D/device $D/reset_method $D/resource",
        0,
        &["0x1234", "flr"],
    ),
    step(
        "a device without the kernel's driver is refused",
        "matchrdma --device $BDF probe",
        1,
        &["expected driver vfio-pci, found no driver"],
    ),
    step("what the driver says to type binds it", "remedy; readlink $D/driver; ls /dev/vfio", 0, &["drivers/vfio-pci"]),
    step(
        "a device that would be reset when it is opened is refused",
        "echo flr > $D/reset_method; matchrdma probe",
        1,
        &["expected an empty reset_method", "found flr"],
    ),
    step("what the driver says to type keeps it", "remedy; cat $D/reset_method", 0, &["found flr"]),
    step("probe finds the core", "matchrdma probe --json", 0, &["\"flows\":4096", "\"paths\":16"]),
    step("status: it is off", "matchrdma status", 0, &[": off", "generation 0"]),
    step("a dry run says what would change", "matchrdma apply /etc/gateway.toml --dry-run", 0, &[]),
    step("and changes nothing", "matchrdma status", 0, &[": off", "generation 0"]),
    step("a wrong key is refused, with its line", "matchrdma apply /etc/wrong.toml", 1, &["speed", "3:1"]),
    step("a configuration is applied", "time matchrdma apply /etc/gateway.toml", 0, &[]),
    step("it is in force when another program comes", "matchrdma status", 0, &[": on", "generation 1"]),
    step("its paths are shown", "matchrdma show paths", 0, &["path  3  fixed", "40.000 Gb/s"]),
    step("its flow is shown", "matchrdma show flows", 0, &["Sync", "10.9.0.1 qp 0x13 -> 10.9.0.2 qp 0x13"]),
    step(
        "the register window is mapped, and nothing else of the device",
        MAPPED,
        0,
        &["mapped 65536 bytes at 00000000", "\n1 mapped"],
    ),
    Step {
        shows: "FAULT_DEBT",
        ..step("a fault in the gates reaches events by MSI-X", EVENTS, 0, &["FAULT_DEBT", "vfio-msix"])
    },
    step("and stands in the flow's record", "matchrdma show flows", 0, &["Fault"]),
    step("the gateway is switched off", "matchrdma disable && matchrdma status", 0, &[": off", "generation 1"]),
    step(
        "a function-level reset takes all of it back",
        "echo flr > $D/reset_method && echo 1 > $D/reset && echo > $D/reset_method && matchrdma status",
        0,
        &[": off", "generation 0"],
    ),
    Step {
        shows: "a full load:",
        ..step("the driver's list of checks passes", LIST, 0, &["test kernel::a_full_load_is_whole", "; 0 failed"])
    },
];
