// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab {

// What somebody wrote about fusing one operator (C26): `@NoFusion("why")` or `@Fusible(max_operations=4, priority=1)` behind it in
// the text of a graph. It changes how a graph is cut and nothing of what it computes, so it is no part of the graph's key.
struct FusionAnnotation {
  enum class Kind { kNone, kFusible, kNoFusion };

  Kind kind = Kind::kNone;
  std::string reason;      // of NoFusion
  int max_operations = 0;  // of Fusible: most operators in a group that it is in; 0: what the options say
  int priority = 0;        // of Fusible: those with more are joined with their neighbours first

  bool none() const { return kind == Kind::kNone; }
};

}  // namespace fuselab
