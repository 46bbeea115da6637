/* Reads a JSON object out of a file, for the commands that take one. */
#ifndef USHER_PRODUCER_JSON_FILE_H
#define USHER_PRODUCER_JSON_FILE_H

#include <jansson.h>

#include "usher/status.h"

/*
 * The object in the file ("-" is standard input), owned (json_decref). NULL with exit code 65: it
 * cannot be read, is no JSON object, or has a key twice.
 */
json_t *json_file_read(const char *path, struct usher_error *err);

/* Sets `err` to `could not read "path": reason`, exit code 65. */
void json_file_bad(const char *path, const char *reason, struct usher_error *err);

#endif
