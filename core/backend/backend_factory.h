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

// R13. What a creator may be told; a backend that knows no option ignores none silently: unknown ones are its error.
struct BackendConfiguration {
  std::string device_id;
  std::map<std::string, std::string> options;
};

// Makes backends by type (R65-R69): a value, not a global; the explicit list of types stands in backends/builtin_backends.cpp.
// Thread-safe: creators run outside the lock (R65's defect). Types are ids, looked up ignoring case.
class BackendFactory {
 public:
  // Creating is initialising (R67): a creator gets the configuration and may refuse it.
  using Creator = std::function<Result<std::unique_ptr<FusionBackend>>(const BackendConfiguration&)>;

  // Same type overwrites and keeps its place (R66).
  void register_backend(std::string_view type, Creator creator);
  // R68: "Backend type <type> is not registered".
  Result<std::unique_ptr<FusionBackend>> create_backend(std::string_view type, const BackendConfiguration& configuration) const;
  std::vector<std::string> types() const;  // in order of registration

  // Creates every type with the default configuration and registers it, in order (R69's defaults, once the list is in).
  Status register_defaults(BackendRegistry& registry) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, Creator>> creators_;
};

}  // namespace fuselab
