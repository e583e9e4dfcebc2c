// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// The first bytes of a file that Fuselab wrote; only such a file may be overwritten.
inline constexpr std::string_view kSarifStart =
    "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n    {\n      "
    "\"tool\": {\n"
    "        \"driver\": {\n          \"name\": \"Fuselab\",";

// Code scanning shows this many results of one run, the worst, and refuses a file with many more (GitHub's documentation, "SARIF
// support").
inline constexpr std::size_t kMostSarifResults = 5000;

// Returns SARIF 2.1.0 (OASIS) as GitHub's code scanning takes it: a rule for each way in which a case can fail or stay open, and a
// result for each case that did, at its line of fuselab.toml (line 1 where it concerns the whole file, since code scanning demands
// a line). A result keeps its fingerprint while its case, device and rule stay the same, wherever its line moves. Results left out
// beyond kMostSarifResults are counted in the run's properties, `resultsLeftOut`.
std::string sarif_of(const CheckReport& report);

}  // namespace fuselab::reports
