/* An eventfd: one descriptor, whoever writes to it. */
#include "producer/client/descriptor.h"

#include <assert.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* What is written each time; the sum does not matter. */
static const uint64_t one = 1;

int descriptor_new(void)
{
    int descriptor = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    assert(descriptor >= 0);
    return descriptor;
}

void descriptor_on(rd_kafka_queue_t *queue, int descriptor)
{
    rd_kafka_queue_io_event_enable(queue, descriptor, &one, sizeof one);
}

void descriptor_set(int descriptor)
{
    if (descriptor >= 0 && write(descriptor, &one, sizeof one) < 0)
        return; /* it is readable to the brim */
}

void descriptor_clear(int descriptor)
{
    uint64_t sum;
    if (descriptor >= 0 && read(descriptor, &sum, sizeof sum) < 0)
        return; /* it was clear */
}
