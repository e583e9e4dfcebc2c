// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/hip_driver.h"

#include <cstring>
#include <vector>

#include "backends/loading/vendor_library.h"
#include "backends/rocm/driver/hip_vendor.h"
#include "backends/rocm/driver/kernel_driver.h"

namespace fuselab::hip {
namespace {

using namespace abi;

constexpr int kOldestHip = 50200000;
constexpr std::string_view kHipSonames[] = {"libamdhip64.so.10", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
constexpr std::string_view kHipFolders[] = {"/opt/rocm/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"};
constexpr std::string_view kHipWheelFolders[] = {"_rocm_sdk_core/lib"};

Error no_runtime(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why)};
}

template <typename F>
void** hip_slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

// Of the one library that this process opens: the calls below have no other way to it.
HipFunctions& hip() {
  static HipFunctions functions{};
  return functions;
}

std::vector<loading::Symbol> symbols(DriverFunctions& common, HipFunctions& own, int version) {
#define FL_COMMON(entry, name) {#name, hip_slot(common.entry)},
#define FL_OWN(entry, name) {#name, hip_slot(own.entry)},
  return {FL_HIP_COMMON_CALLS(FL_COMMON) FL_HIP_OVERLOADED_CALLS(FL_COMMON) FL_HIP_OWN_CALLS(FL_OWN){
      version < kHip6 ? "hipGetDeviceProperties" : "hipGetDevicePropertiesR0600", hip_slot(own.properties)}};
#undef FL_COMMON
#undef FL_OWN
}

// HIP answers hipErrorUnknown to a number that it does not know, too.
Code name_error(Code code, const char** name) {
  *name = hip().error_name(code);
  const bool known = *name != nullptr && (code == kUnknown || std::strcmp(*name, "hipErrorUnknown") != 0);
  return known ? kSuccess : kInvalidValue;
}

// HIP documents waiting for words in signal memory alone. Where a version refuses page-locked memory, streams cannot wait.
Code wait_for_word(Stream stream, DevicePointer address, std::uint32_t value, unsigned flags) {
  const Code code = hip().stream_wait_value(stream, reinterpret_cast<void*>(address), value, flags, 0xffffffff);
  return code == kInvalidValue ? kNotSupported : code;
}

void fill_unlike(DriverFunctions& f) {
  f.error_name = name_error;
  f.error_text = [](Code code, const char** text) { return *text = hip().error_text(code), kSuccess; };
  // HIP's contexts are deprecated: a thread chooses a device. A context is the device's number and 1, for null is none.
  f.context_retain = [](Context* context, Device device) {
    *context = reinterpret_cast<Context>(static_cast<std::intptr_t>(device) + 1);
    return hip().set_device(device);
  };
  f.context_release = [](Device) { return kSuccess; };
  f.context_set = [](Context context) { return hip().set_device(static_cast<int>(reinterpret_cast<std::intptr_t>(context) - 1)); };
  // The options are CUDA's: there is no log.
  f.module_load = [](Module* module, const void* image, unsigned, int*, void**) { return hip().module_load(module, image); };
  // A launch may have all the memory of a work-group without asking, and hipFuncSetAttribute takes no function of a module.
  f.set_function_attribute = [](Function, int, int) { return kSuccess; };
  f.stream_wait_value = wait_for_word;
  if (f.graph_upload == nullptr) f.graph_upload = [](GraphExec, Stream) { return kSuccess; };  // 5.2 has none
}

}  // namespace

HipDriver::HipDriver() : Driver(hip_vendor()) {}

Result<std::shared_ptr<const HipDriver>> HipDriver::open(const std::string& kfd) {
  const loading::VendorLibrary wanted{"HIP", kHipSonames, kHipFolders, kHipWheelFolders};
  const auto opened = loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
  if (!opened.ok()) return no_runtime("no HIP runtime here: " + opened.error().message);
  const loading::OpenedLibrary& library = opened.value();

  std::shared_ptr<HipDriver> driver(new HipDriver());
  DriverFunctions& calls = driver->calls_;
  const loading::Symbol version[] = {{"hipRuntimeGetVersion", hip_slot(calls.driver_version)}};
  FL_TRY_VOID(loading::resolve(library, version));
  if (const Code code = calls.driver_version(&driver->version_); code != kSuccess)
    return no_runtime(library.path + " does not tell its version (hipRuntimeGetVersion: " + std::to_string(code) + ")");
  if (driver->version_ < kOldestHip)
    return no_runtime("the HIP runtime is too old: it is " + driver->version() + ", " + version_text(kOldestHip) + " is needed");
  FL_TRY_VOID(loading::resolve(library, symbols(calls, hip(), driver->version_)));
  *hip_slot(calls.graph_upload) = library.symbol("hipGraphUpload");
  fill_unlike(calls);

  const Code code = calls.init(0);
  if (code == kSuccess) return std::shared_ptr<const HipDriver>(std::move(driver));
  std::string meaning = "the HIP runtime does not start";
  if (code == kNoDevice || code == kInvalidDevice) meaning = "no AMD GPU: " + why_no_gpu(kfd, try_kernel_driver(kfd));
  if (code == kInsufficientDriver) meaning = "the amdgpu driver is too old for HIP " + driver->version() + ": update it";
  return no_runtime(meaning + " (hipInit: " + driver->name_of(code) + ")");
}

std::string HipDriver::version() const {
  return version_text(version_);
}

const HipFunctions& HipDriver::own_calls() const {
  return hip();
}

}  // namespace fuselab::hip
