// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/simt/matrix_trial.h"

#include <fstream>
#include <sstream>

#include "core/base/random.h"

namespace fuselab::simt {
namespace {

constexpr std::uint64_t kOrders = 5;
constexpr std::uint64_t kOrdersOfADefect = 3;
constexpr std::int64_t kSteps = 2'000'000'000;

Outcome run_one(const KernelObject& object, std::size_t kernel, const MatrixTrial& trial, std::uint64_t order,
                Arguments& arguments) {
  arguments = trial.arguments;
  return run_launch(object, kernel, trial.shape, arguments, {order, kSteps});
}

}  // namespace

Outcome expect_right(const MatrixTrial& trial, const std::function<void(const Arguments&)>& check) {
  const KernelText text{trial.entry, trial.body, true};
  const auto object = KernelObject::compile({&text, 1});
  EXPECT_TRUE(object.ok()) << object.error().message;
  Outcome outcome;
  for (std::uint64_t order = 1; object.ok() && order <= kOrders; ++order) {
    Arguments arguments;
    outcome = run_one(*object.value(), 0, trial, order, arguments);
    EXPECT_EQ(outcome.finding, "");
    if (outcome.ok()) check(arguments);
  }
  return outcome;
}

void expect_found(const MatrixTrial& trial, const std::vector<SeededDefect>& defects,
                  const std::function<bool(const Arguments&)>& is_right) {
  std::vector<KernelText> texts;
  for (const SeededDefect& each : defects) texts.push_back({trial.entry, changed(trial.body, each.from, each.to), true});
  const auto object = KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t i = 0; i < defects.size(); ++i) {
    SCOPED_TRACE("`" + defects[i].from + "` became `" + defects[i].to + "`");
    for (std::uint64_t order = 1; order <= kOrdersOfADefect; ++order) {
      Arguments arguments;
      const Outcome outcome = run_one(*object.value(), i, trial, order, arguments);
      EXPECT_FALSE(outcome.is_limit) << outcome.finding;
      if (defects[i].finding.empty()) {
        EXPECT_EQ(outcome.finding, "");
        EXPECT_FALSE(is_right(arguments));
      } else {
        EXPECT_THAT(outcome.finding, ::testing::ContainsRegex(defects[i].finding));
      }
    }
  }
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the kernel does not have: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string kernel_file(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(TESTS) + "/" + name).rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

TensorMap map_of(std::int64_t columns, std::int64_t rows, std::int32_t box_columns, std::int32_t box_rows, int swizzle) {
  TensorMap map;
  map.axes = 2;
  map.swizzle = swizzle;
  map.extents = {columns, rows, 1, 1, 1};
  map.strides = {columns * map.element, 0, 0, 0};
  map.box = {box_columns, box_rows, 1, 1, 1};
  return map;
}

Argument map_argument(const TensorMap& map, int of) {
  Argument argument{"map", BufferUse::kRead, 1, 64, std::vector<std::byte>(sizeof map), of};
  std::memcpy(argument.bytes.data(), &map, sizeof map);
  return argument;
}

std::uint16_t bf16_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float bf16_value(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

std::vector<std::uint16_t> random_bf16(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::uint16_t> values(count);
  for (std::uint16_t& each : values) each = bf16_of(static_cast<float>(random.unit() * 2 - 1));
  return values;
}

}  // namespace fuselab::simt
