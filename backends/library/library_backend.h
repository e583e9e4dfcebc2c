// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/library/library_stack.h"
#include "core/backend/backend.h"

namespace fuselab::library {

// Makes the backend of a library that computes whole graphs on this machine's processor. `open` is called on first use:
// constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_library_backend(std::string id, OpenLibrary open);

}  // namespace fuselab::library
