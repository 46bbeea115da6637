/*
 * Prints the contract into the files that repeat it: contract [--check]. With --check it writes
 * nothing, and complains of files that are not as the rows are. Run from the root of the source by
 * `make contract` and tests/lint/contract, not installed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "deploy/contract/contract.h"
#include "usher/status.h"

/* All of it is printed. */
static const char json[] = "schema/messages/contract.json";

/* What is marked is printed. */
static const char *const files[] = {
    "schema/messages/request.schema.json", "schema/messages/answer.schema.json",
    "schema/messages/reasons.md",          "producer/docs/write-a-service.md",
    "worker/dashboard/page/staff.js",
};

/* Ends the text with a NUL. */
static bool read_file(const char *path, struct usher_buffer *text)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t count;
    do {
        count = fread(usher_buffer_reserve(text, 65536), 1, 65536, file);
        text->size += count;
    } while (count > 0);
    bool fine = !ferror(file);
    *usher_buffer_reserve(text, 1) = '\0';
    fclose(file);
    return fine;
}

static bool write_file(const char *path, const struct usher_buffer *text)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool fine = fwrite(text->at, 1, text->size, file) == text->size;
    return fclose(file) == 0 && fine;
}

/* False: the file is not as the rows are, or cannot be written. */
static bool renew(const char *path, bool checks)
{
    struct usher_buffer old = {0}, printed = {0};
    bool fine = read_file(path, &old);
    if (path == json)
        contract_json(&printed);
    else if (fine)
        contract_renew(&printed, old.at);
    bool same = fine && old.size == printed.size && memcmp(old.at, printed.at, printed.size) == 0;
    if (!fine)
        fprintf(stderr, "could not read %s: %s\n", path, strerror(errno));
    else if (!same && checks)
        fprintf(stderr, "%s is not as the rows are: run make contract\n", path);
    else if (!same && !(same = write_file(path, &printed)))
        fprintf(stderr, "could not write %s: %s\n", path, strerror(errno));
    usher_buffer_deinit(&old);
    usher_buffer_deinit(&printed);
    return same;
}

int main(int argc, char **argv)
{
    bool checks = argc == 2 && strcmp(argv[1], "--check") == 0;
    if (argc > 1 && !checks) {
        fprintf(stderr, "usage: contract [--check]\n");
        return USHER_EXIT_USAGE;
    }
    bool fine = renew(json, checks);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        fine = renew(files[i], checks) && fine;
    return fine ? USHER_EXIT_DONE : USHER_EXIT_DIFFERENCE;
}
