# The core by itself, out of context: one clock, and what a shell leaves of its period at the ports.
# Read after `set period`, the clock's period in ns.

create_clock -period $period -name clk [get_ports {clk}]

# Every port is a register's in the core; a shell has registers on its side too, and the rest is way between them.
set_input_delay -clock clk -max [expr {0.4 * $period}] [get_ports {rst s_axis_* m_axis_* s_axil_*} -filter {DIRECTION == IN}]
set_output_delay -clock clk -max [expr {0.4 * $period}] [get_ports {m_axis_* s_axis_* s_axil_* irq} -filter {DIRECTION == OUT}]
