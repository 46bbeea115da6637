"""
Carts over several resources, each line in another of 100 sessions, sold by usher/cart.h: how fast, what a cart costs
beside as many bookings, and what carts cost those who sell none.
"""

import json
import subprocess

import cpu
from instance import BIN
from offer import all_confirmed, all_held, hall, offer, warm_up, write_requests
from run import expect

NAME = "carts over resources"
OFFER_CARTS = BIN / "tests/bench/offer_carts"
SESSIONS = 100
RATE, CARTS, LINES, WARMUP_S = 1_000, 25_000, 5, 3
SIZES, LINES_PER_S, SIZES_S = (2, 5, 10), 2_000, 10
BESIDE, HOLDS_PER_S, BESIDE_S = (0, 100, 1_000), 500, 15


def _define(instance, name, units):
    """Sessions that have so many units together, and as many again: a cart begins at a random one."""
    sessions = [f"{name}:{number}" for number in range(SESSIONS)]
    instance.send(hall(session, max(100, 2 * units // SESSIONS)) for session in sessions)
    return sessions


def _singles(instance, sessions):
    return write_requests(instance, "singles", ({"op": "hold", "resource": session,
                                                 "items": [{"section": "stalls", "quantity": 1}]} for session in sessions))


def _start(instance, name, rate, count, lines=LINES, warmup=0):
    command = [OFFER_CARTS, f"--name={name}", f"--rate={rate}", f"--count={count}", f"--lines={lines}",
               f"--sessions={SESSIONS}", f"--warmup={warmup}"]
    return subprocess.Popen(command, env=instance.with_environment(), text=True, stdout=subprocess.PIPE)


def _finish(instance, carts, name, count, units):
    """The figures of carts that were all sold, each line a seat of its own."""
    text, _nothing = carts.communicate()
    expect(f"{name}: exit code", carts.returncode, 0)
    figures = json.loads(text)
    expect(f"{name}: carts", figures["states"], {"sold": count})
    sold = instance.sql(
        "select count(*), count(distinct (a.pool, a.unit)) from usher.allocation as a join usher.booking as b on b.no = a.booking"
        " where starts_with(b.cart, %s) and b.state = 'confirmed'", f"{name}-")[0]
    expect(f"{name}: seats sold, different ones", sold, (units, units))
    return figures


def _sell(instance, run):
    rate = run.scaled(RATE, 20)
    count, warm = max(run.scaled(CARTS), 2 * rate), WARMUP_S * rate
    units = (count + warm) * LINES
    _define(instance, "sold", units)
    figures = _finish(instance, _start(instance, "sold", rate, count, warmup=warm), "sold", count, units)
    run.figure(NAME, "carts of 5 lines over 5 of 100 sessions, offered 1,000/s", figures["carts_per_s"], "/s",
               at_least=0.99 * rate)
    for part, title, wanted in (("hold_ms", "held", 30), ("sell_ms", "sold", 30), ("together_ms", "both", None)):
        run.figure(NAME, f"… {title}, mean", figures[part]["mean"], "ms", at_most=wanted)
        run.figure(NAME, f"… {title}, p99", figures[part]["p99"], "ms")


def _cost(instance, run):
    """CPU of all servers for carts, and for holds and confirms of as many bookings at the same rate."""
    rate = run.scaled(LINES_PER_S, 50)
    for lines in SIZES:
        name, count = f"cost{lines}", rate * SIZES_S // lines
        sessions = _define(instance, name, 4 * count * lines)
        carts, bookings = cpu.usher_meter(instance), cpu.usher_meter(instance)
        with carts:
            sold = _start(instance, name, rate // lines, count, lines)
            sold.wait()
        _finish(instance, sold, name, count, count * lines)
        with bookings:
            all_confirmed(offer(instance, requests=_singles(instance, sessions), rate=rate, count=count * lines,
                                then="confirm"))
        ratio = cpu.of_servers(carts.us_per(count)) / cpu.of_servers(bookings.us_per(count))
        run.figure(NAME, f"CPU of a cart of {lines} lines, to {lines} bookings held and confirmed", ratio, "×", at_most=1.6)


def _beside(instance, run):
    """Of those who hold seats in the same sessions."""
    holds = run.scaled(HOLDS_PER_S, 50)
    for carts_per_s in BESIDE:
        name, rate = f"beside{carts_per_s}", run.scaled(carts_per_s, 0)
        count = rate * (BESIDE_S + 2)
        sessions = _define(instance, name, count * LINES + 2 * holds * BESIDE_S)
        carts = _start(instance, name, rate, count) if rate else None
        figures = all_held(offer(instance, requests=_singles(instance, sessions), rate=holds, seconds=BESIDE_S))
        if carts:
            _finish(instance, carts, name, count, count * LINES)
        for quantile in ("p50", "p99"):
            run.figure(NAME, f"holds of others, {holds:,}/s, beside {rate:,} carts/s: {quantile}",
                       figures["latency_ms"][quantile], "ms")


def measure(instance, run):
    warm_up(instance, count=run.scaled(30_000, 100))
    _sell(instance, run)
    _cost(instance, run)
    _beside(instance, run)
