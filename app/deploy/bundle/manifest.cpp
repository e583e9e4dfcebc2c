// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/manifest.h"

#include <nlohmann/json.hpp>

#include "core/base/plain_text.h"
#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"

namespace fuselab::deploy {

using Json = nlohmann::json;

std::string manifest_text(const BundleManifest& manifest) {
  // Names come from models' files: what is no UTF-8 in them is replaced, since the loader takes nothing else.
  return fields::json_of<Json>(manifest).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<BundleManifest> parse_manifest(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("schema")) return Error{ErrorCode::kCorrupt, "its manifest is no JSON document"};
  if (json["schema"] != Json(std::string(kBundleSchema)))
    return Error{ErrorCode::kUnsupported, "it is a bundle of another version (" + plain_line(json["schema"].dump()) + ")"};
  BundleManifest manifest;
  const fields::Complaint complaint = fields::read_object(json, manifest);
  if (!complaint.empty()) return Error{ErrorCode::kCorrupt, "its manifest is inconsistent: " + plain_line(std::string(complaint))};
  return manifest;
}

}  // namespace fuselab::deploy
