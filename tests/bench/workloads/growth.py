"""
Whether usher stays as quick as what it keeps grows: from 1,000 to 1,000,000 seats a show, from 1 to 100,000 resources,
from an empty database to 20 million bookings and as many decisions.
"""

import statistics

import old_sales
from instance import Metrics, resident_mb
from offer import all_held, check_books, hall, offer, units_taken, write_requests
from run import expect

NAME = "growth"
COUNT, RUNS = 90_000, 3
SIZES = (1_000, 10_000, 100_000, 1_000_000)
RESOURCES = (1, 100, 10_000, 100_000)
SALES = 20_000_000  # decisions; two and a half allocations each
WITHIN = 90         # % of what it was when small


def _rates(instance, path, count, check=lambda _number: None):
    """Bookings a second, the middle one; the first load is the warm-up. `check(n)` after the n-th."""
    rates = []
    for number in range(1 + RUNS):
        figures = all_held(offer(instance, requests=path, count=count))
        rates.append(figures["bookings_per_s"])
        check(number + 1)
    return statistics.median(rates[1:])


# ---- seats a show -------------------------------------------------------------------------------------------------

def _sizes(instance, run):
    """As many seats are sold each time: of many small halls in turn, or of a large one."""
    rates = {}
    for size in SIZES:
        count = run.scaled(COUNT, 100)
        halls = [f"show:size-{size}-{n}" for n in range(-(-2 * (1 + RUNS) * count // (size * 9 // 10)))]
        instance.send(hall(one, size, row_length=50) for one in halls)
        path = write_requests(instance, "halls", _pairs(halls))
        rates[size] = _rates(instance, path, count)
        sold = _sold(instance, f"show:size-{size}-%")
        expect(f"seats sold of shows of {size:,}", sold, (2 * (1 + RUNS) * count, 2 * (1 + RUNS) * count))
        run.point("inventory", "shows of so many seats", size, rates[size])
    for size, rate in rates.items():
        run.figure(NAME, f"{size:,} seats a show", rate, "/s")
    worst = min(rates.values())
    run.figure(NAME, "… the slowest of these, of the quickest", 100 * worst / max(rates.values()), "%", at_least=WITHIN)
    run.figure(NAME, "worker's memory after these 1.4 million bookings", resident_mb(instance.worker_pid()), "MB")


def _pairs(resources, section="stalls"):
    return ({"op": "hold", "resource": one, "items": [{"section": section, "quantity": 2}]} for one in resources)


def _sold(instance, pattern):
    """(units, different ones) of the resources with such ids."""
    return units_taken(instance, pattern)[:2]


# ---- resources ----------------------------------------------------------------------------------------------------

def _resources(instance, run):
    """So many that are wanted alike, in turn: each batch touches a thousand of them."""
    rates = {}
    for number in RESOURCES:
        scaled, count = run.scaled(number), run.scaled(COUNT, 100)
        ids = [f"many:{number}-{n}" for n in range(scaled)]
        capacity = 2 * (1 + RUNS) * -(-count // scaled)
        instance.send({"request_id": f"def-{one}", "op": "define", "resource": one, "state": "open", "currency": "GBP",
                       "sections": [{"section": "floor", "price": 1000, "capacity": capacity}]} for one in ids)
        path = write_requests(instance, "many", _pairs(ids, "floor"))
        rates[number] = _rates(instance, path, count)
        expect(f"units sold of {number:,} resources", _sold(instance, f"many:{number}-%"),
               (2 * (1 + RUNS) * count, 2 * (1 + RUNS) * count))
        run.figure(NAME, f"{number:,} {'resource' if number == 1 else 'resources in turn'}", rates[number], "/s")
        run.point("inventory", "so many resources in turn", number, rates[number])
    run.figure(NAME, "… the slowest of these, of the quickest", 100 * min(rates.values()) / max(rates.values()), "%",
               at_least=WITHIN)
    run.figure(NAME, "worker's memory after these 1.4 million as well", resident_mb(instance.worker_pid()), "MB")


# ---- an old database ----------------------------------------------------------------------------------------------

def _one_show(instance, run, show):
    count = run.scaled(COUNT, 100)
    instance.send([hall(show, 2 * (1 + RUNS) * count)])
    return _rates(instance, write_requests(instance, "show", _pairs([show])), count,
                  lambda number: check_books(instance, show, 2 * number * count, number * count))


def old_database(instance, run):
    """For an instance of its own, where nothing was sold before."""
    sales = run.scaled(SALES, 20_000)
    old_sales.define_places(instance, sales)
    empty = _one_show(instance, run, "show:first")
    old_sales.load(instance, sales)
    instance.await_balance(1)
    recovery = Metrics(instance).sum("usher_recovery_seconds_sum")
    old = _one_show(instance, run, "show:old")
    gigabytes = instance.sql("select pg_database_size('usher') / 1e9")[0][0]
    run.figure(NAME, "one show, an empty database", empty, "/s")
    run.figure(NAME, "one show, behind 20 million bookings and as many decisions", old, "/s")
    run.figure(NAME, "… of the empty", 100 * old / empty, "%", at_least=WITHIN)
    run.figure(NAME, "size of that database", float(gigabytes), "GB")
    run.figure(NAME, "start of a worker in it, until it decides", 1000 * recovery, "ms")
    run.figure(NAME, "worker's memory in it", resident_mb(instance.worker_pid()), "MB")


def measure(instance, run):
    _sizes(instance, run)
    _resources(instance, run)
