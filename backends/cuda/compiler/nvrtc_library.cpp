// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler/nvrtc_library.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "backends/loading/vendor_library.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr int kOldestMajor = 12;
constexpr std::string_view kStack = "nvrtc";  // what `fuselab backends install` calls it
constexpr std::string_view kNvrtcSonames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
constexpr std::string_view kNvrtcFolders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
                                              "/opt/cuda/lib64", "/usr/local/cuda-13/lib64", "/usr/local/cuda-12/lib64"};
constexpr std::string_view kWheelFolders[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"};

Error no_compiler(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why)};
}

template <typename F>
void** nvrtc_slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

std::vector<loading::Symbol> symbols(NvrtcFunctions& f) {
  return {{"nvrtcVersion", nvrtc_slot(f.version)},
          {"nvrtcGetErrorString", nvrtc_slot(f.error_text)},
          {"nvrtcGetNumSupportedArchs", nvrtc_slot(f.count_archs)},
          {"nvrtcGetSupportedArchs", nvrtc_slot(f.archs)},
          {"nvrtcCreateProgram", nvrtc_slot(f.create)},
          {"nvrtcDestroyProgram", nvrtc_slot(f.destroy)},
          {"nvrtcCompileProgram", nvrtc_slot(f.compile)},
          {"nvrtcGetProgramLogSize", nvrtc_slot(f.log_size)},
          {"nvrtcGetProgramLog", nvrtc_slot(f.log)},
          {"nvrtcGetCUBINSize", nvrtc_slot(f.cubin_size)},
          {"nvrtcGetCUBIN", nvrtc_slot(f.cubin)},
          {"nvrtcGetPTXSize", nvrtc_slot(f.ptx_size)},
          {"nvrtcGetPTX", nvrtc_slot(f.ptx)}};
}

std::optional<CudaVersion> version_of(const loading::OpenedLibrary& library) {
  const auto tell = reinterpret_cast<NvrtcCode (*)(int*, int*)>(library.symbol("nvrtcVersion"));
  CudaVersion version;
  if (tell == nullptr || tell(&version.major, &version.minor) != kNvrtcSuccess) return std::nullopt;
  return version;
}

// The first that there is; beside a driver the one that goes with it best. Each takes a tenth of a second to open, so a soname's
// files are all tried, and the next soname's only where none of them is old enough.
Result<loading::OpenedLibrary> open_for(std::optional<CudaVersion> driver) {
  const loading::VendorLibrary wanted{"NVRTC", kNvrtcSonames, kNvrtcFolders, kWheelFolders, kStack};
  const auto surroundings = loading::real_surroundings(wanted.name);
  std::vector<loading::OpenedLibrary> found;
  std::vector<CudaVersion> versions;
  for (std::size_t soname = 0; driver && surroundings.chosen.empty() && soname < std::size(kNvrtcSonames); ++soname) {
    const loading::VendorLibrary one{"NVRTC", std::span(kNvrtcSonames).subspan(soname, 1), kNvrtcFolders, kWheelFolders, kStack};
    for (loading::OpenedLibrary& each : loading::open_vendor_libraries(one, surroundings)) {
      const auto version = version_of(each);
      if (!version || version->major < kOldestMajor) continue;
      found.push_back(std::move(each));
      versions.push_back(*version);
    }
    if (std::any_of(versions.begin(), versions.end(), [&](CudaVersion each) { return each <= *driver; })) break;
  }
  if (!found.empty()) return found[choose_nvrtc(versions, *driver)];
  auto opened = loading::open_vendor_library(wanted, surroundings);
  if (opened.ok()) return opened;
  const bool chosen = !surroundings.chosen.empty();
  return no_compiler("no CUDA compiler: " + opened.error().message +
                     (chosen ? "; without FUSELAB_LIB_NVRTC it is searched for" : "; FUSELAB_LIB_NVRTC names one elsewhere"));
}

}  // namespace

Result<std::shared_ptr<const NvrtcLibrary>> NvrtcLibrary::open(std::optional<int> driver) {
  const std::optional<CudaVersion> beside = driver ? std::optional(CudaVersion{*driver / 1000, *driver % 1000 / 10}) : std::nullopt;
  FL_TRY(const loading::OpenedLibrary opened, open_for(beside));
  std::shared_ptr<NvrtcLibrary> library(new NvrtcLibrary());
  FL_TRY_VOID(loading::resolve(opened, symbols(library->calls_)));
  library->path_ = opened.path;
  if (library->calls_.version(&library->version_.major, &library->version_.minor) != kNvrtcSuccess) {
    return no_compiler(opened.path + " does not tell its version");
  }
  if (library->version_.major < kOldestMajor) {
    return no_compiler("NVRTC " + library->version() + " (" + opened.path + ") is too old: 12.0 is needed");
  }
  FL_TRY_VOID(library->read_architectures());
  if (beside) library->note_ = note_beside(library->version_, *beside);
  return std::shared_ptr<const NvrtcLibrary>(std::move(library));
}

Status NvrtcLibrary::read_architectures() {
  int count = 0;
  if (calls_.count_archs(&count) != kNvrtcSuccess || count < 1 || count > 1000) {
    return no_compiler("NVRTC " + version() + " does not tell what it compiles for");
  }
  std::vector<int> listed(static_cast<std::size_t>(count));
  if (calls_.archs(listed.data()) != kNvrtcSuccess)
    return no_compiler("NVRTC " + version() + " does not tell what it compiles for");
  architectures_.insert(listed.begin(), listed.end());
  return {};
}

}  // namespace fuselab::cuda
