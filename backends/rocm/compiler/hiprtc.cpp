// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/compiler/hiprtc.h"

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "backends/loading/vendor_library.h"

namespace fuselab::hip {
namespace {

using namespace abi;

constexpr std::string_view kHiprtcSonames[] = {"libhiprtc.so.10", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                               "libamdhip64.so.5"};
constexpr std::string_view kRocmFolders[] = {"/opt/rocm/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"};
constexpr std::string_view kRocmWheelFolders[] = {"_rocm_sdk_core/lib"};
// hiprtc 5 opens the second itself. Which one later versions open is not known here: the newer one is asked first.
constexpr std::string_view kComgrSonames[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so.3"};
constexpr std::size_t kLongestLog = 4000;

template <typename F>
void** hiprtc_slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

// What stands behind ".so." in the name of the file itself.
std::string version_in(const std::string& path) {
  std::error_code absent;
  const std::string name = std::filesystem::canonical(path, absent).filename().string();
  const std::size_t mark = name.find(".so.");
  return mark == std::string::npos ? "of an unknown version" : name.substr(mark + 4);
}

// Each compilation has a folder of its own: "/tmp/comgr-b08c94/input/CompileSource:1:1: error: …".
std::string without_folders(std::string log) {
  constexpr std::string_view kFolder = "/tmp/comgr-", kLast = "/input/";
  for (std::size_t at = log.find(kFolder); at != std::string::npos; at = log.find(kFolder, at)) {
    const std::size_t end = log.find(kLast, at);
    if (end == std::string::npos) break;
    log.erase(at, end + kLast.size() - at);
  }
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log.substr(0, kLongestLog);
}

ErrorCode hiprtc_meaning(HiprtcCode code) {
  return code == kHiprtcOutOfMemory     ? ErrorCode::kOutOfMemory
         : code == kHiprtcInvalidOption ? ErrorCode::kUnsupported
                                        : ErrorCode::kCompileFailed;
}

}  // namespace

Result<std::shared_ptr<const Hiprtc>> Hiprtc::open() {
  const loading::VendorLibrary wanted{"HIPRTC", kHiprtcSonames, kRocmFolders, kRocmWheelFolders};
  const auto opened = loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
  if (!opened.ok()) return Error{ErrorCode::kUnavailable, "no hiprtc: " + opened.error().message};
  std::shared_ptr<Hiprtc> library(new Hiprtc());
  HiprtcFunctions& f = library->calls_;
  const loading::Symbol symbols[] = {
      {"hiprtcGetErrorString", hiprtc_slot(f.error_text)},  {"hiprtcCreateProgram", hiprtc_slot(f.create)},
      {"hiprtcDestroyProgram", hiprtc_slot(f.destroy)},     {"hiprtcCompileProgram", hiprtc_slot(f.compile)},
      {"hiprtcGetProgramLogSize", hiprtc_slot(f.log_size)}, {"hiprtcGetProgramLog", hiprtc_slot(f.log)},
      {"hiprtcGetCodeSize", hiprtc_slot(f.code_size)},      {"hiprtcGetCode", hiprtc_slot(f.code)}};
  FL_TRY_VOID(loading::resolve(opened.value(), symbols));
  library->path_ = opened.value().path;
  library->version_ = version_in(library->path_);
  FL_TRY_VOID(library->read_architectures());
  return std::shared_ptr<const Hiprtc>(std::move(library));
}

Status Hiprtc::read_architectures() {
  const auto sonames = std::span(kComgrSonames).subspan(std::atoi(version_.c_str()) < 6 ? 1 : 0, 2);
  const loading::VendorLibrary wanted{"COMGR", sonames, kRocmFolders, kRocmWheelFolders};
  const auto opened = loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
  if (!opened.ok()) return Error{ErrorCode::kUnavailable, "hiprtc " + version_ + " needs comgr: " + opened.error().message};
  ComgrFunctions comgr{};
  const loading::Symbol symbols[] = {{"amd_comgr_get_isa_count", hiprtc_slot(comgr.isa_count)},
                                     {"amd_comgr_get_isa_name", hiprtc_slot(comgr.isa_name)}};
  FL_TRY_VOID(loading::resolve(opened.value(), symbols));
  std::size_t count = 0;
  if (comgr.isa_count(&count) != 0) count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    if (comgr.isa_name(i, &name) != 0 || name == nullptr) continue;
    const std::string_view isa = name;
    const std::size_t dashes = isa.find("--");
    if (dashes != std::string_view::npos) architectures_.emplace(isa.substr(dashes + 2, isa.find(':') - dashes - 2));
  }
  if (architectures_.empty())
    return Error{ErrorCode::kUnavailable, "comgr (" + opened.value().path + ") does not tell what it compiles for"};
  return {};
}

Result<std::vector<std::byte>> Hiprtc::compile(const std::string& text, const std::string& target,
                                               std::span<const std::string> options, std::string& log) const {
  const std::string who = "hiprtc " + version_;
  log.clear();
  if (!architectures_.contains(target)) {
    return Error{ErrorCode::kUnsupported, who + " makes no code for " + target + ": comgr names " +
                                              std::to_string(architectures_.size()) +
                                              " architectures, and not this one; update ROCm"};
  }
  const auto check = [&](HiprtcCode code) -> Status {
    if (code == kHiprtcSuccess) return {};
    return Error{hiprtc_meaning(code), who + ": " + calls_.error_text(code) + (log.empty() ? "" : ": " + log)};
  };
  Program made = nullptr;
  FL_TRY_VOID(check(calls_.create(&made, text.c_str(), "kernel.hip", 0, nullptr, nullptr)));
  const auto destroy = [&](Program* program) { calls_.destroy(program); };
  const std::unique_ptr<Program, decltype(destroy)> program(&made, destroy);

  const std::string arch = "--offload-arch=" + target;
  std::vector<const char*> words = {arch.c_str()};
  for (const std::string& each : options) words.push_back(each.c_str());
  const HiprtcCode compiled = calls_.compile(made, static_cast<int>(words.size()), words.data());
  std::size_t size = 0;
  if (calls_.log_size(made, &size) == kHiprtcSuccess && size > 0) {
    std::string said(size, '\0');
    if (calls_.log(made, said.data()) == kHiprtcSuccess) log = without_folders(std::move(said));
  }
  if (compiled == kHiprtcCompilation && !log.empty()) return Error{ErrorCode::kCompileFailed, log};
  FL_TRY_VOID(check(compiled));
  FL_TRY_VOID(check(calls_.code_size(made, &size)));
  std::vector<std::byte> code(size);
  FL_TRY_VOID(check(calls_.code(made, reinterpret_cast<char*>(code.data()))));
  return code;
}

}  // namespace fuselab::hip
