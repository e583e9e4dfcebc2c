// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/triton_compiler.h"

#include <algorithm>
#include <charconv>

#include "backends/triton/block_text.h"
#include "backends/triton/triton_generator.h"

namespace fuselab::triton {
namespace {

using nlohmann::json;

// Returns the number behind "--name=" in flags.
std::int64_t number_in(const std::string& flags, const std::string& name, std::int64_t otherwise) {
  const std::size_t at = flags.find("--" + name + "=");
  if (at == std::string::npos) return otherwise;
  const char* const begin = flags.data() + at + name.size() + 3;
  std::from_chars(begin, flags.data() + flags.size(), otherwise);
  return otherwise;
}

std::int64_t number_of(const json& answer, const char* name) {
  const auto found = answer.find(name);
  return found != answer.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string word_of(const json& answer, const char* name) {
  const auto found = answer.find(name);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool fuses(OptimizationLevel level) {
  return level == OptimizationLevel::kO2 || level == OptimizationLevel::kO3;
}

std::string pointer_type(const KernelArgument& argument) {
  return "*" + std::string(storage_name(argument.type.dtype));
}

// What Triton's metadata and the tools beside it say; what a launch asks for is not among a cubin's static arrays.
void note_resources(KernelBinary& binary, const json& answer) {
  const auto note = [&](const std::string& name, std::int64_t value) { binary.metadata[name] = std::to_string(value); };
  note("launch.shared_bytes", number_of(answer, "shared_bytes"));
  note("launch.scratch_bytes", number_of(answer, "scratch_bytes"));
  const bool is_cubin = binary.format == "cubin";
  note("resource.shared_bytes", number_of(answer, is_cubin ? "static_shared_bytes" : "shared_bytes"));
  for (const char* const name : {"registers", "accumulators", "scalar_registers", "stack_bytes"}) {
    if (answer.contains(name)) note(std::string("resource.") + name, number_of(answer, name));
  }
  // These texts declare no arrays: what lies in a thread's own memory was spilled there.
  const std::int64_t local =
      is_cubin ? std::max(number_of(answer, "local_bytes"), number_of(answer, "stack_bytes")) : 4 * number_of(answer, "spilled");
  if (answer.contains(is_cubin ? "local_bytes" : "spilled")) note("resource.spill_bytes", local);
}

// Whether another attempt would end alike: what is not installed, or was changed. A slow or full machine may be better later.
bool is_final(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kUntrusted || code == ErrorCode::kUnsupported;
}

}  // namespace

Result<CompilerFingerprint> TritonCompiler::about() {
  const std::lock_guard lock(mutex_);
  if (about_) return *about_;
  const auto answer = helper_.ask({{"do", "triton.about"}});
  if (!answer.ok()) {
    if (is_final(answer.error().code)) about_.emplace(answer.error());
    return answer.error();
  }
  std::string version = word_of(answer.value().fields, "triton");
  for (const char* const assembler : {"ptxas", "ptxas-blackwell"}) {
    const std::string own = word_of(answer.value().fields, assembler);
    if (!own.empty()) version += std::string("+") + assembler + own;
  }
  about_.emplace(CompilerFingerprint{"triton", version + "+helper" + python::helper_version(), helper_.python()});
  return *about_;
}

Availability TritonCompiler::probe() {
  const auto known = about();
  return known.ok() ? Availability::available() : Availability::unavailable(known.error().message);
}

CompilerFingerprint TritonCompiler::fingerprint() {
  const auto known = about();
  return known.ok() ? known.value() : CompilerFingerprint{};
}

std::string TritonCompiler::flags(const Target& target, OptimizationLevel level) const {
  const auto named = triton_target(target);
  const TritonTarget triton = named.ok() ? named.value() : TritonTarget{"none", target.id};
  return "--backend=" + triton.backend + " --arch=" + triton.arch + " --fp-fusion=" + (fuses(level) ? "true" : "false");
}

Result<KernelBinary> TritonCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                             std::stop_token stop) {
  FL_TRY(const TritonTarget triton, triton_target(target));
  FL_TRY(const CompilerFingerprint compiler, about());
  json signature = json::array();
  for (const KernelArgument& argument : source.abi.arguments) signature.push_back(pointer_type(argument));
  const json request = {{"do", "triton.compile"},
                        {"text", source.text},
                        {"entry", source.entry},
                        {"signature", signature},
                        {"backend", triton.backend},
                        {"arch", triton.arch},
                        {"warp", triton.warp},
                        {"options",
                         {{"num_warps", number_in(source.flags, "num-warps", 4)},
                          {"num_stages", number_in(source.flags, "num-stages", 1)},
                          {"enable_fp_fusion", fuses(level)}}}};
  FL_TRY(python::HelperAnswer answer, helper_.ask(request, {}, stop));
  KernelBinary binary;
  binary.format = word_of(answer.fields, "format");
  binary.data = std::move(answer.data);
  if (binary.data.empty() || binary.format.empty()) return Error{ErrorCode::kCorrupt, "the Python helper compiled nothing"};
  const auto parameters = static_cast<std::int64_t>(source.abi.parameters.size());
  if (binary.format == "cubin" && number_of(answer.fields, "parameters") != parameters) {
    return Error{ErrorCode::kUnsupported, "this Triton's kernel has " + std::to_string(number_of(answer.fields, "parameters")) +
                                              " parameters, and a launch passes " + std::to_string(parameters)};
  }
  if (number_of(answer.fields, "scratch_bytes") > 0)
    return Error{ErrorCode::kUnsupported, "Triton made a kernel that needs scratch memory of its own, which is not launched yet"};
  binary.metadata = {{"compiler", compiler.id},
                     {"version", compiler.version},
                     {"flags", flags_for(source, target, level)},
                     {"python", compiler.file}};
  note_resources(binary, answer.fields);
  return binary;
}

Availability TritonInterpreter::probe() {
  const auto answer = helper_.ask({{"do", "triton.about"}});
  return answer.ok() ? Availability::available() : Availability::unavailable(answer.error().message);
}

Result<std::vector<std::vector<std::byte>>> TritonInterpreter::run(const SourceModule& source,
                                                                   std::span<const std::vector<std::byte>> inputs, std::uint64_t) {
  const bool is_same =
      source.text == last_text_ && std::equal(inputs.begin(), inputs.end(), last_inputs_.begin(), last_inputs_.end());
  if (is_same) return last_outputs_;
  FL_TRY(const std::int64_t programs, source.abi.grid_x.evaluate({}));
  json arguments = json::array();
  std::vector<std::byte> data;
  std::size_t next = 0;
  for (const KernelArgument& argument : source.abi.arguments) {
    const bool is_written = argument.role == BufferRole::kOut;
    FL_TRY(const Bytes size, size_of(argument.type));
    arguments.push_back(
        {{"name", argument.name}, {"type", pointer_type(argument).substr(1)}, {"bytes", size.count}, {"written", is_written}});
    if (is_written) continue;
    if (next == inputs.size() || static_cast<std::int64_t>(inputs[next].size()) != size.count)
      return invalid_argument("'" + argument.name + "' was given other bytes than it has");
    data.insert(data.end(), inputs[next].begin(), inputs[next].end());
    ++next;
  }
  const json request = {
      {"do", "triton.interpret"}, {"text", source.text}, {"entry", source.entry}, {"grid", {programs}}, {"arguments", arguments}};
  FL_TRY(const python::HelperAnswer answer, helper_.ask(request, data));
  std::vector<std::vector<std::byte>> outputs;
  auto at = answer.data.begin();
  for (const json& argument : arguments) {
    if (!argument["written"].get<bool>()) continue;
    const auto size = argument["bytes"].get<std::ptrdiff_t>();
    if (answer.data.end() - at < size) return Error{ErrorCode::kCorrupt, "Triton's interpreter gave back too little"};
    outputs.emplace_back(at, at + size);
    at += size;
  }
  last_text_ = source.text;
  last_inputs_.assign(inputs.begin(), inputs.end());
  last_outputs_ = outputs;
  return outputs;
}

}  // namespace fuselab::triton
