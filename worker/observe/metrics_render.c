/*
 * The table of all metrics. Counters are summed over the partitions; the position of a partition
 * has a label.
 */
#include "worker/observe/metrics_render.h"

#include "worker/observe/metrics_write.h"

#define PARTITION(member) offsetof(struct metrics, member)
#define OWN(member) offsetof(struct metrics_registry, member)
#define PROCESS(member) offsetof(struct process_usage, member)

static const struct metric table[] = {
    {"usher_requests_total", "counter",
     "Requests decided, by operation and outcome; repeated: answered again.", write_requests,
     PARTITION(requests), NULL},
    {"usher_unrequested_total", "counter",
     "Decisions without a request, by outcome: times that ended, waiting lists, closed resources.",
     write_unrequested, PARTITION(unrequested), NULL},
    {"usher_refusals_total", "counter", "Refused and invalid requests by reason.", write_refusals,
     PARTITION(refusals), NULL},
    {"usher_dead_letters_total", "counter", "Dead letters by reason.", write_dead_letters,
     PARTITION(dead_letters), NULL},
    {"usher_request_bytes_total", "counter",
     "Bytes taken from the log, unpacked: keys, values and headers.", write_sum,
     PARTITION(request_bytes), NULL},
    {"usher_unreadable_requests_total", "counter",
     "Records taken from the log whose batch cannot be unpacked.", write_sum, PARTITION(unreadable),
     NULL},
    {"usher_holds_expired_total", "counter", "Holds that expired.", write_sum,
     PARTITION(holds_expired), NULL},
    {"usher_results_published_total", "counter", "Answers delivered to the result topic.",
     write_sum, PARTITION(results_published), NULL},
    {"usher_fenced_total", "counter", "Partitions lost to a new owner while assigned.", write_sum,
     PARTITION(fenced), NULL},

    {"usher_request_wait_seconds", "histogram", "From a request's append time to its decision.",
     write_histogram, PARTITION(request_wait), &metrics_request_time_bounds},
    {"usher_request_latency_seconds", "histogram",
     "From a request's append time to the delivery of its answer.", write_histogram,
     PARTITION(request_latency), &metrics_request_time_bounds},
    {"usher_batch_requests", "histogram", "Requests per batch.", write_histogram,
     PARTITION(batch_requests), &metrics_request_bounds},
    {"usher_batch_load_seconds", "histogram", "Loading what was not in memory, per batch.",
     write_histogram, PARTITION(batch_load), &metrics_latency_bounds},
    {"usher_batch_decide_seconds", "histogram", "Deciding, per batch.", write_histogram,
     PARTITION(batch_decide), &metrics_latency_bounds},
    {"usher_batch_commit_seconds", "histogram", "Committing, per batch.", write_histogram,
     PARTITION(batch_commit), &metrics_latency_bounds},
    {"usher_batch_publish_seconds", "histogram",
     "From the commit to the delivery of the last answer, per batch.", write_histogram,
     PARTITION(batch_publish), &metrics_latency_bounds},
    {"usher_recovery_seconds", "histogram", "Taking over a partition, until it decides again.",
     write_histogram, PARTITION(recovery), &metrics_recovery_bounds},

    {"usher_partitions", "gauge", "Partitions that there are, whoever owns them.", write_own,
     OWN(partition_count), NULL},
    {"usher_partition_assigned", "gauge", "1: assigned to this worker; 0: was assigned before.",
     write_all_partitions, PARTITION(assigned), NULL},
    {"usher_partition_epoch", "gauge", "How often the partition was acquired, by any worker.",
     write_partitions, PARTITION(epoch), NULL},
    {"usher_partition_acquisitions_total", "counter",
     "How often this worker acquired the partition, by assignment or after a failure.",
     write_all_partitions, PARTITION(acquisitions), NULL},
    {"usher_partition_committed_offset", "gauge", "The next offset, as committed to the database.",
     write_partitions, PARTITION(committed_offset), NULL},
    {"usher_partition_halted", "gauge", "1: halted until an operator intervenes, see /status.",
     write_partitions, PARTITION(halted), NULL},
    {"usher_partition_retries", "gauge",
     "Failures in a row without a commit between them; see /status.", write_partitions,
     PARTITION(retries), NULL},
    {"usher_partition_lag_messages", "gauge", "Requests in the log that are not decided yet.",
     write_partitions, PARTITION(lag), NULL},
    {"usher_display_lag_decisions", "gauge", "Decisions that Redis does not show yet.",
     write_partitions, PARTITION(display_lag), NULL},
    {"usher_partition_oldest_pending_timestamp_seconds", "gauge",
     "Append time of the oldest unanswered request; 0: none.", write_partition_times,
     PARTITION(oldest_pending_ms), NULL},
    {"usher_partition_clock_ahead_seconds", "gauge",
     "How far the last decision's time is ahead of the database's clock.", write_partition_times,
     PARTITION(clock_ahead_ms), NULL},
    {"usher_outbox_pending_results", "gauge", "Answers not delivered yet.", write_sum,
     PARTITION(outbox_pending), NULL},

    {"usher_holds_open", "gauge", "Holds that are neither confirmed nor over.", write_known,
     PARTITION(holds_open), NULL},
    {"usher_parties_waiting", "gauge", "Parties on waiting lists.", write_known,
     PARTITION(parties_waiting), NULL},
    {"usher_units", "gauge", "Units of the resources in memory, by state.", write_units,
     PARTITION(units), NULL},

    {"usher_memory_max_bytes", "gauge", "USHER_MEMORY_MAX, or what follows from the machine.",
     write_own, OWN(memory_max), NULL},
    {"usher_memory_free_bytes", "gauge", "What the process may still use below that.", write_own,
     OWN(memory_free), NULL},
    {"usher_memory_tight", "gauge", "1: partitions keep less than their limits allow.", write_own,
     OWN(memory_tight), NULL},
    {"usher_memory_kept_bytes", "gauge", "Memory of what the partition keeps, estimated.",
     write_partitions, PARTITION(kept_bytes), NULL},
    {"usher_memory_resources", "gauge", "Resources in memory.", write_partitions,
     PARTITION(kept_resources), NULL},
    {"usher_memory_units", "gauge", "Seats and rooms of those resources.", write_partitions,
     PARTITION(kept_units), NULL},
    {"usher_memory_bookings", "gauge", "Bookings in memory.", write_partitions,
     PARTITION(kept_bookings), NULL},
    {"usher_memory_request_ids", "gauge", "Request ids in memory.", write_partitions,
     PARTITION(kept_ids), NULL},
    {"usher_memory_evicted_total", "counter", "What left memory to make room, by kind.",
     write_evicted, PARTITION(evicted), NULL},

    {"usher_cache_writes_total", "counter", "Cache updates by result.", write_cache, 0, NULL},
    {"usher_dependency_up", "gauge",
     "1: the last call succeeded; 0: it failed. Without Redis there is none for it.",
     write_dependencies, 0, NULL},
    {"usher_dependency_reconnects_total", "counter",
     "Times that it answered again after a failure.", write_reconnects, 0, NULL},
    {"usher_log_lines_total", "counter", "Lines of the log, by level.", write_log_lines, 0, NULL},
    {"usher_build_info", "gauge", "1, with the version.", write_build, 0, NULL},

    {"process_cpu_seconds_total", "counter", "CPU time of the process.", write_process,
     PROCESS(cpu_seconds), NULL},
    {"process_resident_memory_bytes", "gauge", "Resident memory.", write_process,
     PROCESS(resident_bytes), NULL},
    {"process_virtual_memory_bytes", "gauge", "Virtual memory.", write_process,
     PROCESS(virtual_bytes), NULL},
    {"process_open_fds", "gauge", "Open file descriptors.", write_process,
     PROCESS(open_descriptors), NULL},
    {"process_max_fds", "gauge", "Limit of file descriptors.", write_process,
     PROCESS(max_descriptors), NULL},
    {"process_start_time_seconds", "gauge", "When the process started.", write_process,
     PROCESS(start_seconds), NULL},
};

void metrics_render(struct metrics_registry *registry, struct usher_buffer *out)
{
    struct scrape scrape = {.registry = registry, .out = out};
    process_usage_read(&scrape.process);
    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        write_head(out, table[i].name, table[i].type, table[i].help);
        table[i].write(&table[i], &scrape);
    }
    pthread_mutex_unlock(&registry->lock);
}
