// SPDX-License-Identifier: Apache-2.0
// One encoder layer of BERT-base (Devlin et al. 2018) as PyTorch's exporter writes it: attention operator by operator,
// GELU through Erf, LayerNormalization as an operator.
#include <cmath>

#include "core/import/models/builtin_graphs.h"

namespace fuselab::onnx {
namespace {

constexpr int kOpset = 17;
constexpr std::int64_t kHidden = 768;
constexpr std::int64_t kHeads = 12;
constexpr std::int64_t kDepth = kHidden / kHeads;
constexpr std::int64_t kInner = 3072;

class BertLayer {
 public:
  OnnxWriter build();

 private:
  Shape tokens(std::int64_t width) const { return {batch_, seq_, width}; }
  std::string dense(const std::string& x, std::int64_t from, std::int64_t to);
  std::string heads(const std::string& x, const std::vector<std::int64_t>& perm, const Shape& shape);
  std::string attention(const std::string& x, const std::string& mask);
  std::string gelu(const std::string& x);
  std::string add_and_norm(const std::string& x, const std::string& residual);

  Dim batch_ = Dim::symbol("batch");
  Dim seq_ = Dim::symbol("seq");
  std::string scope_;
  OnnxWriter writer_{"bert-layer", "One BERT-base encoder layer with random weights, written by Fuselab", kOpset};

  void enter(const std::string& scope) {
    scope_ = scope;
    writer_.enter("/" + scope);
  }
};

std::string BertLayer::dense(const std::string& x, std::int64_t from, std::int64_t to) {
  const auto weight = writer_.weight(scope_ + ".weight", {from, to}, 0.0, 1.0 / std::sqrt(static_cast<double>(from)));
  const auto bias = writer_.weight(scope_ + ".bias", {to}, 0.0, 0.02);
  const auto product = writer_.node("MatMul", "MatMul", {x, weight}, tokens(to));
  return writer_.node("Add", "Add", {bias, product}, tokens(to));
}

std::string BertLayer::heads(const std::string& x, const std::vector<std::int64_t>& perm, const Shape& shape) {
  const auto split =
      writer_.node("Reshape", "Reshape", {x, writer_.integers("shape", {0, 0, kHeads, kDepth})}, {batch_, seq_, kHeads, kDepth});
  const auto moved = writer_.node("Transpose", "Transpose", {split}, shape);
  writer_.with("perm", perm);
  return moved;
}

std::string BertLayer::attention(const std::string& x, const std::string& mask) {
  const Shape by_head{batch_, kHeads, seq_, kDepth};
  enter("attention/query");
  const auto q = heads(dense(x, kHidden, kHidden), {0, 2, 1, 3}, by_head);
  enter("attention/key");
  const auto k = heads(dense(x, kHidden, kHidden), {0, 2, 3, 1}, {batch_, kHeads, kDepth, seq_});
  enter("attention/value");
  const auto v = heads(dense(x, kHidden, kHidden), {0, 2, 1, 3}, by_head);
  enter("attention/self");
  const Shape square{batch_, kHeads, seq_, seq_};
  const auto scores = writer_.node("MatMul", "MatMul", {q, k}, square);
  const auto root = writer_.scalar("scale", std::sqrt(static_cast<float>(kDepth)));
  const auto scaled = writer_.node("Div", "Div", {scores, root}, square);
  const auto masked = writer_.node("Add", "Add", {scaled, mask}, square);
  const auto weights = writer_.node("Softmax", "Softmax", {masked}, square);
  writer_.with("axis", -1);
  const auto context = writer_.node("MatMul", "MatMul_1", {weights, v}, by_head);
  const auto moved = writer_.node("Transpose", "Transpose", {context}, {batch_, seq_, kHeads, kDepth});
  writer_.with("perm", std::vector<std::int64_t>{0, 2, 1, 3});
  return writer_.node("Reshape", "Reshape", {moved, writer_.integers("shape", {0, 0, kHidden})}, tokens(kHidden));
}

std::string BertLayer::gelu(const std::string& x) {
  const auto half_root = writer_.scalar("root", std::sqrt(2.0f));
  const auto one = writer_.scalar("one", 1.0f);
  const auto half = writer_.scalar("half", 0.5f);
  const auto scaled = writer_.node("Div", "act/Div", {x, half_root}, tokens(kInner));
  const auto error = writer_.node("Erf", "act/Erf", {scaled}, tokens(kInner));
  const auto shifted = writer_.node("Add", "act/Add", {error, one}, tokens(kInner));
  const auto product = writer_.node("Mul", "act/Mul", {x, shifted}, tokens(kInner));
  return writer_.node("Mul", "act/Mul_1", {product, half}, tokens(kInner));
}

std::string BertLayer::add_and_norm(const std::string& x, const std::string& residual) {
  const auto sum = writer_.node("Add", "residual/Add", {x, residual}, tokens(kHidden));
  const auto gamma = writer_.weight(scope_ + ".LayerNorm.weight", {kHidden}, 1.0, 0.1);
  const auto beta = writer_.weight(scope_ + ".LayerNorm.bias", {kHidden}, 0.0, 0.1);
  const auto normal = writer_.node("LayerNormalization", "LayerNorm/LayerNormalization", {sum, gamma, beta}, tokens(kHidden));
  writer_.with("axis", -1).with_real("epsilon", 1e-12f);
  return normal;
}

OnnxWriter BertLayer::build() {
  const auto x = writer_.input("hidden_states", tokens(kHidden));
  const auto mask = writer_.input("attention_mask", {batch_, 1, 1, seq_});
  const auto context = attention(x, mask);
  enter("attention/output");
  const auto attended = add_and_norm(dense(context, kHidden, kHidden), x);
  enter("intermediate");
  const auto inner = gelu(dense(attended, kHidden, kInner));
  enter("output");
  const auto y = add_and_norm(dense(inner, kInner, kHidden), attended);
  writer_.output(y, tokens(kHidden));
  return std::move(writer_);
}

}  // namespace

OnnxWriter bert_layer() {
  return BertLayer().build();
}

}  // namespace fuselab::onnx
