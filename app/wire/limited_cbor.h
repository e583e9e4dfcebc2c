// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/result.h"

namespace fuselab::wire {

// CBOR → JSON value, refusing what would exhaust the stack (depth) or blow up memory (many tiny values): kCorrupt.
Result<nlohmann::json> parse_limited_cbor(std::span<const std::byte> bytes);

}  // namespace fuselab::wire
