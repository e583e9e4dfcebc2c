// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/registry.h"
#include "core/base/result.h"

namespace fuselab {

// Options for a creator (R13). A creator fails for options that it does not know.
struct BackendConfiguration {
  std::string device_id;
  std::map<std::string, std::string> options;
};

// Makes backends by type (R65-R69). It is a value, not a global; the explicit list of types is in backends/builtin_backends.cpp.
// Thread-safe: creators run outside the lock (R65's defect). Types are ids, looked up ignoring case.
class BackendFactory {
 public:
  // Makes and initialises a backend (R67); it may refuse the configuration.
  using Creator = std::function<Result<std::unique_ptr<FusionBackend>>(const BackendConfiguration&)>;

  // Registers a creator. One for the same type replaces it and keeps its place (R66).
  void register_backend(std::string_view type, Creator creator);
  // Fails with "Backend type <type> is not registered" (R68).
  Result<std::unique_ptr<FusionBackend>> create_backend(std::string_view type, const BackendConfiguration& configuration) const;
  std::vector<std::string> types() const;  // in order of registration

  // Creates every type with the default configuration and registers it, in order (R69).
  Status register_defaults(BackendRegistry& registry) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, Creator>> creators_;
};

}  // namespace fuselab
