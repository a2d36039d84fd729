# Read by the shell's script/build.tcl (line 373) from within this folder.
if {$num_cmac_port != 2} {
    error "the gateway stands between two ports: build with -num_cmac_port 2, not $num_cmac_port"
}
read_verilog -quiet matchrdma_322mhz.v
read_verilog -quiet opennic_322.v
read_verilog -quiet gateway.v
# What crosses between clocks; names are those behind synthesis.
read_xdc -unmanaged matchrdma_322mhz_crossings.tcl
set_property used_in_synthesis false [get_files matchrdma_322mhz_crossings.tcl]
