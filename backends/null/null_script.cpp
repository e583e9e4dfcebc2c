// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_script.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/content_hash.h"
#include "core/base/random.h"
#include "core/cost/cost.h"
#include "core/graph/graph_text.h"

namespace fuselab::null {
namespace {

constexpr std::string_view kHeader = "null-kernel 1";

constexpr FaultName kFaults[] = {
    {Fault::kNone, "none"},
    {Fault::kCrash, "crash"},
    {Fault::kHang, "hang"},
    {Fault::kWrong, "wrong"},
    {Fault::kOutOfMemory, "oom"},
    {Fault::kCompileError, "compile-error"},
    {Fault::kLaunchError, "launch-error"},
};

std::string_view fault_name(Fault fault) {
  const auto* found =
      std::find_if(std::begin(kFaults), std::end(kFaults), [&](const FaultName& row) { return row.fault == fault; });
  return found->name;
}

template <typename Number>
std::string number_text(Number value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

template <typename Number>
Result<Number> read_number(std::string_view text) {
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return Error{ErrorCode::kCorrupt, "null kernel: '" + std::string(text) + "' is not a number"};
  }
  return value;
}

// The rest of the next line after "<key> ".
Result<std::string_view> read_field(std::string_view& text, std::string_view key) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  if (line.size() <= key.size() || line.substr(0, key.size()) != key || line[key.size()] != ' ') {
    return Error{ErrorCode::kCorrupt, "null kernel: expected a line '" + std::string(key) + " …'"};
  }
  return line.substr(key.size() + 1);
}

std::uint64_t first_word(const ContentHash& hash) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | hash.bytes()[i];
  return word;
}

// 1 at the hidden optimum, about 4 in the far corner. The slopes are too small to move it and break every tie.
double bowl(std::uint64_t graph_word, double a, double b) {
  const auto best_a = static_cast<double>(1 + graph_word % 6);
  const auto best_b = static_cast<double>(1 + (graph_word >> 8) % 6);
  const double da = a - best_a;
  const double db = b - best_b;
  return 1.0 + 0.06 * (da * da + db * db - 0.5 * da * db) + 0.0011 * a + 0.0007 * b;
}

}  // namespace

std::span<const FaultName> faults() {
  return kFaults;
}

std::optional<Fault> parse_fault(std::string_view name) {
  for (const auto& row : kFaults) {
    if (row.name == name) return row.fault;
  }
  return std::nullopt;
}

std::string Script::text() const {
  std::string text(kHeader);
  text += "\nfault " + std::string(fault_name(fault));
  text += "\nlatency-ns " + number_text(latency_ns);
  text += "\ncompile-ns " + number_text(compile_ns);
  text += "\nnoise-seed " + number_text(noise_seed);
  text += "\ngraph " + graph_text + "\n";
  return text;
}

Result<Script> Script::parse(std::string_view text) {
  if (text.substr(0, kHeader.size() + 1) != std::string(kHeader) + "\n") {
    return Error{ErrorCode::kCorrupt, "not a null kernel of version 1"};
  }
  text.remove_prefix(kHeader.size() + 1);
  Script script;
  FL_TRY(const auto fault, read_field(text, "fault"));
  const auto known = parse_fault(fault);
  if (!known) return Error{ErrorCode::kCorrupt, "null kernel: unknown fault '" + std::string(fault) + "'"};
  script.fault = *known;
  FL_TRY(const auto latency, read_field(text, "latency-ns"));
  FL_TRY(script.latency_ns, read_number<double>(latency));
  FL_TRY(const auto compile, read_field(text, "compile-ns"));
  FL_TRY(script.compile_ns, read_number<double>(compile));
  FL_TRY(const auto seed, read_field(text, "noise-seed"));
  FL_TRY(script.noise_seed, read_number<std::uint64_t>(seed));
  FL_TRY(const auto graph, read_field(text, "graph"));
  script.graph_text = graph;
  return script;
}

Result<Script> script_for(const Graph& graph, const LaunchConfig& config) {
  FL_TRY(const auto cost, cost_of(graph));
  Script script;
  script.graph_text = named_text(graph);
  const auto key = graph_key(graph);
  const double traffic_ns = static_cast<double>(cost.ideal().count) / kBytesPerSecond * 1e9;
  const double compute_ns = cost.flops / kFlopsPerSecond * 1e9;
  const auto a = static_cast<double>(config.integer("a", 0));
  const auto b = static_cast<double>(config.integer("b", 0));
  script.latency_ns = kLaunchNs + std::max(traffic_ns, compute_ns) * bowl(first_word(key), a, b);
  script.noise_seed = first_word(IdentityHasher("null-noise").add("graph", key).add("config", config.text()).finish());
  script.compile_ns = 1e6 + static_cast<double>(script.noise_seed % 1000) * 1e3;
  const auto fault = parse_fault(config.choice("fault", "none"));
  if (!fault) return invalid_argument("unknown fault '" + config.choice("fault", "none") + "'");
  script.fault = *fault;
  return script;
}

double noisy_latency_ns(const Script& script, std::uint64_t launch) {
  SeededRandom random(script.noise_seed + launch * 0x9e3779b97f4a7c15ULL);
  return script.latency_ns * (1.0 + 0.01 * random.unit());
}

}  // namespace fuselab::null
