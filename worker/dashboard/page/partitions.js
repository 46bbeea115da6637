// @ts-check
/** Who decides for each partition, and how far behind: for operators. */
import {count, distance, el} from './words.js';
import {follow, get, now} from './store.js';

/** @param {import('./main.js').Frame} frame */
export function partitions(frame) {
  const body = el('tbody'), number = {className: 'number'}, rest = {className: 'number rest'};
  frame.title('Partitions');
  frame.main.append(el('div', {className: 'summary'}, el('h1', {}, 'Partitions')), el('div', {className: 'card'}, el('table', {className: 'table partitions'},
    el('thead', {}, el('tr', {}, el('th', {}, 'Partition'), el('th', {}, 'Owner'), el('th', rest, 'Epoch'), el('th', rest, 'Next offset'), el('th', number, 'Waiting requests'), el('th', number, 'Last decided'))), body)));

  async function read() {
    try {
      const {partitions: rows} = await get('api/partitions');
      body.replaceChildren(...rows.map((/** @type {any} */ row) => row.worker === undefined
        ? el('tr', {className: 'dead'}, el('td', {}, String(row.partition)), el('td', {colSpan: 5}, '✕ nobody decides for it: no heartbeat for 15 s'))
        : el('tr', {}, el('td', {}, String(row.partition)), el('td', {}, row.worker), el('td', rest, count(row.epoch)), el('td', rest, count(row.offset)), el('td', number, count(row.lag)),
          el('td', number, row.last_decided_ms ? `${distance(now() - row.last_decided_ms)} ago` : 'never'))));
    } catch (error) {
      body.replaceChildren(el('tr', {}, el('td', {colSpan: 6}, /** @type {any} */ (error).status === 404 ? 'This dashboard is public: it says nothing of partitions.' : 'The dashboard does not answer.')));
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
