#!/usr/bin/python3
"""Writes RESULTS.md: the medians of several runs of `make bench-full`, with the least and the most of each.

`results.py` runs the suite as often as --runs says; `results.py FILE…` takes what runs have left (bench.py --result).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import plots
import report
from instance import DIRECTORY
from run import Run

HERE = pathlib.Path(__file__).resolve().parent
SCALED = "results: BENCH_SCALE was set: such figures say nothing, and are not kept"


# ---- runs into one ------------------------------------------------------------------------------------------------

def _median_figure(figures):
    """Of the same figure of each run."""
    first = figures[0]
    if any((one["workload"], one["name"]) != (first["workload"], first["name"]) for one in figures):
        sys.exit("results: the runs have measured different things")
    values, floors = [one["value"] for one in figures], [one["floor"] for one in figures]
    spread = {"low": min(values), "high": max(values)} if len(values) > 1 else {}
    return {**first, **spread, "value": statistics.median(values),
            "floor": statistics.median(floors) if first["floor"] else None}


def _medians(rows, names):
    return {name: statistics.median(row[name] for row in rows) for name in names}


def _median_rival(runs, name):
    found = [one for run in runs for one in run["rivals"] if one["name"] == name]
    return {**_medians(found, ("bookings_per_s", "p50", "p99")), "name": name,
            "clients": statistics.mode(one["clients"] for one in found),
            "refused": max(one["refused"] for one in found)}


def _median_at_rate(runs, first):
    """Of the same name at the same rate in each run."""
    found = [one for run in runs for one in run["at_rates"] if (one["name"], one["rate"]) == (first["name"], first["rate"])]
    return {**first, **_medians(found, (*Run.AT_RATE, "us")), "refused": max(one["refused"] for one in found)}


def _median_cpu(rows):
    """Of the same row of each run."""
    return {"name": rows[0]["name"], "us": _medians([row["us"] for row in rows], rows[0]["us"])}


def _median_lines(runs):
    """Plots: the median at each place."""
    lines = {}
    for plot, curves in runs[0]["lines"].items():
        lines[plot] = {}
        for curve, points in curves.items():
            found = [dict(run["lines"][plot][curve]) for run in runs]
            lines[plot][curve] = [[x, statistics.median(one[x] for one in found)] for x, _y in points]
    return lines


def merge(runs):
    """One result of several, as bench.py writes them."""
    if len({len(run["figures"]) for run in runs}) != 1:
        sys.exit("results: the runs have measured different things")
    best = [run["best"] for run in runs]
    return {**runs[0], "figures": [_median_figure(same) for same in zip(*(run["figures"] for run in runs))],
            "rivals": [_median_rival(runs, one["name"]) for one in runs[0]["rivals"]],
            "at_rates": [_median_at_rate(runs, one) for one in runs[0]["at_rates"]],
            "cpu": [_median_cpu(same) for same in zip(*(run["cpu"] for run in runs))], "lines": _median_lines(runs),
            "best": statistics.median(best) if all(best) else None, "busy": min(run["busy"] for run in runs),  # not what the run before has left
            "seconds": sum(run["seconds"] for run in runs)}


# ---- the file -----------------------------------------------------------------------------------------------------

def write(runs, path):
    merged = merge(runs)
    pictures = path.parent / "results"
    pictures.mkdir(exist_ok=True)
    of = f"Medians of {len(runs)} runs, with the least and the most" if len(runs) > 1 else "One run"
    lines = ["# Figures", "", f"{of}. Written by `make bench-results`; `tests/README.md` says how it is measured.", "",
             *report.preamble(merged), *report.markdown_tables(merged)]
    for title, name in plots.draw(merged, pictures):
        lines += ["", f"![{title}](results/{name})"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(number):
    path = DIRECTORY / f"run-{number}.json"
    path.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, HERE / "bench.py", "full", "--result", path], check=False)
    if done.returncode != 0:
        sys.exit(f"results: run {number} failed, with exit code {done.returncode}")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="results of runs that were made before")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "RESULTS.md")
    arguments = parser.parse_args()
    if not arguments.files and Run("full").scale != 1:
        sys.exit(SCALED)
    files = arguments.files or [_run(number) for number in range(1, 1 + arguments.runs)]
    runs = [json.loads(pathlib.Path(file).read_text(encoding="utf-8")) for file in files]
    for run in runs:
        if run["faults"]:
            sys.exit(f"results: a run was wrong: {run['faults']}")
        if run["scale"] != 1 and arguments.output == HERE / "RESULTS.md":
            sys.exit(SCALED)
    write(runs, arguments.output)
    print(arguments.output)


if __name__ == "__main__":
    main()
