"""Half a minute of the standing adversary (`make chaos` runs it for as long as you like), with the same faults each time."""

import pytest

from chaos.rounds import Round
from harness.waiting import PATIENCE_S

pytestmark = pytest.mark.whole
SEED = 3
SECONDS = 20


def test_half_a_minute_of_everything_at_once(parts):
    # How long something takes on a busy machine is no matter of this.
    findings = Round(parts, 'chaos', SEED, limit_s=PATIENCE_S).run(SECONDS)
    assert not findings.violations, f'repeated by make chaos MINUTES=0.5 SEED={SEED}:\n{findings}'
    assert findings.records > 0 and findings.faults
