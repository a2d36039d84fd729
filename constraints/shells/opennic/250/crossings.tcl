# Every crossing of the plugin: two clocks, nothing excluded. In the shell the adapter stands here:
if {![info exists adapter]} {
    set adapter box_250mhz_inst/matchrdma_250mhz_inst/adapter
}
# Periods in ns: 250 MHz, and 125 MHz of the registers.
set queues [dict create $adapter/registers/requests 4.000 $adapter/registers/answers 4.000]
set reset $adapter/reset/reset
set reset_period 8.000
set synchronisers [list $adapter/axis_reset $adapter/registers/reset]
dict for {queue period} $queues {
    lappend synchronisers $queue/wr_reset $queue/rd_reset
}
