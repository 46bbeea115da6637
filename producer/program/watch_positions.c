/* Reads the positions that a watch goes on behind. */
#include "producer/program/watch_positions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum usher_status read_one(const char *text, struct usher_position *position,
                                  struct usher_error *err)
{
    int size = 0;
    *position = (struct usher_position){.partition = -1};
    int read = sscanf(text, "%9" SCNd32 ":%18" SCNd64 "%n:%18" SCNd64 "%n", &position->partition,
                      &position->seq, &size, &position->offset, &size);
    if (read >= 2 && text[size] == '\0' && position->partition >= 0 && position->seq > 0 &&
        position->offset >= 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read --after: \"%s\" is not PARTITION:SEQ or PARTITION:SEQ:OFFSET",
                    text);
    return USHER_FATAL;
}

enum usher_status watch_positions_read(struct options *options,
                                       struct usher_watch_settings *settings,
                                       struct usher_error *err)
{
    struct usher_position *positions =
        usher_arena_alloc(&options->arena, (options->given_count + 1) * sizeof *positions);
    enum usher_status status = USHER_OK;
    settings->positions = positions;
    for (size_t i = 0; status == USHER_OK && i < options->given_count; i++)
        if (strcmp(options->given[i].spec->name, "after") == 0)
            status = read_one(options->given[i].text, &positions[settings->position_count++], err);
    return status;
}
