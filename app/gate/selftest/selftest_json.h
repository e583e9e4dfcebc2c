// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "app/gate/selftest/selftest.h"
#include "app/gate/selftest/selftest_record.h"

// Reads and writes the lines of a self-test's record. Reading throws nlohmann::json::exception where a field is missing or of
// another type.
namespace fuselab::engine {

// Version /1 had samples and handicaps in nanoseconds; its slowdowns were not of the size that they state.
inline constexpr const char* kSelftestRecords = "fuselab.selftest-record/";
inline constexpr const char* kSelftestSchema = "fuselab.selftest-record/2";

// Returns the first line: the settings, the device and its kernels.
nlohmann::json registered(const SelftestSpec& spec, const DeviceInfo& device, const std::vector<SelftestKernel>& kernels);
// Reads that line; the result has no comparisons. Fields that an older Fuselab did not write are read as: confirmed like a single
// comparison, without load.
StoredSelftest registered_in(const nlohmann::json& json);

nlohmann::json json_of(const SelftestTrial& trial);
// Verdicts are not read but computed again from the samples. Fails with kCorrupt where the line states others.
Result<SelftestTrial> trial_of(const nlohmann::json& json, const SelftestSpec& spec);

}  // namespace fuselab::engine
