// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/onednn_runtime.h"

#include <algorithm>
#include <set>

#include "backends/host/empty_timings.h"
#include "backends/host/pinned_scope.h"
#include "backends/onednn/onednn_provider.h"
#include "core/backend/last_cache.h"
#include "core/platform/system/clock.h"

namespace fuselab::onednn {
namespace {

constexpr std::int64_t kDefaultCache = std::int64_t{32} << 20;

// The calling thread on the first processor, where its team has the others; elsewhere all would be made on that one.
std::unique_ptr<host::PinnedScope> pinned(const host::OmpTeam& team) {
  return team.pins() ? std::make_unique<host::PinnedScope>(team.cpus().front()) : nullptr;
}

class OneDnnExecutable final : public Executable {
 public:
  OneDnnExecutable(OneDnnRuntime& runtime, std::unique_ptr<BuiltPlan> plan) : runtime_(runtime), plan_(std::move(plan)) {}

  Status enqueue(std::span<const Buffer> arguments) override {
    const auto scope = pinned(runtime_.team());
    FL_TRY_VOID(use_threads());
    FL_TRY(const Places places, locate(arguments));
    FL_TRY_VOID(bind(places));
    return plan_->run();
  }

  // Holds where a launch's tensors lie, and how often each was written.
  struct Places {
    std::vector<std::byte*> addresses;
    std::vector<std::uint64_t> versions;
  };

  Status use_threads() { return runtime_.team().use(plan_->threads()); }

  Result<Places> locate(std::span<const Buffer> arguments) const {
    if (arguments.size() != plan_->arguments()) {
      return invalid_argument("the kernel takes " + std::to_string(plan_->arguments()) + " buffers, got " +
                              std::to_string(arguments.size()));
    }
    Places places{std::vector<std::byte*>(arguments.size()), std::vector<std::uint64_t>(arguments.size())};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      FL_TRY(places.addresses[i], runtime_.memory().address_of(arguments[i]));
      FL_TRY(places.versions[i], runtime_.memory().version_of(arguments[i]));
    }
    return places;
  }

  Status bind(const Places& places) { return plan_->bind(places.addresses, places.versions); }

  Status run() { return plan_->run(); }
  int threads() const { return plan_->threads(); }

 private:
  OneDnnRuntime& runtime_;
  std::unique_ptr<BuiltPlan> plan_;
};

OneDnnExecutable& of(const Launch& step) {
  return static_cast<OneDnnExecutable&>(*step.executable);
}

}  // namespace

Result<std::unique_ptr<Executable>> OneDnnRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != kPlanFormat) {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info_.id};
  }
  if (kernel.identity.target != info_.target.id) {
    return Error{ErrorCode::kUnsupported, info_.id + " runs plans for " + info_.target.id + ", not for " + kernel.identity.target};
  }
  const std::string_view text(reinterpret_cast<const char*>(kernel.binary.data.data()), kernel.binary.data.size());
  FL_TRY(const PlanText plan, read_plan(text));
  if (plan.graph.inputs().size() + plan.graph.outputs().size() != kernel.abi.arguments.size()) {
    return Error{ErrorCode::kCorrupt, "the plan takes other arguments than its kernel"};
  }
  const auto scope = pinned(team());
  FL_TRY(std::unique_ptr<BuiltPlan> built, BuiltPlan::build(library_, plan));
  return std::unique_ptr<Executable>(std::make_unique<OneDnnExecutable>(*this, std::move(built)));
}

Result<Timing> OneDnnRuntime::time(std::span<const Launch> sequence, int repetitions) {
  const auto scope = pinned(team());
  std::set<const Executable*> kernels;
  std::set<int> threads;
  std::vector<OneDnnExecutable::Places> places;
  for (const Launch& step : sequence) {
    FL_TRY_VOID(of(step).use_threads());
    FL_TRY(OneDnnExecutable::Places located, of(step).locate(step.arguments));
    FL_TRY_VOID(of(step).bind(located));
    places.push_back(std::move(located));
    kernels.insert(step.executable);
    threads.insert(of(step).threads());
  }
  // A kernel that stands in the sequence twice has one set of arguments at a time.
  const bool bound = kernels.size() == sequence.size();
  const bool one_team = threads.size() == 1;
  team().let_others_sleep();
  const Nanoseconds start = platform::monotonic_now();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      OneDnnExecutable& step = of(sequence[i]);
      if (!one_team) FL_TRY_VOID(step.use_threads());
      if (!bound) FL_TRY_VOID(step.bind(places[i]));
      FL_TRY_VOID(step.run());
    }
  }
  const Nanoseconds end = platform::monotonic_now();
  return Timing{{end.count - start.count}, TimingSource::kHostWall};
}

Result<std::vector<Timing>> OneDnnRuntime::time_nothing(int times) {
  const auto scope = pinned(team());
  return host::time_nothing(times);
}

Status OneDnnRuntime::flush_caches() {
  if (evictor_.empty()) {
    const std::int64_t cache = last_cache_bytes(info_);
    evictor_.resize(static_cast<std::size_t>(4 * (cache > 0 ? cache : kDefaultCache)));
  }
  const auto scope = pinned(team());
  // Written, not read: every line must be owned by this buffer afterwards. All threads, because upper caches are their own.
  return team().run(team().most(), [this](int thread, int threads) {
    const std::size_t begin = evictor_.size() * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
    const std::size_t end = evictor_.size() * static_cast<std::size_t>(thread + 1) / static_cast<std::size_t>(threads);
    for (std::size_t i = begin; i < end; i += 64) evictor_[i] = static_cast<std::byte>(static_cast<unsigned>(evictor_[i]) + 1U);
  });
}

}  // namespace fuselab::onednn
