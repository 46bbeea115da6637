"""The table of a run, for the terminal and as Markdown."""

import datetime
import itertools
import os
import platform
import re
import subprocess

import cpu
import plots

BUSY = 0.7  # load average of a machine that does something else
HEAD = ("figure", "measured", "target", "floor", "of the floor")


# ---- words --------------------------------------------------------------------------------------------------------

def number(value, unit):
    """61,234 of something a second; 0.85, 12.3, 1,043 of anything else."""
    if unit == "/s" or (value == int(value) and abs(value) >= 10):
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}"


def amount(value, unit):
    return number(value, unit) + (unit if unit == "/s" else f" {unit}")


def _bound(figure):
    if figure["at_least"] is not None:
        return f"≥ {amount(figure['at_least'], figure['unit'])}"
    return f"≤ {amount(figure['at_most'], figure['unit'])}" if figure["at_most"] is not None else ""


def _is_throughput(figure):
    return figure["unit"] == "/s"


def missed(figure):
    """What of the figure's targets was not reached, in words; nothing: all was."""
    found = []
    value, floor, limit = figure["value"], figure["floor"], figure["floor_limit"]
    if figure["at_least"] is not None and value < figure["at_least"]:
        found.append("below the target")
    if figure["at_most"] is not None and value > figure["at_most"]:
        found.append("above the target")
    if floor and limit and (value / floor < limit if _is_throughput(figure) else value / floor > limit):
        found.append("too far from the floor")
    return ", ".join(found)


def _verdict(figure):
    has_target = any(figure[name] is not None for name in ("at_least", "at_most", "floor_limit"))
    return missed(figure) or ("ok" if has_target else "")


def _target(figure):
    return ": ".join(text for text in (_bound(figure), _verdict(figure)) if text)


def _spread(figure):
    """Of several runs."""
    if "low" not in figure:
        return ""
    return f" ({number(figure['low'], figure['unit'])} – {number(figure['high'], figure['unit'])})"


def row(figure):
    floor, limit = figure["floor"], figure["floor_limit"]
    sign = "≥" if _is_throughput(figure) else "≤"
    return (figure["name"], amount(figure["value"], figure["unit"]) + _spread(figure), _target(figure),
            amount(floor, figure["unit"]) if floor else "",
            f"{figure['value'] / floor:.2f}" + (f" ({sign} {limit})" if limit else "") if floor else "")


def refused(one):
    """Wrongly. Nothing: none was."""
    return f"{one['refused']:,.0f}" if one["refused"] else ""


def rival_rows(result):
    """The best number of clients of each, the quickest first."""
    best = result.get("best")
    for one in sorted(result["rivals"], key=lambda one: -one["bookings_per_s"]):
        yield (one["name"], f"{one['clients']}", f"{one['bookings_per_s']:,.0f}", f"{one['p50']:.2f}", f"{one['p99']:.2f}",
               refused(one), f"{best / one['bookings_per_s']:.1f}" if best else "")


RIVAL_HEAD = ("rival", "clients", "bookings/s", "p50, ms", "p99, ms", "refused wrongly", "usher is × as fast")


def at_rate_rows(result):
    """By rate, the quickest first."""
    for one in sorted(result["at_rates"], key=lambda one: (one["rate"], one["p99"])):
        yield (f"{one['rate']:,}/s, {one['name']}", f"{one['bookings_per_s']:,.0f}", f"{one['p50']:,.2f}",
               f"{one['p99']:,.2f}", f"{one['p99.9']:,.2f}", f"{one['us']:,.0f}", refused(one))


AT_RATE_HEAD = ("offered", "bookings/s", "p50, ms", "p99, ms", "p99.9, ms", "servers' CPU, us/booking", "refused wrongly")


def cpu_rows(result):
    for one in result["cpu"]:
        us = one["us"]
        yield (one["name"], *(f"{us[part]:.1f}" if part in us else "" for part in cpu.PARTS if part != "clients"),
               f"{cpu.of_servers(us):.1f}", f"{us['clients']:.1f}")


CPU_HEAD = ("us of CPU per booking, full load", *(name for part, name in cpu.PARTS.items() if part != "clients"),
            "all servers", "clients")


# ---- tables -------------------------------------------------------------------------------------------------------

def _by_workload(result):
    return itertools.groupby(result["figures"], key=lambda figure: figure["workload"])


def _plain(head, rows):
    rows = [head, *rows]
    widths = [max(len(one[column]) for one in rows) for column in range(len(head))]
    for one in rows:
        yield "  " + "  ".join(text.ljust(width) if column == 0 else text.rjust(width)
                               for column, (text, width) in enumerate(zip(one, widths))).rstrip()


def plain(result):
    """The table as lines for the terminal; one width for all workloads."""
    rows = []
    for workload, figures in _by_workload(result):
        rows += [(workload.upper(), *[""] * (len(HEAD) - 1)), *(row(figure) for figure in figures)]
    yield from _plain(HEAD, rows)
    if result["rivals"]:
        yield ""
        yield from _plain(RIVAL_HEAD, rival_rows(result))
    if result["at_rates"]:
        yield ""
        yield from _plain(AT_RATE_HEAD, at_rate_rows(result))
    if result["cpu"]:
        yield ""
        yield from _plain(CPU_HEAD, cpu_rows(result))
    for fault in result["faults"]:
        yield f"WRONG: {fault}"


def _markdown(head, rows):
    """Without the columns that are empty in all rows."""
    rows = [*rows]
    used = [column for column in range(len(head)) if any(one[column] for one in rows)]
    yield f"| {' | '.join(head[column] for column in used)} |"
    yield f"| --- {'| ---: ' * (len(used) - 1)}|"
    for one in rows:
        yield f"| {' | '.join(one[column] for column in used)} |"


OFFERED = re.compile(r"([\d,]+/s) offered, (p50|p99)")
OFFERED_HEAD = ("offered", *(head for name in ("p50, ms", "p99, ms") for head in (name, *HEAD[2:])))


def _offered_rows(figures):
    """p50 and p99 of a rate in one row."""
    for rate, both in itertools.groupby(figures, key=lambda figure: OFFERED.fullmatch(figure["name"])[1]):
        yield (rate, *(cell.replace(" ms", "") for figure in both for cell in row(figure)[1:]))


def _case_table(figures):
    """Of figures that are all named "case: figure": a row for each case, a column for each figure."""
    cases = {}
    for figure in figures:
        case, name = figure["name"].split(": ", 1)
        _name, measured, target, *_floor = row(figure)
        cases.setdefault(case, {})[name] = f"{measured} ({target})" if target else measured
    names = [*dict.fromkeys(name for case in cases.values() for name in case)]
    yield from _markdown(("", *names), ((case, *(found.get(name, "") for name in names)) for case, found in cases.items()))


def _figures(figures):
    if all(": " in figure["name"] for figure in figures):
        yield from _case_table(figures)
        return
    offered = [figure for figure in figures if OFFERED.fullmatch(figure["name"])]
    yield from _markdown(HEAD, (row(figure) for figure in figures if figure not in offered))
    if offered:
        yield ""
        yield from _markdown(OFFERED_HEAD, _offered_rows(offered))


def markdown_tables(result):
    for workload, figures in _by_workload(result):
        yield from ("", f"## {workload[0].upper()}{workload[1:]}", "")
        yield from _figures([*figures])
    if result["rivals"]:
        yield from ("", "## Rivals", "", "Two seats a booking, one transaction each, on the same PostgreSQL in the same "
                    "run; of 1 to 64 clients those that sold most. None oversold; wrong refusals would have a column.", "")
        yield from _markdown(RIVAL_HEAD, rival_rows(result))
    if result["at_rates"]:
        yield from ("", "## At equal load", "", "usher and its rivals in the same run, at the same rates. Latencies end when "
                    "the transaction is committed, or a consumer has the answer. pgbench has 16 clients and a Poisson "
                    "schedule, usher's load a regular one. usher's servers are four, a rival's is PostgreSQL. None "
                    "oversold; wrong refusals would have a column.", "")
        yield from _markdown(AT_RATE_HEAD, at_rate_rows(result))
    if result["cpu"]:
        yield from ("", "## CPU per booking", "", "CPU time by part: PostgreSQL with all of its backends, as clients the load "
                    "generator or pgbench, as worker of the floor its pump.", "")
        yield from _markdown(CPU_HEAD, cpu_rows(result))


# ---- where and when -----------------------------------------------------------------------------------------------

def _output(*command):
    try:
        return subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    """One line on what the figures were measured with."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        found = re.search(r"^model name\s*: (.*)$", info.read(), re.M)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (f"{os.cpu_count()} × {found[1] if found else platform.machine()}, {memory:.0f} GiB, Linux "
            f"{platform.release()}, {_output('psql', '--version')}, gcc {_output('gcc', '-dumpfullversion')}")


def preamble(result):
    """What a reader must know of the figures."""
    date = datetime.datetime.fromtimestamp(result["started"], datetime.timezone.utc)
    yield f"- Machine: {result['machine']}"
    yield f"- Command: `{result['command']}`, {date:%Y-%m-%d %H:%M} UTC, {result['seconds'] / 60:.0f} minutes"
    if result["scale"] != 1:
        yield f"- **BENCH_SCALE={result['scale']}: to try the suite out; the figures say nothing**"
    if result["busy"] > BUSY:
        yield (f"- **The machine had other things to do: load average {result['busy']:.1f} before the start. The figures "
               "are too low.**")
    yield ("- Broker (`steady` of deploy/local/kafka.sh), database, cache, worker and load generator share the machine. "
           "Latencies count from the scheduled send times, until a consumer has the answer. Warm-up, left out: 3 s before "
           "each rate, and one whole sale or load before each full load; for the hot show, loads until the broker compiles "
           "no more. A `sync` precedes each load.")


def write(result, folder):
    """build/bench/report.md, with its plots."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    drawn = plots.draw(result, folder)
    lines = ["# What usher does on this machine", "", *preamble(result), *markdown_tables(result)]
    for title, name in drawn:
        lines += ["", f"![{title}]({name})"]
    if not drawn:
        lines += ["", "No plots: gnuplot is not installed."]
    for fault in result["faults"]:
        lines += ["", f"**Wrong: {fault}**"]
    path = folder / "report.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
