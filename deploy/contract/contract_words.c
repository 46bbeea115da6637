/* Lists of words as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/contract/contract.h"
#include "worker/model/rows.h"

/* A list that is written a name at a time. */
struct list {
    struct usher_buffer *out;
    const char *between;
};

static void put_name(struct list *list, const char *name)
{
    contract_put(list->out, "%s\"%s\"", list->between, name);
    list->between = ", ";
}

void contract_put_ops(struct usher_buffer *out, uint32_t ops)
{
    struct list list = {out, "["};
    for (unsigned op = 1; op < USHER_OP_COUNT; op++)
        if ((ops >> op & 1U) != 0)
            put_name(&list, usher_op_name((enum usher_op)op));
    contract_put(out, "]");
}

void contract_put_words(struct usher_buffer *out, const struct message_words *words)
{
    struct list list = {out, "["};
    for (unsigned i = 0; i < words->count; i++)
        if (words->names[i])
            put_name(&list, words->names[i]);
    contract_put(out, "]");
}

static void put_states(struct list *list)
{
    for (unsigned state = 1; state < BOOKING_STATE_COUNT; state++)
        put_name(list, booking_state_name((enum booking_state)state));
}

/* Those of an answer `invalid` are no refusals. */
static bool refuses(enum usher_reason reason)
{
    return reason != USHER_MALFORMED && reason != USHER_WRONG_PARTITION && reason != USHER_INTERNAL;
}

static void put_refused(struct list *list)
{
#define USHER_REASON_ROW(enumerator, name, retryable, waitable) \
    if (refuses(enumerator))                                    \
        put_name(list, name);
#include "usher/words.def"
}

static void put_retryable(struct list *list)
{
#define USHER_REASON_ROW(enumerator, name, retryable, waitable) \
    if ((retryable) > 0)                                        \
        put_name(list, name);
#include "usher/words.def"
}

static void put_always(struct list *list)
{
#define USHER_REASON_ROW(enumerator, name, retryable, waitable) \
    if ((retryable) > 1)                                        \
        put_name(list, name);
#include "usher/words.def"
}

void contract_put_words_named(struct usher_buffer *out, const char *name)
{
    static const struct {
        const char *name;
        void (*put)(struct list *list);
    } lists[] = {{"states", put_states},
                 {"refused", put_refused},
                 {"retryable", put_retryable},
                 {"always", put_always}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(lists[i].name, name) != 0)
            continue;
        struct list list = {out, ""};
        lists[i].put(&list);
        return;
    }
    fprintf(stderr, "contract: there is no list \"%s\"\n", name);
    abort();
}
