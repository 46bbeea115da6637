"""Resources that many tests use."""

HALL = {'state': 'open', 'currency': 'EUR', 'name': 'Hamlet', 'timezone': 'Europe/London', 'sections': [
    {'section': 'stalls', 'price': 4500, 'rows': [
        {'row': 'A', 'seats': 4}, {'row': 'B', 'seats': 6}, {'row': 'C', 'seats': 8}]},
    {'section': 'balcony', 'price': 3000, 'rows': [{'row': 'BA', 'seats': 5, 'first': 11}]},
    {'section': 'standing', 'price': 2000, 'capacity': 10}],
    'products': [{'product': 'programme', 'name': 'Programme', 'capacity': 3, 'price': 500}]}
HALL_UNITS = 18 + 5 + 10 + 3

HOTEL = {'state': 'open', 'currency': 'GBP', 'rooms': [
    {'room': 'double', 'from': '2026-12-20', 'to': '2026-12-30', 'capacity': 3, 'price': 12900},
    {'room': 'double', 'from': '2026-12-24', 'to': '2026-12-27', 'price': 18900},
    {'room': 'single', 'from': '2026-12-20', 'to': '2026-12-25', 'capacity': 2, 'price': 8000}]}
HOTEL_UNITS = 30 + 10


def seats(*names, **more):
    return [{'seats': list(names), **more}]


def places(section, quantity, **more):
    return [{'section': section, 'quantity': quantity, **more}]


def stay(room, start, end, quantity=1, **more):
    return [{'room': room, 'from': start, 'to': end, 'quantity': quantity, **more}]


def pieces(product, quantity, **more):
    return [{'product': product, 'quantity': quantity, **more}]


def rows(*sizes):
    """Rows A, B, C … of so many seats."""
    return [{'row': chr(ord('A') + index), 'seats': size} for index, size in enumerate(sizes)]


def seated(*sizes, **more):
    """A resource with nothing but one section of such rows."""
    return {'state': 'open', 'sections': [{'section': 'stalls', 'price': 4500, 'rows': rows(*sizes)}], **more}


def verdict(answer):
    """(outcome, reason) of an answer."""
    return answer['outcome'], answer.get('reason')


def standing(capacity, **more):
    """A resource with nothing but one section by capacity."""
    return {'state': 'open', 'sections': [{'section': 'floor', 'capacity': capacity, 'price': 1000}], **more}


def shortfalls(answer):
    """What each failing line says: item → (reason, free, taken)."""
    return {line['item']: (line['reason'], line.get('free'), line.get('taken')) for line in answer['items']}
