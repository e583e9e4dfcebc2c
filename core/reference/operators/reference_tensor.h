// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "core/extents/strides.h"
#include "core/graph/graph.h"

// Types shared by the parts of the float64 evaluator; private to core/reference.
namespace fuselab::reference {

// The unit of errors: f32's round-off, so that a float holds them for every dtype (see tolerance.cpp).
inline constexpr double kUnit = 0x1p-24;
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// Zeroed memory whose untouched pages cost nothing: a sample of a large intermediate only occupies the pages that it touches.
template <typename T>
class LazyBuffer {
 public:
  LazyBuffer() = default;
  explicit LazyBuffer(std::size_t count)
      : data_(static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)))), count_(count) {
    FL_ASSERT(data_ != nullptr);
  }
  T* data() { return data_.get(); }
  std::span<const T> view() const { return {data_.get(), count_}; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t count_ = 0;
};

// One value of the graph while it is evaluated. Graph inputs are viewed; computed values are owned.
struct Tensor {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> extents;
  std::span<const double> data;
  std::span<const float> error;  // bound of each element's error, in kUnit; empty: exact, or not requested
  LazyBuffer<double> owned_data;
  LazyBuffer<float> owned_error;

  std::int64_t count() const { return static_cast<std::int64_t>(data.size()); }
  std::int64_t rank() const { return static_cast<std::int64_t>(extents.size()); }
  double at(std::int64_t i) const { return data[static_cast<std::size_t>(i)]; }
  double error_at(std::int64_t i) const { return error.empty() ? 0.0 : static_cast<double>(error[static_cast<std::size_t>(i)]); }
};

// The elements of a value that are to be computed.
class Needed {
 public:
  static Needed everything() {
    Needed needed;
    needed.all_ = true;
    return needed;
  }
  static Needed only(std::vector<std::int64_t> positions) {
    if (!std::is_sorted(positions.begin(), positions.end())) std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    Needed needed;
    needed.positions_ = std::move(positions);
    return needed;
  }

  bool all() const { return all_; }
  bool none() const { return !all_ && positions_.empty(); }
  std::span<const std::int64_t> positions() const { return positions_; }
  std::int64_t count(std::int64_t of) const { return all_ ? of : static_cast<std::int64_t>(positions_.size()); }
  void merge(const Needed& other) {
    if (all_ || other.all_) {
      *this = everything();
      return;
    }
    std::vector<std::int64_t> both(positions_);
    both.insert(both.end(), other.positions_.begin(), other.positions_.end());
    *this = only(std::move(both));
  }
  template <typename Visit>
  void for_each(std::int64_t count, Visit&& visit) const {
    if (all_) {
      for (std::int64_t i = 0; i < count; ++i) visit(i);
    } else {
      for (const std::int64_t i : positions_) visit(i);
    }
  }

 private:
  bool all_ = false;
  std::vector<std::int64_t> positions_;  // ascending, unique
};

// The error that one operation on a dtype adds, in kUnit.
struct Rounding {
  double accumulate;  // relative, for arithmetic inside a kernel: f32's round-off (f64's for f64, 0 for integers)
  double store;       // relative, for storing a result in the dtype
  double underflow;   // absolute: results this small may be flushed to zero
  double largest;     // beyond it a kernel has infinity where the reference has a number
  double after(double value, double error) const {
    if (std::fabs(value) > largest && !std::isinf(value)) return kUnbounded;
    const double total = error + (accumulate + store) * std::fabs(value) + underflow;
    return total >= 0 ? total : kUnbounded;  // NaN: nothing can be said
  }
};
Rounding rounding_of(DType dtype);

// Error of a transcendental of at most 4 ulp, in round-offs of its result.
inline constexpr double kTranscendental = 8;
// Returns Higham & Mary's growth of the error of a sum of n terms in any order, relative to the sum of their magnitudes.
inline double sum_growth(std::int64_t n) {
  return 1 + std::sqrt(static_cast<double>(n));
}

// A view of a tensor as rows along some axes: row r's element i lies at base(r) + offset(i).
class Rows {
 public:
  Rows(std::span<const std::int64_t> extents, const std::vector<bool>& along);
  std::int64_t count() const { return count_; }
  std::int64_t length() const { return length_; }
  std::int64_t base(std::int64_t row) const;
  std::int64_t offset(std::int64_t i) const { return offsets_.empty() ? i : offsets_[static_cast<std::size_t>(i)]; }
  std::int64_t row_of(std::int64_t flat) const;

 private:
  struct Axis {
    std::int64_t extent;
    std::int64_t stride;
  };
  std::vector<Axis> kept_;
  std::vector<std::int64_t> offsets_;  // empty: contiguous
  std::int64_t count_ = 1;
  std::int64_t length_ = 1;
};

// Returns `axis`, given in [-rank, rank), as a non-negative number.
std::size_t axis_of(std::int64_t axis, std::size_t rank);

}  // namespace fuselab::reference
