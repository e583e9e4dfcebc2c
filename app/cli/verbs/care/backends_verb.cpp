// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/interruption.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/stacks/stack_installer.h"
#include "app/engine/stacks/stack_state.h"
#include "app/engine/workers/worker_pool.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

using engine::StackProgress;
using engine::StackState;
using nlohmann::json;

using Stacks = std::vector<const InstallableStack*>;

struct InstallOptions {
  std::vector<std::string> names;
  bool all = false;
  bool accept_licence = false;
  bool yes = false;
};

const char* state_name(StackState::Kind kind) {
  switch (kind) {
    case StackState::Kind::kAbsent: return "absent";
    case StackState::Kind::kOtherVersion: return "other_version";
    case StackState::Kind::kInstalled: return "installed";
    case StackState::Kind::kAltered: return "altered";
  }
  return "absent";
}

std::string state_text(const StackState& state) {
  switch (state.kind) {
    case StackState::Kind::kAbsent: return "not installed";
    case StackState::Kind::kOtherVersion: return "version " + state.problem + " is installed and not used";
    case StackState::Kind::kInstalled: return "installed, " + format_bytes(state.disk) + " on the disk";
    case StackState::Kind::kAltered: return "altered: " + state.problem;
  }
  return {};
}

json stack_json(const StackState& state) {
  const InstallableStack& stack = *state.stack;
  json packages = json::array();
  for (const StackWheel& wheel : stack.wheels)
    packages.push_back({{"package", wheel.package}, {"sha256", wheel.sha256}, {"download_bytes", wheel.size.count}});
  json object = {{"backend", stack.id},
                 {"package", stack.wheels.front().package},
                 {"version", stack.version},
                 {"publisher", stack.publisher},
                 {"licence", stack.licence},
                 {"free", stack.licence_class == LicenceClass::kFree},
                 {"sha256", stack.wheels.front().sha256},
                 {"download_bytes", stack.download().count},
                 {"packages", packages},
                 {"disk_bytes", state.disk.count},
                 {"state", state_name(state.kind)}};
  if (!state.problem.empty()) object["problem"] = state.problem;
  return object;
}

std::string apt_command(const PackagedStack& stack) {
  return "sudo apt install " + std::string(stack.package);
}

// What is to be known of an installed library, seen by opening it in a worker: that it asked for the network, say, or why it cannot
// be used. By stack; those without a remark are left out.
std::map<std::string, std::string> remarks_on(const engine::Config& config, const std::vector<StackState>& states) {
  engine::WorkerPoolOptions options;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  engine::WorkerPool pool(options);
  std::map<std::string, std::string> remarks;
  for (const StackState& state : states) {
    if (state.kind != StackState::Kind::kInstalled) continue;
    const auto report = pool.probe(std::string(state.stack->backend));
    const bool whole_backend = state.stack->id == state.stack->backend;  // else a compiler, good without a device
    const std::string remark = !report.ok()    ? report.error().message
                               : whole_backend ? report.value().availability.reason
                                               : report.value().compiler.why_not;
    if (!remark.empty()) remarks.emplace(state.stack->id, remark);
  }
  return remarks;
}

ExitCode list(const Invocation& invocation) {
  std::vector<StackState> states;
  for (const InstallableStack& stack : installable_stacks())
    states.push_back(engine::stack_state(invocation.config.data_directory, stack, engine::StackCheck::kSizes));
  const auto remarks = remarks_on(invocation.config, states);
  if (invocation.json) {
    json stacks = json::array(), packaged = json::array();
    for (const StackState& state : states) {
      json& stack = stacks.emplace_back(stack_json(state));
      if (const auto remark = remarks.find(stack["backend"]); remark != remarks.end()) stack["remark"] = remark->second;
    }
    for (const PackagedStack& stack : packaged_stacks())
      packaged.push_back({{"backend", stack.id}, {"command", apt_command(stack)}});
    return print_document({{"schema", "fuselab.backends.list/1"}, {"stacks", stacks}, {"system_packages", packaged}});
  }
  std::vector<std::vector<std::string>> cells;
  for (const StackState& state : states) {
    cells.push_back({std::string(state.stack->id), std::string(state.stack->version), std::string(state.stack->publisher),
                     std::string(state.stack->licence), format_bytes(state.stack->download()), state_text(state)});
  }
  std::fputs(render_table({{"backend"}, {"version"}, {"publisher"}, {"licence"}, {"download", Align::kRight}, {"here"}}, cells,
                          Terminal::of_stdout())
                 .c_str(),
             stdout);
  for (const auto& [stack, remark] : remarks) std::printf("  %s: %s\n", stack.c_str(), plain_line(remark).c_str());
  std::puts("\nFrom the system's packages, which Fuselab does not touch:");
  for (const PackagedStack& stack : packaged_stacks())
    std::printf("  %-11s %s\n", std::string(stack.id).c_str(), apt_command(stack).c_str());
  return ExitCode::kOk;
}

std::string names_of_stacks() {
  std::string names;
  for (const InstallableStack& stack : installable_stacks()) names += (names.empty() ? "" : ", ") + std::string(stack.id);
  return names;
}

Result<const InstallableStack*> stack_named(const std::string& name) {
  if (const InstallableStack* const stack = find_installable_stack(name)) return stack;
  if (const PackagedStack* const stack = find_packaged_stack(name))
    return Error{ErrorCode::kUnsupported, name + " comes with the system's packages: " + apt_command(*stack)};
  return Error{ErrorCode::kNotFound, "'" + name + "' is no stack that can be installed: " + names_of_stacks()};
}

Result<Stacks> wanted(const InstallOptions& options) {
  Stacks stacks;
  if (options.all) {
    for (const InstallableStack& stack : installable_stacks())
      if (engine::is_meant_by_all(stack)) stacks.push_back(&stack);
  }
  for (const std::string& name : options.names) {
    FL_TRY(const InstallableStack* const stack, stack_named(name));
    if (std::find(stacks.begin(), stacks.end(), stack) == stacks.end()) stacks.push_back(stack);
  }
  if (stacks.empty()) return invalid_argument("which? Name them, or --all for the free ones: " + names_of_stacks());
  for (const InstallableStack* const stack : stacks) {
    if (stack->licence_class == LicenceClass::kProprietary && !options.accept_licence)
      return invalid_argument(std::string(stack->id) + " is under the " + std::string(stack->licence) + " of " +
                              std::string(stack->publisher) + ": --accept-licence says that you accept it");
  }
  return stacks;
}

// Asks on a terminal. Without one nothing is fetched unless --yes says so: a script that meant it can say it.
Status agree(const Stacks& stacks, const Invocation& invocation, const InstallOptions& options) {
  if (options.yes) return {};
  Bytes sum;
  for (const InstallableStack* const stack : stacks) {
    sum.count += stack->download().count;
    for (const StackWheel& wheel : stack->wheels) {
      std::fprintf(stderr, "%s %s from %s, %s, %s\n", std::string(wheel.package).c_str(),
                   std::string(stack->version_of(wheel)).c_str(), std::string(stack->publisher).c_str(),
                   std::string(stack->licence).c_str(), format_bytes(wheel.size).c_str());
    }
  }
  if (invocation.json || !Terminal::of_stderr().interactive)
    return invalid_argument("nothing is fetched unasked: add --yes for " + format_bytes(sum));
  std::fprintf(stderr, "Fetch %s into %s? [y/N] ", format_bytes(sum).c_str(),
               (invocation.config.data_directory / "fuselab" / "backends").c_str());
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes") return {};
  return Error{ErrorCode::kCancelled, "nothing was fetched"};
}

void show_progress(const InstallableStack& stack, const StackProgress& progress, const Terminal& terminal) {
  if (!terminal.interactive) return;
  const std::string what = progress.step == StackProgress::Step::kFetching
                               ? "fetching " + format_bytes(progress.done) + " of " + format_bytes(progress.all)
                               : std::string("unpacking and checking");
  std::fprintf(stderr, "\r\x1b[2K%s: %s", std::string(stack.id).c_str(), what.c_str());
  std::fflush(stderr);
}

ExitCode install(const Invocation& invocation, const InstallOptions& options) {
  const auto stacks = wanted(options);
  if (!stacks.ok()) return fail(invocation, stacks.error());
  if (const Status agreed = agree(stacks.value(), invocation, options); !agreed.ok()) return fail(invocation, agreed.error());
  const Interruption interruption;
  const Terminal terminal = Terminal::of_stderr();
  json done = json::array();
  std::optional<Error> problem;
  for (const InstallableStack* const stack : stacks.value()) {
    const auto told = [&](const StackProgress& progress) {
      if (!invocation.quiet) show_progress(*stack, progress, terminal);
    };
    const Status installed = engine::install_stack(invocation.config.data_directory, *stack, told, interruption.token());
    if (terminal.interactive && !invocation.quiet) std::fputs("\r\x1b[2K", stderr);
    if (!installed.ok()) {
      problem = installed.error().within(stack->id);
      break;
    }
    const StackState state = engine::stack_state(invocation.config.data_directory, *stack, engine::StackCheck::kSizes);
    done.push_back(stack_json(state));
    if (!invocation.json) {
      std::printf("%s %s: %s\n", std::string(stack->id).c_str(), std::string(stack->version).c_str(), state_text(state).c_str());
    }
  }
  if (invocation.json) return print_document({{"schema", "fuselab.backends.install/1"}, {"stacks", done}}, problem);
  if (problem) return fail(invocation, *problem);
  std::puts("`fuselab devices` shows what they can do here.");
  return ExitCode::kOk;
}

ExitCode remove(const Invocation& invocation, const std::vector<std::string>& names) {
  Stacks stacks;
  for (const std::string& name : names) {
    const auto stack = stack_named(name);
    if (!stack.ok()) return fail(invocation, stack.error());
    stacks.push_back(stack.value());
  }
  json removed = json::array();
  for (const InstallableStack* const stack : stacks) {
    const auto freed = engine::remove_stack(invocation.config.data_directory, *stack);
    if (!freed.ok()) return fail(invocation, freed.error());
    removed.push_back({{"backend", stack->id}, {"freed_bytes", freed.value().count}});
    if (invocation.json) continue;
    std::printf("%s: %s\n", std::string(stack->id).c_str(),
                freed.value().count == 0 ? "was not installed" : (format_bytes(freed.value()) + " given back").c_str());
  }
  if (invocation.json) return print_document({{"schema", "fuselab.backends.remove/1"}, {"removed", removed}});
  return ExitCode::kOk;
}

}  // namespace

void add_backends_verb(CLI::App& command, Invocation& invocation) {
  command.require_subcommand(1);
  show_examples(command, {"fuselab backends list", "fuselab backends install onnxruntime openvino",
                          "fuselab backends install nvrtc --accept-licence", "fuselab backends remove mkl"});
  command.add_subcommand("list", "What can be installed, from whom, how large, and what is here")->callback([&invocation] {
    invocation.action = [&invocation] { return list(invocation); };
  });
  const auto options = std::make_shared<InstallOptions>();
  CLI::App* const installer = command.add_subcommand("install", "Fetch libraries into your own data folder");
  installer->add_option("NAME", options->names, "As `fuselab backends list` names them");
  installer->add_flag("--all", options->all, "All with a free licence and under 300 MB");
  installer->add_flag("--accept-licence", options->accept_licence, "You accept the licences of those that are proprietary");
  installer->add_flag("--yes", options->yes, "Do not ask");
  installer->callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return install(invocation, *options); }; });
  const auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* const remover = command.add_subcommand("remove", "Remove what was installed");
  remover->add_option("NAME", *names, "As `fuselab backends list` names them")->required();
  remover->callback([&invocation, names] { invocation.action = [&invocation, names] { return remove(invocation, *names); }; });
}

}  // namespace fuselab::cli
