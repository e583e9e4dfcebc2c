// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/measure/protocol.h"

namespace fuselab::engine {

// Returns the protocol of a search, which looks for a winner and takes fewer samples of each candidate. That is another metric: the
// figures shown come from blocks of the job's own protocol, never from the luckiest of many candidates.
Protocol search_protocol(Protocol protocol);

// Returns whether figures of this metric are those of a search, which looks for a winner and decides nothing; and the metric of the
// figures that its winner is timed with in the end.
bool is_of_a_search(const MetricIdentity& metric);
MetricIdentity full_metric_of(MetricIdentity search);

// Returns the protocol of the first figures of a job with a budget: the same metric, and no more samples than it asks for.
Protocol first_protocol(Protocol protocol);

// Returns the same protocol with caches emptied before each sample.
Protocol cold_protocol(Protocol protocol);

}  // namespace fuselab::engine
