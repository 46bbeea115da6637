/*
 * Notifications to the service manager that started the process (systemd, Type=notify): that it is
 * ready, how it is, that it stops, and, as long as it makes progress, that it lives. By the
 * protocol of sd_notify(3), which is one datagram and promised to stay: libsystemd would bring five
 * libraries into a process that handles passwords. Knows nothing of what the process does.
 */
#ifndef USHER_WORKER_OBSERVE_SERVICE_MANAGER_H
#define USHER_WORKER_OBSERVE_SERVICE_MANAGER_H

#include <stdbool.h>

enum {
    SERVICE_SAID_SIZE = 256
};

/* How the process is at this moment. */
struct service_health {
    bool alive, ready;
    char said[SERVICE_SAID_SIZE]; /* for people, as STATUS */
};

struct service_manager;

/*
 * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. NULL, which all functions take: nobody wants
 * to be told. To be opened once; it stays until the process ends, as a signal may come until then.
 */
struct service_manager *service_manager_open(void);

/* Whether the manager is to be told now how the process is. */
bool service_manager_is_due(const struct service_manager *manager);

/*
 * Sends due notifications, without waiting; to be called whenever the manager is due. READY once,
 * when the process first is; until then, as long as it lives, that the start takes longer. WATCHDOG
 * twice within its time or more often, only while it lives. STATUS where it changed, in one line.
 */
void service_manager_tell(struct service_manager *manager, struct service_health *health);

/* Tells that the process stops, and what it does meanwhile. Any thread. */
void service_manager_stopping(const struct service_manager *manager, const char *said);

#endif
