// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backends/systems.h"
#include "core/backend/backend_factory.h"
#include "core/backend/registry.h"

namespace fuselab {

// Returns the folders of backends/ that this build contains.
std::span<const std::string_view> built_backends();

// Makes the backend of a row: by its own creator where it is built in, else one that says why it cannot be used. Probes nothing.
std::unique_ptr<FusionBackend> make_backend(const BackendInfo& info);

// Registers a creator for every row of known_backends(), in that order. They take no configuration and refuse one that is given.
void register_builtin_backends(BackendFactory& factory);

// Registers one backend for each row of the same list.
void register_builtin_backends(BackendRegistry& registry);

// Removes files that backends of killed processes left in the temporary directory. For a process that is about to compile.
void sweep_leftovers(const BackendRegistry& registry);

}  // namespace fuselab
