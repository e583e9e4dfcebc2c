// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "app/views/recorded_rows.h"
#include "core/backend/device_choice.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// Recordings of other tools (app/engine/recording.h) are figures of devices that are not here, and of kernels that nobody can run.

inline constexpr std::string_view kRecordedLanguage = "recorded";  // of such a kernel (OwnKernel::language)
inline constexpr std::string_view kRecordedVerb = "import";        // of the run that a recording becomes
EnvironmentIdentity recorded_environment(const DeviceInfo& device);

// Takes the names of recorded devices out of a choice, and returns those devices that it leaves in. Where it names no others,
// `only_recorded` is set: then nothing here was asked for.
std::vector<ComparedDevice> take_recorded_devices(const Catalog& catalog, DeviceChoice& choice, bool& only_recorded);

bool is_recording(const FusedModel& fused_model);
// Returns those devices that have a trial of the recording.
Result<std::vector<ComparedDevice>> devices_of_recording(const FusedModel& recording, const std::vector<ComparedDevice>& recorded,
                                                         ResultQueries& queries);

// Returns whether a model's name is that of a recording: it is found nowhere but in the database.
bool names_recording(const Catalog& catalog, std::string_view model);

}  // namespace fuselab::engine
