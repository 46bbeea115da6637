"""The safepoints of the broker's Java, as it logs them itself: for their length everything in it stands still."""

import datetime
import re

from instance import DIRECTORY

_LOG = DIRECTORY / "java.log"
_LINE = re.compile(r'^\[([^]]+)\].*\bSafepoint "\w+",.* Total: +(\d+) ns', re.M)

# For KAFKA_JAVA.
OPTION = f"-Xlog:safepoint:file={_LOG}:time:filecount=0"


def begin():
    """To be called before the broker is started."""
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    _LOG.unlink(missing_ok=True)


def read():
    """(end in milliseconds since the epoch, length in milliseconds) of each since the broker was started."""
    return [(datetime.datetime.strptime(when, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() * 1000, int(total) / 1e6)
            for when, total in _LINE.findall(_LOG.read_text(encoding="utf-8"))]
