/*
 * The seams between the product and the simulator: what the C library would do, done in virtual
 * time. The linker puts these functions in place of the real ones (`--wrap`, see Makefile), so that
 * the product's objects are those that are installed.
 */
#include "seams.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

bool seams_verbose;
int seams_exit_code;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_eventfd(unsigned value, int flags);
ssize_t __wrap_read(int fd, void *at, size_t size);
ssize_t __wrap_write(int fd, const void *at, size_t size);
int __wrap_close(int fd);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
pthread_t __wrap_pthread_self(void);
int __wrap_pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                const struct timespec *until);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
void __wrap__exit(int code) __attribute__((noreturn));
extern ssize_t __real_write(int fd, const void *at, size_t size);
extern int __real_pthread_mutex_lock(pthread_mutex_t *lock);
extern int __real_pthread_mutex_unlock(pthread_mutex_t *lock);

enum {
    TAKEN_MS = 300
};

/* ---- time ---- */

static int64_t us_of(const struct timespec *time)
{
    return time->tv_sec * SIM_S + time->tv_nsec / 1000;
}

static uint32_t locks; /* held by the fiber that runs; another one runs only while there are none */

/*
 * The operating system may take the processor away between any two instructions; here it does where
 * a clock was read, so that deadlines are missed in the midst of a computation. Others go on
 * meanwhile, but not under a lock, for which they would wait.
 */
static void take_processor(void)
{
    if (sim_machine() == sim_machines || !sim_once_in(sim_faults.busy))
        return;
    int64_t us = 1 + sim_below(TAKEN_MS * SIM_MS);
    sim_counts.busy++;
    if (locks > 0)
        sim_now_us += us;
    else
        sim_sleep(us);
}

/*
 * Reading it takes a moment, so that no loop waits for it in vain; that of the log takes none, so
 * that a run goes the same way whether it is logged or not.
 */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    sim_now_us += clock == CLOCK_REALTIME ? 0 : 1;
    int64_t us = sim_now_us + sim_machine()->clock_us;
    *now = (struct timespec){.tv_sec = us / SIM_S, .tv_nsec = us % SIM_S * 1000};
    if (clock != CLOCK_REALTIME)
        take_processor();
    return 0;
}

static int64_t virtual_us(const struct timespec *until)
{
    return us_of(until) - sim_machine()->clock_us;
}

/* ---- descriptors: functions that say whether there is something to read ---- */

enum {
    DESCRIPTORS_MAX = 256,
    DESCRIPTOR_FIRST = 1 << 20
};

static struct descriptor {
    const struct sim_machine *machine; /* NULL: unused */
    uint32_t start;                    /* of the machine */
    bool (*readable)(const void *);
    const void *self;
    bool written; /* of an eventfd */
} descriptors[DESCRIPTORS_MAX];

static bool is_written(const void *self)
{
    return ((const struct descriptor *)self)->written;
}

int seams_descriptor(bool (*readable)(const void *), const void *self)
{
    struct descriptor *made = descriptors;
    while (made->machine && made->machine->alive && made->machine->start == made->start)
        assert(++made < descriptors + DESCRIPTORS_MAX);
    *made = (struct descriptor){sim_machine(), sim_machine()->start, readable, self, false};
    return DESCRIPTOR_FIRST + (int)(made - descriptors);
}

void seams_reset(void)
{
    for (int i = 0; i < DESCRIPTORS_MAX; i++)
        descriptors[i] = (struct descriptor){0};
    seams_exit_code = 0;
    locks = 0;
}

static struct descriptor *descriptor_of(int fd)
{
    assert(fd >= DESCRIPTOR_FIRST && fd < DESCRIPTOR_FIRST + DESCRIPTORS_MAX);
    return &descriptors[fd - DESCRIPTOR_FIRST];
}

int __wrap_eventfd(unsigned value, int flags)
{
    (void)flags;
    assert(value == 0);
    int fd = seams_descriptor(is_written, NULL);
    descriptor_of(fd)->self = descriptor_of(fd);
    return fd;
}

ssize_t __wrap_read(int fd, void *at, size_t size)
{
    (void)at;
    (void)size;
    descriptor_of(fd)->written = false;
    errno = EAGAIN;
    return -1;
}

ssize_t __wrap_write(int fd, const void *at, size_t size)
{
    if (fd >= DESCRIPTOR_FIRST)
        descriptor_of(fd)->written = true;
    else if (seams_verbose)
        return __real_write(fd, at, size);
    return (ssize_t)size;
}

int __wrap_close(int fd)
{
    *descriptor_of(fd) = (struct descriptor){0};
    return 0;
}

struct polled {
    struct pollfd *fds;
    nfds_t count;
};

static bool any_readable(const void *self)
{
    const struct polled *polled = self;
    bool any = false;
    for (nfds_t i = 0; !any && i < polled->count; i++) {
        const struct pollfd *one = &polled->fds[i];
        any = one->fd >= 0 && descriptor_of(one->fd)->readable(descriptor_of(one->fd)->self);
    }
    return any;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    int ready = 0;
    const struct polled polled = {fds, count};
    (void)sim_await(any_readable, &polled, sim_now_us + timeout_ms * SIM_MS);
    for (nfds_t i = 0; i < count; i++) {
        const struct descriptor *one = fds[i].fd >= 0 ? descriptor_of(fds[i].fd) : NULL;
        fds[i].revents = one && one->readable(one->self) ? POLLIN : 0;
        ready += fds[i].revents != 0;
    }
    return ready;
}

/* ---- threads: locks are free whenever another fiber runs ---- */

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
    locks++;
    return __real_pthread_mutex_lock(lock);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    assert(locks > 0);
    locks--;
    return __real_pthread_mutex_unlock(lock);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    (void)attributes;
    if (!sim_machine()->hosts_no_threads)
        *thread = (pthread_t)sim_spawn(sim_machine(), run, argument);
    return 0;
}

pthread_t __wrap_pthread_self(void)
{
    return (pthread_t)sim_fiber();
}

int __wrap_pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                const struct timespec *until)
{
    (void)result;
    (void)clock;
    return sim_join((void *)thread, virtual_us(until)) ? 0 : ETIMEDOUT;
}

/* The first word of a condition counts its signals: no other function reads it. */
struct signals {
    const uint64_t *count;
    uint64_t before;
};

static bool is_signalled(const void *self)
{
    const struct signals *signals = self;
    return *signals->count != signals->before;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until)
{
    const uint64_t *count = (const uint64_t *)condition;
    const struct signals signals = {count, *count};
    pthread_mutex_unlock(lock);
    bool signalled = sim_await(is_signalled, &signals, virtual_us(until));
    pthread_mutex_lock(lock);
    return signalled ? 0 : ETIMEDOUT;
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    ++*(uint64_t *)condition;
    return 0;
}

/* ---- the end of a process ---- */

void __wrap__exit(int code)
{
    seams_exit_code = code;
    sim_crash(sim_machine());
    abort(); /* it does not come back */
}
