// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/recurrence/lower_recurrence.h"

#include <algorithm>
#include <functional>

#include "backends/codegen/cpu/recurrence/activated.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kRowsAtOnce = 8;  // of W or R: so many sums hide that each waits for the one before

// Where a run of numbers lies.
struct Run {
  std::string buffer;
  DType storage = DType::kF32;
  ExprPtr at;
};

class RecurrenceLowering {
 public:
  RecurrenceLowering(const Graph& graph, const RecurrenceKernel& kernel, const LaunchConfig& config)
      : kernel_(kernel),
        e_(kernel.extents),
        rows_(kernel.rows()),
        parameters_(name_parameters(graph, names_)),
        first_result_(parameters_.size() - kernel.results.size()),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        sequences_(std::min(config.integer("sequences", 1), e_.batch)),
        steps_(std::min(config.integer("steps", 1), e_.steps)),
        is_packed_(config.integer("pack", 0) != 0 && may_lay_out_ahead(graph, kernel, lanes_)),
        tile_m_(std::min<std::int64_t>(lanes_ * bits_of(kernel.compute) >= 512 ? 8 : 4, sequences_)),
        tile_n_(e_.hidden / lanes_ % 2 == 0 ? 2 : 1) {}

  Function run() {
    Function function;
    const std::int64_t blocks = ceil_div(e_.batch, sequences_);
    function.tasks = kernel_.directions() * blocks;
    made_ = scratch(function, "made", sequences_ * steps_ * rows_);
    sums_ = scratch(function, "sums", sequences_ * rows_);
    h_ = scratch(function, "state", sequences_ * e_.hidden);
    if (op() == Op::kLSTM) c_ = scratch(function, "cell", sequences_ * e_.hidden);
    if (resets_state()) seen_ = scratch(function, "seen", sequences_ * e_.hidden);
    const ExprPtr task = variable(function.task_variable, kIndex);
    BodyBuilder builder(function.body);
    direction_ = kernel_.directions() == 1 ? integer(0) : builder.declare("direction", task / integer(blocks));
    first_ = blocks == 1 ? integer(0) : builder.declare("first", task % integer(blocks) * integer(sequences_));
    count_ = e_.batch % sequences_ == 0
                 ? integer(sequences_)
                 : builder.declare("count", call("whole_min", kIndex, {integer(sequences_), integer(e_.batch) - first_}));
    if (is_packed_) lay_out_ahead(function);
    begin(function.body);
    Body& part = BodyBuilder(function.body).loop(LoopKind::kSerial, "part", integer(0), integer(e_.steps), integer(steps_));
    const ExprPtr here =
        e_.steps % steps_ == 0
            ? integer(steps_)
            : BodyBuilder(part).declare("here",
                                        call("whole_min", kIndex, {integer(steps_), integer(e_.steps) - variable("part", kIndex)}));
    make_products(part, here);
    go_on(BodyBuilder(part).loop(LoopKind::kSerial, "turn", integer(0), here, integer(1)));
    give_states(function.body);
    function.parameters = parameters_;
    return function;
  }

 private:
  using Visit = std::function<void(Body&, int)>;

  Op op() const { return kernel_.recurrence.op; }
  // A GRU whose state is reset before R sees it: its last gate's products wait for the others.
  bool resets_state() const { return op() == Op::kGRU && !kernel_.recurrence.linear_before_reset; }
  IrType type(int lanes) const { return {kernel_.compute, lanes}; }

  Run scratch(Function& function, const char* wish, std::int64_t count) {
    const std::string name = names_.unique(wish);
    function.scratch.push_back({name, kernel_.compute, function.scratch_bytes});
    function.scratch_bytes += ceil_div(count * bits_of(kernel_.compute) / 8, 64) * 64;
    return {name, kernel_.compute, integer(0)};
  }
  Run operand(std::size_t number, const ExprPtr& at) const {
    const KernelParameter& parameter = parameters_[kernel_.inputs[number]];
    return {parameter.name, parameter.storage, at};
  }
  ExprPtr value(const Run& run, const ExprPtr& further, int lanes) const {
    return load(run.buffer, run.at + further, type(lanes), run.storage);
  }
  static Run from(const Run& run, const ExprPtr& at) { return {run.buffer, run.storage, run.at + at}; }
  void put(Body& body, const Run& run, const ExprPtr& further, const ExprPtr& what) const {
    BodyBuilder(body).store({run.buffer, run.at + further, what, run.storage, false});
  }

  static Body& counted(Body& body, const char* name, const ExprPtr& end) {
    return BodyBuilder(body).loop(LoopKind::kSerial, name, integer(0), end, integer(1));
  }
  Body& each_sequence(Body& body) const { return counted(body, "one", count_); }
  // All units: registers, then what is left.
  void units(Body& body, const Visit& visit) const {
    const std::int64_t whole = e_.hidden / lanes_ * lanes_;
    if (whole > 0) visit(BodyBuilder(body).loop(LoopKind::kVector, "unit", integer(0), integer(whole), integer(lanes_)), lanes_);
    if (whole < e_.hidden)
      visit(BodyBuilder(body).loop(LoopKind::kSerial, "unit", integer(whole), integer(e_.hidden), integer(1)), 1);
  }

  // Where the states of a task's sequence lie in Y_h, Y_c and the operands like them.
  ExprPtr outer_state() const { return ((direction_ * integer(e_.batch)) + first_ + one_) * integer(e_.hidden); }
  ExprPtr own_state() const { return one_ * integer(e_.hidden); }

  void begin(Body& body) const {
    Body& each = each_sequence(body);
    const auto set = [&](const Run& state, std::optional<std::size_t> initial) {
      units(each, [&](Body& at, int lanes) {
        put(at, from(state, own_state()), unit_,
            initial ? value(operand(*initial, outer_state()), unit_, lanes) : real(0, type(lanes)));
      });
    };
    set(h_, kernel_.recurrence.initial_h);
    if (op() == Op::kLSTM) set(c_, kernel_.recurrence.initial_c);
  }

  // How many steps the sequence `one` has; null: all.
  ExprPtr length(Body& body) const {
    if (!kernel_.recurrence.lengths) return nullptr;
    const Run lengths = operand(*kernel_.recurrence.lengths, first_);
    const ExprPtr given = load(lengths.buffer, lengths.at + one_, kIndex, lengths.storage);
    const ExprPtr least = call("whole_max", kIndex, {given, integer(0)});
    return BodyBuilder(body).declare("length", call("whole_min", kIndex, {least, integer(e_.steps)}));
  }
  // The step that the sequence `one` takes at turn part + turn. Beyond its length it is the turn's number.
  ExprPtr step(Body& body, const ExprPtr& length) const {
    BodyBuilder builder(body);
    const ExprPtr now = variable("part", kIndex) + variable("turn", kIndex);
    const auto& backwards = kernel_.recurrence.backwards;
    if (backwards == std::vector<bool>{false}) return now;
    const ExprPtr last = (length ? length : integer(e_.steps)) - integer(1);
    if (backwards.size() == 1 && !length) return builder.declare("step", last - now);
    const ExprPtr step = builder.declare_variable("step", now);
    ExprPtr turns = length ? binary("<", now, length) : nullptr;
    if (backwards.size() == 2) {
      const ExprPtr second = binary("==", direction_, integer(1));
      turns = turns ? binary("&&", turns, second) : second;
    }
    BodyBuilder(builder.when(turns)).assign(step, last - now);
    return step;
  }

  // Rows [begin, end) of a matrix times a vector; `base` is where the matrix's row 0 begins. `each` gets a body and a number of
  // rows at once: it says for which vectors, and calls dot().
  void over_rows(Body& body, std::int64_t begin, std::int64_t end, const std::function<void(Body&, std::int64_t)>& each) const {
    const std::int64_t whole = begin + (end - begin) / kRowsAtOnce * kRowsAtOnce;
    const auto loop = [&](std::int64_t from, std::int64_t to, std::int64_t step) -> Body& {
      return BodyBuilder(body).loop(LoopKind::kSerial, "row", integer(from), integer(to), integer(step));
    };
    if (whole > begin) each(loop(begin, whole, kRowsAtOnce), kRowsAtOnce);
    if (whole < end) each(loop(whole, end, 1), 1);
  }
  // Declares `total`: the products of so many rows from `row` on with a vector.
  void dot(Body& body, std::int64_t rows, const Run& matrix, const Run& vector, std::int64_t depth) const {
    BodyBuilder builder(body);
    const auto each_row = [&](Body& at) -> Body& {
      return BodyBuilder(at).loop(LoopKind::kUnrolled, "r", integer(0), integer(rows), integer(1));
    };
    const ExprPtr r = variable("r", kIndex), k = variable("k", kIndex);
    const ExprPtr row = (variable("row", kIndex) + r) * integer(depth) + k;
    const auto add = [&](Body& at, const char* sums, int lanes) {
      const ExprPtr sum = element(sums, {r}, type(lanes));
      const ExprPtr x = BodyBuilder(at).declare("x", value(vector, k, lanes));
      BodyBuilder(each_row(at)).assign(sum, sum + value(matrix, row, lanes) * x);
    };
    const std::int64_t whole = depth / lanes_ * lanes_;
    builder.declare_array("total", type(1), {rows});
    const ExprPtr total = element("total", {r}, type(1));
    if (whole > 0) {
      builder.declare_array("wide", type(lanes_), {rows});
      const ExprPtr wide = element("wide", {r}, type(lanes_));
      BodyBuilder(each_row(body)).assign(wide, real(0, type(lanes_)));
      add(BodyBuilder(body).loop(LoopKind::kVector, "k", integer(0), integer(whole), integer(lanes_)), "wide", lanes_);
      BodyBuilder(each_row(body)).assign(total, call("sum", type(1), {wide}));
    } else {
      BodyBuilder(each_row(body)).assign(total, real(0, type(1)));
    }
    if (whole < depth) add(BodyBuilder(body).loop(LoopKind::kSerial, "k", integer(whole), integer(depth), integer(1)), "total", 1);
  }

  std::int64_t strip() const { return tile_n_ * lanes_; }
  // Where W or R of the task's direction begins among what lies ahead.
  ExprPtr packed_at(std::size_t number, const ExprPtr& direction) const {
    return direction * integer(rows_ * (e_.width + e_.hidden)) + integer(number == 1 ? 0 : rows_ * e_.width);
  }
  // Lays W and R out in strips, whose columns are their rows: sums of several sequences then share what is read, and no sum goes
  // across a register.
  void lay_out_ahead(Function& function) {
    packed_ = names_.unique("packed");
    Function prepare;
    prepare.tasks = kernel_.directions() * (rows_ / strip());
    prepare.parameters = parameters_;
    prepare.parameters.push_back({packed_, kernel_.compute, true});
    function.prepared_inputs = {static_cast<int>(kernel_.inputs[1]), static_cast<int>(kernel_.inputs[2])};
    std::sort(function.prepared_inputs.begin(), function.prepared_inputs.end());
    function.prepared_bytes = kernel_.directions() * rows_ * (e_.width + e_.hidden) * bits_of(kernel_.compute) / 8;
    const ExprPtr task = variable(prepare.task_variable, kIndex);
    BodyBuilder builder(prepare.body);
    const ExprPtr direction = builder.declare("direction", task / integer(rows_ / strip()));
    const ExprPtr first = builder.declare("first", task % integer(rows_ / strip()) * integer(strip()));
    for (const std::size_t number : {std::size_t{1}, std::size_t{2}}) {
      const std::int64_t depth = number == 1 ? e_.width : e_.hidden;
      Body& columns = counted(prepare.body, "row", integer(strip()));
      const ExprPtr row = variable("row", kIndex), k = variable("k", kIndex);
      const Run from = operand(number, (direction * integer(rows_) + first + row) * integer(depth));
      put(counted(columns, "k", integer(depth)), {packed_, kernel_.compute, packed_at(number, direction)},
          first * integer(depth) + k * integer(strip()) + row, value(from, k, 1));
    }
    function.before.push_back(std::move(prepare));
    parameters_.push_back({packed_, kernel_.compute, false});
  }

  // Rows [begin, end) of W or R times the vectors of all sequences, as they lie ahead. `vector` and `to` say where a sequence's
  // are.
  using OfSequence = std::function<Run(const ExprPtr&)>;
  void multiply_packed(Body& body, std::size_t number, std::int64_t begin, std::int64_t end, const OfSequence& vector,
                       const OfSequence& to) const {
    Body& strips = BodyBuilder(body).loop(LoopKind::kSerial, "row", integer(begin), integer(end), integer(strip()));
    const auto loop = [&](LoopKind kind, const ExprPtr& from, std::int64_t step) -> Body& {
      return BodyBuilder(strips).loop(kind, "one", from, count_, integer(step));
    };
    tile(loop(LoopKind::kVector, integer(0), tile_m_), tile_m_, number, vector, to);
    const bool fills = sequences_ % tile_m_ == 0 && e_.batch % sequences_ % tile_m_ == 0;
    if (!fills) tile(loop(LoopKind::kSerial, count_ / integer(tile_m_) * integer(tile_m_), 1), 1, number, vector, to);
  }
  void tile(Body& body, std::int64_t sequences, std::size_t number, const OfSequence& vector, const OfSequence& to) const {
    const ExprPtr i = variable("i", kIndex), j = variable("j", kIndex), k = variable("k", kIndex), row = variable("row", kIndex);
    const std::int64_t depth = number == 1 ? e_.width : e_.hidden;
    const IrType wide = type(lanes_);
    const auto over = [](Body& at, const char* name, std::int64_t count) -> Body& {
      return BodyBuilder(at).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
    };
    const ExprPtr total = element("total", {i, j}, wide), right = element("right", {j}, wide);
    BodyBuilder(body).declare_array("total", wide, {sequences, tile_n_});
    BodyBuilder(over(over(body, "i", sequences), "j", tile_n_)).assign(total, real(0, wide));
    Body& sum = BodyBuilder(body).loop(LoopKind::kSerial, "k", integer(0), integer(depth), integer(1));
    BodyBuilder(sum).declare_array("right", wide, {tile_n_});
    const ExprPtr at = packed_at(number, direction_) + row * integer(depth) + k * integer(strip()) + j * integer(lanes_);
    BodyBuilder(over(sum, "j", tile_n_)).assign(right, load(packed_, at, wide, kernel_.compute));
    Body& each = over(sum, "i", sequences);
    const ExprPtr left = BodyBuilder(each).declare("left", call("spread", wide, {value(vector(one_ + i), k, 1)}));
    BodyBuilder(over(each, "j", tile_n_)).assign(total, total + left * right);
    put(over(over(body, "i", sequences), "j", tile_n_), to(one_ + i), row + j * integer(lanes_), total);
  }

  // Where the products of a sequence at `turn` lie.
  ExprPtr made_at(const ExprPtr& one) const { return (one * integer(steps_) + variable("turn", kIndex)) * integer(rows_); }
  ExprPtr made_at() const { return made_at(one_); }

  // W times X of some steps, and all biases that are added to it.
  void make_products(Body& body, const ExprPtr& here) const {
    if (is_packed_) {
      Body& turn = counted(body, "turn", here);
      const ExprPtr step = this->step(turn, nullptr);
      multiply_packed(
          turn, 1, 0, rows_,
          [&](const ExprPtr& one) { return operand(0, ((step * integer(e_.batch)) + first_ + one) * integer(e_.width)); },
          [&](const ExprPtr& one) { return from(made_, made_at(one)); });
      return add_biases(body, here);
    }
    const Run w = operand(1, direction_ * integer(rows_ * e_.width));
    over_rows(body, 0, rows_, [&](Body& rows, std::int64_t at_once) {
      Body& sequence = each_sequence(rows);
      const ExprPtr length = this->length(sequence);
      Body& turn = counted(sequence, "turn", here);
      const ExprPtr step = this->step(turn, length);
      const Run x = operand(0, ((step * integer(e_.batch)) + first_ + one_) * integer(e_.width));
      dot(turn, at_once, w, x, e_.width);
      Body& each = BodyBuilder(turn).loop(LoopKind::kUnrolled, "r", integer(0), integer(at_once), integer(1));
      const ExprPtr row = variable("row", kIndex) + variable("r", kIndex);
      put(each, from(made_, made_at()), row, element("total", {variable("r", kIndex)}, type(1)));
    });
    add_biases(body, here);
  }
  void add_biases(Body& body, const ExprPtr& here) const {
    if (!kernel_.recurrence.bias) return;
    const Run of_w = operand(*kernel_.recurrence.bias, direction_ * integer(2 * rows_)), of_r = from(of_w, integer(rows_));
    Body& turn = counted(each_sequence(body), "turn", here);
    const std::int64_t gates = kernel_.recurrence.gates();
    for (std::int64_t gate = 0; gate < gates; ++gate) {
      // Where a GRU resets what R makes of the state, R's bias is a part of that.
      const bool waits = op() == Op::kGRU && !resets_state() && gate == 2;
      units(turn, [&](Body& at, int lanes) {
        const ExprPtr row = integer(gate * e_.hidden) + unit_;
        const ExprPtr sum = value(from(made_, made_at()), row, lanes) + value(of_w, row, lanes);
        put(at, from(made_, made_at()), row, waits ? sum : sum + value(of_r, row, lanes));
      });
    }
  }

  // R's rows [begin, end) times the states.
  void multiply_states(Body& body, const Run& states, std::int64_t begin, std::int64_t end) const {
    if (is_packed_) {
      return multiply_packed(
          body, 2, begin, end, [&](const ExprPtr& one) { return from(states, one * integer(e_.hidden)); },
          [&](const ExprPtr& one) { return from(sums_, one * integer(rows_)); });
    }
    const Run r = operand(2, direction_ * integer(rows_ * e_.hidden));
    over_rows(body, begin, end, [&](Body& rows, std::int64_t at_once) {
      Body& sequence = each_sequence(rows);
      dot(sequence, at_once, r, from(states, own_state()), e_.hidden);
      Body& each = BodyBuilder(sequence).loop(LoopKind::kUnrolled, "r", integer(0), integer(at_once), integer(1));
      const ExprPtr row = variable("row", kIndex) + variable("r", kIndex);
      put(each, from(sums_, one_ * integer(rows_)), row, element("total", {variable("r", kIndex)}, type(1)));
    });
  }

  // One step of all sequences.
  void go_on(Body& body) const {
    const std::int64_t whole = resets_state() ? 2 * e_.hidden : rows_;
    multiply_states(body, h_, 0, whole);
    if (resets_state()) {
      Body& sequence = each_sequence(body);
      by_direction(sequence, [&](Body& at, std::size_t direction) { reset_states(at, direction); });
      multiply_states(body, seen_, whole, rows_);
    }
    Body& sequence = each_sequence(body);
    const ExprPtr length = this->length(sequence);
    const ExprPtr step = this->step(sequence, length);
    const ExprPtr now = variable("part", kIndex) + variable("turn", kIndex);
    Body& still = length ? BodyBuilder(sequence).when(binary("<", now, length)) : sequence;
    by_direction(still, [&](Body& at, std::size_t direction) { take(at, direction, step); });
    if (length) {
      Body& over = BodyBuilder(sequence).when(binary(">=", now, length));
      for (std::size_t i = 0; i < kernel_.results.size(); ++i) {
        if (kernel_.results[i] != 0) continue;
        units(over, [&](Body& at, int lanes) { put(at, result(i, step), unit_, real(0, type(lanes))); });
      }
    }
  }

  // Calls `write` once where both directions have the same functions.
  void by_direction(Body& body, const std::function<void(Body&, std::size_t)>& write) const {
    const Recurrence& r = kernel_.recurrence;
    const auto same = [](const Activation& a, const Activation& b) {
      return a.kind == b.kind && a.alpha == b.alpha && a.beta == b.beta;
    };
    bool alike = true;
    for (std::size_t i = 0; i < r.functions() && r.directions() == 2; ++i)
      alike = alike && same(r.activation(0, i), r.activation(1, i));
    if (alike) return write(body, 0);
    for (std::size_t d = 0; d < 2; ++d)
      write(BodyBuilder(body).when(binary("==", direction_, integer(static_cast<std::int64_t>(d)))), d);
  }

  // The row of Y of sequence `one` at a step.
  Run result(std::size_t output, const ExprPtr& step) const {
    const KernelParameter& parameter = parameters_[first_result_ + output];
    const ExprPtr row = (step * integer(kernel_.directions()) + direction_) * integer(e_.batch) + first_ + one_;
    return {parameter.name, parameter.storage, row * integer(e_.hidden)};
  }

  // What W and the biases gave a gate of the units from `unit` on, and what R gave.
  ExprPtr given(std::int64_t gate, int lanes) const {
    return value(from(made_, made_at()), integer(gate * e_.hidden) + unit_, lanes);
  }
  ExprPtr recalled(std::int64_t gate, int lanes) const {
    return value(from(sums_, one_ * integer(rows_)), integer(gate * e_.hidden) + unit_, lanes);
  }
  ExprPtr with_peephole(const ExprPtr& sum, std::int64_t gate, const ExprPtr& cell) const {
    if (!kernel_.recurrence.peepholes) return sum;
    const Run p = operand(*kernel_.recurrence.peepholes, (direction_ * integer(3) + integer(gate)) * integer(e_.hidden));
    return sum + value(p, unit_, sum->type.lanes) * cell;
  }
  ExprPtr apply(std::size_t direction, std::size_t which, ExprPtr x) const {
    if (const auto clip = kernel_.recurrence.clip) x = bounded(x, -*clip, *clip);
    return activated(kernel_.recurrence.activation(direction, which), x);
  }

  // A GRU's first two gates: the first stays in the sums, the second resets what R will be shown.
  void reset_states(Body& body, std::size_t direction) const {
    units(body, [&](Body& at, int lanes) {
      const ExprPtr update = BodyBuilder(at).declare("before", given(0, lanes) + recalled(0, lanes));
      put(at, from(sums_, one_ * integer(rows_)), unit_, apply(direction, 0, update));
      const ExprPtr reset = BodyBuilder(at).declare("reset", given(1, lanes) + recalled(1, lanes));
      put(at, from(seen_, own_state()), unit_, apply(direction, 0, reset) * value(from(h_, own_state()), unit_, lanes));
    });
  }

  void take(Body& body, std::size_t direction, const ExprPtr& step) const {
    units(body, [&](Body& at, int lanes) {
      const ExprPtr h = op() == Op::kLSTM ? take_lstm(at, direction, lanes)
                        : op() == Op::kGRU
                            ? take_gru(at, direction, lanes)
                            : apply(direction, 0, BodyBuilder(at).declare("sum", given(0, lanes) + recalled(0, lanes)));
      const ExprPtr kept = BodyBuilder(at).declare("next", h);
      put(at, from(h_, own_state()), unit_, kept);
      for (std::size_t i = 0; i < kernel_.results.size(); ++i) {
        if (kernel_.results[i] == 0) put(at, result(i, step), unit_, kept);
      }
    });
  }

  ExprPtr take_lstm(Body& body, std::size_t direction, int lanes) const {
    BodyBuilder builder(body);
    const Run cells = from(c_, own_state());
    const ExprPtr before = builder.declare("before", value(cells, unit_, lanes));
    const auto gate = [&](const char* name, std::size_t function, std::int64_t number, std::int64_t peephole, const ExprPtr& cell) {
      const ExprPtr sum = given(number, lanes) + recalled(number, lanes);
      const ExprPtr whole = builder.declare(std::string("of_") + name, cell ? with_peephole(sum, peephole, cell) : sum);
      return builder.declare(name, apply(direction, function, whole));
    };
    const ExprPtr in = gate("in", 0, 0, 0, before);
    const ExprPtr kept =
        kernel_.recurrence.couples_gates ? builder.declare("kept", real(1, type(lanes)) - in) : gate("kept", 0, 2, 2, before);
    const ExprPtr fresh = gate("fresh", 1, 3, 0, nullptr);
    const ExprPtr cell = builder.declare("cell_now", kept * before + in * fresh);
    put(body, cells, unit_, cell);
    const ExprPtr out = gate("out", 0, 1, 1, cell);
    return out * apply(direction, 2, cell);
  }

  ExprPtr take_gru(Body& body, std::size_t direction, int lanes) const {
    BodyBuilder builder(body);
    const ExprPtr before = builder.declare("before", value(from(h_, own_state()), unit_, lanes));
    ExprPtr update = recalled(0, lanes), of_state = recalled(2, lanes);
    if (!resets_state()) {
      const ExprPtr of_update = builder.declare("of_update", given(0, lanes) + recalled(0, lanes));
      update = builder.declare("update", apply(direction, 0, of_update));
      const ExprPtr of_reset = builder.declare("of_reset", given(1, lanes) + recalled(1, lanes));
      if (kernel_.recurrence.bias) {
        const Run biases = operand(*kernel_.recurrence.bias, direction_ * integer(2 * rows_) + integer(rows_ + 2 * e_.hidden));
        of_state = of_state + value(biases, unit_, lanes);
      }
      of_state = builder.declare("of_state", apply(direction, 0, of_reset) * of_state);
    } else {
      update = builder.declare("update", update);
    }
    const ExprPtr of_fresh = builder.declare("of_fresh", given(2, lanes) + of_state);
    const ExprPtr fresh = builder.declare("fresh", apply(direction, 1, of_fresh));
    return (real(1, type(lanes)) - update) * fresh + update * before;
  }

  void give_states(Body& body) const {
    for (std::size_t i = 0; i < kernel_.results.size(); ++i) {
      if (kernel_.results[i] == 0) continue;
      const KernelParameter& parameter = parameters_[first_result_ + i];
      const Run& state = kernel_.results[i] == 1 ? h_ : c_;
      units(each_sequence(body), [&](Body& at, int lanes) {
        put(at, {parameter.name, parameter.storage, outer_state()}, unit_, value(from(state, own_state()), unit_, lanes));
      });
    }
  }

  const RecurrenceKernel& kernel_;
  const RecurrenceExtents& e_;
  std::int64_t rows_;
  Names names_{{"part",  "turn",  "here",    "one",    "unit",      "row",       "r",       "k",        "x",   "wide",
                "total", "step",  "length",  "first",  "count",     "direction", "before",  "next",     "sum", "in",
                "of_in", "kept",  "of_kept", "fresh",  "of_fresh",  "out",       "of_out",  "cell_now", "i",   "j",
                "left",  "right", "reset",   "update", "of_update", "of_reset",  "of_state"}};
  std::vector<KernelParameter> parameters_;
  std::size_t first_result_;
  int lanes_;
  std::int64_t sequences_, steps_;
  bool is_packed_;
  std::int64_t tile_m_, tile_n_;  // sequences that share what is read of W or R; registers of its rows
  std::string packed_;
  Run made_, sums_, h_, c_, seen_;
  ExprPtr direction_, first_, count_;
  const ExprPtr one_ = variable("one", kIndex);
  const ExprPtr unit_ = variable("unit", kIndex);
};

}  // namespace

bool may_lay_out_ahead(const Graph& graph, const RecurrenceKernel& kernel, std::int64_t lanes) {
  const auto is_constant = [&](std::size_t input) {
    return input < graph.inputs().size() && graph.value(graph.inputs()[input]).origin == ValueOrigin::kParam;
  };
  return is_constant(kernel.inputs[1]) && is_constant(kernel.inputs[2]) && !kernel.recurrence.lengths &&
         kernel.extents.hidden % lanes == 0 && kernel.extents.batch > 1;
}

Function lower_recurrence(const Graph& graph, const RecurrenceKernel& kernel, const LaunchConfig& config) {
  return RecurrenceLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
