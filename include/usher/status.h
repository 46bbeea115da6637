/*
 * The result of a call, which names the next step of its caller, with a text for people. Knows
 * nothing of Kafka, PostgreSQL or Redis: each adapter translates its own errors.
 */
#ifndef USHER_STATUS_H
#define USHER_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define USHER_MUST_CHECK __attribute__((warn_unused_result))
#define USHER_PRINTF(format_index, first_index) \
    __attribute__((format(printf, format_index, first_index)))

enum usher_status {
    USHER_OK = 0,
    USHER_RETRY,  /* the other side is unavailable or busy: try again, with a new connection */
    USHER_REJECT, /* this input will never be accepted: record it, continue with the next */
    USHER_FENCED, /* another worker owns the partition now: drop it, write nothing more */
    USHER_HALT,   /* an operator must look at this partition. The others continue */
    USHER_FATAL,  /* a bug or a wrong configuration: exit with the error's exit code */
};

/* Exit codes of the programs (sysexits where one fits). */
enum usher_exit {
    USHER_EXIT_DONE = 0,
    USHER_EXIT_REFUSED = 3,      /* the answer was a refusal, or forget-customer left something */
    USHER_EXIT_DIFFERENCE = 4,   /* reconcile found a difference */
    USHER_EXIT_USAGE = 64,       /* unknown flag, key or argument */
    USHER_EXIT_BAD_INPUT = 65,   /* input data cannot be read */
    USHER_EXIT_UNAVAILABLE = 69, /* a dependency is down or a topic is missing */
    USHER_EXIT_BUG = 70,         /* a bug */
    USHER_EXIT_OUTPUT = 74,      /* the output could not be written */
    USHER_EXIT_NO_ANSWER = 75,   /* no answer in time */
    USHER_EXIT_DENIED = 77,      /* access denied */
    USHER_EXIT_CONFIG = 78,      /* configuration, schema or partition count is wrong */
};

/* Text for people and the exit code that a program should end with, if this error ends it. */
struct usher_error {
    enum usher_exit exit_code;
    char text[512];
};

/* Sets both fields. A text that does not fit is cut. If `err` is NULL nothing happens. */
void usher_error_set(struct usher_error *err, enum usher_exit exit_code, const char *format, ...)
    USHER_PRINTF(3, 4);

/* The status in lower case, for logs: "ok", "retry", ... Static storage. */
const char *usher_status_name(enum usher_status status);

#ifdef __cplusplus
}
#endif
#endif
