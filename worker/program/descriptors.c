/* Reads and raises the limit of open files: see descriptors.h. */
#include "worker/program/descriptors.h"

#include <inttypes.h>
#include <sys/resource.h>

/* With one broker; each further one takes some 6 more for each partition. */
enum {
    NEEDED = 44 + 160, /* of the process, and of its HTTP server's connections */
    NEEDED_BY_PARTITION = 20
};

void descriptors_raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* if it may not be, what there is may suffice */
}

enum usher_status descriptors_suffice(int32_t partition_count, struct usher_error *err)
{
    struct rlimit limit;
    rlim_t needed = NEEDED + (rlim_t)NEEDED_BY_PARTITION * (rlim_t)partition_count;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "too few open files are allowed: %" PRIu64 ", but %" PRIu64
                    " are needed for partitions: %" PRId32
                    "; raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd)",
                    (uint64_t)limit.rlim_cur, (uint64_t)needed, partition_count);
    return USHER_FATAL;
}
