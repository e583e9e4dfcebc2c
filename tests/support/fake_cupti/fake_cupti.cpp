// SPDX-License-Identifier: Apache-2.0
// A stand-in for CUPTI. It opens the chip "FAKE1", knows every counter but those of stalls, counts five at a time and one of the
// device's memory alone in two launches. The first counter of a pass is 100, the next 101, and so on. $FAKE_CUPTI says what goes
// wrong: denied, busy, undone, dropped, divided, gap (a share of nothing in the fourth range).
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_cupti/fake_cupti.h"

using namespace fuselab::cuda::abi;

namespace {

constexpr const char* kChips[] = {"FAKE1", "FAKE2"};
constexpr std::size_t kAtOnce = 5;

struct Host {
  std::vector<std::string> names;
};

int alive = 0, ranges = 0;
std::string said;

}  // namespace

bool is_told(const char* trouble) {
  const char* const told = std::getenv("FAKE_CUPTI");
  return told != nullptr && std::strcmp(told, trouble) == 0;
}

CuptiCode note(const char* what) {
  said += said.empty() ? what : std::string(" ") + what;
  return kCuptiSuccess;
}

// What was called on the device's side since the last question.
FAKE_API const char* fake_cupti_said() {
  static std::string last;
  last = std::exchange(said, {});
  return last.c_str();
}

FAKE_API int fake_cupti_ranges() {
  return ranges;
}

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

FAKE_API CuptiCode cuptiProfilerInitialize(CuptiInitialize* asked) {
  return asked->size == 16 ? kCuptiSuccess : 1;
}

FAKE_API CuptiCode cuptiDeviceGetChipName(CuptiChipName* asked) {
  asked->name = kChips[asked->device];
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiProfilerGetCounterAvailability(CuptiAvailability* asked) {
  if (asked->context == nullptr) std::abort();
  return say_availability(asked);
}

FAKE_API CuptiCode cuptiRangeProfilerEnable(CuptiRangesEnable* asked) {
  if (asked->context == nullptr) std::abort();  // as the real one does
  if (is_told("busy")) return 26;
  asked->ranges = &ranges;
  ++ranges;
  return note("enable");
}

FAKE_API CuptiCode cuptiRangeProfilerDisable(CuptiRanges*) {
  --ranges;
  return note("disable");
}

FAKE_API CuptiCode cuptiRangeProfilerGetCounterDataSize(CuptiRangesDataSize* asked) {
  asked->bytes = 8 * asked->count;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiRangeProfilerCounterDataImageInitialize(CuptiRangesData* asked) {
  return clear_data(asked);
}

FAKE_API CuptiCode cuptiRangeProfilerSetConfig(CuptiRangesConfig* asked) {
  if (asked->size != 90 || asked->range != kCuptiUserRange || asked->replay != kCuptiUserReplay) return 1;
  return note("configure");
}

FAKE_API CuptiCode cuptiRangeProfilerStart(CuptiRanges*) {
  return note("start");
}

FAKE_API CuptiCode cuptiRangeProfilerPushRange(CuptiRangesPush*) {
  return note("push");
}

FAKE_API CuptiCode cuptiRangeProfilerPopRange(CuptiRanges*) {
  return note("pop");
}

FAKE_API CuptiCode cuptiRangeProfilerStop(CuptiRangesStop* asked) {
  asked->is_done = is_told("undone") ? 0 : 1;
  return asked->size == 41 ? note("stop") : 1;
}

FAKE_API CuptiCode cuptiRangeProfilerDecodeData(CuptiRangesDecode* asked) {
  asked->dropped = is_told("dropped") ? 1 : 0;
  return note("decode");
}

FAKE_API CuptiCode cuptiProfilerHostEvaluateToGpuValues(CuptiHostEvaluate* asked) {
  for (std::size_t i = 0; i < asked->count; ++i)
    asked->values[i] =
        is_told("divided") || (is_told("gap") && asked->range == 3) ? std::nan("") : 100.0 + static_cast<double>(i + asked->range);
  return kCuptiSuccess;
}
