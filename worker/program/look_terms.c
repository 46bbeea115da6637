/* Limits and quotas in words: see look_terms.h. */
#include "worker/program/look_terms.h"

#include <inttypes.h>
#include <string.h>

#include "producer/codec/stored_terms.h"

/* "  at most 8 per customer"; 0: there is no such limit. */
static void print_limit(const char *before, int64_t limit, const char *after, FILE *out)
{
    if (limit > 0)
        fprintf(out, "  %s %" PRId64 " %s\n", before, limit, after);
}

/* "at most 20 of stalls, circle" */
static void print_pools(const char *const *pools, uint32_t count, int64_t limit, FILE *out)
{
    fprintf(out, "at most %" PRId64 " of", limit);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s %s", i > 0 ? "," : "", pools[i]);
}

static void print_limits(const struct usher_limits *limits, FILE *out)
{
    print_limit("at least", limits->units_min, "per request", out);
    print_limit("at most", limits->units_per_request, "per request", out);
    print_limit("at most", limits->units_per_customer, "per customer", out);
    print_limit("at most", limits->holds_per_customer, "holds per customer", out);
    for (uint32_t i = 0; i < limits->group_count; i++) {
        const struct usher_limit_group *group = &limits->groups[i];
        fprintf(out, "  ");
        print_pools(group->pools, group->pool_count, group->limit, out);
        fprintf(out, " per customer\n");
    }
}

void look_terms_print(const char *json, FILE *out)
{
    struct usher_arena arena = {0};
    struct stored_terms terms;
    struct usher_error err;
    if (json && stored_terms_decode(json, strlen(json), &arena, &terms, &err) == USHER_OK) {
        if (terms.limits)
            print_limits(terms.limits, out);
        for (uint32_t i = 0; i < terms.quota_count; i++) {
            const struct usher_quota *quota = &terms.quotas[i];
            fprintf(out, "  quota %s: ", quota->quota);
            print_pools(quota->pools, quota->pool_count, quota->limit, out);
            fprintf(out, "\n");
        }
    } else if (json) {
        fprintf(out, "  terms %s\n", json);
    }
    usher_arena_deinit(&arena);
}
