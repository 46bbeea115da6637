/*
 * A network that is further away: passes TCP connections on to a port of this machine, every byte
 * late by the same time in each direction, so that a round trip takes twice that; and narrower, if
 * told how many bytes a second go each way of a connection.
 *
 * usage: delay_proxy PORT MICROSECONDS [BYTES]     (prints its own port; until it is interrupted)
 *
 * SIGUSR2 brings it near: nothing is late any more; SIGUSR1 puts it back where it was.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 64,
    CHUNK_SIZE = 65536,
    QUEUE_MAX = 256, /* chunks on their way in one direction; then nothing more is read */
};

struct chunk {
    int64_t due_ns;
    size_t size, sent;
    char bytes[CHUNK_SIZE];
};

/* What is on its way from one end to the other: a ring. */
struct flow {
    struct chunk *chunks[QUEUE_MAX];
    size_t first, count;
    int64_t free_ns; /* when all that came before is through */
    bool ended;      /* the sender has closed */
};

/* Two ends; flow i goes from end i to the other. */
struct connection {
    int ends[2];
    struct flow flows[2];
};

static int64_t bytes_per_s; /* 0: as many as come */
static struct connection connections[CONNECTIONS_MAX];
static size_t connection_count;
static volatile sig_atomic_t is_far = 1;

static void move(int signal)
{
    is_far = signal == SIGUSR1;
}

static void fail(const char *what)
{
    fprintf(stderr, "delay_proxy: could not %s: %s\n", what, strerror(errno));
    exit(69);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

/* ---- flows ---- */

static struct chunk *flow_head(const struct flow *flow)
{
    return flow->count > 0 ? flow->chunks[flow->first] : NULL;
}

static void flow_drop_head(struct flow *flow)
{
    free(flow->chunks[flow->first]);
    flow->first = (flow->first + 1) % QUEUE_MAX;
    flow->count--;
}

/* Takes what the end has sent. */
static void flow_read(struct flow *flow, int end, int64_t delay_ns)
{
    struct chunk *chunk = malloc(sizeof *chunk);
    if (chunk == NULL)
        abort();
    ssize_t size = read(end, chunk->bytes, sizeof chunk->bytes);
    if (size <= 0) {
        flow->ended = size == 0 || (errno != EAGAIN && errno != EINTR);
        free(chunk);
        return;
    }
    int64_t now = now_ns();
    flow->free_ns = flow->free_ns > now ? flow->free_ns : now;
    if (bytes_per_s > 0)
        flow->free_ns += (int64_t)size * 1000000000 / bytes_per_s;
    chunk->due_ns = flow->free_ns + delay_ns;
    chunk->size = (size_t)size;
    chunk->sent = 0;
    flow->chunks[(flow->first + flow->count++) % QUEUE_MAX] = chunk;
}

/* Hands over what is due. */
static void flow_write(struct flow *flow, int end)
{
    struct chunk *chunk;
    while ((chunk = flow_head(flow)) != NULL && chunk->due_ns <= now_ns()) {
        ssize_t size = write(end, chunk->bytes + chunk->sent, chunk->size - chunk->sent);
        if (size < 0) {
            flow->ended |= errno != EAGAIN && errno != EINTR;
            return;
        }
        chunk->sent += (size_t)size;
        if (chunk->sent == chunk->size)
            flow_drop_head(flow);
    }
}

/* ---- connections ---- */

static int make_end(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
        fail("make a connection");
    return fd;
}

static void accept_one(int listener, int target)
{
    struct sockaddr_in address = loopback(target);
    int near = accept(listener, NULL, NULL), far = socket(AF_INET, SOCK_STREAM, 0);
    if (near < 0 || far < 0 || connection_count == CONNECTIONS_MAX ||
        connect(far, (struct sockaddr *)&address, sizeof address) != 0) {
        close(near);
        close(far);
        return;
    }
    connections[connection_count++] = (struct connection){.ends = {make_end(near), make_end(far)}};
}

/* One end has closed and all that it sent has arrived, or cannot arrive any more. */
static bool is_over(const struct connection *one)
{
    for (int i = 0; i < 2; i++)
        if (one->flows[i].ended && one->flows[i].count == 0)
            return true;
    return one->flows[0].ended && one->flows[1].ended;
}

static void drop(size_t index)
{
    struct connection *one = &connections[index];
    for (int i = 0; i < 2; i++) {
        while (one->flows[i].count > 0)
            flow_drop_head(&one->flows[i]);
        close(one->ends[i]);
    }
    *one = connections[--connection_count];
}

static void serve(struct connection *one, const struct pollfd polls[2], int64_t delay_ns)
{
    for (int i = 0; i < 2; i++) {
        if (polls[i].revents & (POLLIN | POLLHUP | POLLERR))
            flow_read(&one->flows[i], one->ends[i], delay_ns);
        flow_write(&one->flows[i], one->ends[1 - i]);
    }
}

/* ---- the loop ---- */

/* What each end is asked for; when the next chunk that is not due yet will be. */
static int64_t ask(struct pollfd *polls)
{
    int64_t now = now_ns(), next = INT64_MAX;
    for (size_t i = 0; i < connection_count; i++)
        for (int side = 0; side < 2; side++) {
            const struct flow *in = &connections[i].flows[side];
            const struct chunk *out = flow_head(&connections[i].flows[1 - side]);
            struct pollfd *one = &polls[2 * i + (size_t)side];
            bool due = out != NULL && out->due_ns <= now;
            bool open = in->count < QUEUE_MAX && !in->ended;
            *one = (struct pollfd){.fd = open || due ? connections[i].ends[side] : -1};
            one->events = (short)((open ? POLLIN : 0) | (due ? POLLOUT : 0));
            if (out != NULL && !due && out->due_ns < next)
                next = out->due_ns;
        }
    return next;
}

static void wait_until(struct pollfd *polls, size_t count, int64_t next_ns)
{
    int64_t left = next_ns == INT64_MAX ? 1000000000 : next_ns - now_ns();
    struct timespec timeout = {.tv_sec = left < 0 ? 0 : left / 1000000000,
                               .tv_nsec = left < 0 ? 0 : left % 1000000000};
    if (ppoll(polls, count, &timeout, NULL) < 0 && errno != EINTR)
        fail("wait");
}

static void run(int listener, int target, int64_t delay_ns)
{
    struct pollfd polls[2 * CONNECTIONS_MAX + 1];
    for (;;) {
        size_t count = connection_count;
        int64_t next = ask(polls);
        polls[2 * count] = (struct pollfd){.fd = listener, .events = POLLIN};
        wait_until(polls, 2 * count + 1, next);
        for (size_t i = 0; i < count; i++)
            serve(&connections[i], &polls[2 * i], is_far ? delay_ns : 0);
        for (size_t i = count; i-- > 0;)
            if (is_over(&connections[i]))
                drop(i);
        if (polls[2 * count].revents & POLLIN)
            accept_one(listener, target);
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: delay_proxy PORT MICROSECONDS [BYTES]\n");
        return 64;
    }
    bytes_per_s = argc == 4 ? atoll(argv[3]) : 0;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR1, move);
    signal(SIGUSR2, move);
    prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0); /* on time: 1 µs, not 50 */
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, CONNECTIONS_MAX) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        fail("listen");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    run(listener, atoi(argv[1]), INT64_C(1000) * atoll(argv[2]));
}
