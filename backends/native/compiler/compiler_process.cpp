// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/compiler_process.h"

#include <sstream>

#include "backends/native/compiler/compiler_failure.h"
#include "backends/native/compiler/elf_code.h"
#include "backends/native/compiler/x86_spills.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/child_process.h"

namespace fuselab::cpu {
namespace {

using std::chrono::milliseconds;
constexpr Bytes kLargestBinary{std::int64_t{64} << 20};
constexpr std::string_view kFolderPrefix = "fuselab-cc";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Runs a program to its end and returns what it wrote; an error when it fails, is cancelled or takes too long.
Result<std::string> run(const platform::ChildOptions& options, std::chrono::seconds limit, std::stop_token stop) {
  FL_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    const std::optional<std::string> exit = child.wait_exit(milliseconds(5));
    const std::string words = child.last_words();
    if (exit && *exit == "exited with code 0") return words;
    if (exit) return compiler_failure(options.program.string(), *exit, words);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "compilation cancelled"};
    if (std::chrono::steady_clock::now() > deadline) {
      return Error{ErrorCode::kTimeout,
                   options.program.string() + " took longer than " + std::to_string(limit.count()) + " s and was stopped"};
    }
  }
}

// "gcc (Debian 12.2.0-14) 12.2.0" → gcc 12.2.0; "Debian clang version 14.0.6" → clang 14.0.6.
std::optional<CompilerFingerprint> read_version(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::vector<std::string> words = words_of(line);
  const bool clang = line.find("clang version") != std::string::npos;
  if (clang) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "version") return CompilerFingerprint{"clang", words[i + 1]};
    }
  }
  const bool gnu = text.find("Free Software Foundation") != std::string::npos;
  if (!gnu || words.empty()) return std::nullopt;
  return CompilerFingerprint{"gcc", words.back()};
}

}  // namespace

void sweep_compilations() {
  platform::TemporaryFolder::sweep(kFolderPrefix);
}

std::vector<std::filesystem::path> programs_called(std::span<const char* const> names) {
  std::vector<std::filesystem::path> paths;
  for (const char* name : names) {
    for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) paths.push_back(std::filesystem::path(folder) / name);
  }
  return paths;
}

std::optional<FoundCompiler> find_compiler(std::span<const std::filesystem::path> candidates) {
  for (const std::filesystem::path& candidate : candidates) {
    std::error_code ignored;
    if (!std::filesystem::exists(candidate, ignored)) continue;
    const auto answer = run({.program = candidate,
                             .arguments = {"--version"},
                             .passed_fds = {},
                             .address_space = {},
                             .group = platform::ProcessGroup::kJoined},
                            std::chrono::seconds(10), {});
    if (!answer.ok()) continue;
    if (const auto fingerprint = read_version(answer.value())) return FoundCompiler{candidate, *fingerprint};
  }
  return std::nullopt;
}

std::string listed(std::span<const std::filesystem::path> candidates) {
  std::string names;
  for (const auto& candidate : candidates) names += (names.empty() ? "" : ", ") + candidate.string();
  return names;
}

Result<KernelBinary> run_compiler(const FoundCompiler& compiler, const Compilation& job, const SourceModule& source,
                                  std::stop_token stop) {
  FL_TRY(const platform::TemporaryFolder folder, platform::TemporaryFolder::create(kFolderPrefix));
  const auto text = std::as_bytes(std::span(source.text));
  FL_TRY_VOID(platform::write_file_atomically(folder.path() / "kernel.c", text));
  platform::ChildOptions options;
  options.program = compiler.program;
  options.group = platform::ProcessGroup::kJoined;
  // A killed compiler's own leftovers are swept with the rest. Its words are read by compiler_failure(): in English.
  options.variables = {{"TMPDIR", folder.path().string()}, {"LC_ALL", "C"}};
  options.arguments = words_of(job.flags);
  const std::string output = (folder.path() / "kernel.out").string();
  for (const std::string& more : {std::string("-o"), output, (folder.path() / "kernel.c").string()}) {
    options.arguments.push_back(more);
  }
  options.arguments.insert(options.arguments.end(), job.links.begin(), job.links.end());
  FL_TRY(const std::string words, run(options, job.limit, stop));
  KernelBinary binary;
  FL_TRY(binary.data, platform::read_file(output, kLargestBinary));
  binary.metadata = {{"compiler", compiler.fingerprint.id}, {"version", compiler.fingerprint.version}, {"flags", job.flags}};
  if (const auto sections = code_of(binary.data)) {
    const bool x86 = is_x86(binary.data);
    std::size_t bytes = 0;
    std::int64_t spilled = 0;
    for (const std::span<const std::byte> code : *sections) {
      bytes += code.size();
      if (x86) spilled += x86_spill_bytes(code);
    }
    binary.metadata["resource.code_bytes"] = std::to_string(bytes);
    if (x86) binary.metadata["resource.spill_bytes"] = std::to_string(spilled);
  }
  if (!words.empty()) binary.metadata["warnings"] = words;
  return binary;
}

}  // namespace fuselab::cpu
