// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/nvrtc_library.h"

#include <vector>

#include "backends/loading/vendor_library.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr int kOldestMajor = 12;
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

}  // namespace

Result<std::shared_ptr<const NvrtcLibrary>> NvrtcLibrary::open() {
  loading::VendorLibrary const wanted{"NVRTC", kNvrtcSonames, kNvrtcFolders, kWheelFolders};
  auto opened = loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
  if (!opened.ok()) {
    return no_compiler("no CUDA compiler: " + opened.error().message +
                       "; install the CUDA toolkit or pip's nvidia-cuda-nvrtc, or set FUSELAB_LIB_NVRTC");
  }
  std::shared_ptr<NvrtcLibrary> library(new NvrtcLibrary());
  FL_TRY_VOID(loading::resolve(opened.value(), symbols(library->calls_)));
  if (library->calls_.version(&library->major_, &library->minor_) != kNvrtcSuccess) {
    return no_compiler(opened.value().path + " does not tell its version");
  }
  if (library->major_ < kOldestMajor) {
    return no_compiler("NVRTC " + library->version() + " (" + opened.value().path + ") is too old: 12.0 is needed");
  }
  FL_TRY_VOID(library->read_architectures());
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
