/*
 * Who is to do something when: a heap by time, then by number.
 */
#ifndef AGENDA_H
#define AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agenda_entry {
    int64_t due_us;
    uint32_t who;
};

/* Zero-initialise to make an empty one. */
struct agenda {
    struct agenda_entry *entries;
    size_t count, capacity;
};

void agenda_add(struct agenda *agenda, int64_t due_us, uint32_t who);

/* When the first is due; INT64_MAX if nothing is due. */
int64_t agenda_next_us(const struct agenda *agenda);

/* Takes the first away if it is due. */
bool agenda_take(struct agenda *agenda, int64_t now_us, uint32_t *who);

void agenda_deinit(struct agenda *agenda);

#endif
