/*
 * The commands of usher-dashboard: `run` serves what Redis shows to browsers, and to staff what is
 * recorded, until it is stopped; `print-config` prints its options. Knows no Kafka and no rule.
 */
#include "worker/dashboard/dashboard_commands.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/log.h"
#include "producer/terminal/terminal.h"
#include "worker/dashboard/pages.h"
#include "worker/observe/process.h"
#include "worker/observe/service_manager.h"

/* ==== Options ==== */

static const struct option_spec dashboard_specs[] = {
    {.name = "USHER_DASHBOARD_LISTEN",
     .fallback = "127.0.0.1:8090",
     .value_name = "HOST:PORT",
     .help = "address that serves the dashboard"},
    {.name = "USHER_DASHBOARD_MEMORY",
     .type = OPTION_SIZE,
     .fallback = "256M",
     .min = 1 << 20,
     .max = INT64_C(1) << 40,
     .help = "memory for the resources that somebody looks at, and their last 24 hours"},
    {.name = "USHER_DASHBOARD_BROWSERS",
     .type = OPTION_INTEGER,
     .fallback = "500",
     .min = 1,
     .max = 10000,
     .help = "how many browsers are kept up to date at once; others try again"},
    {.name = "USHER_DASHBOARD_PUBLIC",
     .type = OPTION_BOOL,
     .fallback = "false",
     .implied = "true",
     .help = "shows nothing about partitions and workers"},
    {.name = "USHER_DASHBOARD_TOKEN",
     .secrecy = OPTION_SECRET,
     .value_name = "TOKEN",
     .help = "password that browsers must send, or bearer token; default: none"},
    {.name = "USHER_DASHBOARD_STAFF",
     .type = OPTION_BOOL,
     .fallback = "false",
     .implied = "true",
     .help = "adds pages about bookings and customers, from USHER_POSTGRES by a reader's login; "
             "needs a token"},
    {.name = "USHER_DASHBOARD_CUSTOMER_LINK",
     .fallback = "",
     .value_name = "URL",
     .help = "where the staff pages link a customer to, as in https://crm.example.com/{customer}"},
    {.name = "USHER_DASHBOARD_HOSTS",
     .fallback = "",
     .value_name = "NAMES",
     .help = "names of the dashboard in addresses, with blanks between: without a token it answers "
             "to them, localhost and numeric addresses only; *: to all"},
    {.name = "USHER_DASHBOARD_FRAME_ANCESTORS",
     .fallback = "'none'",
     .value_name = "SOURCES",
     .help = "sites that may show a page within their own, as in Content-Security-Policy"},
};

static const struct option_spec page_specs[] = {
    {.name = "assets",
     .value_name = "DIR",
     .help = "reads the pages from a folder, to work on them"},
};

#define GROUP(title_, specs_)                                                             \
    {                                                                                     \
        .title = (title_), .specs = (specs_), .count = sizeof(specs_) / sizeof(specs_)[0] \
    }

static const struct option_group dashboard_options = GROUP("Dashboard", dashboard_specs);
static const struct option_group page_options = GROUP("Pages", page_specs);

static const struct option_group *const run_groups[] = {
    &dashboard_options, &page_options, &redis_options, &postgres_options, &common_options};

static const struct option_group *const print_groups[] = {&output_options, &common_options};

enum {
    RUN_GROUPS = sizeof run_groups / sizeof *run_groups,
    PRINT_GROUPS = sizeof print_groups / sizeof *print_groups
};

static const struct option_table run_table = {.groups = run_groups, .group_count = RUN_GROUPS};

static const struct option_table print_table = {.groups = print_groups,
                                                .group_count = PRINT_GROUPS};

/* ==== Settings ==== */

static enum usher_status check_redis(const struct redis_settings *redis, struct usher_error *err)
{
    if (redis->uri)
        return redis_settings_check(redis, err);
    usher_error_set(err, USHER_EXIT_CONFIG, "could not start the dashboard: USHER_REDIS is empty");
    return USHER_FATAL;
}

/* A variable of a deployment that nobody set is no wish to be open, nor an empty password one. */
static enum usher_status check_token(const char *token, struct usher_error *err)
{
    if (!token || *token != '\0')
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "could not use USHER_DASHBOARD_TOKEN: it is empty; leave it out to need none");
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
static enum usher_status read_staff(struct options *options, struct pages_settings *pages,
                                    struct usher_error *err)
{
    char host[256] = "";
    if (!pages->has_staff)
        return USHER_OK;
    if (pages->is_public || !pages->token) {
        usher_error_set(err, USHER_EXIT_CONFIG, "could not use USHER_DASHBOARD_STAFF: %s",
                        pages->is_public
                            ? "the dashboard is public"
                            : "USHER_DASHBOARD_TOKEN is needed, as the pages name customers");
        return USHER_FATAL;
    }
    enum usher_status status = pg_settings_read(options, &pages->postgres, err);
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    pages->postgres.program = "usher-dashboard";
    pages->postgres.owner = usher_arena_format(&options->arena, "%s:%ld", host, (long)getpid());
    return status;
}

static enum usher_status read_settings(struct options *options, struct pages_settings *pages,
                                       struct usher_error *err)
{
    *pages = (struct pages_settings){
        .listen = options_text(options, "USHER_DASHBOARD_LISTEN"),
        .redis = redis_settings_of(options),
        .memory_max = options_integer(options, "USHER_DASHBOARD_MEMORY"),
        .streams_max = (uint32_t)options_integer(options, "USHER_DASHBOARD_BROWSERS"),
        .is_public = options_bool(options, "USHER_DASHBOARD_PUBLIC"),
        .token = options_text(options, "USHER_DASHBOARD_TOKEN"),
        .has_staff = options_bool(options, "USHER_DASHBOARD_STAFF"),
        .hosts = options_text(options, "USHER_DASHBOARD_HOSTS"),
        .customer_link = options_text(options, "USHER_DASHBOARD_CUSTOMER_LINK"),
        .frame_ancestors = options_text(options, "USHER_DASHBOARD_FRAME_ANCESTORS"),
        .assets = options_text_if_any(options, "assets"),
    };
    enum usher_status status = check_redis(&pages->redis, err);
    if (status == USHER_OK)
        status = check_token(pages->token, err);
    if (status == USHER_OK)
        status = check_hosts(pages->hosts, err);
    if (status == USHER_OK)
        status = check_link(pages->customer_link, err);
    if (status == USHER_OK)
        status = check_ancestors(pages->frame_ancestors, err);
    return status == USHER_OK ? read_staff(options, pages, err) : status;
}

/* ==== Run ==== */

/* Only the log can change at run time; all other options need a restart. */
static void reload(const struct program_command *command, const struct options *options)
{
    struct options loaded;
    struct usher_error err = {.text = ""};
    if (program_load(&loaded, command, options->argc, options->argv, &err) == USHER_OK)
        log_info(NULL, "reloaded the options: the log level is %s, the format %s",
                 options_text(&loaded, "USHER_LOG_LEVEL"),
                 options_text(&loaded, "USHER_LOG_FORMAT"));
    else
        log_error(NULL, "%s", err.text);
    options_deinit(&loaded);
}

/* Until a signal to stop. */
static void serve(const struct program_command *command, const struct options *options,
                  struct pages *pages, const sigset_t *awaited)
{
    static const struct timespec turn = {.tv_nsec = 200 * 1000 * 1000};
    struct service_manager *manager = service_manager_open();
    int number = 0;
    while (number != SIGTERM && number != SIGINT) {
        if (service_manager_is_due(manager)) {
            struct service_health health = pages_health(pages);
            service_manager_tell(manager, &health);
        }
        number = sigtimedwait(awaited, NULL, &turn);
        if (number == SIGHUP)
            reload(command, options);
    }
    log_info(NULL, "stop signal: ending all streams");
    service_manager_stopping(manager, "ending all streams");
}

static enum usher_exit run_dashboard(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    struct pages_settings settings;
    struct pages *pages;
    sigset_t awaited;
    if (read_settings(options, &settings, err) != USHER_OK)
        return err->exit_code;
    process_block_signals(&awaited);
    process_raise_descriptors();
    if (pages_open(&settings, &pages, err) != USHER_OK)
        return err->exit_code;
    log_info(NULL, "usher-dashboard %s started", options->version);
    serve(command, options, pages, &awaited);
    pages_close(pages);
    log_info(NULL, "usher-dashboard stopped");
    return USHER_EXIT_DONE;
}

static const struct program_command run_command = {
    .name = "run",
    .arguments = "",
    .help = "Serves the availability in Redis to browsers: all resources, and each one live.",
    .details =
        "It reads Redis and, only with --dashboard-staff, PostgreSQL, for which the role\n"
        "usher_reader suffices. Without a token it requires no password, and it listens on this\n"
        "machine only: leave TLS and other logins to a proxy. TERM and INT stop it, HUP reads the\n"
        "level and format of the log again.\n",
    .example = "run --dashboard-listen :8090",
    .table = &run_table,
    .run = run_dashboard,
};

/* ==== Print-config ==== */

static enum usher_exit run_print_config(const struct program_command *command,
                                        struct options *options, struct usher_error *err)
{
    struct pages_settings settings;
    (void)command;
    if (read_settings(options, &settings, err) != USHER_OK)
        return err->exit_code;
    program_print_config(options);
    return USHER_EXIT_DONE;
}

static const struct program_command print_config_command = {
    .name = "print-config",
    .arguments = "",
    .help = "Prints every option with its value and its source.",
    .details = "Secrets are shown as ****.\n",
    .example = "print-config --config dashboard.conf",
    .table = &print_table,
    .others = &run_table,
    .run = run_print_config,
};

const struct program_command *const dashboard_commands[] = {&run_command, &print_config_command};

const size_t dashboard_command_count = sizeof dashboard_commands / sizeof *dashboard_commands;
