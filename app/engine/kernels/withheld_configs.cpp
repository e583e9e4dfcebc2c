// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/withheld_configs.h"

#include <algorithm>

#include "core/base/assert.h"

namespace fuselab::engine {

void leave_out_withheld(ParameterSpace& space, Drawbacks accepted) {
  for (const DrawbackInfo& info : kDrawbacks) {
    if (accepted.has(info.drawback) || info.avoided_by.empty()) continue;
    const std::string_view parameter = info.statement.substr(0, info.statement.find('='));
    const bool has_it = std::any_of(space.parameters().begin(), space.parameters().end(),
                                    [&](const Parameter& each) { return each.name == parameter; });
    if (!has_it) continue;
    const Status added =
        space.add(Constraint{std::string(info.avoided_by), "it is taken with " + accepting({info.drawback}) + " only"});
    FL_ASSERT(added.ok());
  }
}

}  // namespace fuselab::engine
