# packet_memory, towards the line and towards the client: each is a column of URAM with its lists beside it. A beat crosses it
# in every cycle; one that is spread over two dies pays for the crossing with each of them.
set_property USER_SLR_ASSIGNMENT line_memory [get_cells {outbound/memory}]
set_property USER_SLR_ASSIGNMENT client_memory [get_cells {inbound/egress}]
