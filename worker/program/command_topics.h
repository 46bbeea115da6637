/* `usher-worker topics create|check`: the Kafka topics. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_TOPICS_H
#define USHER_WORKER_PROGRAM_COMMAND_TOPICS_H

#include "worker/program/worker_options.h"

extern const struct program_command topics_command;

#endif
