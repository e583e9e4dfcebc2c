// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/host_ceiling_probe.h"

#include <algorithm>
#include <iterator>

#include "backends/host/processor.h"
#include "backends/native/ceilings/arithmetic_ceilings.h"
#include "backends/native/ceilings/stream_ceilings.h"

namespace fuselab::cpu {

HostCeilingProbe::HostCeilingProbe(CeilingProbe* own) : own_(own), pool_(host::usable_cpus()) {}

Result<std::vector<Ceiling>> HostCeilingProbe::measure_streams(int read_streams, int write_streams, Bytes footprint,
                                                               double seconds) {
  return measure_stream_ceilings(pool_, read_streams, write_streams, footprint, seconds);
}

Result<std::vector<Ceiling>> HostCeilingProbe::measure_flops(double seconds) {
  constexpr double kShareOfLaunches = 0.4;
  std::vector<Ceiling> rows = measure_arithmetic_ceilings(pool_, (1 - kShareOfLaunches) * seconds);
  if (own_ == nullptr) return rows;
  const auto own = own_->measure_flops(kShareOfLaunches * seconds);
  if (!own.ok()) return rows;  // how long its launches take is not known then
  std::copy_if(own.value().begin(), own.value().end(), std::back_inserter(rows),
               [](const Ceiling& row) { return row.kind.rfind("launch", 0) == 0; });
  return rows;
}

}  // namespace fuselab::cpu
