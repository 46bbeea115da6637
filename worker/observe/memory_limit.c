/* Reads the limits of memory from Linux: see memory_limit.h. */
#include "worker/observe/memory_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PATH_SIZE = 4096,
    LINE_SIZE = 4096
};

/* Where a version has its groups, and the file of a group that has its limit. */
struct hierarchy {
    const char *controller; /* in /proc/self/cgroup; "": version 2 */
    const char *directory, *file;
};

static const struct hierarchy hierarchies[] = {
    {"", "/sys/fs/cgroup", "memory.max"},
    {"", "/sys/fs/cgroup/unified", "memory.max"}, /* where both versions are mounted */
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
};

static void take_lower(int64_t bytes, bool of_a_group, struct memory_limit *limit)
{
    if (bytes > 0 && (limit->bytes == 0 || bytes < limit->bytes))
        *limit = (struct memory_limit){bytes, of_a_group};
}

/* "max", and what is not there, is no limit. */
static void read_group(const char *path, struct memory_limit *limit)
{
    int64_t bytes = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fscanf(file, "%" SCNd64, &bytes) == 1)
        take_lower(bytes, true, limit);
    fclose(file);
}

/*
 * Also those around it, whose limits count as well. In a container the path may be that of the
 * host: then the container's own group is what is mounted, the last one to be read.
 */
static void read_groups(const char *root, const struct hierarchy *hierarchy, char *group,
                        struct memory_limit *limit)
{
    char path[PATH_SIZE];
    for (size_t size = strlen(group);; size--) {
        if (size > 0 && group[size] != '/' && group[size] != '\0')
            continue;
        group[size] = '\0';
        int written = snprintf(path, sizeof path, "%s%s%s/%s", root, hierarchy->directory, group,
                               hierarchy->file);
        if (written > 0 && (size_t)written < sizeof path)
            read_group(path, limit);
        if (size == 0)
            return;
    }
}

/* Whether `name` is one of the names in `list`, which commas separate. */
static bool is_listed(const char *list, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0'))
            return true;
    }
    return false;
}

/* A line is number:controllers:path. */
static void read_line(const char *root, char *line, struct memory_limit *limit)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    if (strcmp(group, "/") == 0)
        *group = '\0';
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char copy[LINE_SIZE];
        snprintf(copy, sizeof copy, "%s", group);
        if (is_listed(controllers + 1, hierarchies[i].controller))
            read_groups(root, &hierarchies[i], copy, limit);
    }
}

static FILE *open_under(const char *root, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s%s", root, name);
    return fopen(path, "re");
}

static void read_machine(const char *root, struct memory_limit *limit)
{
    char line[LINE_SIZE];
    int64_t kilobytes;
    FILE *file = open_under(root, "/proc/meminfo");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemTotal: %" SCNd64 " kB", &kilobytes) == 1)
            take_lower(kilobytes * 1024, false, limit);
    if (file)
        fclose(file);
}

struct memory_limit memory_limit_read(const char *root)
{
    char line[LINE_SIZE];
    struct memory_limit limit = {0};
    FILE *file = open_under(root, "/proc/self/cgroup");
    while (file && fgets(line, sizeof line, file))
        read_line(root, line, &limit);
    if (file)
        fclose(file);
    read_machine(root, &limit);
    return limit;
}
