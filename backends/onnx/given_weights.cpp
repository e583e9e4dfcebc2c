// SPDX-License-Identifier: Apache-2.0
#include "backends/onnx/given_weights.h"

#include <algorithm>

namespace fuselab::onnx_model {
namespace {

// A model is one message of protobuf, which holds less than 2 GiB.
constexpr std::int64_t kMostBytes = std::int64_t{2000} << 20;

}  // namespace

GivenWeights::GivenWeights(const Graph& graph) : inputs_(graph.inputs().size()) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < inputs_; ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    const auto size = size_of(value.type);
    if (value.origin != ValueOrigin::kParam || !size.ok() || size.value().count == 0) continue;
    positions_.push_back(i);
    bytes_.push_back(static_cast<std::size_t>(size.value().count));
    all += size.value().count;
  }
  if (positions_.size() == inputs_ || all > kMostBytes) positions_.clear();
}

bool GivenWeights::is_weight(std::size_t position) const {
  return std::find(positions_.begin(), positions_.end(), position) != positions_.end();
}

GivenWeights::Key GivenWeights::key_at(const library::Places& places) const {
  Key key;
  for (const std::size_t each : positions_) key.emplace_back(places.addresses[each], places.versions[each]);
  return key;
}

Weights GivenWeights::at(const library::Places& places) const {
  Weights weights(inputs_);
  for (std::size_t i = 0; i < positions_.size(); ++i) weights[positions_[i]] = {places.addresses[positions_[i]], bytes_[i]};
  return weights;
}

}  // namespace fuselab::onnx_model
