/*
 * `usher-worker run`: decides requests until it is stopped. With it comes what a long-running
 * process needs: signals, the service manager, and enough open files.
 */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RUN_H
#define USHER_WORKER_PROGRAM_COMMAND_RUN_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/partition/group.h"
#include "worker/program/worker_options.h"

struct service_manager;

extern const struct program_command run_command;

/*
 * ==== Service manager ====
 *
 * Notifications to the service manager that started the worker (systemd, Type=notify): that it is
 * ready, how it is, that it stops, and, as long as every partition's loop moves, that it lives. By
 * the protocol of sd_notify(3), which is one datagram and promised to stay: libsystemd would bring
 * five libraries into a process that handles passwords.
 */

/*
 * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. NULL, which all functions take: nobody wants
 * to be told. To be opened once; it stays until the process ends, as a signal may come until then.
 */
struct service_manager *service_manager_open(void);

/*
 * Sends due notifications, without waiting; to be called at every turn of the main loop. READY
 * once, when the group first is; until then, as long as all loops move, that the start takes
 * longer. WATCHDOG twice within its time or more often, only while all loops move. STATUS where it
 * changed.
 */
void service_manager_turn(struct service_manager *manager, struct group *group,
                          int32_t partition_count);

/* Tells that the worker stops. Any thread. */
void service_manager_stopping(const struct service_manager *manager);

#endif
