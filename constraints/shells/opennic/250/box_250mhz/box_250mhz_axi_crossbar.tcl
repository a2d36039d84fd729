# The shell's script/build.tcl (line 364) reads this file. The box has one slave and needs no crossbar.
