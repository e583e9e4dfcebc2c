// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of OpenVINO on this machine's processor: a piece becomes a model of its own. Opened at run time;
// constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_openvino_backend();

}  // namespace fuselab
