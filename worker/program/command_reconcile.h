/* `usher-worker reconcile` and `rebuild-cache`. argv[0] is the command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RECONCILE_H
#define USHER_WORKER_PROGRAM_COMMAND_RECONCILE_H

#include "usher/status.h"

enum usher_exit command_reconcile(int argc, char *const *argv);
enum usher_exit command_rebuild_cache(int argc, char *const *argv);

#endif
