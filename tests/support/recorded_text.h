// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "core/backend/backend.h"

namespace fuselab::test {

// A kernel whose generated text is recorded.
struct RecordedKernel {
  const char* name;
  const char* graph;
  const char* config;
  friend void PrintTo(const RecordedKernel& kernel, std::ostream* out) { *out << kernel.name; }
};

// The text, generated twice; fails where it is not the same, or the graph or configuration are not valid.
Result<std::string> text_of(const RecordedKernel& kernel, const CodeGenerator& generator, const Target& target);

// Fails the test when the file holds another text, and leaves the new one beside it as .actual. FUSELAB_UPDATE_GOLDENS=1 records
// it instead.
void expect_as_recorded(const std::filesystem::path& file, const std::string& text);

}  // namespace fuselab::test
