"""Plots of a run as SVG, by gnuplot. Where there is no gnuplot, or nothing was measured for a plot, there is none."""

import shutil
import subprocess

# Name of the plot → (title, x axis, y axis, which axes are logarithmic).
PLOTS = {
    "latency": ("Latency over offered load", "holds of 2 seats offered a second", "ms, from the scheduled time", "xy"),
    "rivals_latency": ("usher and its rivals at equal load", "bookings of 2 seats offered a second", "p99 in ms", "xy"),
    "day": ("Requests that wait after a sale opens", "seconds", "requests in the log", ""),
    "batch": ("Throughput over batch size", "requests a batch, at most", "bookings a second", "x"),
    "inventory": ("Throughput over inventory size", "seats of a show; resources sold in turn", "bookings a second", "x"),
}
HEAD = """set terminal svg size 760,460 font "sans-serif,11" background "white"
set grid lc rgb "#dddddd"
set border 3 lc rgb "#555555"
set tics nomirror
"""
COLOURS = ("#0b6e99", "#3d9970", "#d98e04", "#b3362b", "#888888", "#6b4fa0", "#c77daa", "#5f7a1f", "#333333")


def _draw(script, path):
    subprocess.run(["gnuplot"], input=f"{HEAD}set output '{path}'\n{script}", text=True, check=True,
                   stdout=subprocess.DEVNULL)


def _block(name, rows):
    return f"${name} << END\n" + "".join(" ".join(str(value) for value in row) + "\n" for row in rows) + "END\n"


def draw_lines(name, lines, path):
    """One of PLOTS; `lines`: title → points."""
    title, across, up, logarithmic = PLOTS[name]
    blocks, curves = "", []
    for number, (line, points) in enumerate(lines.items()):
        blocks += _block(f"line{number}", sorted(points))
        curves.append(f'$line{number} using 1:2 with linespoints lw {4 if line == "usher" else 2} pt 7 ps 0.5 lc rgb "{COLOURS[number % len(COLOURS)]}" '
                      f'title "{line}"')
    axes = f"set logscale {logarithmic}\n" if logarithmic else ""
    places = sorted({x for points in lines.values() for x, _y in points})
    if len(places) < 10:
        axes += f"set xtics ({', '.join(map(str, places))})\n"
    _draw(f"""set title "{title}"
set xlabel "{across}"
set ylabel "{up}"
set key {'outside below horizontal maxrows 5 font ",10"' if len(lines) > 1 else 'off'}
set autoscale xfix
set offsets graph 0.03, graph 0.03, 0, 0
{axes}{'' if 'y' in logarithmic else 'set yrange [0:*]'}
set format x "%.0s%c"
set format y "{'%g' if 'y' in logarithmic else '%.1s%c'}"
{blocks}plot {', '.join(curves)}
""", path)


def _bars(title, bars, path):
    """Lying bars with their numbers, the first on top."""
    rows = [(number, value, f'"{name}"', f'"{value:,.0f}"', COLOURS[0 if name == "usher" else 4].replace("#", "0x"))
            for number, (name, value) in enumerate(reversed(bars))]
    most = max(value for _name, value in bars)
    _draw(f"""set title "{title}"
set lmargin at screen 0.47
set xrange [0:{most * 1.2}]
set yrange [-0.6:{len(bars) - 0.4}]
set xtics {most / 4:.1g}
set format x "%.0s%c"
unset key
set style fill solid noborder
{_block('bars', rows)}plot $bars using ($2/2):1:($2/2):(0.35):5:yticlabels(3) with boxxyerror lc rgb variable, \\
     $bars using 2:1:4 with labels left offset 0.5,0
""", path)


def draw(result, folder):
    """Draws what there is; returns (title, file name) of each."""
    if not shutil.which("gnuplot"):
        return []
    drawn = []
    for name, lines in result["lines"].items():
        draw_lines(name, lines, folder / f"{name}.svg")
        drawn.append((PLOTS[name][0], f"{name}.svg"))
    if result["rivals"]:
        bars = [("usher", result["best"])] if result.get("best") else []
        bars += [(one["name"], one["bookings_per_s"])
                 for one in sorted(result["rivals"], key=lambda one: -one["bookings_per_s"])]
        _bars("Bookings of two seats a second", bars, folder / "rivals.svg")
        drawn.append(("usher and its rivals", "rivals.svg"))
    return drawn
