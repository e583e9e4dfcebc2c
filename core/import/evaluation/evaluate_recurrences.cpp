// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN, step after step.
#include <algorithm>
#include <cmath>

#include "core/import/evaluation/call.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

double activated(const std::string& name, double x) {
  if (name == "Sigmoid") return 1 / (1 + std::exp(-x));
  if (name == "Relu") return x < 0 ? 0 : x;
  return std::tanh(x);
}

struct Recurrence {
  std::int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1, gates = 1;
  std::vector<std::string> activations;  // of one direction, for each direction
  bool is_lstm = false, is_gru = false;
};

Result<Recurrence> recurrence_of(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  Recurrence form;
  form.is_lstm = call.op() == "LSTM";
  form.is_gru = call.op() == "GRU";
  form.gates = form.is_lstm ? 4 : form.is_gru ? 3 : 1;
  const Array &x = call.in(0), &w = call.in(1), &r = call.in(2);
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3) return invalid_argument("has operands of another rank");
  if (call.integer("layout", 0) != 0 || call.attribute("clip") != nullptr || call.integer("input_forget", 0) != 0 ||
      call.attribute("activation_alpha") != nullptr || call.attribute("activation_beta") != nullptr)
    return Error{ErrorCode::kUnsupported, "is a recurrence of a form that is not known"};
  form.steps = x.shape[0], form.batch = x.shape[1], form.inputs = x.shape[2];
  form.directions = w.shape[0], form.hidden = r.shape[2];
  const std::int64_t wanted = call.text("direction", "forward") == "bidirectional" ? 2 : 1, rows = form.gates * form.hidden;
  if (form.directions != wanted || w.shape != Extents{wanted, rows, form.inputs} || r.shape != Extents{wanted, rows, form.hidden})
    return invalid_argument("has weights that do not fit");
  const Extents state{wanted, form.batch, form.hidden};
  if (call.has(3) && call.in(3).shape != Extents{wanted, 2 * rows}) return invalid_argument("has a bias that does not fit");
  if (call.has(4) && call.in(4).count() != form.batch) return invalid_argument("has lengths that do not fit");
  if ((call.has(5) && call.in(5).shape != state) || (form.is_lstm && call.has(6) && call.in(6).shape != state))
    return invalid_argument("has a state that does not fit");
  if (form.is_lstm && call.has(7) && call.in(7).shape != Extents{wanted, 3 * form.hidden})
    return invalid_argument("has peepholes that do not fit");
  form.activations = call.texts("activations");
  if (form.activations.empty()) {
    const std::vector<std::string> one = form.is_lstm  ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                         : form.is_gru ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                       : std::vector<std::string>{"Tanh"};
    for (std::int64_t i = 0; i < wanted; ++i) form.activations.insert(form.activations.end(), one.begin(), one.end());
  }
  if (form.activations.size() != static_cast<std::size_t>(wanted * (form.is_lstm ? 3 : form.is_gru ? 2 : 1)))
    return invalid_argument("has activations that do not fit");
  for (const std::string& name : form.activations) {
    if (name != "Sigmoid" && name != "Tanh" && name != "Relu") return Error{ErrorCode::kUnsupported, "has the activation " + name};
  }
  return form;
}

// One direction of one entry of the batch.
class Cell {
 public:
  Cell(const Call& call, const Recurrence& form, std::int64_t direction, std::int64_t entry)
      : call_(call), form_(form), direction_(direction), hidden_(static_cast<std::size_t>(form.hidden)) {
    const std::size_t at = static_cast<std::size_t>(direction * form.batch + entry) * hidden_;
    h.assign(hidden_, 0.0);
    c.assign(hidden_, 0.0);
    if (call.has(5)) std::copy_n(call.in(5).data.begin() + static_cast<std::ptrdiff_t>(at), hidden_, h.begin());
    if (form.is_lstm && call.has(6)) std::copy_n(call.in(6).data.begin() + static_cast<std::ptrdiff_t>(at), hidden_, c.begin());
  }

  void step(const double* x) {
    if (form_.is_lstm) lstm(x);
    if (form_.is_gru) gru(x);
    if (!form_.is_lstm && !form_.is_gru) {
      std::vector<double> next(hidden_);
      for (std::size_t j = 0; j < hidden_; ++j) next[j] = activated(activation(0), from_input(x, 0, j) + from_state(h, 0, j));
      h = next;
    }
  }

  std::vector<double> h, c;

 private:
  const std::string& activation(std::size_t i) const {
    const std::size_t each = form_.activations.size() / static_cast<std::size_t>(form_.directions);
    return form_.activations[static_cast<std::size_t>(direction_) * each + i];
  }
  double bias(std::int64_t gate, std::size_t j, bool of_state) const {
    if (!call_.has(3)) return 0;
    const std::int64_t rows = form_.gates * form_.hidden;
    return call_.in(3).data[static_cast<std::size_t>(direction_ * 2 * rows + (of_state ? rows : 0) + gate * form_.hidden) + j];
  }
  double from_input(const double* x, std::int64_t gate, std::size_t j) const {
    const auto row = static_cast<std::size_t>(direction_ * form_.gates * form_.hidden + gate * form_.hidden) + j;
    const double* const w = call_.in(1).data.data() + row * static_cast<std::size_t>(form_.inputs);
    double sum = bias(gate, j, false);
    for (std::int64_t i = 0; i < form_.inputs; ++i) sum += w[i] * x[i];
    return sum;
  }
  double from_state(const std::vector<double>& state, std::int64_t gate, std::size_t j) const {
    const auto row = static_cast<std::size_t>(direction_ * form_.gates * form_.hidden + gate * form_.hidden) + j;
    const double* const r = call_.in(2).data.data() + row * hidden_;
    double sum = bias(gate, j, true);
    for (std::size_t i = 0; i < hidden_; ++i) sum += r[i] * state[i];
    return sum;
  }
  double peephole(std::size_t gate, std::size_t j) const {
    return call_.has(7) ? call_.in(7).data[(static_cast<std::size_t>(direction_) * 3 + gate) * hidden_ + j] : 0;
  }

  // Gates lie as input, output, forget, cell.
  void lstm(const double* x) {
    std::vector<double> next(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j) {
      const double i = activated(activation(0), from_input(x, 0, j) + from_state(h, 0, j) + peephole(0, j) * c[j]);
      const double f = activated(activation(0), from_input(x, 2, j) + from_state(h, 2, j) + peephole(2, j) * c[j]);
      const double held = f * c[j] + i * activated(activation(1), from_input(x, 3, j) + from_state(h, 3, j));
      const double o = activated(activation(0), from_input(x, 1, j) + from_state(h, 1, j) + peephole(1, j) * held);
      next[j] = o * activated(activation(2), held);
      c[j] = held;
    }
    h = next;
  }

  // Gates lie as update, reset, hidden.
  void gru(const double* x) {
    const bool linear = call_.integer("linear_before_reset", 0) != 0;
    std::vector<double> update(hidden_), reset(hidden_), next(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j) {
      update[j] = activated(activation(0), from_input(x, 0, j) + from_state(h, 0, j));
      reset[j] = activated(activation(0), from_input(x, 1, j) + from_state(h, 1, j));
    }
    std::vector<double> kept = h;
    for (std::size_t j = 0; j < hidden_ && !linear; ++j) kept[j] *= reset[j];
    for (std::size_t j = 0; j < hidden_; ++j) {
      const double state = linear ? reset[j] * from_state(h, 2, j) : from_state(kept, 2, j);
      next[j] = (1 - update[j]) * activated(activation(1), from_input(x, 2, j) + state) + update[j] * h[j];
    }
    h = next;
  }

  const Call& call_;
  const Recurrence& form_;
  std::int64_t direction_;
  std::size_t hidden_;
};

Evaluated evaluate_recurrence(const Call& call) {
  FL_TRY(const Recurrence form, recurrence_of(call));
  const Array& x = call.in(0);
  FL_TRY(Array all, zeros({form.steps, form.directions, form.batch, form.hidden}, x.type));
  FL_TRY(Array last, zeros({form.directions, form.batch, form.hidden}, x.type));
  Array cells = last;
  for (std::int64_t direction = 0; direction < form.directions; ++direction) {
    const bool backwards = direction == 1 || call.text("direction", "forward") == "reverse";
    for (std::int64_t entry = 0; entry < form.batch; ++entry) {
      const std::int64_t length = call.has(4) ? whole(call.in(4).data[static_cast<std::size_t>(entry)]) : form.steps;
      if (length < 0 || length > form.steps) return invalid_argument("has a length beyond its steps");
      Cell cell(call, form, direction, entry);
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t step = backwards ? length - 1 - i : i;
        cell.step(x.data.data() + (step * form.batch + entry) * form.inputs);
        std::copy(cell.h.begin(), cell.h.end(),
                  all.data.begin() + ((step * form.directions + direction) * form.batch + entry) * form.hidden);
      }
      const std::ptrdiff_t at = (direction * form.batch + entry) * form.hidden;
      std::copy(cell.h.begin(), cell.h.end(), last.data.begin() + at);
      std::copy(cell.c.begin(), cell.c.end(), cells.data.begin() + at);
    }
  }
  std::vector<Array> results{std::move(all), std::move(last)};
  if (form.is_lstm) results.push_back(std::move(cells));
  return results;
}

}  // namespace

void add_recurrences(EvaluatorTable& table) {
  for (const char* const name : {"LSTM", "GRU", "RNN"}) table[name] = evaluate_recurrence;
}

}  // namespace fuselab::onnx
