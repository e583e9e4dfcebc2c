// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/import/constants/known_tensor.h"
#include "core/ops/infer.h"
#include "core/tensor/small_float.h"

namespace fuselab::onnx {
namespace {

// The number that its type keeps of a real.
double rounded(DType dtype, double real) {
  if (dtype == DType::kF32) return static_cast<double>(static_cast<float>(real));
  if (!detail::is_small_float(dtype)) return real;
  const detail::SmallFloat& format = detail::small_float_of(dtype);
  return format.decode(format.encode(real));
}

bool combines_bools(const std::string& op) {
  return op == "And" || op == "Or" || op == "Xor";
}

// Also combines two bools, which are 0 or 1, by an operator of logic.
std::optional<Dim> combine(const std::string& op, const Dim& a, const Dim& b) {
  if (a.is_symbol() || b.is_symbol()) {
    if (op == "Add") return sum(a, b);
    if (op == "Sub") return difference(a, b);
    if (op == "Mul") return product(a, b);
    if (op != "Div") return std::nullopt;
    return !b.is_symbol() && b.extent() > 0 ? quotient(a, b.extent()) : exact_quotient(a, b);
  }
  std::int64_t result = 0;
  bool overflow = false;
  if (op == "Add") {
    overflow = __builtin_add_overflow(a.extent(), b.extent(), &result);
  } else if (op == "Sub") {
    overflow = __builtin_sub_overflow(a.extent(), b.extent(), &result);
  } else if (op == "Mul") {
    overflow = __builtin_mul_overflow(a.extent(), b.extent(), &result);
  } else if (op == "Div" && b.extent() > 0) {
    result = a.extent() / b.extent();
  } else if (op == "Mod" && b.extent() > 0) {
    result = (a.extent() % b.extent() + b.extent()) % b.extent();  // the divisor's sign
  } else if (combines_bools(op)) {
    const bool both = a == Dim(1) && b == Dim(1), either = a == Dim(1) || b == Dim(1);
    result = (op == "And" ? both : op == "Or" ? either : either && !both) ? 1 : 0;
  } else if (op == "Min" || op == "Max") {
    result = (op == "Min") == (a.extent() < b.extent()) ? a.extent() : b.extent();
  } else {
    return std::nullopt;
  }
  return overflow ? std::nullopt : std::optional<Dim>(result);
}

std::optional<double> combine(const std::string& op, double a, double b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Pow") return std::pow(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  return std::nullopt;
}

std::optional<Dim> kept(DType dtype, const Dim& number) {
  if (number.is_symbol()) return number;
  return wrapped(dtype, number.extent()) == number.extent() ? std::optional<Dim>(number) : std::nullopt;
}

std::optional<double> kept(DType dtype, double real) {
  return rounded(dtype, real);
}

// The shape of two operands together; none when they do not fit or the result would be empty or large.
std::optional<std::vector<std::int64_t>> broadcast(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  const auto shape = broadcast_shapes(Shape(a.begin(), a.end()), Shape(b.begin(), b.end()));
  if (!shape.ok()) return std::nullopt;
  const auto count = element_count(shape.value());
  if (!count.ok() || count.value() < 1 || count.value() > static_cast<std::int64_t>(KnownTensor::kMaxElements)) return std::nullopt;
  return extents_of(shape.value());
}

// Returns where an operand of the shape `own` has what goes into element `place` of the shape `whole`.
std::size_t source_of(std::size_t place, const std::vector<std::int64_t>& whole, const std::vector<std::int64_t>& own) {
  std::size_t source = 0, stride = 1;
  for (std::size_t i = 1; i <= own.size(); ++i) {
    const auto extent = static_cast<std::size_t>(whole[whole.size() - i]);
    const auto own_extent = static_cast<std::size_t>(own[own.size() - i]);
    if (own_extent != 1) source += place % extent * stride;
    place /= extent;
    stride *= own_extent;
  }
  return source;
}

template <typename T>
bool combine_all(const std::string& op, const KnownTensor& a, const KnownTensor& b, std::vector<T> KnownTensor::*numbers,
                 KnownTensor& result) {
  std::size_t count = 1;
  for (std::int64_t extent : result.shape) count *= static_cast<std::size_t>(extent);
  for (std::size_t i = 0; i < count; ++i) {
    const auto combined =
        combine(op, (a.*numbers)[source_of(i, result.shape, a.shape)], (b.*numbers)[source_of(i, result.shape, b.shape)]);
    const auto number = combined ? kept(result.dtype, *combined) : std::nullopt;
    if (!number) return false;
    (result.*numbers).push_back(*number);
  }
  return true;
}

template <typename Number>
std::optional<bool> holds(const std::string& op, const Number& a, const Number& b) {
  if (op == "Equal") return a == b;
  if (op == "Less") return a < b;
  if (op == "Greater") return a > b;
  if (op == "LessOrEqual") return a <= b;
  if (op == "GreaterOrEqual") return a >= b;
  return std::nullopt;
}

// An extent that has only a name equals itself, and is less than no number.
std::optional<bool> holds(const std::string& op, const Dim& a, const Dim& b) {
  if (!a.is_symbol() && !b.is_symbol()) return holds(op, a.extent(), b.extent());
  if (a == b) return holds(op, 0, 0);
  if (is_derived(a) || is_derived(b)) return std::nullopt;  // a difference may be below zero
  const bool negative_b = !b.is_symbol() && b.extent() < 0;
  const bool negative_a = !a.is_symbol() && a.extent() < 0;
  if (negative_b) return holds(op, 0, -1);
  return negative_a ? holds(op, -1, 0) : std::nullopt;
}

std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

template <typename T>
bool compare_all(const std::string& op, const KnownTensor& a, const KnownTensor& b, std::vector<T> KnownTensor::*numbers,
                 KnownTensor& result) {
  for (std::size_t i = 0; i < count_of(result.shape); ++i) {
    const auto held =
        holds(op, (a.*numbers)[source_of(i, result.shape, a.shape)], (b.*numbers)[source_of(i, result.shape, b.shape)]);
    if (!held) return false;
    result.integers.emplace_back(*held ? 1 : 0);
  }
  return true;
}

// Fractions are cut off; a number that the type does not hold has no defined result.
std::optional<Dim> cast_real(double real, DType to) {
  if (to == DType::kBool) return Dim(real != 0 ? 1 : 0);
  if (!(std::abs(real) < 0x1.0p53)) return std::nullopt;
  return kept(to, Dim(static_cast<std::int64_t>(real)));
}

// A symbol stays one where shapes are kept: in 32 and 64 bits.
std::optional<Dim> cast_integer(const Dim& number, DType to) {
  if (!number.is_symbol()) return Dim(wrapped(to, number.extent()));
  return to == DType::kI64 || to == DType::kI32 ? std::optional<Dim>(number) : std::nullopt;
}

}  // namespace

std::optional<KnownTensor> fold_gather(const KnownTensor& data, const KnownTensor& indices) {
  const auto places = indices.plain_integers();
  if (!places || data.shape.size() != 1 || is_floating(data.dtype)) return std::nullopt;
  KnownTensor result;
  result.dtype = data.dtype;
  result.shape = indices.shape;
  const auto count = static_cast<std::int64_t>(data.integers.size());
  for (std::int64_t place : *places) {
    if (place < -count || place >= count) return std::nullopt;
    result.integers.push_back(data.integers[static_cast<std::size_t>(place < 0 ? place + count : place)]);
  }
  return result;
}

std::optional<KnownTensor> fold_concat(const std::vector<const KnownTensor*>& parts) {
  KnownTensor result;
  result.dtype = parts.front()->dtype;
  for (const KnownTensor* part : parts) {
    if (part->dtype != result.dtype || part->shape.size() != 1) return std::nullopt;
    result.integers.insert(result.integers.end(), part->integers.begin(), part->integers.end());
    result.reals.insert(result.reals.end(), part->reals.begin(), part->reals.end());
    if (result.size() > KnownTensor::kMaxElements) return std::nullopt;
  }
  result.shape = {static_cast<std::int64_t>(result.size())};
  return result;
}

std::optional<KnownTensor> fold_reshape(const KnownTensor& data, const std::vector<std::int64_t>& shape) {
  const auto count = static_cast<std::int64_t>(data.integers.size());
  if (is_floating(data.dtype) || count == 0) return std::nullopt;
  KnownTensor result = data;
  result.shape = shape;
  std::int64_t product = 1;
  std::int64_t* open = nullptr;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t& extent = result.shape[i];
    if (extent == 0 && i < data.shape.size()) extent = data.shape[i];
    if (extent == -1 && open == nullptr) {
      open = &extent;
      continue;
    }
    // More than there is, or nothing that an extent may be: the node says what is wrong.
    if (extent < 1 || extent > count) return std::nullopt;
    product *= extent;
    if (product > count) return std::nullopt;
  }
  if (open != nullptr) *open = count / product;
  const bool fits = open != nullptr ? count % product == 0 : product == count;
  return fits ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<KnownTensor> fold_transpose(const KnownTensor& matrix) {
  if (is_floating(matrix.dtype) || matrix.shape.size() != 2) return std::nullopt;
  KnownTensor result = matrix;
  std::swap(result.shape[0], result.shape[1]);
  const std::int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  for (std::int64_t i = 0; i < rows * columns; ++i)
    result.integers[static_cast<std::size_t>(i)] = matrix.integers[static_cast<std::size_t>(i % rows * columns + i / rows)];
  return result;
}

std::optional<KnownTensor> fold_slice(const KnownTensor& data, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (data.shape.empty() || is_floating(data.dtype) || step == 0 || data.integers.empty()) return std::nullopt;
  const std::int64_t count = data.shape.front();
  const std::int64_t row = static_cast<std::int64_t>(data.integers.size()) / count;
  const auto place = [count](std::int64_t index, std::int64_t least, std::int64_t most) {
    return std::clamp<std::int64_t>(index < 0 ? index + count : index, least, most);
  };
  const bool forward = step > 0;
  const std::int64_t first = forward ? place(start, 0, count) : place(start, 0, count - 1);
  const std::int64_t last = forward ? place(end, 0, count) : place(end, -1, count - 1);
  const std::int64_t stride = std::clamp<std::int64_t>(step, -count, count);  // a longer one leaves the tensor as well
  KnownTensor result;
  result.dtype = data.dtype;
  for (std::int64_t i = first; forward ? i < last : i > last; i += stride) {
    const auto from = data.integers.begin() + i * row;
    result.integers.insert(result.integers.end(), from, from + row);
  }
  result.shape = data.shape;
  result.shape.front() = static_cast<std::int64_t>(result.integers.size()) / row;
  return result;
}

std::optional<KnownTensor> fold_binary(const std::string& op, const KnownTensor& a, const KnownTensor& b) {
  const auto shape = broadcast(a.shape, b.shape);
  if (a.dtype != b.dtype || (a.dtype == DType::kBool) != combines_bools(op) || !shape) return std::nullopt;
  KnownTensor result;
  result.dtype = a.dtype;
  result.shape = *shape;
  const bool folded = is_floating(a.dtype) ? combine_all(op, a, b, &KnownTensor::reals, result)
                                           : combine_all(op, a, b, &KnownTensor::integers, result);
  return folded ? std::optional<KnownTensor>(std::move(result)) : std::nullopt;
}

std::optional<KnownTensor> fold_comparison(const std::string& op, const KnownTensor& a, const KnownTensor& b) {
  const auto shape = broadcast(a.shape, b.shape);
  if (a.dtype != b.dtype || (a.dtype == DType::kBool && op != "Equal") || !shape) return std::nullopt;
  KnownTensor result;
  result.dtype = DType::kBool;
  result.shape = *shape;
  const bool folded = is_floating(a.dtype) ? compare_all(op, a, b, &KnownTensor::reals, result)
                                           : compare_all(op, a, b, &KnownTensor::integers, result);
  return folded ? std::optional<KnownTensor>(std::move(result)) : std::nullopt;
}

std::optional<KnownTensor> fold_where(const KnownTensor& condition, const KnownTensor& yes, const KnownTensor& no) {
  const auto choices = broadcast(yes.shape, no.shape);
  const auto shape = choices ? broadcast(condition.shape, *choices) : std::nullopt;
  const auto taken = condition.plain_integers();
  if (!shape || !taken || condition.dtype != DType::kBool || yes.dtype != no.dtype) return std::nullopt;
  KnownTensor result;
  result.dtype = yes.dtype;
  result.shape = *shape;
  for (std::size_t i = 0; i < count_of(*shape); ++i) {
    const KnownTensor& from = (*taken)[source_of(i, *shape, condition.shape)] != 0 ? yes : no;
    const std::size_t source = source_of(i, *shape, from.shape);
    if (is_floating(result.dtype)) {
      result.reals.push_back(from.reals[source]);
    } else {
      result.integers.push_back(from.integers[source]);
    }
  }
  return result;
}

std::optional<KnownTensor> fold_reduction(const std::string& op, const KnownTensor& data, bool keeps_axis) {
  const std::string step = op == "ReduceProd"  ? "Mul"
                           : op == "ReduceSum" ? "Add"
                           : op == "ReduceMax" ? "Max"
                           : op == "ReduceMin" ? "Min"
                                               : "";
  if (step.empty() || data.shape.size() != 1 || data.integers.empty() || data.dtype == DType::kBool) return std::nullopt;
  Dim result = data.integers.front();
  for (std::size_t i = 1; i < data.integers.size(); ++i) {
    const auto combined = combine(step, result, data.integers[i]);
    const auto number = combined ? kept(data.dtype, *combined) : std::nullopt;
    if (!number) return std::nullopt;
    result = *number;
  }
  return KnownTensor{data.dtype, std::vector<std::int64_t>(keeps_axis ? 1 : 0, 1), {result}, {}};
}

std::optional<KnownTensor> fold_unary(const std::string& op, const KnownTensor& a) {
  KnownTensor result = a;
  if (op == "Identity") return result;
  if (op == "Not" && a.dtype == DType::kBool) return fold_binary("Xor", a, KnownTensor{a.dtype, {}, {Dim(1)}, {}});
  if (op == "Abs" && !is_floating(a.dtype) && a.dtype != DType::kBool) {
    for (Dim& number : result.integers) {
      if (is_derived(number)) return std::nullopt;               // a difference may be below zero
      if (number.is_symbol() || number.extent() >= 0) continue;  // no extent is
      const auto size = combine("Sub", Dim(0), number);
      const auto fits = size ? kept(a.dtype, *size) : std::nullopt;
      if (!fits) return std::nullopt;
      number = *fits;
    }
    return result;
  }
  if (op == "Relu" && !is_floating(a.dtype) && a.dtype != DType::kBool) {
    for (Dim& number : result.integers) {
      if (is_derived(number)) return std::nullopt;  // a difference may be below zero
      if (!number.is_symbol() && number.extent() < 0) number = Dim(0);
    }
    return result;
  }
  if (op == "Neg" && !is_floating(a.dtype)) return fold_binary("Sub", KnownTensor{a.dtype, {}, {Dim(0)}, {}}, a);
  if (!is_floating(a.dtype)) return std::nullopt;
  for (double& real : result.reals) {
    if (op == "Sqrt") {
      real = std::sqrt(real);
    } else if (op == "Neg") {
      real = -real;
    } else if (op == "Abs") {
      real = std::abs(real);
    } else if (op == "Reciprocal") {
      real = 1.0 / real;
    } else if (op == "Relu") {
      if (real < 0) real = 0;
    } else if (op == "Floor") {
      real = std::floor(real);
    } else if (op == "Ceil") {
      real = std::ceil(real);
    } else {
      return std::nullopt;
    }
    real = rounded(a.dtype, real);
  }
  return result;
}

std::optional<KnownTensor> fold_cast(const KnownTensor& data, DType to) {
  // The 4-bit and 8-bit types saturate, each in its own way: left to the operator.
  if (bits_of(to) < 8 || (is_floating(to) && bits_of(to) == 8)) return std::nullopt;
  if (to == DType::kU64) return std::nullopt;  // its upper half has no place among our numbers
  KnownTensor result;
  result.dtype = to;
  result.shape = data.shape;
  if (is_floating(to)) {
    const auto numbers = data.plain_integers();
    if (!numbers && !is_floating(data.dtype)) return std::nullopt;
    if (numbers) result.reals.assign(numbers->begin(), numbers->end());
    if (!numbers) result.reals = data.reals;
    for (double& real : result.reals) real = rounded(to, real);
    return result;
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto number = is_floating(data.dtype) ? cast_real(data.reals[i], to) : cast_integer(data.integers[i], to);
    if (!number) return std::nullopt;
    result.integers.push_back(*number);
  }
  return result;
}

}  // namespace fuselab::onnx
