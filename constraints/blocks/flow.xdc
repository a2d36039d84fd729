# flow: four banks of keys in URAM on each rail, read together and compared in the cycles behind. They belong beside their
# rail, with the stages that wait for their answer.
set_property USER_SLR_ASSIGNMENT line_memory [get_cells {outbound/front/flow outbound/track}]
set_property USER_SLR_ASSIGNMENT client_memory [get_cells {inbound/front/flow inbound/ack_filter}]
