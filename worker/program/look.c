/* Rows of views for people and programs: see look.h. */
#include "worker/program/look.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/terminal/text_table.h"

enum {
    KAFKA_CLOSE_MS = 5000
};

static const struct option_spec limit_specs[] = {
    {.name = "limit",
     .type = OPTION_INTEGER,
     .fallback = "100",
     .min = 1,
     .max = 1000000,
     .help = "rows at most"},
};

const struct option_group look_limit_options = WORKER_GROUP("List", limit_specs);

/* ---- rows ---- */

enum usher_status look_ask(struct looking *looking, const struct look *look,
                           struct pg_view_question question, struct pg_view_rows *rows,
                           struct usher_error *err)
{
    const char *names[LOOK_COLUMNS_MAX];
    assert(look->column_count <= LOOK_COLUMNS_MAX);
    for (uint32_t i = 0; i < look->column_count; i++)
        names[i] = look->columns[i].name;
    question.view = look->view;
    if (!looking->json) {
        question.columns = names;
        question.column_count = look->column_count;
    }
    return pg_views_ask(looking->views, &question, &looking->arena, rows, err);
}

static void print_table(const struct looking *looking, const struct look *look,
                        const struct pg_view_rows *rows, int indent)
{
    struct text_table table;
    struct text_column columns[LOOK_COLUMNS_MAX];
    struct usher_arena arena = {0};
    size_t shown = 0;
    for (uint32_t i = 0; i < look->column_count; i++) {
        const struct look_column *column = &look->columns[i];
        bool right = column->kind == LOOK_NUMBER || column->kind == LOOK_MONEY;
        if (column->title)
            columns[shown++] = (struct text_column){column->title, right ? TEXT_RIGHT : TEXT_LEFT};
    }
    text_table_init(&table, columns, shown);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct look_row row = {look, &rows->values[(size_t)i * rows->column_count]};
        for (uint32_t k = 0; k < look->column_count; k++) {
            bool state = look->columns[k].kind == LOOK_STATE;
            if (look->columns[k].title)
                text_table_add(&table, state ? look_state_colour(row.values[k]) : TERMINAL_PLAIN,
                               "%s", look_cell(&row, k, &arena));
        }
    }
    text_table_print(&table, &looking->terminal, indent);
    text_table_deinit(&table);
    usher_arena_deinit(&arena);
}

void look_print(const struct looking *looking, const struct look *look,
                const struct pg_view_rows *rows, int indent)
{
    FILE *out = looking->terminal.out;
    for (uint32_t i = 0; looking->json && i < rows->count; i++)
        fprintf(out, "%s\n", rows->values[i]);
    if (!looking->json && rows->count > 0)
        print_table(looking, look, rows, indent);
    else if (!looking->json && look->nothing)
        fprintf(out, "%s\n", look->nothing);
}

enum usher_status look_list(struct looking *looking, const struct look *look,
                            const struct pg_view_question *question, struct usher_error *err)
{
    struct pg_view_rows rows;
    enum usher_status status = look_ask(looking, look, *question, &rows, err);
    if (status != USHER_OK)
        return status;
    look_print(looking, look, &rows, 0);
    if (question->limit > 0 && rows.count == question->limit)
        fprintf(stderr, "usher-worker: only the first %lld are shown; see --limit\n",
                (long long)question->limit);
    return USHER_OK;
}

/* ---- a command ---- */

enum usher_status look_open_kafka(struct looking *looking, int timeout_ms, int32_t *partitions,
                                  struct usher_error *err)
{
    const struct kafka_base_settings settings = {.kafka = &looking->settings.kafka,
                                                 .request_timeout_ms = timeout_ms};
    enum usher_status status = kafka_base_open(&settings, &looking->kafka, err);
    return status == USHER_OK ? kafka_base_partitions(looking->kafka, partitions, err) : status;
}

/* A handle that hangs after a broker's restart must not keep the process alive: nothing is lost. */
static void close_kafka(const struct looking *looking, enum usher_exit code)
{
    struct usher_error err;
    if (kafka_base_close(looking->kafka, KAFKA_CLOSE_MS, &err) == USHER_OK)
        return;
    fprintf(stderr, "usher-worker: %s\n", err.text);
    fflush(stdout);
    _exit((int)code);
}

enum usher_exit look_run(const struct worker_command *command, int argc, char *const *argv,
                         enum usher_status (*run)(struct looking *, struct usher_error *))
{
    enum usher_exit code;
    struct looking looking = {0};
    if (worker_begin(&looking.options, &looking.settings, command, argc, argv, &code)) {
        struct usher_error err = {0};
        looking.json = options_bool(&looking.options, "json");
        looking.terminal = terminal_of(stdout, &looking.options);
        enum usher_status status = pg_views_open(&looking.settings.postgres, &looking.views, &err);
        if (status == USHER_OK)
            status = run(&looking, &err);
        code = worker_end(status, &err);
    }
    pg_views_close(looking.views);
    close_kafka(&looking, code);
    usher_arena_deinit(&looking.arena);
    options_deinit(&looking.options);
    return code;
}
