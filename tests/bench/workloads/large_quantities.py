"""
Products are counted, so a booking costs the same for any quantity: holds of 100 pieces beside holds of one, and a
product of 10,000,000 pieces that is sold out, then loaded by a worker that was just started.
"""

import statistics

import cpu
from instance import resident_mb
from offer import all_held, check_books, offer, write_requests
from run import expect

NAME = "large quantities"
COUNT, RUNS, SMALL, LARGE = 40_000, 3, 1, 100
PIECES, MOST = 10_000_000, 4_000  # as many as a product, and a booking, may have
RATE, WARMUP_S = 40, 1            # one request at a time
HUGE, USUAL = "shop:huge", "shop:usual"


def _shop(resource, pieces):
    return {"request_id": f"def-{resource}", "op": "define", "resource": resource, "state": "open", "currency": "GBP",
            "products": [{"product": "sku", "capacity": pieces, "price": 10}]}


def _item(quantity):
    return {"product": "sku", "quantity": quantity}


# ---- holds of 100 beside holds of one -----------------------------------------------------------------------------

def _load(instance, resource, quantity, count):
    """(bookings a second, CPU time of all servers for each of them) of a shop of its own."""
    instance.send([_shop(resource, quantity * count)])
    meter = cpu.usher_meter(instance)
    with meter:
        figures = offer(instance, resource, item=_item(quantity), count=count)
    check_books(instance, resource, quantity * count, count)
    return all_held(figures)["bookings_per_s"], cpu.of_servers(meter.us_per(count))


def _quantities(instance, run):
    """In turn, so that what changes with time does so for both; the first of each is the warm-up."""
    count, found = run.scaled(COUNT, 100), {SMALL: [], LARGE: []}
    for number in range(1 + RUNS):
        for quantity, loads in found.items():
            loads.append(_load(instance, f"shop:{quantity}-{number}", quantity, count))
    (rate, us), (large_rate, large_us) = (map(statistics.median, zip(*loads[1:])) for loads in found.values())
    run.figure(NAME, "holds of 1 piece, full load", rate, "/s")
    run.figure(NAME, "holds of 100 pieces, full load", large_rate, "/s")
    run.figure(NAME, "CPU of all servers for a hold of 1 piece", us, "us")
    run.figure(NAME, "CPU of all servers for a hold of 100 pieces", large_us, "us")
    run.figure(NAME, "… to that for a hold of 1", large_us / us, "×", at_most=1.2)


# ---- a product of 10,000,000 pieces -------------------------------------------------------------------------------

def _hold(resource):
    return {"op": "hold", "resource": resource, "items": [_item(1)]}


def _answer_ms(instance, resource):
    """Until a hold of it is answered, behind others of a product that is in memory: they open the connections."""
    requests = [USUAL] * (RATE * WARMUP_S) + [resource]
    path = write_requests(instance, "one", (_hold(one) for one in requests))
    figures = offer(instance, requests=path, rate=RATE, count=1, warmup_s=WARMUP_S)
    expect("outcome", figures["outcomes"], {"held" if resource == USUAL else "refused": 1})
    return figures["latency_ms"]["max"]


def _huge_product(instance, run):
    pieces = run.scaled(PIECES, 10 * MOST) // MOST * MOST
    instance.send([_shop(HUGE, pieces), _shop(USUAL, PIECES)])
    all_held(offer(instance, HUGE, item=_item(MOST), count=pieces // MOST))
    check_books(instance, HUGE, pieces, pieces // MOST)
    instance.restart_worker()
    instance.await_balance(1)
    _answer_ms(instance, USUAL)
    memory = resident_mb(instance.worker_pid())
    first = _answer_ms(instance, HUGE)
    memory = resident_mb(instance.worker_pid()) - memory
    run.figure(NAME, "10,000,000 pieces, sold out by 2,500 holds: first answer of a new worker", first, "ms", at_most=50)
    run.figure(NAME, "… the next one, from memory", _answer_ms(instance, HUGE), "ms")
    run.figure(NAME, "… what the worker has more in memory since the first", memory, "MB")


def measure(instance, run):
    _quantities(instance, run)
    _huge_product(instance, run)
