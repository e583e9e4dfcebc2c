// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/views/snapshots.h"

namespace fuselab::cli {

struct ReportHeading {
  std::string database;
  std::string when;
  std::string mode;                  // of every figure: "warm"
  std::vector<std::string> devices;  // "cpu:0 AMD EPYC, target x86-64-v3"
};

// The first bytes of every report page, by which Fuselab recognises a page that it wrote.
inline constexpr std::string_view kReportStart =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"Fuselab\">";

// Returns one self-contained page (no scripts, no outside files): per model a chart of unfused, fused and ideal with intervals, the
// table behind it, totals and the recommended defaults. Follows the reader's light or dark preference.
std::string report_html(const ReportHeading& heading, const std::vector<engine::CompareTable>& tables);

}  // namespace fuselab::cli
