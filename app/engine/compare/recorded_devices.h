// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// Recordings of other tools (app/engine/recording.h) are figures of devices that are not here, and of kernels that nobody can run.

inline constexpr std::string_view kRecordedBackend = "recorded";   // of such a device
inline constexpr std::string_view kRecordedLanguage = "recorded";  // of such a kernel (OwnKernel::language)
inline constexpr std::string_view kRecordedVerb = "import";        // of the run that a recording becomes
EnvironmentIdentity recorded_environment(const DeviceInfo& device);

// Returns the devices on which a subject's figures may be compared: for a recording those that any recording is of, else those
// here. `of_recordings` is recorded_devices().
const std::vector<ComparedDevice>& devices_for(const FusedModel& fused_model, const std::vector<ComparedDevice>& here,
                                               const std::vector<ComparedDevice>& of_recordings);
std::vector<ComparedDevice> recorded_devices(const Catalog& catalog);
// Returns whether a model's name is that of a recording: it is found nowhere but in the database.
bool names_recording(const Catalog& catalog, std::string_view model);

}  // namespace fuselab::engine
