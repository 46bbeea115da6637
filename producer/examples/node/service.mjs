// A service that sells through usher, complete. Needs what package.json names. What it does and why is explained in
// producer/docs/write-a-service.md.
//
//   node service.mjs ask        reads requests, one JSON object per line, and prints their answers
//   node service.mjs follow     writes each customer's letters into its own database, for each answer exactly once
//
// Reads USHER_KAFKA_BROKERS and USHER_TOPIC_PREFIX as all of usher does; DATABASE, a PostgreSQL URI; ANSWER_TIMEOUT in
// seconds and ANSWER_TRIES.

import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Kafka, Partitioners, logLevel } from 'kafkajs'
import pg from 'pg'

const env = process.env
export const BROKERS = (env.USHER_KAFKA_BROKERS ?? 'localhost:9092').split(',')
export const PREFIX = env.USHER_TOPIC_PREFIX ?? 'booking'
export const REQUESTS = `${PREFIX}.requests.v1`
const RESULTS = `${PREFIX}.results.v1`
const TIMEOUT_MS = Number(env.ANSWER_TIMEOUT ?? 5) * 1000
const TRIES = Number(env.ANSWER_TRIES ?? 5)
const ID = /^[A-Za-z0-9_.:-]{1,64}$/
const SOURCES_KEPT = 10_000

// A refused connection is tried again. `doubt` is called at each error that the client logs.
export function connectTo({ doubt = () => {}, ...settings } = {}) {
  const logCreator = () => ({ log }) => {
    console.error(`kafkajs: ${log.message}${log.error ? `: ${log.error}` : ''}`)
    doubt()
  }
  return new Kafka({ brokers: BROKERS, clientId: 'usher-service', logLevel: logLevel.ERROR, logCreator, ...settings })
}

// Who hears no answers is of no use: to be started again. Everything that counts is stored.
export function fail(error) {
  console.error(error)
  process.exit(1)
}

// Ends the program unless it is done.
export const orFail = work => async (...values) => {
  try {
    return await work(...values)
  } catch (error) {
    fail(error)
  }
}

// For each partition of the answers: the offset at which its log begins, and its end.
async function ranges(admin) {
  const listed = await admin.fetchTopicOffsets(RESULTS)
  return new Map(listed.map(({ partition, low, high }) => [partition, { first: Number(low), end: Number(high) }]))
}

// Reads all partitions, each from the offset that `next` has, which goes on with what is read. KafkaJS has no `assign`:
// each instance is a group of its own, and whenever it has joined, also after a break, it seeks. What comes before it did,
// or where KafkaJS jumps to by itself, is for `take` to notice.
async function read(kafka, next, take) {
  const consumer = kafka.consumer({ groupId: `${PREFIX}.reader.${randomUUID()}` })
  consumer.on(consumer.events.GROUP_JOIN, () => {
    for (const [partition, offset] of next) consumer.seek({ topic: RESULTS, partition, offset: String(offset) })
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || fail(payload.error))
  await consumer.connect()
  await consumer.subscribe({ topic: RESULTS, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachBatch: orFail(async ({ batch }) => {
      await take(batch.partition, batch.messages)
      next.set(batch.partition, Number(batch.lastOffset()) + 1)
    })
  })
}

// ---- asking: publish a request, find its answer ----

// Where its answer is found. An id that usher cannot read would come back as null, and nobody would find the answer.
export function placeOf({ resource, request_id }) {
  for (const [name, id] of Object.entries({ resource, request_id })) {
    if (typeof id !== 'string' || !ID.test(id)) throw new TypeError(`${name}: must be 1 to 64 of A-Z a-z 0-9 _ . : -`)
  }
  return `${resource} ${request_id}`
}

// Any number may ask at once. An answer is found by resource and request id: ids belong to their resource. Of what usher
// cannot read (half an emoji, a number of 400 digits) the answer may lack them: one that is invalid is found by its source,
// the partition and offset that the acknowledgement of the request named.
export class Desk {
  #waiting = new Map() // by resource and request id: who asked first is answered first
  #sources = new Map() // by partition and offset: the answer that is invalid, or who waits for it
  #producer

  static async open() {
    const desk = new Desk()
    const kafka = connectTo()
    desk.#producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner })
    const admin = kafka.admin()
    await Promise.all([admin.connect(), desk.#producer.connect()])
    // From the ends as they are before anything is sent: the answers come after them.
    const next = new Map([...(await ranges(admin))].map(([partition, { end }]) => [partition, end]))
    await admin.disconnect()
    const ends = new Map(next)
    await read(kafka, next, (partition, messages) => messages
      .filter(message => Number(message.offset) >= ends.get(partition))
      .forEach(message => desk.#handOver(message.value.toString())))
    return desk
  }

  // The answer to a request, as text. Without one in time the request is repeated with its id: whatever became of the first
  // try, it has one effect. SyntaxError, TypeError: it is no request, and nothing is published.
  async ask(text) {
    const request = JSON.parse(text)
    const place = placeOf(request)
    const asked = this.#join(place)
    try {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        this.#publish(request.resource, text, asked)
        const answer = await Promise.race([asked.answer, after(TIMEOUT_MS)])
        if (answer) return answer
        console.error(`no answer to ${place} within ${TIMEOUT_MS} ms: repeating it`)
      }
      throw new Error(`no answer to ${place}: it may still be decided; ask again with the same id`)
    } finally {
      this.#leave(place, asked)
    }
  }

  async #publish(resource, text, asked) {
    try { // as it came: a number that JavaScript would round is as it was
      const [sent] = await this.#producer.send({ topic: REQUESTS, messages: [{ key: resource, value: text }] })
      this.#meet(`${sent.partition} ${sent.baseOffset}`, { asked })
    } catch (error) {
      console.error(`could not publish: ${error.message}`) // unknown whether it is there: it is repeated
    }
  }

  #join(place) {
    const asked = {}
    asked.answer = new Promise(resolve => { asked.settle = resolve })
    this.#waiting.set(place, [...this.#waiting.get(place) ?? [], asked])
    return asked
  }

  #leave(place, asked) {
    const others = (this.#waiting.get(place) ?? []).filter(one => one !== asked) // they wait on
    if (others.length) this.#waiting.set(place, others)
    else this.#waiting.delete(place)
  }

  #handOver(text) {
    const answer = JSON.parse(text)
    if (answer.unasked) return // these bear the id of the request that made the booking
    if (answer.outcome === 'invalid') {
      this.#meet(`${answer.source.partition} ${answer.source.offset}`, { text })
      return
    }
    const place = `${answer.resource} ${answer.request_id}`
    const [first] = this.#waiting.get(place) ?? []
    if (first) {
      this.#leave(place, first)
      first.settle(text)
    }
  }

  // Of an invalid answer and who asked for it, either may come first.
  #meet(source, half) {
    const { asked, text } = { ...this.#sources.get(source), ...half }
    this.#sources.set(source, { asked, text })
    if (asked && text) asked.settle(text)
    if (this.#sources.size > SOURCES_KEPT) this.#sources.delete(this.#sources.keys().next().value)
  }
}

const after = ms => new Promise(resolve => setTimeout(resolve, ms).unref())

// The first that is wrong ends it, and is named.
export async function forEachLine(work) {
  let number = 0
  for await (const line of createInterface({ input: process.stdin })) {
    number++
    try {
      await work(line)
    } catch (error) {
      console.error(`in line ${number}: ${error.stack}`)
      process.exit(1)
    }
  }
  process.exit(0)
}

async function ask() {
  const desk = await Desk.open()
  await forEachLine(async line => console.log(await desk.ask(line)))
}

// ---- following: every answer once, whatever crashes ----

const SCHEMA = `
  create table if not exists followed (partition int primary key, seq bigint not null, next_offset bigint not null);
  create table if not exists letter (id bigserial, customer text not null, words text not null)`

// Touches a row if the answer is the next of its partition, or the first ever. Locks it, too: of two instances that have
// the same answer, one is the first.
const ACCEPT = `
  insert into followed values ($1, $2, $3 + 1)
  on conflict (partition) do update set seq = excluded.seq, next_offset = excluded.next_offset
  where followed.seq = excluded.seq - 1`

// Where a cart was confirmed or cancelled, its units name the bookings that they are of.
function bookings({ booking, units, returned }) {
  return booking ? [booking] : [...new Set((units ?? returned ?? []).flatMap(group => group.booking ?? []))]
}

// What the customer is told of one booking; undefined: nothing. A repeated answer was told before.
function words({ outcome, unasked, replayed, resource, expires_at }, booking) {
  const name = `${booking} of ${resource}`
  if (outcome === 'held' && unasked) return `Your turn: ${name} is held for you until ${expires_at}.`
  return replayed ? undefined : {
    confirmed: `Your booking ${name} is yours.`,
    expired: `Your seats ${name} were not paid in time.`,
    cancelled: `Your booking ${name} is cancelled.`
  }[outcome]
}

class Follower {
  #database
  #admin
  #searched = new Map() // by partition where a seq was too high: the end of its log, as it was when that was first seen

  static async start() {
    const follower = new Follower()
    follower.#database = new pg.Client(env.DATABASE)
    follower.#database.on('error', fail)
    await follower.#database.connect()
    await follower.#database.query(SCHEMA)
    const kafka = connectTo()
    follower.#admin = kafka.admin()
    await follower.#admin.connect()
    await read(kafka, await follower.#resume(), (...batch) => follower.#takeAll(...batch))
  }

  // Where each partition goes on: behind what is stored, else at the first answer that is kept.
  async #resume() {
    const known = await ranges(this.#admin)
    const next = new Map([...known].map(([partition, { first }]) => [partition, first]))
    const { rows } = await this.#database.query('select partition, next_offset from followed')
    for (const { partition, next_offset } of rows) {
      const { first } = known.get(partition)
      if (Number(next_offset) < first) {
        throw new Error(`partition ${partition} goes on at offset ${next_offset}, but its log begins at ${first}: ` +
          'retention deleted answers, which the view usher.history has')
      }
      next.set(partition, Number(next_offset))
    }
    return next
  }

  // One transaction has the letters and how far they go: both are there, or neither.
  async #takeAll(partition, messages) {
    let missing
    await this.#database.query('begin')
    for (const message of messages) {
      missing = await this.#take(partition, Number(message.offset), JSON.parse(message.value))
      if (missing) break
    }
    await this.#database.query('commit')
    if (missing) throw new Error(missing)
  }

  async #take(partition, offset, answer) {
    const { rowCount } = await this.#database.query(ACCEPT, [partition, answer.seq, offset])
    if (rowCount === 0) return this.#refused(partition, offset, answer.seq)
    this.#searched.delete(partition)
    for (const booking of bookings(answer)) {
      const text = words(answer, booking)
      if (text) await this.#database.query('insert into letter (customer, words) values ($1, $2)', [answer.customer, text])
    }
  }

  // A low seq was accepted. A high one: those before it follow in the log. If they do not, what is missing.
  async #refused(partition, offset, seq) {
    const { rows } = await this.#database.query('select seq from followed where partition = $1', [partition])
    const last = Number(rows[0].seq)
    if (seq <= last) return
    if (!this.#searched.has(partition)) this.#searched.set(partition, (await ranges(this.#admin)).get(partition).end)
    if (offset + 1 >= this.#searched.get(partition)) {
      return `seq ${last + 1} of partition ${partition} is not in the log up to offset ${offset}, where seq ${seq} is: ` +
        'the view usher.history has what is missing'
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const commands = { ask, follow: Follower.start }
  await orFail(commands[process.argv[2]])()
}
