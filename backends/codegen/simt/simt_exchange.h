// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/rows/row_program.h"
#include "backends/codegen/rows/row_values.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {

// The division of a block's threads among rows: `threads` (a power of two) for each of `rows`.
struct RowThreads {
  std::int64_t block = 1;
  std::int64_t rows = 1;
  std::int64_t threads = 1;
  std::int64_t warp = kWarp;  // threads that exchange by shuffles
  // Returns this thread's index within its row; `thread` and `block_row` are declared by the kernel.
  ExprPtr lane() const { return threads == 1 ? integer(0) : variable("thread", kIndex); }
};

// Writes the fold of the values of a row's threads into one result that all of them know.
class RowExchange {
 public:
  // All references must outlive this.
  RowExchange(const RowProgram& program, RowValues& values, Exchange exchange, RowThreads threads)
      : program_(program), values_(values), exchange_(exchange), threads_(threads) {}

  // Returns true when the threads meet in shared memory, at barriers.
  bool meets() const { return threads_.threads > (exchange_ == Exchange::kShuffles ? threads_.warp : 1); }
  // Declares the shared arrays that a reduction needs, by name and number of elements.
  void arrays_of(int reduction, const std::function<void(const std::string&, std::int64_t)>& declare);
  // Folds each reduction's variable, RowValues::name(): it holds the thread's part before and the row's result afterwards.
  void fold(Body& body, std::span<const int> reductions);

  static ExprPtr combine(const RowNode& reduction, const ExprPtr& a, const ExprPtr& b);

 private:
  const RowNode& node(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }
  ExprPtr reduced(int reduction) const { return variable(values_.name(reduction), values_.type(1)); }
  std::int64_t folders() const;
  void butterfly(Body& body, int reduction, std::int64_t width);
  void fold_by_warps(Body& body, std::span<const int> reductions);
  void fold_in_memory(Body& body, std::span<const int> reductions);
  void fold_array(Body& body, int reduction, const char* array, const ExprPtr& first, std::int64_t count, std::int64_t step);

  const RowProgram& program_;
  RowValues& values_;
  Exchange exchange_;
  RowThreads threads_;
};

}  // namespace fuselab::codegen
