// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/own/own_toml.h"
#include "core/base/result.h"

namespace fuselab::engine {

// Checks what one field alone does not show, before anything is compiled: names, formulas, that constraints leave something, that
// the default meets them, that each parameter matters. `file` begins each message.
// Fails with kInvalidArgument and one line that says what to change.
Status check_own_kernel(const OwnText& read, const std::string& file);

}  // namespace fuselab::engine
