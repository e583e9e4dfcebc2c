// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "core/base/random.h"
#include "core/reference/own_reference.h"
#include "core/reference/special_inputs.h"
#include "core/tensor/input_roles.h"
#include "core/tensor/small_float.h"
#include "core/tensor/tensor.h"

// Every element is a pure function of (seed, input, position), made of exact operations and one rounding at most, so that
// all machines make the same bits and a 64 MiB tensor costs milliseconds.
namespace fuselab {
namespace {

using detail::InputRole;
using detail::InputUse;

// Element `index` of SeededRandom(key)'s stream, without walking to it.
std::uint64_t draw(std::uint64_t key, std::uint64_t index) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  return SeededRandom(key + index * kStep).next();
}

double centred(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53 - 0.5;  // [-0.5, 0.5)
}

// One row in eight is small: there an epsilon decides the result, so that a wrong one shows.
constexpr std::int64_t kSmallRowPeriod = 8;
constexpr std::int64_t kSmallRow = 1;
constexpr double kSmallRowFactor = 0x1p-9;
// Specials come to one row in four, so that row operators still have finite rows to be judged by.
constexpr std::int64_t kSpecialRowPeriod = 4;
constexpr std::int64_t kSpecialRow = 3;
// Among specials one row of a mask in eight hides all keys: what then comes of an attention is not what its softmax says.
constexpr std::int64_t kHiddenRowPeriod = 8;
constexpr std::int64_t kHiddenRow = 5;

double large_magnitude(DType dtype) {
  switch (dtype) {
    case DType::kF16: return 128;  // its square still fits
    case DType::kF8E4M3:
    case DType::kF8E5M2: return 8;
    default: return 1e4;
  }
}

// The inputs of a kernel of the user's own are made as its reference uses them.
struct InputPlan {
  InputUse use;
  std::optional<double> constant;  // every element
};
InputPlan plan_of(const Graph& graph, std::size_t position) {
  const auto own = own_reference(graph);
  if (!own.ok() || !own.value()) return {detail::use_of(graph, graph.inputs()[position]), std::nullopt};
  const Graph& reference = own.value()->graph ? *own.value()->graph : graph;
  InputPlan plan{detail::use_of(reference, reference.inputs()[position]), std::nullopt};
  std::size_t input = 0;
  for (const OwnArgument& argument : own.value()->kernel.arguments) {
    if (!argument.is_read()) continue;
    if (input++ == position && !argument.fill.empty() && !argument.fill.starts_with(kOwnTensor))
      plan.constant = std::strtod(argument.fill.c_str(), nullptr);
  }
  return plan;
}

class InputMaker {
 public:
  InputMaker(const TensorType& type, const InputPlan& plan, InputPattern pattern, std::uint64_t key)
      : dtype_(type.dtype),
        is_real_(is_floating(type.dtype)),
        use_(plan.use),
        constant_(plan.constant),
        pattern_(pattern),
        key_(key) {
    row_ = type.shape.size() >= 2 ? std::max<std::int64_t>(type.shape.back().extent(), 1) : 0;
    weight_scale_ = 2.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(use_.fan_in, 1)));
  }

  double operator()(std::int64_t index) const { return element(index, is_in_small_row(index)); }

  // The elements from `begin` on: a row is looked up once, which for each element would take longer than all else.
  void fill(std::int64_t begin, std::span<double> elements) const {
    const auto end = begin + static_cast<std::int64_t>(elements.size());
    for (std::int64_t index = begin; index < end;) {
      const bool small_row = is_in_small_row(index);
      const std::int64_t row_end = row_ > 0 ? std::min(end, (row_of(index) + 1) * row_) : end;
      for (; index < row_end; ++index) elements[static_cast<std::size_t>(index - begin)] = element(index, small_row);
    }
  }

 private:
  double element(std::int64_t index, bool small_row) const {
    if (constant_) return *constant_;
    const std::uint64_t bits = draw(key_, static_cast<std::uint64_t>(index));
    if (use_.role == InputRole::kIndex) return static_cast<double>(scaled(bits, use_.bound));
    if (dtype_ == DType::kBool) return mask(bits, index);
    if (!is_real_) return integer(bits);
    return special(index, real(bits, small_row));
  }

  static std::int64_t scaled(std::uint64_t bits, std::int64_t bound) {
    return static_cast<std::int64_t>(SeededRandom(bits).below(static_cast<std::uint64_t>(std::max<std::int64_t>(bound, 1))));
  }

  double mask(std::uint64_t bits, std::int64_t index) const {
    if (use_.role != InputRole::kMask) return static_cast<double>(bits & 1);
    if (hides_all_keys(index)) return 0;
    const bool first_of_row = row_ == 0 || index % row_ == 0;
    return first_of_row || (bits & 7) != 0 ? 1 : 0;
  }

  double integer(std::uint64_t bits) const {
    if (use_.role == InputRole::kByte) return static_cast<double>(bits & 255) - (is_unsigned(dtype_) ? 0 : 128);
    const double value = static_cast<double>(bits & 15) - (is_unsigned(dtype_) ? 0 : 8);
    return value == 0 && use_.role == InputRole::kDivisor ? 1 : value;
  }

  bool hides_all_keys(std::int64_t index) const {
    if (use_.role != InputRole::kMask || pattern_ != InputPattern::kSpecial || row_ == 0) return false;
    return row_of(index) % kHiddenRowPeriod == kHiddenRow;
  }
  std::int64_t row_of(std::int64_t index) const { return row_ > 0 ? index / row_ : 0; }

  bool is_in_small_row(std::int64_t index) const { return row_ > 0 && row_of(index) % kSmallRowPeriod == kSmallRow; }

  double real(std::uint64_t bits, bool small_row) const {
    const double unit = centred(bits);
    switch (use_.role) {
      case InputRole::kWeight: return unit * weight_scale_;
      case InputRole::kScale: return 1.0 + unit;
      case InputRole::kPositive: return 0.5625 + unit;  // [1/16, 17/16)
      case InputRole::kDivisor: return std::copysign(1.0 + unit, (bits & 1) != 0 ? 1.0 : -1.0);
      default: break;
    }
    if (pattern_ == InputPattern::kLarge && (bits & 3) < 2) return unit * 2 * large_magnitude(dtype_);
    return unit * 4 * (small_row ? kSmallRowFactor : 1.0);  // [-2, 2)
  }

  double special(std::int64_t index, double ordinary) const {
    const bool sprinkled = pattern_ == InputPattern::kDenormal || pattern_ == InputPattern::kSpecial;
    if (!sprinkled) return ordinary;
    const double infinity = dtype_ == DType::kF8E4M3 ? detail::largest_of(dtype_) : std::numeric_limits<double>::infinity();
    if (hides_all_keys(index)) return -infinity;
    if (use_.role != InputRole::kActivation) return ordinary;
    const std::uint64_t chance = draw(~key_, static_cast<std::uint64_t>(index));
    if (pattern_ == InputPattern::kDenormal && chance % 16 == 0) {
      const double count = static_cast<double>(1 + (chance >> 8) % 100);
      // An 8-bit type has too few subnormals for a hundred steps.
      const double steps = bits_of(dtype_) == 8 ? static_cast<double>(1 + (chance >> 8) % 3) : count;
      return std::copysign(steps * detail::smallest_subnormal_of(dtype_), ordinary);
    }
    const bool special_row = row_ == 0 || row_of(index) % kSpecialRowPeriod == kSpecialRow;
    if (pattern_ != InputPattern::kSpecial || !special_row || chance % 16 != 0) return ordinary;
    switch (chance >> 8 & 3) {
      case 0: return std::numeric_limits<double>::quiet_NaN();
      case 1: return infinity;
      case 2: return -infinity;
      default: return -0.0;
    }
  }

  DType dtype_;
  bool is_real_;
  InputUse use_;
  std::optional<double> constant_;
  InputPattern pattern_;
  std::uint64_t key_;
  std::int64_t row_ = 0;  // elements of the last axis; 0: no rows
  double weight_scale_ = 1;
};

RealTensor make_input(const TensorType& type, const InputPlan& plan, InputPattern pattern, std::uint64_t key) {
  const InputMaker element(type, plan, pattern, key);
  const std::int64_t count = element_count(type.shape).value();
  RealTensor tensor{type, std::vector<double>(static_cast<std::size_t>(count))};
  element.fill(0, tensor.data);
  round_to_dtype(tensor);
  return tensor;
}

// Each input has a stream of its own.
std::uint64_t key_of_input(std::size_t position, std::uint64_t seed) {
  SeededRandom keys(seed);
  std::uint64_t key = keys.next();
  for (std::size_t i = 0; i < position; ++i) key = keys.next();
  return key;
}

}  // namespace

std::string_view name_of(InputPattern pattern) {
  switch (pattern) {
    case InputPattern::kUniform: return "uniform";
    case InputPattern::kLarge: return "large";
    case InputPattern::kSpecial: return "special";
    case InputPattern::kDenormal: return "denormal";
  }
  FL_ASSERT(false);
}

bool depends_on_pattern(const Graph& graph, ValueId input) {
  const DType dtype = graph.type(input).dtype;
  if (!is_floating(dtype) && dtype != DType::kBool) return false;
  const auto position = std::ranges::find(graph.inputs(), input) - graph.inputs().begin();
  const InputPlan plan = plan_of(graph, static_cast<std::size_t>(position));
  if (plan.constant) return false;
  const InputRole role = plan.use.role;
  return role == InputRole::kMask || (role == InputRole::kActivation && is_floating(dtype));
}

RealTensor make_input(const Graph& graph, std::size_t position, const InputSpec& spec) {
  FL_ASSERT(graph.is_concrete() && position < graph.inputs().size());
  const ValueId input = graph.inputs()[position];
  return make_input(graph.type(input), plan_of(graph, position), spec.pattern, key_of_input(position, spec.seed));
}

std::vector<std::byte> make_packed_input(const Graph& graph, std::size_t position, const InputSpec& spec) {
  FL_ASSERT(graph.is_concrete() && position < graph.inputs().size());
  constexpr std::int64_t kAtOnce = 1 << 14;  // stays in a cache; even, since of 4-bit types two share a byte
  const ValueId input = graph.inputs()[position];
  const TensorType& type = graph.type(input);
  const InputMaker element(type, plan_of(graph, position), spec.pattern, key_of_input(position, spec.seed));
  const std::int64_t count = element_count(type.shape).value();
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(packed_size(type.dtype, count).count));
  RealTensor some{type, {}};
  for (std::int64_t begin = 0; begin < count; begin += kAtOnce) {
    some.data.resize(static_cast<std::size_t>(std::min(kAtOnce, count - begin)));
    element.fill(begin, some.data);
    const std::vector<std::byte> packed = pack(some);
    bytes.insert(bytes.end(), packed.begin(), packed.end());
  }
  return bytes;
}

RealTensor make_elements(const Graph& graph, std::size_t position, const InputSpec& spec, std::span<const std::int64_t> places) {
  FL_ASSERT(graph.is_concrete() && position < graph.inputs().size());
  const ValueId input = graph.inputs()[position];
  const InputMaker element(graph.type(input), plan_of(graph, position), spec.pattern, key_of_input(position, spec.seed));
  RealTensor row{{graph.type(input).dtype, {static_cast<std::int64_t>(places.size())}}, {}};
  for (const std::int64_t place : places) row.data.push_back(element(place));
  round_to_dtype(row);
  return row;
}

std::vector<RealTensor> make_inputs(const Graph& graph, const InputSpec& spec) {
  FL_ASSERT(graph.is_concrete());
  std::vector<RealTensor> inputs;
  SeededRandom keys(spec.seed);
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    inputs.push_back(make_input(graph.type(graph.inputs()[i]), plan_of(graph, i), spec.pattern, keys.next()));
  }
  return inputs;
}

}  // namespace fuselab
