/* Reads the usage of this process from Linux: see metrics_process.h. */
#include "worker/observe/metrics_process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Parses /proc/self/stat after the name of the process, which may contain anything. */
static void read_stat(uint64_t *start_ticks, int64_t *virtual_bytes, int64_t *resident_pages)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    if (!file)
        return;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest,
               ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d"
               " %" SCNu64 " %" SCNd64 " %" SCNd64,
               start_ticks, virtual_bytes, resident_pages) != 3) {
        *start_ticks = 0;
        *virtual_bytes = *resident_pages = 0;
    }
}

int64_t process_resident_bytes(void)
{
    int64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*d %" SCNd64, &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/*
 * As the kernel says it, in whole seconds: the same at each scrape, so that a change of the start
 * time is a start.
 */
static double boot_seconds(void)
{
    char line[256];
    double seconds = 0;
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "btime %lf", &seconds) != 1)
        continue;
    fclose(file);
    return seconds;
}

static int64_t count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return 0;
    int64_t count = -1; /* the one that reads them */
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

void process_usage_read(struct process_usage *usage)
{
    uint64_t start_ticks = 0;
    int64_t virtual_bytes = 0;
    int64_t resident_pages = 0;
    struct rusage self = {0};
    struct rlimit files = {0};
    read_stat(&start_ticks, &virtual_bytes, &resident_pages);
    getrusage(RUSAGE_SELF, &self);
    getrlimit(RLIMIT_NOFILE, &files);
    *usage = (struct process_usage){
        .cpu_seconds = seconds_of(self.ru_utime) + seconds_of(self.ru_stime),
        .start_seconds = boot_seconds() + (double)start_ticks / (double)sysconf(_SC_CLK_TCK),
        .resident_bytes = (double)(resident_pages * sysconf(_SC_PAGESIZE)),
        .virtual_bytes = (double)virtual_bytes,
        .open_descriptors = (double)count_descriptors(),
        .max_descriptors = (double)files.rlim_cur,
    };
}
