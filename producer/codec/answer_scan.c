/* Reads a few fields of an answer without parsing it: see answer_scan.h. */
#include "producer/codec/answer_scan.h"

#include <ctype.h>
#include <string.h>

bool answer_scan_id(const char *data, size_t size, const char **id, size_t *id_size)
{
    static const char start[] = "{\"request_id\":\"";
    size_t skipped = sizeof start - 1;
    if (size < skipped || memcmp(data, start, skipped) != 0)
        return false;
    const char *end = memchr(data + skipped, '"', size - skipped);
    if (!end)
        return false;
    *id = data + skipped;
    *id_size = (size_t)(end - *id);
    return true;
}

/* Reads digits that something else follows; 18 of them cannot overflow. */
static bool read_digits(const char *at, const char *end, int64_t *number)
{
    int64_t value = 0;
    int count = 0;
    for (; at < end && isdigit((unsigned char)*at); at++, count++) {
        if (count == 18)
            return false;
        value = value * 10 + (*at - '0');
    }
    *number = value;
    return count > 0 && at < end;
}

bool answer_scan_seq(const char *data, size_t size, int64_t *seq)
{
    static const char name[] = ",\"seq\":";
    enum {
        NEAR_END = 160
    }; /* where it is, but for long sources */
    size_t skipped = size > NEAR_END ? size - NEAR_END : 0;
    const char *at = memmem(data + skipped, size - skipped, name, sizeof name - 1);
    if (!at)
        at = memmem(data, size, name, sizeof name - 1);
    return at && read_digits(at + sizeof name - 1, data + size, seq);
}

bool answer_scan_unrequested(const char *data, size_t size)
{
    static const char field[] = "\"unasked\":true";
    return memmem(data, size, field, sizeof field - 1);
}

/* Copies the text of the first field of that name, ,"name":" and all, as far as it fits. */
static void copy_field(const char *data, size_t size, const char *name, char text[32])
{
    const char *end = data + size;
    const char *at = memmem(data, size, name, strlen(name));
    size_t used = 0;
    for (at = at ? at + strlen(name) : end; at < end && *at != '"' && used < 31; at++)
        text[used++] = *at;
    text[used] = '\0';
}

enum usher_outcome answer_scan_outcome(const char *data, size_t size)
{
    char name[32];
    copy_field(data, size, ",\"outcome\":\"", name);
    return usher_outcome_named(name);
}

enum usher_reason answer_scan_reason(const char *data, size_t size)
{
    char name[32];
    copy_field(data, size, ",\"reason\":\"", name);
    return usher_reason_named(name);
}
