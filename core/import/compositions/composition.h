// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/import/reader/node_import.h"

namespace fuselab::onnx {

// An ONNX operator written as several of ours. Steps are typed as they are written and join the graph together, once all of them
// fit, so that a composition that fails leaves nothing behind. After the first step that does not fit the others are ignored, so
// types must be asked of the node and not of the steps.
class Composition {
 public:
  // A tensor that is to be added to the graph.
  enum class Term : std::size_t {};

  // `result` is the first output's type, where ONNX determines it. Steps that give another type do not fit.
  explicit Composition(NodeImport& node, std::optional<TensorType> result = std::nullopt)
      : node_(node), result_(std::move(result)) {}

  Term operand(std::size_t i);
  // Returns a number of this type, to be broadcast.
  Term number(double value, DType dtype);
  Term apply(Op op, const std::vector<Term>& inputs, Attributes attributes = {});
  // `shape` may have symbols where the input has the same ones, and one symbol elsewhere. Adds no step where the shape is the same.
  Term reshape(Term input, const Shape& shape);
  Term transpose(Term input, const std::vector<std::int64_t>& perm);
  Term unsqueeze(Term input, const std::vector<std::int64_t>& axes);
  // Adds no step where the input has this type already.
  Term cast(Term input, DType to);
  void fail(std::string because);

  const TensorType& type(Term term) const { return steps_.at(static_cast<std::size_t>(term)).type; }
  bool fits() const { return because_.empty(); }

  // Adds the steps to the graph, or returns why the node is a barrier.
  Result<Translated> finish(Term last) { return finish(std::vector<Term>{last}); }
  // Does the same for an operator with several results; `result` is the first one's type.
  Result<Translated> finish(std::vector<Term> last);

 private:
  struct Step {
    std::optional<std::size_t> operand;  // none: the step is an operator
    Op op = Op::kIdentity;
    std::vector<Term> inputs;
    Attributes attributes;
    TensorType type;
  };

  Term append(Step step);
  Translated barrier() const;

  NodeImport& node_;
  std::optional<TensorType> result_;
  std::vector<Step> steps_;
  std::string because_;
};

}  // namespace fuselab::onnx
