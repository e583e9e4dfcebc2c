// SPDX-License-Identifier: Apache-2.0
#include "profiler/device/device_places.h"

#include <algorithm>

namespace fuselab::profile {
namespace {

bool is_in(const CodeReport& report, const SampledPlace& place) {
  const auto is_of_step = [&](const auto& function) { return function.step == place.step; };
  const auto function = std::ranges::find_if(report.functions, is_of_step);
  return function != report.functions.end() && function->function == place.function &&
         std::ranges::count_if(report.functions, is_of_step) == 1;
}

}  // namespace

std::vector<CodeHit> hits_of(const DeviceSamples& samples, const CodeReport& report) {
  std::vector<CodeHit> hits;
  for (const SampledPlace& place : samples.places) {
    if (is_in(report, place)) hits.push_back({place.step, place.address, place.samples()});
  }
  return hits;
}

void add_lines(DeviceSamples& samples, const CodeReport& report) {
  for (SampledPlace& place : samples.places) {
    if (place.line > 0 || !is_in(report, place)) continue;
    const auto code = std::ranges::find_if(
        report.code, [&](const CodeLine& line) { return line.step == place.step && line.address == place.address; });
    if (code != report.code.end()) place.line = code->line;
  }
}

}  // namespace fuselab::profile
