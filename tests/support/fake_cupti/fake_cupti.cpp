// SPDX-License-Identifier: Apache-2.0
// A stand-in for CUPTI's host side. It opens the chip "FAKE1", knows every counter but those of stalls, counts five at a time and
// one of the device's memory alone in two launches.
#include <cstring>
#include <string>
#include <vector>

#include "backends/cuda/abi/cupti_abi.h"

using namespace fuselab::cuda::abi;

#define FAKE_API extern "C" __attribute__((visibility("default")))

namespace {

constexpr const char* kChips[] = {"FAKE1", "FAKE2"};
constexpr std::size_t kAtOnce = 5;

struct Host {
  std::vector<std::string> names;
};

int alive = 0;

}  // namespace

FAKE_API int fake_cupti_alive() {
  return alive;
}

FAKE_API CuptiCode cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return FAKE_VERSION_CODE;
}

FAKE_API CuptiCode cuptiProfilerHostInitialize(CuptiHostInitialize* asked) {
  if (asked->size != sizeof *asked || std::strcmp(asked->chip, "FAKE1") != 0) return 1;
  asked->host = new Host();
  ++alive;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiProfilerHostDeinitialize(CuptiHostDeinitialize* asked) {
  delete static_cast<Host*>(asked->host);
  --alive;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiProfilerHostGetSupportedChips(CuptiHostChips* asked) {
  asked->count = 2;
  asked->names = kChips;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiProfilerHostConfigAddMetrics(CuptiHostAddMetrics* asked) {
  for (std::size_t i = 0; i < asked->count; ++i) {
    if (std::strstr(asked->names[i], "stalled") != nullptr) return 1;
    static_cast<Host*>(asked->host)->names.emplace_back(asked->names[i]);
  }
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiProfilerHostGetConfigImageSize(CuptiHostImageSize* asked) {
  asked->bytes = 1;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiProfilerHostGetConfigImage(CuptiHostImage* asked) {
  const auto& names = static_cast<Host*>(asked->host)->names;
  std::size_t passes = (names.size() + kAtOnce - 1) / kAtOnce;
  for (const std::string& name : names) {
    if (name == "dram__bytes.sum") passes = 2;
  }
  *asked->image = static_cast<std::uint8_t>(passes);
  return kCuptiSuccess;
}

#ifndef FAKE_PARTIAL
FAKE_API CuptiCode cuptiProfilerHostGetNumOfPasses(CuptiHostPasses* asked) {
  asked->passes = *asked->image;
  return kCuptiSuccess;
}
#endif
