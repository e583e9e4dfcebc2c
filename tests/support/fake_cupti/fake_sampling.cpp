// SPDX-License-Identifier: Apache-2.0
// The stand-in's samplers. Of counters: ten samples, a microsecond apart. Of places: two in the function "saxpy" of a cubin whose
// checksum is its number of bytes, one a question, until the sampler is stopped. $FAKE_CUPTI says what goes wrong: denied, busy,
// lost, full, short.
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "backends/cuda/abi/cupti_sampling_abi.h"
#include "tests/support/fake_cupti/fake_cupti.h"

using namespace fuselab::cuda::abi;

namespace {

int series = 0;
std::uint64_t interval = 0;
bool is_stopped = false;
std::size_t place = 0;
char* function = nullptr;

constexpr const char* kStalls[] = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                                   "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                                   "smsp__pcsamp_warps_issue_stalled_selected"};

}  // namespace

FAKE_API int fake_cupti_series() {
  return series;
}

FAKE_API std::uint64_t fake_cupti_interval() {
  return interval;
}

FAKE_API CuptiCode cuptiPmSamplingGetCounterAvailability(CuptiSeriesAvailability* asked) {
  return say_availability(asked);
}

FAKE_API CuptiCode cuptiPmSamplingEnable(CuptiSeriesEnable* asked) {
  if (is_told("busy")) return 26;
  asked->series = &series;
  ++series;
  return note("enable");
}

FAKE_API CuptiCode cuptiPmSamplingDisable(CuptiSeries*) {
  --series;
  return note("disable");
}

FAKE_API CuptiCode cuptiPmSamplingGetCounterDataSize(CuptiSeriesDataSize* asked) {
  asked->bytes = 8 * asked->count;
  return asked->most_samples > 0 ? kCuptiSuccess : 1;
}

FAKE_API CuptiCode cuptiPmSamplingCounterDataImageInitialize(CuptiSeriesData* asked) {
  return clear_data(asked);
}

FAKE_API CuptiCode cuptiPmSamplingSetConfig(CuptiSeriesConfig* asked) {
  if (asked->size != 64 || *asked->image != 1 || asked->trigger != kCuptiByTime) return 1;
  interval = asked->interval;
  return note("configure");
}

FAKE_API CuptiCode cuptiPmSamplingStart(CuptiSeries*) {
  return note("start");
}

FAKE_API CuptiCode cuptiPmSamplingStop(CuptiSeries*) {
  return note("stop");
}

FAKE_API CuptiCode cuptiPmSamplingDecodeData(CuptiSeriesDecode* asked) {
  asked->stopped_by = 2;
  asked->overflow = is_told("lost") ? 1 : 0;
  return asked->size == 45 ? note("decode") : 1;
}

FAKE_API CuptiCode cuptiPmSamplingGetCounterDataInfo(CuptiSeriesInfo* asked) {
  asked->total = asked->populated = asked->completed = is_told("short") ? 0 : 10;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiPmSamplingCounterDataGetSampleInfo(CuptiSeriesSample* asked) {
  asked->start = 5'000'000 + 1000 * asked->index;
  asked->end = asked->start + 1000;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiPCSamplingEnable(CuptiPlaces* asked) {
  if (asked->context == nullptr) std::abort();
  if (is_told("denied")) return 35;
  is_stopped = false;
  place = 0;
  function = ::strdup("saxpy");
  ++series;
  return note("enable");
}

FAKE_API CuptiCode cuptiPCSamplingDisable(CuptiPlaces*) {
  --series;
  return note("disable");
}

FAKE_API CuptiCode cuptiPCSamplingGetNumStallReasons(CuptiStallCount* asked) {
  *asked->count = std::size(kStalls);
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiPCSamplingGetStallReasons(CuptiStallNames* asked) {
  for (std::size_t i = 0; i < asked->count; ++i) {
    asked->indices[i] = static_cast<std::uint32_t>(10 + i);
    std::strncpy(asked->names[i], kStalls[i], kCuptiStallName);
  }
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiPCSamplingSetConfigurationAttribute(CuptiPlaceConfig* asked) {
  for (std::size_t i = 0; i < asked->count; ++i) {
    const CuptiPlaceSetting& each = asked->settings[i];
    if (each.attribute == kCuptiPeriod && (each.value[0] < 5 || each.value[0] > 31)) return 1;
    if (each.attribute == kCuptiMode && each.value[0] != kCuptiOneAtATime) return 1;
  }
  return note("configure");
}

FAKE_API CuptiCode cuptiPCSamplingStart(CuptiPlaces*) {
  return note("start");
}

FAKE_API CuptiCode cuptiPCSamplingStop(CuptiPlaces*) {
  is_stopped = true;
  return note("stop");
}

FAKE_API CuptiCode cuptiPCSamplingGetData(CuptiPlaceRead* asked) {
  CuptiPlaceData& data = *asked->data;
  data.samples = data.dropped = 0;
  data.filled = data.remaining = 0;
  if (is_stopped || is_told("short")) return kCuptiSuccess;
  data.dropped = is_told("lost") ? 3 : 0;
  data.is_full = is_told("full") ? 1 : 0;
  CuptiPlace& row = data.places[0];
  row.cubin = 64;
  row.offset = 0x10 * (1 + place);
  row.function = function;
  row.stall_count = 3;
  row.stalls[0] = {10, place == 0 ? 60U : 5U};
  row.stalls[1] = {11, 30};
  row.stalls[2] = {12, 20};
  data.filled = 1;
  data.remaining = 1 - place;
  place = 1 - place;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiGetCubinCrc(CuptiCubinChecksum* asked) {
  asked->checksum = asked->bytes;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiGetSassToSourceCorrelation(CuptiSourceLine* asked) {
  asked->line = static_cast<std::uint32_t>(asked->offset / 0x10 + 2);
  asked->file = ::strdup("generated.cu");
  asked->folder = ::strdup("");
  return kCuptiSuccess;
}
