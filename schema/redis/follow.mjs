// Follows one resource in Redis, as the README beside it says. With the package `redis` (5 or 4):
//     node follow.mjs redis://localhost:6379 show:hamlet [PREFIX]
import { setTimeout } from 'node:timers/promises';
import { createClient } from 'redis';

const COUNTS = ['free', 'held', 'sold', 'blocked', 'waiting'];

// Without a listener of `error`, a connection that is lost ends the whole process. The client makes a new one by itself.
const complain = (client) => client.on('error', (error) => console.error(`Redis: ${error.message}`));

export class Follower {
    constructor(client, resource, prefix = 'usher') {
        Object.assign(this, { client, prefix, key: `${prefix}:{${resource}}` });
        this.layouts = new Map([['', { sections: [] }]]);
        this.work = Promise.resolve(); // messages are taken one after the other
    }

    async start(changed) {
        const next = (step) => { this.work = this.work.then(step).then(() => changed(this)); };
        const listener = complain(this.client.duplicate());
        await listener.connect();
        await listener.subscribe(`${this.key}:changes`, (text) => next(() => this.take(JSON.parse(text))));
        listener.on('ready', () => next(() => this.read())); // subscribed again: what came meanwhile was missed
        next(() => this.read());
    }

    async read() {
        for (;;) {
            try {
                if (await this.readOnce()) return;
            } catch (error) {
                if (!this.client.isOpen) throw error;
                console.error(`could not read ${this.key}: ${error.message}`);
                await setTimeout(1000); // the connection comes back by itself
            }
        }
    }

    // Reads everything at one moment; the layout, which never changes, only where it is a new one. Whether it was all
    // there: else the rows were changed meanwhile.
    async readOnce() {
        const [hash, seats, pools, catalogue] = await this.client.multi()
            .hGetAll(this.key).get(`${this.key}:seats`).hGetAll(`${this.key}:pools`)
            .get(`${this.key}:catalogue`).exec();
        Object.assign(this, { hash, seats: seats ?? '', pools, catalogue: JSON.parse(catalogue ?? '{}') });
        this.epoch = Number(hash.epoch ?? 0);
        this.rev = Number(hash.rev ?? 0);
        const name = hash.layout ?? '';
        if (!this.layouts.has(name)) {
            const text = await this.client.get(`${this.prefix}:layout:${name}`);
            if (text === null) return false;
            this.layouts.set(name, JSON.parse(text));
        }
        this.layout = this.layouts.get(name);
        return true;
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
    const client = complain(createClient({ url: process.argv[2] }));
    await client.connect();
    await new Follower(client, ...process.argv.slice(3)).start(({ epoch, rev, hash }) => {
        console.log(epoch, rev, COUNTS.map((count) => `${count} ${hash[count]}`).join(', '));
    });
}
