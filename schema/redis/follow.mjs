// Follows one resource in Redis, as the README beside it says. With the package `redis` (5 or 4):
//     node follow.mjs redis://localhost:6379 show:hamlet
import { createClient } from 'redis';

const COUNTS = ['free', 'held', 'sold', 'blocked', 'waiting'];

export class Follower {
    constructor(client, resource, prefix = 'usher') {
        Object.assign(this, { client, prefix, key: `${prefix}:{${resource}}` });
        this.layouts = new Map([['', { sections: [] }]]);
        this.work = Promise.resolve(); // messages are taken one after the other
    }

    async start(changed) {
        const listener = this.client.duplicate();
        await listener.connect();
        await listener.subscribe(`${this.key}:changes`, (text) => {
            this.work = this.work.then(() => this.take(JSON.parse(text))).then(() => changed(this));
        });
        this.work = this.work.then(() => this.read()).then(() => changed(this));
    }

    // Reads everything at one moment; the layout, which never changes, only where it is a new one.
    async read() {
        for (;;) {
            const [hash, seats, pools, catalogue] = await this.client.multi()
                .hGetAll(this.key).get(`${this.key}:seats`).hGetAll(`${this.key}:pools`)
                .get(`${this.key}:catalogue`).exec();
            Object.assign(this, { hash, seats: seats ?? '', pools, catalogue: JSON.parse(catalogue ?? '{}') });
            this.epoch = Number(hash.epoch ?? 0);
            this.rev = Number(hash.rev ?? 0);
            const name = hash.layout ?? '';
            if (!this.layouts.has(name)) {
                const text = await this.client.get(`${this.prefix}:layout:${name}`);
                if (text === null) continue; // the rows were changed meanwhile: read again
                this.layouts.set(name, JSON.parse(text));
            }
            this.layout = this.layouts.get(name);
            return;
        }
    }

    async take(change) {
        const older = change.epoch < this.epoch || (change.epoch === this.epoch && change.rev < this.rev);
        if (change.from !== 0 && older) return;
        if (change.reload || change.epoch !== this.epoch || change.from > this.rev
            || String(change.catalogue_rev) !== this.hash.catalogue_rev) {
            await this.read();
            return;
        }
        this.rev = change.rev;
        for (const field of ['rev', 'state', ...COUNTS]) this.hash[field] = String(change[field]);
        for (const [at, text] of change.seats ?? []) {
            this.seats = this.seats.slice(0, at) + text + this.seats.slice(at + text.length);
        }
        Object.assign(this.pools, change.pools);
    }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
    const client = createClient({ url: process.argv[2] });
    await client.connect();
    await new Follower(client, process.argv[3]).start(({ epoch, rev, hash }) => {
        console.log(epoch, rev, COUNTS.map((count) => `${count} ${hash[count]}`).join(', '));
    });
}
