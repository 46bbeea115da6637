/*
 * ask_at_random SEED CUSTOMERS SIZE PREFIX RESOURCE...: prints requests at random, as JSON lines,
 * until nobody reads them. The first lines define the resources. What comes is a function of the
 * arguments: its times are in 2020 or 2099.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_requests.h"

#define IN_2099 INT64_C(4070908800000)

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261U;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    return hash;
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return EXIT_FAILURE;
    const struct random_world world = {
        .below = dice,
        .resources = (const char *const *)argv + 5,
        .resource_count = (uint32_t)argc - 5,
        .customers = (uint32_t)strtoul(argv[2], NULL, 10),
        .size = (uint32_t)strtoul(argv[3], NULL, 10),
        .prefix = argv[4],
        .weights = {[USHER_OP_DEFINE] = 2,
                    [USHER_OP_HOLD] = 34,
                    [USHER_OP_BOOK] = 11,
                    [USHER_OP_BLOCK] = 11,
                    [USHER_OP_CONFIRM] = 10,
                    [USHER_OP_CLOSE] = 1,
                    [USHER_OP_OPEN] = 2},
    };
    dice_begin(hash_of(argv[1]));
    random_begin(&world);
    while (puts(random_request(IN_2099)) >= 0)
        continue;
    return EXIT_SUCCESS;
}
