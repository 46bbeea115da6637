// @ts-check
/** All that comes over the network: JSON, and streams of changes. Knows nothing of pages. */

/** @typedef {{redis: boolean, alive: Set<number>, now_ms: number}} Status */

const SILENT_MS = 6000; // the server speaks every second

/** How far the server's clock is ahead of this one. */
let ahead_ms = 0;
export const now = () => Date.now() + ahead_ms;

/** @param {string} path */
export async function get(path) {
  const answer = await fetch(path, {cache: path.startsWith('api/layouts') ? 'default' : 'no-store'});
  if (!answer.ok)
    throw Object.assign(new Error(await answer.text()), {status: answer.status});
  return answer.json();
}

/** Follows a stream, again and again, and says so when it is silent.
 * @param {string} path
 * @param {Object<string, (data: any) => void>} handlers of events; `status` gets a Status, or null where there is none */
export function follow(path, handlers) {
  /** @type {EventSource|undefined} */
  let source;
  let heard = 0, again = 0;
  const hear = (/** @type {(data: any) => void} */ handler) => (/** @type {MessageEvent} */ event) => {
    heard = performance.now();
    handler(JSON.parse(event.data));
  };
  const open = () => {
    source = new EventSource(path);
    for (const [name, handler] of Object.entries(handlers))
      if (name !== 'status')
        source.addEventListener(name, hear(handler));
    source.addEventListener('status', hear(status => {
      ahead_ms = status.now_ms - Date.now();
      handlers.status({...status, alive: new Set(status.alive)});
    }));
    source.onerror = () => {
      handlers.status(null);
      if (source?.readyState === EventSource.CLOSED && !again) // refused: it does not try again by itself
        again = window.setTimeout(() => { again = 0; open(); }, 3000);
    };
  };
  const watch = window.setInterval(() => {
    if (heard && performance.now() - heard > SILENT_MS)
      handlers.status(null);
  }, 1000);
  open();
  return () => {
    source?.close();
    window.clearInterval(watch);
    window.clearTimeout(again);
  };
}

/** @param {Status|null} status @param {number} partition */
export const isStale = (status, partition) => !status || !status.redis || !status.alive.has(partition);

/** Follows all resources. `changed` is called when rows changed.
 * @param {(rows: Map<string, any>) => void} changed @param {(status: Status|null) => void} heard */
export function followAll(changed, heard) {
  const rows = new Map();
  let closed = false;
  const read = async () => {
    try {
      const all = await get('api/resources');
      rows.clear();
      for (const row of all.resources)
        rows.set(row.resource, row);
      changed(rows);
    } catch {
      heard(null);
      if (!closed)
        window.setTimeout(read, 2000);
    }
  };
  const stop = follow('api/changes', {
    position: read,
    reload: read,
    rows: (/** @type {any[]} */ some) => {
      for (const row of some)
        rows.set(row.resource, row);
      changed(rows);
    },
    status: heard,
  });
  return () => { closed = true; stop(); };
}
