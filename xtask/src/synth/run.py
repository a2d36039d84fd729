"""Synthesises one Verilog file with pyosys: run.py FILE TOP FOLDER [KEPT_MODULE ...]

Kept modules are optimised by themselves. Writes to FOLDER: left.txt (written memories that no RAM took), netlist.json (flat).
"""

import sys
import time

from pyosys import libyosys as ys

file, top, folder, *kept = sys.argv[1:]
design = ys.Design()
start = time.time()


def run(what):
    ys.run_pass(what, design)
    print(f"{time.time() - start:6.0f} s  {top}: {what[:80]}", file=sys.stderr, flush=True)


synth = "synth_xilinx -family xcup -uram -flatten -noiopad -noclkbuf -top " + top
run(f"read_verilog {file}")
run(f"hierarchy -check -top {top}")
for module in kept:
    run(f"setattr -mod -set keep_hierarchy 1 {module}")
run(f"{synth} -run begin:map_ffram")
run(f"tee -q -o {folder}/left.txt select -list t:$mem* r:WR_PORTS>0 %i")
run(f"{synth} -run map_ffram:check")
for module in kept:
    run(f"setattr -mod -unset keep_hierarchy {module}")
run("flatten")
run("opt_clean -purge")
run(f"select -module {top}")
run(f"write_json -selected {folder}/netlist.json")
