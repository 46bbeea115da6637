// @ts-check
/** One resource as of a moment: what is free, held, sold and blocked, in all, by pool and by seat. Changes apply by the
 * rules of schema/redis/README.md. Knows nothing of pages. */

const CHANGES_MAX = 40000; // kept by the browser; the server may have more
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

/** The log of a resource: the past, moment by moment. */
export class Past {
  /** @param {[number, any][]} changes the first one says all */
  constructor(changes) {
    this.changes = changes;
    /** @type {{from_ms: number, picture: Picture}|undefined} */
    this.first = undefined;
  }

  /** @param {number} at_ms @param {any} change */
  add(at_ms, change) {
    const last = this.changes[this.changes.length - 1];
    if (change.from !== 0 || !last || last[1].rev !== change.rev)
      this.changes.push([at_ms, change]);
    if (this.changes.length > CHANGES_MAX)
      this.forget(CHANGES_MAX / 2);
  }

  /** Puts what was before those that came meanwhile. @param {[number, any][]} changes */
  begin(changes) {
    const [, last] = changes[changes.length - 1];
    this.changes = [...changes, ...this.changes.filter(([, {epoch, rev}]) => epoch > last.epoch || (epoch === last.epoch && rev > last.rev))];
  }

  /** Replaces the oldest changes by one that says all. @param {number} some */
  forget(some) {
    const made = new Picture({}, null), gone = this.changes.slice(0, some), [at_ms, last] = gone[some - 1];
    for (const [, change] of gone)
      made.apply(change);
    this.changes = [[at_ms, {...last, from: 0, seats: [[0, made.seats]], pools: Object.fromEntries(made.pools)}], ...this.changes.slice(some)];
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
