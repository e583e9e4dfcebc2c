// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/reference/reference.h"

namespace fuselab::worker {

// Changes with the file's layout; part of the file's key.
inline constexpr std::string_view kReferenceFormat = "2";

// Writes expected outputs as one checksummed file.
std::vector<std::byte> reference_bytes(std::span<const ExpectedOutput> expected);
Bytes reference_size(std::span<const ExpectedOutput> expected);
// Fails with kCorrupt for bytes that are damaged or not for this graph's outputs.
Result<std::vector<ExpectedOutput>> parse_reference(std::span<const std::byte> bytes, const Graph& graph);

// Removes the folder's oldest reference files until no more than `limit` is left.
void make_room(const std::filesystem::path& directory, Bytes limit);

}  // namespace fuselab::worker
