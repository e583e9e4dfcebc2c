// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/subject/subject.h"
#include "app/views/model_facts.h"

namespace fuselab::engine {

// Reads a subject with the extents of `binding`; those that it leaves out may stay open. Of a built-in model that is measured at
// several extents the first. Nothing is kept. Fails as resolve_subject() does.
Result<ModelFacts> model_facts(const Config& config, const std::string& subject, const std::string& binding,
                               const InputNumbers& numbers = {});

}  // namespace fuselab::engine
