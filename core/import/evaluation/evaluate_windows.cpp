// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools and resampling.
#include <algorithm>
#include <cmath>

#include "core/import/evaluation/evaluators.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// A window that moves over the axes behind the first two.
struct Window {
  Extents kernel, strides, dilations, before, after, in, out;
};

std::int64_t reach(const Window& window, std::size_t i) {
  return (window.kernel[i] - 1) * window.dilations[i] + 1;
}

Result<Window> window_of(const Call& call, const Array& array, Extents kernel) {
  if (array.rank() < 3) return invalid_argument("needs axes to move along");
  Window window;
  window.in.assign(array.shape.begin() + 2, array.shape.end());
  const std::size_t rank = window.in.size();
  window.kernel = std::move(kernel);
  window.strides = call.list("strides").value_or(Extents(rank, 1));
  window.dilations = call.list("dilations").value_or(Extents(rank, 1));
  Extents pads = call.list("pads").value_or(Extents(2 * rank, 0));
  if (window.kernel.size() != rank || window.strides.size() != rank || window.dilations.size() != rank || pads.size() != 2 * rank)
    return invalid_argument("has a window of another rank");
  const std::string automatic = call.text("auto_pad", "NOTSET");
  const bool up = call.integer("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < rank; ++i) {
    constexpr std::int64_t kMost = 1 << 24;
    if (window.kernel[i] < 1 || window.strides[i] < 1 || window.dilations[i] < 1 || pads[i] < 0 || pads[i + rank] < 0 ||
        std::max({window.kernel[i], window.strides[i], window.dilations[i], pads[i], pads[i + rank]}) > kMost)
      return invalid_argument("has a window that fits nowhere");
    const std::int64_t covered = reach(window, i);
    if (automatic == "VALID") pads[i] = pads[i + rank] = 0;
    if (automatic.starts_with("SAME")) {
      const std::int64_t steps = (window.in[i] + window.strides[i] - 1) / window.strides[i];
      const std::int64_t all = std::max<std::int64_t>(0, (steps - 1) * window.strides[i] + covered - window.in[i]);
      pads[i] = automatic == "SAME_LOWER" ? all - all / 2 : all / 2;
      pads[i + rank] = all - pads[i];
    }
    window.before.push_back(pads[i]);
    window.after.push_back(pads[i + rank]);
    const std::int64_t room = window.in[i] + pads[i] + pads[i + rank] - covered;
    std::int64_t steps = room < 0 ? 0 : room / window.strides[i] + 1;
    if (up && room >= 0 && room % window.strides[i] != 0 && automatic == "NOTSET") {
      ++steps;
      if ((steps - 1) * window.strides[i] >= window.in[i] + pads[i]) --steps;  // it would begin in the border behind
    }
    window.out.push_back(steps);
  }
  return window;
}

// Calls `visit(place in the window, source)` for the elements of one output position's window that lie inside.
template <typename F>
void visit_window(const Window& window, const Extents& position, F visit) {
  std::int64_t place = 0;
  for_each_index(window.kernel, [&](const Extents& k) {
    std::int64_t source = 0;
    bool inside = true;
    for (std::size_t i = 0; i < k.size(); ++i) {
      const std::int64_t at = position[i] * window.strides[i] - window.before[i] + k[i] * window.dilations[i];
      inside = inside && at >= 0 && at < window.in[i];
      source = source * window.in[i] + at;
    }
    if (inside) visit(place, source);
    ++place;
  });
}

Result<Array> result_of(const Array& array, std::int64_t channels, const Extents& out) {
  Extents shape{array.shape[0], channels};
  shape.insert(shape.end(), out.begin(), out.end());
  return zeros(std::move(shape), array.type);
}

}  // namespace

// For each element of the window, a row of all output positions: so that the innermost loop runs over positions.
Evaluated evaluate_conv(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  const Array& x = call.in(0);
  const Array& w = call.in(1);
  if (w.rank() != x.rank() || w.rank() < 3) return invalid_argument("has a filter of another rank");
  FL_TRY(const Window window, window_of(call, x, {w.shape.begin() + 2, w.shape.end()}));
  const std::int64_t groups = call.integer("group", 1), filters = w.shape[0], depth = w.shape[1];
  if (groups < 1 || filters % groups != 0 || depth * groups != x.shape[1])
    return invalid_argument("has groups that do not fit its channels");
  if (call.has(2) && call.in(2).count() != filters) return invalid_argument("has a bias of another size");
  FL_TRY(Array result, result_of(x, filters, window.out));
  const std::int64_t taps = product(window.kernel, 0, static_cast<std::int64_t>(window.kernel.size()));
  const std::int64_t positions = product(window.out, 0, static_cast<std::int64_t>(window.out.size()));
  const std::int64_t plane = product(window.in, 0, static_cast<std::int64_t>(window.in.size()));
  FL_TRY(Array column, zeros({depth * taps, positions}, 1));
  const std::int64_t per_group = filters / groups;
  for (std::int64_t n = 0; n < x.shape[0]; ++n) {
    for (std::int64_t g = 0; g < groups; ++g) {
      std::fill(column.data.begin(), column.data.end(), 0.0);
      std::int64_t position = 0;
      for_each_index(window.out, [&](const Extents& at) {
        visit_window(window, at, [&](std::int64_t tap, std::int64_t source) {
          for (std::int64_t c = 0; c < depth; ++c)
            column.data[static_cast<std::size_t>((c * taps + tap) * positions + position)] =
                x.data[static_cast<std::size_t>((n * x.shape[1] + g * depth + c) * plane + source)];
        });
        ++position;
      });
      for (std::int64_t f = g * per_group; f < (g + 1) * per_group; ++f) {
        double* const out = result.data.data() + (n * filters + f) * positions;
        if (call.has(2)) std::fill_n(out, positions, call.in(2).data[static_cast<std::size_t>(f)]);
        for (std::int64_t k = 0; k < depth * taps; ++k) {
          const double factor = w.data[static_cast<std::size_t>(f * depth * taps + k)];
          const double* const row = column.data.data() + k * positions;
          for (std::int64_t i = 0; i < positions; ++i) out[i] += factor * row[i];
        }
      }
    }
  }
  return std::vector{std::move(result)};
}

namespace {

// The other way: each input element adds its window to the output.
Evaluated evaluate_conv_transpose(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  const Array& x = call.in(0);
  const Array& w = call.in(1);
  if (w.rank() != x.rank() || w.rank() < 3) return invalid_argument("has a filter of another rank");
  FL_TRY(Window window, window_of(call, x, {w.shape.begin() + 2, w.shape.end()}));
  const std::int64_t groups = call.integer("group", 1), per_group = w.shape[1];
  if (groups < 1 || w.shape[0] != x.shape[1] || x.shape[1] % groups != 0)
    return invalid_argument("has groups that do not fit its channels");
  const std::size_t rank = window.in.size();
  const Extents extra = call.list("output_padding").value_or(Extents(rank, 0));
  const auto wanted = call.list("output_shape");
  const std::string automatic = call.text("auto_pad", "NOTSET");
  if (extra.size() != rank || (wanted && wanted->size() != rank)) return invalid_argument("has a window of another rank");
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t full = window.strides[i] * (window.in[i] - 1) + extra[i] + reach(window, i);
    std::int64_t size = full - window.before[i] - window.after[i];
    if (wanted || automatic.starts_with("SAME")) {
      size = wanted ? (*wanted)[i] : window.in[i] * window.strides[i];
      const std::int64_t all = std::max<std::int64_t>(0, full - size);
      window.before[i] = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
    }
    window.out[i] = size;
  }
  // Seen from the output, the window moves over it as over an input.
  std::swap(window.in, window.out);
  const std::int64_t filters = per_group * groups;
  FL_TRY(Array result, result_of(x, filters, window.in));
  if (call.has(2) && call.in(2).count() != filters) return invalid_argument("has a bias of another size");
  const std::int64_t taps = product(window.kernel, 0, static_cast<std::int64_t>(rank));
  const std::int64_t plane = product(window.in, 0, static_cast<std::int64_t>(rank));
  const std::int64_t positions = product(window.out, 0, static_cast<std::int64_t>(rank));
  const std::int64_t depth = x.shape[1] / groups;
  for (std::int64_t i = 0; i < result.count() && call.has(2); ++i)
    result.data[static_cast<std::size_t>(i)] = call.in(2).data[static_cast<std::size_t>(i / plane % filters)];
  for (std::int64_t n = 0; n < x.shape[0]; ++n) {
    std::int64_t position = 0;
    for_each_index(window.out, [&](const Extents& at) {
      visit_window(window, at, [&](std::int64_t tap, std::int64_t target) {
        for (std::int64_t c = 0; c < x.shape[1]; ++c) {
          const double number = x.data[static_cast<std::size_t>((n * x.shape[1] + c) * positions + position)];
          for (std::int64_t f = 0; f < per_group; ++f)
            result.data[static_cast<std::size_t>((n * filters + c / depth * per_group + f) * plane + target)] +=
                number * w.data[static_cast<std::size_t>((c * per_group + f) * taps + tap)];
        }
      });
      ++position;
    });
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_pool(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& x = call.in(0);
  const bool most = call.op() == "MaxPool";
  if (most && call.results() > 1) return Error{ErrorCode::kUnsupported, "gives the places of its largest numbers"};
  FL_TRY(const Window window, window_of(call, x, call.list("kernel_shape").value_or(Extents())));
  FL_TRY(Array result, result_of(x, x.shape[1], window.out));
  const bool counts_border = call.integer("count_include_pad", 0) != 0;
  const std::int64_t plane = product(window.in, 0, static_cast<std::int64_t>(window.in.size()));
  std::size_t out = 0;
  for (std::int64_t channel = 0; channel < x.shape[0] * x.shape[1]; ++channel) {
    for_each_index(window.out, [&](const Extents& at) {
      double held = most ? -INFINITY : 0, count = 0;
      visit_window(window, at, [&](std::int64_t, std::int64_t source) {
        const double number = x.data[static_cast<std::size_t>(channel * plane + source)];
        held = most ? std::max(held, number) : held + number;
        ++count;
      });
      if (!most && counts_border) {
        count = 1;  // all of the window that lies within the borders
        for (std::size_t i = 0; i < at.size(); ++i) {
          std::int64_t own = 0;
          for (std::int64_t k = 0; k < window.kernel[i]; ++k)
            own += at[i] * window.strides[i] + k * window.dilations[i] < window.in[i] + window.before[i] + window.after[i] ? 1 : 0;
          count *= static_cast<double>(own);
        }
      }
      result.data[out++] = most ? held : held / count;
    });
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_global_pool(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& x = call.in(0);
  if (x.rank() < 3) return invalid_argument("needs axes to move along");
  FL_TRY(Array result, result_of(x, x.shape[1], Extents(x.shape.size() - 2, 1)));
  const std::int64_t plane = product(x.shape, 2, x.rank());
  for (std::int64_t i = 0; i < result.count(); ++i) {
    const auto first = x.data.begin() + i * plane;
    double held = call.op() == "GlobalMaxPool" ? -INFINITY : 0;
    for (auto each = first; each != first + plane; ++each)
      held = call.op() == "GlobalMaxPool" ? std::max(held, *each) : held + *each;
    result.data[static_cast<std::size_t>(i)] = call.op() == "GlobalMaxPool" ? held : held / static_cast<double>(plane);
  }
  return std::vector{std::move(result)};
}

// Where an output place lies among the input's.
double source_place(const std::string& how, double out, double scale, double in_size, double out_size) {
  if (how == "asymmetric") return out / scale;
  if (how == "align_corners") return out_size > 1 ? out * (in_size - 1) / (out_size - 1) : 0;
  if (how == "pytorch_half_pixel") return out_size > 1 ? (out + 0.5) / scale - 0.5 : 0;
  return (out + 0.5) / scale - 0.5;  // half_pixel
}

double nearest(const std::string& how, double place) {
  if (how == "floor") return std::floor(place);
  if (how == "ceil") return std::ceil(place);
  if (how == "round_prefer_ceil") return std::floor(place + 0.5);
  return std::ceil(place - 0.5);
}

Evaluated evaluate_resize(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& x = call.in(0);
  const bool old = call.op() == "Upsample" || call.opset() < 11;
  const std::size_t at_scales = old ? 1 : 2;
  std::vector<double> scales = old && call.opset() < 9 ? call.reals("scales") : std::vector<double>();
  if (call.has(at_scales) && call.in(at_scales).count() > 0) scales = call.in(at_scales).data;
  const auto sizes = old ? std::nullopt : call.integers(3);
  const std::string mode = call.text("mode", "nearest");
  const std::string how = call.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
  const std::string rounding = call.text("nearest_mode", old ? "floor" : "round_prefer_floor");
  const bool known = how == "half_pixel" || how == "asymmetric" || how == "align_corners" || how == "pytorch_half_pixel";
  if ((mode != "nearest" && mode != "linear") || !known || call.attribute("axes") != nullptr || call.integer("antialias", 0) != 0 ||
      call.attribute("keep_aspect_ratio_policy") != nullptr)
    return Error{ErrorCode::kUnsupported, "resizes in a way that is not known"};
  Extents shape = x.shape;
  if (scales.empty() && sizes && sizes->size() == shape.size()) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      scales.push_back(static_cast<double>((*sizes)[i]) / static_cast<double>(std::max<std::int64_t>(1, x.shape[i])));
      shape[i] = (*sizes)[i];
    }
  } else if (scales.size() == shape.size()) {
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = whole(std::floor(static_cast<double>(x.shape[i]) * scales[i]));
  } else {
    return invalid_argument("has scales that do not fit its operand");
  }
  Array result = x;
  // One axis after the other.
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Extents next = result.shape;
    const std::int64_t extent = next[axis];
    if (extent < 1 || (shape[axis] == extent && scales[axis] == 1)) continue;
    next[axis] = shape[axis];
    FL_TRY(Array made, zeros(next, x.type));
    const std::int64_t inner = product(next, static_cast<std::int64_t>(axis) + 1, static_cast<std::int64_t>(next.size()));
    for (std::int64_t i = 0; i < made.count(); ++i) {
      const std::int64_t out = i / inner % shape[axis], row = i / inner / shape[axis];
      const double place = source_place(how, static_cast<double>(out), scales[axis], static_cast<double>(extent),
                                        static_cast<double>(extent) * scales[axis]);
      const auto read = [&](double at) {
        const std::int64_t clamped = std::min(std::max<std::int64_t>(whole(at), 0), extent - 1);
        return result.data[static_cast<std::size_t>((row * extent + clamped) * inner + i % inner)];
      };
      const double below = std::floor(place), share = place - below;
      made.data[static_cast<std::size_t>(i)] =
          mode == "nearest" ? read(nearest(rounding, place))
                            : (share == 0 ? read(below) : read(below) * (1 - share) + read(below + 1) * share);
    }
    result = std::move(made);
  }
  return std::vector{std::move(result)};
}

}  // namespace

void add_windows(EvaluatorTable& table) {
  table["Conv"] = evaluate_conv;
  table["ConvTranspose"] = evaluate_conv_transpose;
  table["MaxPool"] = evaluate_pool;
  table["AveragePool"] = evaluate_pool;
  table["GlobalAveragePool"] = evaluate_global_pool;
  table["GlobalMaxPool"] = evaluate_global_pool;
  table["Resize"] = evaluate_resize;
  table["Upsample"] = evaluate_resize;
}

}  // namespace fuselab::onnx
