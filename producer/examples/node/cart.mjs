// Sells carts over several resources, all or nothing. Why nothing is sold in half, whatever crashes, is explained in
// producer/docs/sell-across-resources.md.
//
//   node cart.mjs     first ends the carts that an earlier life of it left, then reads carts, one JSON object per line, and
//                     prints what became of each: sold, not sold, refused; mixed, if the house intervened
//
//   {"cart": "basket-7", "customer": "c1", "lines": [
//       {"resource": "show:hamlet", "items": [{"seats": ["A-1", "A-2"]}], "ttl_s": 600},
//       {"resource": "hotel:grand", "booking": "web-1", "ttl_s": 600}]}
//
// A line with items is taken by a hold, one with a booking is held already and extended. Reads what service.mjs reads;
// DATABASE, a PostgreSQL URI, for its journal; SELLER, its name: the same after a restart, and no other live process's.

import { Partitioners } from 'kafkajs'
import pg from 'pg'
import { Desk, REQUESTS, connectTo, fail, forEachLine, orFail, placeOf } from './service.mjs'

const MARGIN_MS = 2000 // by which the clocks of Kafka's brokers and of PostgreSQL may differ
const EPOCH_MS = 1000
const TRIES = 2
const ID = /^[A-Za-z0-9_.:-]{1,40}$/ // the ids of its requests begin with it

// ---- the transaction: all confirms or none ----

// Publishes confirms in one transaction. Its name is the lock of its carts: a new life with the same name ends what an
// earlier one left open, and whatever that still sends is refused.
class Seller {
  #name
  #producer
  #doubted = false

  constructor(name) {
    this.#name = name
  }

  // A new epoch: the transaction that may be open is ended, requests that are still on their way are refused.
  async fence() {
    const former = this.#producer
    this.#producer = undefined
    await former?.disconnect()
    const producer = connectTo({ doubt: () => { this.#doubted = true } }).producer({
      transactionalId: `carts-${this.#name}`, transactionTimeout: 3000, createPartitioner: Partitioners.DefaultPartitioner
    })
    await producer.connect()
    await (await producer.transaction()).abort() // begins the epoch, and sends nothing else
    this.#doubted = false
    this.#producer = producer
  }

  // An epoch without a doubt: a late commit of the one before would end the next transaction in its middle.
  async ready() {
    if (!this.#producer || this.#doubted) await this.fence()
  }

  // True: all are in Kafka, each appended in time before the first hold's end. False: none. An error: all or none.
  async publish(confirms, end) {
    const producer = this.#producer
    const began = performance.now()
    this.#producer = undefined
    const transaction = await producer.transaction()
    // Once they are acknowledged every time of append is known: the look comes after the last acknowledgement.
    const sent = await transaction.send({
      topic: REQUESTS,
      messages: confirms.map(confirm => ({ key: confirm.resource, value: JSON.stringify(confirm) }))
    })
    const late = sent.some(({ logAppendTime }) => Number(logAppendTime) < 0 || Number(logAppendTime) + MARGIN_MS >= end)
    await (late ? transaction.abort() : transaction.commit())
    if (performance.now() - began < EPOCH_MS) this.#producer = producer
    else await producer.disconnect()
    return !late
  }
}

// ---- the journal: a restart repeats, with the same ids ----

const SCHEMA = `
  create table if not exists cart
    (id text primary key, seller text not null, content text not null, state text not null)`
const NOTE = "insert into cart values ($1, $2, $3, 'open') on conflict do nothing"
const MOVE = 'update cart set state = $1 where id = $2 and state = any($3)'
const UNFINISHED = ['open', 'selling', 'settling']
const BEFORE = { selling: ['open', 'selling'] } // of any other state: all that are unfinished

class Journal {
  #seller
  #database

  static async open(seller) {
    const journal = new Journal()
    journal.#seller = seller
    journal.#database = new pg.Client(process.env.DATABASE)
    journal.#database.on('error', fail)
    await journal.#database.connect()
    await journal.#database.query(SCHEMA)
    return journal
  }

  // The cart as it was first noted, and its state. Its seller's name is noted with it: only that one ends it.
  async note(cart) {
    await this.#database.query(NOTE, [cart.cart, this.#seller, JSON.stringify(cart)])
    const { rows } = await this.#database.query('select seller, content, state from cart where id = $1', [cart.cart])
    const [{ seller, content, state }] = rows
    if (seller !== this.#seller) throw new Error(`${cart.cart} is the cart of the seller ${seller}`)
    return { noted: JSON.parse(content), state }
  }

  // False: another life of this seller was quicker, and the cart is being settled, or has ended.
  async move(cart, state) {
    return (await this.#database.query(MOVE, [state, cart.cart, BEFORE[state] ?? UNFINISHED])).rowCount === 1
  }

  async unfinished() {
    const { rows } = await this.#database.query(
      'select content from cart where seller = $1 and state = any($2)', [this.#seller, UNFINISHED])
    return rows.map(({ content }) => JSON.parse(content))
  }
}

// ---- requests: every id comes from the cart's ----

function request(cart, op, number, attempt, fields) {
  const again = attempt === 1 ? '' : `.${attempt}`
  return {
    request_id: `${cart.cart}.${op[0]}${number + 1}${again}`, op, customer: cart.customer,
    resource: cart.lines[number].resource, ...fields
  }
}

function taking(cart, number, attempt) {
  const line = cart.lines[number]
  if ('booking' in line) return request(cart, 'extend', number, 1, line)
  return request(cart, 'hold', number, attempt, { cart: cart.cart, ...line })
}

const releasing = (cart, number, attempt, booking) => request(cart, 'release', number, attempt, { booking })

// Before it is noted, for a noted cart is begun again at each start. An error: it is no cart.
function check(cart) {
  if (typeof cart.cart !== 'string' || !ID.test(cart.cart)) {
    throw new TypeError(`${cart.cart} is no id of a cart: these are 1 to 40 of A-Z a-z 0-9 _ . : -`)
  }
  if (!cart.lines.length) throw new TypeError(`${cart.cart} has no lines`)
  cart.lines.forEach((_line, number) => placeOf(taking(cart, number, 1)))
}

const isTaken = answer => ['held', 'extended'].includes(answer.outcome)

// The turn of your payment provider. The cart's id is the idempotency key: a restart does not pay twice.
const pay = cart => `payment-of-${cart.cart}`

// ---- a cart, from its first hold to its end ----

class Till {
  static async open(name) {
    const till = new Till()
    till.journal = await Journal.open(name)
    till.seller = new Seller(name)
    till.desk = await Desk.open()
    return till
  }

  // The carts of an earlier life. What it left open is ended first: until then all requests wait, these too.
  async left() {
    const carts = await this.journal.unfinished()
    if (carts.length) await this.seller.fence()
    return carts
  }

  #ask(requests) {
    return Promise.all(requests.map(async one => JSON.parse(await this.desk.ask(JSON.stringify(one)))))
  }

  // What became of it, and the answers that say so. Told again, and after any crash, it comes to the same end.
  async end(told) {
    check(told)
    const { noted: cart, state } = await this.journal.note(told)
    if (!UNFINISHED.includes(state)) return this.#ended(cart, state, [])
    const { taken, attempt, refused } = await this.#take(cart)
    if (refused.length) return this.#ended(cart, 'refused', refused)
    const end = Math.min(...taken.map(answer => Date.parse(answer.expires_at)))
    let answers
    if (state !== 'settling' && Date.now() + MARGIN_MS < end) answers = await this.#sell(cart, taken, end)
    answers ??= await this.#settle(cart, taken, attempt)
    const sold = answers.filter(answer => answer.reason === 'already_confirmed' || answer.outcome === 'confirmed').length
    return this.#ended(cart, sold > 0 && sold < answers.length ? 'mixed' : sold ? 'sold' : 'not sold', answers)
  }

  async #ended(cart, state, answers) {
    await this.journal.move(cart, state)
    return { cart: cart.cart, state, answers }
  }

  // All lines or none: what each was answered, in which attempt, and the refusals.
  async #take(cart) {
    const numbers = [...cart.lines.keys()]
    const answers = await this.#ask(numbers.map(number => taking(cart, number, 1)))
    const refused = answers.filter(answer => !isTaken(answer))
    if (!refused.length) return { taken: answers, attempt: 1, refused }
    await this.#giveBack(cart, numbers.filter(number => isTaken(answers[number])), 1)
    return refused.every(answer => answer.retryable) ? this.#takeInTurn(cart, answers) : { refused }
  }

  // Two carts may have taken the last units from each other. Line by line, in an order that all keep, one wins.
  async #takeInTurn(cart, former) {
    const order = number => [former[number].source.partition, cart.lines[number].resource, number]
    const taken = []
    for (const number of [...cart.lines.keys()].sort((a, b) => compare(order(a), order(b)))) {
      const [answer] = await this.#ask([taking(cart, number, 2)])
      if (!isTaken(answer)) {
        await this.#giveBack(cart, Object.keys(taken).map(Number), 2)
        const refused = former.map((one, at) => (at === number ? answer : one))
        return { refused: refused.filter(one => !isTaken(one)) }
      }
      taken[number] = answer
    }
    return { taken, attempt: 2, refused: [] }
  }

  // What it took itself: a booking that was held before stays.
  #giveBack(cart, numbers, attempt) {
    return this.#ask(numbers.filter(number => 'items' in cart.lines[number])
      .map(number => releasing(cart, number, attempt, taking(cart, number, attempt).request_id)))
  }

  // The answers to the confirms; undefined: not sold in time, or nobody knows.
  async #sell(cart, taken, end) {
    const payment = pay(cart)
    const confirms = taken.map(({ booking }, number) => request(cart, 'confirm', number, 1, { booking, payment }))
    for (let attempt = 0; attempt < TRIES; attempt++) {
      try {
        await this.seller.ready()
      } catch (error) {
        console.error(`${cart.cart}: no new epoch: ${error.message}`)
        continue
      }
      // After the new epoch, before the first confirm: if another life settles the cart, one of the two sees it.
      if (!await this.journal.move(cart, 'selling')) return undefined
      let inTime
      try {
        inTime = await this.seller.publish(confirms, end)
      } catch (error) {
        console.error(`${cart.cart}: unknown whether it is sold: ${error.message}`)
        continue
      }
      return inTime ? this.#ask(confirms) : undefined // each is in Kafka for good: a repeat brings its answer
    }
    return undefined
  }

  // Nothing can be sold behind a new epoch and a release. A release leaves what was sold: already_confirmed.
  async #settle(cart, taken, attempt) {
    await this.journal.move(cart, 'settling')
    await this.seller.fence()
    return this.#ask(taken.map(({ booking }, number) => releasing(cart, number, attempt, booking)))
  }
}

function compare(a, b) {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : a[at] < b[at] ? -1 : 1
}

await orFail(async () => {
  const till = await Till.open(process.env.SELLER)
  for (const cart of await till.left()) console.log(JSON.stringify(await till.end(cart)))
  await forEachLine(async line => console.log(JSON.stringify(await till.end(JSON.parse(line)))))
})()
