// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_library.h"

#include <cstdlib>
#include <vector>

#include "backends/loading/vendor_library.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::opencl {
namespace {

using namespace abi;

constexpr std::string_view kSonames[] = {"libOpenCL.so.1"};
constexpr std::string_view kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                         "/usr/local/cuda/lib64", "/opt/rocm/lib"};
constexpr std::string_view kCachePrefix = "fuselab-pocl";

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

std::vector<loading::Symbol> symbols(Functions& f) {
  return {{"clGetPlatformIDs", slot(f.platforms)},
          {"clGetPlatformInfo", slot(f.platform_info)},
          {"clGetDeviceIDs", slot(f.devices)},
          {"clGetDeviceInfo", slot(f.device_info)},
          {"clCreateContext", slot(f.create_context)},
          {"clReleaseContext", slot(f.release_context)},
          {"clCreateCommandQueue", slot(f.create_queue)},
          {"clReleaseCommandQueue", slot(f.release_queue)},
          {"clCreateBuffer", slot(f.create_buffer)},
          {"clCreateSubBuffer", slot(f.create_sub_buffer)},
          {"clReleaseMemObject", slot(f.release_memory)},
          {"clCreateProgramWithSource", slot(f.program_of_source)},
          {"clCreateProgramWithBinary", slot(f.program_of_binary)},
          {"clBuildProgram", slot(f.build)},
          {"clGetProgramBuildInfo", slot(f.build_info)},
          {"clGetProgramInfo", slot(f.program_info)},
          {"clReleaseProgram", slot(f.release_program)},
          {"clCreateKernel", slot(f.create_kernel)},
          {"clGetKernelInfo", slot(f.kernel_info)},
          {"clGetKernelWorkGroupInfo", slot(f.work_group_info)},
          {"clSetKernelArg", slot(f.set_argument)},
          {"clReleaseKernel", slot(f.release_kernel)},
          {"clEnqueueNDRangeKernel", slot(f.launch)},
          {"clEnqueueReadBuffer", slot(f.read)},
          {"clEnqueueWriteBuffer", slot(f.write)},
          {"clEnqueueFillBuffer", slot(f.fill)},
          {"clEnqueueCopyBuffer", slot(f.copy)},
          {"clFinish", slot(f.finish)},
          {"clGetEventProfilingInfo", slot(f.profiling)},
          {"clReleaseEvent", slot(f.release_event)}};
}

// PoCL takes its settings from the environment alone. Its usual cache, in the user's home, would give a first launch that another
// process paid for. The folder goes with the process.
void keep_pocl_cache_here() {
  static const Result<platform::TemporaryFolder> folder = [] {
    sweep_caches();  // PoCL may write once more while its process ends, after the folder was removed
    return platform::TemporaryFolder::create(kCachePrefix);
  }();
  if (folder.ok()) ::setenv("POCL_CACHE_DIR", folder.value().path().c_str(), 1);
}

struct Named {
  Code code;
  const char* name;
  ErrorCode meaning;
};
constexpr Named kCodes[] = {
    {kDeviceNotFound, "CL_DEVICE_NOT_FOUND", ErrorCode::kUnavailable},
    {kDeviceNotAvailable, "CL_DEVICE_NOT_AVAILABLE", ErrorCode::kUnavailable},
    {kCompilerNotAvailable, "CL_COMPILER_NOT_AVAILABLE", ErrorCode::kUnavailable},
    {kMemObjectAllocationFailure, "CL_MEM_OBJECT_ALLOCATION_FAILURE", ErrorCode::kOutOfMemory},
    {kOutOfResources, "CL_OUT_OF_RESOURCES", ErrorCode::kLaunchFailed},
    {kOutOfHostMemory, "CL_OUT_OF_HOST_MEMORY", ErrorCode::kOutOfMemory},
    {kBuildProgramFailure, "CL_BUILD_PROGRAM_FAILURE", ErrorCode::kCompileFailed},
    {kMisalignedSubBufferOffset, "CL_MISALIGNED_SUB_BUFFER_OFFSET", ErrorCode::kInvalidArgument},
    {kInvalidValue, "CL_INVALID_VALUE", ErrorCode::kLaunchFailed},
    {kInvalidBinary, "CL_INVALID_BINARY", ErrorCode::kCorrupt},
    {kInvalidBuildOptions, "CL_INVALID_BUILD_OPTIONS", ErrorCode::kUnsupported},
    {kInvalidKernelName, "CL_INVALID_KERNEL_NAME", ErrorCode::kCorrupt},
    {kInvalidWorkGroupSize, "CL_INVALID_WORK_GROUP_SIZE", ErrorCode::kUnsupported},
    {kInvalidBufferSize, "CL_INVALID_BUFFER_SIZE", ErrorCode::kOutOfMemory},
    {kPlatformNotFound, "CL_PLATFORM_NOT_FOUND_KHR", ErrorCode::kUnavailable},
};

}  // namespace

std::string name_of(Code code) {
  for (const Named& each : kCodes) {
    if (each.code == code) return std::string(each.name) + " (" + std::to_string(code) + ")";
  }
  return "OpenCL error " + std::to_string(code);
}

ErrorCode error_code_of(Code code) {
  for (const Named& each : kCodes) {
    if (each.code == code) return each.meaning;
  }
  return ErrorCode::kLaunchFailed;
}

void sweep_caches() {
  platform::TemporaryFolder::sweep(kCachePrefix);
}

Result<std::shared_ptr<const OpenClLibrary>> OpenClLibrary::open() {
  const loading::VendorLibrary wanted{"OPENCL", kSonames, kFolders, {}};
  keep_pocl_cache_here();
  auto opened = loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
  if (!opened.ok()) return Error{ErrorCode::kUnavailable, "no OpenCL loader here: " + opened.error().message};
  std::shared_ptr<OpenClLibrary> library(new OpenClLibrary());
  FL_TRY_VOID(loading::resolve(opened.value(), symbols(library->calls_)));
  return std::shared_ptr<const OpenClLibrary>(std::move(library));
}

Status OpenClLibrary::check(Code code, const std::string& what) const {
  if (code == kSuccess) return {};
  return Error{error_code_of(code), what + ": " + name_of(code)};
}

}  // namespace fuselab::opencl
