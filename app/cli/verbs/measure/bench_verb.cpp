// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/usage.h"
#include "app/cli/steps/measuring_verbs.h"

namespace fuselab::cli {
namespace {

// Adds options for measuring a configuration that the user states instead of one that Fuselab chooses, to repeat a failure.
void add_given_kernel_options(CLI::App& verb, JobOptions& options) {
  verb.add_option("--config", options.config,
                  "Measure SUBJECT as one kernel in this launch configuration; what it leaves out is as in the default")
      ->type_name("KEY=VALUE,...")
      ->check(launch_config());
  verb.add_option_function<std::string>(
          "--target", [&options](const std::string& name) { options.spec.target = target_named(name); },
          "Generate for this level of the device: avx512, avx2, baseline or as `fuselab devices --details` names it")
      ->type_name("NAME");
}

}  // namespace

void add_bench_verb(CLI::App& command, Invocation& invocation) {
  const auto options = add_job_options(command, invocation, engine::JobSpec::Verb::kBench);
  add_given_kernel_options(command, *options);
  show_examples(command, {"fuselab bench w5 --shape rows=256,cols=512", "fuselab bench model.onnx --shape batch=8 --device cpu",
                          "fuselab bench w5 --config threads=1,unroll=4 --target avx2"});
}

}  // namespace fuselab::cli
