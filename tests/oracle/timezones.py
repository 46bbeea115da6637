"""Time zones: which there are, and which date it is there, by the rules of `tests/data/timezones.txt`, whatever is
installed. As the worker has it: one rule for all time, so that clocks that follow another calendar are not followed."""

import datetime
import functools
import io
import pathlib
import struct
import zoneinfo

RULES = pathlib.Path(__file__).parents[1] / 'data' / 'timezones.txt'


@functools.cache
def rules():
    """name → its rule, as POSIX writes it."""
    found = {}
    for line in RULES.read_text().splitlines():
        rule, *names = line.split()
        found.update(dict.fromkeys(names, rule))
    return found


@functools.cache
def _zone(rule):
    """A file of a time zone that has nothing but a rule at its end."""
    def head(types, letters):
        return b'TZif2' + bytes(15) + struct.pack('>6I', 0, 0, 0, 0, types, letters)
    one_type = struct.pack('>iBB', 0, 0, 0) + b'UTC\0'
    return zoneinfo.ZoneInfo.from_file(io.BytesIO(head(1, 4) + one_type + head(1, 4) + one_type + f'\n{rule}\n'.encode()))


def date(name, now):
    """The date in a time zone at an instant in milliseconds."""
    return datetime.datetime.fromtimestamp(now / 1000, _zone(rules()[name])).date().isoformat()
