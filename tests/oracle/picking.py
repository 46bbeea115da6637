"""Some units of a booking, as the items of a confirm or a transfer name them."""

from .outcomes import Refused


def pick(lines, items):
    """(lines picked, lines left) of the booking: each item takes what it names, by quantity the lowest units; of those
    that are only counted the booking's first."""
    left = sorted(((line, unit) for line in lines for unit in line.units),
                  key=lambda one: one[1] if one[0].numbered else 0)
    picked, short = [], []
    for index, item in enumerate(items):
        found, outside = _pick_item(left, item)
        if outside is not None:
            short.append({'item': index, 'asked': item.quantity, 'given': 0, 'reason': 'not_in_booking', **outside})
            continue
        gone = set(found)
        left = [one for one in left if one not in gone]
        picked += _grouped(lines, found, index)
    if short:
        raise Refused('not_in_booking', items=short)
    return picked, _grouped(lines, left)


def _grouped(lines, units, item=None):
    """These units as lines, in the order of the lines that they are of, each from its lowest unit on."""
    grouped = {line: [] for line in lines}
    for line, unit in sorted(units, key=lambda one: one[1]):
        grouped[line].append(unit)
    return [line.part(units, item) for line, units in grouped.items() if units]


def _pick_item(left, item):
    """(the units it takes, None), or what is said where not all of it is there."""
    good = [(line, unit) for line, unit in left if item.rate is None or (line.rate or 'standard') == item.rate]
    if item.kind == 'seats':
        seats = {line.pool.name_of(unit): (line, unit) for line, unit in good if line.numbered}
        outside = [seat for seat in item.seats if seat not in seats]
        return [seats[seat] for seat in item.seats if seat in seats], {'taken': outside} if outside else None
    found, full = [], []
    for night in item.nights() if item.kind == 'room' else [None]:
        there = [(line, unit) for line, unit in good
                 if (line.pool.kind, line.pool.name, line.pool.night) == (item.kind, item.pool, night)]
        if len(there) < item.quantity:
            full.append(night)
        found += there[:item.quantity]
    if full:
        return [], {'taken': full} if item.kind == 'room' else {}
    return found, None
