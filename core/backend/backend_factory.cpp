// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend_factory.h"

#include "core/backend/backend_names.h"

namespace fuselab {

void BackendFactory::register_backend(std::string_view type, Creator creator) {
  FL_ASSERT(creator != nullptr);
  std::lock_guard const lock(mutex_);
  for (auto& [known, its_creator] : creators_) {
    if (same_name(known, type)) {
      its_creator = std::move(creator);
      return;
    }
  }
  creators_.emplace_back(type, std::move(creator));
}

Result<std::unique_ptr<FusionBackend>> BackendFactory::create_backend(std::string_view type,
                                                                      const BackendConfiguration& configuration) const {
  Creator creator;
  {
    std::lock_guard const lock(mutex_);
    for (auto const& [known, its_creator] : creators_) {
      if (same_name(known, type)) creator = its_creator;
    }
  }
  if (creator == nullptr) return invalid_argument("Backend type " + std::string(type) + " is not registered");
  return creator(configuration);
}

std::vector<std::string> BackendFactory::types() const {
  std::lock_guard const lock(mutex_);
  std::vector<std::string> types;
  for (auto const& [type, creator] : creators_) types.push_back(type);
  return types;
}

Status BackendFactory::register_defaults(BackendRegistry& registry) const {
  for (auto const& type : types()) {
    FL_TRY(auto backend, create_backend(type, {}));
    registry.register_backend(std::move(backend));
  }
  return Status();
}

}  // namespace fuselab
