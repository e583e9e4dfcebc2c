// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/withheld_configs.h"

#include <algorithm>

#include "core/base/assert.h"

namespace fuselab::engine {
namespace {

// Returns true for a space some of whose configurations state the drawback, constraints aside.
bool has_statement(const ParameterSpace& space, const DrawbackInfo& info) {
  const std::size_t sign = info.statement.find('=');
  return std::any_of(space.parameters().begin(), space.parameters().end(), [&](const Parameter& each) {
    return each.name == info.statement.substr(0, sign) &&
           std::any_of(each.values.begin(), each.values.end(),
                       [&](const ParameterValue& value) { return parameter_text(value) == info.statement.substr(sign + 1); });
  });
}

bool is_left_out(const ParameterSpace& space, const DrawbackInfo& info) {
  return std::any_of(space.constraints().begin(), space.constraints().end(),
                     [&](const Constraint& constraint) { return constraint.expression == info.avoided_by; });
}

}  // namespace

void leave_out_withheld(ParameterSpace& space, Drawbacks accepted) {
  for (const DrawbackInfo& info : kDrawbacks) {
    if (accepted.has(info.drawback) || info.avoided_by.empty() || !has_statement(space, info)) continue;
    const Status added =
        space.add(Constraint{std::string(info.avoided_by), "it is taken with " + accepting({info.drawback}) + " only"});
    FL_ASSERT(added.ok());
  }
}

Drawbacks possible_drawbacks(const ParameterSpace& space) {
  Drawbacks found;
  for (const DrawbackInfo& info : kDrawbacks) {
    if (has_statement(space, info) && !is_left_out(space, info)) found.add(info.drawback);
  }
  return found;
}

}  // namespace fuselab::engine
