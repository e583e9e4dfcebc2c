// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backends/systems.h"
#include "core/backend/backend_factory.h"
#include "core/backend/registry.h"

namespace fuselab {

// The folders of backends/ that this build drives.
std::span<const std::string_view> built_backends();

// The backend of a row: by its own creator where it is built in, else one that says why it cannot be used. Nothing is probed.
std::unique_ptr<FusionBackend> make_backend(const BackendInfo& info);

// A creator for every row of known_backends(), in that order. They take no configuration: one that is given is refused, not
// ignored.
void register_builtin_backends(BackendFactory& factory);

// The same list, one backend each.
void register_builtin_backends(BackendRegistry& registry);

// Removes what backends of killed processes left in the temporary directory. For a process that is about to compile.
void sweep_leftovers(const BackendRegistry& registry);

}  // namespace fuselab
