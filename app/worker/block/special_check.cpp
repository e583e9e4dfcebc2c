// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/special_check.h"

#include <algorithm>
#include <cmath>

#include "core/kernel/drawback.h"
#include "core/platform/machine/machine.h"
#include "core/reference/own_reference.h"

namespace fuselab::worker {
namespace {

// The most that the reference may cost for one pattern, in FLOPs of its own naive loops: about ten milliseconds, ten times that for
// graphs of which ten buy nothing.
constexpr double kSampleFlops[] = {2e6, 2e7};

// Inputs of more elements are not made anew for each pattern, but changed in so many places that a sample of the outputs depends
// on.
constexpr std::int64_t kMostElements = std::int64_t{4} << 20;
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 20;

// The first answer that is not that its budget was too small.
template <typename Ask>
auto within_budget(Ask ask) {
  auto answer = ask(kSampleFlops[0]);
  return answer.ok() || answer.error().code != ErrorCode::kUnsupported ? answer : ask(kSampleFlops[1]);
}

// Counts NaN in the outputs that are judged for it, the floating-point ones: what NaN becomes as an integer is open.
std::int64_t count_nan(const std::vector<ExpectedOutput>& expected) {
  std::int64_t count = 0;
  for (const ExpectedOutput& output : expected) {
    if (!is_floating(output.type.dtype)) continue;
    count += std::count_if(output.values.begin(), output.values.end(), [](double value) { return std::isnan(value); });
  }
  return count;
}

std::string text_of(InputPattern pattern) {
  switch (pattern) {
    case InputPattern::kLarge: return "large inputs";
    case InputPattern::kSpecial: return "inputs with ±Inf, NaN and −0";
    case InputPattern::kDenormal: return "denormal inputs";
    case InputPattern::kUniform: return "ordinary inputs";
  }
  FL_ASSERT(false);
}

}  // namespace

SpecialCheck::SpecialCheck(DeviceRuntime& runtime, SharedBuffers& shared, const Graph& graph, std::uint64_t seed)
    : runtime_(runtime), shared_(shared), graph_(graph), seed_(seed), usual_(shared.reference) {
  const auto own = own_reference(graph);
  if (own.ok() && own.value() && (!own.value()->graph || !own.value()->kernel.special_inputs))
    return;  // the user's kernel promises nothing about them
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    if (depends_on_pattern(graph, graph.inputs()[i])) varied_.push_back(i);
  }
}

Status SpecialCheck::begin(InputPattern pattern) {
  pattern_ = pattern;
  if (inputs_.empty()) FL_TRY_VOID(prepare());
  auto special = std::make_shared<ReferenceCase>();
  special->packed = usual_->packed;
  for (const std::size_t i : varied_) {
    if (sampled()) {
      change(i, special->packed[i]);
    } else {
      inputs_[i] = make_input(graph_, i, {pattern, seed_});
      special->packed[i] = pack(inputs_[i]);
    }
  }
  FL_TRY(special->expected, within_budget([&](double flops) { return expected_sample(graph_, inputs_, seed_, budget(flops)); }));
  should_be_nan_ += count_nan(special->expected);
  shared_.reference = std::move(special);
  return upload_varied();
}

// Inputs are held once more as a kernel sees them, and as the reference does.
Status SpecialCheck::check_memory() const {
  Bytes needed;
  for (const auto& packed : usual_->packed) needed.count += static_cast<std::int64_t>(packed.size());
  for (const ValueId input : graph_.inputs()) {
    FL_TRY(const std::int64_t count, element_count(graph_.type(input).shape));
    needed.count += count * static_cast<std::int64_t>(sizeof(double));
  }
  const Bytes free = platform::available_memory();
  if (needed.count <= free.count) return {};
  return Error{ErrorCode::kUnsupported, "they need " + format_bytes(needed) + ", " + format_bytes(free) + " free"};
}

Status SpecialCheck::prepare() {
  FL_TRY_VOID(check_memory());
  std::int64_t elements = 0;
  for (const std::size_t i : varied_) {
    FL_TRY(const std::int64_t count, element_count(graph_.type(graph_.inputs()[i]).shape));
    elements += count;
  }
  most_places_ = elements > kMostElements ? kMostPlaces : 0;
  if (sampled()) {
    FL_TRY(places_, within_budget([&](double flops) { return places_behind_sample(graph_, seed_, budget(flops)); }));
  }
  for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
    FL_TRY(RealTensor input, unpack(graph_.type(graph_.inputs()[i]), usual_->packed[i]));
    inputs_.push_back(std::move(input));
  }
  return {};
}

SampleBudget SpecialCheck::budget(double flops) const {
  return sampled() ? SampleBudget(flops, most_places_) : SampleBudget(flops);
}

void SpecialCheck::change(std::size_t input, std::vector<std::byte>& packed) {
  const RealTensor elements = make_elements(graph_, input, {pattern_, seed_}, places_[input]);
  const std::vector<std::byte> bytes = pack(elements);
  const auto width = static_cast<std::size_t>(bits_of(elements.type.dtype)) / 8;  // neither reals nor bools are packed below a byte
  for (std::size_t i = 0; i < places_[input].size(); ++i) {
    const auto place = static_cast<std::size_t>(places_[input][i]);
    inputs_[input].data[place] = elements.data[i];
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                packed.begin() + static_cast<std::ptrdiff_t>(place * width));
  }
}

std::string SpecialCheck::said(const PreparedPlan& plan) const {
  const Drawbacks stated = stated_drawbacks(plan.plan());
  const bool judges_all = is_judged(InputPattern::kSpecial, stated);
  std::string text = judges_all ? "also tried with large, special and denormal inputs" : "also tried with denormal inputs";
  if (sampled()) {
    std::size_t places = 0;
    for (const auto& each : places_) places += each.size();
    text += " in " + std::to_string(places) + " places, which a sample of the outputs depends on";
  }
  if (!judges_all)
    return text + "; with large and special ones it was not judged: " + statements_of(stated.without({Drawback::kNanLoss}));
  if (!stated.has(Drawback::kNanLoss)) return text;
  return text + "; " + std::to_string(should_be_nan_) + " results that should be NaN were not judged: nan=lost";
}

Status SpecialCheck::upload_varied() {
  for (const std::size_t i : varied_) FL_TRY_VOID(runtime_.upload(shared_.inputs[i].front(), shared_.reference->packed[i]));
  return {};
}

Status SpecialCheck::judge(PreparedPlan& plan, Verification& total) const {
  if (!is_judged(pattern_, stated_drawbacks(plan.plan()))) return {};
  FL_TRY(const std::vector<RealTensor> actual, plan.download_outputs());
  const Verification found = compare_outputs(graph_, shared_.reference->expected, actual, stated_drawbacks(plan.plan()), pattern_);
  total.checked += found.checked;
  if (found.passed || only_unjudged(found)) return {};
  total.passed = false;
  total.detail = text_of(pattern_) + ": " + found.detail;
  total.worst_ratio = found.worst_ratio;
  return Error{ErrorCode::kNumerics, total.detail};
}

Status SpecialCheck::end() {
  if (shared_.reference == usual_) return {};
  shared_.reference = usual_;
  return upload_varied();
}

}  // namespace fuselab::worker
