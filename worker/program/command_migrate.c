/* `usher-worker migrate up|list|print`: the schema, with a role that may change it. */
#include "worker/program/command_migrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/json_member.h"
#include "usher/message.h"
#include "worker/postgres/pg_migrate.h"
#include "worker/program/worker_options.h"

/* ---- list ---- */

static void print_state(void *context, const struct pg_migration_state *state)
{
    char at[USHER_INSTANT_SIZE];
    (void)context;
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
    static const struct pg_migration_teller teller = {print_state, NULL};
    (void)options;
    return pg_migrate_up(settings, &teller, stdout, err);
}

static enum usher_status list(const struct pg_settings *settings, const struct options *options,
                              struct usher_error *err)
{
    const struct pg_migration_teller teller = {
        options_bool(options, "json") ? print_state_json : print_state, NULL};
    return pg_migrate_list(settings, &teller, err);
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
    {"up", up, ""},
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

static enum usher_exit run_migrate(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &migrate_command, argc, argv, &code)) {
        struct usher_error err = {0};
        code = worker_end(migrate(&settings.postgres, &options, &err), &err);
    }
    options_deinit(&options);
    return code;
}

/* A flag only. */
static const struct option_spec migrate_specs[] = {
    {.name = "json", .type = OPTION_BOOL, .help = "list: print JSON, a line for each"},
};

static const struct option_group migrate_options = {
    .title = "Migrations",
    .specs = migrate_specs,
    .count = sizeof migrate_specs / sizeof *migrate_specs,
};

static const struct option_group *const migrate_groups[] = {&migrate_options, &postgres_options,
                                                            &common_options};

const struct worker_command migrate_command = {
    .name = "migrate",
    .arguments = "up|list|print",
    .help = "Brings the database to the schema of this version, or shows what is missing.",
    .details = "up applies the migrations that are missing, each in a transaction, and prints "
               "their names; with a role\n"
               "that may create roles and the schema. list prints all, with when each was applied, "
               "or what it asks of\n"
               "the workers: rolling (they go on meanwhile), or that they are stopped first; up "
               "says so, too, before\n"
               "it applies any. print writes their SQL for somebody else to run; it needs no "
               "database.\n",
    .example = "migrate up",
    .table = WORKER_TABLE(migrate_groups),
    .run = run_migrate,
};
