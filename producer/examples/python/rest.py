#!/usr/bin/env python3
"""usher over HTTP: POST a request, get its answer; GET /show:hamlet for what is free, as Redis shows it.

An example to read, on this machine alone: no log-in, no TLS, no limit of callers, a thread for each. Write your own before
strangers reach it, with the Desk of service.py. Needs redis besides; reads USHER_REDIS and USHER_REDIS_PREFIX, and what
service.py reads. Usage: rest.py PORT"""

import http.server
import json
import os
import sys
import urllib.parse

import redis

import service

STATUS = {'refused': 409, 'invalid': 400}
BODY_MAX = 1_000_000
PREFIX = os.environ.get('USHER_REDIS_PREFIX', 'usher')


class Refused(Exception):
    """(status, why): without asking usher."""


def shown(cache, resource):
    """What Redis has of it, at one moment. Of a `stale` one nobody knows whether it is still so."""
    if not service.ID.fullmatch(resource):
        raise Refused(400, f'{resource!r} is no resource')
    with cache.pipeline(transaction=True) as pipe:
        pipe.hgetall(f'{PREFIX}:{{{resource}}}').hgetall(f'{PREFIX}:{{{resource}}}:pools')
        fields, pools = pipe.execute()
    if not fields:
        raise Refused(404, f'{resource} is unknown')
    stale = not cache.exists(f'{PREFIX}:worker:{fields["partition"]}')
    return {'resource': resource, **fields, 'pools': pools, 'stale': stale}


class Handler(http.server.BaseHTTPRequestHandler):
    desk = service.Desk()
    cache = redis.from_url(os.environ.get('USHER_REDIS', 'redis://localhost:6379'), decode_responses=True)
    timeout = 10  # seconds without a byte from the caller

    def do_GET(self):
        try:
            self.reply(200, shown(self.cache, urllib.parse.unquote(self.path[1:])))
        except Refused as refused:
            self.refuse(*refused.args)
        except redis.RedisError as error:
            self.refuse(503, f'Redis: {error}')

    def do_POST(self):
        try:
            answer = self.desk.ask(json.loads(self.body()))
            self.reply(STATUS.get(answer['outcome'], 200), answer)
        except Refused as refused:
            self.refuse(*refused.args)
        except KeyError as missing:
            self.refuse(400, f'missing {missing}')
        except (ValueError, RecursionError) as error:
            self.refuse(400, str(error))
        except TimeoutError as error:
            self.refuse(504, str(error))

    def body(self):
        length = self.headers['Content-Length']
        if length is None:
            raise Refused(411, 'Content-Length is missing')
        if not (length.isascii() and length.isdigit()):
            raise Refused(400, f'Content-Length is {length!r}')
        if len(length) > 9 or int(length) > BODY_MAX:
            raise Refused(413, f'a request has at most {BODY_MAX} bytes')
        try:
            body = self.rfile.read(int(length))
        except TimeoutError as error:
            raise Refused(408, 'the body did not come in time') from error
        if len(body) < int(length):
            raise Refused(400, 'the body is shorter than Content-Length')
        return body

    def refuse(self, status, error):
        self.close_connection = True
        self.reply(status, {'error': error})

    def reply(self, status, body):
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
