# The vendor's commands, as far as our files use them: they know the design's ports and cells, and complain.
# Given: `ports`, a dict of port and direction, `cells`, a list of instance paths, `modules`, their names.
set named [dict create]
set saved {}

proc of {kind patterns known} {
    set found {}
    foreach pattern $patterns {
        set some [lsearch -all -inline -glob $known $pattern]
        if {[llength $some] == 0} {
            error "no $kind matches \"$pattern\""
        }
        lappend found {*}$some
    }
    foreach name $found { dict set ::named "$kind $name" 1 }
    return $found
}

# The value of an option, or a complaint.
proc option {arguments name} {
    set at [lsearch -exact $arguments $name]
    if {$at < 0 || $at + 1 >= [llength $arguments]} { error "$name is missing in \"$arguments\"" }
    return [lindex $arguments [expr {$at + 1}]]
}

proc get_ports {patterns args} {
    set known [dict keys $::ports]
    if {[llength $args] > 0} {
        if {![regexp {^DIRECTION == (IN|OUT)$} [option $args -filter] all way]} { error "filter \"$args\"" }
        set known [dict keys [dict filter $::ports value $way]]
    }
    return [of port $patterns $known]
}
# `-hierarchical NAME`: somewhere below the top.
proc get_cells {args} {
    if {[lindex $args 0] eq "-hierarchical"} {
        return [of cell [list */[lindex $args 1]] $::cells]
    }
    return [of cell [lindex $args 0] $::cells]
}
proc get_timing_paths {args} { return path }
proc get_property {name object} { return 0.000 }
proc set_property {name value objects} {
    if {$name ni {USER_SLR_ASSIGNMENT used_in_synthesis}} { error "property \"$name\"" }
    if {[llength $objects] == 0} { error "$name of nothing" }
}
proc create_clock {args} {
    if {![string is double -strict [option $args -period]]} { error "period [option $args -period]" }
    dict set ::named "clock [option $args -name]" 1
}
proc delay {arguments} {
    if {![dict exists $::named "clock [option $arguments -clock]"]} { error "no clock [option $arguments -clock]" }
    if {![string is double -strict [option $arguments -max]]} { error "delay [option $arguments -max]" }
}
proc set_input_delay {args} { delay $args }
proc set_output_delay {args} { delay $args }
proc read_verilog {args} {
    set file [lindex $args end]
    if {![file isfile $file]} { error "no file $file" }
}
proc get_files {file} {
    if {![file isfile $file]} { error "no file $file" }
    return $file
}
# A way between two clocks: from something to something, in so many ns.
proc way {arguments} {
    foreach end {-from -to} {
        if {[llength [option $arguments $end]] == 0} { error "$end of nothing" }
    }
    if {![string is double -strict [lindex $arguments end]]} { error "bound [lindex $arguments end]" }
}
proc set_max_delay {args} {
    if {[lindex $args 0] ne "-datapath_only"} { error "set_max_delay $args" }
    way $args
    foreach cell [option $args -to] { dict set ::named "bound $cell" 1 }
}
proc set_bus_skew {args} { way $args }
proc read_xdc {args} {
    set file [lindex $args end]
    if {[catch {uplevel #0 [list source $file]} why]} { error "[file tail $file]: $why" }
}
proc synth_design {args} {
    if {[option $args -top] ni $::modules} { error "no module [option $args -top]" }
    dict set ::named "part [option $args -part]" 1
}
foreach step {opt_design place_design phys_opt_design route_design} { proc $step {} {} }
foreach report {report_utilization report_timing_summary report_cdc report_clock_interaction} {
    proc $report {args} { lappend ::saved [option $args -file] }
}
proc write_checkpoint {args} { lappend ::saved [lindex $args end] }
