// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "app/engine/subject/measured_question.h"
#include "app/engine/subject/piece.h"

// How subjects are cut into pieces where nothing is measured.
namespace fuselab::engine {

// Resolves and cuts a subject to look at it: no file is kept. Several where it has several shapes.
Result<std::vector<FusedModel>> cut_to_look(const Config& config, const std::string& name, const std::string& binding,
                                            const std::string& level, const std::string& dtype,
                                            const std::vector<BackendLimits>& asked = {}, Extents extents = Extents::kAllBound,
                                            const InputNumbers& numbers = {});

// What the subjects of a comparison are cut for: the limits of the backends, or where these were not asked, the cut that is stored.
struct CutFor {
  std::vector<BackendLimits> limits;
  bool as_stored = false;
};

// Returns the models that a comparison shows, cut as they were measured, or as a job would cut them by default.
Result<std::vector<FusedModel>> compared_cuts(const Config& config, const CompareSpec& spec, const Catalog& catalog,
                                              const std::vector<MeasuredQuestion>& measured, const CutFor& cut_for);

}  // namespace fuselab::engine
