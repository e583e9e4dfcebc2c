// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend_factory.h"
#include "core/backend/registry.h"

namespace fuselab {

// The explicit list: every system of known_backends(), in that order. Those that are built in are made by their own creators,
// the others say why they cannot be used. Nothing is probed here.
void register_builtin_backends(BackendFactory& factory);

// The same list, one backend each, with default configurations.
void register_builtin_backends(BackendRegistry& registry);

// Removes what backends of killed processes left in the temporary directory. For a process that is about to compile.
void sweep_leftovers();

}  // namespace fuselab
