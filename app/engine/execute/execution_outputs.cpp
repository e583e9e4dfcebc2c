// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_outputs.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "app/engine/execute/runtime_executor.h"
#include "core/base/content_hash.h"
#include "core/platform/files/atomic_file.h"
#include "core/tensor/npy.h"

namespace fuselab::engine {
namespace {

OutputSummary summary_of(const std::string& name, const RealTensor& tensor, std::span<const std::byte> bytes) {
  OutputSummary summary{name, tensor.type, 0, 0, 0, 0, "", ""};
  std::int64_t finite = 0;
  for (const double value : tensor.data) {
    if (!std::isfinite(value)) {
      ++summary.not_finite;
      continue;
    }
    summary.minimum = finite == 0 ? value : std::min(summary.minimum, value);
    summary.maximum = finite == 0 ? value : std::max(summary.maximum, value);
    ++finite;
    summary.mean += (value - summary.mean) / static_cast<double>(finite);
  }
  summary.hash = ContentHash::of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())).hex();
  return summary;
}

// Names of outputs are untrusted: what is no plain character becomes one.
std::string file_name_of(const std::string& output) {
  std::string name = output;
  for (char& c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!plain) c = '_';
  }
  return name.empty() || name.front() == '.' ? "output" + name : name;
}

}  // namespace

Result<std::vector<std::byte>> output_bytes(const ExecutionGraph& graph, const std::filesystem::path& folder, std::size_t index) {
  FL_TRY(const Bytes size, size_of(graph.whole().type(graph.whole().outputs()[index])));
  return platform::read_file(RuntimeExecutor::tensor_file(folder, graph.outputs[index]), size);
}

Result<std::vector<RealTensor>> read_outputs(const ExecutionGraph& graph, const std::filesystem::path& folder,
                                             std::vector<OutputSummary>& summaries) {
  const Graph& whole = graph.whole();
  std::vector<RealTensor> tensors;
  for (std::size_t i = 0; i < whole.outputs().size(); ++i) {
    FL_TRY(const auto bytes, output_bytes(graph, folder, i));
    FL_TRY(RealTensor tensor, unpack(whole.type(whole.outputs()[i]), bytes));
    summaries.push_back(summary_of(whole.value(whole.outputs()[i]).name, tensor, bytes));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Status save_outputs(const ExecutionGraph& graph, const std::filesystem::path& folder, const std::filesystem::path& into,
                    std::vector<OutputSummary>& summaries) {
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    FL_TRY(const auto bytes, output_bytes(graph, folder, i));
    const std::filesystem::path file = into / ("output-" + std::to_string(i) + ".bin");
    FL_TRY_VOID(platform::write_file_atomically(file, bytes));
    summaries[i].file = file.string();
  }
  return {};
}

Status save_arrays(const ExecutionGraph& graph, const std::filesystem::path& folder, const std::filesystem::path& into,
                   std::vector<OutputSummary>& summaries) {
  std::set<std::string> taken;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    FL_TRY(const auto bytes, output_bytes(graph, folder, i));
    const auto array = write_npy(summaries[i].type, bytes);
    // Two names may be one where only what no file's name has tells them apart.
    const std::string wish = file_name_of(summaries[i].name);
    std::string name = wish;
    for (int number = 2; !taken.insert(name).second; ++number) name = wish + "-" + std::to_string(number);
    const std::filesystem::path file = into / (name + (array.ok() ? ".npy" : ".bin"));
    FL_TRY_VOID(platform::write_file_atomically(file, array.ok() ? array.value() : bytes));
    summaries[i].file = file.string();
  }
  return {};
}

}  // namespace fuselab::engine
