// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// Returns a drawing (inline SVG, coloured by the page's style) of the evidence for a case's verdict: every pair of rounds in run
// order as change in percent, processes side by side with their medians, the margin as a band, then the interval of the comparison
// and of its confirmation. Outliers are drawn at the edge; of very many pairs an even sample is drawn. Empty without samples.
std::string ratio_chart(const CaseOutcome& outcome);

}  // namespace fuselab::reports
