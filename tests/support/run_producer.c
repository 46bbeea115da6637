/* Runs the usher-producer that was built beside a test. */
#include "run_producer.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "producer/base/options.h"

static char program[4200];

int run_producer_setup(void **state)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)state;
    if (size < 0)
        return -1;
    self[size] = '\0';
    snprintf(program, sizeof program, "%s/../../usher-producer", dirname(self));
    for (const char *const *key = option_known_keys; *key != NULL; key++)
        unsetenv(*key);
    return access(program, X_OK);
}

static int run_command(const char *command, char *text, size_t size)
{
    char dropped[4096];
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        return -1;
    text[fread(text, 1, size - 1, pipe)] = '\0';
    while (fread(dropped, 1, sizeof dropped, pipe) > 0)
        continue;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int run_producer(const char *words, char *text, size_t size)
{
    char command[12000];
    snprintf(command, sizeof command, "%s %s 2>&1", program, words);
    return run_command(command, text, size);
}

int run_producer_fed(const char *input, const char *words, char *text, size_t size)
{
    char command[12000];
    snprintf(command, sizeof command, "%s | %s %s 2>&1", input, program, words);
    return run_command(command, text, size);
}
