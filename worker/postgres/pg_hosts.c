/* The hosts of a connection string, as the lists that libpq has of them. */
#include "worker/postgres/pg_hosts.h"

#include <string.h>

#define DEFAULT_PORT "5432"

/* The list behind its first item; NULL: that was the last one. */
static const char *rest_of(const char *list)
{
    const char *comma = list ? strchr(list, ',') : NULL;
    return comma ? comma + 1 : NULL;
}

static bool begins_with(const char *list, const char *item)
{
    size_t size = strcspn(list, ",");
    return strlen(item) == size && strncmp(list, item, size) == 0;
}

static bool is_first(const struct pg_hosts *hosts, const char *name, const char *port)
{
    bool is_port = !hosts->ports || begins_with(hosts->ports, port) ||
                   (begins_with(hosts->ports, "") && strcmp(port, DEFAULT_PORT) == 0);
    return is_port && ((hosts->names && begins_with(hosts->names, name)) ||
                       (hosts->addresses && begins_with(hosts->addresses, name)));
}

/* False: there is only one. */
static bool drop_first(struct pg_hosts *hosts)
{
    const struct pg_hosts rest = {rest_of(hosts->names), rest_of(hosts->addresses),
                                  rest_of(hosts->ports)};
    if (!rest.names && !rest.addresses)
        return false;
    hosts->names = rest.names;
    hosts->addresses = rest.addresses;
    if (rest.ports)
        hosts->ports = rest.ports;
    return true;
}

bool pg_hosts_pass(struct pg_hosts *hosts, const char *name, const char *port)
{
    struct pg_hosts left = *hosts;
    while (!is_first(&left, name, port))
        if (!drop_first(&left))
            return false;
    if (!drop_first(&left))
        return false;
    *hosts = left;
    return true;
}
