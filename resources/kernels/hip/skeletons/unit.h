// SPDX-License-Identifier: Apache-2.0
// needs:
// A matrix unit multiplies kUnitLines lines of each operand. A lane of kUnitLanes names one line of both, gives kUnitEach steps of
// depth, and has kUnitSums sums: of its line of b, with several lines of a. Here b is the left operand, so that a lane's sums lie
// in one row of the result. Before this text stand: kUnitLines, kUnitLanes, kUnitEach; fl_operand.
constexpr int kUnitSums = kUnitLines * kUnitLines / kUnitLanes;
constexpr int kPart = 16 / static_cast<int>(sizeof(fl_operand));  // elements of the 16 bytes that move together
// Where a lane has all of the depth of a product, the lanes' halves give the same.
constexpr bool kUnitTwice = kUnitLanes == 32 && kUnitEach == 16;
constexpr int kUnitGroups = kUnitTwice ? 1 : kUnitLanes / kUnitLines;
// Lanes read whole parts; several products take one part, or one takes two.
constexpr int kUnitRead = kUnitEach > kPart ? kUnitEach : kPart, kUnitDepth = kUnitGroups * kUnitRead;

FL_DEVICE int fl_unit_line() {
  return fl_lane() % kUnitLines;
}
// The group of lanes, each of which has other steps of depth.
FL_DEVICE int fl_unit_group() {
  return kUnitTwice ? 0 : fl_lane() % kUnitLanes / kUnitLines;
}
// The line of a that a lane's sum is of.
FL_DEVICE int fl_unit_column(int sum) {
  const int half = fl_lane() % kUnitLanes / kUnitLines;
  if (kUnitLanes == 64) return sum / 4 * 8 + half * 4 + sum % 4;
  return kUnitTwice ? sum * 2 + half : half * 8 + sum;
}

struct fl_fragment {
  fl_operand v[kUnitRead];
};
// Products of bytes have whole sums.
template <typename T>
struct fl_sum_of {
  using type = float;
};
template <>
struct fl_sum_of<signed char> {
  using type = int;
};
struct fl_sums {
  typename fl_sum_of<fl_operand>::type v[kUnitSums];
  FL_DEVICE void clear() {
#pragma unroll
    for (int e = 0; e < kUnitSums; ++e) v[e] = 0;
  }
  // Adds kUnitDepth steps of depth.
  FL_DEVICE void add(const fl_fragment& left, const fl_fragment& right) {
#pragma unroll
    for (int first = 0; first < kUnitRead; first += kUnitEach) {
      fl_vec<fl_operand, kUnitEach> a, b;
#pragma unroll
      for (int i = 0; i < kUnitEach; ++i) a.v[i] = right.v[first + i], b.v[i] = left.v[first + i];
      fl_multiply_unit(v, a, b);
    }
  }
};

FL_DEVICE void fl_assign(float& to, float value) {
  to = value;
}
FL_DEVICE void fl_assign(fl_f16& to, float value) {
  to = fl_from_f32_f16(value);
}
FL_DEVICE void fl_assign(fl_bf16& to, float value) {
  to = fl_from_f32_bf16(value);
}
FL_DEVICE void fl_assign(signed char& to, long long value) {
  to = static_cast<signed char>(value);
}
template <typename Number>
FL_DEVICE fl_operand fl_operand_of(Number value) {
  fl_operand operand;
  fl_assign(operand, value);
  return operand;
}

// Results as the functions of a generator take them: one alone is a plain number.
template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_results(const fl_vec<T, N>& results) {
  return results;
}
template <typename T>
FL_DEVICE T fl_results(const fl_vec<T, 1>& results) {
  return results.v[0];
}
