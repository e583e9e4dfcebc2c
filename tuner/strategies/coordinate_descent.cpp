// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "tuner/strategies/strategies.h"
#include "tuner/strategies/visited_space.h"

namespace fuselab::tuner {
namespace {

constexpr double kNoCost = std::numeric_limits<double>::infinity();
// Found by replaying nine recorded spaces (pnpoly, convolution, dedispersion, GEMM on several GPUs) with budgets of 64 and 128.
constexpr std::size_t kFirstProbes = 4;    // points looked at before a descent, the starts among them; the best is descended from
constexpr std::size_t kRestartProbes = 8;  // the same for later descents
constexpr std::size_t kWholeLine = 4;      // axes up to this long are tried whole, longer ordered ones coarse to fine
constexpr std::size_t kTogether = 2;       // asked at least, where there is anything: one alone leaves every other compiler idle

class CoordinateDescent final : public SearchStrategy {
 public:
  CoordinateDescent(const ParameterSpace& space, const Starts& starts, std::uint64_t seed) : points_(space, seed) {
    for (const Positions& each : starts) enqueue(each);
    probes_.assign(queue_.begin(), queue_.end());
    draw_probes(kFirstProbes);
  }

  std::string_view id() const override { return "coordinate-descent"; }

  std::vector<LaunchConfig> ask(std::size_t count) override {
    std::vector<LaunchConfig> asked;
    // The results of what was asked must be told before the next decision, so a call decides only while it has nothing to ask.
    while (asked.size() < count && (!queue_.empty() || (asked.empty() && decide()))) {
      asked.push_back(points_.space().at(queue_.front()));
      queue_.pop_front();
    }
    while (!asked.empty() && asked.size() < std::min(count, kTogether)) {
      const auto ahead = take_ahead();
      if (!ahead) break;
      asked.push_back(points_.space().at(*ahead));
    }
    return asked;
  }

  void tell(std::span<const Observation> results) override {
    for (const auto& told : results) {
      const auto positions = points_.space().positions_of(told.config);
      if (!positions) continue;
      points_.take(*positions);
      costs_[*positions] = told.cost.value_or(kNoCost);
    }
  }

  bool exhausted() override { return queue_.empty() && points_.exhausted(); }

 private:
  double cost_of(const Positions& positions) const {
    const auto found = costs_.find(positions);
    return found == costs_.end() ? kNoCost : found->second;
  }

  void enqueue(const Positions& positions) {
    if (points_.take(positions)) queue_.push_back(positions);
  }

  // Tops the probes up with random points; false when there was none left at all.
  bool draw_probes(std::size_t wanted) {
    while (probes_.size() < wanted) {
      const auto drawn = points_.take_random();
      if (!drawn) break;
      probes_.push_back(*drawn);
      queue_.push_back(*drawn);
    }
    return !probes_.empty();
  }

  // Everything asked is told: fills the queue with what should be known next. False when nothing is left to ask.
  bool decide() {
    while (queue_.empty()) {
      if (!probes_.empty()) {
        begin_descent();
      } else if (!continue_descent() && !draw_probes(kRestartProbes)) {
        return false;
      }
    }
    return true;
  }

  void begin_descent() {
    current_ = *std::min_element(probes_.begin(), probes_.end(),
                                 [&](const Positions& a, const Positions& b) { return cost_of(a) < cost_of(b); });
    probes_.clear();
    order_.resize(points_.axes());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[points_.random().below(i)]);
    turn_ = 0;
    idle_axes_ = 0;
    if (!order_.empty()) begin_line();
  }

  // The points of the current axis that share the current point's position modulo the step.
  void begin_line() {
    const std::size_t axis = order_[turn_];
    step_ = first_step_of(axis);
    moved_ = false;
    Positions candidate = current_;
    for (std::size_t position = current_[axis] % step_; position < points_.size_of_axis(axis); position += step_) {
      candidate[axis] = position;
      enqueue(candidate);
    }
  }

  // A point of the axes whose turn comes next: of their lines, unless this axis moves the descent.
  std::optional<Positions> take_ahead() {
    if (!probes_.empty()) return std::nullopt;
    for (std::size_t ahead = 1; ahead < order_.size(); ++ahead) {
      const std::size_t axis = order_[(turn_ + ahead) % order_.size()];
      const std::size_t step = first_step_of(axis);
      Positions candidate = current_;
      for (std::size_t position = current_[axis] % step; position < points_.size_of_axis(axis); position += step) {
        candidate[axis] = position;
        if (!points_.take(candidate)) continue;
        ahead_.push_back(candidate);
        return candidate;
      }
    }
    return std::nullopt;
  }

  std::size_t first_step_of(std::size_t axis) const {
    std::size_t step = 1;
    while (points_.is_ordered(axis) && points_.size_of_axis(axis) / step > kWholeLine) step *= 2;
    return step;
  }

  void move_to_best() {
    const std::size_t axis = order_[turn_];
    Positions candidate = current_;
    Positions best = current_;
    for (std::size_t position = 0; position < points_.size_of_axis(axis); ++position) {
      candidate[axis] = position;
      if (cost_of(candidate) < cost_of(best)) best = candidate;
    }
    for (const Positions& ahead : std::exchange(ahead_, {})) {
      if (cost_of(ahead) < cost_of(best)) best = ahead;
    }
    moved_ = moved_ || best != current_;
    current_ = best;
  }

  // The line's points are told: finer around its best, or the next axis. False when no axis improves any more.
  bool continue_descent() {
    if (order_.empty() || idle_axes_ == order_.size()) return false;
    move_to_best();
    if (step_ > 1) {
      step_ /= 2;
      const std::size_t axis = order_[turn_];
      Positions candidate = current_;
      if (current_[axis] >= step_) candidate[axis] = current_[axis] - step_, enqueue(candidate);
      if (current_[axis] + step_ < points_.size_of_axis(axis)) candidate[axis] = current_[axis] + step_, enqueue(candidate);
      return true;
    }
    idle_axes_ = moved_ ? 0 : idle_axes_ + 1;
    if (idle_axes_ == order_.size()) return false;
    turn_ = (turn_ + 1) % order_.size();
    begin_line();
    return true;
  }

  VisitedSpace points_;
  std::map<Positions, double> costs_;
  std::deque<Positions> queue_;
  std::vector<Positions> ahead_;   // asked before their axes' turn, and not yet compared
  std::vector<Positions> probes_;  // of the descent that is about to begin; empty during one
  Positions current_;
  std::vector<std::size_t> order_;  // of the axes, shuffled per descent
  std::size_t turn_ = 0;            // index into order_
  std::size_t step_ = 1;
  bool moved_ = false;  // on this axis
  std::size_t idle_axes_ = 0;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_coordinate_descent(const ParameterSpace& space, const Starts& starts, std::uint64_t seed) {
  return std::make_unique<CoordinateDescent>(space, starts, seed);
}

}  // namespace fuselab::tuner
