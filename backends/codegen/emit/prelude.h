// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/ir/ir.h"

namespace fuselab::codegen {

// Returns the type's suffix in generated names: "f32x8".
std::string type_name(IrType type);

// Collects the prelude functions that a kernel calls and writes each once per type, after those that it needs. The texts are
// resources/kernels/<language>/<folder>/<function>[_<dtype>].h; their first lines name what they need, and $F $I $S $T $U $N $L $B
// stand for the vector type, its integers, their scalars, the one-lane vector, the suffix, the lanes and the bytes.
class Prelude {
 public:
  explicit Prelude(const Dialect& dialect) : dialect_(dialect) {}

  bool has(std::string_view function, DType dtype) const { return !file_of(function, dtype).empty(); }
  // `function` is a prelude file's name without dtype and extension: "exp", "vector", "bf16".
  void require(std::string_view function, IrType type);
  std::string text() const { return text_; }

 private:
  // Returns the dialect's own file, or else the one that all languages share.
  std::string_view file_of(std::string_view function, DType dtype) const;

  const Dialect& dialect_;
  std::set<std::pair<std::string, std::string>> written_;  // function, type
  std::string text_;
};

}  // namespace fuselab::codegen
