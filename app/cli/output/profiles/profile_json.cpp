// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/profiles/profile_json.h"

#include <nlohmann/json.hpp>

#include "core/fields/json_writer.h"

namespace fuselab::cli {

nlohmann::json profile_json(const std::vector<engine::ProfileView>& views) {
  nlohmann::json list = nlohmann::json::array();
  for (const engine::ProfileView& view : views) {
    nlohmann::json object = {{"model", view.model}, {"binding", view.binding}, {"level", view.level}, {"sources", view.sources}};
    if (!view.not_stored.empty()) object["not_stored"] = view.not_stored;
    fields::write_fields(object, view.profile);
    list.push_back(std::move(object));
  }
  return {{"schema", "fuselab.profile/1"}, {"profiles", list}};
}

}  // namespace fuselab::cli
