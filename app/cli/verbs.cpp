// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"

namespace fuselab::cli {

#define VERB(name, group, purpose) void add_##name##_verb(CLI::App& command, Invocation& invocation);
#include "app/cli/verbs.def"
#undef VERB

std::span<const Verb> all_verbs() {
  static constexpr Verb kVerbs[] = {
#define VERB(name, group, purpose) {#name, group, purpose, add_##name##_verb},
#include "app/cli/verbs.def"
#undef VERB
  };
  return kVerbs;
}

}  // namespace fuselab::cli
