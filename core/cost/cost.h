// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/graph/graph.h"

namespace fuselab {

// The bytes that a concrete graph must move and the FLOPs that it must compute, from its types alone (formulas: GEMM 2MNK; conv
// 2·N·K·P·Q·C·R·S; see op.h).
struct Cost {
  Bytes read;        // each external input once: compulsory
  Bytes written;     // each external output once
  Bytes eager_read;  // one kernel per operator: every operand of every node (pure views and constants are free)
  Bytes eager_written;
  double flops = 0;

  Bytes ideal() const { return {read.count + written.count}; }
  Bytes eager() const { return {eager_read.count + eager_written.count}; }
  // Returns FLOPs per compulsory byte.
  double intensity() const { return ideal().count > 0 ? flops / static_cast<double>(ideal().count) : 0.0; }
  // Returns the largest gain that fusing can have where traffic is the limit: eager bytes / ideal bytes.
  double traffic_bound() const {
    return ideal().count > 0 ? static_cast<double>(eager().count) / static_cast<double>(ideal().count) : 1.0;
  }
  // Returns the share of reads in the compulsory traffic: the stream mix with which a ceiling must be measured.
  double read_share() const {
    return ideal().count > 0 ? static_cast<double>(read.count) / static_cast<double>(ideal().count) : 0.5;
  }
};

// Returns the cost of a concrete graph. Reshape, Flatten, Squeeze, Unsqueeze and Identity are views and have no traffic of their
// own. Gather, Slice and a rotary embedding with position ids are charged for the elements that they read.
Result<Cost> cost_of(const Graph& graph);
// Returns the bytes of each graph input that must be read, in the order of the inputs; their sum is Cost::read.
Result<std::vector<Bytes>> compulsory_reads(const Graph& graph);
// Returns the FLOPs of one node of a concrete graph.
double flops_of(const Graph& graph, const Node& node);

}  // namespace fuselab
