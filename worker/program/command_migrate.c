/* `usher-worker migrate` applies the schema, with a role that may change it. */
#include "worker/program/command_migrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/json_member.h"
#include "producer/base/options.h"
#include "usher/message.h"
#include "worker/postgres/pg_migrate.h"

/* ---- list ---- */

static void print_state(void *context, const struct pg_migration_state *state)
{
    char at[USHER_INSTANT_SIZE];
    (void)context;
    if (state->database)
        printf("%s: ", state->database);
    if (state->applied_ms == 0) {
        printf("%s pending", state->name);
        if (state->way == PG_WAY_ROLLING)
            printf(", rolling: workers of schema version %" PRId32 " and later go on",
                   state->program);
        else if (state->way == PG_WAY_STOP)
            printf(", stop the workers first");
        printf("\n");
        return;
    }
    usher_instant_format(state->applied_ms, at);
    printf("%s %s %s by %s\n", state->name,
           state->changed ? "applied with different content" : "applied", at, state->by);
}

static void print_state_json(void *context, const struct pg_migration_state *state)
{
    char at[USHER_INSTANT_SIZE] = "";
    struct usher_buffer json = {0};
    (void)context;
    if (state->applied_ms != 0)
        usher_instant_format(state->applied_ms, at);
    json_text(&json, "{\"migration\":", state->name);
    if (state->database)
        json_text(&json, ",\"database\":", state->database);
    json_text(&json, ",\"state\":",
              state->applied_ms == 0 ? "pending"
              : state->changed       ? "changed"
                                     : "applied");
    json_text(&json, ",\"at\":", state->applied_ms != 0 ? at : NULL);
    json_text(&json, ",\"by\":", state->by);
    if (state->way != PG_WAY_NONE)
        json_text(&json, ",\"workers\":", state->way == PG_WAY_ROLLING ? "rolling" : "stop");
    if (state->way == PG_WAY_ROLLING)
        json_number(&json, ",\"from_version\":", state->program);
    usher_buffer_text(&json, "}");
    printf("%.*s\n", (int)json.size, json.at);
    usher_buffer_deinit(&json);
}

/* ---- the actions ---- */

static enum usher_status up(const struct pg_settings *settings, const struct options *options,
                            struct usher_error *err)
{
    static const struct pg_migration_reporter reporter = {print_state, NULL};
    const char *shard = options_text(options, "shard");
    enum usher_status status = shard ? worker_check_shard("--shard", shard, err) : USHER_OK;
    if (status == USHER_OK)
        status = pg_migrate_up(settings, &reporter, stdout, err);
    return status == USHER_OK && shard ? pg_migrate_shard(settings, shard, stdout, err) : status;
}

static enum usher_status list(const struct pg_settings *settings, const struct options *options,
                              struct usher_error *err)
{
    const struct pg_migration_reporter reporter = {
        options_bool(options, "json") ? print_state_json : print_state, NULL};
    return pg_migrate_list(settings, &reporter, err);
}

static enum usher_status print_all(const struct pg_settings *settings,
                                   const struct options *options, struct usher_error *err)
{
    (void)settings;
    (void)options;
    return pg_migrate_print(NULL, stdout, err);
}

static const struct {
    const char *name;
    enum usher_status (*run)(const struct pg_settings *settings, const struct options *options,
                             struct usher_error *err);
    const char *takes; /* flags */
} actions[] = {
    {"up", up, "shard"},
    {"list", list, "json"},
    {"print", print_all, ""},
};

static enum usher_status migrate(const struct pg_settings *settings, const struct options *options,
                                 struct usher_error *err)
{
    const char *action = options->arguments[0];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, action) != 0)
            continue;
        enum usher_status status =
            worker_check_flags(options, &migrate_command, actions[i].takes, err);
        return status == USHER_OK ? actions[i].run(settings, options, err) : status;
    }
    usher_error_set(err, USHER_EXIT_USAGE, "unknown action \"%s\": use migrate up, list or print",
                    action);
    return USHER_FATAL;
}

static enum usher_exit run_migrate(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    enum usher_status status = worker_settings_read(options, &settings, err);
    if (status == USHER_OK)
        status = migrate(&settings.postgres, options, err);
    return worker_end(status, err);
}

/* A flag only. */
static const struct option_spec migrate_specs[] = {
    {.name = "json", .type = OPTION_BOOL, .help = "list: print JSON, a line for each"},
    {.name = "shard",
     .value_name = "NAME",
     .help = "up: the name of this database, or of the one of several that has none yet"},
};

static const struct option_group migrate_options = {
    .title = "Migrations",
    .specs = migrate_specs,
    .count = sizeof migrate_specs / sizeof *migrate_specs,
};

static const struct option_group *const migrate_groups[] = {&migrate_options, &postgres_options,
                                                            &common_options};

const struct program_command migrate_command = {
    .name = "migrate",
    .arguments = "up|list|print",
    .help = "Brings the database to the schema of this version, or shows what is missing.",
    .details =
        "up applies the missing migrations, each in a transaction, and prints their names; it\n"
        "needs a role that may create roles and the schema. If USHER_POSTGRES names several\n"
        "databases, each is migrated, and gets a permanent name by --shard. list prints all\n"
        "migrations, with the time when each was applied, or its demand on the workers: rolling\n"
        "(they go on meanwhile), or to stop them first; up says so, too, before it applies any.\n"
        "print writes their SQL for somebody else to run; it needs no database.\n",
    .example = "migrate up",
    .table = WORKER_TABLE(migrate_groups),
    .others = &worker_options,
    .run = run_migrate,
};
