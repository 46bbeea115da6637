"""The published schemas, for tests: is this what a client may send, a worker may answer, a dashboard may hear?
Each function raises AssertionError with the path and the complaint. Knows no worker and no broker."""

import functools
import json
import pathlib
import re
import urllib.request

import jsonschema
import yaml

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / 'schema'
MESSAGES = SCHEMA / 'messages'
OPENAPI = SCHEMA / 'dashboard' / 'openapi.yaml'
EXAMPLES = MESSAGES / 'examples'


@functools.lru_cache(maxsize=None)
def schema(kind):
    return json.loads((MESSAGES / f'{kind}.schema.json').read_text(encoding='utf-8'))


@functools.lru_cache(maxsize=None)
def _validator(kind):
    jsonschema.Draft7Validator.check_schema(schema(kind))
    return jsonschema.Draft7Validator(schema(kind))


def _validate(kind, message):
    complaints = [f'{"/".join(map(str, error.absolute_path)) or kind}: {error.message}'
                  for error in _validator(kind).iter_errors(message)]
    assert not complaints, '; '.join(complaints) + f' in {json.dumps(message)[:2000]}'


def _only_known(kind, message):
    """A worker must not invent fields, though clients would accept them."""
    unknown = message.keys() - schema(kind)['properties'].keys()
    assert not unknown, f'{kind} has fields that the schema does not know: {sorted(unknown)}'


def validate_request(request):
    _validate('request', request)


def validate_answer(answer):
    _validate('answer', answer)
    _only_known('answer', answer)


def validate_changes(changes):
    _validate('changes', changes)
    _only_known('changes', changes)


def validate_overview(overview):
    _validate('overview', overview)
    _only_known('overview', overview)


# ---- the dashboard -------------------------------------------------------------------------------------------
@functools.lru_cache(maxsize=None)
def openapi():
    return yaml.safe_load(OPENAPI.read_text(encoding='utf-8'))


def _read(uri):
    with urllib.request.urlopen(uri) as file:
        return yaml.safe_load(file)


@functools.lru_cache(maxsize=None)
def _dashboard_validator(path, kind, event):
    found = openapi()['paths'][path]['get']['responses']['200']['content'][kind]['schema']
    found = found['properties'][event] if event else found
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found, resolver=jsonschema.RefResolver(
        OPENAPI.as_uri(), openapi(), handlers={'file': _read}))


def validate_dashboard(address, answer, event=None):
    """What an address of the dashboard is answered with, or an event of its stream."""
    path = next(path for path in openapi()['paths'] if re.fullmatch(re.sub('{[^}]*}', '[^/]+', path), f'/{address}'.split('?')[0]))
    kind = 'text/event-stream' if event else 'application/json'
    complaints = [f'{"/".join(map(str, error.absolute_path)) or path}: {error.message[:500]}'
                  for error in _dashboard_validator(path, kind, event).iter_errors(answer)]
    assert not complaints, '; '.join(complaints)
