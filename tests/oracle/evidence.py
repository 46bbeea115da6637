"""What the replay is given: the request log, and all that the worker made of it, as plain values. Where it comes
from is in sources.py; tests make it by hand."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Record:
    """A record of a topic, as it lies there."""
    offset: int
    time: int
    key: bytes | None
    value: bytes | None
    headers: tuple = ()


@dataclass(slots=True)
class Row:
    """A row of the decision table."""
    seq: int
    epoch: int
    offset: int | None
    key: bytes | None
    request_id: str | None
    op: str | None
    resource: str | None
    client: str | None
    outcome: str
    reason: str | None
    first: bool
    replayed: bool
    now: int
    body: dict
    bookings: list | None = None  # seqs of the bookings that it made or changed; None: not looked at


@dataclass
class Evidence:
    partition_count: int
    records: dict = field(default_factory=dict)       # partition → [Record], by offset
    former: dict = field(default_factory=dict)        # partition → [(first seq behind it, [Record])]: logs that were before
    decisions: dict = field(default_factory=dict)     # partition → [Row], by seq
    answers: dict = field(default_factory=dict)       # partition → [Record], by offset
    clock_resets: set = field(default_factory=set)    # (partition, seq): time was set back before that decision
    skips: set = field(default_factory=set)           # (partition, from, to): offsets that an operator passed over
    losses: dict = field(default_factory=dict)        # partition → {first seq after decisions that were lost: how many}
    pruned: dict = field(default_factory=dict)        # partition → [(epoch that began with it, resource)], in order
    dead_letters: list = field(default_factory=list)  # [Record]
    ends: dict = field(default_factory=dict)          # partition → offset behind the request log's last entry
    positions: dict = field(default_factory=dict)     # partition → (next_offset, next_seq, epoch)
    resources: dict = field(default_factory=dict)     # id → {column: value}
    pools: dict = field(default_factory=dict)         # (resource, pool, night) → {column: value}
    bookings: dict = field(default_factory=dict)      # (resource, booking) → {column: value}
    allocations: dict = field(default_factory=dict)   # (resource, pool, night, unit) → booking; seats, rooms
    former_owners: dict = field(default_factory=dict)  # (resource, booking, customer) → True: had it before
    cache: dict | None = None  # resource → {'hash', 'seats', 'pools', 'labels'}; None: not looked at
    lists: dict | None = None                         # list of resources → id → its score, or True

    def logs(self, partition):
        """The logs of requests that the partition had, one after another: their records, and what was decided meanwhile."""
        rows, begun = self.decisions.get(partition, []), 0
        for following, records in [*self.former.get(partition, []), (float('inf'), self.records.get(partition, []))]:
            yield records, [row for row in rows if begun <= row.seq < following]
            begun = following
