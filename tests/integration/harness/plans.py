"""Seating plans as the public pretix format has them, drawn from a few words."""


def seat(guid, number, category, x, **more):
    return {'seat_guid': guid, 'seat_number': str(number), 'category': category, 'position': {'x': x, 'y': 0}, **more}


def row(name, seats, y=0):
    return {'row_number': name, 'row_number_position': 'both', 'position': {'x': 0, 'y': y}, 'seats': seats}


def zone(name, rows):
    return {'name': name, 'position': {'x': 0, 'y': 0}, 'areas': [], 'rows': rows}


def plan(*zones):
    """A plan of these zones; its categories are those that its seats have."""
    categories = list(dict.fromkeys(one['category'] for part in zones for line in part['rows'] for one in line['seats']))
    return {'name': 'Large hall', 'size': {'width': 800, 'height': 600}, 'zones': list(zones),
            'categories': [{'name': name, 'color': '#4f5f7f'} for name in categories]}


def simple(letter, rows):
    """A zone called by a letter; rows are (name, category, seats), seats named LETTER-row-number."""
    return zone(f'Zone {letter}', [
        row(name, [seat(f'{letter}-{name}-{number}', number, category, 20.0 * number) for number in range(1, count + 1)],
            30.0 * index)
        for index, (name, category, count) in enumerate(rows)])
