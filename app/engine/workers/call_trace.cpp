// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/call_trace.h"

#include <algorithm>

namespace fuselab::engine {
namespace {

using platform::WorkerPhase;

using Arguments = std::vector<std::pair<std::string, std::string>>;

// What a request is called in a timeline: its track, its span, and its parts by the number that the shared page knows them by.
struct CallNames {
  std::string process;
  std::string name;
  std::string category;
  std::vector<std::string> parts = {};
  std::vector<Arguments> arguments = {};  // of the parts; may be empty
};

std::string kernel_names(const Plan& plan) {
  std::string names;
  for (const PlanStep& step : plan.steps) names += (names.empty() ? "" : ", ") + step.kernel.abi.entry;
  return names;
}

CallNames names_of(const wire::MeasureRequest& request) {
  CallNames names{request.block.device, "time", "time"};
  for (const Plan& plan : request.block.plans) names.parts.push_back(plan.label + ": " + kernel_names(plan));
  return names;
}

CallNames names_of(const wire::ExecuteRequest& request) {
  CallNames names{request.device, "execute", "execute"};
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    const bool is_named = i < request.names.size();
    names.parts.push_back(is_named ? request.names[i].piece : request.steps[i].kernel.abi.entry);
    names.arguments.emplace_back();
    if (is_named)
      names.arguments.back() = {{"operators", request.names[i].operators},
                                {"shapes", request.names[i].shapes},
                                {"configuration", request.steps[i].kernel.config.text()}};
  }
  return names;
}

CallNames names_of(const wire::CeilingRequest& request) {
  return {request.device, request.footprints.empty() ? "measure FLOP/s" : "measure bandwidth", "ceiling"};
}

CallNames names_of(const wire::TimerRequest& request) {
  return {request.device, "measure the timer", "ceiling"};
}

CallNames names_of(const wire::ProfileRequest& request) {
  const auto part = wire::kProfilePartNames[static_cast<std::size_t>(request.part)];
  return {request.device, "profile, " + std::string(part), "profile", {kernel_names(request.plan)}};
}

CallNames names_of(const wire::CompileRequest& request) {
  return {"compilers", "compile for " + request.backend + " " + request.config.text(), "compile"};
}

CallNames names_of(const wire::RecompileRequest& request) {
  return {"compilers", "recompile " + request.kernel.abi.entry, "compile"};
}

CallNames names_of(const wire::DescribeRequest& request) {
  return {"compilers", "describe for " + request.backend, "generate"};
}

CallNames names_of(const wire::GenerateRequest& request) {
  return {"compilers", "generate for " + request.backend, "generate"};
}

CallNames names_of(const wire::ProbeRequest& request) {
  return {"probes", "probe " + request.backend, "probe"};
}

template <typename Other>
CallNames names_of(const Other& /*request*/) {
  return {"probes", "ask", "probe"};
}

const char* category_of(WorkerPhase phase) {
  switch (phase) {
    case WorkerPhase::kLoad: return "load";
    case WorkerPhase::kLaunch: return "launch";
    case WorkerPhase::kVerify: return "verify";
    case WorkerPhase::kPrepare:
    case WorkerPhase::kIdle: break;
  }
  return nullptr;  // nothing that a timeline needs to show
}

}  // namespace

CallTrace::CallTrace(std::shared_ptr<TraceRecorder> recorder, const wire::Request& request, const platform::SharedPage& page,
                     std::string worker)
    : recorder_(std::move(recorder)), request_(request), page_(page), track_{{}, std::move(worker)} {
  if (recorder_ == nullptr) return;
  start_ = TraceScope::now();
  seen_ = page_.state().heartbeat;
}

CallTrace::~CallTrace() {
  if (recorder_ == nullptr) return;
  const Nanoseconds end = TraceScope::now();
  CallNames names = std::visit([](const auto& held) { return names_of(held); }, request_);
  track_.process = std::move(names.process);
  TraceSpan call{track_, std::move(names.name), std::move(names.category), start_, {end.count - start_.count}};
  for (std::size_t part = 0; part < names.parts.size(); ++part)
    call.arguments.emplace_back("plan " + std::to_string(part), names.parts[part]);
  recorder_->add(std::move(call));

  const platform::PhaseChanges log = page_.changes_since(seen_);
  if (log.lost > 0) recorder_->add_lost(log.lost);
  for (std::size_t i = 0; i < log.changes.size(); ++i) {
    const platform::PhaseChange& change = log.changes[i];
    const char* const category = category_of(change.phase);
    if (category == nullptr) continue;
    const double until = i + 1 < log.changes.size() ? log.changes[i + 1].at.count : end.count;
    const auto part = static_cast<std::size_t>(std::max(0, change.plan));
    std::string name = category;
    if (change.plan >= 0 && part < names.parts.size()) name += " " + names.parts[part];
    TraceSpan span{track_, std::move(name), category, change.at, {std::max(0.0, until - change.at.count)}};
    if (change.plan >= 0 && part < names.arguments.size()) span.arguments = names.arguments[part];
    recorder_->add(std::move(span));
  }
}

}  // namespace fuselab::engine
