// SPDX-License-Identifier: Apache-2.0
// Compares a block's plans with the reference before any of them is timed.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/worker/block/block_runner.h"
#include "app/worker/block/error_outcome.h"
#include "app/worker/block/guarded.h"
#include "app/worker/block/scoped_time.h"
#include "core/graph/graph_text.h"
#include "core/reference/own_reference.h"
#include "core/tuning/own_space.h"

namespace fuselab::worker {

using platform::WorkerPhase;

namespace {

// Returns whether a plan is the kernel that its own graph is compared with: somebody's kernel in its default configuration, where
// nothing else says what is right. What a backend adds to the configuration, such as threads, makes no difference.
bool is_own_default(const Plan& plan) {
  const auto own = own_reference(plan.graph);
  if (!own.ok() || !own.value() || own.value()->kernel.reference != kOwnDefault || plan.steps.size() != 1) return false;
  const LaunchConfig& config = plan.steps.front().kernel.config;
  const LaunchConfig defaults = own_defaults_of(own.value()->kernel);
  return std::ranges::all_of(defaults.values(), [&](const auto& each) {
    const auto value = config.values().find(each.first);
    return value != config.values().end() && value->second == each.second;
  });
}

}  // namespace

Status BlockRunner::verify(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  const ScopedTime clock(slot.result.verifying.count);
  page_.set(index, WorkerPhase::kVerify);
  FL_TRY(const std::string outputs, name_outputs(index));
  if (matches_again(index, outputs)) return {};
  SharedBuffers& shared = *shared_.at(graph_key(slot.plan->graph).hex());
  if (!shared.reference->is_complete) {
    auto reference = references_.get(slot.plan->graph, block_->protocol.inputs);
    if (!reference.ok() && reference.error().code == ErrorCode::kUnavailable && is_own_default(*slot.plan)) {
      reference = adopt_default(index);
    }
    FL_TRY(shared.reference, std::move(reference));
  }
  FL_TRY(slot.result.verification, judge(index, 0));
  if (!slot.result.verification.passed) return Error{ErrorCode::kNumerics, slot.result.verification.detail};
  slot.result.matched = outputs;
  return verify_other_sets(index);
}

// It is run once more from poison of another kind: what it leaves unwritten, or computes otherwise each time, is no reference.
Result<std::shared_ptr<const ReferenceCase>> BlockRunner::adopt_default(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  const Graph& graph = slot.plan->graph;
  FL_TRY(const std::vector<RealTensor> first, slot.prepared->download_outputs(0));
  for (const RealTensor& output : first) {
    if (std::ranges::any_of(output.data, [](double value) { return std::isnan(value); }))
      return Error{ErrorCode::kNumerics,
                   "the default configuration, which is to say what is right, leaves elements unwritten or gives NaN"};
  }
  FL_TRY_VOID(slot.prepared->poison(0, InputPattern::kLarge));
  page_.set(index, WorkerPhase::kLaunch);
  FL_TRY_VOID(slot.prepared->run_once());
  page_.set(index, WorkerPhase::kVerify);
  FL_TRY(const std::vector<RealTensor> again, slot.prepared->download_outputs(0));
  const auto made = references_.adopted(first, *shared_.at(graph_key(graph).hex())->reference);
  const Verification found = compare_outputs(graph, made->expected, again);
  if (!found.passed)
    return Error{
        ErrorCode::kNumerics,
        "the default configuration, which is to say what is right, gives other results when it runs again: " + found.detail};
  references_.keep(graph, block_->protocol.inputs, made);
  return made;
}

// Empty where nobody will ask; of buffers that rotate each set is looked at, in every process.
Result<std::string> BlockRunner::name_outputs(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  const bool rotates = shared_.at(graph_key(slot.plan->graph).hex())->cycle.sets() > 1;
  if (!block_->comes_again || rotates) return std::string();
  return slot.prepared->outputs_name();
}

// In a fresh process of the same comparison the reference, and holding each element against it, would take most of the time.
// Special inputs ask for the reference.
bool BlockRunner::matches_again(int index, const std::string& outputs) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  if (special_inputs_ || outputs.empty() || outputs != slot.plan->matched) return false;
  slot.result.matched = outputs;
  slot.result.verification.passed = true;
  slot.result.verification.detail = "the bytes that matched in a process before";
  return true;
}

// All are poisoned before the first is run, and all run before the first is looked at: what writes into another set is found.
Status BlockRunner::verify_other_sets(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  const int sets = shared_.at(graph_key(slot.plan->graph).hex())->cycle.sets();
  if (sets == 1) return {};
  for (int set = 0; set < sets; ++set) FL_TRY_VOID(slot.prepared->poison(set));
  for (int set = 0; set < sets; ++set) {
    page_.set(index, WorkerPhase::kLaunch);
    FL_TRY_VOID(slot.prepared->run_once(set));
  }
  const std::string of_all = " of " + std::to_string(sets) + " sets of buffers";
  for (int set = 0; set < sets; ++set) {
    page_.set(index, WorkerPhase::kVerify);
    FL_TRY(const Verification found, judge(index, set));
    if (found.passed) continue;
    slot.result.verification = found;
    slot.result.verification.detail = "set " + std::to_string(set + 1) + of_all + ": " + found.detail;
    return Error{ErrorCode::kNumerics, slot.result.verification.detail};
  }
  slot.result.verification.detail = "each" + of_all;
  return {};
}

Result<Verification> BlockRunner::judge(int index, int set) {
  const Slot& slot = slots_[static_cast<std::size_t>(index)];
  FL_TRY(const std::vector<RealTensor> actual, slot.prepared->download_outputs(set));
  const Graph& graph = slot.plan->graph;
  const ReferenceCase& reference = *shared_.at(graph_key(graph).hex())->reference;
  const Drawbacks stated = stated_drawbacks(slot.prepared->plan()).without({Drawback::kNanLoss});  // these inputs make no NaN
  Verification found = compare_outputs(graph, reference.expected, actual, stated);
  if (found.passed && reference.product) {
    const Verification product = reference.product->judge(actual[0]);
    if (!product.passed) {
      found.passed = false;
      found.detail = product.detail;
    }
  }
  return found;
}

void BlockRunner::try_special_inputs() {
  for (auto& [key, shared] : shared_) {
    std::vector<int> plans;
    std::copy_if(verified_.begin(), verified_.end(), std::back_inserter(plans), [&, &wanted = key](int index) {
      return graph_key(slots_[static_cast<std::size_t>(index)].plan->graph).hex() == wanted;
    });
    if (plans.empty()) continue;
    double wall = 0;
    {
      const ScopedTime clock(wall);
      try_special_inputs(*shared, plans);
    }
    for (const int index : plans) {
      slots_[static_cast<std::size_t>(index)].result.verifying.count += wall / static_cast<double>(plans.size());
    }
  }
}

// All plans of one graph, pattern by pattern; what fails has its result and is tried no further.
void BlockRunner::try_special_inputs(SharedBuffers& shared, std::vector<int> plans) {
  const Graph& graph = slots_[static_cast<std::size_t>(plans.front())].plan->graph;
  SpecialCheck check(runtime_, shared, graph, block_->protocol.inputs.seed);
  if (check.is_pointless()) return;
  Status begun;
  for (const InputPattern pattern : kSpecialPatterns) {
    page_.set(plans.empty() ? -1 : plans.front(), WorkerPhase::kVerify);
    begun = guarded([&] { return check.begin(pattern); });
    for (const int index : std::vector(begun.ok() ? plans : std::vector<int>())) {
      const Status tried = guarded([&] { return run_special(index, check, pattern); });
      if (tried.ok()) continue;
      reject(index, tried.error());
      std::erase(plans, index);
    }
    if (!begun.ok() || plans.empty()) break;
  }
  if (const Status back = check.end(); !back.ok()) {
    for (const int index : plans) reject(index, back.error());
    return;
  }
  for (const int index : plans) {
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    std::string& detail = slot.result.verification.detail;
    detail += (detail.empty() ? "" : "; ") +
              (begun.ok() ? check.said(*slot.prepared) : "special inputs not tried: " + begun.error().message);
  }
}

Status BlockRunner::run_special(int index, const SpecialCheck& check, InputPattern pattern) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  page_.set(index, WorkerPhase::kVerify);
  FL_TRY_VOID(slot.prepared->poison(0, pattern));
  page_.set(index, WorkerPhase::kLaunch);
  FL_TRY_VOID(slot.prepared->run_once());
  page_.set(index, WorkerPhase::kVerify);
  return check.judge(*slot.prepared, slot.result.verification);
}

void BlockRunner::reject(int index, const Error& error) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.result.outcome = outcome_of(error.code);
  slot.result.reason = error.message;
  std::erase(verified_, index);
  settle({index});
}

}  // namespace fuselab::worker
