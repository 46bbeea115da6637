"""Java's default partitioner: murmur2 of the key."""

MASK = 0xFFFFFFFF


def murmur2(data):
    length = len(data)
    h = 0x9747B28C ^ length
    for at in range(0, length & ~3, 4):
        k = int.from_bytes(data[at:at + 4], 'little') * 0x5BD1E995 & MASK
        k = (k ^ k >> 24) * 0x5BD1E995 & MASK
        h = (h * 0x5BD1E995 & MASK) ^ k
    tail = data[length & ~3:]
    if tail:
        h = (h ^ int.from_bytes(tail, 'little')) * 0x5BD1E995 & MASK
    h = (h ^ h >> 13) * 0x5BD1E995 & MASK
    return h ^ h >> 15


_known = {}


def partition_of(key, count):
    found = _known.get((key, count))
    if found is None:
        found = _known[key, count] = (murmur2(key) & 0x7FFFFFFF) % count
    return found
