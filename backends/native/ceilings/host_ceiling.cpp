// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/host_ceiling.h"

#include <algorithm>
#include <array>
#include <utility>

#include "backends/host/pinned_scope.h"
#include "backends/host/processor.h"
#include "backends/native/ceilings/stream_kernels.h"
#include "core/platform/system/clock.h"

namespace fuselab::cpu {
namespace {

constexpr int kRuns = 3;
constexpr double kLong = 1e6;                // ns: of a run that stands alone
constexpr std::size_t kRoundsAtOnce = 1000;  // some 5 µs

template <typename Work>
double timed(const Work& work) {
  const double start = platform::monotonic_now().count;
  work();
  return std::max(platform::monotonic_now().count - start, 1.0);
}

// The median of a few runs: one of them may wait for a processor. A run that is long by itself stands alone.
template <typename Work>
double usual_time(const Work& work) {
  std::array<double, kRuns> times{};
  for (double& time : times) {
    time = timed(work);
    if (time > kLong && &time == times.data()) return time;
  }
  std::sort(times.begin(), times.end());
  return times[kRuns / 2];
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
  const host::PinnedScope pinned(ceiling->pool_.cpus().front());
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
    if (ceiling->arithmetic_.run != nullptr) ceiling->round_ns_ = timed([&] { ceiling->calculate_rounds(kRoundsAtOnce); });
  }
  return ceiling;
}

void HostCeiling::move(int passes) {
  stream(pool_, spec_.threads, stream_, *arrays_, passes);
}

void HostCeiling::calculate_rounds(std::size_t rounds) {
  calculate(pool_, spec_.threads, arithmetic_, rounds);
}

double HostCeiling::least_nanoseconds() const {
  return (stream_ns_ > kLong ? 2 : kRuns + 1) * stream_ns_ + (kRuns + 1) * round_ns_;
}

CeilingLook HostCeiling::look(double nanoseconds) {
  const host::PinnedScope pinned(pool_.cpus().front());
  const double each = nanoseconds / kRuns;
  CeilingLook rates;
  if (arrays_) {
    stream_ns_ = timed([&] { move(1); });
    const auto passes = static_cast<int>(times_in(each, stream_ns_));
    const double taken = usual_time([&] { move(passes); });
    stream_ns_ = std::min(stream_ns_, taken / passes);
    rates.bytes_per_second = arrays_->bytes() * passes / (taken * 1e-9);
  }
  if (arithmetic_.run != nullptr) {
    round_ns_ = timed([&] { calculate_rounds(kRoundsAtOnce); });
    const std::size_t rounds = kRoundsAtOnce * times_in(each, round_ns_);
    const double taken = usual_time([&] { calculate_rounds(rounds); });
    rates.flops_per_second = arithmetic_.per_round * static_cast<double>(rounds) * spec_.threads / (taken * 1e-9);
  }
  return rates;
}

}  // namespace fuselab::cpu
