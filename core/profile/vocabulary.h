// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fuselab {

// One metric of the vocabulary that all vendors' collectors share. resources/docs/metrics.md is written from this table.
struct MetricInfo {
  std::string_view name;       // "cache_misses_last"
  std::string_view title;      // for people: "last-level cache misses"
  std::string_view unit;       // "count", "ns", "J", "ratio", "B", "FLOP"
  std::string_view formula;    // how it is derived; empty for what is read
  std::string_view source;     // where its events come from
  std::string_view available;  // where it is to be had
  std::string_view normal;     // what a good kernel shows; empty where there is no such figure
};

std::span<const MetricInfo> metric_vocabulary();
// Returns null for a name that is none of it.
const MetricInfo* find_metric(std::string_view name);
// Returns the guide's text: a table of all metrics.
std::string metrics_page();

}  // namespace fuselab
