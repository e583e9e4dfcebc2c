// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/import/constants/generated_numbers.h"
#include "core/import/constants/known_tensor.h"

namespace fuselab::onnx {

class NodeImport;

// The result of translating one ONNX node. One of the alternatives is set.
struct Translated {
  std::vector<ValueId> values;                             // one per output, from the first on
  std::optional<KnownTensor> known;                        // or: its only output, folded
  std::optional<TensorType> param;                         // or: the type of its only output, random or constant data
  const TensorProto* data = nullptr;                       // with param: its numbers in the file, where it has them
  std::shared_ptr<const GeneratedNumbers> generated = {};  // with param, or: how its numbers are made
  bool is_random = false;                                  // with param, or: it holds random numbers
  bool first_operand = false;                              // or: its only output is another name for its first operand
  std::string opaque_because;                              // or: why it is not understood
  std::optional<TensorType> result;                        // with opaque_because: its first output's type where ONNX
                                                           // determines it and the file need not

  static Translated opaque(std::string because) {
    Translated translated;
    translated.opaque_because = std::move(because);
    return translated;
  }
  static Translated unknown_attribute(const std::string& name) { return opaque("its attribute '" + name + "' is not known"); }
  static Translated renamed_operand() {
    Translated translated;
    translated.first_operand = true;
    return translated;
  }
};

// Translates one node; the translators of single operators are called through it.
using Translate = Result<Translated> (*)(NodeImport& node);

}  // namespace fuselab::onnx
