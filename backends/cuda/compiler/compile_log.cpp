// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler/compile_log.h"

#include <charconv>
#include <string>

namespace fuselab::cuda {
namespace {

// The number right before `words`: "Used 40 registers", " registers" → 40.
void take_number_before(std::string_view line, std::string_view words, const char* name, ResourceUsage& usage) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos) return;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(line.data() + begin, line.data() + end, value);
  if (parsed.ec == std::errc() && parsed.ptr == line.data() + end) usage[name] = value;
}

}  // namespace

ResourceUsage resources_in_log(std::string_view log, std::string_view kernel) {
  ResourceUsage usage;
  bool ours = false;
  const std::string name = "'" + std::string(kernel) + "'";
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (line.find("Compiling entry function") != std::string_view::npos) ours = line.find(name) != std::string_view::npos;
    if (!ours) continue;
    take_number_before(line, " bytes stack frame", "stack_bytes", usage);
    take_number_before(line, " bytes spill stores", "spill_bytes", usage);
    take_number_before(line, " bytes spill loads", "spill_load_bytes", usage);
    if (line.find("Used ") == std::string_view::npos) continue;
    take_number_before(line, " registers", "registers", usage);
    usage["shared_bytes"] = 0;  // not mentioned when there is none
    take_number_before(line, " bytes smem", "shared_bytes", usage);
  }
  return usage;
}

}  // namespace fuselab::cuda
