# The core out of context, from Verilog to a routed design with its reports, in one command:
#
#   vivado -mode batch -source constraints/ooc.tcl -tclargs BOARD VARIANT VERILOG OUT
#
# BOARD and VARIANT: see boards.tcl. VERILOG: gateway.v, as `cargo xtask verilog` writes it. OUT: folder for the reports.
set here [file dirname [file normalize [info script]]]
source [file join $here boards.tcl]

if {[llength $argv] != 4} {
    error "expected BOARD VARIANT VERILOG OUT, found \"[join $argv]\""
}
lassign $argv board variant verilog out
set part [chosen board $board $boards]
set period [chosen variant $variant $variants]
if {![file isfile $verilog]} {
    error "$verilog: no such file; write it with `cargo xtask verilog`"
}
file mkdir $out

read_verilog $verilog
read_xdc -unmanaged [file join $here core.xdc]
synth_design -top gateway -part $part -mode out_of_context
foreach block [lsort [glob [file join $here blocks *.xdc]]] {
    read_xdc -unmanaged $block
}
report_utilization -hierarchical -file [file join $out utilization-synth.rpt]
opt_design
place_design
phys_opt_design
route_design
report_timing_summary -delay_type min_max -max_paths 20 -file [file join $out timing.rpt]
report_utilization -hierarchical -file [file join $out utilization.rpt]
report_cdc -details -file [file join $out cdc.rpt]
report_clock_interaction -file [file join $out clocks.rpt]
write_checkpoint -force [file join $out gateway.dcp]
puts "$board, $variant: slack [get_property SLACK [get_timing_paths -max_paths 1]] ns, reports in $out"
