// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/host_compiler.h"

#include <sstream>

#include "core/platform/atomic_file.h"
#include "core/platform/child_process.h"
#include "core/platform/uuid.h"

namespace fuselab::cpu {
namespace {

using std::chrono::milliseconds;
constexpr Bytes kLargestBinary{std::int64_t{64} << 20};

// A folder of its own for one compilation, gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code ignored;
    path_ = std::filesystem::temp_directory_path(ignored) / ("fuselab-cc-" + platform::make_uuid());
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

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
    if (exit) {
      if (*exit == "exited with code 0") return words;
      return Error{ErrorCode::kCompileFailed, options.program.string() + " " + *exit + ":\n" + words};
    }
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

std::vector<std::filesystem::path> default_compilers() {
  std::vector<std::filesystem::path> paths;
  for (const char* name : {"gcc", "clang", "cc"}) {
    for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) paths.push_back(std::filesystem::path(folder) / name);
  }
  return paths;
}

std::optional<HostCompiler::Found> HostCompiler::find() {
  const std::lock_guard lock(mutex_);
  if (found_) return found_;
  for (const std::filesystem::path& candidate : candidates_) {
    std::error_code ignored;
    if (!std::filesystem::exists(candidate, ignored)) continue;
    const auto answer = run({.program = candidate, .arguments = {"--version"}, .passed_fds = {}, .address_space = {}},
                            std::chrono::seconds(10), {});
    if (!answer.ok()) continue;
    if (const auto fingerprint = read_version(answer.value())) {
      found_ = Found{candidate, *fingerprint};
      return found_;
    }
  }
  return std::nullopt;
}

Availability HostCompiler::probe() {
  if (find()) return Availability::available();
  std::string names;
  for (const auto& candidate : candidates_) names += (names.empty() ? "" : ", ") + candidate.string();
  return Availability::unavailable("no C compiler found (looked for " + names + "); install gcc: apt-get install gcc libc6-dev");
}

CompilerFingerprint HostCompiler::fingerprint() {
  const auto found = find();
  return found ? found->fingerprint : CompilerFingerprint{};
}

std::string HostCompiler::flags(const Target& target, OptimizationLevel level) const {
  std::string flags = "-std=c11 -fPIC -shared -fno-math-errno -fno-trapping-math -Wno-psabi -march=" + target.id;
  switch (level) {
    case OptimizationLevel::kO0: return flags + " -O1 -ffp-contract=off";
    case OptimizationLevel::kO1: return flags + " -O2 -ffp-contract=off";
    case OptimizationLevel::kO2:
    case OptimizationLevel::kO3: return flags + " -O3 -ffp-contract=fast";
  }
  return flags;
}

Result<KernelBinary> HostCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                           std::stop_token stop) {
  const auto found = find();
  if (!found) return Error{ErrorCode::kUnavailable, probe().reason};
  if (target.arch != "x86-64") return Error{ErrorCode::kUnsupported, "this compiler makes no code for " + target.id};
  const ScratchFolder folder;
  const auto text = std::as_bytes(std::span(source.text));
  FL_TRY_VOID(platform::write_file_atomically(folder.path() / "kernel.c", text));
  platform::ChildOptions options;
  options.program = found->program;
  options.arguments = words_of(flags(target, level));
  const std::string output = (folder.path() / "kernel.so").string();
  for (const std::string& more : {std::string("-s"), std::string("-Wl,--build-id=none"), std::string("-o"), output,
                                  (folder.path() / "kernel.c").string(), std::string("-lm")}) {
    options.arguments.push_back(more);
  }
  FL_TRY(const std::string words, run(options, limit_, stop));
  KernelBinary binary;
  binary.format = "elf-so";
  FL_TRY(binary.data, platform::read_file(output, kLargestBinary));
  binary.metadata = {{"compiler", found->fingerprint.id}, {"version", found->fingerprint.version}, {"flags", flags(target, level)}};
  if (!words.empty()) binary.metadata["warnings"] = words;
  return binary;
}

}  // namespace fuselab::cpu
