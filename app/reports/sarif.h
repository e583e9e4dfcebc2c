// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// How a file of ours begins; by it one may be replaced.
inline constexpr std::string_view kSarifStart =
    "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n    {\n      "
    "\"tool\": {\n"
    "        \"driver\": {\n          \"name\": \"Fuselab\",";

// Of one run code scanning shows so many, the worst, and refuses a file with many more (GitHub's documentation, "SARIF support").
inline constexpr std::size_t kMostSarifResults = 5000;

// SARIF 2.1.0 (OASIS) as GitHub's code scanning takes it: a rule for each way in which a case can fail or stay open, a result for
// each case that did, at its line of fuselab.toml (line 1 where it is the file as a whole, which code scanning demands). A result
// keeps its fingerprint while its case, device and rule stay, wherever its line moves to. What is left out beyond kMostSarifResults
// is counted in the run's properties, `resultsLeftOut`.
std::string sarif_of(const CheckReport& report);

}  // namespace fuselab::reports
