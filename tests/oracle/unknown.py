"""The fields of a request that nobody knows: ignored, and named in its answer."""

from .contract import ITEM, REQUEST, TABLES

NAMED_MAX = 10
NAME_SIZE_MAX = 64


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


def _of_items(found):
    return _each(found, 'items', '', ITEM, lambda item, at: _each(item, 'members', at, TABLES['member']))


def _of_definition(found):
    limits = found.get('limits') or {}
    return (_each(found, 'sections', '', TABLES['section'],
                  lambda section, at: _each(section, 'rows', at, TABLES['row']))
            + _each(found, 'rooms', '', TABLES['room'])
            + _each(found, 'products', '', TABLES['product'])
            + _of(limits, 'limits', TABLES['limits']) + _each(limits, 'groups', 'limits.', TABLES['group'])
            + _each(found, 'quotas', '', TABLES['quota']) + _each(found, 'restrictions', '', TABLES['restriction']))


def _cut(name):
    return name.encode()[:NAME_SIZE_MAX].decode(errors='ignore')


def fields(found):
    """Of a request that is well-formed otherwise; None: it has none."""
    defines = found['op'] == 'define'
    names = _of(found, '', {**REQUEST, **TABLES['definition']} if defines else REQUEST) + _of_items(found)
    if defines:
        names += _of_definition(found)
    return [_cut(name) for name in names[:NAMED_MAX]] or None
