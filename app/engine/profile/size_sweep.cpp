// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/size_sweep.h"

#include <algorithm>
#include <cmath>

#include "app/engine/kernels/requests.h"
#include "core/graph/graph_text.h"
#include "core/stats/statistics.h"
#include "core/workloads/workload.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kGrain = 16;  // extents are multiples of it: no size is awkward for vectors or threads
constexpr double kFilled = 0.5;      // of a cache
constexpr double kLongest = 1e9;     // ns of a launch: a block takes some ten of each plan

// Returns the symbol that a workload's first input begins with: rows, a batch, a count. Fewer of them leave the kernel as it is.
std::string leading_symbol(const std::string& subject) {
  const auto workload = find_workload(subject);
  if (!workload.ok()) return {};
  const auto graph = parse_graph(workload.value()->graph_text);
  if (!graph.ok() || graph.value().inputs().empty()) return {};
  for (const Dim& dim : graph.value().type(graph.value().inputs().front()).shape) {
    if (dim.is_symbol()) return dim.name();
  }
  return {};
}

bool are_alike(const Piece& a, const Piece& b) {
  const auto& first = a.operation.graph.nodes();
  const auto& second = b.operation.graph.nodes();
  return a.operation.pattern == b.operation.pattern && std::equal(first.begin(), first.end(), second.begin(), second.end(),
                                                                  [](const Node& x, const Node& y) { return x.op == y.op; });
}

// One plan of the block, or why it is not measured.
struct Entry {
  SweepPoint point;
  std::optional<Plan> plan;
};

class SizeSweep {
 public:
  SizeSweep(Engine& engine, const ProfiledPlan& found, const ProfileSpec& spec, const std::vector<profile::CacheLevel>& levels,
            WorkerPool& workers, std::stop_token stop)
      : engine_(engine), found_(found), spec_(spec), levels_(levels), workers_(workers), stop_(std::move(stop)) {}

  Sweep run() {
    Sweep sweep;
    if (found_.kernels.size() != 1) {
      sweep.why_not = "the plan has several kernels: a smaller size has others";
      return sweep;
    }
    if (found_.trial && found_.trial->median_ns > kLongest) {
      sweep.why_not = "a launch takes " + format_duration({found_.trial->median_ns}) + ": a block with others would take minutes";
      return sweep;
    }
    add_whole();
    add_sizes();
    add_threads();
    measure(sweep);
    return sweep;
  }

 private:
  void add_whole() {
    Entry entry;
    entry.point = point_of("as it is", found_.piece, found_.threads());
    entry.plan = found_.plan;
    entries_.push_back(std::move(entry));
  }

  SweepPoint point_of(const std::string& what, const Piece& piece, int threads) const {
    SweepPoint point;
    point.what = what;
    point.bytes = static_cast<double>(piece.operation.cost.ideal().count);
    point.flops = piece.operation.cost.flops;
    point.threads = threads;
    point.level = is_warm() ? profile::level_of(levels_, piece.operation.cost.ideal()).name : levels_.back().name;
    return point;
  }

  bool is_warm() const { return found_.mode == CacheMode::kWarm; }

  // One size for each level nearer than the one that holds the piece.
  void add_sizes() {
    if (!is_warm()) {
      no_sizes_ = "no other size: caches that are " + std::string(name_of(found_.mode)) + " hold none";
      return;
    }
    const std::string symbol = leading_symbol(found_.model);
    const auto bindings = parse_bindings(found_.binding);
    if (symbol.empty() || !bindings.ok() || bindings.value().count(symbol) == 0) {
      no_sizes_ = "no other size: the subject is no workload with a named extent";
      return;
    }
    const std::int64_t extent = bindings.value().at(symbol);
    const double whole = static_cast<double>(found_.piece.operation.cost.ideal().count);
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      if (level->capacity.count == 0 || whole <= static_cast<double>(level->capacity.count)) continue;
      const double share = kFilled * static_cast<double>(level->capacity.count) / whole;
      const auto fewer = static_cast<std::int64_t>(share * static_cast<double>(extent)) / kGrain * kGrain;
      if (fewer < kGrain || fewer >= extent) continue;
      Bindings smaller = bindings.value();
      smaller[symbol] = fewer;
      std::string text;
      for (const auto& [name, value] : smaller) text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
      entries_.push_back(entry_of_size(symbol + "=" + std::to_string(fewer), text));
    }
  }

  Entry entry_of_size(const std::string& what, const std::string& binding) {
    Entry entry;
    entry.point.what = what;
    const Status made = make_size(binding, what, entry);
    if (!made.ok()) entry.point.reason = made.error().message;
    return entry;
  }

  // A configuration that writes past the caches moves as much through memory at any size.
  LaunchConfig through_caches() const {
    LaunchConfig config = found_.kernels.front().config;
    if (config.integer("nontemporal", 0) != 0) config.set("nontemporal", std::int64_t{0});
    return config;
  }

  Status make_size(const std::string& binding, const std::string& what, Entry& entry) {
    const JobSpec usual;
    FL_TRY(const DType dtype, parse_element_type(found_.dtype.empty() ? usual.dtype : found_.dtype));
    FL_TRY(const OptimizationLevel level, parse_optimization_level(found_.level));
    const auto cut_at = [&](const std::string& extents) -> Result<FusedModel> {
      FL_TRY(auto subjects, resolve_subject(engine_.config(), found_.model, extents, dtype));
      return cut(std::move(subjects.front()), level);
    };
    FL_TRY(const FusedModel whole, cut_at(found_.binding));
    FL_TRY(const FusedModel smaller, cut_at(binding));
    const Piece* const piece = counterpart(found_.piece, whole.pieces, smaller.pieces);
    if (piece == nullptr) return Error{ErrorCode::kUnsupported, "at this size it is cut into other pieces"};
    FL_TRY(CompiledKernel kernel,
           workers_.compile(compile_request(found_.device, found_.level, piece->operation.graph, through_caches()), stop_));
    entry.point = point_of(what, *piece, found_.threads());
    entry.plan = whole_graph_plan(what, piece->operation.graph, std::move(kernel));
    return {};
  }

  void add_threads() {
    const auto most = static_cast<int>(found_.device.compute_units.value_or(1));
    for (const int threads : {1, most}) {
      if (threads == found_.threads() || (threads == most && most == 1)) continue;
      Entry entry;
      entry.point = point_of("threads=" + std::to_string(threads), found_.piece, threads);
      LaunchConfig config = found_.kernels.front().config;
      if (!config.has("threads")) continue;
      config.set("threads", std::int64_t{threads});
      auto kernel = workers_.compile(compile_request(found_.device, found_.level, found_.piece.operation.graph, config), stop_);
      if (kernel.ok()) {
        entry.plan = whole_graph_plan(entry.point.what, found_.piece.operation.graph, std::move(kernel).value());
      } else {
        entry.point.reason = kernel.error().message;
      }
      entries_.push_back(std::move(entry));
    }
  }

  // What is as large is timed interleaved. A smaller size has a process of its own: between turns of larger ones its data would
  // leave the caches.
  void measure(Sweep& sweep) {
    std::vector<std::size_t> large;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].point.bytes < entries_.front().point.bytes)
        measure({i});
      else
        large.push_back(i);
    }
    measure(large);
    for (Entry& entry : entries_) sweep.points.push_back(std::move(entry.point));
    if (sweep.points.front().median_ns <= 0)
      sweep.why_not = "the plan itself was not timed: " + sweep.points.front().reason;
    else if (sweep.points.size() == 1)
      sweep.why_not = no_sizes_;
  }

  void measure(const std::vector<std::size_t>& places) {
    Block block;
    block.device = found_.device.id;
    block.protocol = spec_.protocol;
    block.protocol.mode = found_.mode;
    block.protocol.drop_factor = 0;  // slower ones are what is looked for
    std::vector<Entry*> timed;
    for (const std::size_t i : places) {
      if (!entries_[i].plan) continue;
      block.plans.push_back(std::move(*entries_[i].plan));
      timed.push_back(&entries_[i]);
    }
    if (timed.empty()) return;
    constexpr bool kSpecialInputs = false;
    const auto measured = workers_.measure_fresh(found_.device, block, stop_, kSpecialInputs);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      SweepPoint& point = timed[i]->point;
      if (!measured.ok()) {
        point.reason = measured.error().message;
        continue;
      }
      const PlanResult& result = measured.value().plans[i];
      if (result.outcome != Outcome::kTimed) {
        point.reason = std::string(name_of(result.outcome)) + (result.reason.empty() ? "" : ": " + result.reason);
        continue;
      }
      const Summary summary = summarize(result.samples);
      point.median_ns = summary.median;
      point.low_ns = summary.interval.low;
      point.high_ns = summary.interval.high;
    }
  }

  Engine& engine_;
  const ProfiledPlan& found_;
  const ProfileSpec& spec_;
  const std::vector<profile::CacheLevel>& levels_;
  WorkerPool& workers_;
  std::stop_token stop_;
  std::vector<Entry> entries_;
  std::string no_sizes_;
};

}  // namespace

const Piece* counterpart(const Piece& piece, const std::vector<Piece>& whole, const std::vector<Piece>& smaller) {
  std::vector<const Piece*> here, there;
  for (const Piece& each : whole) {
    if (are_alike(piece, each)) here.push_back(&each);
  }
  for (const Piece& each : smaller) {
    if (are_alike(piece, each)) there.push_back(&each);
  }
  const auto place = std::find_if(here.begin(), here.end(), [&](const Piece* each) { return each->key == piece.key; });
  return place == here.end() || here.size() != there.size() ? nullptr : there[static_cast<std::size_t>(place - here.begin())];
}

Sweep sweep_sizes(Engine& engine, const ProfiledPlan& found, const ProfileSpec& spec,
                  const std::vector<profile::CacheLevel>& levels, WorkerPool& workers, const std::stop_token& stop) {
  return SizeSweep(engine, found, spec, levels, workers, stop).run();
}

}  // namespace fuselab::engine
