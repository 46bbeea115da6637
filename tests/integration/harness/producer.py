"""usher-producer, as people and scripts call it."""

import json


def producer(realm, *arguments, **options):
    """Runs it to its end, by clocks that show UTC."""
    return realm.run(*arguments, name='usher-producer', **{'TZ': 'UTC', **options})


def answers_in(done):
    """What it printed as JSON lines."""
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask_by_flags(realm, *arguments):
    """The answer to one command, which must not be a refusal."""
    done = producer(realm, *arguments, '--json')
    assert done.returncode == 0, done.stdout + done.stderr
    return answers_in(done)[0]
