/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "bundle.h"
#include "fail.h"

size_t fl_model_count(const fl_bundle* bundle) {
  return bundle == NULL ? 0 : bundle->manifest.model_count;
}

size_t fl_piece_count(const fl_bundle* bundle) {
  return bundle == NULL ? 0 : bundle->manifest.plan_count - bundle->manifest.model_count;
}

const fl_model* fl_model_at(const fl_bundle* bundle, size_t index) {
  return bundle != NULL && index < bundle->manifest.plan_count ? &bundle->manifest.plans[index].facts : NULL;
}

static fl_status list_plans(const fl_bundle* bundle, size_t begin, size_t end, const char* problem, fl_error* error) {
  char present[160] = "";
  for (size_t i = begin; i < end; ++i) {
    const fl_model* const model = &bundle->manifest.plans[i].facts;
    const size_t used = strlen(present), room = sizeof present - used;
    if (strlen(model->name) + strlen(model->binding) + 8 > room) break;
    strcat(strcat(strcat(present, i == begin ? "" : "; "), model->name), *model->binding == '\0' ? "" : " ");
    strcat(present, model->binding);
  }
  return fl_fail(error, FL_NOT_FOUND, "%s; present: %s", problem, present);
}

static fl_status find_plan(const fl_bundle* bundle, size_t begin, size_t end, const char* name, const char* binding, size_t* index,
                           fl_error* error) {
  size_t found = 0;
  for (size_t i = begin; i < end; ++i) {
    const fl_model* const model = &bundle->manifest.plans[i].facts;
    if (strcmp(model->name, name) != 0 || (binding != NULL && strcmp(model->binding, binding) != 0)) continue;
    if (found++ == 0) *index = i;
  }
  if (found == 0) return list_plans(bundle, begin, end, "there is none of that name", error);
  if (found > 1) return list_plans(bundle, begin, end, "it is there several times, with other extents", error);
  return fl_fail(error, FL_OK, "%s", "");
}

fl_status fl_find_model(const fl_bundle* bundle, const char* name, const char* binding, size_t* index, fl_error* error) {
  if (bundle == NULL || name == NULL || index == NULL)
    return fl_fail(error, FL_INVALID_ARGUMENT, "fl_find_model() was given a null pointer");
  return find_plan(bundle, 0, bundle->manifest.model_count, name, binding, index, error);
}

fl_status fl_find_piece(const fl_bundle* bundle, const char* name, size_t* index, fl_error* error) {
  if (bundle == NULL || name == NULL || index == NULL)
    return fl_fail(error, FL_INVALID_ARGUMENT, "fl_find_piece() was given a null pointer");
  return find_plan(bundle, bundle->manifest.model_count, bundle->manifest.plan_count, name, NULL, index, error);
}

static const fl_tensor* input_named(const fl_model* model, const char* name) {
  for (size_t i = 0; i < model->input_count; ++i)
    if (strcmp(model->inputs[i].name, name) == 0) return &model->inputs[i];
  return NULL;
}

static int fits(const fl_tensor* own, const fl_tensor* given) {
  if (own == NULL || (given->bytes != 0 && given->bytes != own->bytes)) return 0;
  if (given->shape == NULL) return 1;
  return given->rank == own->rank && (own->rank == 0 || memcmp(given->shape, own->shape, own->rank * sizeof *own->shape) == 0);
}

static void write_given(const fl_tensor* given, char* text, size_t room) {
  size_t used = (size_t)snprintf(text, room, "no extents fit '%.40s'", given->name);
  if (given->shape != NULL && given->rank == 0) used += (size_t)snprintf(text + used, room - used, " []");
  for (size_t i = 0; given->shape != NULL && i < given->rank && used + 48 < room; ++i)
    used += (size_t)snprintf(text + used, room - used, "%s%lld%s", i == 0 ? " [" : ",", (long long)given->shape[i],
                             i + 1 == given->rank ? "]" : "");
  if (given->bytes != 0) snprintf(text + used, room - used, " of %zu bytes", given->bytes);
}

/* `name` null: any. */
static int is_called(const fl_model* model, const char* name) {
  return name == NULL || strcmp(model->name, name) == 0;
}

static int has_input(const fl_bundle* bundle, const char* name, const char* input) {
  int has = 0;
  for (size_t i = 0; i < bundle->manifest.model_count && !has; ++i)
    has = is_called(&bundle->manifest.plans[i].facts, name) && input_named(&bundle->manifest.plans[i].facts, input) != NULL;
  return has;
}

static fl_status list_inputs(const fl_bundle* bundle, const char* name, const char* lacking, fl_error* error) {
  size_t first = 0;
  while (!is_called(&bundle->manifest.plans[first].facts, name)) ++first;
  const fl_model* const model = &bundle->manifest.plans[first].facts;
  char present[128] = "";
  for (size_t i = 0; i < model->input_count; ++i) {
    const size_t used = strlen(present), room = sizeof present - used;
    if (strlen(model->inputs[i].name) + 3 > room) break;
    strcat(strcat(present, i == 0 ? "" : ", "), model->inputs[i].name);
  }
  return fl_fail(error, FL_NOT_FOUND, "there is no input '%.40s'; '%.40s' has: %s", lacking, model->name, present);
}

fl_status fl_find_fitting(const fl_bundle* bundle, const char* name, const fl_tensor* given, size_t count, size_t* index,
                          fl_error* error) {
  int is_null = bundle == NULL || index == NULL || (given == NULL && count > 0);
  for (size_t g = 0; !is_null && g < count; ++g) is_null = given[g].name == NULL;
  if (is_null) return fl_fail(error, FL_INVALID_ARGUMENT, "fl_find_fitting() was given a null pointer");
  const size_t models = bundle->manifest.model_count;
  const fl_tensor* unfit = NULL;
  size_t found = 0;
  for (size_t i = 0; i < models; ++i) {
    const fl_model* const model = &bundle->manifest.plans[i].facts;
    if (!is_called(model, name)) continue;
    size_t g = 0;
    while (g < count && fits(input_named(model, given[g].name), &given[g])) ++g;
    if (g < count) {
      unfit = &given[g];
    } else if (found++ == 0) {
      *index = i;
    }
  }
  if (found == 1) return fl_fail(error, FL_OK, "%s", "");
  if (found > 1) return list_plans(bundle, 0, models, "these inputs fit several models", error);
  if (unfit == NULL) return list_plans(bundle, 0, models, "there is none of that name", error);
  for (size_t g = 0; g < count; ++g)
    if (!has_input(bundle, name, given[g].name)) return list_inputs(bundle, name, given[g].name, error);
  char problem[128];
  write_given(unfit, problem, sizeof problem);
  return list_plans(bundle, 0, models, problem, error);
}
