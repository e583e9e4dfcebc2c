// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/matrix/matrix_unit.h"
#include "backends/rocm/driver/hip_device.h"
#include "backends/rocm/hip_generator.h"
#include "tests/device/primitives/case_parts.h"
#include "tests/device/primitives/primitive_cases.h"

namespace fuselab::primitives {
namespace {

const std::vector<std::string> kOf64Lanes = {"gfx90a", "gfx942", "gfx950"}, kOf32Lanes = {"gfx1100", "gfx1201"};

std::vector<std::string> all_targets() {
  std::vector<std::string> all = kOf64Lanes;
  all.insert(all.end(), kOf32Lanes.begin(), kOf32Lanes.end());
  return all;
}

std::string preludes() {
  const codegen::Dialect& hip = codegen::hip_dialect();
  return std::string(hip.preamble) + std::string(hip.matrix_preamble);
}

// The executor reads the numbers in a kernel's head: they are written there, not defined.
void state_lanes(PrimitiveCase& one, int lanes) {
  constexpr std::string_view kPlace = "KLANES";
  std::string& text = one.source.text;
  for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at))
    text.replace(at, kPlace.size(), std::to_string(lanes));
}

class Cases {
 public:
  explicit Cases(const std::filesystem::path& texts) : texts_(texts / "hip") {}

  Status add(WrittenKernel kernel, const char* text, std::vector<std::string> targets, int lanes = 32, int lane_values = 0) {
    kernel.file = texts_ / text;
    kernel.prelude = preludes() + kernel.prelude;
    FL_TRY(PrimitiveCase one, written_case(kernel));
    state_lanes(one, lanes);
    one.lane_values = lane_values;
    return keep(std::move(one), std::move(targets));
  }
  Status keep(PrimitiveCase one, std::vector<std::string> targets) {
    one.source.language = "hip";
    one.targets = std::move(targets);
    cases_.push_back(std::move(one));
    return {};
  }
  std::vector<PrimitiveCase> take() { return std::move(cases_); }

 private:
  std::filesystem::path texts_;
  std::vector<PrimitiveCase> cases_;
};

Status add_shuffles(Cases& cases, int lanes, const std::vector<std::string>& targets) {
  std::int64_t rows = 0;
  for (int mask = 1; mask < lanes; mask *= 2) ++rows;
  for (int width = 16; width <= lanes; width *= 2) rows += 2;
  return cases.add({.name = "shuffles_" + std::to_string(lanes),
                    .file = {},
                    .prelude = {},
                    .arguments = {in("x", DType::kF32, lanes), out("y", DType::kF32, rows * lanes)},
                    .threads = lanes},
                   "shuffles.hip", targets, lanes);
}

Status add_unit(Cases& cases, const std::string& target, DType operand) {
  const codegen::MatrixUnit* const unit = codegen::find_matrix_unit(operand, hip::named_target(target));
  if (unit == nullptr || !unit->is_amds()) return {};
  const bool twice = unit->lanes == 32 && unit->each == 16;
  const std::int64_t depth = twice ? unit->each : unit->lanes / unit->lines * unit->each;
  const int sums = unit->lines * unit->lines / unit->lanes;
  WrittenKernel kernel;
  kernel.name = "unit_" + std::string(name_of(operand)) + "_" + target;
  kernel.prelude = "constexpr int kLines = " + std::to_string(unit->lines) + ", kEach = " + std::to_string(unit->each) +
                   ";\nusing fl_operand = " + std::string(unit->operand_word) +
                   ";\nusing fl_sum_word = " + (operand == DType::kI8 ? "int" : "float") + ";\n";
  kernel.arguments = {in("a", DType::kI8, unit->lines * depth), in("b", DType::kI8, unit->lines * depth),
                      out("map", DType::kI32, unit->lanes * sums), out("d", DType::kI32, unit->lanes * sums)};
  kernel.threads = unit->lanes;
  return cases.add(std::move(kernel), "unit.hip", {target}, unit->lanes, sums);
}

// What the generator makes of these: the units in whole kernels, with tails.
constexpr GraphCase kOfAmds[] = {
    {"rows", "graph(x: f32[5,300]) { y = Softmax(x); return y }", 32},  // of sums in another order
    {"matmul", "graph(x: bf16[97,200], w: bf16[200,136], b: bf16[136]) { p = MatMul(x, w); a = Add(p, b); y = Relu(a); return y }",
     1},
    {"matmul_f16", "graph(x: f16[64,72], w: f16[72,200]) { y = MatMul(x, w); return y }", 1},
    {"attention", "graph(q: bf16[1,2,65,64], k: bf16[1,2,70,64], v: bf16[1,2,70,64]) { y = Attention(q, k, v); return y }", 2},
};

}  // namespace

Result<std::vector<PrimitiveCase>> amd_cases(const std::filesystem::path& texts) {
  using enum DType;
  Cases cases(texts);
  FL_TRY_VOID(cases.add({.name = "plain",
                         .file = {},
                         .prelude = {},
                         .arguments = {in("a", kF32, 512), in("b", kF32, 512), out("y", kF32, 512)},
                         .blocks = 4,
                         .threads = 128},
                        "plain.hip", all_targets()));
  FL_TRY_VOID(add_shuffles(cases, 64, kOf64Lanes));
  FL_TRY_VOID(add_shuffles(cases, 32, kOf32Lanes));
  FL_TRY_VOID(cases.add({.name = "local",
                         .file = {},
                         .prelude = {},
                         .arguments = {in("x", kI8, 2048), out("y", kI32, 2048)},
                         .threads = 128,
                         .shared_bytes = 2048},
                        "local.hip", all_targets()));
  for (const std::string& target : all_targets()) {
    for (const DType operand : {kBF16, kF16, kI8, kF32}) FL_TRY_VOID(add_unit(cases, target, operand));
  }
  for (const std::string& target : all_targets()) {
    for (const GraphCase& each : kOfAmds) {
      FL_TRY(PrimitiveCase one, generated_case(each, hip::HipGenerator(), target));
      one.name += "_" + target;
      FL_TRY_VOID(cases.keep(std::move(one), {target}));
    }
  }
  return cases.take();
}

}  // namespace fuselab::primitives
