// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using enum AttributeKind;

// Returns how often each element is repeated along each axis; nothing where that is computed or is no whole number.
std::optional<std::vector<std::int64_t>> factors_of(NodeImport& node, std::size_t scales_at) {
  const Shape& shape = node.type(0).shape;
  std::vector<std::int64_t> factors;
  const auto whole = [&](double factor) {
    if (!(factor >= 1) || factor > 65536 || factor != std::floor(factor)) return false;
    factors.push_back(static_cast<std::int64_t>(factor));
    return true;
  };
  const KnownTensor* scales = node.has_input(scales_at) ? node.known(scales_at) : nullptr;
  if (scales != nullptr && scales->reals.size() == shape.size()) {
    for (const double scale : scales->reals) {
      if (!whole(scale)) return std::nullopt;
    }
    return factors;
  }
  const auto* sizes = node.has_input(scales_at + 1) ? node.dims(scales_at + 1) : nullptr;
  if (sizes == nullptr || sizes->size() != shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Dim &wanted = (*sizes)[i], &own = shape[i];
    const auto times = wanted.is_symbol() && own.is_symbol() ? exact_quotient(wanted, own) : std::nullopt;
    if (wanted == own) {
      factors.push_back(1);
    } else if (times && !times->is_symbol() && times->extent() >= 1) {
      factors.push_back(times->extent());
    } else if (wanted.is_symbol() || own.is_symbol() || own.extent() < 1 ||
               !whole(static_cast<double>(wanted.extent()) / static_cast<double>(own.extent()))) {
      return std::nullopt;
    }
  }
  return factors;
}

// Returns whether output x is nearest to element ⌊x / factor⌋ of the input.
bool repeats_elements(const std::string& transform, const std::string& rounding) {
  if (transform == "asymmetric") return rounding == "floor";
  return transform == "half_pixel" && (rounding == "round_prefer_floor" || rounding == "round_prefer_ceil");
}

// Enlarging by whole numbers with the nearest element: each is repeated. Everything else is a barrier.
Result<Translated> translate_resize(NodeImport& node) {
  static const AttributeInfo kAttributes[] = {{"mode", kText, false, std::string("nearest")},
                                              {"coordinate_transformation_mode", kText, false, std::string("half_pixel")},
                                              {"nearest_mode", kText, false, std::string("round_prefer_floor")},
                                              {"axes", kIntegers, false, {}},
                                              {"keep_aspect_ratio_policy", kText, false, std::string("stretch")},
                                              {"cubic_coeff_a", kReal, false, -0.75},
                                              {"exclude_outside", kInteger, false, std::int64_t{0}},
                                              {"extrapolation_value", kReal, false, 0.0},
                                              {"antialias", kInteger, false, std::int64_t{0}}};
  std::string unknown;
  node.attributes(kAttributes, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (node.op() == "Resize" && node.opset() < 11) return Translated::opaque("before opset 11 it was defined otherwise");
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch") return Translated::opaque("it keeps the aspect ratio");
  if (node.integer_list("axes")) return Translated::opaque("its sizes are of some axes only");
  const std::string mode = node.text("mode", "nearest");
  if (mode != "nearest") return Translated::opaque("its mode is " + mode + ": only nearest is understood");
  const bool upsample = node.op() == "Upsample";
  const std::string transform = node.text("coordinate_transformation_mode", upsample ? "asymmetric" : "half_pixel");
  const std::string rounding = node.text("nearest_mode", upsample ? "floor" : "round_prefer_floor");
  const auto factors = factors_of(node, upsample ? 1 : 2);
  if (!factors) return Translated::opaque("it does not enlarge by whole numbers that are known");
  if (!repeats_elements(transform, rounding))
    return Translated::opaque("it takes the nearest element by " + transform + " and " + rounding);
  Composition graph(node);
  const Shape& shape = node.type(0).shape;
  std::vector<std::int64_t> added, spread;
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    spread.push_back(1);
    if ((*factors)[i] == 1) {
      result.push_back(shape[i]);
      continue;
    }
    added.push_back(static_cast<std::int64_t>(spread.size()));
    spread.push_back((*factors)[i]);
    const auto extent = product(shape[i], Dim((*factors)[i]));
    if (!extent) graph.fail("its result is larger than can be counted");
    result.push_back(extent.value_or(Dim(1)));
  }
  Composition::Term x = graph.unsqueeze(graph.operand(0), added);
  if (!added.empty()) x = graph.apply(Op::kExpand, {x}, {{"shape", spread}});
  return graph.finish(graph.reshape(x, result));
}

}  // namespace

Rows resize_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Resize", translate_resize,
       "antialias:i@18- axes:I@18- coordinate_transformation_mode:s@11- cubic_coeff_a:f@11- exclude_outside:i@11- "
       "extrapolation_value:f@11- keep_aspect_ratio_policy:s@18- mode:s nearest_mode:s@11-",
       Operands::gaps_beyond(0)},
      {"Upsample", translate_resize, "height_scale:f@1-6 mode:s scales:F@7-8 width_scale:f@1-6"},
  };
  return kRows;
}

}  // namespace fuselab::onnx
