// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/result.h"

namespace fuselab::wire {

// Parses CBOR into a JSON value. Fails with kCorrupt for input that would exhaust the stack (depth) or memory (many tiny values).
Result<nlohmann::json> parse_limited_cbor(std::span<const std::byte> bytes);

}  // namespace fuselab::wire
