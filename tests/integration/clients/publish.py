#!/usr/bin/env python3
"""Publishes requests from standard input, a JSON object per line, by a client that is set as producer/docs/write-a-service.md
says: publish.py kafka-python | aiokafka"""

import asyncio
import json
import os
import sys

BROKERS = os.environ['USHER_KAFKA_BROKERS']
TOPIC = f'{os.environ["USHER_TOPIC_PREFIX"]}.requests.v1'
RECORDS = [(json.loads(line)['resource'].encode(), line.encode()) for line in sys.stdin]


def by_kafka_python():
    import kafka
    producer = kafka.KafkaProducer(bootstrap_servers=BROKERS)
    for sent in [producer.send(TOPIC, key=key, value=value) for key, value in RECORDS]:
        sent.get(30)
    producer.close()


async def by_aiokafka():
    import aiokafka
    async with aiokafka.AIOKafkaProducer(bootstrap_servers=BROKERS, enable_idempotence=True) as producer:
        for sent in [await producer.send(TOPIC, key=key, value=value) for key, value in RECORDS]:
            await sent


if sys.argv[1] == 'aiokafka':
    asyncio.run(by_aiokafka())
else:
    by_kafka_python()
