// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/optimization_level.h"

#include <cctype>
#include <string>

namespace fuselab {
namespace {

struct LevelName {
  std::string_view name;  // lower case
  OptimizationLevel level;
};

constexpr LevelName kLevelNames[] = {
    {"o0", OptimizationLevel::kO0},       {"none", OptimizationLevel::kO0},         {"debug", OptimizationLevel::kO0},
    {"o1", OptimizationLevel::kO1},       {"conservative", OptimizationLevel::kO1}, {"o2", OptimizationLevel::kO2},
    {"balanced", OptimizationLevel::kO2}, {"o3", OptimizationLevel::kO3},           {"aggressive", OptimizationLevel::kO3},
};

}  // namespace

std::string_view name_of(OptimizationLevel level) {
  switch (level) {
    case OptimizationLevel::kO0: return "O0";
    case OptimizationLevel::kO1: return "O1";
    case OptimizationLevel::kO2: return "O2";
    case OptimizationLevel::kO3: return "O3";
  }
  FL_ASSERT(false);
}

Result<OptimizationLevel> parse_optimization_level(std::string_view name) {
  std::string lower;
  for (const char c : name) lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  for (const LevelName& known : kLevelNames) {
    if (known.name == lower) return known.level;
  }
  return invalid_argument("unknown optimization level '" + std::string(name) +
                          "'; known: O0 (none, debug), O1 (conservative), O2 (balanced), O3 (aggressive)");
}

}  // namespace fuselab
