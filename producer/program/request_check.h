/* What a worker accepts of a request, and a careful sender does not mean. */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_CHECK_H
#define USHER_PRODUCER_PROGRAM_REQUEST_CHECK_H

#include "usher/message.h"

/*
 * REJECT with exit code 65: a decoded request has unknown fields, which `err` names, or a plan that
 * breaks a rule of charts.
 */
USHER_MUST_CHECK enum usher_status request_check_strictly(const struct usher_request *request,
                                                          struct usher_error *err);

#endif
