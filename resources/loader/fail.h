/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_FAIL_H
#define FUSELAB_LOADER_FAIL_H

#include "fuselab_loader.h"

/* Writes the status and the line, in which what does not print is replaced, and returns the status. `error` may be null. */
fl_status fl_fail(fl_error* error, fl_status status, const char* format, ...) __attribute__((format(printf, 3, 4)));

#endif
