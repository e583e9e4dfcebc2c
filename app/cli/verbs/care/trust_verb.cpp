// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/engine/maintenance.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

using nlohmann::json;

json signer_json(const engine::TrustedSigner& signer) {
  return {{"public_key", signer.public_key}, {"name", signer.name}};
}

ExitCode trust_key(const Invocation& invocation, const std::string& key) {
  const auto signer = engine::trust(invocation.config, key);
  if (!signer.ok()) return fail(invocation, signer.error());
  if (invocation.json) return print_document({{"schema", "fuselab.trust.add/1"}, {"signer", signer_json(signer.value())}});
  std::printf("binaries signed by %s (%s) are accepted from now on\n", signer.value().public_key.substr(0, 16).c_str(),
              plain_line(signer.value().name).c_str());
  return ExitCode::kOk;
}

ExitCode show_trust(const Invocation& invocation) {
  const auto own = engine::own_public_key(invocation.config);
  if (!own.ok()) return fail(invocation, own.error());
  const auto signers = engine::trusted_signers(invocation.config);
  if (!signers.ok()) return fail(invocation, signers.error());
  if (invocation.json) {
    json trusted = json::array();
    for (const auto& signer : signers.value()) trusted.push_back(signer_json(signer));
    return print_document({{"schema", "fuselab.trust.list/1"}, {"own_key", own.value()}, {"trusted", trusted}});
  }
  std::printf("Your key, for a colleague's `fuselab trust add`:\n  %s\nTrusted signers:\n", own.value().c_str());
  for (const auto& signer : signers.value()) std::printf("  %s  %s\n", signer.public_key.c_str(), plain_line(signer.name).c_str());
  return ExitCode::kOk;
}

}  // namespace

void add_trust_verb(CLI::App& command, Invocation& invocation) {
  command.require_subcommand(1);
  show_examples(command, {"fuselab trust list", "fuselab trust add 'fuselab-ed25519 …'"});
  const auto key = std::make_shared<std::string>();
  CLI::App* const add = command.add_subcommand("add", "Accept a colleague's key");
  add->add_option("KEY", *key, "As printed by their `fuselab trust list`")->required();
  add->callback([&, key] { invocation.action = [&, key] { return trust_key(invocation, *key); }; });
  command.add_subcommand("list", "Your own key and the trusted ones")->callback([&] {
    invocation.action = [&] { return show_trust(invocation); };
  });
}

}  // namespace fuselab::cli
