/* Resources to define, from a CSV file: the options, then the file. */
#include "producer/program/shows.h"

#include <stdio.h>
#include <string.h>

#include "producer/codec/message_fault.h"
#include "producer/program/flag_values.h"
#include "producer/program/json_file.h"
#include "producer/program/request_build.h"
#include "producer/program/request_fault.h"
#include "producer/program/shows_lines.h"

/* ---- the flags ---- */

static bool has_rows(const struct chart_file *chart)
{
    for (uint32_t i = 0; chart && i < chart->section_count; i++)
        if (chart->sections[i].row_count > 0)
            return true;
    return false;
}

/* Rows beside those of the plan would make it another chart than the one that is named. */
static enum usher_status check_rows(const struct definition_flags *base, struct usher_error *err)
{
    for (uint32_t i = 0; i < base->definition.section_count; i++) {
        if (base->sections[i].row_count == 0 || definition_is_of_plan(base, &base->sections[i]))
            continue;
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use %s: with --shows all rows come by --plan",
                        base->section_origins[i]);
        return USHER_FATAL;
    }
    return USHER_OK;
}

static enum usher_status check_flags(const struct options *options, struct usher_error *err)
{
    if (options->argument_count > 0) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not use \"%s\": --shows names the resources",
                        options->arguments[0]);
        return USHER_FATAL;
    }
    if (options_has(options, "file")) {
        usher_error_set(err, USHER_EXIT_USAGE, "give either --shows or --file");
        return USHER_FATAL;
    }
    if (options_bool(options, "no-wait")) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use --no-wait: --shows goes by the answers");
        return USHER_FATAL;
    }
    return request_check_text(options, err);
}

/* Reports what is wrong with the options once, not per line. */
static enum usher_status check_sample(struct options *options, const struct shows *shows,
                                      const struct definition_flags *base, struct usher_error *err)
{
    static const struct usher_request no_request;
    struct show sample = {.resource = "sample", .definition = base->definition};
    struct request_origin origin = {.options = options, .request = &no_request, .definition = base};
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = &options->arena, .fault = &fault};
    enum usher_status status = show_check(shows, &sample, true, &reader, err);
    if (status == USHER_REJECT)
        request_fault_report(&origin, &fault, err);
    return status == USHER_OK ? USHER_OK : USHER_FATAL;
}

static enum usher_status read_flags(struct options *options, struct definition_flags *base,
                                    struct shows *shows, struct usher_error *err)
{
    const char *deadline = options_text(options, "deadline");
    enum usher_status status = definition_build(options, base, err);
    if (status == USHER_OK && deadline)
        status = flag_deadline("--deadline", deadline, &shows->deadline_ms, err);
    if (status == USHER_OK)
        status = check_sample(options, shows, base, err);
    if (status == USHER_OK && has_rows(base->chart)) {
        shows->chart = base->chart;
        status = check_rows(base, err);
    }
    return status;
}

enum usher_status shows_read(struct options *options, struct shows *shows, struct usher_error *err)
{
    char *id = usher_arena_alloc(&options->arena, REQUEST_ID_SIZE);
    struct definition_flags *base = usher_arena_alloc(&options->arena, sizeof *base);
    struct usher_buffer text = {0};
    struct shows_source source = {
        .options = options, .path = options_text(options, "shows"), .base = base};
    request_id_random(id);
    *shows = (struct shows){
        .request_id = options_has(options, "request-id") ? options_text(options, "request-id") : id,
        .client = options_text(options, "client"),
        .flags = &base->definition,
    };
    enum usher_status status = check_flags(options, err);
    if (status == USHER_OK)
        status = read_flags(options, base, shows, err);
    if (status == USHER_OK)
        status = json_file_bytes(source.path, &text, err);
    struct csv csv = {
        .name = source.path, .at = text.at, .left = text.size, .arena = &options->arena};
    if (status == USHER_OK)
        status = shows_lines_read(&source, &csv, shows, err);
    usher_buffer_deinit(&text);
    return status;
}
