#!/usr/bin/env python3
"""usher over HTTP: POST a request, get its answer; GET /show:hamlet for what is free. For your own network, behind your
own log-in. Usage: rest.py PORT"""

import http.server
import json
import sys
import uuid

import service

STATUS = {'refused': 409, 'invalid': 400}


class Handler(http.server.BaseHTTPRequestHandler):
    desk = service.Desk()

    def do_GET(self):
        self.ask(lambda: {'op': 'probe', 'request_id': str(uuid.uuid4()), 'resource': self.path[1:]})

    def do_POST(self):
        self.ask(lambda: json.loads(self.rfile.read(int(self.headers['Content-Length'] or 0))))

    def ask(self, read):
        try:
            answer = self.desk.ask(read())
            self.reply(STATUS.get(answer['outcome'], 200), answer)
        except KeyError as missing:
            self.reply(400, {'error': f'missing {missing}'})
        except (ValueError, RecursionError) as error:
            self.reply(400, {'error': str(error)})
        except TimeoutError as error:
            self.reply(504, {'error': str(error)})

    def reply(self, status, body):
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
