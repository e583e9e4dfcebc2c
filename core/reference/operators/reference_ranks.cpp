// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/reference/operators/reference_maps.h"
#include "core/reference/operators/reference_rows.h"

// Operators that care for the order of a row's elements: by size, or one after the other.
namespace fuselab::reference {
namespace {

Rows rows_along(const NodeCall& call, std::int64_t otherwise) {
  const auto& extents = call.input(0).extents;
  std::vector<bool> along(extents.size(), false);
  if (!along.empty()) along[axis_of(call.node.attributes.integer("axis", otherwise), extents.size())] = true;
  return {extents, along};
}

// NaN is more than everything else, as in numpy.
bool beats(double x, double best) {
  return (std::isnan(x) && !std::isnan(best)) || x > best;
}

// Returns the place of a row's most: the first of equal ones, or the last.
std::size_t place_of_most(const Row& row, bool last) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < row.size(); ++i) {
    const bool equal = row[i].v == row[best].v || (std::isnan(row[i].v) && std::isnan(row[best].v));
    if (beats(row[i].v, row[best].v) || (last && equal)) best = i;
  }
  return best;
}

// Returns whether a kernel's rounding may make this element the most.
bool may_be_most(Bounded x, Bounded most) {
  const double error = x.e + most.e;
  return !(error <= 0) && !(most.v - x.v > error * kUnit);
}

void place_all(const NodeCall& call) {
  const Rows rows = rows_along(call, 0);
  const bool last = call.node.attributes.integer("select_last_index", 0) != 0;
  Row buffer;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    load_row(call.input(0), rows, at, buffer);
    if (call.node.op == Op::kArgMin) {
      for (Bounded& x : buffer) x.v = -x.v;
    }
    const std::size_t best = place_of_most(buffer, last);
    double distance = 0;
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      const double apart = std::fabs(static_cast<double>(i) - static_cast<double>(best));
      if (apart > distance && may_be_most(buffer[i], buffer[best])) distance = apart;
    }
    call.put_copy(at, {static_cast<double>(best), may_differ_by(distance)});
  });
}

void hard_max(const Row& row, std::vector<Bounded>& result) {
  const std::size_t best = place_of_most(row, false);
  result.assign(row.size(), {});
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == best || !may_be_most(row[i], row[best])) continue;
    result[i].e = result[best].e = may_differ_by(1);
  }
  if (!row.empty()) result[best].v = 1;
}

void running_sum(const NodeCall& call, const Row& row, std::vector<Bounded>& result) {
  const bool exclusive = call.node.attributes.integer("exclusive", 0) != 0;
  const bool reverse = call.node.attributes.integer("reverse", 0) != 0;
  const double u = rounding_of(call.output.dtype).accumulate;
  result.assign(row.size(), {});
  double sum = 0, magnitude = 0, error = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t at = reverse ? row.size() - 1 - i : i;
    const auto keep = [&](std::size_t terms) {
      result[at] = {sum, error + sum_growth(static_cast<std::int64_t>(terms)) * u * magnitude};
    };
    if (exclusive) keep(i);
    sum += row[at].v;
    magnitude += std::fabs(row[at].v);
    error += row[at].e;
    if (!exclusive) keep(i + 1);
  }
}

// Rows of results as long as the rows they come from; each is computed once.
template <typename Rule>
void map_rows(const NodeCall& call, const Rows& rows, Rule rule) {
  const Rounding rounding = rounding_of(call.output.dtype);
  std::vector<bool> done(static_cast<std::size_t>(rows.count()), false);
  Row buffer;
  std::vector<Bounded> result;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const std::int64_t row = rows.row_of(at);
    if (done[static_cast<std::size_t>(row)]) return;
    done[static_cast<std::size_t>(row)] = true;
    load_row(call.input(0), rows, row, buffer);
    rule(buffer, result);
    const std::int64_t base = rows.base(row);
    for (std::int64_t i = 0; i < rows.length(); ++i) call.put(rounding, base + rows.offset(i), result[static_cast<std::size_t>(i)]);
  });
}

// Places of a row's elements, the best first; of equal ones the first.
std::vector<std::size_t> ranked(const Row& row, bool largest) {
  std::vector<std::size_t> places(row.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return largest ? beats(row[a].v, row[b].v) : beats(row[b].v, row[a].v); });
  return places;
}

// Returns how far away the elements lie whose rank this one may take after a kernel's rounding.
double may_move_by(const Row& row, std::size_t place) {
  double distance = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double apart = std::fabs(static_cast<double>(i) - static_cast<double>(place));
    const bool close = may_be_most(row[i], row[place]) && may_be_most(row[place], row[i]);
    if (apart > distance && close) distance = apart;
  }
  return distance;
}

void take_best(const NodeCall& call) {
  const Rows from = rows_along(call, -1);
  std::vector<bool> along(call.output.extents.size(), false);
  along[axis_of(call.node.attributes.integer("axis", -1), along.size())] = true;
  const Rows to{call.output.extents, along};
  const bool largest = call.node.attributes.integer("largest", 1) != 0;
  std::vector<bool> done(static_cast<std::size_t>(to.count()), false);
  Row buffer;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const std::int64_t row = to.row_of(at);
    if (done[static_cast<std::size_t>(row)]) return;
    done[static_cast<std::size_t>(row)] = true;
    load_row(call.input(0), from, row, buffer);
    double error = 0;
    for (const Bounded x : buffer) error = std::max(error, x.e);
    const auto places = ranked(buffer, largest);
    for (std::int64_t rank = 0; rank < to.length(); ++rank) {
      const std::size_t place = places[static_cast<std::size_t>(rank)];
      const Bounded value{buffer[place].v, error};
      const Bounded index{static_cast<double>(place), may_differ_by(may_move_by(buffer, place))};
      call.put_copy(to.base(row) + to.offset(rank), call.output_index == 0 ? value : index);
    }
  });
}

void hard_max_all(const NodeCall& call) {
  map_rows(call, rows_along(call, -1), hard_max);
}

void running_sums(const NodeCall& call) {
  map_rows(call, rows_along(call, 0), [&](const Row& row, std::vector<Bounded>& result) { running_sum(call, row, result); });
}

}  // namespace

constexpr Family<Op::kArgMax, Op::kSoftmax, Op::kHardmax, Op::kLayerNormalization> kRanks({
    {Op::kArgMax, always<place_all>, axis_demand<0, true>},
    {Op::kArgMin, always<place_all>, axis_demand<0, true>},
    {Op::kCumSum, always<running_sums>, axis_demand<-1, false>},
    {Op::kHardmax, always<hard_max_all>, axis_demand<-1, false>},
    {Op::kTopK, always<take_best>},
});

}  // namespace fuselab::reference
