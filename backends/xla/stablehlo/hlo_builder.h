// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types/dtype.h"

namespace fuselab::xla {

using Extents = std::vector<std::int64_t>;

// A value of a StableHLO function: its name ("%12") and its type. Row-major, as all of StableHLO.
struct HloValue {
  std::string name;
  DType dtype = DType::kF32;
  Extents extents;

  std::int64_t rank() const { return static_cast<std::int64_t>(extents.size()); }
};

std::string hlo_type(DType dtype, std::span<const std::int64_t> extents);  // "tensor<8x768xf32>"
std::string hlo_type(const HloValue& value);
std::string number_list(std::span<const std::int64_t> numbers);   // "[1, 2]"
std::string number_array(std::span<const std::int64_t> numbers);  // "array<i64: 1, 2>"

// Writes the body of a StableHLO function, one operation a line (StableHLO specification, version 1; CHLO where StableHLO has no
// such function). Every method appends what it needs and returns the result. Operands fit each other: the caller's graph has been
// through type inference.
class HloBuilder {
 public:
  // The same number everywhere; exact for every finite or infinite number that the type holds.
  HloValue constant(double number, DType dtype, Extents extents = {});
  HloValue unary(std::string_view operation, const HloValue& x);
  HloValue binary(std::string_view operation, const HloValue& a, const HloValue& b);
  HloValue compare(std::string_view direction, const HloValue& a, const HloValue& b);  // "LT", "EQ"
  HloValue select(const HloValue& condition, const HloValue& yes, const HloValue& no);
  HloValue convert(const HloValue& x, DType to);
  HloValue reshape(const HloValue& x, Extents extents);
  HloValue transpose(const HloValue& x, const Extents& order);
  // numpy's broadcasting: axes are matched from the last one on.
  HloValue broadcast(const HloValue& x, const Extents& extents);
  // Places axis i of x at axis places[i] of the result.
  HloValue broadcast_in(const HloValue& x, const Extents& extents, const Extents& places);
  // Reduces these axes, which the result loses. `operation`: "add", "maximum", "multiply"; `start`: its neutral number.
  HloValue reduce(std::string_view operation, const HloValue& x, const Extents& axes, double start);
  HloValue iota(DType dtype, const Extents& extents, std::int64_t axis);
  // starts, limits and steps of every axis.
  HloValue slice(const HloValue& x, const Extents& starts, const Extents& limits, const Extents& steps);
  HloValue concatenate(std::span<const HloValue> parts, std::int64_t axis);
  // Appends "%n = <text> : (<types of the operands>) -> <type>" for an operation that the others do not cover.
  HloValue append(const std::string& text, std::span<const HloValue> operands, DType dtype, Extents extents);

  // a ∘ b with numpy's broadcasting of both.
  HloValue spread(std::string_view operation, const HloValue& a, const HloValue& b);
  // x ∘ number.
  HloValue with(std::string_view operation, const HloValue& x, double number);

  const std::string& body() const { return body_; }

 private:
  // Appends "%n = <text> : <type of the operation>".
  HloValue append(const std::string& text, const std::string& type, DType dtype, Extents extents);

  std::string body_;
  int last_ = 0;
};

// Returns the extents that numpy's broadcasting gives for both.
Extents broadcast_extents(const Extents& a, const Extents& b);

}  // namespace fuselab::xla
