// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/import_notes.h"

#include <utility>

namespace fuselab::onnx {
namespace {

constexpr std::size_t kMostNotes = 1000;  // they are for people

}  // namespace

void ImportNotes::add(std::string text) {
  if (texts_.size() < kMostNotes) {
    texts_.push_back(std::move(text));
  } else {
    ++left_out_;
  }
}

std::size_t ImportNotes::add_cause(std::string text) {
  const std::size_t before = texts_.size();
  add(std::move(text));
  causes_.push_back({texts_.size() > before ? std::optional(before) : std::nullopt});
  return causes_.size() - 1;
}

void ImportNotes::take_along(std::size_t cause) {
  ++causes_[cause].taken_along;
  taken_along_.push_back(cause);
}

std::vector<std::string> ImportNotes::take() {
  for (const Cause& cause : causes_) {
    if (!cause.text || cause.taken_along == 0) continue;
    const bool one = cause.taken_along == 1;
    texts_[*cause.text] += "; " + std::to_string(cause.taken_along) + (one ? " operator" : " operators") + " behind it " +
                           (one ? "is a barrier too" : "are barriers too") + ", because the types that it gives are not known";
  }
  if (left_out_ > 0) texts_.push_back("and " + std::to_string(left_out_) + " more like these");
  return std::move(texts_);
}

void ImportNotes::rewind(const Mark& mark) {
  for (std::size_t i = mark.taken_along; i < taken_along_.size(); ++i) {
    if (taken_along_[i] < mark.causes) --causes_[taken_along_[i]].taken_along;
  }
  taken_along_.resize(mark.taken_along);
  causes_.resize(mark.causes);
  texts_.resize(mark.texts);
  left_out_ = mark.left_out;
}

}  // namespace fuselab::onnx
