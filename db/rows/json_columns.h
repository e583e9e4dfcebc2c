// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "core/store/trial_record.h"

namespace fuselab::db {

// Maps and nested values that are stored as one JSON column, so that sqlite3's json_each can read them. Keys are sorted: the same
// value gives the same text (signatures cover some of them). Reading damaged text fails with kCorrupt.
std::string to_json(const std::vector<std::string>& values);
std::string to_json(const std::map<std::string, std::string>& values);
std::string to_json(const std::map<std::string, std::int64_t>& values);
std::string to_json(const LaunchConfig& config);
std::string to_json(const Target& target);
std::string to_json(const std::vector<Target>& targets);
std::string to_json(const KernelAbi& abi);
std::string to_json(const SourceModule& source);      // all but the text
std::string to_json(const TuningDecision& decision);  // "" for one that is not known
std::string to_json(const PairedCeiling& ceiling);    // "" for one without looks

Status from_json(std::string_view text, std::vector<std::string>& values);
Status from_json(std::string_view text, std::map<std::string, std::string>& values);
Status from_json(std::string_view text, std::map<std::string, std::int64_t>& values);
Status from_json(std::string_view text, LaunchConfig& config);
Status from_json(std::string_view text, Target& target);
Status from_json(std::string_view text, std::vector<Target>& targets);
Status from_json(std::string_view text, KernelAbi& abi);
Status from_json(std::string_view text, SourceModule& source);
Status from_json(std::string_view text, TuningDecision& decision);
Status from_json(std::string_view text, PairedCeiling& ceiling);

}  // namespace fuselab::db
