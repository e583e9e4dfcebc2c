// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/drawback.h"

#include <algorithm>

namespace fuselab {
namespace {

// Joins one word of each drawback.
template <typename Word>
std::string joined(Drawbacks drawbacks, std::string_view between, Word word) {
  std::string text;
  for (const DrawbackInfo& info : kDrawbacks) {
    if (!drawbacks.has(info.drawback)) continue;
    if (!text.empty()) text += between;
    text += word(info);
  }
  return text;
}

}  // namespace

Drawbacks drawbacks_of(const LaunchConfig& config) {
  return drawbacks_of(config.text());
}

Drawbacks drawbacks_of(std::string_view configs) {
  Drawbacks found;
  while (!configs.empty()) {
    const std::size_t end = std::min(configs.find_first_of(",;"), configs.size());
    for (const DrawbackInfo& info : kDrawbacks) {
      if (configs.substr(0, end) == info.statement) found.add(info.drawback);
    }
    configs.remove_prefix(std::min(end + 1, configs.size()));
  }
  return found;
}

PlanDrawbacks plan_drawbacks(std::string_view configs, Drawbacks accepted) {
  const Drawbacks stated = drawbacks_of(configs);
  return {stated, stated.without(accepted)};
}

std::vector<DrawbackParameter> parameters_of(Drawbacks drawbacks) {
  std::vector<DrawbackParameter> parameters;
  for (const DrawbackInfo& info : kDrawbacks) {
    if (!drawbacks.has(info.drawback)) continue;
    const std::size_t equals = info.statement.find('=');
    const std::string value(info.statement.substr(equals + 1));
    parameters.push_back({std::string(info.statement.substr(0, equals)), value, value + ": " + std::string(info.meaning)});
  }
  return parameters;
}

std::string statements_of(Drawbacks drawbacks) {
  return joined(drawbacks, ", ", [](const DrawbackInfo& info) { return std::string(info.statement); });
}

std::string verbs_of(Drawbacks drawbacks) {
  return joined(drawbacks, " and ", [](const DrawbackInfo& info) { return std::string(info.verb); });
}

std::string accepting(Drawbacks drawbacks) {
  return joined(drawbacks, " ", [](const DrawbackInfo& info) { return "--accept " + std::string(info.name); });
}

std::string withheld_words(Drawbacks drawbacks) {
  return verbs_of(drawbacks) + " (" + accepting(drawbacks) + " takes it)";
}

std::string why_withheld(Drawbacks drawbacks) {
  return "it " + withheld_words(drawbacks);
}

}  // namespace fuselab
