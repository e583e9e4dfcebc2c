// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/kernel_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/kernel/drawback.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"

namespace fuselab::conformance {

Result<std::unique_ptr<KernelRun>> KernelRun::create(DeviceRuntime& runtime, const CompiledKernel& kernel, const Graph& graph,
                                                     std::int64_t shorter_output, InputPattern pattern) {
  std::unique_ptr<KernelRun> run(new KernelRun(runtime, graph));
  FL_TRY_VOID(run->bind(kernel, shorter_output, pattern));
  return run;
}

KernelRun::~KernelRun() {
  executable_.reset();
  for (const auto& buffer : arguments_) {
    const auto released = runtime_.release(buffer);
    EXPECT_TRUE(released.ok()) << released.error().message;
  }
}

Status KernelRun::bind(const CompiledKernel& kernel, std::int64_t shorter_output, InputPattern pattern) {
  inputs_ = make_inputs(graph_, {pattern, InputSpec().seed});
  FL_TRY(executable_, runtime_.load(kernel));
  const std::size_t inputs = graph_.inputs().size();
  EXPECT_GE(kernel.abi.arguments.size(), inputs + graph_.outputs().size());
  for (std::size_t i = 0; i < kernel.abi.arguments.size(); ++i) {
    const auto& argument = kernel.abi.arguments[i];
    FL_TRY(Bytes size, size_of(argument.type));
    if (i == inputs) size.count -= shorter_output;
    FL_TRY(const Buffer buffer, runtime_.allocate(size, argument.role));
    arguments_.push_back(buffer);
    const auto bytes =
        i < inputs ? pack(inputs_[i]) : std::vector<std::byte>(static_cast<std::size_t>(size.count), std::byte{0xff});
    FL_TRY_VOID(runtime_.upload(buffer, bytes));
  }
  return Status();
}

Status KernelRun::give(std::size_t input, const RealTensor& given, RealTensor meant) {
  inputs_[input] = std::move(meant);
  return runtime_.upload(arguments_[input], pack(given));
}

Status KernelRun::launch() {
  FL_TRY_VOID(executable_->enqueue(arguments_));
  return runtime_.synchronize();
}

Result<Verification> KernelRun::verify(Drawbacks stated, InputPattern pattern) {
  std::vector<RealTensor> actual;
  for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
    const auto& type = graph_.type(graph_.outputs()[i]);
    FL_TRY(const Bytes size, size_of(type));
    std::vector<std::byte> bytes(static_cast<std::size_t>(size.count));
    FL_TRY_VOID(runtime_.download(bytes, arguments_[graph_.inputs().size() + i]));
    FL_TRY(auto tensor, unpack(type, bytes));
    actual.push_back(std::move(tensor));
  }
  FL_TRY(const auto expected, expected_outputs(graph_, inputs_, 1));
  return compare_outputs(graph_, expected, actual, stated, pattern);
}

Result<Timing> KernelRun::time(int repetitions) {
  const Launch launch{executable_.get(), arguments_};
  return runtime_.time(std::span(&launch, 1), repetitions);
}

namespace {

Result<Verification> verify_with(InputPattern pattern, DeviceRuntime& runtime, const CompiledKernel& kernel, const Graph& graph) {
  FL_TRY(auto run, KernelRun::create(runtime, kernel, graph, 0, pattern));
  FL_TRY_VOID(run->launch());
  const Drawbacks stated = drawbacks_of(kernel.config);
  return run->verify(pattern == InputPattern::kUniform ? stated.without({Drawback::kNanLoss}) : stated, pattern);
}

}  // namespace

Result<Verification> compile_and_verify(FusionBackend& backend, DeviceRuntime& runtime, const Graph& graph) {
  const auto& target = runtime.info().target;
  const auto config = backend.generator()->default_config(graph, target);
  FL_TRY(const auto kernel, compile_kernel(backend, graph, config, target, OptimizationLevel::kO2, {}));
  FL_TRY(Verification total, verify_with(InputPattern::kUniform, runtime, kernel, graph));
  for (const InputPattern pattern : kSpecialPatterns) {
    if (!total.passed) break;
    if (!is_judged(pattern, drawbacks_of(kernel.config))) continue;
    FL_TRY(Verification special, verify_with(pattern, runtime, kernel, graph));
    if (special.passed || only_unjudged(special)) continue;
    special.detail = std::string(name_of(pattern)) + " inputs: " + special.detail;
    total = std::move(special);
  }
  return total;
}

}  // namespace fuselab::conformance
