// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "app/gate/selftest/selftest.h"
#include "app/gate/selftest/selftest_record.h"

// The lines of a self-test's record. Reading throws nlohmann::json::exception where a field is missing or another type.
namespace fuselab::engine {

// /1 had samples and handicaps in nanoseconds; its slowdowns were not of the size that they say.
inline constexpr const char* kSelftestRecords = "fuselab.selftest-record/";
inline constexpr const char* kSelftestSchema = "fuselab.selftest-record/2";

// The first line: what was asked for, and of which kernels on which device.
nlohmann::json registered(const SelftestSpec& spec, const DeviceInfo& device, const std::vector<SelftestKernel>& kernels);
// Without comparisons. What an older Fuselab did not write was confirmed as a single comparison is, without load.
StoredSelftest registered_in(const nlohmann::json& json);

nlohmann::json json_of(const SelftestTrial& trial);
// Verdicts are not read but had again from the samples: kCorrupt where the line says others.
Result<SelftestTrial> trial_of(const nlohmann::json& json, const SelftestSpec& spec);

}  // namespace fuselab::engine
