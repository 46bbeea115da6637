/* A detached thread for each handle, and a count of those that are not done. */
#include "worker/kafka/kafka_disposal.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/thread.h"

struct kafka_disposal {
    pthread_mutex_t lock;
    pthread_cond_t destroyed;
    uint32_t pending; /* handles that are being destroyed */
};

struct job {
    struct kafka_disposal *disposal;
    rd_kafka_t *handle;
    void *owner;
};

struct kafka_disposal *kafka_disposal_new(void)
{
    struct kafka_disposal *disposal = memory_calloc(1, sizeof *disposal);
    pthread_mutex_init(&disposal->lock, NULL);
    thread_condition_init(&disposal->destroyed);
    return disposal;
}

static void *destroy_handle(void *argument)
{
    struct job job = *(struct job *)argument;
    free(argument);
    rd_kafka_destroy(job.handle);
    free(job.owner);
    pthread_mutex_lock(&job.disposal->lock);
    job.disposal->pending--;
    pthread_cond_broadcast(&job.disposal->destroyed);
    pthread_mutex_unlock(&job.disposal->lock);
    return NULL;
}

void kafka_disposal_add(struct kafka_disposal *disposal, rd_kafka_t *handle, void *owner)
{
    if (!handle)
        return;
    struct job *job = memory_alloc(sizeof *job);
    *job = (struct job){disposal, handle, owner};
    pthread_mutex_lock(&disposal->lock);
    disposal->pending++;
    pthread_mutex_unlock(&disposal->lock);
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, destroy_handle, job);
    if (failed)
        destroy_handle(job);
    else
        pthread_detach(thread);
}

bool kafka_disposal_wait(struct kafka_disposal *disposal, int timeout_ms)
{
    int64_t deadline_ms = clock_ms() + timeout_ms;
    pthread_mutex_lock(&disposal->lock);
    bool in_time = true;
    while (disposal->pending > 0 && in_time)
        in_time = thread_wait(&disposal->destroyed, &disposal->lock, deadline_ms);
    bool done = disposal->pending == 0;
    pthread_mutex_unlock(&disposal->lock);
    return done;
}

void kafka_disposal_free(struct kafka_disposal *disposal)
{
    assert(disposal->pending == 0);
    pthread_cond_destroy(&disposal->destroyed);
    pthread_mutex_destroy(&disposal->lock);
    free(disposal);
}
