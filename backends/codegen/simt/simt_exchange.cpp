// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_exchange.h"

#include <algorithm>

namespace fuselab::codegen {

ExprPtr RowExchange::combine(const RowNode& reduction, const ExprPtr& a, const ExprPtr& b) {
  return reduction.op == RowOp::kSum ? a + b : call("max", a->type, {a, b});
}

// Returns how many of a row's threads fold the parts of the others first where all pass through memory: about the square root of
// them, so that both steps are short. With 1, every thread folds all at once.
std::int64_t RowExchange::folders() const {
  std::int64_t count = 1;
  while (threads_.threads > 8 && 4 * count * count <= threads_.threads) count *= 2;
  return count;
}

void RowExchange::arrays_of(int reduction, const std::function<void(const std::string&, std::int64_t)>& declare) {
  if (!meets()) return;
  const bool warps = exchange_ == Exchange::kShuffles;
  declare(values_.companion(reduction, "parts"), warps ? threads_.block / threads_.warp : threads_.block);
  if (!warps && folders() > 1) declare(values_.companion(reduction, "sums"), threads_.rows * folders());
}

void RowExchange::fold(Body& body, std::span<const int> reductions) {
  if (reductions.empty()) return;
  if (exchange_ == Exchange::kShuffles) {
    for (int reduction : reductions) butterfly(body, reduction, std::min(threads_.threads, threads_.warp));
  }
  if (!meets()) return;
  if (exchange_ == Exchange::kShuffles) {
    fold_by_warps(body, reductions);
  } else {
    fold_in_memory(body, reductions);
  }
}

// Halves the distance until every one of `width` neighbouring lanes has the whole.
void RowExchange::butterfly(Body& body, int reduction, std::int64_t width) {
  const ExprPtr value = reduced(reduction);
  for (std::int64_t distance = width / 2; distance > 0; distance /= 2) {
    const ExprPtr other = call("shuffle_xor", value->type, {value, integer(distance), integer(width)});
    BodyBuilder(body).assign(value, combine(node(reduction), value, other));
  }
}

void RowExchange::fold_by_warps(Body& body, std::span<const int> reductions) {
  BodyBuilder builder(body);
  const auto parts = [&](int reduction, ExprPtr index) {
    return element(values_.companion(reduction, "parts"), {std::move(index)}, values_.type(1));
  };
  Body& first_lane = builder.when(binary("==", simt_index("lane"), integer(0)));
  for (int reduction : reductions) BodyBuilder(first_lane).assign(parts(reduction, simt_index("warp")), reduced(reduction));
  builder.barrier();
  const std::int64_t warps = threads_.threads / threads_.warp;
  ExprPtr place = simt_index("lane") % integer(warps);
  if (warps == threads_.warp) place = simt_index("lane");
  if (threads_.rows > 1) place = variable("block_row", kIndex) * integer(warps) + place;
  for (int reduction : reductions) {
    builder.assign(reduced(reduction), parts(reduction, place));
    butterfly(body, reduction, warps);
  }
}

// The row's result becomes the fold of `count` elements of an array from `first` on, `step` apart.
void RowExchange::fold_array(Body& body, int reduction, const char* array, const ExprPtr& first, std::int64_t count,
                             std::int64_t step) {
  BodyBuilder builder(body);
  const ExprPtr value = reduced(reduction);
  const auto part = [&](const ExprPtr& index) { return element(values_.companion(reduction, array), {index}, values_.type(1)); };
  builder.assign(value, part(first));
  Body& rest = builder.loop(LoopKind::kSerial, "part", integer(1), integer(count), integer(1));
  const ExprPtr at = first + variable("part", kIndex) * integer(step);
  BodyBuilder(rest).assign(value, combine(node(reduction), value, part(at)));
}

// Every thread sees the parts folded in one order, so all of a row's threads have the very same result.
void RowExchange::fold_in_memory(Body& body, std::span<const int> reductions) {
  BodyBuilder builder(body);
  const std::int64_t few = folders();
  const ExprPtr row = threads_.rows > 1 ? variable("block_row", kIndex) : integer(0);
  const ExprPtr lane = threads_.lane();
  for (int reduction : reductions) {
    builder.assign(element(values_.companion(reduction, "parts"), {simt_index("thread")}, values_.type(1)), reduced(reduction));
  }
  builder.barrier();
  if (few == 1) {
    for (int reduction : reductions) fold_array(body, reduction, "parts", row * integer(threads_.threads), threads_.threads, 1);
    return;
  }
  Body& first = builder.when(binary("<", lane, integer(few)));
  for (int reduction : reductions) {
    fold_array(first, reduction, "parts", row * integer(threads_.threads) + lane, threads_.threads / few, few);
    const ExprPtr place = row * integer(few) + lane;
    BodyBuilder(first).assign(element(values_.companion(reduction, "sums"), {place}, values_.type(1)), reduced(reduction));
  }
  builder.barrier();
  for (int reduction : reductions) fold_array(body, reduction, "sums", row * integer(few), few, 1);
}

}  // namespace fuselab::codegen
