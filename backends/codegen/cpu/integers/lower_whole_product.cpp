// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/integers/lower_whole_product.h"

#include <algorithm>

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr DType kWhole = DType::kU32;  // wraps where it overflows, as the numbers of i32 do
constexpr std::int64_t kDigit = 65536;

class WholeProductLowering {
 public:
  WholeProductLowering(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config)
      : c_(kernel.contraction),
        parameters_(name_parameters(graph, names_)),
        lanes_(static_cast<int>(config.integer("vector", 4))),
        tile_m_(std::min(config.integer("tile_m", 1), c_.m)),
        tile_n_(config.integer("tile_n", 1)),
        rows_per_task_(std::min(config.integer("rows_per_task", 64), c_.m)),
        strips_(config.integer("strips", 1)),
        dot_(config.choice("dot", "pairs") == "vnni" ? "dot_digits_vnni" : "dot_digits") {
    for (KernelParameter& parameter : parameters_) parameter.storage = kWhole;
  }

  Function run() {
    decode_task();
    left_low_ = scratch("left_low", rows_per_task_ * pairs());
    left_high_ = scratch("left_high", rows_per_task_ * pairs());
    right_low_ = scratch("right_low", pairs() * strip());
    right_high_ = scratch("right_high", pairs() * strip());
    tops_ = scratch("tops", 2 * std::int64_t{lanes_});
    if (c_.n % lanes_ != 0) edge_ = scratch("edge", lanes_);
    lay_rows_out();
    Body& each = BodyBuilder(function_.body).loop(LoopKind::kSerial, "strip_at", first_col_, last_col_, integer(strip()));
    const ExprPtr wish = variable("strip_at", kIndex) + integer(strip());
    first_col_ = variable("strip_at", kIndex);
    last_col_ = bounded(each, "strip_end", wish, c_.n, c_.n % strip() != 0);
    lay_strip_out(each);
    tiles(each, false);
    const auto is_high = [&](std::int64_t at) { return binary("!=", top(at), integer(0)); };
    tiles(BodyBuilder(each).when(binary("||", is_high(0), is_high(lanes_))), true);
    function_.parameters = parameters_;
    return std::move(function_);
  }

 private:
  std::int64_t strip() const { return tile_n_ * lanes_; }
  std::int64_t pairs() const { return ceil_div(c_.k, 2); }
  IrType whole(int lanes) const { return {kWhole, lanes}; }
  ExprPtr splat(std::int64_t number) const { return call("splat", whole(lanes_), {integer(number)}); }
  static ExprPtr pointer(const std::string& name) { return variable(name, kIndex); }
  const std::string& operand(int position) const { return parameters_[static_cast<std::size_t>(position)].name; }
  const std::string& result() const { return parameters_.back().name; }
  ExprPtr top(std::int64_t at) const { return load(tops_, integer(at), kIndex, kWhole); }

  std::string scratch(const char* wish, std::int64_t elements) {
    const std::string name = names_.unique(wish);
    const std::int64_t offset = ceil_div(function_.scratch_bytes, 64) * 64;
    function_.scratch.push_back({name, kWhole, offset});
    function_.scratch_bytes = offset + elements * 4;
    return name;
  }

  static ExprPtr bounded(Body& body, const std::string& name, const ExprPtr& wish, std::int64_t limit, bool may_exceed) {
    BodyBuilder builder(body);
    if (!may_exceed) return builder.declare(name, wish);
    const ExprPtr last = builder.declare_variable(name, wish);
    BodyBuilder(builder.when(binary(">", last, integer(limit)))).assign(last, integer(limit));
    return last;
  }

  void decode_task() {
    const std::int64_t columns = strip() * strips_;
    const std::int64_t row_blocks = ceil_div(c_.m, rows_per_task_), col_blocks = ceil_div(c_.n, columns);
    function_.tasks = c_.batches() * row_blocks * col_blocks;
    const ExprPtr task = variable(function_.task_variable, kIndex);
    BodyBuilder builder(function_.body);
    batch_ = builder.declare("batch", task / integer(row_blocks * col_blocks));
    const ExprPtr within = task % integer(row_blocks * col_blocks);
    first_row_ = builder.declare("first_row", within % integer(row_blocks) * integer(rows_per_task_));
    last_row_ = bounded(function_.body, "last_row", first_row_ + integer(rows_per_task_), c_.m, c_.m % rows_per_task_ != 0);
    BodyBuilder more(function_.body);
    first_col_ = more.declare("first_col", within / integer(row_blocks) * integer(columns));
    last_col_ = bounded(function_.body, "last_col", first_col_ + integer(columns), c_.n, c_.n % columns != 0);
    BodyBuilder last(function_.body);
    left_base_ = last.declare("left_at", strided_offset(c_.batch_extents, c_.left_strides, batch_));
    right_base_ = last.declare("right_at", strided_offset(c_.batch_extents, c_.right_strides, batch_));
  }

  // What high digits there are lies in `tops_`: of the rows first, then of the strip.
  void lay_rows_out() {
    BodyBuilder builder(function_.body);
    const ExprPtr tops = builder.declare_variable("row_tops", splat(0));
    Body& each = builder.loop(LoopKind::kSerial, "row", first_row_, last_row_, integer(1));
    const ExprPtr row = variable("row", kIndex);
    BodyBuilder(each).assign(tops, call("left_digits", whole(lanes_),
                                        {tops, pointer(operand(c_.left)), left_base_ + row * integer(c_.left_row), integer(c_.k),
                                         pointer(left_low_), pointer(left_high_), (row - first_row_) * integer(pairs())}));
    BodyBuilder(function_.body).store({tops_, integer(0), call("any_of", whole(lanes_), {tops}), kWhole, false});
  }

  void lay_strip_out(Body& body) {
    const ExprPtr tops = call("right_digits", whole(lanes_),
                              {pointer(operand(c_.right)), right_base_ + first_col_, integer(c_.right_stride), integer(c_.k),
                               last_col_ - first_col_, integer(strip()), pointer(right_low_), pointer(right_high_)});
    BodyBuilder(body).store({tops_, integer(lanes_), call("any_of", whole(lanes_), {tops}), kWhole, false});
  }

  // The sum of the low digits' products is stored; that of the others is added to it.
  void tiles(Body& body, bool adds_high) {
    const ExprPtr row = variable("row", kIndex);
    tile(BodyBuilder(body).loop(LoopKind::kVector, "row", first_row_, last_row_, integer(tile_m_)), tile_m_, row, adds_high);
    if (tile_m_ == 1 || (c_.m % tile_m_ == 0 && rows_per_task_ % tile_m_ == 0)) return;
    const ExprPtr begin = first_row_ + (last_row_ - first_row_) / integer(tile_m_) * integer(tile_m_);
    tile(BodyBuilder(body).loop(LoopKind::kSerial, "row", begin, last_row_, integer(1)), 1, row, adds_high);
  }

  void tile(Body& body, std::int64_t rows, const ExprPtr& row, bool adds_high) {
    const ExprPtr i = variable("i", kIndex), j = variable("j", kIndex), pair = variable("pair", kIndex);
    const ExprPtr total = element("total", {i, j}, whole(lanes_));
    BodyBuilder builder(body);
    builder.declare_array("total", whole(lanes_), {rows, tile_n_});
    BodyBuilder(over(over(body, "i", rows), "j", tile_n_)).assign(total, splat(0));
    Body& sum = builder.loop(LoopKind::kSerial, "pair", integer(0), integer(pairs()), integer(1));
    const auto products = [&](const std::string& left, const std::string& right) {
      Body& scope = BodyBuilder(sum).scope();
      BodyBuilder(scope).declare_array("right", whole(lanes_), {tile_n_});
      const ExprPtr beside = element("right", {j}, whole(lanes_));
      BodyBuilder(over(scope, "j", tile_n_))
          .assign(beside, load(right, pair * integer(strip()) + j * integer(lanes_), whole(lanes_), kWhole));
      Body& each_row = over(scope, "i", rows);
      const ExprPtr one = load(left, (row + i - first_row_) * integer(pairs()) + pair, whole(1), kWhole);
      const ExprPtr here = BodyBuilder(each_row).declare("left", lanes_ > 1 ? call("spread", whole(lanes_), {one}) : one);
      BodyBuilder(over(each_row, "j", tile_n_)).assign(total, call(dot_, whole(lanes_), {total, here, beside}));
    };
    products(adds_high ? left_high_ : left_low_, right_low_);
    if (adds_high) products(left_low_, right_high_);
    put(body, rows, row, adds_high);
  }

  void put(Body& body, std::int64_t rows, const ExprPtr& row, bool adds_high) {
    const ExprPtr i = variable("i", kIndex), j = variable("j", kIndex);
    const ExprPtr total = element("total", {i, j}, whole(lanes_));
    const ExprPtr column = first_col_ + j * integer(lanes_);
    const ExprPtr begin = (batch_ * integer(c_.m) + row + i) * integer(c_.n);
    const ExprPtr made = adds_high ? total * splat(kDigit) : total;
    const auto store = [&](Body& at, const ExprPtr& to, const ExprPtr& value) {
      const ExprPtr before = load(result(), begin + to, value->type, kWhole);
      BodyBuilder(at).store({result(), begin + to, adds_high ? before + value : value, kWhole, false});
    };
    Body& each = over(over(body, "i", rows), "j", tile_n_);
    if (c_.n % strip() == 0) return store(each, column, made);
    const ExprPtr end = column + integer(lanes_);
    store(BodyBuilder(each).when(binary("<=", end, last_col_)), column, made);
    if (c_.n % lanes_ == 0) return;
    // Register by register through memory: the elements behind the last column are no results.
    Body& part = BodyBuilder(each).when(binary("&&", binary("<", column, last_col_), binary(">", end, last_col_)));
    BodyBuilder(part).store({edge_, integer(0), made, kWhole, false});
    Body& one = BodyBuilder(part).loop(LoopKind::kSerial, "col", column, last_col_, integer(1));
    const ExprPtr col = variable("col", kIndex);
    store(one, col, load(edge_, col - column, whole(1), kWhole));
  }

  static Body& over(Body& at, const char* name, std::int64_t count) {
    return BodyBuilder(at).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
  }

  const Contraction& c_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  int lanes_;
  std::int64_t tile_m_, tile_n_, rows_per_task_, strips_;
  std::string dot_;
  std::string left_low_, left_high_, right_low_, right_high_, tops_, edge_;
  Function function_;
  ExprPtr batch_, left_base_, right_base_, first_row_, last_row_, first_col_, last_col_;
};

}  // namespace

Function lower_whole_product(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config) {
  return WholeProductLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
