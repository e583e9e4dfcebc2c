// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"
#include "core/tensor/tensor.h"

namespace fuselab::test {

// One way in which a generator goes wrong, put into the text that it writes for one kernel.
struct SeededDefect {
  const char* name;
  const char* graph;
  const char* config;
  const char* from;  // every occurrence is replaced
  const char* to;
  InputPattern pattern = InputPattern::kUniform;
  const char* found = "";  // of what must be said when it is caught
};

// A kernel as generated, which must pass, and with the defect, which must not.
struct Seeded {
  Graph graph;
  LaunchConfig config;
  SourceModule sound;
  SourceModule broken;
};

// Fails where graph or configuration are no longer valid, or the text no longer has what is to be replaced.
Result<Seeded> seed(const SeededDefect& defect, const CodeGenerator& generator, const Target& target);

}  // namespace fuselab::test
