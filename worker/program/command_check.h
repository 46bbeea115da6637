/*
 * The commands that prepare and check what the worker depends on: `usher-worker check`,
 * `migrate`, `topics` and `print-config`.
 */
#ifndef USHER_WORKER_PROGRAM_COMMAND_CHECK_H
#define USHER_WORKER_PROGRAM_COMMAND_CHECK_H

#include "worker/program/worker_options.h"

extern const struct program_command check_command;

/*
 * ==== Migrate ====
 *
 * `usher-worker migrate up|list|print`: the database schema.
 */

extern const struct program_command migrate_command;

/*
 * ==== Topics ====
 *
 * `usher-worker topics create|check`: the Kafka topics.
 */

extern const struct program_command topics_command;

/*
 * ==== Print-config ====
 *
 * `usher-worker print-config`: prints every option.
 */

extern const struct program_command print_config_command;

#endif
