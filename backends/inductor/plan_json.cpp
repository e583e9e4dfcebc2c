// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/plan_json.h"

#include <array>
#include <cstdio>
#include <string>

namespace fuselab::inductor {
namespace {

using nlohmann::json;

std::string hexadecimal(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%a", value);
  return text.data();
}

struct ArgumentWriter {
  json operator()(torch::None) const { return nullptr; }
  json operator()(torch::Ref ref) const { return ref.tensor; }
  json operator()(const std::vector<torch::Ref>& refs) const {
    json numbers = json::array();
    for (const torch::Ref each : refs) numbers.push_back(each.tensor < 0 ? json(nullptr) : json(each.tensor));
    return numbers;
  }
  json operator()(std::int64_t value) const { return value; }
  json operator()(double value) const { return hexadecimal(value); }
  json operator()(bool value) const { return value; }
  json operator()(const torch::Extents& extents) const { return extents; }
  json operator()(const char* text) const { return text; }
};

}  // namespace

json plan_json(const Graph& graph, const torch::TorchPlan& plan) {
  json tensors = json::array(), numbers = json::array(), calls = json::array();
  for (const torch::PlanTensor& each : plan.tensors)
    tensors.push_back({each.place, name_of(each.dtype), each.extents, each.strides, each.offset});
  for (const torch::PlanNumber& each : plan.numbers) numbers.push_back({each.place, hexadecimal(each.value)});
  for (const torch::Call& each : plan.calls) {
    json arguments = json::array();
    for (const torch::Argument& argument : each.arguments) arguments.push_back(std::visit(ArgumentWriter{}, argument));
    calls.push_back({each.schema->name, each.schema->overload, each.schema->arguments, std::move(arguments), each.copied_to});
  }
  return {{"inputs", graph.inputs().size()},
          {"arguments", plan.arguments},
          {"tensors", std::move(tensors)},
          {"numbers", std::move(numbers)},
          {"calls", std::move(calls)}};
}

}  // namespace fuselab::inductor
