/* The requests and the decisions of a run, for the oracle (tests/oracle/simulated.py). */
#ifndef TESTS_SIM_EVIDENCE_H
#define TESTS_SIM_EVIDENCE_H

/* Writes them to a file, a JSON object a line; the first says how many partitions there are. */
void evidence_write(const char *path);

#endif
