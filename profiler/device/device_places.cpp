// SPDX-License-Identifier: Apache-2.0
#include "profiler/device/device_places.h"

namespace fuselab::profile {
namespace {

// CUPTI names the function of each place; without its name the address says nothing.
const CodeLine* code_at(const SampledPlace& place, const CodeReport& report) {
  return place.function.empty() ? nullptr : report.find(place.step, place.function, place.address);
}

}  // namespace

std::vector<CodeHit> hits_of(const DeviceSamples& samples, const CodeReport& report) {
  std::vector<CodeHit> hits;
  for (const SampledPlace& place : samples.places) {
    if (code_at(place, report) != nullptr) hits.push_back({place.step, place.address, place.samples(), place.function});
  }
  return hits;
}

void add_lines(DeviceSamples& samples, const CodeReport& report) {
  for (SampledPlace& place : samples.places) {
    const CodeLine* const code = place.line > 0 ? nullptr : code_at(place, report);
    if (code != nullptr) place.line = code->line;
  }
}

}  // namespace fuselab::profile
