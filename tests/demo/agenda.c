/* A binary heap in an array. */
#include "agenda.h"

#include <stdlib.h>

static bool earlier(const struct agenda_entry *left, const struct agenda_entry *right)
{
    if (left->due_us != right->due_us)
        return left->due_us < right->due_us;
    return left->who < right->who;
}

void agenda_add(struct agenda *agenda, int64_t due_us, uint32_t who)
{
    if (agenda->count == agenda->capacity) {
        agenda->capacity = agenda->capacity == 0 ? 1024 : 2 * agenda->capacity;
        agenda->entries = realloc(agenda->entries, agenda->capacity * sizeof *agenda->entries);
        if (agenda->entries == NULL)
            abort();
    }
    const struct agenda_entry entry = {.due_us = due_us, .who = who};
    size_t at = agenda->count++;
    while (at > 0 && earlier(&entry, &agenda->entries[(at - 1) / 2])) {
        agenda->entries[at] = agenda->entries[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    agenda->entries[at] = entry;
}

int64_t agenda_next_us(const struct agenda *agenda)
{
    return agenda->count == 0 ? INT64_MAX : agenda->entries[0].due_us;
}

/* Lets the entry sink from the top to its place. */
static void sink(struct agenda *agenda, struct agenda_entry entry)
{
    size_t at = 0;
    for (size_t child = 1; child < agenda->count; child = 2 * at + 1) {
        if (child + 1 < agenda->count &&
            earlier(&agenda->entries[child + 1], &agenda->entries[child]))
            child++;
        if (!earlier(&agenda->entries[child], &entry))
            break;
        agenda->entries[at] = agenda->entries[child];
        at = child;
    }
    agenda->entries[at] = entry;
}

bool agenda_take(struct agenda *agenda, int64_t now_us, uint32_t *who)
{
    if (agenda_next_us(agenda) > now_us)
        return false;
    *who = agenda->entries[0].who;
    agenda->count--;
    if (agenda->count > 0)
        sink(agenda, agenda->entries[agenda->count]);
    return true;
}

void agenda_deinit(struct agenda *agenda)
{
    free(agenda->entries);
    *agenda = (struct agenda){0};
}
