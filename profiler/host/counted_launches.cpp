// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/counted_launches.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "profiler/host/code_places.h"
#include "profiler/host/counter_metrics.h"
#include "profiler/host/event_ladder.h"
#include "profiler/host/package_energy.h"

namespace fuselab::profile {
namespace {

constexpr int kTurns = 7;                    // of launches without and with counters, for the overhead
constexpr double kSamplingPeriod = 500'000;  // ns

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// One run of the collector.
class Counting {
 public:
  Counting(CounterSource& source, const Launches& launches, double seconds)
      : source_(source), launch_(launches), seconds_(seconds) {}

  Result<CounterSet> run() {
    FL_TRY_VOID(choose_repetitions());
    const Ladder ladder = climb(source_);
    set_.rung = ladder.rung;
    set_.passed_over = ladder.passed_over;
    set_.threads = source_.threads();
    for (const OpenedGroup& opened : ladder.opened) {
      if (set_.counted_ns > 0 && !is_time_left())
        add_missing(opened.group, why_no_time(), set_.metrics);
      else
        FL_TRY_VOID(count(opened));
      source_.close(opened.number);
    }
    for (const RefusedGroup& refused : ladder.refused) add_missing(refused.group, refusal_text(source_, refused.why), set_.metrics);
    FL_TRY_VOID(count_energy());
    add_clock();
    add_derived(set_.counted_ns > 0 ? set_.counted_ns : set_.plain_ns, set_.metrics);
    FL_TRY_VOID(sample());
    set_.launches = repetitions_;
    return std::move(set_);
  }

 private:
  Result<double> launches(int repetitions) {
    FL_TRY(const double took, launch_(repetitions));
    set_.extra_launches += repetitions;
    set_.extra_ns += took;
    return took;
  }

  bool is_time_left() const { return set_.extra_ns < seconds_ * 1e9; }
  std::string why_no_time() const {
    return "a launch takes " + format_duration({once_}) + ", and the " + format_duration({seconds_ * 1e9}) +
           " for launches are spent; --seconds gives more";
  }

  // Gives each group as many launches as fit into its share of the time; fewer turns where not even one fits.
  Status choose_repetitions() {
    FL_TRY([[maybe_unused]] const double warm, launches(1));
    FL_TRY(once_, is_time_left() ? launches(1) : Result<double>(warm));
    constexpr double kShares = 2 * kTurns + 16;  // turns, groups, energy and samples
    const double fitting = once_ > 0 ? seconds_ * 1e9 / kShares / once_ : 1;
    repetitions_ = static_cast<int>(std::clamp(std::floor(fitting), 1.0, 100'000.0));
    turns_ = static_cast<int>(std::clamp(std::floor(kTurns * fitting), 1.0, double{kTurns}));
    return {};
  }

  Status count(const OpenedGroup& opened) {
    // The first group's launches take turns with launches that nobody counts: that is what counting costs.
    std::vector<double> plain, counted;
    const bool compares = set_.counted_ns <= 0;
    GroupReading sum;
    failure_.clear();  // of any turn of this group: a sum with a turn missing is no count
    for (int turn = 0; turn < (compares ? turns_ : 1); ++turn) {
      if (compares) {
        FL_TRY(const double without, launches(repetitions_));
        plain.push_back(without / repetitions_);
      }
      FL_TRY_VOID(counting(opened, sum, counted));
    }
    const int launched = repetitions_ * (compares ? turns_ : 1);
    if (compares) {
      set_.plain_ns = median_of(plain);
      set_.counted_ns = median_of(counted);
    }
    if (failure_.empty()) {
      add_metrics(opened.group, sum, launched, set_.metrics);
    } else {
      add_missing(opened.group, failure_, set_.metrics);
    }
    return {};
  }

  Status counting(const OpenedGroup& opened, GroupReading& sum, std::vector<double>& times) {
    const Status enabled = source_.enable(opened.number);
    FL_TRY(const double took, launches(repetitions_));
    const auto reading = enabled.ok() ? source_.disable(opened.number) : Result<GroupReading>(enabled.error());
    times.push_back(took / repetitions_);
    set_.wall_ns += took;
    if (!reading.ok()) {
      failure_ = reading.error().message;
      return {};
    }
    sum.counts.resize(reading.value().counts.size());
    for (std::size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += reading.value().counts[i];
    sum.enabled_ns += reading.value().enabled_ns;
    sum.running_ns += reading.value().running_ns;
    return {};
  }

  // Where cycles are not counted, the clock is timed right after launches, while the processor is as fast as it was for them.
  void add_clock() {
    if (set_.value("cycles")) return;
    FL_ASSERT(set_.find("frequency") == nullptr);
    const auto clock = source_.clock_rate();
    set_.metrics.push_back(
        {"frequency", clock, clock ? "" : "this CPU's clock cannot be timed", "a chain of dependent additions", 1, false});
  }

  Status count_energy() {
    if (!is_time_left() && set_.plain_ns > 0) {
      set_.metrics.push_back({"energy_package", std::nullopt, why_no_time(), "powercap", 1, false});
      return {};
    }
    PackageEnergy energy(source_);
    energy.start();
    FL_TRY(const double took, launches(repetitions_));
    set_.metrics.push_back(energy.stop(repetitions_));
    if (set_.plain_ns <= 0) set_.plain_ns = took / repetitions_;
    return {};
  }

  Status sample() {
    if (!is_time_left()) {
      set_.why_no_hits = why_no_time();
      return {};
    }
    const Status started = source_.start_sampling(kSamplingPeriod);
    if (!started.ok()) {
      set_.why_no_hits = refusal_text(source_, started.error());
      return {};
    }
    std::vector<double> times;
    for (int round = 0; round < 2 * turns_; ++round) {
      auto took = launches(repetitions_);
      if (!took.ok()) {
        [[maybe_unused]] const auto dropped = source_.stop_sampling();
        return took.error();
      }
      times.push_back(took.value() / repetitions_);
    }
    set_.sampled_ns = median_of(times);
    const auto samples = source_.stop_sampling();
    if (!samples.ok()) {
      set_.why_no_hits = samples.error().message;
      return {};
    }
    set_.samples = static_cast<std::int64_t>(samples.value().size());
    const auto maps = source_.file("/proc/self/maps");
    set_.hits = hits_in(kernel_mappings(maps.value_or(""), "fuselab-kernel"), samples.value());
    if (set_.hits.empty())
      set_.why_no_hits =
          samples.value().empty() ? "the kernel gave no samples" : "no sample lay in a kernel that was loaded from memory";
    return {};
  }

  CounterSource& source_;
  const Launches& launch_;
  double seconds_ = 0;
  double once_ = 0;  // ns of a launch
  int repetitions_ = 1, turns_ = kTurns;
  CounterSet set_;
  std::string failure_;
};

}  // namespace

Result<CounterSet> count_launches(CounterSource& source, const Launches& launches, double seconds) {
  return Counting(source, launches, seconds).run();
}

}  // namespace fuselab::profile
