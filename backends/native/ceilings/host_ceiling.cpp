// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/host_ceiling.h"

#include <algorithm>
#include <utility>

#include "backends/host/pinned_scope.h"
#include "backends/host/processor.h"
#include "backends/native/ceilings/stream_kernels.h"
#include "core/platform/system/clock.h"

namespace fuselab::cpu {
namespace {

constexpr std::size_t kRoundsAtOnce = 1000;  // some 5 µs

template <typename Work>
double timed(const Work& work) {
  const double start = platform::monotonic_now().count;
  work();
  return std::max(platform::monotonic_now().count - start, 1.0);
}

std::size_t times_in(double nanoseconds, double once) {
  return static_cast<std::size_t>(std::clamp(nanoseconds / once, 1.0, 1e6));
}

}  // namespace

HostCeiling::HostCeiling(CeilingSpec spec) : spec_(std::move(spec)), pool_(host::usable_cpus()) {
  spec_.read_streams = std::clamp(spec_.read_streams, 0, kMostStreams);
  spec_.write_streams = std::clamp(spec_.write_streams, 0, kMostStreams);
  if (spec_.threads <= 0 || spec_.threads > pool_.size()) spec_.threads = pool_.size();
}

Result<std::unique_ptr<HostCeiling>> HostCeiling::create(CeilingSpec spec) {
  auto ceiling = std::unique_ptr<HostCeiling>(new HostCeiling(std::move(spec)));
  CeilingSpec& known = ceiling->spec_;
  const host::PinnedScope pinned(ceiling->pool_.first_cpu());
  if (known.read_streams + known.write_streams > 0) {
    ceiling->stream_ = stream_form_named(known.stream_form, known.read_streams, known.write_streams);
    known.stream_form = ceiling->stream_.text();
    FL_TRY(ceiling->arrays_,
           StreamArrays::create(ceiling->pool_, known.read_streams, known.write_streams, known.footprint, ceiling->stream_.pages));
    ceiling->stream_ns_ = timed([&] { ceiling->move(1); });
  }
  if (!known.arithmetic.empty()) {
    ceiling->arithmetic_ = arithmetic_form_named(known.arithmetic, known.arithmetic_form);
    known.arithmetic_form = ceiling->arithmetic_.name;
  }
  return ceiling;
}

void HostCeiling::move(int passes) {
  stream(pool_, spec_.threads, stream_, *arrays_, passes);
}

void HostCeiling::calculate_rounds(std::size_t rounds) {
  calculate(pool_, spec_.threads, arithmetic_, rounds);
}

// Threads that slept take part only from the second run on: it says how long one takes.
CeilingLook HostCeiling::look(double nanoseconds) {
  const host::PinnedScope pinned(pool_.first_cpu());
  CeilingLook rates;
  if (arrays_) {
    stream_ns_ = timed([&] { move(1); });
    if (stream_ns_ < nanoseconds / 2) stream_ns_ = timed([&] { move(1); });
    const auto passes = static_cast<int>(times_in(nanoseconds, stream_ns_));
    const double taken = timed([&] { move(passes); });
    stream_ns_ = std::min(stream_ns_, taken / passes);
    rates.bytes_per_second = arrays_->bytes() * passes / (taken * 1e-9);
  }
  if (arithmetic_.run != nullptr) {
    calculate_rounds(kRoundsAtOnce);
    const double once = timed([&] { calculate_rounds(kRoundsAtOnce); });
    const std::size_t rounds = kRoundsAtOnce * times_in(nanoseconds, once);
    const double taken = timed([&] { calculate_rounds(rounds); });
    rates.flops_per_second = arithmetic_.per_round * static_cast<double>(rounds) * spec_.threads / (taken * 1e-9);
  }
  return rates;
}

double HostCeiling::expected_nanoseconds(double nanoseconds) const {
  const double streams = arrays_ ? stream_ns_ + std::max(stream_ns_, nanoseconds) : 0;
  return streams + (arithmetic_.run != nullptr ? nanoseconds : 0);
}

}  // namespace fuselab::cpu
