// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/block_measurement.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace fuselab::engine {
namespace {

// The most deaths without blame. A worker that dies between plans tells nothing about any of them; two such deaths may be bad luck,
// more are the machine's fault.
constexpr int kUnblamedDeaths = 2;

bool is_death(ErrorCode code) {
  return code == ErrorCode::kCrashed || code == ErrorCode::kTimeout || code == ErrorCode::kCorrupt;
}

}  // namespace

BlockMeasurement::BlockMeasurement(std::string backend, const Block& block,
                                   std::function<Result<std::unique_ptr<WorkerClient>>()> spawn,
                                   std::unique_ptr<WorkerClient>& worker, bool special_inputs)
    : backend_(std::move(backend)), block_(block), spawn_(std::move(spawn)), worker_(worker), special_inputs_(special_inputs) {
  measured_.plans.resize(block.plans.size());
  measured_.process_ids.resize(block.plans.size());
  left_.resize(block.plans.size());
  std::iota(left_.begin(), left_.end(), std::size_t{0});
}

Result<MeasuredBlock> BlockMeasurement::run(std::stop_token stop) {
  while (!left_.empty()) {
    if (stop.stop_requested()) {
      settle_rest(Outcome::kCancelled, "cancelled");
      break;
    }
    if (worker_ == nullptr || !worker_->alive()) {
      FL_TRY(worker_, spawn_());
    }
    running_ = left_;
    CallOptions options;
    options.timeout = std::chrono::milliseconds(0);  // the block has no limit of its own: each launch has one
    options.launch_timeout = block_.protocol.launch_timeout;
    options.stop = stop;
    options.on_event = [this](const wire::Reply& event) { hear(event); };
    FL_TRY_VOID(digest(worker_->call(wire::MeasureRequest{backend_, rest(), special_inputs_}, options)));
  }
  return std::move(measured_);
}

Block BlockMeasurement::rest() const {
  Block rest;
  rest.device = block_.device;
  rest.protocol = block_.protocol;
  rest.comes_again = block_.comes_again;
  rest.ceiling = block_.ceiling;
  for (const std::size_t index : running_) {
    rest.plans.push_back(block_.plans[index]);
    for (PlanStep& step : rest.plans.back().steps) step.kernel.source = {};  // only the binary runs
  }
  return rest;
}

void BlockMeasurement::hear(const wire::Reply& event) {
  const auto* const finished = std::get_if<wire::PlansFinished>(&event);
  if (finished == nullptr || finished->indices.size() != finished->results.size()) return;
  for (std::size_t place = 0; place < finished->indices.size(); ++place) {
    const auto index = static_cast<std::size_t>(finished->indices[place]);
    if (index < running_.size()) settle(running_[index], finished->results[place]);
  }
}

void BlockMeasurement::settle(std::size_t index, PlanResult result) {
  if (std::erase(left_, index) == 0) return;  // each result is taken once
  measured_.process_ids[index] = worker_ != nullptr ? worker_->id() : "";
  measured_.plans[index] = std::move(result);
}

void BlockMeasurement::settle_rest(Outcome outcome, const std::string& reason) {
  for (const std::size_t index : std::vector(left_)) {
    PlanResult result;
    result.outcome = outcome;
    result.reason = reason;
    settle(index, std::move(result));
  }
}

// Returns an Error when the block cannot go on at all.
Status BlockMeasurement::digest(Result<wire::Reply> answer) {
  if (!answer.ok()) {
    if (answer.error().code == ErrorCode::kCancelled) {
      settle_rest(Outcome::kCancelled, "cancelled");
      return {};
    }
    return is_death(answer.error().code) && !worker_->alive() ? digest_death(answer.error()) : answer.error();
  }
  FL_TRY(auto end, answer_as<wire::MeasureReply>(std::move(answer)));
  if (!left_.empty()) return Error{ErrorCode::kCorrupt, "the worker ended the block before each of its plans had ended"};
  measured_.conditions = std::move(end.conditions);
  return {};
}

Status BlockMeasurement::digest_death(const Error& error) {
  const auto blamed = static_cast<std::size_t>(worker_->blamed_plan().value_or(-1));
  const bool known =
      worker_->blamed_plan() && blamed < running_.size() && std::find(left_.begin(), left_.end(), running_[blamed]) != left_.end();
  if (known) {
    PlanResult result;
    result.outcome = error.code == ErrorCode::kTimeout ? Outcome::kTimeout : Outcome::kCrashed;
    result.reason = error.message;
    settle(running_[blamed], std::move(result));
    return {};
  }
  if (++unblamed_deaths_ <= kUnblamedDeaths) return {};
  settle_rest(Outcome::kCrashed, error.message);
  return {};
}

}  // namespace fuselab::engine
