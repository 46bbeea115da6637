/*
 * `usher-worker dashboard`: serves what Redis shows to browsers, and to staff what is recorded,
 * until it is stopped.
 */
#include "worker/program/command_dashboard.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "producer/base/log.h"
#include "worker/dashboard/pages.h"
#include "worker/program/worker_options.h"

static enum usher_status check_redis(const struct worker_settings *settings,
                                     struct usher_error *err)
{
    if (settings->redis.uri)
        return redis_settings_check(&settings->redis, err);
    usher_error_set(err, USHER_EXIT_CONFIG, "could not start the dashboard: USHER_REDIS is empty");
    return USHER_FATAL;
}

/* A list of names in which one is misspelt would be found out when somebody is refused. */
static enum usher_status check_hosts(const char *hosts, struct usher_error *err)
{
    static const char known[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ";
    if (strcmp(hosts, "*") == 0 || strspn(hosts, known) == strlen(hosts))
        return USHER_OK;
    usher_error_set(
        err, USHER_EXIT_CONFIG,
        "could not read USHER_DASHBOARD_HOSTS \"%s\": expected names without scheme and "
        "port, as in dashboard.example.com, with blanks between, or *",
        hosts);
    return USHER_FATAL;
}

/* The value goes into a header: one that would begin another directive or header is refused. */
static enum usher_status check_ancestors(const char *sources, struct usher_error *err)
{
    for (const char *at = sources; *at != '\0'; at++) {
        if (*at >= ' ' && *at < 0x7f && *at != ';' && *at != ',')
            continue;
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not read USHER_DASHBOARD_FRAME_ANCESTORS \"%s\": expected sources "
                        "as in https://example.org, with blanks between",
                        sources);
        return USHER_FATAL;
    }
    return USHER_OK;
}

/* No script, and the id where it was meant to be. */
static enum usher_status check_link(const char *link, struct usher_error *err)
{
    bool is_web = strncmp(link, "https://", 8) == 0 || strncmp(link, "http://", 7) == 0;
    const char *place = strstr(link, "{customer}");
    const char *path = is_web ? strchr(strchr(link, ':') + 3, '/') : NULL;
    if (*link == '\0' || (place && path && path < place))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "could not read USHER_DASHBOARD_CUSTOMER_LINK \"%s\": expected an address with "
                    "{customer} in its path, as in https://crm.example.com/{customer}",
                    link);
    return USHER_FATAL;
}

/* Nothing about a customer leaves without a password. */
static enum usher_status check_staff(const struct pages_settings *pages, struct usher_error *err)
{
    if (!pages->has_staff || (pages->token && *pages->token != '\0' && !pages->is_public))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not use USHER_DASHBOARD_STAFF: %s",
                    pages->is_public
                        ? "the dashboard is public"
                        : "USHER_DASHBOARD_TOKEN is needed, as the pages name customers");
    return USHER_FATAL;
}

static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* if it may not be, fewer browsers are served */
}

/* Before any other thread is started. */
static void block_signals(sigset_t *stops)
{
    sigemptyset(stops);
    sigaddset(stops, SIGTERM);
    sigaddset(stops, SIGINT);
    pthread_sigmask(SIG_BLOCK, stops, NULL);
    static const int ignored[] = {SIGPIPE, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
}

static enum usher_status serve(const struct pages_settings *settings, struct usher_error *err)
{
    struct pages *pages;
    sigset_t stops;
    int number;
    block_signals(&stops);
    raise_file_limit();
    enum usher_status status = pages_open(settings, &pages, err);
    if (status != USHER_OK)
        return status;
    while (sigwait(&stops, &number) != 0)
        ;
    log_info(NULL, "stop signal: ending all streams");
    pages_close(pages);
    return USHER_OK;
}

static enum usher_exit run_dashboard(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    enum usher_status status = worker_settings_read(options, &settings, err);
    settings.postgres.owner = usher_arena_format(&options->arena, "dashboard %s", settings.name);
    const struct pages_settings pages = {
        .listen = options_text(options, "USHER_DASHBOARD_LISTEN"),
        .redis = settings.redis,
        .memory_max = options_integer(options, "USHER_DASHBOARD_MEMORY"),
        .streams_max = (uint32_t)options_integer(options, "USHER_DASHBOARD_BROWSERS"),
        .is_public = options_bool(options, "USHER_DASHBOARD_PUBLIC"),
        .token = options_text(options, "USHER_DASHBOARD_TOKEN"),
        .postgres = settings.postgres,
        .has_staff = options_bool(options, "USHER_DASHBOARD_STAFF"),
        .hosts = options_text(options, "USHER_DASHBOARD_HOSTS"),
        .customer_link = options_text(options, "USHER_DASHBOARD_CUSTOMER_LINK"),
        .frame_ancestors = options_text(options, "USHER_DASHBOARD_FRAME_ANCESTORS"),
        .assets = options_text(options, "assets"),
    };
    if (status == USHER_OK)
        status = check_redis(&settings, err);
    if (status == USHER_OK)
        status = check_hosts(pages.hosts, err);
    if (status == USHER_OK)
        status = check_link(pages.customer_link, err);
    if (status == USHER_OK)
        status = check_ancestors(pages.frame_ancestors, err);
    if (status == USHER_OK)
        status = check_staff(&pages, err);
    if (status == USHER_OK)
        status = serve(&pages, err);
    return worker_end(status, err);
}

static const struct option_spec page_specs[] = {
    {.name = "assets",
     .value_name = "DIR",
     .help = "reads the pages from a folder, to work on them"},
};

static const struct option_group page_options = WORKER_GROUP("Pages", page_specs);

static const struct option_group *const dashboard_groups[] = {
    &dashboard_options, &page_options, &redis_options, &postgres_options, &common_options};

const struct program_command dashboard_command = {
    .name = "dashboard",
    .arguments = "",
    .help = "Serves the availability in Redis to browsers: all resources, and each one live.",
    .details =
        "A process of its own: it reads Redis and, only with --dashboard-staff, PostgreSQL, for "
        "which the role\nusher_reader suffices. Without a token it requires no password, and it "
        "listens on this machine\nonly: leave TLS and other logins to a proxy.\n",
    .example = "dashboard --dashboard-listen :8090",
    .table = WORKER_TABLE(dashboard_groups),
    .others = &worker_options,
    .run = run_dashboard,
};
