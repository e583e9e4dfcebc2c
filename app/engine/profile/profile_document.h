// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "app/views/profile_view.h"
#include "core/base/result.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::engine {

// Returns the document of `fuselab profile --json` ("fuselab.profile/1"): one profile, or the two that are compared.
nlohmann::json profile_json(const std::vector<ProfileView>& views);

// Returns its JSON Schema, which resources/schema/json/results/profile.schema.json is held against.
nlohmann::json profile_schema();

// With what a timeline begins: a file that begins otherwise is somebody's own.
inline constexpr std::string_view kTimelineStart = R"({"displayTimeUnit":"ns","otherData":{"lost_spans":)";

// Write the document of one profile, or a timeline for Perfetto, to a file. Fail with kIo.
Status write_timeline(const TraceRecorder& trace, const std::filesystem::path& file);
Status write_profile(const ProfileView& view, const std::filesystem::path& file);

}  // namespace fuselab::engine
