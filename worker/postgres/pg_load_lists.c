/*
 * Which charts are asked for, and which resources have work left: lists of one page.
 */
#include "worker/postgres/pg_load_lists.h"

#include "postgres_sql.h"
#include "worker/postgres/pg_rows.h"

/* ---- charts ---- */

static bool fill_charts(struct pg_lookup_lists *lists, const struct load_request *request,
                        uint32_t statement, struct pg_params *params)
{
    (void)statement;
    struct pg_array *names = &lists->lists[0];
    pg_array_begin(names, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->chart_count; i++)
        pg_array_text(names, request->charts[i]);
    pg_params_array(params, names);
    pg_params_int4(params, lists->partition);
    pg_params_int8(params, lists->limits.bytes);
    return request->chart_count > 0;
}

static enum usher_status read_charts(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                     struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->charts =
        pg_rows_read_all(rows[0], PG_ROW_CHART, reading->arena, &result->chart_count, err);
    result->charts_served = pg_lookup_served(rows[0], reading->request->chart_count);
    return result->charts ? USHER_OK : USHER_HALT;
}

/* ---- unfinished work ---- */

static bool fill_unfinished(struct pg_lookup_lists *lists, const struct load_request *request,
                            uint32_t statement, struct pg_params *params)
{
    (void)statement;
    pg_params_int4(params, lists->partition);
    pg_params_int8(params, request->unfinished_after_no);
    pg_params_int8(params, request->unfinished_limit);
    return request->unfinished_limit > 0;
}

static enum usher_status read_unfinished(const struct pg_lookup_reading *reading,
                                         PGresult *const *rows, struct usher_error *err)
{
    (void)err;
    struct load_result *result = reading->result;
    result->unfinished_count = (uint32_t)PQntuples(rows[0]);
    result->unfinished =
        usher_arena_alloc(reading->arena, result->unfinished_count * sizeof *result->unfinished);
    for (uint32_t i = 0; i < result->unfinished_count; i++) {
        struct pg_row row = pg_row_of(rows[0], (int)i, NULL);
        result->unfinished[i] = pg_row_int8(&row, 0);
    }
    return USHER_OK;
}

/* ---- the look-ups ---- */

static const struct pg_statement charts_statement = {"charts", load_charts_sql};
static const struct pg_statement unfinished_statement = {"unfinished", load_unfinished_sql};

const struct pg_lookup pg_load_charts = {&charts_statement, 1, 0, fill_charts, read_charts};
const struct pg_lookup pg_load_unfinished = {&unfinished_statement, 1, 0, fill_unfinished,
                                             read_unfinished};
