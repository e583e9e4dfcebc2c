// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/bundles/bundle_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/deploy/bundle/bundle_words.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

ExitCode inspect(const Invocation& invocation, const std::string& file) {
  db::Trust trust(invocation.config.key_directory);
  const auto read = deploy::read_bundle(file, trust);
  if (!read.ok()) return fail(invocation, read.error());
  const deploy::InspectedBundle& bundle = read.value();
  const deploy::BundleManifest& manifest = bundle.manifest;
  if (invocation.json) {
    nlohmann::json document = {{"schema", "fuselab.inspect/1"},     {"file", file},
                               {"bytes", bundle.size.count},        {"made_by", manifest.made_by},
                               {"signer", bundle.signer},           {"trusted", bundle.trusted},
                               {"kernels", manifest.kernels.size()}};
    add_bundle_facts(document, manifest);
    return print_document(document);
  }
  const std::string commit = manifest.commit.empty() ? "" : " (commit " + plain_line(manifest.commit) + ")";
  std::printf("%s: %s, made by %s%s for %s (%s)\n", file.c_str(), format_bytes(bundle.size).c_str(),
              plain_line(manifest.made_by).c_str(), commit.c_str(), plain_line(manifest.environment.target).c_str(),
              plain_line(manifest.environment.processor).c_str());
  std::printf("signed by %s; kernels and weights are those that its manifest names\n", deploy::signer_text(bundle).c_str());
  std::printf("%s, %s of weights; times are medians with a 95 %% interval, caches %s\n",
              counted(static_cast<std::int64_t>(manifest.kernels.size()), "kernel").c_str(),
              format_bytes({manifest.weights.bytes}).c_str(), plain_line(manifest.environment.cache_mode).c_str());
  for (const deploy::BundleMeasuring& measuring : manifest.measured)
    std::printf("measured on %s\n", plain_line(deploy::measuring_text(measuring)).c_str());
  std::fputs(bundle_models_text(manifest).c_str(), stdout);
  std::fputs(bundle_gpu_text(manifest, Terminal::of_stdout()).c_str(), stdout);
  std::fputs(bundle_pieces_text(manifest, Terminal::of_stdout()).c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_inspect_verb(CLI::App& command, Invocation& invocation) {
  const auto file = std::make_shared<std::string>();
  command.add_option("FILE", *file, "A bundle that `fuselab export` wrote, file or folder")->type_name("FILE")->required();
  show_examples(command, {"fuselab inspect bert.fuselab"});
  command.callback([&invocation, file] { invocation.action = [&invocation, file] { return inspect(invocation, *file); }; });
}

}  // namespace fuselab::cli
