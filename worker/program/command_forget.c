/* `usher-worker forget-customer`: what is over keeps its money and loses its name; pg_forget does
 * the work. */
#include "worker/program/command_forget.h"

#include <inttypes.h>
#include <stdio.h>

#include "producer/base/plural.h"
#include "worker/postgres/pg_forget.h"
#include "worker/program/worker_options.h"

static void print(const struct pg_forgotten *forgotten)
{
    for (uint32_t i = 0; i < forgotten->remembered_count; i++) {
        const struct pg_remembered *booking = &forgotten->remembered[i];
        printf("not over: %s  %s  %s\n", booking->resource, booking->booking, booking->state);
    }
    if (forgotten->collisions > 0)
        fprintf(stderr,
                "usher-worker: tried again after %" PRIu32
                " collision%s with others that changed the same rows\n",
                forgotten->collisions, PLURAL(forgotten->collisions));
    printf("%s: %" PRId64 " booking%s, %" PRId64 " answer%s about %s, %" PRId64
           " other answer%s, %" PRId64 " dead letter%s\n",
           forgotten->pseudonym, forgotten->bookings, PLURAL(forgotten->bookings),
           forgotten->answers, PLURAL(forgotten->answers), forgotten->bookings == 1 ? "it" : "them",
           forgotten->others, PLURAL(forgotten->others), forgotten->dead_letters,
           PLURAL(forgotten->dead_letters));
}

static enum usher_status forget(const struct options *options,
                                const struct worker_settings *settings, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_forgotten forgotten;
    enum usher_status status =
        pg_forget_customer(&settings->postgres, options->arguments[0], &arena, &forgotten, err);
    if (status == USHER_OK)
        print(&forgotten);
    if (status == USHER_OK && forgotten.remembered_count > 0) {
        usher_error_set(
            err, USHER_EXIT_REFUSED, "%" PRIu32 " %s", forgotten.remembered_count,
            forgotten.remembered_count == 1
                ? "booking is not over and keeps its customer: run it again when it is"
                : "bookings are not over and keep their customer: run it again when they are");
        status = USHER_FATAL;
    }
    usher_arena_deinit(&arena);
    return status;
}

static enum usher_exit run_forget(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &forget_command, argc, argv, &code)) {
        struct usher_error err = {0};
        code = worker_end(forget(&options, &settings, &err), &err);
    }
    options_deinit(&options);
    return code;
}

static const struct option_group *const forget_groups[] = {&postgres_options, &common_options};

const struct worker_command forget_command = {
    .name = "forget-customer",
    .arguments = "ID",
    .help = "Replaces a customer by a pseudonym in everything that is over.",
    .details =
        "A booking is over if it was released, cancelled or left, or if it was sold or expired\n"
        "and its resource is closed or ended more than a day ago. Its customer becomes a\n"
        "pseudonym, also in answers that are kept for repeats; payment and note become\n"
        "\"forgotten\", meta is emptied; money and counts stay. What is not over is listed and\n"
        "stays (exit code 3). Refusals and repeats get the pseudonym; dead letters that name\n"
        "the customer lose their value. Workers may go on meanwhile: those that own the\n"
        "partitions are fenced and acquire them again. Topics of Kafka, archives and backups\n"
        "are not touched. The role usher_owner is needed; all decisions are read.\n",
    .example = "forget-customer c1",
    .table = WORKER_TABLE(forget_groups),
    .run = run_forget,
};
