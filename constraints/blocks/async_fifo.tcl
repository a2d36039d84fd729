# async_fifo: what crosses from one clock to the other is bounded, not excluded. Given: `queues`, a dict of a queue's path
# and the shorter of its two periods in ns.
#
# Pointers are in Gray code: of one word, only one bit is in flight when they arrive within a period of each other. A word
# is read when its pointer has crossed, two flip-flops later. A reset clears flip-flops at once and lets go through two more.
dict for {queue period} $queues {
    foreach {from to} {tail_gray/q_reg tail_seen/first_reg head_gray/q_reg head_seen/first_reg} {
        set_max_delay -datapath_only -from [get_cells "$queue/${from}*"] -to [get_cells "$queue/${to}*"] $period
        set_bus_skew -from [get_cells "$queue/${from}*"] -to [get_cells "$queue/${to}*"] $period
    }
    set_max_delay -datapath_only -from [get_cells "$queue/ram/mem_reg*"] -to [get_cells "$queue/word/q_reg*"] $period
}
