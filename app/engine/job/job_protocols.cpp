// SPDX-License-Identifier: Apache-2.0
#include "app/engine/job/job_protocols.h"

namespace fuselab::engine {

Protocol search_protocol(Protocol protocol) {
  protocol.samples = std::min(protocol.samples, 7);
  protocol.budget.count = std::min(protocol.budget.count, 3e8);
  return protocol;
}

bool is_of_a_search(const MetricIdentity& metric) {
  return metric.detail == metric_of(search_protocol(Protocol())).detail;
}

MetricIdentity full_metric_of(MetricIdentity search) {
  search.detail = metric_of(Protocol()).detail;
  return search;
}

Protocol first_protocol(Protocol protocol) {
  protocol.most_samples = 0;
  protocol.budget.count = std::min(protocol.budget.count, 5e8);
  return protocol;
}

Protocol cold_protocol(Protocol protocol) {
  protocol.mode = CacheMode::kCold;
  protocol.warmup = 1;
  protocol.drop_factor = 0;
  return protocol;
}

}  // namespace fuselab::engine
