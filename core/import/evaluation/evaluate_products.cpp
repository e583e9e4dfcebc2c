// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/import/evaluation/evaluators.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// c += a · b, row-major.
void add_product(const double* a, const double* b, double* c, std::int64_t rows, std::int64_t depth, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < depth; ++k) {
      const double factor = a[i * depth + k];
      const double* const row = b + k * columns;
      double* const out = c + i * columns;
      for (std::int64_t j = 0; j < columns; ++j) out[j] += factor * row[j];
    }
  }
}

}  // namespace

Result<Array> multiplied(Array a, Array b, std::int32_t type) {
  const bool row = a.rank() == 1, column = b.rank() == 1;
  if (a.rank() < 1 || b.rank() < 1) return invalid_argument("multiplies a single number");
  if (row) a.shape.insert(a.shape.begin(), 1);
  if (column) b.shape.push_back(1);
  const std::int64_t m = a.shape[a.shape.size() - 2], k = a.shape.back(), n = b.shape.back();
  if (b.shape[b.shape.size() - 2] != k) return invalid_argument("multiplies matrices that do not fit");
  FL_TRY(const Extents batch, broadcast({a.shape.begin(), a.shape.end() - 2}, {b.shape.begin(), b.shape.end() - 2}));
  Extents shape = batch;
  shape.insert(shape.end(), {m, n});
  FL_TRY(Array result, zeros(shape, type));
  const Extents in_a = strides_within({a.shape.begin(), a.shape.end() - 2}, batch),
                in_b = strides_within({b.shape.begin(), b.shape.end() - 2}, batch);
  std::int64_t place = 0;
  for_each_index(batch, [&](const Extents& index) {
    std::int64_t from_a = 0, from_b = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      from_a += index[i] * in_a[i];
      from_b += index[i] * in_b[i];
    }
    add_product(a.data.data() + from_a * m * k, b.data.data() + from_b * k * n, result.data.data() + place++ * m * n, m, k, n);
  });
  if (column) result.shape.pop_back();
  if (row) result.shape.erase(result.shape.end() - (column ? 1 : 2));
  return result;
}

namespace {

Evaluated evaluate_matmul(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  FL_TRY(Array result, multiplied(call.in(0), call.in(1), call.in(0).type));
  return std::vector{std::move(result)};
}

Array turned(const Array& matrix) {
  Array result{{matrix.shape[1], matrix.shape[0]}, matrix.data, matrix.type};
  for (std::int64_t i = 0; i < matrix.count(); ++i)
    result.data[static_cast<std::size_t>(i % matrix.shape[1] * matrix.shape[0] + i / matrix.shape[1])] =
        matrix.data[static_cast<std::size_t>(i)];
  return result;
}

Evaluated evaluate_gemm(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  if (call.in(0).rank() != 2 || call.in(1).rank() != 2) return invalid_argument("multiplies what are no matrices");
  FL_TRY(Array result, multiplied(call.integer("transA", 0) != 0 ? turned(call.in(0)) : call.in(0),
                                  call.integer("transB", 0) != 0 ? turned(call.in(1)) : call.in(1), call.in(0).type));
  const double alpha = call.real("alpha", 1), beta = call.real("beta", 1);
  for (double& number : result.data) number *= alpha;
  if (call.has(2)) {
    FL_TRY(const Array bias, expanded(call.in(2), result.shape));
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] += beta * bias.data[i];
  }
  return std::vector{std::move(result)};
}

// The letters of an equation's operands and result; an ellipsis becomes upper-case letters of its own.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

Result<Equation> equation_of(const Call& call) {
  std::string text = call.text("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  Equation equation;
  std::string left = text.substr(0, arrow);
  for (std::size_t at = 0; at <= left.size();) {
    const std::size_t comma = std::min(left.find(',', at), left.size());
    equation.operands.push_back(left.substr(at, comma - at));
    at = comma + 1;
  }
  if (left.find('.') != std::string::npos) return Error{ErrorCode::kUnsupported, "has an ellipsis"};
  if (equation.operands.size() != call.count()) return invalid_argument("has an equation of other operands");
  std::map<char, int> uses;
  for (const std::string& operand : equation.operands) {
    for (const char letter : operand) ++uses[letter];
  }
  if (arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
  } else {
    for (const auto& [letter, count] : uses) equation.result += count == 1 ? std::string(1, letter) : "";
  }
  return equation;
}

Evaluated evaluate_einsum(const Call& call) {
  FL_TRY_VOID(call.needs(std::max<std::size_t>(1, call.count())));
  FL_TRY(const Equation equation, equation_of(call));
  std::string letters = equation.result;
  std::map<char, std::int64_t> extents;
  for (std::size_t i = 0; i < call.count(); ++i) {
    const std::string& own = equation.operands[i];
    if (own.size() != call.in(i).shape.size()) return invalid_argument("has an equation of other ranks");
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      const auto [known, is_new] = extents.emplace(own[axis], call.in(i).shape[axis]);
      if (!is_new && known->second != call.in(i).shape[axis]) return invalid_argument("has a letter of two extents");
      if (letters.find(own[axis]) == std::string::npos) letters += own[axis];
    }
  }
  Extents shape, all;
  for (const char letter : letters) {
    if (!extents.contains(letter)) return invalid_argument("has a result of unknown letters");
    all.push_back(extents.at(letter));
    if (all.size() <= equation.result.size()) shape.push_back(all.back());
  }
  std::vector<Extents> strides;  // of each operand, by letter
  for (std::size_t i = 0; i < call.count(); ++i) {
    const Extents own = strides_of(call.in(i).shape);
    strides.emplace_back(letters.size(), 0);
    for (std::size_t axis = 0; axis < own.size(); ++axis) strides.back()[letters.find(equation.operands[i][axis])] += own[axis];
  }
  double steps = 1;
  for (const std::int64_t extent : all) steps *= static_cast<double>(extent);
  if (steps > 2e8) return Error{ErrorCode::kUnsupported, "takes more steps than an evaluation may"};
  FL_TRY(Array result, zeros(shape, call.in(0).type));
  Extents out = strides_of(shape);
  out.resize(letters.size(), 0);
  for_each_index(all, [&](const Extents& index) {
    double term = 1;
    std::int64_t target = 0;
    for (std::size_t i = 0; i < index.size(); ++i) target += index[i] * out[i];
    for (std::size_t operand = 0; operand < strides.size(); ++operand) {
      std::int64_t source = 0;
      for (std::size_t i = 0; i < index.size(); ++i) source += index[i] * strides[operand][i];
      term *= call.in(operand).data[static_cast<std::size_t>(source)];
    }
    result.data[static_cast<std::size_t>(target)] += term;
  });
  return std::vector{std::move(result)};
}

}  // namespace

void add_products(EvaluatorTable& table) {
  table["MatMul"] = evaluate_matmul;
  table["Gemm"] = evaluate_gemm;
  table["Einsum"] = evaluate_einsum;
}

double flops_of(const Call& call) {
  if (!call.has(0)) return 0;
  const Array& first = call.in(0);
  const auto size = static_cast<double>(first.count());
  const bool is_quantised = call.op().starts_with("QLinear");  // scale and zero point stand between the operands
  const std::size_t right = is_quantised ? 3 : 1;
  if (call.op().find("MatMul") != std::string::npos && call.has(right) && call.in(right).rank() > 0)
    return 2 * std::max(size * static_cast<double>(call.in(right).shape.back()),
                        static_cast<double>(call.in(right).count()) *
                            static_cast<double>(first.rank() > 1 ? first.shape[first.shape.size() - 2] : 1));
  if (call.op().ends_with("Gemm") && call.has(1) && call.in(1).rank() == 2)
    return 2 * size * static_cast<double>(call.in(1).shape[call.integer("transB", 0) != 0 ? 0 : 1]);
  if (call.op().find("Conv") != std::string::npos && call.has(right) && first.rank() > 1 && first.shape[1] > 0) {
    double stride = 1;
    for (const std::int64_t each : call.list("strides").value_or(Extents()))
      stride *= static_cast<double>(std::max<std::int64_t>(1, each));
    return 2 * size / static_cast<double>(first.shape[1]) * static_cast<double>(call.in(right).count()) /
           (call.op() == "ConvTranspose" ? 1 : stride);
  }
  if (call.op() == "MaxPool" || call.op() == "AveragePool") {
    const Extents kernel = call.list("kernel_shape").value_or(Extents());
    double window = 1;
    for (const std::int64_t each : kernel) window *= static_cast<double>(std::max<std::int64_t>(1, each));
    return 10 * size * window;
  }
  if (call.op() == "Einsum") return 2e8;  // the most that one may take
  if ((call.op() == "LSTM" || call.op() == "GRU" || call.op() == "RNN") && call.has(2) && first.rank() == 3)
    return 2 * static_cast<double>(first.shape[0] * first.shape[1]) * static_cast<double>(call.in(1).count() + call.in(2).count());
  return size;
}

}  // namespace fuselab::onnx
