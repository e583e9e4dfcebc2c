// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/own/own_module.h"

#include <algorithm>

#include "core/base/ascii.h"
#include "core/base/words.h"
#include "core/tuning/own_space.h"

namespace fuselab::codegen {
namespace {

constexpr std::string_view kEntry = "fuselab_kernel";  // of a C kernel, around the user's function
constexpr std::int64_t kScratchUnit = 64;              // bytes that each piece of a thread's memory begins at

// A mistake in the user's signature is the compiler's to find: these are warnings in C. What the text defines is hidden from the
// loader, which would call the C library's function where one has the same name.
constexpr std::string_view kOwnFlags =
    "-Werror=incompatible-pointer-types -Werror=int-conversion -Werror=implicit-function-declaration -fvisibility=hidden -lm";

// Empty: any pointer will do, since the language has no type that everybody uses.
std::string_view c_type(DType element) {
  switch (element) {
    case DType::kF64: return "double";
    case DType::kF32: return "float";
    case DType::kI64: return "int64_t";
    case DType::kI32: return "int32_t";
    case DType::kI16: return "int16_t";
    case DType::kI8: return "int8_t";
    case DType::kU64: return "uint64_t";
    case DType::kU32: return "uint32_t";
    case DType::kU16: return "uint16_t";
    case DType::kU8: return "uint8_t";
    default: return "";
  }
}

std::string macros(const OwnKernel& kernel, const LaunchConfig& config) {
  std::string text;
  for (const auto& [name, size] : kernel.sizes) text += "#define " + name + " " + std::to_string(size) + "\n";
  for (const OwnParameter& each : kernel.parameters) {
    const auto value = config.values().find(each.name);
    if (each.flags.empty() && value != config.values().end())
      text += "#define " + each.name + " " + parameter_text(value->second) + "\n";
  }
  return text;
}

// The arguments of the compiler: the kernel's, and what its parameters choose.
std::string flags_of(const OwnKernel& kernel, const LaunchConfig& config) {
  std::vector<std::string> flags = kernel.flags;
  for (const OwnParameter& each : kernel.parameters) {
    if (each.flags.empty()) continue;
    const auto chosen = config.values().find(each.name);
    const std::string value = chosen == config.values().end() ? each.otherwise : parameter_text(chosen->second);
    const auto at = static_cast<std::size_t>(std::ranges::find(each.values, value) - each.values.begin());
    if (at < each.flags.size() && !each.flags[at].empty()) flags.push_back(each.flags[at]);
  }
  if (kernel.language == "c") flags.emplace_back(kOwnFlags);
  return joined(flags, " ");
}

std::string line_directive(const std::string& file) {
  return "#line 1 \"" + file + "\"\n";
}

// Memory of a work-group, a thread or a run, in bytes.
Result<std::int64_t> bytes_of(const OwnKernel& kernel, const OwnArgument& argument, const LaunchConfig& config) {
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  FL_TRY(const std::int64_t elements, own_formula(kernel, argument.value, config));
  if (elements < 1 || elements > kMost)
    return Error{ErrorCode::kUnsupported, "argument '" + argument.name + "' would have " + std::to_string(elements) + " elements"};
  return packed_size(argument.element, elements).count;
}

// Where the kernel's buffers lie among the arguments of its record: tensors that are read, those that are written, scratch. What
// is overwritten in place is both, and the kernel is given the second.
class Buffers {
 public:
  Buffers(const Graph& graph, KernelAbi& abi) : abi_(abi), outputs_(graph.inputs().size()) {
    for (const ValueId input : graph.inputs()) abi.arguments.push_back({"", BufferRole::kIn, graph.type(input), kAlignment});
    for (const ValueId output : graph.outputs()) abi.arguments.push_back({"", BufferRole::kOut, graph.type(output), kAlignment});
  }
  Result<std::size_t> next(const OwnKernel& kernel, const OwnArgument& argument, const LaunchConfig& config) {
    if (argument.role == OwnRole::kScratch) {
      FL_TRY(const std::int64_t bytes, bytes_of(kernel, argument, config));
      abi_.arguments.push_back({argument.name, BufferRole::kScratch, {DType::kU8, {bytes}}, kAlignment});
      return abi_.arguments.size() - 1;
    }
    if (argument.is_read()) abi_.arguments[inputs_++].name = argument.name;
    if (!argument.is_written()) return inputs_ - 1;
    abi_.arguments[outputs_].name = argument.name;
    if (argument.is_read()) abi_.arguments[outputs_].role = BufferRole::kInOut;
    return outputs_++;
  }

 private:
  static constexpr std::int64_t kAlignment = 64;
  KernelAbi& abi_;
  std::size_t inputs_ = 0, outputs_;
};

// The call behind a C text: once for each task.
Result<std::string> call_text(const OwnKernel& kernel, const LaunchConfig& config, const Graph& graph, KernelAbi& abi) {
  Buffers buffers(graph, abi);
  std::vector<std::string> arguments;
  std::int64_t scratch = 0;
  for (const OwnArgument& each : kernel.arguments) {
    const std::string type(c_type(each.element));
    switch (each.role) {
      case OwnRole::kScalar: arguments.push_back(each.value); break;
      case OwnRole::kTask: arguments.emplace_back("fl_task"); break;
      case OwnRole::kLocal: {
        FL_TRY(const std::int64_t bytes, bytes_of(kernel, each, config));
        arguments.push_back("(" + (type.empty() ? "void" : type) + "*)((char*)fl_scratch + " + std::to_string(scratch) + ")");
        scratch += (bytes + kScratchUnit - 1) / kScratchUnit * kScratchUnit;
        break;
      }
      default: {
        FL_TRY(const std::size_t place, buffers.next(kernel, each, config));
        const std::string slot = "fl_buffers[" + std::to_string(place) + "]";
        const std::string constant = each.role == OwnRole::kIn ? "const " : "";
        arguments.push_back(type.empty() ? slot : "(" + constant + type + "*)" + slot);
        break;
      }
    }
  }
  abi.entry = std::string(kEntry);
  FL_TRY(const std::int64_t tasks, own_formula(kernel, kernel.tasks, config));
  abi.grid_x.text = std::to_string(tasks);
  abi.shared_bytes.text = std::to_string(scratch);
  return "\n#include <stdint.h>\n" + line_directive("the call of " + kernel.function) +
         "__attribute__((visibility(\"default\")))\nvoid " + std::string(kEntry) +
         "(void* const* fl_buffers, void* fl_scratch, int64_t fl_begin, int64_t fl_end) {\n  (void)fl_scratch;\n"
         "  for (int64_t fl_task = fl_begin; fl_task < fl_end; ++fl_task) " +
         kernel.function + "(" + joined(arguments) + ");\n}\n";
}

// States each parameter of the user's entry, which is launched as it is.
Status state_parameters(const OwnKernel& kernel, const LaunchConfig& config, const Graph& graph, KernelAbi& abi) {
  Buffers buffers(graph, abi);
  for (const OwnArgument& each : kernel.arguments) {
    EntryParameter& parameter = abi.parameters.emplace_back();
    if (each.is_tensor() || each.role == OwnRole::kScratch) {
      FL_TRY(const std::size_t place, buffers.next(kernel, each, config));
      parameter.buffer = static_cast<int>(place);
    } else if (each.role == OwnRole::kScalar) {
      parameter.element = each.element;
      parameter.number = each.value;
    } else if (each.role == OwnRole::kLocal) {
      FL_TRY(const std::int64_t bytes, bytes_of(kernel, each, config));
      parameter.local_bytes.text = std::to_string(bytes);
    } else {
      return invalid_argument("argument '" + each.name + "': only C kernels have tasks");
    }
  }
  abi.entry = kernel.function;
  DimFormula* const grid[] = {&abi.grid_x, &abi.grid_y, &abi.grid_z};
  DimFormula* const block[] = {&abi.block_x, &abi.block_y, &abi.block_z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    FL_TRY(const std::int64_t blocks, own_formula(kernel, kernel.grid[axis], config));
    FL_TRY(const std::int64_t threads, own_formula(kernel, kernel.block[axis], config));
    grid[axis]->text = std::to_string(blocks);
    block[axis]->text = std::to_string(threads);
  }
  FL_TRY(const std::int64_t shared, own_formula(kernel, kernel.shared_bytes, config));
  abi.shared_bytes.text = std::to_string(shared);
  return {};
}

// Returns whether a declaration names this function.
bool calls(std::string_view head, std::string_view function) {
  for (std::size_t at = head.find(function); at != std::string_view::npos; at = head.find(function, at + 1)) {
    const std::size_t behind = head.find_first_not_of(" \t\r\n", at + function.size());
    const bool is_whole = at == 0 || !(is_letter(head[at - 1]) || is_digit(head[at - 1]));
    if (is_whole && behind != std::string_view::npos && head[behind] == '(') return true;
  }
  return false;
}

// CUDA looks a kernel up by its symbol, which C++ would change.
std::string with_c_symbol(const std::string& source, const std::string& function) {
  constexpr std::string_view kGlobal = "__global__", kExtern = "extern \"C\"";
  for (std::size_t at = source.find(kGlobal); at != std::string::npos; at = source.find(kGlobal, at + 1)) {
    const std::string head = source.substr(at, std::min(source.find_first_of("{;", at), source.size()) - at);
    if (!calls(head, function)) continue;
    const std::size_t before = source.find_last_not_of(" \t\r\n", at == 0 ? 0 : at - 1);
    const bool is_marked = at > 0 && before != std::string::npos && before + 1 >= kExtern.size() &&
                           source.compare(before + 1 - kExtern.size(), kExtern.size(), kExtern) == 0;
    return is_marked ? source : source.substr(0, at) + std::string(kExtern) + " " + source.substr(at);
  }
  return source;
}

}  // namespace

Result<SourceModule> own_module(const Graph& graph, const LaunchConfig& config, const Target& target, std::string_view generator,
                                std::string_view version) {
  if (const Support support = own_support(graph, target); !support.yes) return Error{ErrorCode::kUnsupported, support.why_not};
  FL_TRY(const OwnKernel kernel, own_kernel_of(graph.nodes().front().attributes));
  SourceModule module;
  module.language = kernel.language;
  module.generator = std::string(generator);
  module.generator_version = std::string(version);
  module.flags = flags_of(kernel, config);
  module.text =
      "// '" + kernel.function + "' of " + kernel.source_name + ", with " + config.text() + ".\n" + macros(kernel, config);
  if (kernel.language == "c") {
    FL_TRY(const std::string call, call_text(kernel, config, graph, module.abi));
    module.text += kernel.source + call;
  } else {
    FL_TRY_VOID(state_parameters(kernel, config, graph, module.abi));
    module.text += kernel.language == "cuda" ? with_c_symbol(kernel.source, kernel.function) : kernel.source;
  }
  module.entry = module.abi.entry;
  return module;
}

}  // namespace fuselab::codegen
