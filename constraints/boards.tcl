# Boards and clocks that the core is meant for. Parts as the OpenNIC shell names them (its README, "Supported boards").
# Nothing here has been placed or timed by us: see README.md.

# Board -> part.
set boards [dict create \
    u50  xcu50-fsvh2104-2-e \
    u55c xcu55c-fsvh2892-2L-e \
    u200 xcu200-fsgd2104-2-e \
    u250 xcu250-figd2104-2L-e \
    u280 xcu280-fsvh2892-2L-e \
]

# Variant -> period of the core's clock in ns: the shells' 250 MHz, and 322.265625 MHz of the 100 Gb/s MAC.
set variants [dict create \
    250 4.000 \
    322 3.103 \
]

# What stands under a key, or an error that says what may stand there.
proc chosen {what key choices} {
    if {![dict exists $choices $key]} {
        error "$what \"$key\": expected one of [join [dict keys $choices] {, }]"
    }
    return [dict get $choices $key]
}
