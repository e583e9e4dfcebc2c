// SPDX-License-Identifier: Apache-2.0
#include "tests/device/primitives/case_parts.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "core/kernel/virtual_target.h"
#include "core/reference/reference.h"

namespace fuselab::primitives {
namespace {

constexpr std::uint64_t kSeed = 20251129;

// Whole numbers from -15 to 15, and of reals all kinds.
std::vector<std::byte> random_bytes(const TensorType& type, SeededRandom& random) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_of(type).value().count));
  const std::size_t each = static_cast<std::size_t>(bits_of(type.dtype)) / 8;
  for (std::size_t at = 0; at < bytes.size(); at += each) {
    if (type.dtype == DType::kF32) {
      const auto value = static_cast<float>(std::ldexp(random.unit() * 2 - 1, static_cast<int>(random.below(60)) - 30));
      std::memcpy(bytes.data() + at, &value, each);
    } else if (type.dtype == DType::kI8) {
      bytes[at] = static_cast<std::byte>(static_cast<int>(random.below(31)) - 15);
    } else {  // bits that no number is made of are moved all the same
      for (std::size_t i = 0; i < each; ++i) bytes[at + i] = static_cast<std::byte>(random.below(256));
    }
  }
  return bytes;
}

}  // namespace

KernelArgument in(const char* name, DType dtype, std::int64_t count) {
  return {name, BufferRole::kIn, {dtype, {count}}, 64};
}
KernelArgument out(const char* name, DType dtype, std::int64_t count) {
  return {name, BufferRole::kOut, {dtype, {count}}, 64};
}

Result<PrimitiveCase> written_case(const WrittenKernel& written) {
  std::ifstream file(written.file);
  if (!file) return Error{ErrorCode::kIo, "cannot read " + written.file.string()};
  PrimitiveCase one;
  one.name = written.name;
  one.source.text = written.prelude + std::string(std::istreambuf_iterator<char>(file), {});
  KernelAbi& abi = one.source.abi;
  one.source.entry = abi.entry = "primitive";
  abi.arguments = written.arguments;
  abi.grid_x.text = std::to_string(written.blocks);
  abi.block_x.text = std::to_string(written.threads);
  abi.shared_bytes.text = std::to_string(written.shared_bytes);
  SeededRandom random(kSeed);
  for (const KernelArgument& argument : abi.arguments) {
    if (argument.role == BufferRole::kIn) one.inputs.push_back(random_bytes(argument.type, random));
  }
  return one;
}

Result<PrimitiveCase> generated_case(const GraphCase& of, const CodeGenerator& generator, const std::string& target_id) {
  FL_TRY(const Graph graph, parse_graph(of.graph));
  FL_TRY(const VirtualTarget target, virtual_target(target_id));
  const Support support = generator.supports(graph, target.target);
  if (!support.yes) return Error{ErrorCode::kUnsupported, std::string(of.name) + ": " + support.why_not};
  PrimitiveCase one;
  one.name = of.name;
  one.ulps = of.ulps;
  FL_TRY(one.source, generator.generate(graph, generator.default_config(graph, target.target), target.target));
  std::vector<RealTensor> inputs = make_inputs(graph, {InputPattern::kUniform, kSeed});
  for (RealTensor& input : inputs) {
    round_to_dtype(input);
    one.inputs.push_back(pack(input));
  }
  return one;
}

}  // namespace fuselab::primitives
