"""define, open, close: what there is, and whether it is sold."""

from . import defining, unrequested
from .inventory import Resource
from .outcomes import Refused


def define(case):
    request, is_new = case.request, case.resource is None
    if request.only == 'new' and not is_new:
        raise Refused('already_exists')
    resource = case.resource or Resource(request.resource, case.seq)
    chart, differs = defining.define(resource, request.definition, case.partition.charts, request.overbook)
    case.resource = case.partition.resources[request.resource] = resource
    return {'outcome': 'defined', 'change': 'created' if is_new else 'changed' if differs else 'same', 'chart': chart,
            'changes': is_new or differs}


def open_sale(case):
    if case.resource.cancelling is not None:
        raise Refused('in_use')
    changes, case.resource.state = case.resource.state != 'open', 'open'
    return {'outcome': 'defined', 'changes': changes}


def close_sale(case):
    """With cancel_bookings all of them end, one by one, before it can be opened or defined again."""
    request, resource = case.request, case.resource
    changes, resource.state = resource.state != 'closed', 'closed'
    if request.cancel_bookings and unrequested.remains_to_cancel(resource):
        resource.cancelling, changes = request.note or '', True
    return {'outcome': 'defined', 'changes': changes}
