// @ts-check
/** Who decides for each partition, and how far behind: for operators. */
import {ago, count, el} from './words.js';
import {follow, get, now} from './store.js';

const PACE_MS = 10000;

/** @param {import('./main.js').Frame} frame */
export function partitions(frame) {
  const body = el('tbody'), number = {className: 'number'}, rest = {className: 'number rest'};
  /** @type {Map<number, {at: number, offset: number}[]>} of the last seconds */
  const read_before = new Map();
  frame.title('Partitions');
  frame.main.append(el('div', {className: 'summary'}, el('h1', {}, 'Partitions')), el('div', {className: 'card'}, el('table', {className: 'table partitions'},
    el('thead', {}, el('tr', {}, el('th', {}, 'Partition'), el('th', {}, 'Owner'), el('th', rest, 'Epoch'), el('th', rest, 'Next offset'), el('th', rest, 'Requests a second'), el('th', number, 'Waiting'), el('th', number, 'Last decided'))), body)));

  /** @param {any} row */
  function pace(row) {
    const at = now(), readings = [...read_before.get(row.partition) ?? [], {at, offset: row.offset}].filter(one => at - one.at <= PACE_MS);
    read_before.set(row.partition, readings);
    return Math.max(0, Math.round(1000 * (row.offset - readings[0].offset) / Math.max(1, at - readings[0].at)));
  }

  async function read() {
    try {
      const {partitions: rows} = await get('api/partitions');
      body.replaceChildren(...rows.map((/** @type {any} */ row) => row.worker === undefined
        ? el('tr', {className: 'dead'}, el('td', {}, String(row.partition)), el('td', {colSpan: 6}, '✕ nobody decides for it: no heartbeat for 15 s'))
        : el('tr', {}, el('td', {}, String(row.partition)), el('td', {className: 'name'}, row.worker), el('td', rest, count(row.epoch)), el('td', rest, count(row.offset)), el('td', rest, count(pace(row))), el('td', number, count(row.lag)),
          el('td', number, row.last_decided_ms ? ago(now() - row.last_decided_ms) : 'never'))));
    } catch (error) {
      body.replaceChildren(el('tr', {}, el('td', {colSpan: 7}, /** @type {any} */ (error).status === 404 ? 'This dashboard is public: it says nothing of partitions.' : 'The dashboard does not answer.')));
    }
  }
  return follow('api/changes', {
    status: heard => {
      frame.live(heard?.redis ? 'live' : 'stale', heard?.redis ? 'live' : heard ? 'stale: Redis is away' : 'stale: not connected');
      if (heard)
        read();
    },
  });
}
