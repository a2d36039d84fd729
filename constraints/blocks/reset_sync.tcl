# reset_sync: from the one flip-flop of a reset to those that it sets, whatever their clock. Given: `reset`, the path of that
# flip-flop, `synchronisers`, those it reaches, and `reset_period`, its own period in ns.
foreach synchroniser $synchronisers {
    foreach to {stages_reg rst_reg held_reg} {
        set_max_delay -datapath_only -from [get_cells "$reset/q_reg*"] -to [get_cells "$synchroniser/${to}*"] $reset_period
    }
}
