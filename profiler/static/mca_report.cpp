// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/mca_report.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace fuselab::profile {
namespace {

// Returns the number behind "Label:" or within "Label [ 12.50% ]".
std::optional<double> number_behind(const std::string& text, std::string_view label) {
  const std::size_t found = text.find(label);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t start = text.find_first_of("0123456789", found + label.size());
  const std::size_t line_end = text.find('\n', found);
  if (start == std::string::npos || start > line_end) return std::nullopt;
  return std::strtod(text.c_str() + start, nullptr);
}

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string line_behind(const std::string& text, std::size_t from) {
  const std::size_t start = text.find('\n', from);
  if (start == std::string::npos) return {};
  return text.substr(start + 1, text.find('\n', start + 1) - start - 1);
}

// "[12.0] - Zn3FPP45" → its names by number.
std::map<std::string, std::string> resources_in(const std::string& text) {
  std::map<std::string, std::string> names;
  const std::size_t start = text.find("Resources:");
  if (start == std::string::npos) return names;
  std::istringstream lines(text.substr(start));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with('[')) {
    const std::vector<std::string> words = words_in(line);
    if (words.size() >= 3) names[words[0]] = words[2];
  }
  return names;
}

void read_busiest(const std::string& text, LoopPrediction& loop) {
  const auto names = resources_in(text);
  const std::size_t table = text.find("Resource pressure per iteration:");
  if (table == std::string::npos) return;
  const std::vector<std::string> columns = words_in(line_behind(text, table));
  const std::vector<std::string> pressure = words_in(line_behind(text, text.find('\n', table) + 1));
  for (std::size_t i = 0; i < columns.size() && i < pressure.size(); ++i) {
    const double cycles = std::strtod(pressure[i].c_str(), nullptr);  // "-": 0
    if (cycles <= loop.busiest_cycles) continue;
    loop.busiest_cycles = cycles;
    const auto name = names.find(columns[i]);
    loop.busiest_resource = name == names.end() ? columns[i] : name->second;
  }
}

}  // namespace

Result<LoopPrediction> read_mca_report(std::string_view view) {
  const std::string text(view);
  const auto iterations = number_behind(text, "Iterations:");
  const auto cycles = number_behind(text, "Total Cycles:");
  const auto throughput = number_behind(text, "Block RThroughput:");
  const auto rate = number_behind(text, "IPC:");
  if (!iterations || !cycles || !throughput || !rate || *iterations <= 0)
    return Error{ErrorCode::kCorrupt, "llvm-mca printed no figures of the block"};
  LoopPrediction loop;
  loop.cycles = *cycles / *iterations;
  loop.reciprocal_throughput = *throughput;
  loop.instructions_per_cycle = *rate;
  loop.data_dependency_share = number_behind(text, "Data Dependencies:").value_or(0) / 100;
  loop.resource_pressure_share = number_behind(text, "Resource Pressure").value_or(0) / 100;
  read_busiest(text, loop);
  return loop;
}

std::vector<McaCost> read_mca_costs(std::string_view view) {
  std::vector<McaCost> costs;
  const std::string text(view);
  const std::size_t title = text.find("Instructions:", std::min(text.size(), text.find("Instruction Info:")));
  if (title == std::string::npos) return costs;
  std::istringstream lines(text.substr(title));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    int operations = 0;
    McaCost cost;
    if (!(words >> operations >> cost.latency >> cost.cycles)) break;
    costs.push_back(cost);
  }
  return costs;
}

McaVersion read_mca_version(std::string_view view) {
  const std::string text(view);
  McaVersion found;
  const auto word_behind = [&](std::string_view label) -> std::string {
    const std::size_t at = text.find(label);
    if (at == std::string::npos) return {};
    const std::vector<std::string> words = words_in(text.substr(at + label.size(), text.find('\n', at) - at - label.size()));
    return words.empty() ? std::string() : words.front();
  };
  found.version = word_behind("LLVM version");
  found.processor = word_behind("Host CPU:");
  return found;
}

}  // namespace fuselab::profile
