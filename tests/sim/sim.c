/* Fibers by ucontext, a heap for each machine, and the scheduler. */
#undef _FORTIFY_SOURCE /* its longjmp does not go to another stack */
#include "sim.h"

#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

enum {
    FIBERS_MAX = 256,
    STACK_SIZE = 256 * 1024,
    PAUSE_MAX_S = 40,
};

enum fiber_state {
    FIBER_UNUSED = 0,
    FIBER_LIVE,
    FIBER_ENDED,
};

/* Where the scheduler or a fiber goes on. */
struct place {
    bool was_left;
    jmp_buf jump;       /* if it was left */
    ucontext_t context; /* where it begins */
};

struct fiber {
    enum fiber_state state;
    struct sim_machine *machine;
    void *(*run)(void *);
    void *argument;
    bool (*ready)(const void *);
    const void *ready_of;
    int64_t until_us;
    struct place place;
    void *stack, *sanitizer; /* its state of ThreadSanitizer, which has to know of each switch */
};

struct sim_machine sim_machines[SIM_MACHINES_MAX];
struct sim_counts sim_counts;
struct sim_faults sim_faults;
int64_t sim_now_us;

static struct fiber fibers[FIBERS_MAX];
static struct fiber *last = fibers; /* beyond all that are used */
static struct fiber *running;
static struct sim_machine *heap = sim_machines; /* that allocates */
static struct place scheduler;
#ifdef __SANITIZE_THREAD__
static void *scheduler_sanitizer;
#endif
static uint64_t chance, hash, boundaries, crash_at;

/* ---- chance ---- */

/* splitmix64 */
uint64_t sim_random(void)
{
    uint64_t z = chance += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t sim_below(uint32_t n)
{
    assert(n > 0);
    return (uint32_t)((sim_random() >> 32) * n >> 32);
}

bool sim_once_in(uint32_t n)
{
    return n > 0 && sim_below(n) == 0;
}

/* ---- memory: each block is in the list of its machine ---- */

struct sim_block {
    struct sim_block *next, **at;
    size_t size, unused; /* keeps what follows aligned */
};

extern void *__real_malloc(size_t size);
extern void __real_free(void *at);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
void __wrap_free(void *at);

void *__wrap_malloc(size_t size)
{
    struct sim_block *block = __real_malloc(sizeof *block + size);
    assert(block);
    block->size = size;
    block->next = heap->blocks;
    block->at = &heap->blocks;
    if (block->next)
        block->next->at = &block->next;
    heap->blocks = block;
    return block + 1;
}

void *__wrap_calloc(size_t count, size_t size)
{
    assert(size == 0 || count <= SIZE_MAX / size);
    return memset(__wrap_malloc(count * size), 0, count * size);
}

void __wrap_free(void *at)
{
    if (!at)
        return;
    struct sim_block *block = (struct sim_block *)at - 1;
    *block->at = block->next;
    if (block->next)
        block->next->at = block->at;
    __real_free(block);
}

void *__wrap_realloc(void *at, size_t size)
{
    void *moved = __wrap_malloc(size);
    if (at) {
        size_t before = ((struct sim_block *)at - 1)->size;
        memcpy(moved, at, before < size ? before : size);
        __wrap_free(at);
    }
    return moved;
}

static void drop_memory(struct sim_machine *machine)
{
    for (struct sim_block *next, *block = machine->blocks; block; block = next) {
        next = block->next;
        __real_free(block);
    }
    machine->blocks = NULL;
}

struct sim_machine *sim_enter(struct sim_machine *machine)
{
    struct sim_machine *before = heap;
    heap = machine;
    return before;
}

/* ---- fibers ---- */

static void *sanitizer_new(void)
{
#ifdef __SANITIZE_THREAD__
    return __tsan_create_fiber(0);
#else
    return NULL;
#endif
}

/* swapcontext alone asks the kernel for the signal mask each time, which was half of all time. The
 * sanitizers know no other. */
static void go(struct place *from, struct place *to)
{
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
    swapcontext(&from->context, &to->context);
#else
    from->was_left = true;
    if (_setjmp(from->jump) != 0)
        return;
    if (to->was_left)
        _longjmp(to->jump, 1);
    setcontext(&to->context);
#endif
}

/* From the scheduler to a fiber, and back. */
static void enter(struct fiber *to)
{
#ifdef __SANITIZE_THREAD__
    scheduler_sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->sanitizer, 0);
#endif
    go(&scheduler, &to->place);
}

static void leave(struct fiber *from)
{
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(scheduler_sanitizer, 0);
#endif
    go(&from->place, &scheduler);
}

static void enter_fiber(void)
{
    running->run(running->argument);
    running->state = FIBER_ENDED;
    leave(running);
}

void *sim_spawn(struct sim_machine *machine, void *(*run)(void *), void *argument)
{
    struct fiber *fiber = fibers;
    assert(machine->alive);
    while (fiber->state != FIBER_UNUSED)
        fiber++;
    assert(fiber + 1 < fibers + FIBERS_MAX);
    last = fiber < last ? last : fiber + 1;
    if (!fiber->stack) {
        fiber->sanitizer = sanitizer_new();
        fiber->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    assert(fiber->stack != MAP_FAILED);
    *fiber = (struct fiber){.state = FIBER_LIVE,
                            .machine = machine,
                            .run = run,
                            .argument = argument,
                            .until_us = sim_now_us,
                            .stack = fiber->stack,
                            .sanitizer = fiber->sanitizer};
    getcontext(&fiber->place.context);
    fiber->place.context.uc_stack = (stack_t){.ss_sp = fiber->stack, .ss_size = STACK_SIZE};
    makecontext(&fiber->place.context, enter_fiber, 0);
    return fiber;
}

void *sim_fiber(void)
{
    return running;
}

struct sim_machine *sim_machine(void)
{
    return running ? running->machine : sim_machines;
}

static void yield(void)
{
    struct sim_machine *mine = heap;
    assert(running);
    leave(running);
    heap = mine;
}

bool sim_await(bool (*ready)(const void *), const void *argument, int64_t until_us)
{
    running->ready = ready;
    running->ready_of = argument;
    running->until_us = until_us;
    yield();
    running->ready = NULL;
    return ready && ready(argument);
}

void sim_sleep(int64_t us)
{
    (void)sim_await(NULL, NULL, sim_now_us + us);
}

static bool has_ended(const void *fiber)
{
    return ((const struct fiber *)fiber)->state == FIBER_ENDED;
}

bool sim_join(void *fiber, int64_t until_us)
{
    if (!sim_await(has_ended, fiber, until_us))
        return false;
    ((struct fiber *)fiber)->state = FIBER_UNUSED;
    return true;
}

/* ---- the scheduler ---- */

/* From when on it can run, as far as is known. */
static int64_t runs_from(const struct fiber *fiber)
{
    int64_t from = fiber->ready && fiber->ready(fiber->ready_of) ? sim_now_us : fiber->until_us;
    int64_t pause = fiber->machine->paused_until_us;
    return from > pause ? from : pause;
}

/* One of those that can run now; NULL: time has moved on to when one can, or `*ended`. */
static struct fiber *choose(bool *ended)
{
    uint32_t count = 0;
    int64_t next_us = SIM_NEVER;
    struct fiber *chosen = NULL;
    for (struct fiber *fiber = fibers; fiber < last; fiber++) {
        if (fiber->state != FIBER_LIVE)
            continue;
        int64_t from = runs_from(fiber);
        if (from <= sim_now_us && sim_below(++count) == 0)
            chosen = fiber;
        next_us = from < next_us ? from : next_us;
    }
    *ended = next_us == SIM_NEVER;
    if (!chosen && !*ended)
        sim_now_us = next_us;
    return chosen;
}

static void drop_machine(struct sim_machine *machine)
{
    for (struct fiber *fiber = fibers; fiber < last; fiber++)
        if (fiber->state != FIBER_UNUSED && fiber->machine == machine)
            fiber->state = FIBER_UNUSED;
    machine->alive = false;
    drop_memory(machine);
}

void sim_crash(struct sim_machine *machine)
{
    assert(machine != sim_machines && machine->alive);
    sim_counts.crashes++;
    if (running && running->machine == machine) { /* on the stack that ends here */
        machine->alive = false;
        leave(running);
    }
    drop_machine(machine);
}

bool sim_run(bool (*done)(void))
{
    bool ended = false;
    while (!ended && !done()) {
        running = choose(&ended);
        if (!running)
            continue;
        sim_counts.switches++;
        heap = running->machine;
        enter(running);
        struct sim_machine *machine = running->machine;
        if (running->state == FIBER_ENDED && machine == sim_machines)
            running->state = FIBER_UNUSED;
        running = NULL;
        heap = sim_machines;
        if (!machine->alive)
            drop_machine(machine);
    }
    return !ended;
}

void sim_begin(uint64_t seed, uint64_t at)
{
    chance = seed;
    hash = UINT64_C(0xcbf29ce484222325);
    boundaries = 0;
    crash_at = at;
    sim_now_us = 1000 * SIM_S;
    sim_faults = (struct sim_faults){0};
    sim_machines[0] = (struct sim_machine){.alive = true};
}

uint64_t sim_end(void)
{
    for (int i = 0; i < SIM_MACHINES_MAX; i++)
        drop_machine(&sim_machines[i]);
    return hash;
}

/* ---- calls ---- */

static void fold(uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x100000001b3);
}

uint64_t sim_boundaries(void)
{
    return boundaries;
}

void sim_tally(struct sim_tally tally[SIM_NAMES], const char *name)
{
    struct sim_tally *one = tally;
    while (one->name && one->name != name)
        one++;
    assert(one < tally + SIM_NAMES - 1); /* the last one ends it */
    one->name = name;
    one->count++;
}

void sim_boundary(const char *name, int64_t detail)
{
    struct sim_machine *machine = sim_machine();
    fold((uint64_t)(machine - sim_machines));
    fold((uint64_t)sim_now_us);
    fold((uint64_t)detail);
    for (const char *byte = name; *byte; byte++)
        fold((uint64_t)*byte);
    sim_counts.calls++;
    if (machine == sim_machines)
        return;
    sim_tally(sim_counts.boundaries, name);
    if (++boundaries == crash_at || sim_once_in(sim_faults.crash))
        sim_crash(machine);
    if (sim_once_in(sim_faults.pause)) {
        sim_counts.pauses++;
        machine->paused_until_us = sim_now_us + 1 + sim_below(PAUSE_MAX_S * SIM_S);
    }
    if (sim_once_in(4) || machine->paused_until_us > sim_now_us)
        sim_sleep(sim_below(200));
}
