// @ts-check
/** One resource as of a moment: what is free, held, sold and blocked, in all, by pool and by seat. Changes apply by the
 * rules of schema/redis/README.md. Knows nothing of pages. */

const MOMENTS_MAX = 8000, SIZE_MAX = 16 << 20; // of what a page remembers: how many changes, and about how many bytes
const COUNTS = ['free', 'held', 'sold', 'blocked', 'waiting'];

export class Picture {
  /** @param {any} fields as /api/resources/ID has them @param {any} layout of the seats; null: none */
  constructor(fields, layout) {
    this.fields = fields;
    this.layout = layout;
    this.seats = fields.seats ?? '';
    this.pools = new Map(Object.entries(fields.pools ?? {}));
  }

  /** The same, to be changed apart from this one. */
  copy() {
    const made = new Picture({...this.fields, seats: this.seats, pools: {}}, this.layout);
    made.pools = new Map(this.pools);
    return made;
  }

  /** Whether a change is old, applies, or is not enough: then the resource is to be read again.
   * @param {any} change @returns {'old'|'applies'|'read'} */
  judge(change) {
    const {epoch, rev, catalogue_rev} = this.fields;
    if (change.from !== 0 && (change.epoch < epoch || (change.epoch === epoch && change.rev < rev)))
      return 'old';
    return change.reload || change.epoch !== epoch || change.catalogue_rev !== catalogue_rev || change.from > rev ? 'read' : 'applies';
  }

  /** Applies a change; returns the indices of seats whose state is another one. @param {any} change @returns {number[]} */
  apply(change) {
    const touched = [];
    for (const name of [...COUNTS, 'epoch', 'rev', 'state'])
      this.fields[name] = change[name] ?? this.fields[name];
    for (const [at, text] of change.seats ?? []) {
      for (let index = 0; index < text.length; index++)
        if (this.seats[at + index] !== text[index])
          touched.push(at + index);
      this.seats = this.seats.slice(0, at) + text + this.seats.slice(at + text.length);
    }
    for (const [name, counts] of Object.entries(change.pools ?? {}))
      this.pools.set(name, counts);
    return touched;
  }

  /** Counts of a pool. @param {string} name */
  pool(name) {
    const [free, total, held, sold, blocked] = (this.pools.get(name) ?? '0/0/0/0/0').split('/').map(Number);
    return {free, total, held, sold, blocked};
  }

  counts() {
    const {free, total, held, sold, blocked, waiting} = this.fields;
    return {free, total, held, sold, blocked, waiting};
  }
}

/** About how many bytes a change takes. @param {any} change */
const sizeOf = ({seats = [], pools = {}}) =>
  seats.reduce((/** @type {number} */ sum, /** @type {[number, string]} */ [, text]) => sum + 40 + text.length, 300 + 100 * Object.keys(pools).length);

/** @param {[number, any][]} changes */
const sizeOfAll = changes => changes.reduce((sum, [, change]) => sum + sizeOf(change), 0);

/** Changes that follow each other, as one. @param {any[]} some */
function joined(some) {
  const all = some.slice(Math.max(0, some.findLastIndex(({from}) => from === 0))), states = new Map(), pools = {};
  for (const change of all) {
    for (const [at, text] of change.seats ?? [])
      for (let index = 0; index < text.length; index++)
        states.set(at + index, text[index]);
    Object.assign(pools, change.pools);
  }
  /** @type {[number, string[]][]} */
  const runs = [];
  for (const index of [...states.keys()].sort((one, other) => one - other)) {
    const last = runs[runs.length - 1];
    if (last && last[0] + last[1].length === index)
      last[1].push(states.get(index));
    else
      runs.push([index, [states.get(index)]]);
  }
  return {...Object.assign({}, ...all), from: all[0].from, seats: runs.map(([at, run]) => [at, run.join('')]), pools};
}

/** The log of a resource: the past, moment by moment, the moments being further apart the longer it is. */
export class Past {
  /** @param {[number, any][]} changes the first one says all */
  constructor(changes) {
    this.changes = changes;
    this.size = sizeOfAll(changes);
    this.most = SIZE_MAX;
    /** @type {{from_ms: number, picture: Picture}|undefined} */
    this.first = undefined;
  }

  /** @param {number} at_ms @param {any} change */
  add(at_ms, change) {
    const last = this.changes[this.changes.length - 1];
    if (change.from === 0 && last?.[1].rev === change.rev)
      return;
    this.changes.push([at_ms, change]);
    this.size += sizeOf(change);
    this.thin();
  }

  /** Puts what was before those that came meanwhile. @param {[number, any][]} changes */
  begin(changes) {
    const [, last] = changes[changes.length - 1];
    this.changes = [...changes, ...this.changes.filter(([, {epoch, rev}]) => epoch > last.epoch || (epoch === last.epoch && rev > last.rev))];
    this.size = sizeOfAll(this.changes);
    this.thin();
  }

  /** Where there are too many: joins those that are close to each other, until there are half as many at most. */
  thin() {
    if (this.changes.length <= MOMENTS_MAX && this.size <= this.most)
      return;
    const from_ms = this.from_ms, span = this.changes[this.changes.length - 1][0] - from_ms + 1;
    for (let slots = MOMENTS_MAX / 2 - 1; slots >= 1 && (this.changes.length > MOMENTS_MAX / 2 || this.size > SIZE_MAX / 2); slots /= 2) {
      const slot = (/** @type {number} */ index) => Math.floor(slots * (this.changes[index][0] - from_ms) / span);
      const made = this.changes.slice(0, 1); // from which all others begin
      for (let begin = 1, end; begin < this.changes.length; begin = end) {
        for (end = begin + 1; end < this.changes.length && slot(end) === slot(begin);)
          end++;
        const some = this.changes.slice(begin, end);
        made.push(some.length === 1 ? some[0] : [some[some.length - 1][0], joined(some.map(([, change]) => change))]);
      }
      this.changes = made;
      this.size = sizeOfAll(made);
    }
    this.most = Math.max(SIZE_MAX, 2 * this.size); // a hall may be so large that a moment takes much
  }

  get from_ms() { return this.changes[0]?.[0] ?? 0; }

  /** The picture as it was. @param {Picture} now @param {number} at_ms */
  at(now, at_ms) {
    const made = now.copy();
    let end = 0;
    while (end < this.changes.length && this.changes[end][0] <= at_ms)
      end++;
    let begin = Math.max(0, end - 1);
    while (begin > 0 && this.changes[begin][1].from !== 0)
      begin--;
    for (const [, change] of this.changes.slice(begin, Math.max(1, end)))
      made.apply(change);
    return made;
  }

  /** Counts at up to `most` moments, the last one of each. @param {number} most @param {number} until_ms */
  samples(most, until_ms) {
    const span = Math.max(1, until_ms - this.from_ms), found = [];
    let last = -1;
    for (const [at, {free, held, sold, blocked}] of this.changes) {
      const slot = Math.min(most - 1, Math.floor(most * (at - this.from_ms) / span));
      if (slot === last)
        found.pop();
      found.push({at, free, held, sold, blocked});
      last = slot;
    }
    return found;
  }

  /** Units of a pool sold per millisecond since the log begins. @param {Picture} now @param {string} pool @param {number} now_ms */
  pace(now, pool, now_ms) {
    if (this.first?.from_ms !== this.from_ms)
      this.first = {from_ms: this.from_ms, picture: this.at(now, this.from_ms)};
    return Math.max(0, now.pool(pool).sold - this.first.picture.pool(pool).sold) / Math.max(1, now_ms - this.from_ms);
  }
}
