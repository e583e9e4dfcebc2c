// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/scalar/elements_scatter.h"

#include <algorithm>
#include <numeric>

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/scalar/elements_kernel.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::int64_t kCopiedPerUpdate = 16;
constexpr std::int64_t kFewestTasks = 32;
constexpr std::int64_t kFewestColumns = 16;  // that a task owns: a line of the cache, of f32

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::size_t> all_axes(const Extents& extents) {
  std::vector<std::size_t> axes(extents.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

Place origin(const Extents& extents) {
  return {std::vector<ExprPtr>(extents.size(), integer(0)), nullptr};
}

class ScatterLowering {
 public:
  ScatterLowering(const Graph& graph, const Node& node, std::int64_t grain)
      : graph_(graph), node_(node), elements_(graph, (function_.parameters = name_parameters(graph, names_)), names_) {
    count_ = product(data());
    const std::int64_t updates = product(extents_of(graph.type(node.inputs.at(2)).shape));
    if (keeps_columns()) {
      const std::int64_t rows = data().front() + extents(1).front();
      each_ = std::min(ceil_div(ceil_div(grain, rows), kFewestColumns) * kFewestColumns, columns());
    } else if (keeps_rows()) {
      const std::int64_t row = count_ / data().front();
      each_ = std::max(ceil_div(grain, row), std::int64_t{1}) * row;
    } else {
      // A task looks through all updates: it copies many times as many elements where that leaves work for every thread.
      each_ = std::max({grain, updates, std::min(kCopiedPerUpdate * updates, ceil_div(count_, kFewestTasks))});
    }
  }

  Result<Function> run();

 private:
  Extents extents(std::size_t operand) const { return extents_of(graph_.type(node_.inputs.at(operand)).shape); }
  Extents data() const { return extents(0); }
  // Whether an update stays in its row of the first axis, so that a task of whole rows looks through theirs alone.
  bool keeps_rows() const {
    return node_.op == Op::kScatterElements && count_ > 0 &&
           axis_from_front(node_.attributes.integer("axis", 0), data().size()) != 0;
  }
  std::int64_t columns() const { return count_ / data().front(); }
  // Whether an update stays in its column of all axes but the first.
  bool keeps_columns() const {
    if (node_.op != Op::kScatterElements || count_ == 0 || data().size() < 2 || keeps_rows()) return false;
    const Extents updates = extents(1), whole = data();
    return std::equal(updates.begin() + 1, updates.end(), whole.begin() + 1) && columns() >= 2 * kFewestColumns;
  }
  const KernelParameter& result() const { return function_.parameters.back(); }
  void copy_range(Body& body, const ExprPtr& begin, const ExprPtr& end);
  void store(Body& body, const ExprPtr& at, const Place& from);
  void by_columns(Body& body);
  void update(Body& body, const Place& target, const Place& from);
  void by_elements(Body& body);
  void by_tuples(Body& body);

  const Graph& graph_;
  const Node& node_;
  Names names_;
  Function function_;
  Elements elements_;
  std::int64_t count_ = 0, each_ = 0;
  ExprPtr first_, last_;
};

Result<Function> ScatterLowering::run() {
  const std::int64_t all = keeps_columns() ? columns() : count_;
  function_.tasks = ceil_div(all, each_);
  Body& body = function_.body;
  first_ = elements_.keep(body, "first", variable(function_.task_variable, kIndex) * integer(each_));
  last_ = elements_.keep(body, "last", call("whole_min", kIndex, {first_ + integer(each_), integer(all)}));
  if (keeps_columns()) {
    by_columns(body);
    FL_TRY_VOID(elements_written(elements_, function_.tasks));
    return std::move(function_);
  }
  copy_range(body, first_, last_);
  node_.op == Op::kScatterND ? by_tuples(body) : by_elements(body);
  FL_TRY_VOID(elements_written(elements_, function_.tasks));
  return std::move(function_);
}

// Copies so many elements of the data to the same places.
void ScatterLowering::copy_range(Body& body, const ExprPtr& begin, const ExprPtr& end) {
  const auto& inputs = graph_.inputs();
  const auto read = std::find(inputs.begin(), inputs.end(), node_.inputs[0]);
  if (read != inputs.end()) {
    const KernelParameter& from = function_.parameters[static_cast<std::size_t>(read - inputs.begin())];
    BodyBuilder(body).copy({result().name, begin, from.name, begin, end - begin});
    return;
  }
  elements_.loop(
      body, "at", begin, end,
      [&](Body& inner, const ExprPtr& at) {
        store_element(inner, result(), at, elements_.value(node_.inputs[0], place_of(at, data()), inner));
      },
      each_);
}

void ScatterLowering::store(Body& body, const ExprPtr& at, const Place& from) {
  const ExprPtr by = elements_.value(node_.inputs[2], from, body);
  const bool replaces = node_.attributes.text("reduction", "none") == "none";
  store_element(body, result(), at, replaces ? by : updated(node_, elements_.keep(body, "old", stored_element(result(), at)), by));
}

// Each update goes to its own column, so that none is looked at twice and none is asked whose it is.
void ScatterLowering::by_columns(Body& body) {
  const Extents updates = extents(1);
  const ExprPtr width = integer(columns());
  elements_.loop(body, "row", integer(0), integer(data().front()), [&](Body& inner, const ExprPtr& row) {
    const ExprPtr start = elements_.keep(inner, "start", row * width);
    copy_range(inner, start + first_, start + last_);
  });
  elements_.loop(body, "row", integer(0), integer(updates.front()), [&](Body& outer, const ExprPtr& row) {
    const ExprPtr start = elements_.keep(outer, "start", row * width);
    elements_.loop(
        outer, "column", first_, last_,
        [&](Body& inner, const ExprPtr& column) {
          const ExprPtr at = elements_.keep(inner, "at", start + column);
          const Place from = place_of(at, updates);
          const ExprPtr index = index_into(elements_.value(node_.inputs[1], from, inner), data().front());
          store(inner, elements_.keep(inner, "target", elements_.keep(inner, "index", index) * width + column), from);
        },
        each_);
  });
}

// Writes one update to its target, if that is this task's.
void ScatterLowering::update(Body& body, const Place& target, const Place& from) {
  const ExprPtr at = elements_.keep(body, "target", flat_of(target, data()));
  const ExprPtr mine = binary("&&", binary(">=", at, first_), binary("<", at, last_));
  elements_.when(body, mine, [&](Body& found) { store(found, at, from); });
}

void ScatterLowering::by_elements(Body& body) {
  const Extents updates = extents(1);
  const std::size_t axis = axis_from_front(node_.attributes.integer("axis", 0), data().size());
  const auto write = [&](Body& inner, const Place& from) {
    Place target{from.at, nullptr};
    target.at[axis] = elements_.keep(inner, "index", index_into(elements_.value(node_.inputs[1], from, inner), data()[axis]));
    update(inner, target, from);
  };
  if (!keeps_rows()) {
    elements_.over(body, updates, all_axes(updates), origin(updates), write);
    return;
  }
  const std::int64_t row = count_ / data().front();
  const ExprPtr last =
      elements_.keep(body, "last_row", call("whole_min", kIndex, {last_ / integer(row), integer(updates.front())}));
  std::vector<std::size_t> within = all_axes(updates);
  within.erase(within.begin());
  elements_.loop(
      body, "row", first_ / integer(row), last,
      [&](Body& inner, const ExprPtr& at) {
        Place start = origin(updates);
        start.at.front() = at;
        elements_.over(inner, updates, within, start, write);
      },
      each_ / row);
}

void ScatterLowering::by_tuples(Body& body) {
  Extents tuples = extents(1);
  const auto width = static_cast<std::size_t>(tuples.back());
  tuples.pop_back();
  elements_.over(body, tuples, all_axes(tuples), origin(tuples), [&](Body& outer, const Place& tuple) {
    const ElementSite site{elements_, node_, 0, tuple, outer};
    Place target{named_by_tuple(site, tuple.at, 0, outer), nullptr};
    target.at.resize(data().size(), integer(0));
    std::vector<std::size_t> slice = all_axes(data());
    slice.erase(slice.begin(), slice.begin() + static_cast<std::ptrdiff_t>(width));
    elements_.over(outer, data(), slice, target, [&](Body& inner, const Place& at) {
      Place from{tuple.at, nullptr};
      from.at.insert(from.at.end(), at.at.begin() + static_cast<std::ptrdiff_t>(width), at.at.end());
      update(inner, at, from);
    });
  });
}

}  // namespace

const Node* final_scatter(const Graph& graph) {
  if (graph.outputs().size() != 1) return nullptr;
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::kScatterElements && node.op != Op::kScatterND) continue;
    const DType dtype = graph.type(node.outputs.front()).dtype;
    const bool replaces = node.attributes.text("reduction", "none") == "none";
    const bool holds_sums = replaces || !is_floating(dtype) || bits_of(dtype) >= 32;
    return holds_sums && node.outputs.front() == graph.outputs().front() ? &node : nullptr;
  }
  return nullptr;
}

Result<Function> lower_scatter(const Graph& graph, const Node& node, std::int64_t grain) {
  return ScatterLowering(graph, node, grain).run();
}

}  // namespace fuselab::codegen
