// SPDX-License-Identifier: Apache-2.0
// One decoder layer in the manner of Llama (Touvron et al. 2023; sizes of TinyLlama, all heads with keys of their own) as
// exporters write it: RMS norm from Pow to Mul, rotary embedding by halves, SiLU as x·Sigmoid(x), mask as an input.
#include <cmath>

#include "core/import/models/builtin_graphs.h"

namespace fuselab::onnx {
namespace {

constexpr int kOpset = 17;
constexpr std::int64_t kHidden = 2048;
constexpr std::int64_t kHeads = 32;
constexpr std::int64_t kDepth = kHidden / kHeads;
constexpr std::int64_t kInner = 5632;
constexpr std::int64_t kCached = 127;

class LlamaLayer {
 public:
  explicit LlamaLayer(bool decode)
      : seq_(decode ? Dim(1) : Dim::symbol("seq")),
        all_(decode ? Dim(kCached + 1) : seq_),
        decode_(decode),
        writer_(decode ? "llama-decode" : "llama-layer", "One Llama-style decoder layer with random weights, written by Fuselab",
                kOpset) {}
  OnnxWriter build();

 private:
  Shape tokens(std::int64_t width) const { return {1, seq_, width}; }
  Shape by_head(const Dim& length) const { return {1, kHeads, length, kDepth}; }
  std::string linear(const std::string& x, std::int64_t from, std::int64_t to);
  std::string rms_norm(const std::string& x);
  std::string heads(const std::string& x);
  std::string rotary(const std::string& x, const std::string& cosine, const std::string& sine);
  std::string with_cache(const std::string& x, const std::string& cache, const std::string& result);
  std::string attention(const std::string& x);
  std::string feed_forward(const std::string& x);
  void enter(const std::string& scope) {
    scope_ = scope;
    writer_.enter("/" + scope);
  }

  Dim seq_;  // tokens that are computed
  Dim all_;  // tokens that are looked at
  bool decode_;
  std::string scope_;
  OnnxWriter writer_;
};

std::string LlamaLayer::linear(const std::string& x, std::int64_t from, std::int64_t to) {
  const auto weight = writer_.weight(scope_ + ".weight", {from, to}, 0.0, 1.0 / std::sqrt(static_cast<double>(from)));
  return writer_.node("MatMul", "MatMul", {x, weight}, tokens(to));
}

std::string LlamaLayer::rms_norm(const std::string& x) {
  const auto gamma = writer_.weight(scope_ + ".weight", {kHidden}, 1.0, 0.1);
  const auto squares = writer_.node("Pow", "Pow", {x, writer_.scalar("two", 2.0f)}, tokens(kHidden));
  const auto mean = writer_.node("ReduceMean", "ReduceMean", {squares}, tokens(1));
  writer_.with("axes", std::vector<std::int64_t>{-1}).with("keepdims", 1);
  const auto shifted = writer_.node("Add", "Add", {mean, writer_.scalar("epsilon", 1e-5f)}, tokens(1));
  const auto root = writer_.node("Sqrt", "Sqrt", {shifted}, tokens(1));
  const auto inverse = writer_.node("Div", "Div", {writer_.scalar("one", 1.0f), root}, tokens(1));
  const auto normal = writer_.node("Mul", "Mul", {x, inverse}, tokens(kHidden));
  return writer_.node("Mul", "Mul_1", {gamma, normal}, tokens(kHidden));
}

std::string LlamaLayer::heads(const std::string& x) {
  const auto split =
      writer_.node("Reshape", "Reshape", {x, writer_.integers("shape", {0, 0, kHeads, kDepth})}, {1, seq_, kHeads, kDepth});
  const auto moved = writer_.node("Transpose", "Transpose", {split}, by_head(seq_));
  writer_.with("perm", std::vector<std::int64_t>{0, 2, 1, 3});
  return moved;
}

std::string LlamaLayer::rotary(const std::string& x, const std::string& cosine, const std::string& sine) {
  constexpr std::int64_t kHalf = kDepth / 2;
  const Shape half{1, kHeads, seq_, kHalf};
  const auto zero = writer_.integers("zero", {0});
  const auto middle = writer_.integers("middle", {kHalf});
  const auto end = writer_.integers("end", {kDepth});
  const auto axis = writer_.integers("axis", {3});
  const auto direct = writer_.node("Mul", "Mul", {x, cosine}, by_head(seq_));
  const auto first = writer_.node("Slice", "Slice", {x, zero, middle, axis}, half);
  const auto second = writer_.node("Slice", "Slice_1", {x, middle, end, axis}, half);
  const auto negated = writer_.node("Neg", "Neg", {second}, half);
  const auto rotated = writer_.node("Concat", "Concat", {negated, first}, by_head(seq_));
  writer_.with("axis", -1);
  const auto turned = writer_.node("Mul", "Mul_1", {rotated, sine}, by_head(seq_));
  return writer_.node("Add", "Add", {direct, turned}, by_head(seq_));
}

// Keys or values of the earlier tokens before the new one's.
std::string LlamaLayer::with_cache(const std::string& x, const std::string& cache, const std::string& result) {
  if (!decode_) return x;
  const auto past = writer_.input(cache, by_head(Dim(kCached)));
  const auto joined = writer_.node("Concat", result, {past, x}, by_head(all_));
  writer_.with("axis", 2);
  writer_.output(joined, by_head(all_));
  return joined;
}

std::string LlamaLayer::attention(const std::string& x) {
  const auto cosine = writer_.input("cos", {1, 1, seq_, kDepth});
  const auto sine = writer_.input("sin", {1, 1, seq_, kDepth});
  const auto mask = writer_.input("attention_mask", {1, 1, seq_, all_});
  enter("self_attn/q_proj");
  auto q = heads(linear(x, kHidden, kHidden));
  enter("self_attn/k_proj");
  auto k = heads(linear(x, kHidden, kHidden));
  enter("self_attn/v_proj");
  auto v = heads(linear(x, kHidden, kHidden));
  enter("self_attn/q_rotary");
  q = rotary(q, cosine, sine);
  enter("self_attn/k_rotary");
  k = rotary(k, cosine, sine);
  enter("self_attn");
  k = with_cache(k, "past_key", "present_key");
  v = with_cache(v, "past_value", "present_value");
  const Shape square{1, kHeads, seq_, all_};
  const auto turned = writer_.node("Transpose", "Transpose", {k}, {1, kHeads, kDepth, all_});
  writer_.with("perm", std::vector<std::int64_t>{0, 1, 3, 2});
  const auto scores = writer_.node("MatMul", "MatMul", {q, turned}, square);
  const auto root = writer_.scalar("scale", std::sqrt(static_cast<float>(kDepth)));
  const auto scaled = writer_.node("Div", "Div", {scores, root}, square);
  const auto masked = writer_.node("Add", "Add", {scaled, mask}, square);
  const auto weights = writer_.node("Softmax", "Softmax", {masked}, square);
  writer_.with("axis", -1);
  const auto context = writer_.node("MatMul", "MatMul_1", {weights, v}, by_head(seq_));
  const auto moved = writer_.node("Transpose", "Transpose_1", {context}, {1, seq_, kHeads, kDepth});
  writer_.with("perm", std::vector<std::int64_t>{0, 2, 1, 3});
  const auto joined = writer_.node("Reshape", "Reshape", {moved, writer_.integers("shape", {0, 0, kHidden})}, tokens(kHidden));
  enter("self_attn/o_proj");
  return linear(joined, kHidden, kHidden);
}

std::string LlamaLayer::feed_forward(const std::string& x) {
  enter("mlp/gate_proj");
  const auto gate = linear(x, kHidden, kInner);
  enter("mlp/up_proj");
  const auto up = linear(x, kHidden, kInner);
  enter("mlp");
  const auto sigmoid = writer_.node("Sigmoid", "act_fn/Sigmoid", {gate}, tokens(kInner));
  const auto silu = writer_.node("Mul", "act_fn/Mul", {gate, sigmoid}, tokens(kInner));
  const auto gated = writer_.node("Mul", "Mul", {silu, up}, tokens(kInner));
  enter("mlp/down_proj");
  return linear(gated, kInner, kHidden);
}

OnnxWriter LlamaLayer::build() {
  const auto x = writer_.input("hidden_states", tokens(kHidden));
  enter("input_layernorm");
  const auto normal = rms_norm(x);
  const auto attended = attention(normal);
  enter("residual");
  const auto sum = writer_.node("Add", "Add", {x, attended}, tokens(kHidden));
  enter("post_attention_layernorm");
  const auto inner = feed_forward(rms_norm(sum));
  enter("residual");
  const auto y = writer_.node("Add", "Add_1", {sum, inner}, tokens(kHidden));
  writer_.output(y, tokens(kHidden));
  return std::move(writer_);
}

}  // namespace

OnnxWriter llama_layer() {
  return LlamaLayer(false).build();
}

OnnxWriter llama_decode() {
  return LlamaLayer(true).build();
}

}  // namespace fuselab::onnx
