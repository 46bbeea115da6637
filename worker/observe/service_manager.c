/* The protocol of sd_notify(3). */
#include "worker/observe/service_manager.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"

enum {
    CHECK_MS = 1000,   /* how often it is looked at, unless the watchdog is quicker */
    EXTEND_MS = 60000, /* what a start may take from now on, as long as it lives */
    MESSAGE_SIZE = SERVICE_SAID_SIZE + 128,
};

struct service_manager {
    int socket;
    struct sockaddr_un address;
    socklen_t address_size;
    bool is_watched;
    int64_t feed_ms, check_ms; /* how often */
    int64_t feed_at_ms, check_at_ms;
    bool told_ready;
    char notified[SERVICE_SAID_SIZE]; /* as STATUS */
    struct log_limit failure_log;
};

/* ---- opening ---- */

/* A path, or a name of the abstract namespace behind '@'. Others (vsock) are for virtual machines.
 */
static bool read_address(struct service_manager *manager, const char *name)
{
    size_t size = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || size >= sizeof manager->address.sun_path)
        return false;
    manager->address.sun_family = AF_UNIX;
    memcpy(manager->address.sun_path, name, size);
    if (name[0] == '@')
        manager->address.sun_path[0] = '\0';
    manager->address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    return true;
}

/* One of another process is not ours: that one may have started us. */
static int64_t read_watchdog_ms(void)
{
    const char *time = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    if (!time || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    return strtoll(time, NULL, 10) / 1000;
}

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static void set_pace(struct service_manager *manager, int64_t watchdog_ms)
{
    manager->is_watched = watchdog_ms > 0;
    manager->feed_ms = manager->is_watched ? smaller(watchdog_ms, EXTEND_MS) / 2 : EXTEND_MS / 2;
    manager->check_ms = smaller(manager->feed_ms / 2, CHECK_MS);
}

struct service_manager *service_manager_open(void)
{
    const char *name = getenv("NOTIFY_SOCKET");
    if (!name || name[0] == '\0')
        return NULL;
    struct service_manager *manager = memory_calloc(1, sizeof *manager);
    set_pace(manager, read_watchdog_ms());
    manager->socket = -1;
    if (read_address(manager, name))
        manager->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (manager->socket >= 0)
        return manager;
    log_warning(NULL, "could not use NOTIFY_SOCKET \"%s\": the service manager is not notified",
                name);
    free(manager);
    return NULL;
}

/* ---- telling ---- */

/*
 * A manager that does not read must not stop the loop: a message that it did not take is sent
 * again.
 */
static bool notify(const struct service_manager *manager, const char *message)
{
    ssize_t sent = sendto(manager->socket, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT,
                          (const struct sockaddr *)&manager->address, manager->address_size);
    return sent >= 0;
}

/* One line: an error of PostgreSQL may have several. */
static void make_line(char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '\n' || *text == '\r' || *text == '\t')
            *text = ' ';
}

/* Of what is to be told, the lines that are due; none: an empty message. */
static void write_message(const struct service_manager *manager,
                          const struct service_health *health, bool feed, char *message)
{
    char extend[48] = "";
    bool starting = !manager->told_ready;
    bool changed = strcmp(health->said, manager->notified) != 0;
    if (starting && !health->ready && feed)
        snprintf(extend, sizeof extend, "EXTEND_TIMEOUT_USEC=%d000\n", EXTEND_MS);
    snprintf(message, MESSAGE_SIZE, "%s%s%s%s%s%s", starting && health->ready ? "READY=1\n" : "",
             extend, feed && manager->is_watched ? "WATCHDOG=1\n" : "", changed ? "STATUS=" : "",
             changed ? health->said : "", changed ? "\n" : "");
}

bool service_manager_is_due(const struct service_manager *manager)
{
    return manager && clock_ms() >= manager->check_at_ms;
}

void service_manager_tell(struct service_manager *manager, struct service_health *health)
{
    char message[MESSAGE_SIZE];
    int64_t now_ms = clock_ms();
    make_line(health->said);
    bool feed = health->alive && now_ms >= manager->feed_at_ms;
    manager->check_at_ms = now_ms + manager->check_ms;
    write_message(manager, health, feed, message);
    if (message[0] != '\0' && !notify(manager, message)) {
        log_failure(&manager->failure_log, NULL, LOG_LEVEL_WARNING,
                    "could not notify the service manager: %s", strerror(errno));
        return;
    }
    if (feed)
        manager->feed_at_ms = now_ms + manager->feed_ms;
    manager->told_ready = manager->told_ready || health->ready;
    memcpy(manager->notified, health->said, sizeof manager->notified);
}

void service_manager_stopping(const struct service_manager *manager, const char *said)
{
    char message[MESSAGE_SIZE];
    snprintf(message, sizeof message, "STOPPING=1\nSTATUS=%s\n", said);
    if (manager)
        (void)notify(manager, message);
}
