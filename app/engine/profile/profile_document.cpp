// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profile_document.h"

#include <nlohmann/json.hpp>
#include <span>

#include "core/fields/json_schema.h"
#include "core/fields/json_writer.h"
#include "core/platform/files/atomic_file.h"

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

Status write_profile(const ProfileView& view, const std::filesystem::path& file) {
  const std::string text = profile_json({view}).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

nlohmann::json profile_schema() {
  nlohmann::json profile = fields::schema_of<nlohmann::json, Profile>();
  const nlohmann::json text = {{"type", "string"}};
  for (const char* const name : {"model", "binding", "level"}) {
    profile["properties"][name] = text;
    profile["required"].push_back(name);
  }
  profile["properties"]["sources"] = {{"type", "array"}, {"items", text}, {"description", "Source text, one a kernel of the plan"}};
  profile["required"].push_back("sources");
  profile["properties"]["not_stored"] = text;
  profile["additionalProperties"] = false;
  const nlohmann::json document = {
      {"type", "object"},
      {"properties",
       {{"schema", {{"const", "fuselab.profile/1"}, {"description", "Name and version of this document"}}},
        {"profiles", {{"type", "array"}, {"items", profile}, {"description", "One plan, or the two that are compared"}}},
        {"error", {{"$ref", "common.schema.json#/$defs/error"}}},
        {"exit", {{"$ref", "common.schema.json#/$defs/exit"}}}}},
      {"required", {"schema", "profiles"}},
      {"additionalProperties", false}};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "fuselab profile --json"},
          {"oneOf", nlohmann::json::array({document, {{"$ref", "common.schema.json#/$defs/failure"}}})}};
}

}  // namespace fuselab::engine
