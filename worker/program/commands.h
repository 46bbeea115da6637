/* The commands of usher-worker, each in a file command_*.c. argv[0] is the command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMANDS_H
#define USHER_WORKER_PROGRAM_COMMANDS_H

#include "usher/status.h"

enum usher_exit command_run(int argc, char *const *argv);
enum usher_exit command_check(int argc, char *const *argv);
enum usher_exit command_migrate(int argc, char *const *argv);
enum usher_exit command_topics(int argc, char *const *argv);
enum usher_exit command_reconcile(int argc, char *const *argv);
enum usher_exit command_rebuild_cache(int argc, char *const *argv);
enum usher_exit command_print_config(int argc, char *const *argv);

#endif
