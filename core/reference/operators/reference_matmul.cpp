// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_matmul.h"

namespace fuselab::reference {
namespace {

// C += A·B for row-major blocks. Four steps of k at a time over a stripe of columns that stays in the first cache.
template <typename T>
void multiply(const T* a, const T* b, T* c, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  constexpr std::int64_t kColumnBlock = 512;
  constexpr std::int64_t kDepthBlock = 64;
  for (std::int64_t j0 = 0; j0 < columns; j0 += kColumnBlock) {
    const std::int64_t width = std::min(kColumnBlock, columns - j0);
    for (std::int64_t k0 = 0; k0 < depth; k0 += kDepthBlock) {
      const std::int64_t k_end = std::min(k0 + kDepthBlock, depth);
      for (std::int64_t i = 0; i < rows; ++i) {
        T* const out = c + i * columns + j0;
        std::int64_t k = k0;
        for (; k + 4 <= k_end; k += 4) {
          const T* const left = a + i * depth + k;
          const T* const right = b + k * columns + j0;
          for (std::int64_t j = 0; j < width; ++j) {
            out[j] += left[0] * right[j] + left[1] * right[columns + j] +
                      (left[2] * right[2 * columns + j] + left[3] * right[3 * columns + j]);
          }
        }
        for (; k < k_end; ++k) {
          const T left = a[i * depth + k];
          const T* const right = b + k * columns + j0;
          for (std::int64_t j = 0; j < width; ++j) out[j] += left * right[j];
        }
      }
    }
  }
}

template <typename T>
std::vector<T> packed(std::span<const T> from, std::int64_t base, std::int64_t outer, std::int64_t outer_stride, std::int64_t inner,
                      std::int64_t inner_stride) {
  std::vector<T> to(static_cast<std::size_t>(outer * inner));
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t j = 0; j < inner; ++j) {
      to[static_cast<std::size_t>(i * inner + j)] = from[static_cast<std::size_t>(base + i * outer_stride + j * inner_stride)];
    }
  }
  return to;
}

template <typename T>
void product_dense(const MatrixProduct& p, std::span<const T> a, std::span<const T> b, T* c) {
  for (std::size_t batch = 0; batch < p.a_base.size(); ++batch) {
    const auto left = packed(a, p.a_base[batch], p.rows, p.a_row, p.depth, p.a_depth);
    const auto right = packed(b, p.b_base[batch], p.depth, p.b_depth, p.columns, p.b_column);
    multiply(left.data(), right.data(), c + static_cast<std::int64_t>(batch) * p.per_batch(), p.rows, p.columns, p.depth);
  }
}

// Calls visit(row, first, last) for the positions of each row: they are ascending, so those of one row come together.
template <typename Visit>
void for_each_row(const MatrixProduct& p, std::span<const std::int64_t> positions, Visit&& visit) {
  for (std::size_t first = 0; first < positions.size();) {
    const std::int64_t row = positions[first] / p.columns;
    const std::int64_t end = (row + 1) * p.columns;
    std::size_t last = first;
    while (last < positions.size() && positions[last] < end) ++last;
    visit(row, first, last);
    first = last;
  }
}

// Rows of which a quarter is needed are computed whole: a block of rows reads the other operand once.
bool is_wanted_whole(const MatrixProduct& p, std::size_t wanted) {
  return static_cast<std::int64_t>(wanted) * 4 >= p.columns;
}

constexpr std::int64_t kTurnedColumns = 512;  // a large operand is not copied as a whole

template <typename T>
void whole_rows(const MatrixProduct& p, std::span<const T> a, std::span<const T> b, std::span<const std::int64_t> rows, T* c) {
  const auto batch = static_cast<std::size_t>(rows.front() / p.rows);
  std::vector<T> left;
  for (const std::int64_t row : rows) {
    const auto one = packed(a, p.a_base[batch] + row % p.rows * p.a_row, 1, 0, p.depth, p.a_depth);
    left.insert(left.end(), one.begin(), one.end());
  }
  const bool dense = p.b_column == 1 && p.b_depth == p.columns;
  const std::int64_t step = dense ? p.columns : kTurnedColumns;
  for (std::int64_t from = 0; from < p.columns; from += step) {
    const std::int64_t width = std::min(step, p.columns - from);
    const std::int64_t base = p.b_base[batch] + from * p.b_column;
    const std::vector<T> turned = dense ? std::vector<T>() : packed(b, base, p.depth, p.b_depth, width, p.b_column);
    std::vector<T> result(rows.size() * static_cast<std::size_t>(width));
    multiply(left.data(), dense ? b.data() + base : turned.data(), result.data(), static_cast<std::int64_t>(rows.size()), width,
             p.depth);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(result.begin() + static_cast<std::ptrdiff_t>(i) * width, width, c + rows[i] * p.columns + from);
    }
  }
}

// Some elements of a row, along the other operand's rows where those are contiguous.
template <typename T>
void few_of_row(const MatrixProduct& p, const T* a, const T* b, std::span<const std::int64_t> positions, T* c) {
  if (p.b_depth == 1) {
    for (const std::int64_t at : positions) {
      T sum = 0;
      for (std::int64_t k = 0; k < p.depth; ++k) sum += a[k * p.a_depth] * b[k + at % p.columns * p.b_column];
      c[at] = sum;
    }
    return;
  }
  std::vector<T> sums(positions.size());
  std::vector<std::int64_t> offsets(positions.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = positions[i] % p.columns * p.b_column;
  for (std::int64_t k = 0; k < p.depth; ++k) {
    const T left = a[k * p.a_depth];
    const T* const right = b + k * p.b_depth;
    for (std::size_t i = 0; i < offsets.size(); ++i) sums[i] += left * right[offsets[i]];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) c[positions[i]] = sums[i];
}

template <typename T>
void product_at(const MatrixProduct& p, std::span<const T> a, std::span<const T> b, std::span<const std::int64_t> positions, T* c) {
  constexpr std::size_t kMostRows = 256;  // bounds what is packed at once
  std::vector<std::int64_t> whole;
  const auto flush = [&] {
    if (!whole.empty()) whole_rows(p, a, b, std::span<const std::int64_t>(whole), c);
    whole.clear();
  };
  for_each_row(p, positions, [&](std::int64_t row, std::size_t first, std::size_t last) {
    const auto batch = static_cast<std::size_t>(row / p.rows);
    if (!whole.empty() && (whole.size() == kMostRows || whole.front() / p.rows != row / p.rows)) flush();
    if (is_wanted_whole(p, last - first)) {
      whole.push_back(row);
      return;
    }
    few_of_row(p, a.data() + p.a_base[batch] + row % p.rows * p.a_row, b.data() + p.b_base[batch],
               positions.subspan(first, last - first), c);
  });
  flush();
}

template <typename T>
void product(const NodeCall& call, const MatrixProduct& p, std::span<const T> a, std::span<const T> b, T* c) {
  if (call.needed.all()) {
    product_dense(p, a, b, c);
  } else {
    product_at(p, a, b, call.needed.positions(), c);
  }
}

// Gemm's α, β and C, and the rounding of the result.
void finish(const NodeCall& call, double kappa) {
  const Rounding rounding = rounding_of(call.output.dtype);
  const bool is_gemm = call.node.op == Op::kGemm;
  const double alpha = is_gemm ? call.node.attributes.real("alpha", 1) : 1;
  const double beta = is_gemm ? call.node.attributes.real("beta", 1) : 1;
  const bool adds = is_gemm && call.has_input(2);
  const std::vector<std::int64_t> scalar;
  const BroadcastIndex addend_at(call.output.extents, adds ? std::span<const std::int64_t>(call.input(2).extents) : scalar);
  double* const values = call.output.owned_data.data();
  float* const errors = call.with_error ? call.output.owned_error.data() : nullptr;
  call.needed.for_each(call.output.count(), [&](std::int64_t i) {
    Bounded result{alpha * values[i], errors != nullptr ? std::fabs(alpha) * kappa * static_cast<double>(errors[i]) : 0};
    if (adds) {
      const Bounded addend = call.operand(2, addend_at(i));
      result.v += beta * addend.v;
      result.e += std::fabs(beta) * addend.e + rounding.accumulate * std::fabs(beta * addend.v);
    }
    call.put(rounding, i, result);
  });
}

}  // namespace

std::int64_t evaluated_products(const MatrixProduct& p, std::span<const std::int64_t> positions) {
  std::int64_t count = 0;
  for_each_row(p, positions, [&](std::int64_t, std::size_t first, std::size_t last) {
    count += is_wanted_whole(p, last - first) ? p.columns : static_cast<std::int64_t>(last - first);
  });
  return count;
}

std::vector<float> magnitudes_of(const Tensor& tensor, double kappa) {
  std::vector<float> magnitudes(tensor.data.size());
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    const double error = tensor.error.empty() ? 0 : static_cast<double>(tensor.error[i]) / kappa;
    magnitudes[i] = static_cast<float>(std::fabs(tensor.data[i]) + error);
  }
  return magnitudes;
}

namespace {

// Returns e/κ, of an operand whose errors are known.
std::vector<float> errors_of(const Tensor& tensor, double kappa) {
  std::vector<float> errors(tensor.error.begin(), tensor.error.end());
  for (float& each : errors) each = static_cast<float>(static_cast<double>(each) / kappa);
  return errors;
}

// Bounds the error in units of κ. Of two operands with errors it is Σ |a|·(|b| + e_b/κ) + e_a/κ·(|b| + u·e_b): one product of both
// magnitudes would count e_a·e_b/κ, not u·e_a·e_b, which explodes from one product of products to the next.
void bound_product(const NodeCall& call, const MatrixProduct& p, double kappa) {
  const Tensor &a = call.input(0), &b = call.input(1);
  float* const bounds = call.output.owned_error.data();
  if (a.error.empty() || b.error.empty()) return product<float>(call, p, magnitudes_of(a, kappa), magnitudes_of(b, kappa), bounds);
  std::vector<float> plain(a.data.size());
  std::ranges::transform(a.data, plain.begin(), [](double each) { return static_cast<float>(std::fabs(each)); });
  product<float>(call, p, plain, magnitudes_of(b, kappa), bounds);
  std::vector<float> of_errors(static_cast<std::size_t>(call.output.count()));
  product<float>(call, p, errors_of(a, kappa), magnitudes_of(b, 1 / kUnit), of_errors.data());
  call.needed.for_each(call.output.count(), [&](std::int64_t i) { bounds[i] += of_errors[static_cast<std::size_t>(i)]; });
}

void multiply_matrices(const NodeCall& call) {
  const MatrixProduct p = matrix_product_of(call.node, call.input(0).extents, call.input(1).extents);
  product<double>(call, p, call.input(0).data, call.input(1).data, call.output.owned_data.data());
  const double kappa = (1 + sum_growth(p.depth)) * rounding_of(call.output.dtype).accumulate;
  if (call.with_error && kappa > 0) bound_product(call, p, kappa);
  finish(call, kappa);
}

std::vector<Needed> product_demand(const Ask& ask) {
  const MatrixProduct p = matrix_product_of(ask.node, ask.extents(0), ask.extents(1));
  Positions rows, columns;  // of all batches, numbered through
  for (const std::int64_t at : ask.positions) {
    rows.push_back(at / p.columns);
    columns.push_back(at / p.per_batch() * p.columns + at % p.columns);
  }
  Positions a, b;
  const Needed unique_rows = Needed::only(ask.computed[0] ? std::move(rows) : Positions());
  for (const std::int64_t row : unique_rows.positions()) {
    add_range(a, p.a_base[static_cast<std::size_t>(row / p.rows)] + row % p.rows * p.a_row, p.depth, p.a_depth);
  }
  const Needed unique_columns = Needed::only(ask.computed[1] ? std::move(columns) : Positions());
  for (const std::int64_t column : unique_columns.positions()) {
    add_range(b, p.b_base[static_cast<std::size_t>(column / p.columns)] + column % p.columns * p.b_column, p.depth, p.b_depth);
  }
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  demands[0] = Needed::only(std::move(a));
  demands[1] = Needed::only(std::move(b));
  return demands;
}

std::int64_t depth(const Graph& graph, const Node& node) {
  return matrix_product_of(node, extents_of(graph.type(node.inputs[0]).shape), extents_of(graph.type(node.inputs[1]).shape)).depth;
}

}  // namespace

constexpr Family<Op::kMatMul, Op::kConv> kProducts({
    {Op::kMatMul, always<multiply_matrices>, product_demand, depth},
    {Op::kGemm, always<multiply_matrices>, product_demand, depth},
});

}  // namespace fuselab::reference
