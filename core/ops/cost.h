// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/graph/graph.h"

namespace fuselab {

// What a concrete graph must move and compute, from its types alone (formulas: GEMM 2MNK; conv 2·N·K·P·Q·C·R·S; see op.h).
struct Cost {
  Bytes read;        // each external input once: compulsory
  Bytes written;     // each external output once
  Bytes eager_read;  // one kernel per operator: every operand of every node (pure views and constants are free)
  Bytes eager_written;
  double flops = 0;

  Bytes ideal() const { return {read.count + written.count}; }
  Bytes eager() const { return {eager_read.count + eager_written.count}; }
  // FLOP per compulsory byte.
  double intensity() const { return ideal().count > 0 ? flops / static_cast<double>(ideal().count) : 0.0; }
  // The most that fusing can gain where traffic bounds: eager bytes / ideal bytes.
  double traffic_bound() const {
    return ideal().count > 0 ? static_cast<double>(eager().count) / static_cast<double>(ideal().count) : 1.0;
  }
  // Share of the compulsory traffic that is reading: the stream mix a ceiling must be measured with.
  double read_share() const {
    return ideal().count > 0 ? static_cast<double>(read.count) / static_cast<double>(ideal().count) : 0.5;
  }
};

// Reshape, Flatten, Squeeze, Unsqueeze and Identity are views: no traffic of their own. Gather, Slice and a rotary embedding with
// position ids read what they take.
Result<Cost> cost_of(const Graph& graph);
// What of each graph input must be read, in their order; together Cost::read.
Result<std::vector<Bytes>> compulsory_reads(const Graph& graph);
// FLOPs of one node of a concrete graph.
double flops_of(const Graph& graph, const Node& node);

}  // namespace fuselab
