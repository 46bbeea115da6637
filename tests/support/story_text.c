/* Lines, then words, then JSON. */
#include "story_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

#include "usher/message.h"

enum {
    MAX_STORIES = 100, /* of a file */
    MAX_STEPS = 100,   /* of a story */
    MAX_TOLD = 40,     /* of a step */
    MAX_NAMES = 50,    /* of a file */
    MAX_DEPTH = 32
};

static _Noreturn void give_up(const char *complaint, const char *text)
{
    (void)fprintf(stderr, "a story is not read: %s: %s\n", complaint, text);
    abort();
}

/* ==== Words ==== */

/* 90s, 1h30m. */
static int64_t read_duration(const char *text)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    int64_t ms = 0;
    for (char *end; *text; text = end) {
        int64_t count = strtoll(text, &end, 10);
        size_t size = strspn(end, "msdh");
        const char *unit = end;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (size == strlen(units[i].unit) && strncmp(unit, units[i].unit, size) == 0) {
                ms += count * units[i].ms;
                end += size;
                break;
            }
        if (end == unit)
            give_up("no duration", text);
    }
    return ms;
}

static bool is_number(const char *word)
{
    char *end;
    (void)strtod(word, &end);
    return !*end && end > word && (isdigit((unsigned char)*word) || *word == '-') &&
           (*word != '0' || !isdigit((unsigned char)word[1]));
}

static void append_word(struct usher_buffer *json, const char *word)
{
    if (*word == '@') {
        char instant[USHER_INSTANT_SIZE];
        int64_t after_ms = word[1] == '-' ? -read_duration(word + 2) : read_duration(word + 1);
        usher_instant_format(STORY_START_MS + after_ms, instant);
        usher_buffer_json_string(json, instant);
    } else if (is_number(word) || strcmp(word, "true") == 0 || strcmp(word, "false") == 0 ||
               strcmp(word, "null") == 0) {
        usher_buffer_text(json, word);
    } else {
        usher_buffer_json_string(json, word);
    }
}

/* The size of a word without quotes: it may have blanks and colons in it. */
static size_t word_size(const char *text)
{
    size_t size = 0;
    while (text[size] && !strchr("[]{},\"", text[size]) &&
           !(text[size] == ':' && (text[size + 1] == ' ' || !text[size + 1])))
        size++;
    while (size > 0 && text[size - 1] == ' ')
        size--;
    return size;
}

static size_t quoted_size(const char *text)
{
    size_t size = 1;
    while (text[size] != '"')
        size += text[size] == '\\' ? 2 : 1;
    return size + 1;
}

/* Appends one word, or what stands between two; returns its size. */
static size_t append_next(struct usher_buffer *json, const char *text, bool in_object)
{
    if (*text == '"') {
        usher_buffer_append(json, text, quoted_size(text));
        return quoted_size(text);
    }
    size_t size = word_size(text);
    if (size == 0) {
        usher_buffer_append(json, text, 1);
        return 1;
    }
    char word[500];
    if (size >= sizeof word)
        give_up("a long word", text);
    memcpy(word, text, size);
    word[size] = '\0';
    if (text[size] == ':')
        usher_buffer_json_string(json, word);
    else if (in_object && strcmp(word, "...") == 0)
        usher_buffer_text(json, "\"...\":true");
    else
        append_word(json, word);
    return size;
}

static void append_fields(struct usher_buffer *json, const char *text)
{
    char open[MAX_DEPTH] = "{";
    size_t depth = 0;
    while (*text) {
        bool in_object = open[depth] == '{';
        if (*text == ' ') {
            text++;
            continue;
        }
        if ((*text == '{' || *text == '[') && depth + 1 < MAX_DEPTH)
            open[++depth] = *text;
        else if ((*text == '}' || *text == ']') && depth > 0)
            depth--;
        text += append_next(json, text, in_object);
    }
    if (depth > 0)
        give_up("a bracket is not closed", text);
}

/* ==== Steps ==== */

static char *take_word(struct usher_arena *arena, const char **line)
{
    *line += strspn(*line, " ");
    size_t size = strcspn(*line, " ");
    char *word = usher_arena_text(arena, *line, size);
    *line += size + strspn(*line + size, " ");
    return word;
}

static const char *keep(struct usher_arena *arena, struct usher_buffer *json)
{
    const char *kept = usher_arena_text(arena, json->at, json->size);
    usher_buffer_deinit(json);
    return kept;
}

/* `hold h1  customer: c` and the like. */
static void read_step(struct usher_arena *arena, struct story_step *step, const char *line)
{
    *step = (struct story_step){.line = line};
    step->told = usher_arena_alloc(arena, MAX_TOLD * sizeof *step->told);
    const char *op = take_word(arena, &line);
    const char *name = take_word(arena, &line);
    step->idle = strcmp(op, "later") == 0;
    if (step->idle || strcmp(op, "after") == 0) {
        step->passes_ms = read_duration(name);
        return;
    }
    struct usher_buffer json = {0};
    usher_buffer_text(&json, "{\"request_id\":");
    usher_buffer_json_string(&json, name);
    usher_buffer_text(&json, ",\"op\":");
    usher_buffer_json_string(&json, op);
    if (strncmp(line, "resource: ", 10) != 0)
        usher_buffer_text(&json, ",\"resource\":\"r\"");
    usher_buffer_text(&json, *line ? "," : "");
    append_fields(&json, line);
    usher_buffer_text(&json, "}");
    step->request = keep(arena, &json);
}

/* `refused not_enough  retryable: true` and the like. */
static void read_told(struct usher_arena *arena, struct story_step *step, const char *line)
{
    if (strcmp(line, "nothing") == 0) {
        step->nothing = true;
        return;
    }
    if (step->told_count == MAX_TOLD)
        give_up("too much is told", line);
    struct usher_buffer json = {0};
    usher_buffer_text(&json, "{\"outcome\":");
    usher_buffer_json_string(&json, take_word(arena, &line));
    size_t size = strcspn(line, " ");
    if (size > 0 && line[size - 1] != ':') {
        usher_buffer_text(&json, ",\"reason\":");
        usher_buffer_json_string(&json, take_word(arena, &line));
    }
    usher_buffer_text(&json, *line ? "," : "");
    append_fields(&json, line);
    usher_buffer_text(&json, "}");
    step->told[step->told_count++] = keep(arena, &json);
}

/* ==== Files ==== */

struct reading {
    struct story_file *file;
    struct story before; /* what comes before each story */
    struct story *story;
    const char *names[MAX_NAMES], *texts[MAX_NAMES];
    size_t name_count;
};

/* `let hall  sections: […]`: what $hall stands for from now on. */
static void let(struct reading *reading, const char *line)
{
    if (reading->name_count == MAX_NAMES)
        give_up("too many names", line);
    reading->names[reading->name_count] = take_word(&reading->file->arena, &line);
    reading->texts[reading->name_count++] = line;
}

/* The newest text of that name. */
static const char *text_of(const struct reading *reading, const char *name, size_t size)
{
    for (size_t i = reading->name_count; i > 0; i--)
        if (strlen(reading->names[i - 1]) == size &&
            strncmp(reading->names[i - 1], name, size) == 0)
            return reading->texts[i - 1];
    give_up("no such name", name);
}

static const char *with_names(struct reading *reading, const char *line)
{
    struct usher_buffer text = {0};
    for (const char *name; (name = strchr(line, '$')); line = name) {
        usher_buffer_append(&text, line, (size_t)(name++ - line));
        size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz");
        usher_buffer_text(&text, text_of(reading, name, size));
        name += size;
    }
    usher_buffer_text(&text, line);
    return keep(&reading->file->arena, &text);
}

static void begin_story(struct reading *reading, const char *title)
{
    struct usher_arena *arena = &reading->file->arena;
    if (reading->file->count == MAX_STORIES)
        give_up("too many stories", title);
    reading->story = &reading->file->stories[reading->file->count++];
    *reading->story = reading->before;
    reading->story->title = title;
    reading->story->steps = usher_arena_alloc(arena, MAX_STEPS * sizeof *reading->story->steps);
    memcpy(reading->story->steps, reading->before.steps,
           reading->before.count * sizeof *reading->story->steps);
}

static void read_line(struct reading *reading, const char *line)
{
    struct usher_arena *arena = &reading->file->arena;
    struct story *story = reading->story;
    line = with_names(reading, line);
    if (strncmp(line, "let ", 4) == 0) {
        let(reading, line + 4);
    } else if (strncmp(line, "== ", 3) == 0) {
        begin_story(reading, line + 3);
    } else if (strncmp(line, "-- ", 3) == 0) {
        reading->before.count = 0;
        reading->story = &reading->before;
    } else if (strcmp(line, "also late") == 0) {
        story->late = true;
    } else if (*line == ' ') {
        if (story->count == 0)
            give_up("told of nothing", line);
        read_told(arena, &story->steps[story->count - 1], line + strspn(line, " "));
    } else {
        const char *arrow = strstr(line, " -> ");
        const char *request = arrow ? usher_arena_text(arena, line, (size_t)(arrow - line)) : line;
        if (story->count == MAX_STEPS)
            give_up("too many steps", line);
        read_step(arena, &story->steps[story->count++], request);
        if (arrow)
            read_told(arena, &story->steps[story->count - 1], arrow + strlen(" -> "));
    }
}

static char *read_whole(const char *path)
{
    static char text[200000];
    FILE *file = fopen(path, "r");
    if (!file)
        give_up("could not open", path);
    size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    if (size == sizeof text - 1)
        give_up("too large", path);
    text[size] = '\0';
    return text;
}

void story_read(struct story_file *file, const char *path)
{
    *file = (struct story_file){0};
    file->stories = usher_arena_alloc(&file->arena, MAX_STORIES * sizeof *file->stories);
    struct reading reading = {.file = file};
    reading.before.steps = usher_arena_alloc(&file->arena, MAX_STEPS * sizeof(struct story_step));
    reading.story = &reading.before;
    struct usher_buffer line = {0};
    char *rest = read_whole(path);
    for (char *next; (next = strsep(&rest, "\n"));) {
        size_t blanks = strspn(next, " ");
        if (*next == '#' || !next[blanks])
            continue;
        /* A line goes on in the next where it ends with a comma. */
        usher_buffer_text(&line, line.size > 0 ? " " : "");
        usher_buffer_text(&line, next + (line.size > 0 ? blanks : 0));
        if (line.at[line.size - 1] == ',')
            continue;
        read_line(&reading, usher_arena_text(&file->arena, line.at, line.size));
        line.size = 0;
    }
    if (line.size > 0)
        give_up("does not end", path);
    usher_buffer_deinit(&line);
}

/* ==== Answers ==== */

static bool is_same(yyjson_val *told, yyjson_val *found, bool may_say_more, char place[200]);

static bool is_same_object(yyjson_val *told, yyjson_val *found, bool may_say_more, char place[200])
{
    size_t at, count, matched = 0;
    yyjson_val *name, *value;
    if (!yyjson_is_obj(found))
        return false;
    yyjson_obj_foreach(told, at, count, name, value) {
        const char *key = yyjson_get_str(name);
        yyjson_val *other = yyjson_obj_get(found, key);
        if (strcmp(key, "...") == 0) {
            may_say_more = true;
        } else if (yyjson_equals_str(value, "absent") ? other != NULL
                                                      : !is_same(value, other, false, place)) {
            if (!*place)
                (void)snprintf(place, 200, "%s", key);
            return false;
        }
        matched += other ? 1 : 0;
    }
    return may_say_more || matched == yyjson_obj_size(found);
}

static bool is_same_list(yyjson_val *told, yyjson_val *found, char place[200])
{
    size_t count = yyjson_arr_size(told);
    bool may_say_more = count > 0 && yyjson_equals_str(yyjson_arr_get_last(told), "...");
    count -= may_say_more ? 1 : 0;
    if (!yyjson_is_arr(found) || yyjson_arr_size(found) < count ||
        (!may_say_more && yyjson_arr_size(found) != count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_same(yyjson_arr_get(told, i), yyjson_arr_get(found, i), false, place))
            return false;
    return true;
}

static bool is_same(yyjson_val *told, yyjson_val *found, bool may_say_more, char place[200])
{
    if (yyjson_is_obj(told))
        return is_same_object(told, found, may_say_more, place);
    if (yyjson_is_arr(told))
        return is_same_list(told, found, place);
    return found && yyjson_equals(told, found);
}

bool story_is_told(const char *told, const char *fields, char place[200])
{
    char *answer;
    if (asprintf(&answer, "{%s}", fields) < 0)
        abort();
    yyjson_doc *expected = yyjson_read(told, strlen(told), 0);
    yyjson_doc *found = yyjson_read(answer, strlen(answer), 0);
    if (!expected || !found)
        give_up("no JSON", expected ? fields : told);
    *place = '\0';
    bool same = is_same(yyjson_doc_get_root(expected), yyjson_doc_get_root(found), true, place);
    yyjson_doc_free(expected);
    yyjson_doc_free(found);
    free(answer);
    return same;
}
