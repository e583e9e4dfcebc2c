// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/help_format.h"
#include "app/cli/steps/measuring_verbs.h"

namespace fuselab::cli {

void add_tune_verb(CLI::App& command, Invocation& invocation) {
  const auto options = add_job_options(command, invocation, engine::JobSpec::Verb::kTune);
  add_search_options(command, *options);
  options->compile_only = add_compile_only_options(command);
  options->own_kernel = add_own_kernel_options(command);
  show_examples(command, {"fuselab tune w3 --budget 20", "fuselab tune resnet50 --device cpu",
                          "fuselab tune w5 --compile-only --target sm_90", "fuselab tune --new conv.toml",
                          "fuselab tune conv.toml --dry-run", "fuselab tune conv.toml --budget 60"});
}

}  // namespace fuselab::cli
