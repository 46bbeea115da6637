/*
 * The command that checks requests as a worker would, without Kafka: a file of JSON lines, or of
 * one request or definition over many lines. What a worker would ignore is wrong here, since it is
 * most likely mistyped.
 */
#include "producer/program/validate_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/codec/message_parse.h"
#include "producer/program/definition_spec.h"
#include "producer/program/lines.h"
#include "producer/program/request_build.h"
#include "producer/terminal/terminal.h"

struct check {
    const char *name;         /* of the file, for complaints */
    struct usher_arena arena; /* of one request */
    int64_t requests, wrong;
};

static void complain(struct check *check, int64_t line, const char *reason)
{
    if (line > 0)
        terminal_complain("usher-producer", "%s line %" PRId64 ": %s", check->name, line, reason);
    else
        terminal_complain("usher-producer", "%s: %s", check->name, reason);
    check->wrong++;
}

static void check_request(struct check *check, int64_t line, const char *json, size_t size)
{
    struct usher_request request;
    struct usher_error err = {.text = ""};
    check->requests++;
    enum usher_status status = usher_request_decode(json, size, &check->arena, &request, &err);
    if (status == USHER_OK)
        status = request_check_strictly(&request, &err);
    if (status != USHER_OK)
        complain(check, line, err.text);
}

/* A file for define --file may leave to the command what else a request has; no other may. */
static void check_object(struct check *check, yyjson_val *root, const struct usher_buffer *bytes)
{
    struct usher_buffer completed = {0};
    const struct usher_request missing = {
        .request_id = yyjson_obj_get(root, "request_id") ? NULL : "id",
        .resource = yyjson_obj_get(root, "resource") ? NULL : "resource",
    };
    bool is_file = !yyjson_obj_get(root, "op") &&
                   definition_file_complete(root, &missing, &check->arena, &completed);
    const struct usher_buffer *request = is_file ? &completed : bytes;
    check_request(check, 0, request->at, request->size);
    usher_buffer_deinit(&completed);
}

/* ---- lines ---- */

/* A line of a file; none at first. */
struct line {
    int64_t number;
    const char *at;
    size_t size; /* without its end */
    const char *rest;
};

static bool next_line(struct line *line, const struct usher_buffer *bytes)
{
    const char *end = bytes->at + bytes->size;
    line->at = line->number == 0 ? bytes->at : line->rest;
    if (line->at >= end)
        return false;
    const char *newline = memchr(line->at, '\n', (size_t)(end - line->at));
    line->number++;
    line->size = (size_t)((newline ? newline : end) - line->at);
    line->rest = line->at + line->size + 1;
    if (line->size > 0 && line->at[line->size - 1] == '\r')
        line->size--;
    return true;
}

static void check_lines(struct check *check, const struct usher_buffer *bytes)
{
    struct line line = {0};
    while (next_line(&line, bytes)) {
        usher_arena_reset(&check->arena);
        if (line.size > 0)
            check_request(check, line.number, line.at, line.size);
    }
}

static bool is_request(struct check *check, const struct line *line)
{
    const struct message_reader reader = {.arena = &check->arena};
    struct message_tree tree;
    if (line->size == 0 || line->at[0] != '{')
        return false;
    bool is_one = message_parse(&reader, line->at, line->size, &tree) == USHER_OK &&
                  yyjson_obj_get(tree.root, "op");
    message_tree_close(&tree);
    return is_one;
}

static bool ends_object(const struct line *line)
{
    size_t size = line->size;
    while (size > 0 && line->at[size - 1] == ' ')
        size--;
    return size == 0 || line->at[size - 1] == '}';
}

/*
 * What is not one object is lines, unless the first is the beginning of an object that goes on: but
 * then no line is a request, as one behind a line that was cut is.
 */
static bool is_lines(struct check *check, const struct usher_buffer *bytes)
{
    struct line line = {0};
    bool found =
        next_line(&line, bytes) && (ends_object(&line) || line.rest > bytes->at + bytes->size);
    while (!found && next_line(&line, bytes))
        found = is_request(check, &line);
    return found;
}

static void check_many(struct check *check, const struct usher_buffer *bytes,
                       const struct message_fault *fault)
{
    int64_t line = 1;
    if (bytes->size == 0)
        return;
    if (is_lines(check, bytes)) {
        check_lines(check, bytes);
        return;
    }
    for (size_t i = 0; i < fault->offset && i < bytes->size; i++)
        line += bytes->at[i] == '\n';
    check->requests++;
    complain(check, line, message_fault_text(&check->arena, fault));
}

static enum usher_status check_file(struct check *check, const char *path, struct usher_error *err)
{
    struct usher_buffer bytes = {0};
    struct message_tree tree = {.root = NULL};
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = &check->arena, .fault = &fault};
    enum usher_status status = json_file_bytes(path, &bytes, err);
    check->name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (status == USHER_OK && message_parse(&reader, bytes.at, bytes.size, &tree) == USHER_OK)
        check_object(check, tree.root, &bytes);
    else if (status == USHER_OK)
        check_many(check, &bytes, &fault);
    message_tree_close(&tree);
    usher_arena_reset(&check->arena);
    usher_buffer_deinit(&bytes);
    return status;
}

enum usher_exit validate_command(const struct program_command *command, struct options *options,
                                 struct usher_error *err)
{
    static const char *const standard_input[] = {"-"};
    bool named = options->argument_count > 0;
    const char *const *paths = named ? options->arguments : standard_input;
    size_t count = named ? options->argument_count : 1;
    struct check check = {.name = NULL};
    enum usher_status status = USHER_OK;
    (void)command;
    for (size_t i = 0; status == USHER_OK && i < count; i++)
        status = check_file(&check, paths[i], err);
    usher_arena_deinit(&check.arena);
    if (status != USHER_OK)
        return err->exit_code;
    printf("%" PRId64 " request%s, %" PRId64 " wrong\n", check.requests, PLURAL(check.requests),
           check.wrong);
    return check.wrong > 0 ? USHER_EXIT_BAD_INPUT : USHER_EXIT_DONE;
}
