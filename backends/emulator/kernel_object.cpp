// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/kernel_object.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "backends/emulator/block_run.h"
#include "core/base/content_hash.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/child_process.h"
#include "core/platform/processes/program_run.h"
#include "embedded/simt/matrix_prelude_host.h"
#include "embedded/simt/prelude_host.h"

namespace fuselab::simt {
namespace {

constexpr std::string_view kEndOfPrelude = "// End of the prelude.\n";
constexpr std::string_view kEndOfMatrixPrelude = "// End of the matrix prelude.\n";
constexpr std::string_view kPrefix = "fl_simt_kernel_";
constexpr CodePlace kLastLine = 1U << 20;  // places below are lines

std::string file_name(std::size_t kernel) {
  return "kernel_" + std::to_string(kernel);
}

// Each kernel in a namespace of its own and under a name of its own, its text untouched.
std::string unit_text(std::span<const KernelText> kernels) {
  std::string text = "#line 1 \"prelude_host.h\"\n" + std::string(host_prelude());
  if (std::any_of(kernels.begin(), kernels.end(), [](const KernelText& kernel) { return kernel.matrix_units; }))
    text.append("\n#line 1 \"matrix_prelude_host.h\"\n").append(host_matrix_prelude());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string number = std::to_string(i);
    text.append("\n#define ").append(kernels[i].entry).append(" ").append(kPrefix).append(number);
    text.append("\nnamespace kernel_").append(number).append(" {\n#line 1 \"").append(file_name(i)).append("\"\n");
    text.append(kernels[i].body).append("\n}\n#undef ").append(kernels[i].entry).append("\n");
  }
  return text;
}

std::vector<std::string> compiler_arguments(bool is_clang, const std::string& source, const std::string& object) {
  // The instrumentation's calls are answered by this program, not by the sanitizer's library. Registers that nobody has set hold a
  // pattern; nothing is contracted to a fused multiply-add.
  std::vector<std::string> arguments = {"-x",
                                        "c++",
                                        "-std=c++17",
                                        "-O1",
                                        "-g1",
                                        "-w",
                                        "-fPIC",
                                        "-shared",
                                        "-fno-exceptions",
                                        "-ffp-contract=off",
                                        "-fsanitize=thread"};
  // Clang shows no read of what is written in the same block at once, as in `y += 1`, and makes calls that nobody watches of loops
  // that clear or copy.
  if (is_clang) {
    arguments.insert(arguments.end(),
                     {"-mllvm", "-tsan-instrument-read-before-write", "-fno-builtin-memset", "-fno-builtin-memcpy"});
  }
  for (const std::string& each : {std::string("-fsanitize-coverage=trace-pc"), std::string("-ftrivial-auto-var-init=pattern"),
                                  std::string("-nodefaultlibs"), std::string("-o"), object, source, std::string("-lm")})
    arguments.push_back(each);
  return arguments;
}

const std::filesystem::path* folder() {
  static const auto kFolder = platform::TemporaryFolder::create(kEmulationFolder);
  return kFolder.ok() ? &kFolder.value().path() : nullptr;
}

Status run_compiler(const std::string& source, const std::string& object) {
  platform::ChildOptions options;
  const auto compiler = find_emulator_compiler();
  if (!compiler) return Error{ErrorCode::kUnavailable, "there is neither g++ nor clang++ in $PATH"};
  options.program = *compiler;
  options.arguments = compiler_arguments(compiler->filename().string().starts_with("clang"), source, object);
  options.group = platform::ProcessGroup::kJoined;
  FL_TRY(auto child, platform::ChildProcess::start(options));
  std::optional<std::string> end;
  while (!(end = child.wait_exit(std::chrono::milliseconds(20)))) child.last_words();
  if (*end == "exited with code 0") return Status();
  return Error{ErrorCode::kCompileFailed, "the host's compiler " + *end + ": " + child.last_words()};
}

int note_image(dl_phdr_info* info, std::size_t, void* wanted) {
  auto* const range = static_cast<std::uintptr_t*>(wanted);
  if (info->dlpi_addr != range[0]) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD) range[1] = std::max<std::uintptr_t>(range[1], info->dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  return 1;
}

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(lines, line)) return "";
  }
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

// The outermost line of the kernel that the instruction belongs to, what was inlined into it left aside; 0 when nobody knows.
int outermost_line(const std::string& object, std::uintptr_t offset, const std::string& file) {
  char command[512];
  std::snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%zx 2>/dev/null", object.c_str(),
                static_cast<std::size_t>(offset));
  FILE* const pipe = popen(command, "r");
  if (pipe == nullptr) return 0;
  int found = 0;
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    const std::string text = line;
    const std::size_t at = text.rfind(file + ":");
    if (at != std::string::npos) found = std::atoi(text.c_str() + at + file.size() + 1);
  }
  pclose(pipe);
  return found;
}

}  // namespace

std::optional<std::filesystem::path> find_emulator_compiler() {
  return platform::find_program({"g++", "clang++"});
}

std::string_view host_prelude() {
  return prelude::embedded_files().front().text;
}

std::string_view host_matrix_prelude() {
  static const std::string kText = [] {
    std::string text;
    for (const matrix_prelude::EmbeddedFile& file : matrix_prelude::embedded_files()) text += file.text;
    return text;
  }();
  return kText;
}

std::string without_prelude(const std::string& text) {
  for (const std::string_view line : {kEndOfMatrixPrelude, kEndOfPrelude}) {
    if (const std::size_t end = text.find(line); end != std::string::npos) return text.substr(end + line.size());
  }
  return text;
}

KernelText text_of(std::string entry, const std::string& module) {
  return {std::move(entry), without_prelude(module), module.find(kEndOfMatrixPrelude) != std::string::npos};
}

Result<std::shared_ptr<const KernelObject>> KernelObject::compile(std::span<const KernelText> kernels) {
  static std::map<std::string, std::shared_ptr<const KernelObject>> made;
  const std::string text = unit_text(kernels);
  const std::string key = ContentHash::of(text).hex();
  if (const auto known = made.find(key); known != made.end()) return known->second;
  if (folder() == nullptr) return Error{ErrorCode::kIo, "no temporary folder for the SIMT executor's objects"};
  const std::string source = (*folder() / (key + ".cpp")).string();
  const std::string object = (*folder() / (key + ".so")).string();
  std::ofstream(source) << text;
  const Status compiled = run_compiler(source, object);
  std::filesystem::remove(source);
  FL_TRY_VOID(compiled);
  auto kernel_object = std::make_shared<KernelObject>();
  kernel_object->kernels_.assign(kernels.begin(), kernels.end());
  FL_TRY_VOID(kernel_object->load(object));
  return made[key] = kernel_object;
}

Status KernelObject::load(const std::string& path) {
  path_ = path;
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{ErrorCode::kCompileFailed, std::string("the kernels do not load: ") + dlerror()};
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    entries_.push_back(dlsym(handle, (std::string(kPrefix) + std::to_string(i)).c_str()));
    if (entries_.back() == nullptr) return Error{ErrorCode::kCompileFailed, "the text has no kernel " + kernels_[i].entry};
  }
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
    std::uintptr_t range[2] = {map->l_addr, map->l_addr};
    dl_iterate_phdr(&note_image, range);
    image_begin_ = range[0];
    image_end_ = range[1];
  }
  return Status();
}

// The first number behind "MACRO(" in the head of the kernel, which begins at extern "C"; 0 where there is none.
int KernelObject::number_of(std::size_t kernel, std::string_view macro) const {
  const std::string& body = kernels_[kernel].body;
  const std::size_t name = body.find(" " + kernels_[kernel].entry + "(");
  const std::size_t head = body.rfind("extern \"C\"", name);
  const std::size_t at = head == std::string::npos ? head : body.find(macro, head);
  return at >= name ? 0 : std::atoi(body.c_str() + at + macro.size());
}

int KernelObject::max_threads(std::size_t kernel) const {
  return number_of(kernel, "FL_KERNEL(");
}

int KernelObject::lanes(std::size_t kernel) const {
  const int stated = number_of(kernel, "FL_WAVEFRONT(");
  return stated == 0 ? kWarp : stated;
}

std::int64_t KernelObject::most_static(std::size_t kernel) const {
  constexpr std::int64_t kMostOfAmds = 160 << 10;  // gfx950; clang refuses what another target lacks
  return number_of(kernel, "FL_WAVEFRONT(") == 0 ? WatchedMemory::kStaticBytes : kMostOfAmds;
}

int KernelObject::cluster(std::size_t kernel) const {
  return std::max(1, number_of(kernel, "FL_CLUSTER("));
}

std::string KernelObject::describe(std::size_t kernel, CodePlace place) const {
  const int line = place < kLastLine
                       ? static_cast<int>(place)
                       : outermost_line(path_, static_cast<std::uintptr_t>(place) - image_begin_ - 1, file_name(kernel));
  if (line == 0) return "";
  return " in line " + std::to_string(line) + " (`" + line_of(kernels_[kernel].body, line) + "`)";
}

}  // namespace fuselab::simt
