/* The options that say how to reach PostgreSQL, and the settings read from them. */
#include "worker/postgres/pg_settings.h"

#include <string.h>

static const struct option_spec postgres_specs[] = {
    {.name = "USHER_POSTGRES",
     .secrecy = OPTION_URI,
     .fallback = "postgresql://localhost/usher",
     .value_name = "URI",
     .help =
         "the database of record, or the URIs of several, with blanks between them; not through "
         "a pooler, in whatever mode"},
    {.name = "USHER_STATEMENT_TIMEOUT",
     .type = OPTION_DURATION_MS,
     .fallback = "10s",
     .min = 100,
     .max = 50000, /* a worker that waits for one for a minute counts as stuck */
     .help = "PostgreSQL cancels a statement after this long"},
};

const struct option_group postgres_options = {
    .title = "PostgreSQL",
    .specs = postgres_specs,
    .count = sizeof postgres_specs / sizeof *postgres_specs,
};

enum usher_status pg_settings_read(const struct options *options, struct pg_settings *settings,
                                   struct usher_error *err)
{
    const char *uri = options_text(options, "USHER_POSTGRES");
    *settings = (struct pg_settings){
        .uri = uri,
        .uri_file = options_secret_file(options, "USHER_POSTGRES"),
        .statement_timeout_ms = (int)options_integer(options, "USHER_STATEMENT_TIMEOUT"),
    };
    /* libpq takes an empty or blank one for a server on this machine. */
    if (uri[strspn(uri, " \t\r\n")] != '\0')
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not use USHER_POSTGRES: it is empty");
    return USHER_FATAL;
}
