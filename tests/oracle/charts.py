"""The layout of a resource as canonical JSON, and its name."""

import hashlib
import json


def _row(row):
    written = {'row': row.row, 'seats': row.seats, 'first': row.first}
    for name in ('zone', 'names', 'numbers', 'ranks', 'x', 'y'):
        if getattr(row, name) is not None:
            written[name] = getattr(row, name)
    if row.features:
        written['features'] = {name: [place + 1 for place in places] for name, places in row.features}
    return written


def content_of(resource):
    """The canonical JSON, or None: nothing has rows."""
    sections = [{'section': pool.name, 'rows': [_row(row) for row in pool.rows]} for pool in resource.charted()]
    if not sections:
        return None
    return json.dumps({'sections': sections}, ensure_ascii=False, separators=(',', ':'))


def name_of(resource):
    content = content_of(resource)
    return None if content is None else 'sha256:' + hashlib.sha256(content.encode()).hexdigest()
