// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/subject/job_spec.h"
#include "app/gui/link/current_model.h"
#include "core/base/result.h"

namespace fuselab::gui {

// Fails as a job would for a subject that is not known or a shape that it has no symbols for. Reads a model's file, without its
// weights: not for the window's thread.
Status check_choice(const engine::Config& config, const ModelChoice& choice);

}  // namespace fuselab::gui
