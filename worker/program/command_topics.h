/* `usher-worker topics create|check`: the Kafka topics. argv[0] is the command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_TOPICS_H
#define USHER_WORKER_PROGRAM_COMMAND_TOPICS_H

#include "usher/status.h"

enum usher_exit command_topics(int argc, char *const *argv);

#endif
