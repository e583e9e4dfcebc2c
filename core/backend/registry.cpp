// SPDX-License-Identifier: Apache-2.0
#include "core/backend/registry.h"

#include <algorithm>

#include "core/backend/backend_names.h"

namespace fuselab {
namespace {

using Backends = std::vector<std::shared_ptr<FusionBackend>>;

Backends::const_iterator position_of(const Backends& backends, std::string_view name) {
  return std::find_if(backends.begin(), backends.end(), [&](const auto& backend) { return same_name(backend->id(), name); });
}

}  // namespace

void BackendRegistry::register_backend(std::shared_ptr<FusionBackend> backend) {
  FL_ASSERT(backend != nullptr);
  std::shared_ptr<FusionBackend> replaced;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = position_of(backends_, backend->id());
  if (found == backends_.end()) {
    backends_.push_back(std::move(backend));
    return;
  }
  auto& slot = backends_[static_cast<std::size_t>(found - backends_.begin())];
  replaced = std::exchange(slot, std::move(backend));
}

void BackendRegistry::unregister(std::string_view name) {
  std::shared_ptr<FusionBackend> removed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = position_of(backends_, name);
  if (found == backends_.end()) return;
  removed = *found;
  backends_.erase(found);
}

std::shared_ptr<FusionBackend> BackendRegistry::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = position_of(backends_, name);
  return found == backends_.end() ? nullptr : *found;
}

Result<std::shared_ptr<FusionBackend>> BackendRegistry::default_backend() const {
  const std::string name = default_name();
  auto backend = find(name);
  if (!backend) return Error{ErrorCode::kNotFound, "Default backend '" + name + "' not registered"};
  const Availability here = backend->probe();
  if (!here.usable) return Error{ErrorCode::kUnavailable, "Default backend '" + name + "' not usable: " + here.reason};
  return backend;
}

Status BackendRegistry::set_default_backend(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = position_of(backends_, name);
  if (found == backends_.end()) return Error{ErrorCode::kNotFound, "Backend '" + std::string(name) + "' is not registered"};
  default_name_ = (*found)->id();
  return Status();
}

std::string BackendRegistry::default_name() const {
  const std::lock_guard lock(mutex_);
  return default_name_;
}

std::vector<std::shared_ptr<FusionBackend>> BackendRegistry::all() const {
  const std::lock_guard lock(mutex_);
  return backends_;
}

std::shared_ptr<FusionBackend> BackendRegistry::find_capable(const Graph& graph) const {
  for (const auto& backend : all()) {
    auto* const generator = backend->generator();
    if (generator == nullptr || !backend->probe().usable) continue;
    const auto devices = backend->enumerate();
    if (!devices.ok()) continue;
    const auto supports = [&](const DeviceInfo& device) {
      return !device.synthetic && generator->supports(graph, device.target).yes;
    };
    if (std::any_of(devices.value().begin(), devices.value().end(), supports)) return backend;
  }
  return nullptr;
}

}  // namespace fuselab
