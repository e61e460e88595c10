"""``python -m bench [NAME …]``: run all benchmarks, or the named ones."""

from __future__ import annotations

import argparse
import subprocess
import sys

from bench.machine import child_environment

BENCHMARKS = {
    "discovery": "pairs that share neighbours, beside SciPy, GraphBLAS, sparse_dot_topn, numba",
    "support": "edge support A∘(A·Aᵀ) beside networkit, igraph and GraphBLAS",
    "passes": "whole passes: small graph in memory, command line, demo graph, Debian packages",
    "store": "a pass over a store of 10 M edges beside Lance reading and writing the same columns",
    "clusters": "communities by seven methods of five libraries: quality, time, determinism",
    "node_history": "the history of single nodes over ten snapshots of a million edges",
    "ingest": "text to entities and relations by rule: speed, memory, recall of published entities",
    "spreading": "activation on a million nodes beside personalised PageRank by four libraries",
    "retrieval": "what words, vectors, graph, plastify and feedback add to search; time a query",
    "link_prediction": "what rankings find of held-out edges, ogbl-ddi, calibration, tuning",
    "episodes": "a million episodes recorded and applied; passes over what little is new",
    "learning": "what traces of use foretell of the next click, message or reply",
}


def main() -> int:
    listed = "\n".join(f"  {name:15} {text}" for name, text in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=f"Benchmarks:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="which to run; all by default")
    parser.add_argument("--list", action="store_true", help="list them and stop")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are:\n{listed}")
    print(f"Benchmarks:\n{listed}\n", flush=True)
    if arguments.list:
        return 0
    failed = 0
    for name in arguments.names or BENCHMARKS:
        # Each in a process of its own: a child's peak memory starts from its parent's.
        command = [sys.executable, "-m", f"bench.{name}"]
        failed += subprocess.run(command, env=child_environment(), check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
