// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/cuda_answer.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace fuselab::inductor {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNames = 10'000;
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

// Names stand in tables and in keys.
bool is_name(const std::string& name) {
  constexpr std::size_t kLongest = 300;
  return !name.empty() && name.size() <= kLongest && std::ranges::all_of(name, [](unsigned char letter) {
    return letter == '_' || (letter < 0x80 && std::isalnum(letter) != 0);
  });
}

std::optional<std::int64_t> count_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  return value < 0 || value > kLargest ? std::nullopt : std::optional(value);
}

Error no_answer(const std::string& what) {
  return {ErrorCode::kCorrupt, "the Python helper does not describe what Inductor wrote: " + what};
}

}  // namespace

Result<std::map<std::string, std::string>> cuda_resources(const json& answer) {
  std::map<std::string, std::string> metadata;
  const auto note = [&](const std::string& name, std::int64_t value) { metadata["resource." + name] = std::to_string(value); };
  const auto kernels = answer.find("kernels"), calls = answer.find("calls");
  if (kernels == answer.end() || !kernels->is_array() || kernels->size() > kMostNames) return no_answer("no list of kernels");
  if (calls == answer.end() || !calls->is_object() || calls->size() > kMostNames) return no_answer("no list of calls");
  std::int64_t code = 0, all_calls = 0;
  std::string parts;
  std::optional<std::int64_t> spills = 0;
  for (const json& kernel : *kernels) {
    const auto name = kernel.is_object() ? kernel.find("name") : kernel.end();
    if (!kernel.is_object() || name == kernel.end() || !name->is_string() || !is_name(name->get<std::string>()))
      return no_answer("a kernel without a name");
    const std::string prefix = "kernel." + name->get<std::string>() + ".";
    const auto bytes = count_in(kernel, "bytes");
    if (!bytes || *bytes == 0 || metadata.contains("resource." + prefix + "code_bytes"))
      return no_answer("'" + name->get<std::string>() + "' has no code of its own");
    code += *bytes;
    parts += name->get<std::string>() + " " + std::to_string(count_in(kernel, "text_bytes").value_or(0)) + " " +
             std::to_string(*bytes) + "\n";
    note(prefix + "code_bytes", *bytes);
    // A launch asks for the dynamic part; what the assembler laid out is beside it.
    note(prefix + "shared_bytes",
         count_in(kernel, "dynamic_shared_bytes").value_or(0) + count_in(kernel, "static_shared_bytes").value_or(0));
    for (const char* const field : {"launches", "configs", "warps", "stages", "registers"}) {
      if (const auto value = count_in(kernel, field)) note(prefix + field, *value);
    }
    // These kernels declare no arrays: what lies in a thread's own memory was spilled there.
    const auto local = count_in(kernel, "local_bytes"), stack = count_in(kernel, "stack_bytes");
    if (local || stack) note(prefix + "spill_bytes", std::max(local.value_or(0), stack.value_or(0)));
    spills = spills && (local || stack) ? std::optional(*spills + std::max(local.value_or(0), stack.value_or(0))) : std::nullopt;
  }
  for (const auto& [name, count] : calls->items()) {
    const auto value = count_in(*calls, name.c_str());
    if (!is_name(name) || !value) return no_answer("a call without a name");
    note("calls." + name, *value);
    all_calls += *value;
  }
  metadata["program.kernels"] = parts;
  note("kernels", static_cast<std::int64_t>(kernels->size()));
  note("calls", all_calls);
  note("code_bytes", code);
  if (spills) note("spill_bytes", *spills);
  return metadata;
}

}  // namespace fuselab::inductor
