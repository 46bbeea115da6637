/* Steps back from the end of an answer, byte by byte as the codec wrote it. */
#include "worker/kafka/answer_tail.h"

#include <string.h>

/* The bytes not read yet: `end` moves towards `start`. */
struct tail {
    const char *start, *end;
};

/* Steps back over `text` if the bytes end with it. */
static bool tail_text(struct tail *tail, const char *text)
{
    size_t size = strlen(text);
    if ((size_t)(tail->end - tail->start) < size || memcmp(tail->end - size, text, size) != 0)
        return false;
    tail->end -= size;
    return true;
}

/* Steps back over a number of 0 or more, as the codec writes it. */
static bool tail_number(struct tail *tail, int64_t *number)
{
    int64_t value = 0, weight = 1;
    int digits = 0;
    while (tail->end > tail->start && tail->end[-1] >= '0' && tail->end[-1] <= '9') {
        int64_t part;
        if (digits == 19 || __builtin_mul_overflow(weight, (int64_t)(tail->end[-1] - '0'), &part) ||
            __builtin_add_overflow(value, part, &value))
            return false;
        weight = ++digits < 19 ? weight * 10 : weight;
        tail->end--;
    }
    *number = value;
    return digits > 0;
}

static bool tail_source(struct tail *tail)
{
    int64_t ignored;
    return tail_text(tail, "}") && tail_number(tail, &ignored) && tail_text(tail, ",\"offset\":") &&
           tail_number(tail, &ignored) && tail_text(tail, ",\"source\":{\"partition\":");
}

bool answer_tail_seq(const void *value, size_t size, int64_t *seq)
{
    if (!value)
        return false;
    struct tail tail = {.start = value, .end = (const char *)value + size};
    int64_t ignored;
    if (!tail_text(&tail, "}"))
        return false;
    if (tail.end > tail.start && tail.end[-1] == '}' && !tail_source(&tail))
        return false;
    return tail_number(&tail, &ignored) && tail_text(&tail, ",\"epoch\":") &&
           tail_number(&tail, seq) && tail_text(&tail, ",\"seq\":");
}
