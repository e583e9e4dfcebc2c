// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/modules/python_module.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/plain_text.h"
#include "core/base/version.h"

namespace fuselab::deploy {
namespace {

// Text that ends no string of Python.
std::string quoted_safely(const std::string& text) {
  std::string safe;
  for (const char c : plain_line(text)) safe += c == '"' || c == '\\' ? '\'' : c;
  return safe;
}

// What PyTorch and NumPy call an element's type.
std::string array_type(DType dtype) {
  switch (dtype) {
    case DType::kF64: return "float64";
    case DType::kF32: return "float32";
    case DType::kF16: return "float16";
    case DType::kBF16: return "bfloat16";
    case DType::kI64: return "int64";
    case DType::kI32: return "int32";
    case DType::kI16: return "int16";
    case DType::kI8: return "int8";
    case DType::kU32: return "uint32";
    case DType::kU16: return "uint16";
    case DType::kU8: return "uint8";
    case DType::kBool: return "bool";
    default: return "";
  }
}

std::string shape_text(const TensorType& type) {
  std::string text = "(";
  for (const Dim& dim : type.shape) text += dim.text() + ", ";
  if (type.shape.size() > 1) text.resize(text.size() - 2);
  if (type.shape.size() == 1) text.pop_back();
  return text + ")";
}

std::int64_t number_in(const std::string& flags, const std::string& option, std::int64_t otherwise) {
  const std::size_t at = flags.find(option + "=");
  if (at != std::string::npos) std::from_chars(flags.data() + at + option.size() + 1, flags.data() + flags.size(), otherwise);
  return otherwise;
}

std::string described_arguments(const CompiledKernel& kernel, const Graph& graph) {
  std::string text;
  for (std::size_t i = 0; i < kernel.abi.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.abi.arguments[i];
    const bool is_input = i < graph.inputs().size();
    const ValueId value = is_input ? graph.inputs()[i] : graph.outputs().at(i - graph.inputs().size());
    text += "  " + argument.name + ": " + array_type(argument.type.dtype) + shape_text(argument.type) + ", " +
            (is_input ? "read" : "written");
    if (graph.value(value).name != argument.name) text += "; in the model '" + quoted_safely(graph.value(value).name) + "'";
    text += "\n";
  }
  return text;
}

constexpr std::string_view kLaunch = R"(

def launch(ARGUMENTS_LIST, stream=None):
    """Computes OUTPUTS from INPUTS: contiguous tensors on one device, of the types and shapes in ARGUMENTS.
    Runs on `stream`, a torch.cuda.Stream, else on PyTorch's current one. It returns before the device is done."""
    for given, (name, dtype, shape) in zip((ARGUMENTS_LIST,), ARGUMENTS):
        if tuple(given.shape) != shape or str(given.dtype).rpartition(".")[2] != dtype or not given.is_contiguous():
            raise ValueError(f"{name} must be a contiguous tensor of {dtype} with shape {shape}")
    if stream is not None:
        import torch
        with torch.cuda.stream(stream):
            return launch(ARGUMENTS_LIST)
    ENTRY[GRID](ARGUMENTS_LIST, num_warps=NUM_WARPS, num_stages=NUM_STAGES, enable_fp_fusion=FP_FUSION)
)";

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

Result<std::string> python_module(const CompiledKernel& kernel, const Graph& graph, const ModuleFacts& facts) {
  if (kernel.source.language != "triton")
    return Error{ErrorCode::kUnsupported, "a module of Python holds kernels of Triton, not of " + kernel.identity.backend};
  FL_TRY(const std::int64_t programs, kernel.abi.grid_x.evaluate({}));
  std::string all, inputs, outputs, rows;
  for (std::size_t i = 0; i < kernel.abi.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.abi.arguments[i];
    std::string& names = i < graph.inputs().size() ? inputs : outputs;
    names += (names.empty() ? "" : ", ") + argument.name;
    all += (all.empty() ? "" : ", ") + argument.name;
    rows += "    (\"" + argument.name + "\", \"" + array_type(argument.type.dtype) + "\", " + shape_text(argument.type) + "),\n";
  }
  std::string text = "\"\"\"" + quoted_safely(facts.piece) + " of " + quoted_safely(facts.model) +
                     (facts.binding.empty() ? "" : " (" + quoted_safely(facts.binding) + ")") + ", a kernel of Triton for " +
                     quoted_safely(facts.target) + ".\n\nExported by Fuselab " + std::string(tool_version()) +
                     ".\nConfiguration: " + quoted_safely(kernel.config.text()) + "; " + quoted_safely(facts.configured) +
                     ".\nArguments of launch():\n" + described_arguments(kernel, graph) + "\"\"\"\n" + kernel.source.text;
  text += "\n\nARGUMENTS = (\n" + rows + ")\nGRID = (" + std::to_string(programs) +
          ",)\nNUM_WARPS = " + std::to_string(number_in(kernel.identity.flags, "--num-warps", 4)) +
          "\nNUM_STAGES = " + std::to_string(number_in(kernel.identity.flags, "--num-stages", 1)) +
          "\nFP_FUSION = " + (kernel.identity.flags.find("--fp-fusion=true") == std::string::npos ? "False" : "True") + "\n";
  std::string launch(kLaunch);
  replace_all(launch, "ARGUMENTS_LIST", all);
  replace_all(launch, "OUTPUTS", outputs);
  replace_all(launch, "INPUTS", inputs.empty() ? "nothing" : inputs);
  replace_all(launch, "ENTRY", kernel.source.entry);
  return text + launch;
}

Result<std::string> launch_data(const CompiledKernel& kernel, const ModuleFacts& facts) {
  FL_TRY(const std::int64_t programs, kernel.abi.grid_x.evaluate({}));
  FL_TRY(const std::int64_t threads, kernel.abi.block_x.evaluate({}));
  FL_TRY(const std::int64_t shared, kernel.abi.shared_bytes.evaluate({}));
  nlohmann::json parameters = nlohmann::json::array();
  for (const auto& parameter : kernel.abi.parameters) {
    const bool is_buffer = parameter.buffer >= 0;
    nlohmann::json row = {{"kind", is_buffer ? "buffer" : "null-pointer"}};
    if (is_buffer) {
      const KernelArgument& argument = kernel.abi.arguments[static_cast<std::size_t>(parameter.buffer)];
      row.update({{"name", argument.name},
                  {"written", argument.role == BufferRole::kOut},
                  {"type", array_type(argument.type.dtype)},
                  {"alignment", 16}});
      for (const Dim& dim : argument.type.shape) row["shape"].push_back(dim.extent());
    }
    parameters.push_back(std::move(row));
  }
  const nlohmann::json document = {{"schema", "fuselab.kernel-launch/1"},
                                   {"piece", plain_line(facts.piece)},
                                   {"target", kernel.identity.target},
                                   {"format", kernel.binary.format},
                                   {"compiler", kernel.identity.compiler + " " + kernel.identity.compiler_version},
                                   {"flags", kernel.identity.flags},
                                   {"entry", kernel.abi.entry},
                                   {"grid", {programs, 1, 1}},
                                   {"block", {threads, 1, 1}},
                                   {"dynamic_shared_bytes", shared},
                                   {"parameters", parameters}};
  return document.dump(2) + "\n";
}

}  // namespace fuselab::deploy
