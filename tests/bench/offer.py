"""Offers load to an instance, with load/: open-loop, latencies counted from the scheduled times."""

import json
import os

import cpu
from run import expect

PAIR = {"section": "stalls", "quantity": 2}
WARM_COUNT, WARM_MOST = 30_000, 12  # requests of a load; loads
COMPILERS_IDLE = 0.05  # of the broker's CPU time during a load


def rows_of(units, length=100):
    """Rows with this many seats in all, and one more for the rest."""
    rows = [{"row": f"R{n}", "seats": length} for n in range(units // length)]
    return rows + ([{"row": "last", "seats": units % length}] if units % length else [])


def hall(resource, units, row_length=100, **more):
    """The definition of a show with one section of rows."""
    return {"request_id": f"def-{resource}", "op": "define", "resource": resource, "state": "open", "currency": "GBP",
            "sections": [{"section": "stalls", "price": 4500, "rows": rows_of(units, row_length)}], **more}


def standing(resource, units):
    """The definition of a show with one section by capacity: its places are counted, not named."""
    return {"request_id": f"def-{resource}", "op": "define", "resource": resource, "state": "open", "currency": "GBP",
            "sections": [{"section": "stalls", "price": 4500, "capacity": units}]}


def offer(instance, *resources, item=PAIR, requests=None, rate=0, count=None, seconds=None, warmup_s=0, then=None,
          in_flight=None, answers=None, **environment):
    """
    The figures of one load as a dict. `rate` 0: full load. `requests`: a file of requests to be sent in turn, in place
    of holds of the same `item` of each resource. Every request has an answer, or the run has failed.
    """
    arguments = ["--rate", str(rate), "--warmup", f"{warmup_s}s", "--log-level", "error", "--wait", "60s"]
    for name, value in (("count", count), ("seconds", seconds), ("then", then), ("in-flight", in_flight),
                        ("answers", answers)):
        arguments += [f"--{name}", str(value)] if value is not None else []
    requests = requests or holds(instance, *resources, item=item)
    os.sync()  # or the kernel writes what came before half a minute later, all at once: each flush waits for it then
    figures = json.loads(instance.load(requests, *arguments, **environment))
    expect("requests without an answer", figures["missing"], 0)
    return figures


def all_held(figures):
    """The figures of a load in which no request may be refused."""
    expect("outcomes", figures["outcomes"], {"held": figures["sent"]})
    return figures


def all_confirmed(figures):
    all_held(figures)
    expect("outcomes of the confirms", figures["then"]["outcomes"], {"confirmed": figures["sent"]})
    return figures


def write_requests(instance, name, requests):
    """A file for `offer(requests=…)`; ids and customers are replaced in each that is sent."""
    path = instance.scratch / f"{name}.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for request in requests:
            file.write(json.dumps({"request_id": "x", "customer": "x", **request}) + "\n")
    return path


def warm_up(instance, define=hall, count=WARM_COUNT):
    """
    Loads on shows of their own until the broker's compilers are idle, for until then they take time from everything:
    how many requests it took. `define(id, units)` defines a show.
    """
    pid = instance.part_pid("kafka")
    for number in range(1, WARM_MOST + 1):
        show, before, compiled = f"show:warm-{number}", cpu.cpu_seconds(pid), cpu.compiler_seconds(pid)
        instance.send([define(show, 2 * count)])
        all_held(offer(instance, show, count=count))
        if cpu.compiler_seconds(pid) - compiled < COMPILERS_IDLE * (cpu.cpu_seconds(pid) - before):
            break
    return number * count


def holds(instance, *resources, item=PAIR):
    """A file with a hold of the same item in each resource."""
    return write_requests(instance, "holds", ({"op": "hold", "resource": one, "items": [item]} for one in resources))


# ---- the books ----------------------------------------------------------------------------------------------------

# Of resources whose seats or rooms are numbered: a row for each unit that is taken.
NUMBERED = """
select count(*), count(distinct (a.pool, a.unit)), count(distinct a.booking)
  from usher.resource as r join usher.pool as p on p.resource_no = r.no join usher.allocation as a on a.pool = p.no
 where r.id like %s
"""

# Of others: what the counters of their pools say, what the lines of the bookings come to, and how many these are.
COUNTED = """
select (select coalesce(sum(p.held + p.sold + p.blocked), 0)::bigint
          from usher.resource as r join usher.pool as p on p.resource_no = r.no where r.id like %s),
       coalesce(sum(usher.line_quantity(l.line)), 0)::bigint, count(distinct b.no)
  from usher.resource as r join usher.booking as b on b.resource_no = r.no
 cross join lateral json_array_elements(b.lines::json) as l (line)
 where r.id like %s and b.state in ('held', 'confirmed', 'blocked')
"""


def units_taken(instance, pattern):
    """(units that are taken, different ones among them, bookings that hold or have them) by PostgreSQL."""
    counted = instance.sql("select bool_or(p.kind in ('section', 'product')) from usher.resource as r"
                           "  join usher.pool as p on p.resource_no = r.no where r.id like %s", pattern)[0][0]
    return instance.sql(COUNTED, pattern, pattern)[0] if counted else instance.sql(NUMBERED, pattern)[0]


def check_books(instance, resource, units, bookings, probe=True):
    """PostgreSQL and the worker's memory agree that exactly this many units were taken, each by one booking."""
    expect(f"{resource}: units, different units, bookings", units_taken(instance, resource), (units, units, bookings))
    if not probe:
        return
    answer = json.loads(instance.producer("probe", resource, "--wait=60s", "--json"))
    taken = sum(pool["held"] + pool["sold"] for pool in answer["pools"])
    expect(f"{resource}: units held and sold by the probe", taken, units)
