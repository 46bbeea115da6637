/* `usher-worker topics create|check`: reads its options, calls kafka_topics. */
#ifndef USHER_WORKER_COMMAND_TOPICS_H
#define USHER_WORKER_COMMAND_TOPICS_H

#include "usher/status.h"

/* argv[0] is "topics". Prints to standard output, errors to standard error. */
enum usher_exit command_topics(int argc, char *const *argv);

#endif
