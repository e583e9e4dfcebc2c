// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_runtime.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"

namespace fuselab::null {
namespace {

constexpr double kColdFactor = 1.5;

std::size_t total_bytes(const PackedTensors& tensors) {
  std::size_t total = 0;
  for (const auto& tensor : tensors) total += tensor.size();
  return total;
}

Result<PackedTensors> evaluate(const Graph& graph, const PackedTensors& inputs) {
  std::vector<RealTensor> reals;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    FL_TRY(auto real, unpack(graph.type(graph.inputs()[i]), inputs[i]));
    reals.push_back(std::move(real));
  }
  FL_TRY(const auto outputs, evaluate_reference(graph, reals));
  PackedTensors packed;
  for (const auto& output : outputs) packed.push_back(pack(output));
  return packed;
}

// Makes the last element differ by far more than any tolerance, whatever it was.
Result<std::vector<std::byte>> spoiled(const TensorType& type, std::span<const std::byte> bytes) {
  FL_TRY(auto tensor, unpack(type, bytes));
  if (tensor.data.empty()) return std::vector<std::byte>(bytes.begin(), bytes.end());
  double& last = tensor.data.back();
  if (!is_floating(type.dtype)) {
    last = last == 0 ? 1 : 0;
  } else {
    last = std::isfinite(last) ? last + 1 + std::abs(last) : 0;
  }
  return pack(tensor);
}

}  // namespace

std::size_t ResultMemory::Entry::bytes() const {
  return graph_text.size() + total_bytes(inputs) + total_bytes(outputs);
}

Result<const PackedTensors*> ResultMemory::compute(const Graph& graph, const std::string& graph_text, PackedTensors inputs) {
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.graph_text == graph_text && entry.inputs == inputs; });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
    return &entries_.front().outputs;
  }
  FL_TRY(auto outputs, evaluate(graph, inputs));
  entries_.push_front({graph_text, std::move(inputs), std::move(outputs)});
  std::size_t used = 0;
  for (const auto& entry : entries_) used += entry.bytes();
  while (used > capacity_ && entries_.size() > 1) {  // the newest always stays: it is what is being returned
    used -= entries_.back().bytes();
    entries_.pop_back();
  }
  return &entries_.front().outputs;
}

NullExecutable::NullExecutable(Script script, Graph graph, NullMemory& memory, ResultMemory& results)
    : script_(std::move(script)), graph_(std::move(graph)), memory_(memory), results_(results) {}

Status NullExecutable::suffer() const {
  switch (script_.fault) {
    case Fault::kCrash: std::abort();
    case Fault::kHang:
      for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
    case Fault::kLaunchError: return Error{ErrorCode::kLaunchFailed, "scripted launch error"};
    case Fault::kNone:
    case Fault::kWrong:
    case Fault::kOutOfMemory:
    case Fault::kCompileError: return Status();
  }
  return Status();
}

Status NullExecutable::enqueue(std::span<const Buffer> arguments) {
  FL_TRY_VOID(suffer());
  const auto& inputs = graph_.inputs();
  const auto& outputs = graph_.outputs();
  if (arguments.size() != inputs.size() + outputs.size()) {
    return invalid_argument("null_kernel takes " + std::to_string(inputs.size() + outputs.size()) + " arguments, not " +
                            std::to_string(arguments.size()));
  }
  PackedTensors packed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    FL_TRY(const Bytes size, size_of(graph_.type(inputs[i])));
    FL_TRY(const auto bytes, memory_.bytes_of(arguments[i], static_cast<std::size_t>(size.count)));
    packed.emplace_back(bytes.begin(), bytes.end());
  }
  FL_TRY(const auto* results, results_.compute(graph_, script_.graph_text, std::move(packed)));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& result = (*results)[i];
    FL_TRY(const auto to, memory_.bytes_of(arguments[inputs.size() + i], result.size()));
    if (script_.fault == Fault::kWrong) {
      FL_TRY(const auto wrong, spoiled(graph_.type(outputs[i]), result));
      std::copy(wrong.begin(), wrong.end(), to.begin());
    } else {
      std::copy(result.begin(), result.end(), to.begin());
    }
  }
  return Status();
}

Status NullRuntime::upload(const Buffer& to, std::span<const std::byte> from) {
  FL_TRY(const auto bytes, memory_.bytes_of(to, from.size()));
  std::copy(from.begin(), from.end(), bytes.begin());
  return Status();
}

Status NullRuntime::download(std::span<std::byte> to, const Buffer& from) {
  FL_TRY(const auto bytes, memory_.bytes_of(from, to.size()));
  std::copy(bytes.begin(), bytes.end(), to.begin());
  return Status();
}

Result<std::unique_ptr<Executable>> NullRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != "null")
    return invalid_argument("a null device cannot load a binary of format '" + kernel.binary.format + "'");
  std::string text;
  for (const std::byte byte : kernel.binary.data) text += static_cast<char>(byte);
  FL_TRY(auto script, Script::parse(text));
  FL_TRY(auto graph, parse_graph(script.graph_text));
  if (script.fault == Fault::kOutOfMemory) return Error{ErrorCode::kOutOfMemory, "scripted out of memory"};
  return std::unique_ptr<Executable>(std::make_unique<NullExecutable>(std::move(script), std::move(graph), memory_, results_));
}

Result<Timing> NullRuntime::time(std::span<const Launch> sequence, int repetitions) {
  double total = 0;
  for (const auto& launch : sequence) FL_TRY_VOID(dynamic_cast<NullExecutable&>(*launch.executable).suffer());
  for (int i = 0; i < repetitions; ++i) {
    for (const auto& launch : sequence) total += dynamic_cast<NullExecutable&>(*launch.executable).next_latency_ns();
  }
  if (caches_are_cold_) total *= kColdFactor;
  caches_are_cold_ = false;
  return Timing{{total}, TimingSource::kSynthetic};
}

Status NullRuntime::flush_caches() {
  caches_are_cold_ = true;
  return Status();
}

Result<std::vector<Ceiling>> NullRuntime::measure_streams(int read_streams, int write_streams, Bytes footprint, double) {
  return std::vector<Ceiling>{
      {"stream", read_streams, write_streams, false, footprint, 1, kBytesPerSecond, kBytesPerSecond, kBytesPerSecond}};
}

Result<std::vector<Ceiling>> NullRuntime::measure_flops(double) {
  std::vector<Ceiling> rows;
  for (const char* kind : {"flops", "flops-f64"})
    rows.push_back({kind, 0, 0, false, {}, 1, kFlopsPerSecond, kFlopsPerSecond, kFlopsPerSecond});
  rows.push_back({"launch", 0, 0, false, {}, 1, 1e9 / kLaunchNs, 1e9 / kLaunchNs, 1e9 / kLaunchNs});
  return rows;
}

}  // namespace fuselab::null
