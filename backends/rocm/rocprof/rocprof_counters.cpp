// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/rocprof/rocprof_counters.h"

#include <algorithm>
#include <map>

#include "backends/gpu/planned_passes.h"
#include "core/profile/amd_counters.h"

namespace fuselab::hip {
namespace {

using namespace abi;

// Too many, and the codes of a counter that this device lacks.
constexpr RocprofCode kNotTogether[] = {kRocprofTooMany, 8, 20, 23, 24, 25, 26, 27, 35};

class RocprofCounters final : public CounterCollector {
 public:
  RocprofCounters(std::shared_ptr<RocprofSession> session, std::function<Status()> synchronize)
      : session_(std::move(session)), synchronize_(std::move(synchronize)) {}

  Status begin(const std::string& pci) {
    FL_TRY_VOID(session_->counts());
    FL_TRY(agent_, session_->agent_at(pci));
    FL_TRY_VOID(learn_names());
    const std::string target = agent_.name == nullptr ? "" : agent_.name;
    FL_TRY(plan_, amd_plan(target, [&](const auto& counters) { return fit(counters); }));
    for (const AmdCounter& each : amd_counters(target)) counters_.emplace(each.metric, each);
    return {};
  }

  Result<CounterPasses> plan_passes(std::span<const std::string> metrics) override {
    counts_.clear();
    return gpu::planned_passes(plan_.metrics, metrics, "rocprofiler-sdk");
  }

  Result<std::vector<Metric>> collect_pass(const std::vector<std::string>& pass, std::span<const Launch> sequence) override {
    FL_TRY(const std::size_t index, pass_of(pass));
    std::uint64_t config = 0;
    FL_TRY_VOID(check_rocprof(configure(plan_.passes[index], config), "configuring a pass"));
    const auto run = [&]() -> Status {
      for (const Launch& launch : sequence) FL_TRY_VOID(launch.executable->enqueue(launch.arguments));
      return synchronize_();
    };
    FL_TRY(const CountedPass counted, session_->count(config, run));
    for (const std::string& name : plan_.passes[index]) {
      const auto found = counted.counters.find(ids_.at(name));
      if (found != counted.counters.end()) counts_[name] = found->second;
    }
    return evaluated(pass, counted.device_ns);
  }

 private:
  Status learn_names() {
    struct Learning {
      RocprofCounters* self;
      RocprofCode failed = kRocprofSuccess;
    } learning{this};
    const auto take = [](std::uint64_t, std::uint64_t* counters, std::size_t count, void* data) -> RocprofCode {
      auto& told = *static_cast<Learning*>(data);
      for (std::size_t i = 0; i < count; ++i) {
        RocprofCounterInfo info;
        const RocprofCode code = told.self->session_->calls().counter_info(counters[i], kRocprofCounterInfo, &info);
        if (code != kRocprofSuccess) told.failed = code;
        if (code == kRocprofSuccess && info.name != nullptr) told.self->ids_[info.name] = counters[i];
      }
      return kRocprofSuccess;
    };
    FL_TRY_VOID(check_rocprof(session_->calls().counters(agent_.id, take, &learning), "the list of counters"));
    return ids_.empty() ? check_rocprof(learning.failed, "the names of counters") : Status();
  }

  RocprofCode configure(const std::vector<std::string>& counters, std::uint64_t& config) {
    std::vector<std::uint64_t> ids;
    for (const std::string& name : counters) ids.push_back(ids_.at(name));
    return session_->calls().create_config(agent_.id, ids.data(), ids.size(), &config);
  }

  Result<bool> fit(const std::vector<std::string>& counters) {
    if (!std::ranges::all_of(counters, [&](const std::string& name) { return ids_.contains(name); })) return false;
    std::uint64_t config = 0;
    const RocprofCode code = configure(counters, config);
    if (std::ranges::find(kNotTogether, code) != std::end(kNotTogether)) return false;
    FL_TRY_VOID(check_rocprof(code, "planning passes"));
    return true;
  }

  // A pass is known by one of its metrics.
  Result<std::size_t> pass_of(const std::vector<std::string>& pass) const {
    for (std::size_t i = 0; i < plan_.passes.size() && !pass.empty(); ++i) {
      const auto& own = plan_.metrics.passes[i];
      if (std::ranges::find(own, pass.front(), &CounterPlan::Named::first) != own.end()) return i;
    }
    return invalid_argument("rocprofiler-sdk planned no such pass");
  }

  std::vector<Metric> evaluated(const std::vector<std::string>& pass, double device_ns) const {
    std::vector<Metric> metrics;
    for (const std::string& name : pass) {
      const AmdCounter& counter = counters_.at(name);
      Metric& metric = metrics.emplace_back();
      metric.name = name;
      metric.source = "rocprofiler-sdk: " + counter.text();
      metric.value = amd_value(counter, counts_, device_ns, agent_.compute_units);
      if (!metric.value) metric.reason = "the device counted nothing of it in the passes that were asked for";
    }
    return metrics;
  }

  std::shared_ptr<RocprofSession> session_;
  std::function<Status()> synchronize_;
  RocprofAgent agent_;
  std::map<std::string, std::uint64_t> ids_;  // by the counter's name
  AmdPlan plan_;
  std::map<std::string, AmdCounter> counters_;  // by metric
  AmdCounts counts_;                            // of the passes since they were planned
};

}  // namespace

Result<std::unique_ptr<CounterCollector>> open_rocprof_counters(std::shared_ptr<RocprofSession> session, const std::string& pci,
                                                                std::function<Status()> synchronize) {
  auto counters = std::make_unique<RocprofCounters>(std::move(session), std::move(synchronize));
  FL_TRY_VOID(counters->begin(pci));
  return std::unique_ptr<CounterCollector>(std::move(counters));
}

}  // namespace fuselab::hip
