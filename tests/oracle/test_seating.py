"""Which seats are chosen: each rule on a hall that one can see."""

import random

from oracle.seating import Hall, Span, choose, splitmix64

SEED = 41


def hall(*rows, ranks=None):
    """Rows as text: `.` is free, anything else is not."""
    spans, first = [], 0
    for index, row in enumerate(rows):
        spans.append(Span(first, len(row), ranks and ranks[index]))
        first += len(row)
    places = bytearray()
    for row in rows:
        places += bytes(0 if place == '.' else 1 for place in row) + b'\x02'
    return Hall(spans, places)


def seat(rows, quantity, strategy=None, together=False, ranks=None, seed=SEED):
    """The rows with what the party gets marked in the order given, or None."""
    found = choose(hall(*rows, ranks=ranks), quantity, together, strategy, seed)
    if found is None:
        return None
    text = ''.join(rows)
    for at, unit in enumerate(found[0]):
        assert text[unit] == '.'
        text = text[:unit] + '123456789abc'[at] + text[unit + 1:]
    drawn, first = [], 0
    for row in rows:
        drawn.append(text[first:first + len(row)])
        first += len(row)
    return drawn


def test_the_middle_of_the_first_row_that_has_room():
    assert seat(['x..x', '.........'], 3) == ['x..x', '...123...']
    assert seat(['......', '......'], 2) == ['..12..', '......']
    assert seat(['.......'], 2) == ['..12...']  # as near on the right: the lower one
    assert seat(['........x', '.........'], 3) == ['...123..x', '.........']  # the row's middle, not the run's


def test_no_orphan_where_that_can_be():
    assert seat(['....'], 2) == ['12..']
    assert seat(['....', '.....'], 3) == ['....', '123..']
    assert seat(['...', '..'], 2) == ['...', '12']
    # A single seat that was free before leaves none.
    assert seat(['.x..'], 2) == ['.x12']
    # Where every place leaves one, the nearest to the middle.
    assert seat(['...', 'xxx'], 2) == ['12.', 'xxx']
    assert seat(['....x'], 3) == ['.123x']


def test_first_takes_the_lowest():
    assert seat(['x....', '.....'], 2, 'first') == ['x12..', '.....']
    assert seat(['...', '.....'], 2, 'first') == ['...', '12...']


def test_the_lowest_ranks_win():
    assert seat(['....', '....'], 2, ranks=[(1, 1, 9, 9), (5, 5, 0, 0)]) == ['....', '..12']
    assert seat(['....', '....'], 2, ranks=[(3, 3, 3, 3), (3, 3, 3, 3)]) == ['12..', '....']
    # Rows without ranks come last.
    assert seat(['......', '......'], 2, ranks=[None, (9,) * 6]) == ['......', '..12..']
    # The sum counts, and no orphan comes before the rank.
    assert seat(['.....'], 3, ranks=[(9, 0, 0, 0, 9)]) == ['123..']


def test_random_goes_round_from_a_row_and_picks_a_place():
    rows = ['xxxxx', '......', 'xxxx']
    starts = [0, 2, 4]  # the others leave an orphan
    for seed in range(20):
        wanted = starts[splitmix64(seed + 1) % 3]
        assert seat(rows, 2, 'random', seed=seed)[1] == '.' * wanted + '12' + '.' * (4 - wanted)
    rows = ['..', '..', '..']
    for seed in range(20):
        assert seat(rows, 2, 'random', seed=seed)[splitmix64(seed) % 3] == '12'


def test_splitmix64_is_the_public_one():
    assert [splitmix64(0), splitmix64(1234567)] == [0xE220A8397B1DCDAF, 6457827717110365317]


# ---- several pieces -----------------------------------------------------------------------------------------
def test_the_longest_run_is_taken_whole_first():
    assert seat(['..x', '...'], 4) == ['4.x', '123']
    assert seat(['.x..', '..x'], 4) == ['.x12', '34x']
    assert seat(['.x..', '..x'], 4, together=True) is None
    assert seat(['.x.'], 3) is None


def test_pieces_are_few_and_near_the_first():
    # Any of the others does: the nearest row, not the longest run.
    assert seat(['...xxx', 'xxxxxx', '......', '..xxxx', '...xxx'], 8) == [
        '...xxx', 'xxxxxx', '123456', '78xxxx', '...xxx']
    # Two more are needed either way: the nearest first, then what completes it.
    assert seat(['....xx', '.xxxxx', '......', '..xxxx', 'xxx...'], 12) == [
        '9abcxx', '.xxxxx', '123456', '78xxxx', 'xxx...']


def test_the_last_piece_leaves_no_orphan_where_that_can_be():
    assert seat(['....', 'x...'], 6) == ['1234', 'x56.']
    assert seat(['.....', 'x....'], 7) == ['12345', 'x67..']


# ---- against the obvious ------------------------------------------------------------------------------------
def test_against_all_places():
    """Small halls at random: one piece wherever there is one, never more pieces than needed, only free seats."""
    generator = random.Random(7)
    for _round in range(500):
        rows = [''.join(generator.choice('..x') for _seat in range(generator.randint(1, 7)))
                for _row in range(generator.randint(1, 4))]
        free = ''.join(rows).count('.')
        quantity = generator.randint(1, 6)
        longest = max(len(run) for row in rows for run in row.split('x'))
        drawn = seat(rows, quantity, generator.choice([None, 'first', 'random']), seed=generator.randint(0, 99))
        assert (drawn is None) == (free < quantity)
        if drawn is None:
            continue
        digits = [''.join(place if place in '123456' else ' ' for place in row) for row in drawn]
        pieces = [piece for row in digits for piece in row.split()]
        if longest >= quantity:
            assert len(pieces) == 1 and pieces[0] == '123456'[:quantity]
        else:
            runs = sorted((len(run) for row in rows for run in row.split('x')), reverse=True)
            needed = next(count for count in range(1, 99) if sum(runs[:count]) >= quantity)
            assert len(pieces) == needed
