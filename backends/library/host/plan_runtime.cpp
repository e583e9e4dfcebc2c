// SPDX-License-Identifier: Apache-2.0
#include "backends/library/host/plan_runtime.h"

#include <algorithm>
#include <set>
#include <thread>

#include "backends/host/empty_timings.h"
#include "backends/host/pinned_scope.h"
#include "backends/host/processor.h"
#include "backends/library/plan_text.h"
#include "core/backend/last_cache.h"
#include "core/platform/system/clock.h"

namespace fuselab::library {
namespace {

constexpr std::int64_t kCacheWhereUnknown = std::int64_t{32} << 20;

std::unique_ptr<host::PinnedScope> pinned_as(const HostLibrary& library) {
  const auto cpu = library.caller_cpu();
  return cpu ? std::make_unique<host::PinnedScope>(*cpu) : nullptr;
}

class PlanExecutable final : public Executable {
 public:
  PlanExecutable(PlanRuntime& runtime, std::unique_ptr<HostPlan> plan, std::size_t arguments, int threads)
      : runtime_(runtime), plan_(std::move(plan)), arguments_(arguments), threads_(threads) {}

  Status enqueue(std::span<const Buffer> arguments) override {
    const auto scope = pinned_as(runtime_.library());
    FL_TRY_VOID(runtime_.library().use_threads(threads_));
    FL_TRY(const std::unique_ptr<BoundPlan> bound, bind(arguments));
    FL_TRY_VOID(bound->run());
    return bound->check_results();
  }

  Result<std::unique_ptr<BoundPlan>> bind(std::span<const Buffer> arguments) {
    if (arguments.size() != arguments_) {
      return invalid_argument("the kernel takes " + std::to_string(arguments_) + " buffers, got " +
                              std::to_string(arguments.size()));
    }
    FL_TRY(const Places places, runtime_.locate(arguments));
    return plan_->bind(places);
  }

  int threads() const { return threads_; }

 private:
  PlanRuntime& runtime_;
  std::unique_ptr<HostPlan> plan_;
  std::size_t arguments_;
  int threads_;
};

struct Step {
  std::unique_ptr<BoundPlan> bound;
  int threads;
};

}  // namespace

Result<Places> PlanRuntime::locate(std::span<const Buffer> arguments) const {
  Places places{std::vector<std::byte*>(arguments.size()), std::vector<std::uint64_t>(arguments.size())};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    FL_TRY(places.addresses[i], memory_.address_of(arguments[i]));
    FL_TRY(places.versions[i], memory_.version_of(arguments[i]));
  }
  return places;
}

Result<std::unique_ptr<Executable>> PlanRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != kPlanFormat) {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info_.id};
  }
  if (kernel.identity.target != info_.target.id) {
    return Error{ErrorCode::kUnsupported, info_.id + " runs plans for " + info_.target.id + ", not for " + kernel.identity.target};
  }
  FL_TRY(const PlanText plan, read_plan(kernel, library_->facts()));
  const auto scope = pinned_as(*library_);
  FL_TRY_VOID(library_->use_threads(threads_of(plan.config)));
  FL_TRY(std::unique_ptr<HostPlan> built, library_->build(plan));
  return std::unique_ptr<Executable>(
      std::make_unique<PlanExecutable>(*this, std::move(built), kernel.abi.arguments.size(), threads_of(plan.config)));
}

Result<Timing> PlanRuntime::time(std::span<const Launch> sequence, int repetitions) {
  const auto scope = pinned_as(*library_);
  std::vector<Step> steps;
  std::set<int> threads;
  for (const Launch& launch : sequence) {
    auto& executable = static_cast<PlanExecutable&>(*launch.executable);
    FL_TRY_VOID(library_->use_threads(executable.threads()));
    FL_TRY(std::unique_ptr<BoundPlan> bound, executable.bind(launch.arguments));
    steps.push_back({std::move(bound), executable.threads()});
    threads.insert(executable.threads());
  }
  const bool one_team = threads.size() <= 1;
  library_->settle(threads.empty() ? 1 : *threads.rbegin());
  const Nanoseconds start = platform::monotonic_now();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const Step& step : steps) {
      if (!one_team) FL_TRY_VOID(library_->use_threads(step.threads));
      FL_TRY_VOID(step.bound->run());
    }
  }
  const Nanoseconds end = platform::monotonic_now();
  for (const Step& step : steps) FL_TRY_VOID(step.bound->check_results());
  return Timing{{end.count - start.count}, TimingSource::kHostWall};
}

Result<std::vector<Timing>> PlanRuntime::time_nothing(int times) {
  const auto scope = pinned_as(*library_);
  return host::time_nothing(times);
}

Status PlanRuntime::flush_caches() {
  if (evictor_.empty()) {
    const std::int64_t cache = last_cache_bytes(info_);
    evictor_.resize(static_cast<std::size_t>(4 * (cache > 0 ? cache : kCacheWhereUnknown)));
  }
  // Written, not read: every line must be owned by this buffer afterwards. On every processor, because upper caches are their own.
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < cpus_.size(); ++part) {
    threads.emplace_back([this, part] {
      host::pin_thread({cpus_[part]});
      const std::size_t end = evictor_.size() * (part + 1) / cpus_.size();
      for (std::size_t i = evictor_.size() * part / cpus_.size(); i < end; i += 64) {
        evictor_[i] = static_cast<std::byte>(static_cast<unsigned>(evictor_[i]) + 1U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return {};
}

}  // namespace fuselab::library
