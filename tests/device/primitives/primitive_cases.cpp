// SPDX-License-Identifier: Apache-2.0
#include "tests/device/primitives/primitive_cases.h"

#include "backends/codegen/emit/dialect.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/emulator/simt_emulator.h"
#include "tests/device/primitives/case_parts.h"

namespace fuselab::primitives {
namespace {

// One of the kernels in texts/.
struct Written {
  const char* name;
  int capability;
  std::int64_t blocks, threads, shared_bytes;
  std::vector<KernelArgument> arguments;
  std::vector<TensorMapArgument> maps = {};
  std::int64_t cluster = 1;
  const char* told = "";
  int lane_values = 0;
};

// Rows of 100 elements, 104 apart: the copy engine wants multiples of 16 bytes.
constexpr std::int64_t kColumns = 100, kPitch = 104, kRows = 20;
TensorMapArgument boxes_of(int buffer, std::int64_t columns, std::int64_t rows, std::int64_t pitch) {
  return {buffer, DType::kBF16, {columns, rows}, {2 * pitch}, {64, 8}, 128};
}

std::vector<Written> written_cases() {
  using enum DType;
  const TensorMapArgument matrix = boxes_of(0, kColumns, kRows, kPitch);
  const TensorMapArgument layers{0, kBF16, {kColumns, 5, 3}, {2 * kPitch, 10 * kPitch}, {64, 4, 1}, 128};
  return {
      {"plain", 0, 4, 128, 0, {in("a", kF32, 512), in("b", kF32, 512), out("y", kF32, 512)}},
      {"conversions", 80, 1, 128, 0, {in("x", kF32, 128), out("y", kI32, 256)}},
      {"lane_map", 80, 1, 32, 0, {out("y", kI32, 128)}, {}, 1, "", 4},
      {"fragments",
       80,
       1,
       32,
       0,
       {in("a", kI8, 512), in("b", kI8, 256), out("d", kF32, 512), out("rounding", kF32, 1)},
       {},
       1,
       "rounding"},
      {"matrices", 80, 1, 32, 512, {out("y", kI32, 512)}, {}, 1, "", 16},
      {"parts", 80, 1, 32, 512, {in("x", kI8, 272), out("y", kI32, 272)}},
      {"bulk", 90, 1, 128, 2056, {in("x", kI8, 2048), out("y", kI32, 2048)}},
      {"boxes", 90, 1, 128, 1032, {in("x", kBF16, kPitch * kRows), out("y", kBF16, 8 * 512)}, {matrix}},
      {"layers", 90, 1, 128, 1032, {in("x", kBF16, kPitch * 15), out("y", kBF16, 4 * 256)}, {layers}},
      {"stores", 90, 1, 32, 1024, {out("y", kBF16, kPitch * kRows), out("shared", kBF16, 512)}, {matrix}},
      {"election", 90, 1, 64, 256, {out("y", kI32, 2)}},
      {"cluster",
       90,
       4,
       64,
       2304,
       {in("x", kBF16, 64 * 16), out("y", kBF16, 4 * 512), out("ranks", kF32, 256)},
       {boxes_of(0, 64, 16, 64)},
       2},
      {"group", 91, 1, 128, 73728, {in("a", kI8, 64 * 64), in("b", kI8, 64 * 256), out("y", kF32, 5 * 8192)}},
  };
}
constexpr int kGroupProducts = 91;  // in the table: of sm_90a alone

Result<PrimitiveCase> case_of(const Written& written, const std::filesystem::path& texts) {
  FL_TRY(PrimitiveCase one, written_case({written.name, texts / (std::string(written.name) + ".cu"),
                                          std::string(codegen::cuda_prelude()) + std::string(codegen::cuda_matrix_prelude()),
                                          written.arguments, written.blocks, written.threads, written.shared_bytes}));
  one.group_products = written.capability == kGroupProducts;
  one.capability = one.group_products ? 90 : written.capability;
  one.told = written.told;
  one.lane_values = written.lane_values;
  one.source.language = "cuda";
  one.source.abi.maps = written.maps;
  one.source.abi.cluster = written.cluster;
  return one;
}

// What the generator makes of these for a target that everybody has: the units in whole kernels, with tails.
constexpr GraphCase kGenerated[] = {
    {"matmul", "graph(x: bf16[97,200], w: bf16[200,136], b: bf16[136]) { p = MatMul(x, w); a = Add(p, b); y = Relu(a); return y }",
     1},
    {"matmul_f16", "graph(x: f16[64,72], w: f16[72,200]) { y = MatMul(x, w); return y }", 1},
    {"few_rows", "graph(x: bf16[5,320], w: bf16[320,136]) { y = MatMul(x, w); return y }", 1},
    {"convolution", "graph(x: bf16[1,8,9,9], w: bf16[24,8,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }", 1},
    {"attention", "graph(q: bf16[1,2,65,64], k: bf16[1,2,70,64], v: bf16[1,2,70,64]) { y = Attention(q, k, v); return y }", 2},
    {"decode", "graph(q: bf16[1,8,1,64], k: bf16[1,2,300,64], v: bf16[1,2,300,64]) { y = Attention(q, k, v); return y }", 2},
    // Weights are powers to 2 ulp, and how a unit rounds the sums of three products is not known.
    {"attention_f32", "graph(q: f32[1,2,33,64], k: f32[1,2,70,64], v: f32[1,2,70,64]) { y = Attention(q, k, v); return y }", 32},
};

}  // namespace

Result<std::vector<PrimitiveCase>> primitive_cases(const std::filesystem::path& texts) {
  std::vector<PrimitiveCase> cases;
  for (const Written& each : written_cases()) {
    FL_TRY(PrimitiveCase one, case_of(each, texts));
    cases.push_back(std::move(one));
  }
  for (const GraphCase& each : kGenerated) {
    FL_TRY(PrimitiveCase one, generated_case(each, cuda::CudaGenerator(), "sm_80"));
    cases.push_back(std::move(one));
  }
  return cases;
}

Status expect_as_executed(PrimitiveCase& one) {
  simt::SimtEmulator executor;
  for (const std::uint64_t order : {1, 2, 3}) {
    auto outputs = executor.run(one.source, one.inputs, order);
    if (!outputs.ok()) return std::move(outputs).error().within(one.name);
    if (order == 1)
      one.expected = std::move(outputs).value();
    else if (outputs.value() != one.expected)
      return Error{ErrorCode::kNumerics, one.name + ": what comes out depends on the order of the threads"};
  }
  return {};
}

}  // namespace fuselab::primitives
