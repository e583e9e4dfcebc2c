// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profile_subject.h"

#include <algorithm>
#include <chrono>

#include "app/engine/measure/roofline.h"
#include "app/engine/profile/ceiling_collector.h"
#include "app/engine/profile/code_collector.h"
#include "app/engine/profile/profiled_plan.h"
#include "app/engine/profile/size_sweep.h"
#include "core/backend/last_cache.h"
#include "core/graph/graph_text.h"
#include "profiler/host/counted_launches.h"
#include "profiler/static/loop_report.h"
#include "profiler/verdict/speedup_split.h"
#include "profiler/verdict/standing.h"
#include "profiler/verdict/verdict.h"

namespace fuselab::engine {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// One profile in the making.
class Profiling {
 public:
  Profiling(Engine& engine, const ProfileSpec& spec, std::stop_token stop)
      : engine_(engine), spec_(spec), stop_(std::move(stop)), workers_(pool_options(engine.config())) {}

  Result<ProfileView> run() {
    FL_TRY(found_, find_plan(engine_, workers_, spec_, stop_));
    describe();
    levels_ = profile::cache_levels(found_.device.target, found_.threads());
    collect_ceilings();
    collect_code();
    FL_TRY_VOID(collect_counters());
    collect_sweep();
    if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    conclude();
    return std::move(view_);
  }

 private:
  static WorkerPoolOptions pool_options(const Config& config) {
    WorkerPoolOptions options;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    return options;
  }

  Profile& result() { return view_.profile; }

  void describe() {
    view_.model = found_.model;
    view_.binding = found_.binding;
    view_.level = found_.level;
    for (const CompiledKernel& kernel : found_.kernels) view_.sources.push_back(kernel.source.text);
    Profile& profile = result();
    profile.piece_key = found_.piece.key;
    profile.piece = found_.piece.operation.name;
    profile.pattern = name_of(found_.piece.operation.pattern);
    profile.graph = canonical_text(found_.piece.operation.graph);
    profile.device_id = found_.device.id;
    profile.device = found_.device.name;
    profile.backend = found_.device.backend;
    profile.plan = name_of(found_.kind);
    profile.config = found_.config;
    profile.plan_key = found_.plan_key;
    profile.environment_key = found_.environment_key;
    profile.metric_key = found_.metric_key;
    profile.note = found_.note;
    if (!found_.trial) return;
    profile.trial_id = found_.trial->id;
    profile.median_ns = found_.trial->median_ns;
    profile.low_ns = found_.trial->low_ns;
    profile.high_ns = found_.trial->high_ns;
    if (profile.median_ns > 0) profile.measured_by = "trial";
  }

  CollectorNote& note(const char* collector, int version) {
    CollectorNote& added = result().collectors.emplace_back();
    added.collector = collector;
    added.version = version;
    return added;
  }

  bool is_host() const { return found_.device.type == "cpu" && found_.device.backend == "cpu"; }

  void collect_ceilings() {
    const auto start = Clock::now();
    auto rows = engine::collect_ceilings(found_.device, stream_mix(found_.piece.operation.graph), levels_, found_.ceilings,
                                         workers_, stop_);
    CollectorNote& said = note("ceilings", kCeilingCollectorVersion);
    said.cost_ms = milliseconds_since(start);
    if (rows.ok()) {
      found_.ceilings.rows.insert(found_.ceilings.rows.end(), rows.value().begin(), rows.value().end());
    } else {
      said.reason = rows.error().message;
    }
  }

  void collect_code() {
    const auto start = Clock::now();
    result().code = engine::collect_code(found_.kernels, found_.device, workers_, stop_);
    CollectorNote& said = note("code", kCodeCollectorVersion);
    said.cost_ms = milliseconds_since(start);
    said.reason = result().code.why_not;
  }

  // A plan that dies under counters takes no other answer with it.
  Status collect_counters() {
    const auto start = Clock::now();
    wire::ProfileRequest request{found_.device.backend, found_.device.id, found_.plan, spec_.protocol.inputs, spec_.seconds};
    auto reply =
        is_host() || found_.device.type != "cpu"
            ? workers_.profile(found_.device, request, spec_.protocol.launch_timeout, stop_)
            : Result<wire::ProfileReply>(Error{ErrorCode::kUnsupported, "no collector reads counters of " + found_.device.id});
    if (!reply.ok() && reply.error().code == ErrorCode::kCancelled) return reply.error();
    CollectorNote& said = note("counters", profile::kHostCollectorVersion);
    said.cost_ms = milliseconds_since(start);
    if (reply.ok()) {
      result().counters = std::move(reply.value().counters);
      profile::add_hits(result().counters.hits, result().code);
    } else {
      said.reason = reply.error().message;
      result().counters.why_no_hits = said.reason;
      result().counters.passed_over = {"generic: " + said.reason};
    }
    return {};
  }

  void collect_sweep() {
    const auto start = Clock::now();
    if (!found_.trial) {
      result().sweep.why_not = "nothing is stored of the plan, so nothing is measured beside it";
    } else {
      result().sweep = sweep_sizes(engine_, found_, spec_, levels_, workers_, stop_);
    }
    CollectorNote& said = note("sweep", kSweepCollectorVersion);
    said.cost_ms = milliseconds_since(start);
    said.reason = result().sweep.why_not;
  }

  // Without a trial, the launches beside the counters say at least what share each limit has.
  void take_time() {
    Profile& profile = result();
    if (profile.median_ns > 0 || profile.counters.plain_ns <= 0) return;
    profile.median_ns = profile.counters.plain_ns;
    profile.measured_by = "counters";
  }

  void conclude() {
    take_time();
    Profile& profile = result();
    const Graph& graph = found_.piece.operation.graph;
    const Cost& cost = found_.piece.operation.cost;
    const StreamMix mix = stream_mix(graph);
    const Bytes working = working_set(cost, spec_.protocol.mode, last_caches_bytes(found_.device));
    const int most = static_cast<int>(found_.device.compute_units.value_or(found_.threads()));
    profile.standing =
        profile::standing_of({graph, cost, working, mix.reads, mix.writes, found_.ceilings, levels_, profile.median_ns,
                              static_cast<int>(found_.kernels.size()), found_.threads(), most, &profile.code, &profile.counters});
    profile.verdict =
        profile::judge({graph, cost, profile.median_ns, profile.standing, profile.code, profile.counters, profile.sweep});
    profile.split = profile::split_speedup(split_input(graph, cost));
  }

  profile::SplitInput split_input(const Graph& graph, const Cost& cost) {
    Profile& profile = result();
    profile::SplitInput input{.graph = graph,
                              .cost = cost,
                              .operators = static_cast<int>(found_.piece.operators.size()),
                              .levels = levels_,
                              .standing = profile.standing};
    if (found_.fused && found_.unfused) {
      input.fused_ns = found_.fused->median_ns;
      input.unfused_ns = found_.unfused->median_ns;
      const bool decided = found_.gain && found_.gain->is_known();
      const Ratio ratio = ratio_of(found_.unfused->result.samples, found_.fused->result.samples, true);
      input.gain = decided ? found_.gain->ratio : ratio.value;
      input.low = decided ? found_.gain->low : ratio.interval.low;
      input.high = decided ? found_.gain->high : ratio.interval.high;
      input.processes = decided ? found_.gain->processes : 1;
    }
    if (found_.kind == PlanKind::kFused) input.hottest = profile.code.hottest();
    return input;
  }

  Engine& engine_;
  const ProfileSpec& spec_;
  std::stop_token stop_;
  WorkerPool workers_;
  ProfiledPlan found_;
  std::vector<profile::CacheLevel> levels_;
  ProfileView view_;
};

}  // namespace

Result<ProfileView> profile_subject(Engine& engine, const ProfileSpec& spec, std::stop_token stop) {
  return Profiling(engine, spec, std::move(stop)).run();
}

}  // namespace fuselab::engine
