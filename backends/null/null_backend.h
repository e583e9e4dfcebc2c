// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes a backend of synthetic devices with scripted latencies: "null:0" is well-behaved, "null:1" also offers every fault of the
// list in null_script.h. Works everywhere; it is the template for new backends (README.md beside this file).
std::unique_ptr<FusionBackend> make_null_backend();

}  // namespace fuselab
