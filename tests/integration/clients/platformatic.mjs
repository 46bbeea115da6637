// @platformatic/kafka, as producer/docs/write-a-service.md says to set it:
//
//   platformatic.mjs publish [default]    publishes requests from standard input, a JSON object per line; by its own partitioner
//   platformatic.mjs follow OFFSET        reads partition 0 of the answers from there, and prints their seqs

import { createInterface } from 'node:readline'
import { Consumer, Producer, compatibilityPartitioner, stringDeserializers, stringSerializers } from '@platformatic/kafka'

const [command, argument] = process.argv.slice(2)
const prefix = process.env.USHER_TOPIC_PREFIX
const settings = { clientId: 'clients', bootstrapBrokers: process.env.USHER_KAFKA_BROKERS.split(','), retries: 3 }

async function publish() {
  const partitioner = argument === 'default' ? {} : { partitioner: compatibilityPartitioner }
  const producer = new Producer({ ...settings, serializers: stringSerializers, idempotent: true, ...partitioner })
  for await (const value of createInterface({ input: process.stdin })) {
    await producer.send({ messages: [{ topic: `${prefix}.requests.v1`, key: JSON.parse(value).resource, value }] })
  }
  await producer.close()
}

async function follow() {
  const topic = `${prefix}.results.v1`
  const consumer = new Consumer({ ...settings, groupId: `clients-${process.pid}`, deserializers: stringDeserializers })
  const stream = await consumer.consume({
    topics: [topic], autocommit: false, mode: 'manual', fallbackMode: 'fail',
    offsets: [{ topic, partition: 0, offset: BigInt(argument) }]
  })
  for await (const { value } of stream) console.log(JSON.parse(value).seq)
}

await { publish, follow }[command]()
