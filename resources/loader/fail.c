/* SPDX-License-Identifier: Apache-2.0 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

fl_status fl_fail(fl_error* error, fl_status status, const char* format, ...) {
  if (error == NULL) return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  /* Names come from a file that nobody vouches for yet: no control character reaches a terminal. */
  for (char* c = error->message; *c != '\0'; ++c) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
  }
  return status;
}

const char* fl_status_name(fl_status status) {
  switch (status) {
    case FL_OK: return "ok";
    case FL_INVALID_ARGUMENT: return "invalid-argument";
    case FL_NOT_FOUND: return "not-found";
    case FL_IO: return "io";
    case FL_OUT_OF_MEMORY: return "out-of-memory";
    case FL_CORRUPT: return "corrupt";
    case FL_UNSIGNED: return "unsigned";
    case FL_UNTRUSTED: return "untrusted";
    case FL_OTHER_VERSION: return "other-version";
    case FL_UNSUPPORTED_CPU: return "unsupported-cpu";
    case FL_LOAD_FAILED: return "load-failed";
    case FL_NOT_BOUND: return "not-bound";
    case FL_WRONG_INDEX: return "wrong-index";
  }
  return "unknown";
}
