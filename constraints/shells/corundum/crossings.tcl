# Every crossing of the application: five clocks, nothing excluded. Its instance is found by its name, wherever the shell has it.
if {![info exists adapter]} {
    set adapter [get_cells -hierarchical matchrdma_adapter]
}
# Periods in ns: 322.265625 MHz of a MAC, 250 MHz of the shell.
set mac_period 3.103
set queues [dict create \
    $adapter/client_port/rx_queue $mac_period \
    $adapter/client_port/tx_queue $mac_period \
    $adapter/line_port/rx_queue $mac_period \
    $adapter/line_port/tx_queue $mac_period \
    $adapter/registers/requests $mac_period \
    $adapter/registers/answers $mac_period \
]
set reset $adapter/reset/reset
set reset_period 4.000
set synchronisers [list $adapter/core_reset $adapter/registers/reset]
foreach port {client line} {
    lappend synchronisers $adapter/${port}_port/rx_reset $adapter/${port}_port/tx_reset
}
dict for {queue period} $queues {
    lappend synchronisers $queue/wr_reset $queue/rd_reset
}
