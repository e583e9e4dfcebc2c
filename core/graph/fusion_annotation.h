// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab {

// An instruction about fusing one operator (C26), written behind it in the text of a graph: `@NoFusion("why")` or
// `@Fusible(max_operations=4, priority=1)`. It affects how a graph is cut, not what it computes, so it is not part of the graph's
// key.
struct FusionAnnotation {
  enum class Kind { kNone, kFusible, kNoFusion };

  Kind kind = Kind::kNone;
  std::string reason;      // for kNoFusion
  int max_operations = 0;  // for kFusible: most operators in a group with this one; 0: the options decide
  int priority = 0;        // for kFusible: operators with a higher priority are joined with their neighbours first

  bool none() const { return kind == Kind::kNone; }
};

}  // namespace fuselab
