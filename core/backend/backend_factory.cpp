// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend_factory.h"

#include "core/backend/backend_names.h"

namespace fuselab {

void BackendFactory::register_backend(std::string_view type, Creator creator) {
  FL_ASSERT(creator != nullptr);
  const std::lock_guard lock(mutex_);
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
    const std::lock_guard lock(mutex_);
    for (const auto& [known, its_creator] : creators_) {
      if (same_name(known, type)) creator = its_creator;
    }
  }
  if (creator == nullptr) return invalid_argument("Backend type " + std::string(type) + " is not registered");
  return creator(configuration);
}

std::vector<std::string> BackendFactory::types() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> types;
  for (const auto& [type, creator] : creators_) types.push_back(type);
  return types;
}

Status BackendFactory::register_defaults(BackendRegistry& registry) const {
  for (const auto& type : types()) {
    FL_TRY(auto backend, create_backend(type, {}));
    registry.register_backend(std::move(backend));
  }
  return Status();
}

}  // namespace fuselab
