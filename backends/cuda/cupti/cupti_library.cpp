// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_library.h"

#include <algorithm>
#include <cmath>

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr std::string_view kSonames[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr std::string_view kFolders[] = {"/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64",
                                         "/opt/cuda/extras/CUPTI/lib64"};
constexpr std::string_view kWheelFolders[] = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"};

struct Meaning {
  CuptiCode code;
  const char* words;
};
// Source: cupti_result.h, and "Permission issue with performance counters" by NVIDIA.
constexpr Meaning kMeanings[] = {
    {26, "another process counts on this device"},
    {33, "a virtual GPU counts nothing"},
    {35,
     "counters are for administrators: set NVreg_RestrictProfilingToAdminUsers=0 for the driver's module on the host, or give the "
     "process CAP_SYS_ADMIN"},
    {36, "another profiler of this process uses CUPTI's older functions"},
    {39, "another profiler is attached"},
    {40,
     "counters are for administrators: set NVreg_RestrictProfilingToAdminUsers=0 for the driver's module on the host, or give the "
     "process CAP_SYS_ADMIN"},
    {41, "confidential computing counts nothing"},
    {42, "a mining card counts nothing"},
    {43, "this part of a divided GPU (MIG) counts nothing of its own"},
    {44, "GPUs joined by SLI count nothing"},
    {45, "the Windows Subsystem for Linux counts nothing"},
    {46, "this CUPTI is older than the GPU"},
    {999, "there is no driver, or CUPTI does not go with it"}};

}  // namespace

Result<CuptiLibrary> CuptiLibrary::open(const loading::Surroundings& surroundings) {
  CuptiLibrary library;
  const loading::VendorLibrary wanted{"CUPTI", kSonames, kFolders, kWheelFolders, "cupti", true};
  FL_TRY(library.opened_, loading::open_vendor_library(wanted, surroundings));
  CuptiHostFunctions& host = library.host_;
  const loading::Symbol needed[] = {{"cuptiGetVersion", slot_of(host.version)},
                                    {"cuptiProfilerHostInitialize", slot_of(host.initialize)},
                                    {"cuptiProfilerHostDeinitialize", slot_of(host.deinitialize)},
                                    {"cuptiProfilerHostGetSupportedChips", slot_of(host.chips)},
                                    {"cuptiProfilerHostConfigAddMetrics", slot_of(host.add_metrics)},
                                    {"cuptiProfilerHostGetConfigImageSize", slot_of(host.image_size)},
                                    {"cuptiProfilerHostGetConfigImage", slot_of(host.image)},
                                    {"cuptiProfilerHostGetNumOfPasses", slot_of(host.passes)}};
  FL_TRY_VOID(loading::resolve(library.opened_, needed));
  CuptiDeviceFunctions& device = library.device_;
  const loading::Symbol counting[] = {{"cuptiProfilerInitialize", slot_of(device.initialize)},
                                      {"cuptiDeviceGetChipName", slot_of(device.chip_name)},
                                      {"cuptiProfilerGetCounterAvailability", slot_of(device.availability)},
                                      {"cuptiProfilerHostEvaluateToGpuValues", slot_of(device.evaluate)},
                                      {"cuptiRangeProfilerEnable", slot_of(device.enable)},
                                      {"cuptiRangeProfilerDisable", slot_of(device.disable)},
                                      {"cuptiRangeProfilerGetCounterDataSize", slot_of(device.data_size)},
                                      {"cuptiRangeProfilerCounterDataImageInitialize", slot_of(device.begin_data)},
                                      {"cuptiRangeProfilerSetConfig", slot_of(device.configure)},
                                      {"cuptiRangeProfilerStart", slot_of(device.start)},
                                      {"cuptiRangeProfilerPushRange", slot_of(device.push)},
                                      {"cuptiRangeProfilerPopRange", slot_of(device.pop)},
                                      {"cuptiRangeProfilerStop", slot_of(device.stop)},
                                      {"cuptiRangeProfilerDecodeData", slot_of(device.decode)}};
  for (const loading::Symbol& each : counting) *each.slot = library.opened_.symbol(each.name);
  const CuptiCode code = host.version(&library.version_);
  if (code != kCuptiSuccess)
    return Error{ErrorCode::kUnavailable, library.opened_.path + " answers nothing without a GPU's driver (code " +
                                              std::to_string(code) + "); CUPTI 13.0 and 13.1 do"};
  return library;
}

std::string CuptiLibrary::name() const {
  return "CUPTI " + std::to_string(version_ / 10000) + "." + std::to_string(version_ / 100 % 100) + "." +
         std::to_string(version_ % 100);
}

Status CuptiLibrary::counts() const {
  const void* const functions[] = {
      reinterpret_cast<const void*>(device_.initialize),   reinterpret_cast<const void*>(device_.chip_name),
      reinterpret_cast<const void*>(device_.availability), reinterpret_cast<const void*>(device_.evaluate),
      reinterpret_cast<const void*>(device_.enable),       reinterpret_cast<const void*>(device_.disable),
      reinterpret_cast<const void*>(device_.data_size),    reinterpret_cast<const void*>(device_.begin_data),
      reinterpret_cast<const void*>(device_.configure),    reinterpret_cast<const void*>(device_.start),
      reinterpret_cast<const void*>(device_.push),         reinterpret_cast<const void*>(device_.pop),
      reinterpret_cast<const void*>(device_.stop),         reinterpret_cast<const void*>(device_.decode)};
  if (std::ranges::find(functions, nullptr) == std::end(functions)) return {};
  return Error{ErrorCode::kUnavailable, opened_.path + " has no range profiler: CUPTI 12.6 and newer have"};
}

Result<std::string> CuptiLibrary::start(int ordinal) const {
  CuptiInitialize first;
  FL_TRY_VOID(check_cupti(device_.initialize(&first), "starting"));
  CuptiChipName asked;
  asked.device = static_cast<std::size_t>(ordinal);
  FL_TRY_VOID(check_cupti(device_.chip_name(&asked), "the name of the chip"));
  return std::string(asked.name);
}

Status check_cupti(CuptiCode code, const std::string& what) {
  if (code == kCuptiSuccess) return {};
  const auto* const meaning = std::ranges::find(kMeanings, code, &Meaning::code);
  return Error{ErrorCode::kUnavailable,
               "CUPTI, " + what + ": " +
                   (meaning == std::end(kMeanings) ? "code " + std::to_string(code)
                                                   : meaning->words + std::string(" (code ") + std::to_string(code) + ")")};
}

CuptiChip::CuptiChip(const CuptiLibrary& library, const std::string& chip, const std::vector<std::uint8_t>& availability,
                     std::int32_t profiler)
    : library_(library) {
  CuptiHostInitialize asked;
  asked.profiler = profiler;
  asked.chip = chip.c_str();
  asked.availability = availability.empty() ? nullptr : availability.data();
  if (library_.host().initialize(&asked) == kCuptiSuccess) object_ = asked.host;
}

CuptiChip::~CuptiChip() {
  CuptiHostDeinitialize done;
  done.host = object_;
  if (object_ != nullptr) library_.host().deinitialize(&done);
}

Result<std::vector<std::uint8_t>> CuptiChip::image_of(const std::vector<std::string>& names) const {
  std::vector<const char*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  CuptiHostAddMetrics added;
  added.host = object_;
  added.names = texts.data();
  added.count = texts.size();
  if (library_.host().add_metrics(&added) != kCuptiSuccess) return std::vector<std::uint8_t>();
  CuptiHostImageSize size;
  size.host = object_;
  FL_TRY_VOID(check_cupti(library_.host().image_size(&size), "the size of a configuration"));
  std::vector<std::uint8_t> bytes(size.bytes);
  CuptiHostImage image;
  image.host = object_;
  image.bytes = bytes.size();
  image.image = bytes.data();
  FL_TRY_VOID(check_cupti(library_.host().image(&image), "a configuration"));
  return bytes;
}

Result<std::size_t> CuptiChip::passes_of(const std::vector<std::string>& names) const {
  FL_TRY(std::vector<std::uint8_t> image, image_of(names));
  if (image.empty()) return std::size_t{0};
  CuptiHostPasses asked;
  asked.bytes = image.size();
  asked.image = image.data();
  FL_TRY_VOID(check_cupti(library_.host().passes(&asked), "the passes of a configuration"));
  return asked.passes;
}

Result<std::vector<double>> CuptiChip::values_of(const std::vector<std::string>& names, const std::vector<std::uint8_t>& data,
                                                 std::size_t range, const char* what) const {
  std::vector<const char*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  std::vector<double> values(names.size(), std::nan(""));
  CuptiHostEvaluate asked;
  asked.host = object_;
  asked.data = data.data();
  asked.bytes = data.size();
  asked.range = range;
  asked.names = texts.data();
  asked.count = texts.size();
  asked.values = values.data();
  FL_TRY_VOID(check_cupti(library_.device().evaluate(&asked), what));
  return values;
}

}  // namespace fuselab::cuda
