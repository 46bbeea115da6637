"""
A worker that starts with nothing in memory behind requests that need much: one of a hall of a million seats and of a
hotel with 200,000 rooms sold, many hotels at once, and repeats of large answers; also where the database is behind a
line of 25 MB/s.
"""

import json
import re
import time

from instance import Broken
from run import expect
from workloads.slow_parts import Proxy

NAME = "cold starts"
SEATS, HOTELS, TYPES, REPEATS, ANSWER_BYTES = 1_000_000, 1_000, 20, 1_000, 399_000
WAYS = {"": 0, ", by 25 MB/s": 25_000_000}  # bytes a second; 0: as many as come
FIRST_S, ALL_S, PATIENCE_S = 2, 60, 300
BOOKINGS = 1 << 40  # numbers of bookings that no request made

HALL_SOLD = f"""
    insert into usher.booking (partition, no, resource_no, state, created_at, total, op, request_id, customer, lines)
    select 0, {BOOKINGS} + i, r.no, 'confirmed', now(), 0, 'book', 's' || i, 'c' || i,
           format('[[0,0,100,[%s,%s,%s,%s]]]', 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3)
      from usher.resource as r, generate_series(0, {{seats}} / 4 - 1) as i where r.id = 'show:million';
    insert into usher.allocation (pool, booking, unit)
    select p.no, {BOOKINGS} + u / 4, u
      from usher.resource as r join usher.pool as p on p.resource_no = r.no, generate_series(0, {{seats}} - 1) as u
     where r.id = 'show:million'"""
HOTEL_SOLD = f"""
    insert into usher.booking (partition, no, resource_no, state, created_at, total, op, request_id, customer, lines)
    select 0, {2 * BOOKINGS} + p.index, r.no, 'confirmed', now(), 0, 'book', 'n' || p.index, 'c' || p.index, '[]'
      from usher.resource as r join usher.pool as p on p.resource_no = r.no where r.id = '{{hotel}}';
    insert into usher.allocation (pool, booking, unit)
    select p.no, {2 * BOOKINGS} + p.index, u
      from usher.resource as r join usher.pool as p on p.resource_no = r.no, generate_series(0, 26) as u
     where r.id = '{{hotel}}'"""
# The same hotel again and again, as it was defined.
CLONES = """
    insert into usher.resource
    select (jsonb_populate_record(r, jsonb_build_object('no', r.no + i * 1000000::bigint, 'id', 'hotel:' || i))).*
      from usher.resource as r, generate_series(1, {count} - 1) as i where r.id = 'hotel:0';
    insert into usher.pool (no, resource_no, index, kind, name, night, capacity, price)
    select p.no + i * 1000000::bigint, p.resource_no + i * 1000000::bigint, p.index, p.kind, p.name, p.night,
           p.capacity, p.price
      from usher.resource as r join usher.pool as p on p.resource_no = r.no, generate_series(1, {count} - 1) as i
     where r.id = 'hotel:0'"""


def _hotel(name, types):
    return {"request_id": f"def-{name}", "op": "define", "resource": name, "state": "open", "currency": "GBP",
            "rooms": [{"room": f"type-{n}", "from": "2027-01-01", "to": "2028-01-01", "capacity": 30, "price": 9000}
                      for n in range(types)]}


def _offset(instance):
    return instance.sql("select next_offset from usher.partition_state where partition = 0")[0][0]


def _peak_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"^VmHWM:\s+(\d+) kB$", status.read(), re.M)[1]) / 1024


def _answered(instance, requests, arguments=()):
    """
    (first, last, peak): seconds until the first and until the last of the requests were decided, from the start of a
    worker that finds them all in the log; the most memory that it took, in MB.
    """
    instance.stop_worker()
    before = _offset(instance)
    instance.producer("send", stdin="".join(json.dumps(one) + "\n" for one in requests))
    began, first = time.monotonic(), None
    instance.start_worker(1, arguments)
    while (decided := _offset(instance) - before) < len(requests):
        elapsed = time.monotonic() - began
        first = first or (elapsed if decided > 0 else None)
        if elapsed > PATIENCE_S:
            raise Broken(f"{decided} of {len(requests)} requests were decided in {PATIENCE_S} s")
        time.sleep(0.02)
    last = time.monotonic() - began
    return first or last, last, _peak_mb(instance.worker_pid())


def _probes(names, prefix):
    return [{"request_id": f"{prefix}-{name}", "op": "probe", "resource": name} for name in names]


def _large(instance, run):
    """The requests behind those for the two large ones wait for them: the log is decided in order."""
    seats = run.scaled(SEATS, 4_000)
    rows = "+".join(f"R{n}:1000" for n in range(seats // 1000))
    instance.producer("define", "show:million", "--state", "open", "--currency", "GBP", "--section",
                      f"stalls:price=1.00,rows={rows}")
    instance.send([_hotel("hotel:large", TYPES), _hotel("hotel:0", TYPES)])
    instance.stop_worker()
    instance.sql(HALL_SOLD.format(seats=seats))
    instance.sql(HOTEL_SOLD.format(hotel="hotel:large"))
    instance.sql("vacuum analyze")
    idle, _last, _peak = _answered(instance, _probes(["hotel:0"], "idle"))
    for name in ("show:million", "hotel:large"):
        _first, last, _peak = _answered(instance, _probes([name, "hotel:0"], f"behind-{name}"))
        run.figure(NAME, f"{name}: answered, the start of the worker included", last, "s", at_most=5)
        run.figure(NAME, "… the request behind it, longer than without", last - idle, "s", at_most=1)
    answer = instance.sql("select body from usher.decision where resource = 'show:million' order by seq desc limit 1")[0][0]
    expect("free seats", json.loads("{" + answer + "}")["free"], 0)


def _hotels(instance, run):
    count = run.scaled(HOTELS, 20)
    instance.stop_worker()
    instance.sql(CLONES.format(count=count))
    instance.sql("vacuum analyze")
    names = [f"hotel:{n}" for n in range(count)]
    for way in WAYS:
        with Proxy(instance, 0, WAYS[way]) as arguments:
            first, last, peak = _answered(instance, _probes(names, f"by-{WAYS[way]}"), arguments)
            run.figure(NAME, f"{count} hotels at once{way}: first answer", first, "s", at_most=FIRST_S)
            run.figure(NAME, "… all answers", last, "s", at_most=ALL_S)
            run.figure(NAME, "… memory at most", peak, "MB")
            instance.restart_worker()


def _repeats(instance, run):
    count = run.scaled(REPEATS, 20)
    requests = [{"request_id": f"repeat-{n}", "op": "probe", "resource": "hotel:0"} for n in range(count)]
    instance.send(requests)
    instance.sql(f"update usher.decision set body = body || ',\"detail\":\"' || repeat('x', {ANSWER_BYTES}) || '\"'"
                 " where request_id like 'repeat-%'")
    _first, _last, usual = _answered(instance, _probes(["hotel:0"], "usual"))
    for way in WAYS:
        with Proxy(instance, 0, WAYS[way]) as arguments:
            _first, last, peak = _answered(instance, requests, arguments)
            run.figure(NAME, f"{count} repeats of 399 KB{way}: all answered", last, "s")
            run.figure(NAME, "… more memory than for one request", peak - usual, "MB", at_most=100)
            instance.restart_worker()


def measure(instance, run):
    _large(instance, run)
    _hotels(instance, run)
    _repeats(instance, run)
