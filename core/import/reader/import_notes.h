// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fuselab::onnx {

// What people are told of a model: what was folded, assumed, left out or not understood. Of many notes the later ones are counted.
class ImportNotes {
 public:
  void add(std::string text);
  // Notes what leaves types unknown, so that the operators behind it become barriers as well. Returns the number of this cause.
  std::size_t add_cause(std::string text);
  // Counts an operator that is a barrier for such a cause.
  void take_along(std::size_t cause);
  // The list itself, for notes of which there are few.
  std::vector<std::string>& texts() { return texts_; }
  // Returns all notes. Those of causes say what these took along, and the last one how many are left out.
  std::vector<std::string> take();

  // What was added since a mark can be taken back.
  struct Mark {
    std::size_t texts = 0, left_out = 0, causes = 0, taken_along = 0;
  };
  Mark mark() const { return {texts_.size(), left_out_, causes_.size(), taken_along_.size()}; }
  void rewind(const Mark& mark);

 private:
  struct Cause {
    std::optional<std::size_t> text;  // of texts_, while there was room
    int taken_along = 0;              // operators
  };

  std::vector<std::string> texts_;
  std::size_t left_out_ = 0;
  std::vector<Cause> causes_;
  std::vector<std::size_t> taken_along_;  // by operator, the cause that took it along
};

}  // namespace fuselab::onnx
