/* Findings of a check of a dependency, line by line, and their receiver. PURE. */
#ifndef USHER_WORKER_MODEL_FINDINGS_H
#define USHER_WORKER_MODEL_FINDINGS_H

enum finding_level {
    FINDING_GOOD = 0,
    FINDING_NOTE,    /* legal, but worth knowing */
    FINDING_WARNING, /* it works, but should not stay so */
    FINDING_WRONG,
};

/* Receives each finding: its level, and a text with the fault and the remedy. */
struct findings {
    void *context;
    void (*report)(void *context, enum finding_level level, const char *text);
};

#endif
