/* Descriptors set by librdkafka's queues: see kafka_wake.h. */
#include "worker/kafka/kafka_wake.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const uint64_t increment = 1;

int kafka_wake_new(void)
{
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    assert(fd >= 0);
    return fd;
}

void kafka_wake_set(int fd)
{
    ssize_t size = write(fd, &increment, sizeof increment);
    assert(size == (ssize_t)sizeof increment || errno == EAGAIN || errno == EINTR);
}

void kafka_wake_clear(int fd)
{
    uint64_t count;
    ssize_t size = read(fd, &count, sizeof count);
    assert(size == (ssize_t)sizeof count || errno == EAGAIN || errno == EINTR);
}

void kafka_wake_on(rd_kafka_queue_t *queue, int fd)
{
    rd_kafka_queue_io_event_enable(queue, fd, &increment, sizeof increment);
}
