// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_driver.h"

#include <algorithm>
#include <array>
#include <span>

#include "backends/cuda/driver/cuda_vendor.h"
#include "backends/loading/vendor_library.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr std::string_view kDriverSonames[] = {"libcuda.so.1"};
constexpr std::string_view kDriverFolders[] = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/lib64",
                                               "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"};

Error no_driver(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why)};
}

// A function's name for cuGetProcAddress and the exported name of the version that we declare.
struct Entry {
  const char* name;
  const char* exported;
  void** slot;
};

template <typename F>
void** driver_slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

std::vector<Entry> entries(DriverFunctions& f) {
  return {{"cuInit", "cuInit", driver_slot(f.init)},
          {"cuDriverGetVersion", "cuDriverGetVersion", driver_slot(f.driver_version)},
          {"cuGetErrorName", "cuGetErrorName", driver_slot(f.error_name)},
          {"cuGetErrorString", "cuGetErrorString", driver_slot(f.error_text)},
          {"cuDeviceGetCount", "cuDeviceGetCount", driver_slot(f.device_count)},
          {"cuDeviceGet", "cuDeviceGet", driver_slot(f.device_get)},
          {"cuDeviceGetName", "cuDeviceGetName", driver_slot(f.device_name)},
          {"cuDeviceGetUuid", "cuDeviceGetUuid_v2", driver_slot(f.device_uuid)},
          {"cuDeviceTotalMem", "cuDeviceTotalMem_v2", driver_slot(f.device_total_memory)},
          {"cuDeviceGetAttribute", "cuDeviceGetAttribute", driver_slot(f.device_attribute)},
          {"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", driver_slot(f.context_retain)},
          {"cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", driver_slot(f.context_release)},
          {"cuCtxSetCurrent", "cuCtxSetCurrent", driver_slot(f.context_set)},
          {"cuMemGetInfo", "cuMemGetInfo_v2", driver_slot(f.memory_info)},
          {"cuMemAlloc", "cuMemAlloc_v2", driver_slot(f.allocate)},
          {"cuMemFree", "cuMemFree_v2", driver_slot(f.release)},
          {"cuMemHostAlloc", "cuMemHostAlloc", driver_slot(f.host_allocate)},
          {"cuMemFreeHost", "cuMemFreeHost", driver_slot(f.host_release)},
          {"cuMemHostGetDevicePointer", "cuMemHostGetDevicePointer_v2", driver_slot(f.host_device_pointer)},
          {"cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", driver_slot(f.copy_to_device)},
          {"cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", driver_slot(f.copy_to_host)},
          {"cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", driver_slot(f.copy_on_device)},
          {"cuMemsetD16Async", "cuMemsetD16Async", driver_slot(f.fill_16)},
          {"cuMemsetD32Async", "cuMemsetD32Async", driver_slot(f.fill_32)},
          {"cuModuleLoadDataEx", "cuModuleLoadDataEx", driver_slot(f.module_load)},
          {"cuModuleUnload", "cuModuleUnload", driver_slot(f.module_unload)},
          {"cuModuleGetFunction", "cuModuleGetFunction", driver_slot(f.module_function)},
          {"cuModuleGetGlobal", "cuModuleGetGlobal_v2", driver_slot(f.module_global)},
          {"cuFuncGetAttribute", "cuFuncGetAttribute", driver_slot(f.function_attribute)},
          {"cuFuncSetAttribute", "cuFuncSetAttribute", driver_slot(f.set_function_attribute)},
          {"cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxActiveBlocksPerMultiprocessor", driver_slot(f.occupancy)},
          {"cuLaunchKernel", "cuLaunchKernel", driver_slot(f.launch)},
          {"cuLaunchKernelEx", "cuLaunchKernelEx", driver_slot(f.launch_with)},
          {"cuOccupancyMaxActiveClusters", "cuOccupancyMaxActiveClusters", driver_slot(f.occupancy_of_clusters)},
          {"cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled", driver_slot(f.encode_tensor_map)},
          {"cuStreamCreate", "cuStreamCreate", driver_slot(f.stream_create)},
          {"cuStreamDestroy", "cuStreamDestroy_v2", driver_slot(f.stream_destroy)},
          {"cuStreamSynchronize", "cuStreamSynchronize", driver_slot(f.stream_synchronize)},
          {"cuStreamWaitValue32", "cuStreamWaitValue32_v2", driver_slot(f.stream_wait_value)},
          {"cuEventCreate", "cuEventCreate", driver_slot(f.event_create)},
          {"cuEventDestroy", "cuEventDestroy_v2", driver_slot(f.event_destroy)},
          {"cuEventRecord", "cuEventRecord", driver_slot(f.event_record)},
          {"cuEventElapsedTime", "cuEventElapsedTime", driver_slot(f.event_elapsed)},
          {"cuStreamBeginCapture", "cuStreamBeginCapture_v2", driver_slot(f.capture_begin)},
          {"cuStreamEndCapture", "cuStreamEndCapture", driver_slot(f.capture_end)},
          {"cuGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags", driver_slot(f.graph_instantiate)},
          {"cuGraphUpload", "cuGraphUpload", driver_slot(f.graph_upload)},
          {"cuGraphLaunch", "cuGraphLaunch", driver_slot(f.graph_launch)},
          {"cuGraphExecDestroy", "cuGraphExecDestroy", driver_slot(f.graph_exec_destroy)},
          {"cuGraphDestroy", "cuGraphDestroy", driver_slot(f.graph_destroy)}};
}

// The driver knows best which version of a function fits; one before 12.0 has no cuGetProcAddress_v2.
void* find(const loading::OpenedLibrary& library, GetProcAddress by_name, const Entry& entry) {
  void* function = nullptr;
  int status = 0;
  if (by_name != nullptr && by_name(entry.name, &function, kOldestCuda, 0, &status) == kSuccess && status == 0) {
    if (function != nullptr) return function;
  }
  return library.symbol(entry.exported);
}

Result<loading::OpenedLibrary> open_driver() {
  const loading::VendorLibrary wanted{"CUDA", kDriverSonames, kDriverFolders, {}};
  return loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
}

// cuDriverGetVersion needs no cuInit: an old driver is named as such and not by the first function it lacks.
Result<int> version_of(const loading::OpenedLibrary& library) {
  Code (*driver_version)(int*) = nullptr;
  const loading::Symbol symbols[] = {{"cuDriverGetVersion", driver_slot(driver_version)}};
  FL_TRY_VOID(loading::resolve(library, symbols));
  int version = 0;
  if (const Code code = driver_version(&version); code != kSuccess) {
    return no_driver(library.path + " does not tell its version (cuDriverGetVersion: " + std::to_string(code) + ")");
  }
  if (version < kOldestCuda) {
    return no_driver("the NVIDIA driver is too old: it supports CUDA " + version_text(version) + ", " + version_text(kOldestCuda) +
                     " is needed");
  }
  return version;
}

struct Meaning {
  Code code;
  const char* text;
};
constexpr Meaning kInitFailures[] = {
    {kNoDevice, "no CUDA device"},
    {kStubLibrary, "libcuda.so.1 is a stub to link against, not the driver"},
    {kDeviceUnavailable, "the CUDA device is held by another process"},
    {kSystemNotReady, "the CUDA devices are not ready yet"},
    {kSystemDriverMismatch,
     "the NVIDIA driver's library and kernel module do not belong together: reboot, or reinstall the driver"},
    {kCompatNotSupportedOnDevice, "CUDA's forward compatibility does not support this device"},
    {kOutOfMemory, "no memory to start CUDA"}};

}  // namespace

std::optional<int> supported_cuda() {
  const auto opened = open_driver();
  if (!opened.ok()) return std::nullopt;
  const auto version = version_of(opened.value());
  return version.ok() ? std::optional(version.value()) : std::nullopt;
}

Result<std::shared_ptr<const CudaDriver>> CudaDriver::open() {
  auto opened = open_driver();
  if (!opened.ok()) return no_driver("no NVIDIA driver here: " + opened.error().message);
  const loading::OpenedLibrary& library = opened.value();

  std::shared_ptr<CudaDriver> driver(new CudaDriver());
  FL_TRY(driver->version_, version_of(library));
  const auto by_name = reinterpret_cast<GetProcAddress>(library.symbol("cuGetProcAddress_v2"));
  for (const Entry& entry : entries(driver->calls_)) {
    *entry.slot = find(library, by_name, entry);
    if (*entry.slot == nullptr) return no_driver("the NVIDIA driver (" + library.path + ") has no function " + entry.name);
  }
  const Code code = driver->calls_.init(0);
  if (code == kSuccess) return std::shared_ptr<const CudaDriver>(std::move(driver));
  const auto known =
      std::find_if(std::begin(kInitFailures), std::end(kInitFailures), [&](auto& each) { return each.code == code; });
  const std::string meaning = known == std::end(kInitFailures) ? "the NVIDIA driver does not start" : known->text;
  return no_driver(meaning + " (cuInit: " + driver->name_of(code) + ")");
}

CudaDriver::CudaDriver() : Driver(cuda_vendor()) {}

std::string CudaDriver::version() const {
  return version_text(version_);
}

}  // namespace fuselab::cuda
