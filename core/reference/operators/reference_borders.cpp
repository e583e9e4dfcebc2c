// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_movement.h"

// Operators that keep a part of their input and fill in the rest.
namespace fuselab::reference {
namespace {

enum class Border { kConstant, kReflect, kEdge, kWrap };

Border border_of(const Node& node) {
  const std::string mode = node.attributes.text("mode", "constant");
  if (mode == "reflect") return Border::kReflect;
  if (mode == "edge") return Border::kEdge;
  return mode == "wrap" ? Border::kWrap : Border::kConstant;
}

std::int64_t positive_rest(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

// Returns the place along an axis of `extent` elements from which the element `at` comes; -1 if it comes from none.
std::int64_t inside(Border border, std::int64_t at, std::int64_t extent) {
  if (at >= 0 && at < extent) return at;
  switch (border) {
    case Border::kConstant: return -1;
    case Border::kEdge: return at < 0 ? 0 : extent - 1;
    case Border::kWrap: return positive_rest(at, extent);
    case Border::kReflect: break;
  }
  if (extent == 1) return 0;
  const std::int64_t turn = positive_rest(at, 2 * (extent - 1));
  return turn < extent ? turn : 2 * (extent - 1) - turn;
}

}  // namespace

SourceMap pad_map(const Movement& movement) {
  return [in = movement.in, out = movement.out, pads = movement.node.attributes.integers("pads"), border = border_of(movement.node),
          strides = strides_of(movement.in)](std::int64_t at) {
    std::int64_t source = 0;
    for (std::size_t i = out.size(); i-- > 0;) {
      const std::int64_t place = inside(border, at % out[i] - pads[i], in[i]);
      if (place < 0) return Source::nothing();
      source += place * strides[i];
      at /= out[i];
    }
    return Source{0, source};
  };
}

SourceMap trilu_map(const Movement& movement) {
  const std::int64_t rows = movement.in[movement.in.size() - 2], columns = movement.in.back();
  const bool upper = movement.node.attributes.integer("upper", 1) != 0;
  const std::int64_t diagonal = movement.node.attributes.integer("k", 0);
  return [=](std::int64_t at) {
    const std::int64_t right = at % columns - at / columns % rows;  // of the main diagonal
    const bool kept = upper ? right >= diagonal : right <= diagonal;
    return kept ? Source{0, at} : Source::nothing();
  };
}

}  // namespace fuselab::reference
