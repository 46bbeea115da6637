/* `usher-worker reconcile` and `rebuild-cache`, and findings printed for people or as JSON. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RECONCILE_H
#define USHER_WORKER_PROGRAM_COMMAND_RECONCILE_H

#include "producer/base/options.h"
#include "producer/terminal/terminal.h"
#include "worker/model/findings.h"
#include "worker/program/worker_options.h"

extern const struct program_command reconcile_command;

extern const struct program_command rebuild_cache_command;

/*
 * ==== Findings ====
 *
 * Prints what checks find: a line each for people, or of JSON.
 */

struct findings_printer {
    struct terminal terminal;
    bool json;
};

/* On standard output, as --json and --color say. */
struct findings_printer findings_printer_of(const struct options *options);

/* Findings that are printed; borrows the printer. */
struct findings findings_to(struct findings_printer *printer);

#endif
