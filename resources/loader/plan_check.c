/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "manifest.h"

/* The steps in which a value of the arena holds something: from the one that writes it to the last that reads it. */
typedef struct life {
  uint32_t value;
  int64_t first, last;
} life;

static int by_first(const void* a, const void* b) {
  const life *const left = a, *const right = b;
  if (left->first != right->first) return left->first < right->first ? -1 : 1;
  return left->value < right->value ? -1 : 1;
}

static fl_status inconsistent(fl_error* error, const char* what) {
  return fl_fail(error, FL_CORRUPT, "its manifest is inconsistent: %s", what);
}

static fl_status note_use(const fl_plan* plan, const fl_argument* argument, uint32_t value, int64_t step, life* lives,
                          fl_error* error) {
  const fl_value* const at = &plan->values[value];
  if (at->bytes < argument->bytes) return inconsistent(error, "a kernel is given less memory than it works on");
  life* const lived = &lives[value];
  const int given = at->place == FL_PLACE_INPUT || at->place == FL_PLACE_WEIGHTS;
  if (argument->role == FL_ROLE_IN) {
    if (!given && lived->first < 0) return inconsistent(error, "a step reads what no earlier step has written");
    if (!given && lived->first == step) return inconsistent(error, "a step reads what it writes");
  } else {
    if (given) return inconsistent(error, "a step writes into an input or a weight");
    if (lived->first >= 0) return inconsistent(error, "a value is written twice");
    lived->first = step;
  }
  lived->last = step;
  return FL_OK;
}

/* Of values that live at the same time no two may share a byte. `lives` is sorted by first step. */
static fl_status check_overlaps(const fl_plan* plan, const life* lives, size_t count, uint32_t* live, fl_error* error) {
  size_t alive = 0;
  uint64_t compared = 0;
  for (size_t i = 0; i < count; ++i) {
    const fl_value* const own = &plan->values[lives[i].value];
    size_t kept = 0;
    for (size_t k = 0; k < alive; ++k) {
      const life* const other = &lives[live[k]];
      if (other->last < lives[i].first) continue;
      live[kept++] = live[k];
      const fl_value* const theirs = &plan->values[other->value];
      if (own->offset < theirs->offset + theirs->bytes && theirs->offset < own->offset + own->bytes)
        return inconsistent(error, "two buffers that are needed at once overlap");
    }
    compared += alive;
    if (compared > ((uint64_t)1 << 28)) return inconsistent(error, "too many buffers at once");
    alive = kept;
    live[alive++] = (uint32_t)i;
  }
  return FL_OK;
}

fl_status fl_plan_check(const fl_manifest* manifest, const fl_plan* plan, fl_error* error) {
  life* const lives = calloc(plan->value_count + 1, sizeof *lives);
  uint32_t* const live = calloc(plan->value_count + 1, sizeof *live);
  fl_status status = lives == NULL || live == NULL ? fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the manifest") : FL_OK;
  for (size_t i = 0; status == FL_OK && i < plan->value_count; ++i) lives[i] = (life){(uint32_t)i, -1, -1};
  for (size_t s = 0; status == FL_OK && s < plan->step_count; ++s) {
    const fl_kernel* const kernel = &manifest->kernels[plan->steps[s].kernel];
    /* What a step writes is noted first, so that an operand that is also a result is found whatever their order. */
    for (int reads = 0; reads < 2; ++reads) {
      for (size_t a = 0; status == FL_OK && a < kernel->argument_count; ++a) {
        if ((kernel->arguments[a].role == FL_ROLE_IN) == reads)
          status = note_use(plan, &kernel->arguments[a], plan->steps[s].arguments[a], (int64_t)s, lives, error);
      }
    }
  }
  for (size_t i = 0; status == FL_OK && i < plan->facts.output_count; ++i) {
    const uint32_t value = plan->output_values[i];
    const fl_place place = plan->values[value].place;
    if (place == FL_PLACE_ARENA) status = inconsistent(error, "an output lies in scratch");
    if (place == FL_PLACE_OUTPUT && lives[value].first < 0) status = inconsistent(error, "nothing computes an output");
  }
  size_t count = 0;
  for (size_t i = 0; status == FL_OK && i < plan->value_count; ++i) {
    if (plan->values[i].place == FL_PLACE_OUTPUT && plan->output_values[plan->values[i].offset] != i)
      status = inconsistent(error, "two values lie in one output");
    if (plan->values[i].place == FL_PLACE_ARENA && lives[i].first >= 0) lives[count++] = lives[i];
  }
  if (status == FL_OK) {
    qsort(lives, count, sizeof *lives, by_first);
    status = check_overlaps(plan, lives, count, live, error);
  }
  free(lives);
  free(live);
  return status;
}
