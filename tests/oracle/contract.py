"""The rows of the contract, as contract.json has them: how requests are written. What becomes of them the oracle knows by
itself."""

import json
import pathlib

ROWS = json.loads((pathlib.Path(__file__).parents[2] / 'schema/messages/contract.json').read_text(encoding='utf-8'))
OPS = tuple(ROWS['operations'])
TABLES = ROWS['tables']
REQUEST, ITEM = TABLES['request'], TABLES['item']
