/*
 * `usher-worker prune`: what is long over is archived and deleted, a few resources at a time,
 * and then from Redis. `forget-customer`: what is over keeps its money and loses its name.
 * pg_prune does the work of both.
 */
#include "worker/program/command_prune.h"

#include <inttypes.h>
#include <stdio.h>

#include "producer/base/plural.h"
#include "producer/terminal/terminal.h"
#include "usher/message.h"
#include "worker/postgres/pg_hold.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_prune.h"
#include "worker/postgres/pg_session.h"
#include "worker/program/worker_options.h"
#include "worker/redis/redis_store.h"

/* ==== Several databases ==== */

typedef enum usher_status in_one(void *context, const struct pg_settings *one,
                                 struct usher_error *err);

/* In each that is held; the status, and the error, are those of the first that failed. */
static enum usher_status in_each_held(const struct pg_settings *settings, struct pg_hold *hold,
                                      void *context, in_one *run, struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < count; i++) {
        const struct pg_settings one = pg_session_one(settings, i);
        struct usher_arena arena = {0};
        struct usher_error failed = {0};
        if (count > 1)
            printf("%s:\n", pg_session_where(&one, &arena));
        enum usher_status done = pg_hold_status(hold, i, &failed);
        if (done == USHER_OK)
            done = run(context, &one, &failed);
        if (done != USHER_OK && count == 1) {
            status = done;
            *err = failed;
        } else if (done != USHER_OK && status == USHER_OK) {
            status = done;
            usher_error_set(err, failed.exit_code, "not in the database at %s: %s",
                            pg_session_where(&one, &arena), failed.text);
        } else if (done != USHER_OK) {
            fprintf(stderr, "usher-worker: not in the database at %s: %s\n",
                    pg_session_where(&one, &arena), failed.text);
        }
        usher_arena_deinit(&arena);
    }
    return status;
}

/*
 * Does something in each database of USHER_POSTGRES, and names it if there are several; one that
 * fails is named, too, and the others are done all the same. No partition moves meanwhile, out of
 * one that is yet to come into one that is done; and each has to live in exactly one of them.
 * `all`: nothing is done as long as one is on its way; else that is left out.
 */
static enum usher_status in_each(const struct pg_settings *settings, bool all, void *context,
                                 in_one *run, struct usher_error *err)
{
    struct usher_error failed = {0};
    struct pg_hold *hold = pg_hold_open(settings);
    enum usher_status status = all ? pg_hold_check(hold, err) : USHER_OK;
    if (status == USHER_OK)
        status = in_each_held(settings, hold, context, run, err);
    if (status == USHER_OK) /* there may be rows where nobody looked */
        status = pg_homes_check(settings, 0, err);
    enum usher_status held = pg_hold_close(hold, &failed);
    if (status == USHER_OK && held != USHER_OK)
        *err = failed;
    return status == USHER_OK ? held : status;
}

/* ==== Prune ==== */

enum {
    TOGETHER_MAX = 50,     /* resources of one transaction … */
    DECISIONS_MAX = 10000, /* … which together have so many decisions, or one that has more */
    A_DAY_S = 24 * 3600,
};

static const struct option_spec prune_specs[] = {
    {.name = "older-than",
     .type = OPTION_DURATION,
     .value_name = "400d",
     .min = A_DAY_S,
     .max = INT64_C(36500) * A_DAY_S,
     .help = "resources that were over this long ago, at least 1d"},
    {.name = "archive",
     .value_name = "DIR",
     .help = "first archive deleted rows in this folder, with checksums"},
    {.name = "dry-run", .type = OPTION_BOOL, .help = "only show what would be deleted"},
};

static const struct option_group prune_options = WORKER_GROUP("Prune", prune_specs);

struct pruning {
    const struct options *options;
    const struct worker_settings *settings;
    struct pg_prune *prune;
    struct usher_arena arena;
    struct progress progress;
    struct pg_prunable *resources;
    uint32_t count;
    uint64_t pruned, kept, hidden;
    int64_t decisions, bookings, units, dead_letters;
};

/* ---- PostgreSQL ---- */

static void add_up(struct pruning *pruning, const struct pg_prunable *resources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        pruning->decisions += resources[i].decisions;
        pruning->bookings += resources[i].bookings;
        pruning->units += resources[i].units;
        pruning->dead_letters += resources[i].dead_letters;
    }
    pruning->pruned += count;
    progress_show(&pruning->progress, "%" PRIu64 " of %" PRIu32 " resource%s pruned",
                  pruning->pruned, pruning->count, PLURAL(pruning->count));
}

/* How many of the next ones go into one transaction. */
static uint32_t together(const struct pg_prunable *resources, uint32_t left)
{
    uint32_t count = 1;
    int64_t decisions = resources[0].decisions;
    while (count < left && count < TOGETHER_MAX &&
           resources[count].partition == resources[0].partition &&
           decisions + resources[count].decisions <= DECISIONS_MAX)
        decisions += resources[count++].decisions;
    return count;
}

/* One that somebody just asked for must not keep the others: they are tried one by one. */
static enum usher_status prune_some(struct pruning *pruning, struct pg_prunable *resources,
                                    uint32_t count, struct usher_error *err)
{
    const char *directory = options_text(pruning->options, "archive");
    int64_t older_than_s = options_integer(pruning->options, "older-than");
    enum usher_status status =
        pg_prune_resources(pruning->prune, older_than_s, directory, resources, count, err);
    if (status == USHER_OK)
        add_up(pruning, resources, count);
    if (status != USHER_REJECT)
        return status;
    status = USHER_OK;
    for (uint32_t i = 0; count > 1 && status == USHER_OK && i < count; i++)
        status = prune_some(pruning, &resources[i], 1, err);
    if (count == 1) {
        progress_clear(&pruning->progress);
        fprintf(stderr, "usher-worker: %s\n", err->text);
        pruning->kept++;
    }
    return status;
}

static enum usher_status prune_all(struct pruning *pruning, struct usher_error *err)
{
    uint32_t at = 0;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && at < pruning->count) {
        uint32_t count = together(&pruning->resources[at], pruning->count - at);
        status = prune_some(pruning, &pruning->resources[at], count, err);
        at += count;
    }
    return status;
}

/* ---- Redis ---- */

/* Also what an earlier run deleted and could not hide, as Redis was away. */
static enum usher_status hide_page(struct pruning *pruning, struct redis_store *store,
                                   uint32_t *count, struct usher_error *err)
{
    struct pg_prunable *resources;
    enum usher_status status =
        pg_prune_shown(pruning->prune, &pruning->arena, &resources, count, err);
    for (uint32_t i = 0; status == USHER_OK && i < *count; i++) {
        status = redis_store_forget(store, resources[i].id, resources[i].epoch, err);
        if (status == USHER_OK)
            status = pg_prune_hidden(pruning->prune, resources[i].no, err);
        pruning->hidden += status == USHER_OK;
        progress_show(&pruning->progress, "%" PRIu64 " resource%s deleted from Redis",
                      pruning->hidden, PLURAL(pruning->hidden));
    }
    return status;
}

static enum usher_status hide_all(struct pruning *pruning, struct usher_error *err)
{
    uint32_t count = 0;
    struct redis_store *store = NULL;
    if (!pruning->settings->redis.uri)
        return USHER_OK;
    enum usher_status status = redis_store_open(&pruning->settings->redis, &store, err);
    do {
        if (status == USHER_OK)
            status = hide_page(pruning, store, &count, err);
    } while (status == USHER_OK && count > 0);
    redis_store_close(store);
    return status;
}

/* ---- the command ---- */

static void print_plan(const struct pruning *pruning)
{
    int64_t decisions = 0;
    for (uint32_t i = 0; i < pruning->count; i++) {
        char ended[USHER_INSTANT_SIZE];
        const struct pg_prunable *resource = &pruning->resources[i];
        usher_instant_format(resource->ended_ms, ended);
        printf("%s  over since %s, %" PRId64 " decision%s\n", resource->id, ended,
               resource->decisions, PLURAL(resource->decisions));
        decisions += resource->decisions;
    }
    printf("%" PRIu32 " resource%s with %" PRId64 " decision%s would be deleted\n", pruning->count,
           PLURAL(pruning->count), decisions, PLURAL(decisions));
}

static void print_totals(const struct pruning *pruning)
{
    printf("deleted %" PRIu64 " resource%s with %" PRId64 " booking%s, %" PRId64
           " unit%s of seats and rooms, %" PRId64 " decision%s, %" PRId64 " dead letter%s; %" PRIu64
           " from Redis; kept %" PRIu64 " that changed meanwhile\n",
           pruning->pruned, PLURAL(pruning->pruned), pruning->bookings, PLURAL(pruning->bookings),
           pruning->units, PLURAL(pruning->units), pruning->decisions, PLURAL(pruning->decisions),
           pruning->dead_letters, PLURAL(pruning->dead_letters), pruning->hidden, pruning->kept);
}

/* One of the databases. */
static enum usher_status run_one(struct pruning *pruning, const struct pg_settings *settings,
                                 struct usher_error *err)
{
    enum usher_status status = pg_prune_open(settings, &pruning->prune, err);
    if (status == USHER_OK)
        status = pg_prune_list(pruning->prune, options_integer(pruning->options, "older-than"),
                               &pruning->arena, &pruning->resources, &pruning->count, err);
    if (status == USHER_OK && options_bool(pruning->options, "dry-run")) {
        print_plan(pruning);
        return USHER_OK;
    }
    if (status == USHER_OK)
        status = prune_all(pruning, err);
    return status == USHER_OK ? hide_all(pruning, err) : status;
}

static enum usher_status run_next(void *context, const struct pg_settings *settings,
                                  struct usher_error *err)
{
    struct pruning *pruning = context;
    enum usher_status status = run_one(pruning, settings, err);
    pg_prune_close(pruning->prune);
    pruning->prune = NULL;
    return status;
}

static enum usher_status run(struct pruning *pruning, struct usher_error *err)
{
    if (!options_has(pruning->options, "older-than")) {
        usher_error_set(err, USHER_EXIT_USAGE, "--older-than is required, such as 400d");
        return USHER_FATAL;
    }
    enum usher_status status = in_each(&pruning->settings->postgres, false, pruning, run_next, err);
    progress_clear(&pruning->progress);
    if (!options_bool(pruning->options, "dry-run") && (status == USHER_OK || pruning->pruned > 0))
        print_totals(pruning);
    return status;
}

static enum usher_exit run_prune(const struct program_command *command, struct options *options,
                                 struct usher_error *err)
{
    struct worker_settings settings;
    struct pruning pruning = {.options = options, .settings = &settings};
    (void)command;
    enum usher_status status = worker_settings_read(options, &settings, err);
    if (status == USHER_OK) {
        progress_begin(&pruning.progress);
        status = run(&pruning, err);
    }
    enum usher_exit code = worker_end(status, err);
    usher_arena_deinit(&pruning.arena);
    return code;
}

static const struct option_group *const prune_groups[] = {&prune_options, &postgres_options,
                                                          &redis_options, &common_options};

const struct program_command prune_command = {
    .name = "prune",
    .arguments = "",
    .help = "Deletes closed resources that are long over, with all that belongs to them.",
    .details =
        "A resource is over at the latest of its end (else its start), the morning after its\n"
        "last night, and its last change. Its bookings, units, decisions and dead letters are\n"
        "deleted with it, and its keys in Redis; a row in usher.pruned remains. Charts stay.\n"
        "Workers may go on meanwhile: those that own the partition are fenced and acquire it\n"
        "again. A request for such a resource, even a repeat, is unknown_resource from then on.\n"
        "Partitions that are being moved are left out, and none begins to move meanwhile.\n"
        "The role usher_owner is needed.\n",
    .example = "prune --older-than 400d --archive /var/lib/usher/archive",
    .table = WORKER_TABLE(prune_groups),
    .others = &worker_options,
    .run = run_prune,
};

/* ==== Forget-customer ==== */

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

struct forgetting {
    const struct options *options;
    struct usher_arena arena;
    const char *pseudonym; /* NULL: the first database chooses it */
    uint32_t remembered;
};

/* In one of the databases. */
static enum usher_status forget_next(void *context, const struct pg_settings *settings,
                                     struct usher_error *err)
{
    struct forgetting *forgetting = context;
    struct pg_forgotten forgotten = {.pseudonym = forgetting->pseudonym};
    enum usher_status status = pg_forget_customer(settings, forgetting->options->arguments[0],
                                                  &forgetting->arena, &forgotten, err);
    if (status != USHER_OK)
        return status;
    print(&forgotten);
    forgetting->pseudonym = forgotten.pseudonym;
    forgetting->remembered += forgotten.remembered_count;
    return USHER_OK;
}

static void say_left(void *self, const char *text)
{
    uint32_t *left = self;
    fprintf(stderr, "usher-worker: %s\n", text);
    (*left)++;
}

/* A partition that moved away has left rows in which the customer is as before. */
static enum usher_status refuse_left(const struct pg_settings *settings, struct usher_error *err)
{
    uint32_t left = 0;
    enum usher_status status = pg_homes_states(settings, say_left, &left, err);
    if (status != USHER_OK || left == 0)
        return status;
    usher_error_set(err, USHER_EXIT_REFUSED,
                    "rows that were left behind keep their customer: run `usher-worker partition "
                    "forget-moved`");
    return USHER_FATAL;
}

static enum usher_status forget(const struct options *options,
                                const struct worker_settings *settings, struct usher_error *err)
{
    struct forgetting forgetting = {.options = options};
    enum usher_status status = in_each(&settings->postgres, true, &forgetting, forget_next, err);
    if (status == USHER_OK && forgetting.remembered > 0) {
        usher_error_set(
            err, USHER_EXIT_REFUSED, "%" PRIu32 " %s", forgetting.remembered,
            forgetting.remembered == 1
                ? "booking is not over and keeps its customer: run it again when it is"
                : "bookings are not over and keep their customer: run it again when they are");
        status = USHER_FATAL;
    }
    if (status == USHER_OK)
        status = refuse_left(&settings->postgres, err);
    usher_arena_deinit(&forgetting.arena);
    return status;
}

static enum usher_exit run_forget(const struct program_command *command, struct options *options,
                                  struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    enum usher_status status = worker_settings_read(options, &settings, err);
    if (status == USHER_OK)
        status = forget(options, &settings, err);
    return worker_end(status, err);
}

static const struct option_group *const forget_groups[] = {&postgres_options, &common_options};

const struct program_command forget_command = {
    .name = "forget-customer",
    .arguments = "ID",
    .help = "Replaces a customer with a pseudonym in bookings that are over.",
    .details =
        "A booking is over if it was released, cancelled or left, or if it was sold or expired\n"
        "and its resource is closed or ended more than a day ago. Its customer becomes a\n"
        "pseudonym, also in answers that are kept for repeats; payment and notes become\n"
        "\"forgotten\", meta is emptied; money and counts stay. Bookings that are not over are\n"
        "listed, and stay (exit code 3). Refusals and repeats get the pseudonym; dead letters\n"
        "that name the customer lose their value. Workers may go on meanwhile: those that own\n"
        "the partitions are fenced and acquire them again. Topics of Kafka, archives and backups\n"
        "are not touched. The role usher_owner is needed; all decisions are read. It ends well\n"
        "only if each partition lives in exactly one of the databases of USHER_POSTGRES, and has\n"
        "left no rows in another. No partition begins to move meanwhile.\n",
    .example = "forget-customer c1",
    .table = WORKER_TABLE(forget_groups),
    .others = &worker_options,
    .run = run_forget,
};
