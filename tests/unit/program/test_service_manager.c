/*
 * What systemd is told, on a real notify socket: of a group whose one partition takes part, does
 * not yet, or hangs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "allocator_rig.h"
#include "producer/base/clock.h"
#include "tests/unit/unit.h"
#include "worker/partition/group.h"
#include "worker/program/worker_process.h"

enum {
    FEED_MS = 10,
    STUCK_MS = 200,
};

struct service {
    struct allocator_rig *rig;
    struct group *group;
    struct group_handler handler;
    struct service_manager *manager;
    int socket;
    char told[8192]; /* since it was last cleared */
};

/* ---- the group's callbacks ---- */

static enum usher_status read_positions(void *self, struct known_position *known,
                                        struct usher_error *err)
{
    (void)self;
    (void)err;
    known[0].next_offset = START_OFFSET;
    return USHER_OK;
}

static void open_partition(void *self, int32_t partition, struct partition_ports *ports)
{
    struct service *service = self;
    assert_int_equal(partition, 0);
    *ports = allocator_rig_ports(service->rig);
}

static void close_partition(void *self, int32_t partition)
{
    (void)self;
    (void)partition;
}

/* ---- the manager's side ---- */

/* An abstract name that the kernel chooses. */
static int open_socket(void)
{
    char name[64];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof address;
    int opened = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(
        bind(opened, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path)), 0);
    assert_int_equal(getsockname(opened, (struct sockaddr *)&address, &size), 0);
    snprintf(name, sizeof name, "@%.*s", (int)(size - offsetof(struct sockaddr_un, sun_path) - 1),
             address.sun_path + 1);
    setenv("NOTIFY_SOCKET", name, 1);
    return opened;
}

static void read_told(struct service *service)
{
    char message[1024];
    ssize_t size;
    while ((size = recv(service->socket, message, sizeof message - 1, 0)) > 0) {
        message[size] = '\0';
        if (strlen(service->told) + (size_t)size < sizeof service->told)
            strcat(service->told, message);
    }
}

static void tell(struct service *service)
{
    if (!service_manager_is_due(service->manager))
        return;
    struct service_health health = process_health(service->group, 1);
    service_manager_tell(service->manager, &health);
}

static void turn(struct service *service)
{
    usleep(1000);
    tell(service);
    read_told(service);
}

static void await_told(struct service *service, const char *text)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (!strstr(service->told, text)) {
        assert_true(clock_ms() < until_ms);
        turn(service);
    }
}

static void turn_for(struct service *service, int64_t time_ms)
{
    int64_t until_ms = clock_ms() + time_ms;
    while (clock_ms() < until_ms)
        turn(service);
}

/* Until its partition counts as stuck, and for some turns more; on a busy machine it may have
 * counted as that before. */
static void get_stuck(struct service *service)
{
    char why[128];
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    service->rig->ports.stuck = true;
    while (!service->rig->ports.is_stuck || group_alive(service->group, why, sizeof why)) {
        assert_true(clock_ms() < until_ms);
        turn(service);
    }
    turn_for(service, 5 * FEED_MS);
}

/* ---- a service ---- */

/* One of them stays until the process ends: all are kept, so that none counts as lost. */
static struct service_manager *open_manager(void)
{
    static struct service_manager *all[16];
    static size_t count;
    assert_true(count < sizeof all / sizeof all[0]);
    all[count] = service_manager_open();
    return all[count++];
}

static int setup(void **state)
{
    static struct service service;
    struct usher_error err;
    service = (struct service){0};
    allocator_rig_setup((void **)&service.rig);
    service.group = group_create(&(struct group_settings){.partition_count = 1,
                                                          .stuck_ms = STUCK_MS,
                                                          .allocator = allocator_rig_settings()},
                                 &(struct group_hooks){.self = &service,
                                                       .read_positions = read_positions,
                                                       .open = open_partition,
                                                       .close = close_partition});
    service.handler = group_handler(service.group);
    service.socket = open_socket();
    setenv("WATCHDOG_USEC", "20000", 1);
    unsetenv("WATCHDOG_PID");
    service.manager = open_manager();
    *state = &service;
    return service.manager && group_read_positions(service.group, &err) == USHER_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct service *service = *state;
    service->rig->ports.stuck = false;
    service->handler.revoked(service->handler.self, true);
    group_destroy(service->group);
    close(service->socket);
    return allocator_rig_teardown((void **)&service->rig);
}

static void assign(struct service *service)
{
    const struct assigned_partition partition = {.partition = 0};
    service->handler.assigned(service->handler.self, &partition, 1);
}

/* ---- what it tells ---- */

static void a_start_takes_as_long_as_it_moves(void **state)
{
    struct service *service = *state;
    await_told(service, "EXTEND_TIMEOUT_USEC=60000000\n");
    await_told(service, "STATUS=the consumer group has not assigned partitions yet\n");
    assert_null(strstr(service->told, "READY=1"));
    assign(service);
    await_told(service, "READY=1\n");
    await_told(service, "STATUS=1 of 1 partition\n");
}

static void without_partitions_it_is_ready_to_stand_by(void **state)
{
    struct service *service = *state;
    service->handler.assigned(service->handler.self, NULL, 0);
    await_told(service, "READY=1\nWATCHDOG=1\nSTATUS=0 of 1 partition, standing by\n");
}

static void it_is_ready_once_and_lives_as_long_as_all_partitions_move(void **state)
{
    struct service *service = *state;
    assign(service);
    await_told(service, "READY=1\n");
    for (int i = 0; i < 5; i++) {
        service->told[0] = '\0';
        await_told(service, "WATCHDOG=1\n");
        assert_null(strstr(service->told, "READY=1"));
        assert_null(strstr(service->told, "EXTEND_TIMEOUT"));
    }
    get_stuck(service);
    assert_non_null(strstr(service->told, "STATUS=partition 0 makes no progress, in state "));
    service->told[0] = '\0';
    turn_for(service, 5 * FEED_MS);
    assert_string_equal(service->told, "");
    service->rig->ports.stuck = false;
    await_told(service, "WATCHDOG=1\n");
}

static void a_halted_partition_is_said_and_no_reason_to_end(void **state)
{
    struct service *service = *state;
    service->rig->ports.commit_halts = true;
    service->rig->ports.records = 1;
    assign(service);
    await_told(service, "STATUS=1 of 1 partition, halted: 1\n");
    service->told[0] = '\0';
    await_told(service, "WATCHDOG=1\n");
}

static void a_stop_is_told(void **state)
{
    struct service *service = *state;
    service_manager_stopping(service->manager, "finishing work in flight");
    await_told(service, "STOPPING=1\nSTATUS=finishing work in flight\n");
}

/* It was started by the process that is watched, say. */
static void the_watchdog_of_another_process_is_not_fed(void **state)
{
    struct service *service = *state;
    setenv("WATCHDOG_PID", "1", 1);
    service->manager = open_manager();
    assign(service);
    await_told(service, "READY=1\n");
    assert_null(strstr(service->told, "WATCHDOG=1"));
}

static void a_manager_that_does_not_read_stops_nothing(void **state)
{
    struct service *service = *state;
    assign(service);
    for (int i = 0; i < 20; i++) {
        usleep(FEED_MS * 1000);
        tell(service);
    }
    await_told(service, "READY=1\n");
    close(service->socket);
    service->socket = -1;
    turn_for(service, 5 * FEED_MS);
    service->socket = open_socket();
}

static void nobody_is_told_where_nobody_asks(void **state)
{
    (void)state;
    static const char *const sockets[] = {"", "vsock:2:1234", NULL};
    for (size_t i = 0; sockets[i]; i++) {
        setenv("NOTIFY_SOCKET", sockets[i], 1);
        assert_null(service_manager_open());
    }
    unsetenv("NOTIFY_SOCKET");
    assert_null(service_manager_open());
    assert_false(service_manager_is_due(NULL));
    service_manager_stopping(NULL, "");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_start_takes_as_long_as_it_moves, setup, teardown),
    cmocka_unit_test_setup_teardown(without_partitions_it_is_ready_to_stand_by, setup, teardown),
    cmocka_unit_test_setup_teardown(it_is_ready_once_and_lives_as_long_as_all_partitions_move,
                                    setup, teardown),
    cmocka_unit_test_setup_teardown(a_halted_partition_is_said_and_no_reason_to_end, setup,
                                    teardown),
    cmocka_unit_test_setup_teardown(a_stop_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(the_watchdog_of_another_process_is_not_fed, setup, teardown),
    cmocka_unit_test_setup_teardown(a_manager_that_does_not_read_stops_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(nobody_is_told_where_nobody_asks, setup, teardown),
};
UNIT_TESTS(test_service_manager, tests, NULL, NULL)
