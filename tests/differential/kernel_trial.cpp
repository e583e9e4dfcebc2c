// SPDX-License-Identifier: Apache-2.0
#include "tests/differential/kernel_trial.h"

#include <sys/wait.h>
#include <unistd.h>

#include "backends/cpu/cpu_backend.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"
#include "core/reference/tolerance.h"

namespace fuselab::testing {
namespace {

std::vector<std::byte> poison(Bytes size) {
  return std::vector<std::byte>(static_cast<std::size_t>(size.count), std::byte{0xFF});
}

Result<std::vector<Buffer>> upload_all(DeviceRuntime& runtime, const Graph& graph, std::span<const RealTensor> inputs) {
  std::vector<Buffer> buffers;
  for (const RealTensor& input : inputs) {
    const std::vector<std::byte> bytes = pack(input);
    FL_TRY(Buffer buffer, runtime.allocate({static_cast<std::int64_t>(bytes.size())}, BufferRole::kIn));
    FL_TRY_VOID(runtime.upload(buffer, bytes));
    buffers.push_back(buffer);
  }
  for (ValueId output : graph.outputs()) {
    FL_TRY(Bytes size, size_of(graph.type(output)));
    FL_TRY(Buffer buffer, runtime.allocate(size, BufferRole::kOut));
    buffers.push_back(buffer);
  }
  return buffers;
}

Result<std::vector<RealTensor>> launch(DeviceRuntime& runtime, Executable& executable, const Graph& graph,
                                       std::span<const Buffer> buffers) {
  const std::size_t inputs = graph.inputs().size();
  for (std::size_t i = inputs; i < buffers.size(); ++i) FL_TRY_VOID(runtime.upload(buffers[i], poison(buffers[i].size)));
  FL_TRY_VOID(executable.enqueue(buffers));
  FL_TRY_VOID(runtime.synchronize());
  std::vector<RealTensor> outputs;
  for (std::size_t i = inputs; i < buffers.size(); ++i) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffers[i].size.count));
    FL_TRY_VOID(runtime.download(bytes, buffers[i]));
    FL_TRY(RealTensor tensor, unpack(graph.type(graph.outputs()[i - inputs]), bytes));
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

// Empty when everything matched.
Result<std::string> judge(const Graph& graph, const CompiledKernel& kernel, std::span<const InputSpec> specs) {
  const auto backend = make_cpu_backend();
  FL_TRY(std::vector<DeviceInfo> devices, backend->enumerate());
  for (const InputSpec& spec : specs) {
    if (!is_judged(spec.pattern, drawbacks_of(kernel.config))) continue;
    FL_TRY(std::unique_ptr<DeviceRuntime> runtime, backend->open(devices.front()));
    FL_TRY(std::unique_ptr<Executable> executable, runtime->load(kernel));
    std::vector<RealTensor> inputs = make_inputs(graph, spec);
    for (RealTensor& input : inputs) round_to_dtype(input);
    FL_TRY(std::vector<ExpectedOutput> expected, expected_outputs(graph, inputs, spec.seed));
    FL_TRY(std::vector<Buffer> buffers, upload_all(*runtime, graph, inputs));
    for (int attempt = 1; attempt <= 2; ++attempt) {
      FL_TRY(std::vector<RealTensor> actual, launch(*runtime, *executable, graph, buffers));
      const Verification found = compare_outputs(graph, expected, actual, drawbacks_of(kernel.config));
      if (!found.passed) {
        return std::string(name_of(spec.pattern)) + " inputs, launch " + std::to_string(attempt) + ": " + found.detail;
      }
    }
  }
  return std::string();
}

}  // namespace

Result<CompiledKernel> compile_text(FusionBackend& backend, SourceModule source, const LaunchConfig& config, const Target& target) {
  CompiledKernel kernel;
  FL_TRY(kernel.binary, backend.compiler()->compile(source, target, OptimizationLevel::kO2, {}));
  kernel.identity.target = target.id;
  kernel.config = config;
  kernel.abi = source.abi;
  kernel.source = std::move(source);
  return kernel;
}

Trial try_kernel(const Graph& graph, const CompiledKernel& kernel, std::span<const InputSpec> specs) {
  int ends[2];
  if (pipe(ends) != 0) return {false, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    const Result<std::string> outlier = judge(graph, kernel, specs);
    const std::string words = outlier.ok() ? outlier.value() : outlier.error().message;
    const ssize_t written = write(ends[1], words.data(), words.size());
    _exit(words.empty() && written == 0 ? 0 : 1);
  }
  close(ends[1]);
  std::string words;
  char buffer[512];
  for (ssize_t got = read(ends[0], buffer, sizeof buffer); got > 0; got = read(ends[0], buffer, sizeof buffer)) {
    words.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return {false, "ended by signal " + std::to_string(WTERMSIG(status))};
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, words};
}

std::string repro(const Graph& graph, const LaunchConfig& config, const Target& target) {
  return "fuselab bench '" + canonical_text(graph) + "' --device cpu:0 --config " + config.text() + " --target " + target.id;
}

}  // namespace fuselab::testing
