/* The commands of usher-worker, in the order in which its help lists them. */
#include "worker/program/worker_commands.h"

#include "runbook.h"
#include "worker/program/command_check.h"
#include "worker/program/command_list.h"
#include "worker/program/command_migrate.h"
#include "worker/program/command_partition.h"
#include "worker/program/command_prune.h"
#include "worker/program/command_reconcile.h"
#include "worker/program/command_run.h"
#include "worker/program/command_show.h"
#include "worker/program/command_status.h"
#include "worker/program/command_topics.h"

const struct program_command *const worker_commands[] = {
    &run_command,          &check_command,   &migrate_command,      &topics_command,
    &status_command,       &workers_command, &resources_command,    &show_command,
    &bookings_command,     &carts_command,   &cart_command,         &history_command,
    &takings_command,      &waiting_command, &dead_letters_command, &partition_command,
    &prune_command,        &forget_command,  &reconcile_command,    &rebuild_cache_command,
    &print_config_command,
};

const size_t worker_command_count = sizeof worker_commands / sizeof worker_commands[0];

const char *const worker_runbook = runbook_md;
