"""The fields of a request that nobody knows: ignored, and named in its answer."""

NAMED_MAX = 10
NAME_SIZE_MAX = 64

REQUEST = {'request_id', 'op', 'resource', 'client', 'customer', 'booking', 'items', 'ttl_s', 'deadline', 'payment',
           'cart', 'force', 'note', 'meta', 'shortage', 'wait_until', 'return_at', 'from_block', 'to_customer',
           'cancel_bookings', 'only', 'from_hold'}
ITEM = {'seats', 'section', 'room', 'product', 'quantity', 'from', 'to', 'together', 'rate', 'sections', 'features',
        'avoid'}
DEFINITION = {'name', 'venue', 'description', 'timezone', 'currency', 'starts_at', 'ends_at', 'hold_ttl_s', 'state',
              'sections', 'rooms', 'products', 'opens_at', 'closes_at', 'strategy', 'limits', 'quotas', 'plan', 'chart'}
PRICED = {'price', 'rates', 'capacity', 'overbook'}
ROW = {'row', 'seats', 'first', 'zone', 'names', 'numbers', 'ranks', 'x', 'y', 'features'}
LIMITS = {'units_min', 'units_per_request', 'units_per_customer', 'holds_per_customer', 'hold_total_s', 'groups'}


def _of(found, place, known):
    dot = '.' if place else ''
    return [place + dot + name for name, value in found.items() if name not in known and value is not None]


def _each(found, field, place, known, inside=None):
    """Of a list of objects; `inside`: what is still to be looked at in each."""
    names = []
    for index, one in enumerate(found.get(field) or []):
        at = f'{place}{field}[{index}]'
        names += _of(one, at, known) + (inside(one, at + '.') if inside else [])
    return names


def _of_definition(found):
    limits = found.get('limits') or {}
    return (_each(found, 'sections', '', PRICED | {'section', 'rows'},
                  lambda section, at: _each(section, 'rows', at, ROW))
            + _each(found, 'rooms', '', PRICED | {'room', 'from', 'to'})
            + _each(found, 'products', '', PRICED | {'product', 'name', 'properties'})
            + _of(limits, 'limits', LIMITS) + _each(limits, 'groups', 'limits.', {'pools', 'limit'})
            + _each(found, 'quotas', '', {'quota', 'pools', 'limit'}))


def _cut(name):
    return name.encode()[:NAME_SIZE_MAX].decode(errors='ignore')


def fields(found):
    """Of a request that is well-formed otherwise; None: it has none."""
    defines = found['op'] == 'define'
    names = _of(found, '', REQUEST | DEFINITION if defines else REQUEST) + _each(found, 'items', '', ITEM)
    if defines:
        names += _of_definition(found)
    return [_cut(name) for name in names[:NAMED_MAX]] or None
