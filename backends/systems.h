// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/backend/backend_info.h"
#include "core/base/result.h"

namespace fuselab {

// Returns every system that the project names, driven or not: one row each, in the order in which they are registered and shown. A
// row whose id is a folder beside this file is driven by that folder's make_<id>_backend(), built where FUSELAB_BACKEND_<ID> is on;
// the others say why they cannot be used.
std::span<const BackendInfo> known_backends();
// Finds a system by id, ignoring case; null when unknown.
const BackendInfo* find_backend_info(std::string_view id);

// Returns the id for an id, a document's name or an alias in any case: "MPS" → "metal", "MKLDNN" → "onednn", "HIP" → "rocm".
// Fails for an unknown name with a list of the known ids.
Result<std::string> parse_backend_id(std::string_view name);

}  // namespace fuselab
