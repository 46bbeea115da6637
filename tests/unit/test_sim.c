/* The simulator: a part of what `make sim` runs, and seeds that once showed a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Fails with the output of a simulation that found something. */
static void simulate(const char *words)
{
    char self[4096];
    char command[4300];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = '\0';
    snprintf(command, sizeof command, "%s/../sim/sim %s", dirname(self), words);
    if (system(command) != 0) /* NOLINT(bugprone-command-processor): of the two paths above */
        fail_msg("%s", command);
}

static void promise_is_kept_with_faults_at_random(void **state)
{
    (void)state;
    simulate("1 3000");
}

static void promise_is_kept_with_a_crash_at_each_call(void **state)
{
    (void)state;
    simulate("1 20 each");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promise_is_kept_with_faults_at_random),
        cmocka_unit_test(promise_is_kept_with_a_crash_at_each_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
