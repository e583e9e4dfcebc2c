// SPDX-License-Identifier: Apache-2.0
#include "app/wire/json_measure.h"

#include "app/wire/json_fields.h"
#include "app/wire/json_kernel.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

Outcome read_outcome(const std::string& name) {
  return decoded(parse_outcome(name));
}
CacheMode read_mode(const std::string& name) {
  return decoded(parse_cache_mode(name));
}
TimingSource read_source(const std::string& name) {
  return decoded(parse_timing_source(name));
}

InputPattern read_pattern(const std::string& name) {
  for (const InputPattern pattern :
       {InputPattern::kUniform, InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal}) {
    if (name_of(pattern) == name) return pattern;
  }
  throw DecodeFailure{"'" + name + "' is no input pattern"};
}

void check_arguments(const Plan& plan) {
  for (const PlanStep& step : plan.steps) {
    for (const int index : step.arguments) {
      if (index < 0 || static_cast<std::size_t>(index) >= plan.values.size()) {
        throw DecodeFailure{"plan '" + plan.label + "' names value " + std::to_string(index) + " of " +
                            std::to_string(plan.values.size())};
      }
    }
  }
}

}  // namespace

FL_JSON_ENUM(Outcome, read_outcome);
FL_JSON_ENUM(CacheMode, read_mode);
FL_JSON_ENUM(TimingSource, read_source);
FL_JSON_ENUM(InputPattern, read_pattern);

FL_JSON_FIELDS(InputSpec, pattern, seed);
FL_JSON_FIELDS(EnvironmentIdentity, host, device_uuid, driver, cpu_model, microcode, os_kernel, clock_policy, tool_version);
FL_JSON_FIELDS(Protocol, mode, warmup, samples, most_samples, precision, min_sample, budget, drop_factor, best_before,
               launch_timeout, inputs, order_seed);
FL_JSON_FIELDS(PlanStep, kernel, arguments);
FL_JSON_FIELDS(Verification, passed, checked, max_error, mean_error, worst_ratio, detail);
FL_JSON_FIELDS(PlanResult, outcome, reason, verification, matched, samples, inner_repetitions, first_launch, source, verifying,
               timing, overhead);
FL_JSON_FIELDS(CanaryTimes, compute, memory);
FL_JSON_FIELDS(DeviceStates, readings, unknown, driver, throttle, core_mhz_low, core_mhz_high, memory_mhz_low, celsius_high,
               watts_high);
FL_JSON_FIELDS(TimerCost, source, overhead, resolution, timings, unknown);
FL_JSON_FIELDS(CeilingSpec, read_streams, write_streams, footprint, arithmetic, threads, stream_form, arithmetic_form);
FL_JSON_FIELDS(CeilingLook, rounds, bytes_per_second, flops_per_second);
FL_JSON_FIELDS(PairedCeiling, spec, looks, seconds);
FL_JSON_FIELDS(BlockConditions, canary, wall_seconds, threads, steal_seconds, throttled_seconds, involuntary_switches,
               waited_seconds, load, runnable, clock_mhz, device, timer, ceiling);
FL_JSON_FIELDS(Block, device, plans, protocol, comes_again, ceiling);
FL_JSON_FIELDS(Ceiling, kind, read_streams, write_streams, nontemporal, footprint, threads, per_second, low, high, form);

// The graph travels as its canonical text: inputs and outputs keep their order there, which is what plans refer to.
void to_json(nlohmann::json& json, const Plan& plan) {
  json = {{"label", plan.label}, {"graph", canonical_text(plan.graph)}, {"values", plan.values},
          {"steps", plan.steps}, {"handicap", plan.handicap},           {"matched", plan.matched}};
}

void from_json(const nlohmann::json& json, Plan& plan) {
  json.at("label").get_to(plan.label);
  plan.graph = decoded(parse_graph(json.at("graph").get_ref<const std::string&>()));
  json.at("values").get_to(plan.values);
  json.at("steps").get_to(plan.steps);
  json.at("handicap").get_to(plan.handicap);
  json.at("matched").get_to(plan.matched);
  check_arguments(plan);
}

}  // namespace fuselab
