// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/convolution/padded_image.h"

#include <algorithm>

#include "backends/codegen/cpu/convolution/lower_convolution.h"
#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

// Planes whose distance is a multiple of 4096 bytes share one set of the first cache.
std::int64_t apart(std::int64_t plane) {
  constexpr std::int64_t kSet = 512;  // elements of the widest type in 4096 bytes
  constexpr std::int64_t kLine = 16;
  const std::int64_t whole = ceil_div(plane, kLine) * kLine;
  return whole % kSet < 2 * kLine ? whole + 3 * kLine : whole;
}

class Copying {
 public:
  explicit Copying(const PaddedCopy& copy) : p_(copy), w_(copy.windows), l_(copy.layout) {}

  void write(Body& body) const {
    Body& channels = BodyBuilder(body).loop(LoopKind::kSerial, "channel", integer(0), integer(w_.channels), integer(1));
    const ExprPtr channel = variable("channel", kIndex);
    if (w_.is_flat()) {
      phases(channels, channel);
      return;
    }
    BodyBuilder builder(channels);
    const ExprPtr z =
        builder.declare("in_plane", p_.plane * integer(w_.stride_z) + channel % integer(w_.kernel_depth) * integer(w_.dilation_z) -
                                        integer(w_.pad_front));
    const ExprPtr source = builder.declare("from_plane", channel / integer(w_.kernel_depth) * integer(w_.depth) + z);
    if (reach_of(w_.out_depth, w_.stride_z, w_.kernel_depth, w_.dilation_z) <= w_.depth && w_.pad_front == 0) {
      phases(channels, source);
      return;
    }
    clear(builder.when(binary("||", binary("<", z, integer(0)), binary(">", z, integer(w_.depth - 1)))),
          channel * integer(l_.plane), 0, l_.phases_y * l_.phases_x * l_.phase);
    phases(builder.when(binary("&&", binary(">", z, integer(-1)), binary("<", z, integer(w_.depth)))), source);
  }

 private:
  IrType type(int lanes) const { return {p_.compute, lanes}; }
  // `source` counts the image's planes.
  void phases(Body& body, const ExprPtr& source) const {
    for (std::int64_t py = 0; py < l_.phases_y; ++py) {
      for (std::int64_t px = 0; px < l_.phases_x; ++px) phase(body, source, py, px);
    }
  }

  void phase(Body& body, const ExprPtr& source, std::int64_t py, std::int64_t px) const {
    const ExprPtr channel = variable("channel", kIndex);
    const ExprPtr line = variable("line", kIndex);
    const ExprPtr lines = p_.rows * integer(l_.lines_per_row) + integer(l_.lines_more);
    Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "line", integer(0), lines, integer(1));
    BodyBuilder builder(each);
    const ExprPtr y =
        builder.declare("y", p_.first_row * integer(w_.stride_y) + line * integer(l_.row_step) + integer(py - w_.pad_top));
    const ExprPtr to =
        builder.declare("to", channel * integer(l_.plane) + line * integer(l_.line) + integer((py * l_.phases_x + px) * l_.phase));
    if (!may_leave()) {
      row(each, source, y, to, px);
      return;
    }
    clear(builder.when(binary("||", binary("<", y, integer(0)), binary(">", y, integer(w_.height - 1)))), to, 0, l_.line);
    row(builder.when(binary("&&", binary(">", y, integer(-1)), binary("<", y, integer(w_.height)))), source, y, to, px);
  }

  // Returns true when some line lies outside of the image.
  bool may_leave() const {
    const std::int64_t lines = w_.out_height * l_.lines_per_row + l_.lines_more;
    return w_.pad_top > 0 || (lines - 1) * l_.row_step + l_.phases_y > w_.height + w_.pad_top;
  }

  // Elements [begin, end) of a line come from the image; before and behind them is padding.
  void row(Body& body, const ExprPtr& source, const ExprPtr& y, const ExprPtr& to, std::int64_t px) const {
    const std::int64_t step = l_.column_step;
    const auto limit = [&](std::int64_t x) { return std::clamp<std::int64_t>(x <= 0 ? 0 : ceil_div(x, step), 0, l_.line); };
    const std::int64_t begin = limit(w_.pad_left - px);
    const std::int64_t end = std::max(begin, limit(w_.width + w_.pad_left - px));
    clear(body, to, 0, begin);
    const ExprPtr from = BodyBuilder(body).declare(
        "from", p_.base + (source * integer(w_.height) + y) * integer(w_.width) + integer(px - w_.pad_left));
    over(body, begin, end, step == 1 ? p_.lanes : 1, [&](Body& at, const ExprPtr& place, int lanes) {
      const ExprPtr value = p_.source.at(at, from + place * integer(step), lanes);
      BodyBuilder(at).store({p_.planes, to + place, value, p_.compute, false});
    });
    clear(body, to, end, l_.line);
  }

  void clear(Body& body, const ExprPtr& to, std::int64_t begin, std::int64_t end) const {
    over(body, begin, end, p_.lanes, [&](Body& at, const ExprPtr& place, int lanes) {
      BodyBuilder(at).store({p_.planes, to + place, real(0, type(lanes)), p_.compute, false});
    });
  }

  // for place in [begin, end): registers, then smaller ones, then what is left.
  template <typename Visit>
  void over(Body& body, std::int64_t begin, std::int64_t end, int lanes, const Visit& visit) const {
    const ExprPtr place = variable("place", kIndex);
    while (begin < end) {
      while (lanes > end - begin) lanes /= 2;
      const std::int64_t whole = begin + (end - begin) / lanes * lanes;
      Body& each = BodyBuilder(body).loop(LoopKind::kVector, "place", integer(begin), integer(whole), integer(lanes));
      visit(each, place, lanes);
      begin = whole;
    }
  }

  const PaddedCopy& p_;
  const Windows& w_;
  const ImageLayout& l_;
};

}  // namespace

ExprPtr ImageLayout::window_at(const ExprPtr& ky, const ExprPtr& kx) const {
  const auto phase_of = [](const ExprPtr& place, std::int64_t phases) {
    return phases == 1 ? integer(0) : place % integer(phases);
  };
  const auto step = [](const ExprPtr& place, std::int64_t phases) { return phases == 1 ? place : place / integer(phases); };
  const ExprPtr y = ky * integer(dilation_y);
  const ExprPtr x = kx * integer(dilation_x);
  const ExprPtr part = (phase_of(y, phases_y) * integer(phases_x) + phase_of(x, phases_x)) * integer(phase);
  return part + step(y, phases_y) * integer(line) + step(x, phases_x);
}

ImageLayout whole_rows(const Windows& w, std::int64_t rows) {
  ImageLayout layout;
  layout.line = reach_of(w.out_width, w.stride_x, w.kernel_width, w.dilation_x);
  layout.lines_per_row = w.stride_y;
  layout.lines_more = (w.kernel_height - 1) * w.dilation_y + 1 - w.stride_y;
  layout.phase = (rows * layout.lines_per_row + layout.lines_more) * layout.line;
  layout.plane = apart(layout.phase);
  return layout;
}

ImageLayout rows_apart(const Windows& w, std::int64_t rows, std::int64_t strip) {
  ImageLayout layout;
  layout.dilation_y = w.dilation_y;
  layout.dilation_x = w.dilation_x;
  layout.row_step = w.stride_y;
  layout.column_step = w.stride_x;
  layout.phases_y = w.kernel_height == 1 ? 1 : w.stride_y;
  layout.phases_x = w.kernel_width == 1 ? 1 : w.stride_x;
  layout.line = w.out_width + (w.kernel_width - 1) * w.dilation_x / layout.phases_x;
  layout.lines_more = (w.kernel_height - 1) * w.dilation_y / layout.phases_y;
  layout.phase = (rows + layout.lines_more) * layout.line;
  layout.places = ceil_div(rows * layout.line, strip) * strip;
  layout.behind = layout.places + strip - rows * layout.line;
  layout.plane = apart(layout.phases_y * layout.phases_x * layout.phase);
  return layout;
}

void copy_padded(Body& body, const PaddedCopy& copy) {
  Copying(copy).write(body);
}

}  // namespace fuselab::codegen
