// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/graph/shape.h"

namespace fuselab::onnx {

// Names of symbols for what a file calls its open extents: words that can stand in a graph's text and in --shape, another one for
// each name of the file.
class SymbolNames {
 public:
  // What is a word as it stands keeps it, whatever others would become.
  void keep(const std::string& name);
  // The symbol of a dim_param; a note says what one is called that is not its mere spelling as a word.
  Dim named(const std::string& name, std::vector<std::string>& notes);
  // Of an extent that the file gives no name: called after its tensor and axis.
  Dim unnamed(const std::string& tensor, std::size_t axis);

 private:
  std::string take(const std::string& wish);

  std::unordered_map<std::string, std::string> words_;  // by what the file says
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_number_;  // of the words that begin alike
};

}  // namespace fuselab::onnx
