// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/help_format.h"
#include "app/cli/steps/measuring_verbs.h"

namespace fuselab::cli {

void add_run_verb(CLI::App& command, Invocation& invocation) {
  const auto options = add_job_options(command, invocation, engine::JobSpec::Verb::kRun);
  add_search_options(command, *options);
  show_examples(command, {"fuselab run w3 --budget 20", "fuselab run resnet50 --device cpu", "fuselab run llama-layer --wide"});
}

}  // namespace fuselab::cli
