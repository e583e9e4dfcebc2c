// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/result.h"

namespace fuselab {

// The default backend before anything was measured or set (R25).
inline constexpr std::string_view kInitialDefaultBackend = "triton";

// Backends by id, in order of registration (R16-R26); names are looked up ignoring case. Thread-safe: calls into backends are made
// outside the lock (R26's defect).
class BackendRegistry {
 public:
  // Registers a backend. One of the same name replaces it and keeps its place (R16).
  void register_backend(std::shared_ptr<FusionBackend> backend);
  // Removes a backend; an unknown name is ignored. Removing the default keeps its name, so that default_backend() reports it as
  // missing (R17).
  void unregister(std::string_view name);
  std::shared_ptr<FusionBackend> find(std::string_view name) const;  // null when absent (R18)
  // Fails with "Default backend '<name>' not registered", or with kUnavailable and "not usable: <reason>" (R19, R20).
  Result<std::shared_ptr<FusionBackend>> default_backend() const;
  // Fails with "Backend '<name>' is not registered" (R21, R22).
  Status set_default_backend(std::string_view name);
  std::string default_name() const;
  std::vector<std::shared_ptr<FusionBackend>> all() const;  // a snapshot (R23)
  // Returns the first registered backend that is usable here and whose generator supports the graph on the target of one of its
  // devices (R24), or null.
  std::shared_ptr<FusionBackend> find_capable(const Graph& graph) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<FusionBackend>> backends_;
  std::string default_name_{kInitialDefaultBackend};
};

}  // namespace fuselab
