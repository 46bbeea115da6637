#!/usr/bin/env python3
"""Follows one resource in Redis, as the README beside it says.

    python3 follow.py redis://localhost:6379 show:hamlet [PREFIX]
"""
import json
import sys
import time

import redis

COUNTS = ('free', 'held', 'sold', 'blocked', 'waiting')


class Follower:
    """What Redis shows of one resource. `hash` is empty while it is unknown. Where the connection is lost, its methods
    raise redis.ConnectionError: what comes meanwhile is missed, so begin again with a new Follower."""

    def __init__(self, client, resource, prefix='usher'):
        self.client, self.prefix, self.key = client, prefix, f'{prefix}:{{{resource}}}'
        self.layouts = {'': {'sections': []}}
        self.listener = client.pubsub()
        self.listener.subscribe(f'{self.key}:changes')
        self.listener.get_message(timeout=5)  # subscribed: no change is missed from here on
        self.read()

    def read(self):
        """Reads everything at one moment; the layout, which never changes, only where it is a new one."""
        while True:
            with self.client.pipeline(transaction=True) as pipe:
                pipe.hgetall(self.key).get(f'{self.key}:seats').hgetall(f'{self.key}:pools').get(f'{self.key}:catalogue')
                self.hash, self.seats, self.pools, catalogue = pipe.execute()
            self.catalogue = json.loads(catalogue or '{}')
            self.position = int(self.hash.get('epoch', 0)), int(self.hash.get('rev', 0))
            layout = self.hash.get('layout', '')
            if layout not in self.layouts:
                text = self.client.get(f'{self.prefix}:layout:{layout}')
                if text is None:
                    continue  # the rows were changed meanwhile: read again
                self.layouts[layout] = json.loads(text)
            self.layout = self.layouts[layout]
            return

    def take(self, change):
        """Applies one message of the channel."""
        epoch, rev = self.position
        if change['from'] != 0 and (change['epoch'], change['rev']) < self.position:
            return  # older than what was read
        if (change.get('reload') or change['epoch'] != epoch or change['from'] > rev
                or str(change['catalogue_rev']) != self.hash['catalogue_rev']):
            self.read()
            return
        self.position = change['epoch'], change['rev']
        self.hash.update({field: str(change[field]) for field in ('rev', 'state', *COUNTS)})
        for at, text in change.get('seats', []):
            self.seats = self.seats[:at] + text + self.seats[at + len(text):]
        self.pools.update(change.get('pools', {}))

    def wait(self, timeout):
        """Takes the next change; returns whether one came."""
        message = self.listener.get_message(timeout=timeout)
        if message and message['type'] == 'message':
            self.take(json.loads(message['data']))
        return message is not None

    def states(self):
        """Seat → `.` free, `h` held, `s` sold, `x` blocked."""
        return {label: self.seats[row['at'] + index]
                for section in self.layout['sections'] for row in section['rows']
                for index, label in enumerate(row['labels'])}


def follow(client, *what):
    follower = Follower(client, *what)
    while True:
        print(follower.position, {count: follower.hash.get(count) for count in COUNTS}, flush=True)
        while not follower.wait(60):
            pass


def main():
    client = redis.from_url(sys.argv[1], decode_responses=True)
    while True:
        try:
            follow(client, *sys.argv[2:])
        except redis.ConnectionError as error:
            print(error, file=sys.stderr, flush=True)
            time.sleep(1)


if __name__ == '__main__':
    main()
