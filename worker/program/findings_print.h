/* Prints what checks find: a line each for people, or of JSON. */
#ifndef USHER_WORKER_PROGRAM_FINDINGS_PRINT_H
#define USHER_WORKER_PROGRAM_FINDINGS_PRINT_H

#include "producer/base/options.h"
#include "producer/terminal/terminal.h"
#include "worker/model/findings.h"

struct findings_printer {
    struct terminal terminal;
    bool json;
};

/* On standard output, as --json and --color say. */
struct findings_printer findings_printer_of(const struct options *options);

/* What the checks tell; borrows the printer. */
struct findings findings_to(struct findings_printer *printer);

#endif
