# Every crossing of the plugin: three clocks, nothing excluded. In the shell the adapter stands here:
if {![info exists adapter]} {
    set adapter box_322mhz_inst/matchrdma_322mhz_inst/adapter
}
# Periods in ns: 322.265625 MHz of a CMAC, 125 MHz of the registers.
set cmac_period 3.103
set queues [dict create \
    $adapter/line_in $cmac_period \
    $adapter/line_out $cmac_period \
    $adapter/registers/requests $cmac_period \
    $adapter/registers/answers $cmac_period \
]
set reset $adapter/reset/reset
set reset_period 8.000
set synchronisers [list $adapter/client_reset $adapter/line_reset $adapter/registers/reset]
dict for {queue period} $queues {
    lappend synchronisers $queue/wr_reset $queue/rd_reset
}
