// SPDX-License-Identifier: Apache-2.0
#include "app/worker/special_check.h"

namespace fuselab::worker {
namespace {

// What the reference may cost for one pattern, in FLOPs of its own naive loops: about ten milliseconds.
constexpr double kSampleFlops = 2e6;

// Making more inputs than this takes longer than a special check is worth.
constexpr std::size_t kMostElements = std::size_t{4} << 20;

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
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    if (depends_on_pattern(graph, graph.inputs()[i])) varied_.push_back(i);
  }
}

Status SpecialCheck::begin(InputPattern pattern) {
  pattern_ = pattern;
  std::size_t bytes = 0, elements = 0;
  for (std::size_t const i : varied_) {
    FL_TRY(std::int64_t const count, element_count(graph_.type(graph_.inputs()[i]).shape));
    elements += static_cast<std::size_t>(count);
    bytes += usual_->packed[i].size();
  }
  if (elements > kMostElements) {
    return Error{ErrorCode::kUnsupported,
                 format_bytes({static_cast<std::int64_t>(bytes)}) + " of inputs would have to be made anew"};
  }
  if (inputs_.empty()) {
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      FL_TRY(RealTensor input, unpack(graph_.type(graph_.inputs()[i]), usual_->packed[i]));
      inputs_.push_back(std::move(input));
    }
  }
  auto special = std::make_shared<ReferenceCase>();
  special->packed = usual_->packed;
  for (std::size_t const i : varied_) {
    inputs_[i] = make_input(graph_, i, {pattern, seed_});
    special->packed[i] = pack(inputs_[i]);
  }
  FL_TRY(special->expected, expected_sample(graph_, inputs_, seed_, kSampleFlops));
  shared_.reference = std::move(special);
  return upload_varied();
}

Status SpecialCheck::upload_varied() {
  for (std::size_t const i : varied_) FL_TRY_VOID(runtime_.upload(shared_.inputs[i], shared_.reference->packed[i]));
  return {};
}

Status SpecialCheck::judge(PreparedPlan& plan, Verification& total) const {
  FL_TRY(std::vector<RealTensor> const actual, plan.download_outputs());
  Verification const found = compare_outputs(graph_, shared_.reference->expected, actual);
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
