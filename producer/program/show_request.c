/* The requests that define the resources of a CSV file. */
#include "producer/program/show_request.h"

#include "producer/codec/request_decode.h"
#include "producer/program/chart_file.h"

/* Without the rows of the plan: prices and capacities stay. */
static void name_chart(const struct shows *shows, struct usher_definition *definition,
                       struct usher_arena *arena)
{
    struct usher_section *sections =
        usher_arena_alloc(arena, (definition->section_count + 1) * sizeof *sections);
    for (uint32_t i = 0; i < definition->section_count; i++) {
        sections[i] = definition->sections[i];
        sections[i].rows = NULL;
        sections[i].row_count = 0;
    }
    definition->sections = sections;
    definition->plan = NULL;
    definition->chart = shows->chart->name;
}

void show_encode(const struct shows *shows, const struct show *show, bool with_plan,
                 struct usher_buffer *out)
{
    struct usher_arena arena = {0};
    struct usher_definition definition = show->definition;
    struct usher_request request = {
        .request_id = shows->request_id,
        .op = USHER_OP_DEFINE,
        .resource = show->resource,
        .client = shows->client,
        .deadline_ms = shows->deadline_ms,
        .definition = &definition,
    };
    if (!with_plan && shows->chart)
        name_chart(shows, &definition, &arena);
    usher_request_encode(&request, out);
    usher_arena_deinit(&arena);
}

enum usher_status show_check(const struct shows *shows, const struct show *show, bool with_plan,
                             const struct message_reader *reader, struct usher_error *err)
{
    struct usher_buffer json = {0};
    struct usher_request request;
    show_encode(shows, show, with_plan, &json);
    enum usher_status status =
        request_decode(json.at, json.size, reader->arena, &request, reader->fault);
    if (status == USHER_OK)
        status = definition_check_chart(request.definition, err);
    usher_buffer_deinit(&json);
    return status;
}
