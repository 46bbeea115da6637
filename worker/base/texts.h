/* Lists of texts, as a request names sections or features: what is among them. */
#ifndef USHER_WORKER_BASE_TEXTS_H
#define USHER_WORKER_BASE_TEXTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether the text is one of these. */
static inline bool texts_have(const char *const *texts, uint32_t count, const char *text)
{
    uint32_t at = 0;
    while (at < count && strcmp(texts[at], text) != 0)
        at++;
    return at < count;
}

/* Whether each of `some` is one of these. */
static inline bool texts_have_all(const char *const *texts, uint32_t count, const char *const *some,
                                  uint32_t some_count)
{
    uint32_t found = 0;
    while (found < some_count && texts_have(texts, count, some[found]))
        found++;
    return found == some_count;
}

#endif
