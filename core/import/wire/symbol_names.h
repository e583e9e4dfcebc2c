// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/types/shape.h"

namespace fuselab::onnx {

// Names of symbols for the open extents of a file: words that are valid in a graph's text and in --shape, and unique for each name
// of the file.
class SymbolNames {
 public:
  // Reserves a name that is a valid word already, so that no other name becomes it.
  void keep(const std::string& name);
  // Returns the symbol of a dim_param. Adds a note when its name differs by more than spelling it as a word.
  Dim named(const std::string& name, std::vector<std::string>& notes);
  // Returns a symbol for an extent without a name in the file, named after its tensor and axis.
  Dim unnamed(const std::string& tensor, std::size_t axis);

 private:
  std::string take(const std::string& wish);

  std::unordered_map<std::string, std::string> words_;  // by the file's name
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_number_;  // of the words with the same beginning
};

}  // namespace fuselab::onnx
