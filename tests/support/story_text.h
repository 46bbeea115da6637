/*
 * Stories as files have them (tests/stories/README.md): words without quotes become JSON.
 */
#ifndef STORY_TEXT_H
#define STORY_TEXT_H

#include <stdbool.h>

#include "usher/memory.h"

#define STORY_START_MS 1000000 /* when each begins */

/* A request or a time that passes, and what is told of it. */
struct story_step {
    const char *line;    /* as it is in the file */
    const char *request; /* JSON; NULL: a time passes */
    int64_t passes_ms;
    bool idle;         /* nothing is done when that time has passed */
    const char **told; /* JSON: the answer; then, or at once after a time, what nobody asked for */
    size_t told_count;
    bool nothing; /* … of which there is no more */
};

struct story {
    const char *title;
    bool late; /* also decided a minute late */
    struct story_step *steps;
    size_t count;
};

struct story_file {
    struct story *stories;
    size_t count;
    struct usher_arena arena;
};

/* Aborts with the line where a file is no story. */
void story_read(struct story_file *file, const char *path);

/* Whether JSON fields (no braces around them) are as told; if not, `place` says which one is not.
 */
bool story_is_told(const char *told, const char *fields, char place[200]);

#endif
