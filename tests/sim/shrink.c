/* See shrink.h. */
#include "shrink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

enum {
    HALVES = 256,   /* of the requests of a run, at first */
    TIMEOUT_S = 60, /* a run that does not end any more is not the one that failed */
};

static bool fails(uint64_t seed, uint64_t crash_at, const struct run_less *less)
{
    int status = 0;
    pid_t id = fork();
    if (id == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        (void)dup2(nothing, STDERR_FILENO);
        (void)alarm(TIMEOUT_S);
        run_less = *less;
        (void)run(seed, crash_at);
        exit(0);
    }
    return waitpid(id, &status, 0) == id && status != 0 &&
           !(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

static void take_requests(uint64_t seed, uint64_t crash_at, struct run_less *less)
{
    for (uint32_t fewer = HALVES; fewer > 0; fewer /= 2) {
        struct run_less smaller = *less;
        smaller.requests -= fewer;
        if (less->requests > fewer && fails(seed, crash_at, &smaller))
            *less = smaller;
    }
}

static void take_faults(uint64_t seed, uint64_t crash_at, struct run_less *less)
{
    for (uint32_t i = 0; run_fault(i); i++) {
        struct run_less smaller = *less;
        smaller.without |= UINT32_C(1) << i;
        if (fails(seed, crash_at, &smaller))
            *less = smaller;
    }
}

static void print_command(const char *before, uint64_t seed, uint64_t crash_at,
                          const struct run_less *less)
{
    const char *comma = "";
    (void)fprintf(stderr, "%s%s %" PRIu64 " 1 %" PRIu64 " %" PRIu32 " '", before,
                  program_invocation_name, seed, crash_at, less->requests);
    for (uint32_t i = 0; run_fault(i); i++) {
        if (!(less->without >> i & 1))
            continue;
        (void)fprintf(stderr, "%s%s", comma, run_fault(i));
        comma = ",";
    }
    (void)fprintf(stderr, "'\n");
}

void shrink(uint64_t seed, uint64_t crash_at)
{
    struct run_less less = {.requests = 2 * HALVES};
    if (!fails(seed, crash_at, &less))
        return; /* it goes another way each time, or without end */
    take_requests(seed, crash_at, &less);
    take_faults(seed, crash_at, &less);
    take_requests(seed, crash_at, &less);
    (void)fprintf(stderr, "smaller, as another run of that seed:\n");
    print_command("  ", seed, crash_at, &less);
    print_command("  gdb --args ", seed, crash_at, &less);
}
