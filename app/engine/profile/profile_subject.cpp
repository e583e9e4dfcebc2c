// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profile_subject.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/engine/measure/roofline.h"
#include "app/engine/profile/ceiling_collector.h"
#include "app/engine/profile/code_collector.h"
#include "app/engine/profile/exact_count.h"
#include "app/engine/profile/profile_price.h"
#include "app/engine/profile/profiled_plan.h"
#include "app/engine/profile/size_sweep.h"
#include "app/engine/profile/stored_answers.h"
#include "core/backend/last_cache.h"
#include "core/graph/graph_text.h"
#include "profiler/device/device_places.h"
#include "profiler/host/counted_launches.h"
#include "profiler/static/kernel_report.h"
#include "profiler/static/loop_report.h"
#include "profiler/trace/device_spans.h"
#include "profiler/verdict/speedup_split.h"
#include "profiler/verdict/standing.h"
#include "profiler/verdict/verdict.h"

namespace fuselab::engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTimelineCollectorVersion = 1;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// One profile in the making.
class Profiling {
 public:
  Profiling(Engine& engine, const ProfileSpec& spec, std::stop_token stop)
      : engine_(engine), spec_(spec), stop_(std::move(stop)), workers_(pool_options(engine.config(), spec)) {}

  Result<ProfileView> run() {
    FL_TRY(found_, find_plan(engine_, workers_, spec_, stop_));
    describe();
    levels_ = profile::cache_levels(found_.device.target, found_.threads());
    ProfileRecord about;
    about.trial_id = found_.trial ? found_.trial->id : std::string();
    about.piece_key = found_.piece.key;
    about.plan_key = found_.plan_key;
    about.device_id = found_.device.id;
    about.environment_key = found_.environment_key;
    answers_.emplace(engine_, std::move(about), spec_.again);
    std::vector<void (Profiling::*)()> collectors = {&Profiling::collect_code};
    if (spec_.target.empty())
      collectors = {&Profiling::collect_ceilings,  &Profiling::collect_code,  &Profiling::collect_counters,
                    &Profiling::collect_timelines, &Profiling::collect_sweep, &Profiling::collect_exact};
    for (const auto collect : collectors) {
      (this->*collect)();
      if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    }
    conclude();
    if (const Status stored = answers_->store(); !stored.ok()) view_.not_stored = stored.error().message;
    return std::move(view_);
  }

 private:
  static WorkerPoolOptions pool_options(const Config& config, const ProfileSpec& spec) {
    WorkerPoolOptions options;
    options.trace = spec.trace != nullptr ? spec.trace : config.trace;
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

  // Takes a collector's stored answer or asks it; `reason_of` says what an answer lacks. One that lacks something is stored as
  // well, for whoever looks without collecting, and asked for again here: the reason may be gone.
  template <typename Answer, typename Collect, typename ReasonOf>
  Answer answer_of(const char* collector, int version, const Collect& collect, const ReasonOf& reason_of) {
    CollectorNote note;
    note.collector = collector;
    note.version = version;
    std::optional<Answer> answer = answers_->find<Answer>(collector, version, note);
    if (answer) note.reason = reason_of(*answer);
    if (!answer && spec_.stored) {
      answer.emplace();
      note.reason = "not stored";
    } else if (!spec_.stored && (!answer || !note.reason.empty())) {
      note = {};
      note.collector = collector;
      note.version = version;
      const auto start = Clock::now();
      answer = collect(note);
      note.cost_ms = milliseconds_since(start);
      const bool failed = !note.reason.empty();
      if (!failed) note.reason = reason_of(*answer);
      if (!failed && !stop_.stop_requested()) answers_->add(*answer, note);
    }
    result().collectors.push_back(std::move(note));
    return std::move(*answer);
  }

  void collect_ceilings() {
    const auto collect = [&](CollectorNote& note) {
      CeilingAnswer answer;
      auto rows = engine::collect_ceilings(found_.device, stream_mix(found_.piece.operation.graph), levels_, found_.ceilings,
                                           workers_, stop_);
      if (rows.ok()) {
        answer.rows = std::move(rows).value();
      } else {
        note.reason = rows.error().message;
      }
      return answer;
    };
    const CeilingAnswer answer =
        answer_of<CeilingAnswer>("ceilings", kCeilingCollectorVersion, collect, [](const CeilingAnswer&) { return std::string(); });
    found_.ceilings.rows.insert(found_.ceilings.rows.end(), answer.rows.begin(), answer.rows.end());
  }

  void collect_code() {
    result().code = answer_of<CodeReport>(
        "code", kCodeCollectorVersion,
        [&](CollectorNote&) { return engine::collect_code(found_.kernels, found_.device, workers_, stop_); },
        [](const CodeReport& report) { return report.why_not.empty() ? report.why_no_prediction : report.why_not; });
  }

  // A plan that dies under counters takes no other answer with it.
  void collect_counters() {
    const auto collect = [&](CollectorNote& note) {
      auto reply = launched(wire::ProfilePart::kCounters);
      if (reply.ok()) return std::move(reply.value().counters);
      CounterSet none;
      note.reason = reply.error().message;
      none.why_no_hits = note.reason;
      none.passed_over = {"generic: " + note.reason};
      return none;
    };
    // Rights, or more time, may be given before the next time.
    const auto refused = [](const CounterSet& set) {
      const auto may_change = [](const std::string& why) {
        return why.find("perf_event_paranoid") != std::string::npos || why.find("file descriptors") != std::string::npos ||
               why.find("--seconds") != std::string::npos;
      };
      std::vector<std::string> reasons = set.passed_over;
      reasons.push_back(set.why_no_hits);
      for (const Metric& metric : set.metrics) reasons.push_back(metric.reason);
      const auto found = std::find_if(reasons.begin(), reasons.end(), may_change);
      return found != reasons.end() ? *found : std::string();
    };
    result().counters = answer_of<CounterSet>("counters", profile::kHostCollectorVersion, collect, refused);
    profile::add_hits(result().counters.hits, result().code);
  }

  Result<wire::ProfileReply> launched(wire::ProfilePart part) {
    const wire::ProfileRequest request{found_.device.backend, found_.device.id, found_.plan,
                                       spec_.protocol.inputs, spec_.seconds,    part};
    return workers_.profile(found_.device, request, spec_.protocol.launch_timeout, stop_);
  }

  // One part of what is recorded over time; a process that dies over it takes no other part along.
  template <typename Answer>
  Answer recorded(wire::ProfilePart part, Answer wire::ProfileReply::*member) {
    const std::string collector(wire::kProfilePartNames[static_cast<std::size_t>(part)]);
    return answer_of<Answer>(
        collector.c_str(), kTimelineCollectorVersion,
        [&](CollectorNote& note) {
          auto reply = launched(part);
          if (reply.ok()) return std::move(reply.value().*member);
          Answer none;
          none.why_not = note.reason = reply.error().message;
          return none;
        },
        [](const Answer& answer) { return answer.why_not; });
  }

  // What a device did over time. The host's processor has its own ways.
  void collect_timelines() {
    if (found_.device.type == "cpu") return;
    result().trace = recorded(wire::ProfilePart::kTrace, &wire::ProfileReply::trace);
    const auto& notes = result().collectors;
    // Clocks of another run of the machine say nothing today.
    const std::shared_ptr<TraceRecorder> recorder = spec_.trace != nullptr ? spec_.trace : engine_.config().trace;
    if (recorder != nullptr && !notes.back().reused) {
      for (TraceSpan& span : profile::spans_of(result().trace, found_.device.id, result().trial_id)) recorder->add(std::move(span));
      recorder->add_lost(result().trace.dropped);
    }
    result().series = recorded(wire::ProfilePart::kSeries, &wire::ProfileReply::series);
    result().samples = recorded(wire::ProfilePart::kSamples, &wire::ProfileReply::samples);
    profile::add_lines(result().samples, result().code);
    profile::add_hits(profile::hits_of(result().samples, result().code), result().code);
  }

  void collect_sweep() {
    if (!found_.trial) {
      result().sweep.why_not = "nothing is stored of the plan, so nothing is measured beside it";
      return;
    }
    const std::string collector = found_.mode == CacheMode::kWarm ? "sweep" : "sweep, " + std::string(name_of(found_.mode));
    result().sweep = answer_of<Sweep>(
        collector.c_str(), kSweepCollectorVersion,
        [&](CollectorNote&) { return sweep_sizes(engine_, found_, spec_, levels_, workers_, stop_); },
        [](const Sweep& sweep) {
          for (const SweepPoint& point : sweep.points) {
            if (!point.reason.empty()) return point.reason;
          }
          return sweep.why_not;
        });
  }

  void collect_exact() {
    if (!spec_.exact) return;
    const auto collect = [&](CollectorNote&) {
      ExactAnswer answer{{count_instructions(found_.kernels, "exact_instructions", stop_)}};
      if (found_.kind != PlanKind::kFused || !found_.unfused || found_.piece.is_single()) return answer;
      const auto operators = stored_kernels(engine_.queries(), workers_, found_, *found_.unfused, false, stop_);
      if (operators.ok()) answer.metrics.push_back(count_instructions(operators.value(), "exact_instructions_unfused", stop_));
      return answer;
    };
    result().exact = answer_of<ExactAnswer>("exact", kExactCollectorVersion, collect, [](const ExactAnswer& answer) {
                       for (const Metric& metric : answer.metrics) {
                         if (!metric.reason.empty()) return metric.reason;
                       }
                       return std::string();
                     }).metrics;
  }

  // Without a trial, the launches beside the counters say at least what share each limit has.
  void take_time() {
    Profile& profile = result();
    if (profile.median_ns > 0 || profile.counters.plain_ns <= 0) return;
    profile.median_ns = profile.counters.plain_ns;
    profile.measured_by = "counters";
  }

  // The compiler's words on each kernel, and the driver's where it loaded it. A processor's machine code is looked at itself.
  void report_kernels() {
    for (std::size_t step = 0; step < found_.kernels.size(); ++step) {
      // Libraries of the processor have no compiler of kernels; a driver of it, OpenCL's, has.
      const bool without_words = found_.device.type == "cpu" && found_.device.backend != "opencl";
      if (without_words || found_.kernels[step].binary.format == "elf-so") continue;
      const int index = static_cast<int>(step);
      KernelReport report =
          profile::report_of(found_.kernels[step], index, found_.device.target, result().code.has_warp_groups(index));
      const auto& loaded = result().counters.kernels;
      if (step < loaded.size())
        report.metrics.insert(report.metrics.end(), loaded[step].metrics.begin(), loaded[step].metrics.end());
      if (report.metrics.empty())
        report.text = "neither compiler nor driver of " + found_.device.id + " reports anything of a kernel";
      result().kernels.push_back(std::move(report));
    }
  }

  void conclude() {
    take_time();
    report_kernels();
    Profile& profile = result();
    const Graph& graph = found_.piece.operation.graph;
    const Cost& cost = found_.piece.operation.cost;
    const StreamMix mix = stream_mix(graph);
    const Bytes working = working_set(cost, found_.mode, last_caches_bytes(found_.device));
    const int most = static_cast<int>(found_.device.compute_units.value_or(found_.threads()));
    profile.standing = profile::standing_of({graph, cost, working, mix.reads, mix.writes, found_.ceilings, levels_,
                                             profile.median_ns, static_cast<int>(found_.kernels.size()), found_.threads(), most,
                                             &profile.code, &profile.counters, found_.mode});
    profile.verdict = profile::judge(
        {graph, cost, profile.median_ns, profile.standing, profile.code, profile.counters, profile.sweep, profile.kernels});
    if (const std::string price = price_of_counters(found_.device.target.id); !spec_.target.empty() && !price.empty())
      profile.counters.passed_over.push_back(price);
    if (!spec_.target.empty()) profile.verdict.text = "Nothing ran, so nothing is known of what its time is spent on.";
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
    const auto counted = [&](std::string_view name) {
      for (const Metric& metric : profile.exact) {
        if (metric.name == name) return metric.value.value_or(0);
      }
      return 0.0;
    };
    input.fused_work = counted("exact_instructions");
    input.unfused_work = counted("exact_instructions_unfused");
    input.work = "instructions";
    if (found_.kind == PlanKind::kFused) input.hottest = profile.code.hottest();
    return input;
  }

  Engine& engine_;
  const ProfileSpec& spec_;
  std::stop_token stop_;
  WorkerPool workers_;
  ProfiledPlan found_;
  std::vector<profile::CacheLevel> levels_;
  std::optional<StoredAnswers> answers_;
  ProfileView view_;
};

}  // namespace

Result<ProfileView> profile_subject(Engine& engine, const ProfileSpec& spec, std::stop_token stop) {
  return Profiling(engine, spec, std::move(stop)).run();
}

Result<std::optional<ProfileView>> stored_profile(Engine& engine, const std::string& trial) {
  ProfileSpec spec;
  spec.trial = trial;
  spec.stored = true;
  FL_TRY(ProfileView view, Profiling(engine, spec, {}).run());
  const auto& notes = view.profile.collectors;
  // A verdict from some of the answers would be another than the one that was shown.
  const auto is_stored = [&](std::string_view collector) {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const CollectorNote& note) { return note.reused && note.collector == collector; });
  };
  const bool profiled = is_stored("code") && is_stored("counters");
  return profiled ? std::optional(std::move(view)) : std::nullopt;
}

}  // namespace fuselab::engine
