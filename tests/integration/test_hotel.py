"""A year of a real hotel's bookings and cancellations against a calculation of its own, night by night: what is
granted, what is refused, and what is left on every night. It shares nothing with the worker or with the replay."""

import collections
import csv
import datetime
import pathlib

import pytest

from harness.waiting import eventually

DATA = pathlib.Path(__file__).resolve().parents[1] / 'data' / 'resort_hotel.csv'
HOTEL = 'hotel:resort'


def nights(row):
    day, end = (datetime.date.fromisoformat(row[field]) for field in ('arrival', 'departure'))
    return [(row['room_type'], day + datetime.timedelta(days=number)) for number in range((end - day).days)]


@pytest.fixture(scope='module', name='bookings')
def bookings_fixture():
    with open(DATA, newline='', encoding='utf-8') as file:
        rows = [row for row in csv.DictReader(file) if nights(row)]
    assert len(rows) > 9000
    return rows


def capacities(rows):
    """For each type 80 % of its busiest night as it really was, rounded up."""
    busy = collections.Counter(night for row in rows if row['status'] != 'Canceled' for night in nights(row))
    busiest = {row['room_type']: 1 for row in rows}
    for (room, _day), count in busy.items():
        busiest[room] = max(busiest.get(room, 0), count)
    return {room: -(-count * 8 // 10) for room, count in busiest.items()}


def stream(rows):
    """Bookings and cancellations by day, the cancellations of a day after its bookings."""
    events = [(row['booked_on'], 0, number, row) for number, row in enumerate(rows)]
    events += [(row['status_on'], 1, number, row) for number, row in enumerate(rows) if row['status'] == 'Canceled']
    return [(kind, row) for _day, kind, _number, row in sorted(events, key=lambda event: event[:3])]


def calculate(events, capacity):
    """What must come out: a verdict for each event, and how many rooms are taken on each night."""
    taken, granted, verdicts = collections.Counter(), set(), []
    for kind, row in events:
        mine = nights(row)
        if kind == 0:
            full = [day for room, day in mine if taken[room, day] >= capacity[room]]
            if not full:
                granted.add(row['booking'])
                taken.update(mine)
            verdicts.append(('refused', [day.isoformat() for day in full]) if full else ('confirmed', len(mine)))
        elif row['booking'] in granted:
            taken.subtract(mine)
            verdicts.append(('cancelled', len(mine)))
        else:
            verdicts.append(('refused', 'unknown_booking'))
    return verdicts, taken


def found(answer):
    """An answer in the words of the calculation."""
    if answer.get('reason') == 'not_enough':
        return 'refused', answer['items'][0]['taken']
    if answer['outcome'] == 'refused':
        return 'refused', answer['reason']
    return answer['outcome'], len(answer.get('units') or answer['returned'])


@pytest.mark.whole
def test_every_booking_of_the_resort_hotel(make_realm, bookings):
    realm = make_realm()
    realm.worker()
    capacity, events = capacities(bookings), stream(bookings)
    days = sorted({day for row in bookings for _room, day in nights(row)})
    opening, closing = days[0].isoformat(), (days[-1] + datetime.timedelta(days=1)).isoformat()
    defined = realm.ask('define', HOTEL, state='open', currency='EUR', rooms=[
        {'room': room, 'from': opening, 'to': closing, 'capacity': count, 'price': 10000}
        for room, count in sorted(capacity.items())])
    assert defined['free'] == sum(capacity.values()) * ((days[-1] - days[0]).days + 1)

    requests = []
    for kind, row in events:
        if kind == 0:
            requests.append({'request_id': row['booking'], 'op': 'book', 'resource': HOTEL, 'customer': row['booking'],
                             'items': [{'room': row['room_type'], 'from': row['arrival'], 'to': row['departure'],
                                        'quantity': 1}]})
        else:
            requests.append({'request_id': f'{row["booking"]}-cancel', 'op': 'cancel', 'resource': HOTEL,
                             'customer': row['booking'], 'booking': row['booking']})
    answers = realm.ask_all(*requests)

    verdicts, taken = calculate(events, capacity)
    for (kind, row), verdict, answer in zip(events, verdicts, answers):
        assert found(answer) == verdict, f'{"cancel" if kind else "book"} {row}: {answer}'
    counts = collections.Counter(verdict[0] for verdict in verdicts)
    assert counts['confirmed'] > 5000 and counts['refused'] > 100 and counts['cancelled'] > 1000

    rows = realm.sql('select pool, night, sold, held, free from usher.availability where resource = %s', HOTEL)
    assert {(room, night): (sold, held, free) for room, night, sold, held, free in rows} == {
        (room, days[0] + datetime.timedelta(days=number)): (
            taken[room, days[0] + datetime.timedelta(days=number)], 0,
            count - taken[room, days[0] + datetime.timedelta(days=number)])
        for room, count in capacity.items() for number in range((days[-1] - days[0]).days + 1)}
    assert answers[-1]['free'] == sum(row[4] for row in rows)
    eventually(lambda: realm.shown(HOTEL)[0].get('free') == str(answers[-1]['free']), 'Redis shows what is left')
    realm.check()
