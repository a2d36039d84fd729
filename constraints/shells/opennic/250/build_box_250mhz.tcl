# Read by the shell's script/build.tcl (line 373) from within this folder.
if {$num_cmac_port != 2} {
    error "the gateway stands between two ports: build with -num_cmac_port 2, not $num_cmac_port"
}
# The shell's box ends the host's streams itself then, and so would the plugin.
if {$use_phys_func != 1} {
    error "the plugin ends the host's streams: build with -use_phys_func 1"
}
read_verilog -quiet matchrdma_250mhz.v
read_verilog -quiet opennic_250.v
read_verilog -quiet gateway.v
# What crosses between clocks; names are those behind synthesis.
read_xdc -unmanaged matchrdma_250mhz_crossings.tcl
set_property used_in_synthesis false [get_files matchrdma_250mhz_crossings.tcl]
