// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profile_document.h"

#include <nlohmann/json.hpp>
#include <span>

#include "core/base/version.h"
#include "core/fields/json_writer.h"
#include "core/platform/files/atomic_file.h"
#include "profiler/trace/chrome_trace.h"

namespace fuselab::engine {

nlohmann::json profile_json(const std::vector<ProfileView>& views) {
  nlohmann::json list = nlohmann::json::array();
  for (const ProfileView& view : views) {
    nlohmann::json object = {{"model", view.model}, {"binding", view.binding}, {"level", view.level}, {"sources", view.sources}};
    if (!view.not_stored.empty()) object["not_stored"] = view.not_stored;
    fields::write_fields(object, view.profile);
    list.push_back(std::move(object));
  }
  return {{"schema", "fuselab.profile/1"}, {"profiles", list}};
}

Status write_timeline(const TraceRecorder& trace, const std::filesystem::path& file) {
  const std::string text = chrome_trace(trace.spans(), trace.lost(), "fuselab " + std::string(tool_version()));
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

Status write_profile(const ProfileView& view, const std::filesystem::path& file) {
  const std::string text = profile_json({view}).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

}  // namespace fuselab::engine
