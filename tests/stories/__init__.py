"""Reads stories: what is asked, and what the answers say. README.md beside this has the form."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent
START = 1_000_000  # where a runner may choose: milliseconds since 1970
UNITS = {'ms': 1, 's': 1000, 'm': 60_000, 'h': 3_600_000, 'd': 86_400_000}

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{},]|:(?=\s)|(?:(?!:\s)[^\[\]{},"])+')
PLAIN = re.compile(r'-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null')
DURATION = re.compile(r'(\d+)(ms|s|m|h|d)')


class Absent:
    """Stands for a field that must not be there."""


class Instant(int):
    """So many milliseconds after the story began."""


class Step:
    """A request or a time that passes, and what is told of it. `op`: 'after' and 'later' are no requests."""

    def __init__(self, op, name, fields):
        self.op, self.name, self.fields = op, name, fields
        self.told = []  # fields of the answer, or of the first decision after a time; then of those that nobody asked for
        self.nothing = False  # … of which there are no more

    def __str__(self):
        return f'{self.op} {self.name}'

    @property
    def passes(self):
        return self.op in ('after', 'later')


class Story:
    def __init__(self, title, file, steps, late):
        self.title, self.file, self.steps, self.late = title, file, steps, late

    def __str__(self):
        return f'{self.file}: {self.title}'


def duration(text):
    """Milliseconds: 90s, 1h30m."""
    if not re.fullmatch(f'(?:{DURATION.pattern})+', text):
        raise ValueError(f'"{text}" is no duration')
    return sum(int(count) * UNITS[unit] for count, unit in DURATION.findall(text))


def _value(word):
    if word == 'absent':
        return Absent
    if word.startswith('@'):
        return Instant(-duration(word[2:]) if word[1] == '-' else duration(word[1:]))
    return json.loads(word) if PLAIN.fullmatch(word) or word.startswith('"') else word


class _Fields:
    """JSON without quotes around words: `items: [{seats: [A-1]}], customer: c`."""

    def __init__(self, text):
        self.tokens = [word for word in map(str.strip, TOKEN.findall(text)) if word][::-1]

    def next_is(self, word):
        return bool(self.tokens) and self.tokens[-1] == word

    def take(self, word):
        if not self.next_is(word):
            raise ValueError(f'"{word}" is missing before {self.tokens[::-1][:3]}')
        self.tokens.pop()

    def value(self):
        if self.next_is('{'):
            self.take('{')
            found = self.fields('}')
            self.take('}')
            return found
        if self.next_is('['):
            self.take('[')
            found = []
            while not self.next_is(']'):
                if found:
                    self.take(',')
                found.append(self.value())
            self.take(']')
            return found
        return _value(self.tokens.pop())

    def fields(self, end=None):
        found = {}
        while self.tokens and not self.next_is(end):
            if found:
                self.take(',')
            name = self.tokens.pop().strip('"')
            if name == '...':
                found[name] = True
                continue
            self.take(':')
            found[name] = self.value()
        return found


def _told(text):
    """`refused not_enough  retryable: true` and the like."""
    outcome, *rest = text.split(maxsplit=1)
    found = {'outcome': outcome}
    if rest and re.match(r'\w+(?!\w*:)', rest[0]):
        found['reason'], *rest = rest[0].split(maxsplit=1)
    return found | (_Fields(rest[0]).fields() if rest else {})


def _lines(text):
    """Without comments; a line goes on in the next where it ends with a comma."""
    kept = ''
    for line in text.splitlines():
        if line.startswith('#') or not line.strip():
            continue
        kept += (' ' + line.strip() if kept else line.rstrip())
        if not kept.endswith(','):
            yield kept
            kept = ''
    if kept:
        raise ValueError(f'"{kept}" does not end')


def _step(line):
    op, *rest = line.split(maxsplit=1)
    if op in ('after', 'later'):
        return Step(op, duration(rest[0]), {})
    name, *rest = rest[0].split(maxsplit=1)
    return Step(op, name, _Fields(rest[0]).fields() if rest else {})


def _hear(step, text):
    if text == 'nothing':
        step.nothing = True
    else:
        step.told.append(_told(text))


def read_file(path):
    """The stories of a file. What comes before the first one of a part comes before each of it."""
    stories, before, names = [], [], {}
    steps = before
    for line in _lines(path.read_text(encoding='utf-8')):
        line = re.sub(r'\$([a-z]+)', lambda name: names[name.group(1)], line)
        if line.startswith('let '):
            _let, word, text = line.split(maxsplit=2)
            names[word] = text
        elif line.startswith('== '):
            steps = list(before)
            stories.append(Story(line[3:], path.stem, steps, False))
        elif line.startswith('-- '):
            steps = before = []
        elif line == 'also late':
            stories[-1].late = True
        else:
            request, *told = line.split(' -> ', 1) if not line.startswith(' ') else (None, line.strip())
            if request:
                steps.append(_step(request))
            for text in told:
                _hear(steps[-1], text)
    return stories


def read_all():
    return [story for path in sorted(FOLDER.glob('*.story')) for story in read_file(path)]


def difference(expected, found, instant_of, path='', is_open=True):
    """Where an answer differs from what is told of it, or None. An answer may say more; what is nested in it may not, but
    where `...` stands. instant_of(offset) is the text of an instant, or a function that says whether one is right."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            if name == '...' or value is Absent and name not in found:
                continue
            if name not in found:
                return f'{path}{name} is missing'
            wrong = difference(value, found[name], instant_of, f'{path}{name}.', False)
            if wrong:
                return wrong
        more = set(found) - set(expected)
        return f'{path} says more: {sorted(more)}' if more and not is_open and '...' not in expected else None
    if isinstance(expected, list) and isinstance(found, list):
        wanted = expected[:-1] if expected[-1:] == ['...'] else expected
        if len(found) < len(wanted) or len(wanted) == len(expected) != len(found):
            return f'{path} has {len(found)} elements: {found}'
        return next(filter(None, (difference(*pair, instant_of, f'{path}{index}.', False)
                                  for index, pair in enumerate(zip(wanted, found)))), None)
    if isinstance(expected, Instant):
        return None if instant_of(expected, found) else f'{path} is {found}'
    return None if expected == found and type(expected) is type(found) else f'{path} is {found}, not {expected}'
