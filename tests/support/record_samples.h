/*
 * A partition with two resources and bookings of all kinds, put into the database by SQL: for tests
 * of what is read back.
 */
#ifndef TESTS_RECORD_SAMPLES_H
#define TESTS_RECORD_SAMPLES_H

#include "record_fixture.h"

#define SAMPLE_NO(seq) row_number(FIXTURE_PARTITION, seq)

/* Runs SQL as the administrator. */
void sample_sql(void **state, const char *sql);

/* The show in partition 1, another resource of its own there, and one in partition 2. */
struct record_port *sample_record(void **state);

/* A booking as the tests need it. Of the pools only the show's first has numbers. */
struct sample {
    int partition, seq, resource; /* numbers of bookings and resources by seq */
    const char *state, *customer, *cart;
    int ends; /* minutes; 0: never */
    int pool, first, units;
};

/* The first decision about the request id of that seq; `booking` 0: it made none. */
void sample_add_first(void **state, int partition, int seq, int resource, int booking);

void sample_add(void **state, const struct sample *sample);

#define ADD_SAMPLES(state, samples)                                  \
    for (size_t i = 0; i < sizeof(samples) / sizeof *(samples); i++) \
    sample_add(state, &(samples)[i])

void sample_assert_numbers(const struct booking_row *rows, uint32_t count, const int *seqs,
                           uint32_t expected);

#define ASSERT_SAMPLES(rows, count, ...)                           \
    sample_assert_numbers(rows, count, (const int[]){__VA_ARGS__}, \
                          sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

#endif
