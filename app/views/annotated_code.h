// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/views/profile_view.h"

namespace fuselab::engine {

// One line of the source beside the instructions that were made of it, for a view of both.
struct AnnotatedLine {
  int step = 0;
  int line = 0;  // of the source; 0: instructions without a line
  std::string source;
  std::vector<CodeLine> code;
  std::int64_t hits = 0;
  double cycles = 0;  // of its instructions, as the model has them; 0: not modelled
};
// Returns the source lines of the hottest loop with their instructions; without line information the instructions alone.
std::vector<AnnotatedLine> annotated_code(const ProfileView& view);
// Returns the whole source of the kernel with the hottest loop, with all its instructions; those without a line come last.
std::vector<AnnotatedLine> annotated_source(const ProfileView& view);
// Returns the machine code of the same kernel, one function after the other, each by address.
std::vector<CodeLine> annotated_functions(const ProfileView& view);

}  // namespace fuselab::engine
