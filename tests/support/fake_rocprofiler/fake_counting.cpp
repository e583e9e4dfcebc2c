// SPDX-License-Identifier: Apache-2.0
// The stand-in's counters: those of gfx942 that Fuselab asks for, each in two parts of the device, with a value that follows from
// its place in the list. A configuration has room for as many of a block as the device has.
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_rocprofiler/fake_rocprofiler.h"

using namespace fuselab::hip::abi;

namespace {

struct Counter {
  const char* name;
  std::vector<std::string> bases;  // a block and a number: what a derived one is made of
};
const std::vector<Counter>& known_counters() {
  static const std::vector<Counter> counters = {{"GRBM_GUI_ACTIVE", {"GRBM 1"}},
                                                {"SQ_WAVES", {"SQ 1"}},
                                                {"SQ_BUSY_CU_CYCLES", {"SQ 2"}},
                                                {"SQ_INSTS_VALU", {"SQ 3"}},
                                                {"SQ_VALU_MFMA_BUSY_CYCLES", {"SQ 4"}},
                                                {"SQ_INSTS_MFMA", {"SQ 5"}},
                                                {"FETCH_SIZE", {"TCC 1", "TCC 2", "TCC 3"}},
                                                {"WRITE_SIZE", {"TCC 4", "TCC 5"}},
                                                {"TCC_HIT_sum", {"TCC 6"}},
                                                {"TCC_MISS_sum", {"TCC 7"}},
                                                {"SQ_LDS_BANK_CONFLICT", {"SQ 6"}},
                                                {"SQ_INSTS_LDS", {"SQ 7"}},
                                                {"SQ_INSTS", {"SQ 8"}},
                                                {"SQ_WAIT_ANY", {"SQ 9"}},
                                                {"SQ_WAIT_INST_LDS", {"SQ 10"}},
                                                {"SQ_INSTS_VMEM_RD", {"SQ 11"}},
                                                {"SQ_INSTS_FLAT", {"SQ 12"}},
                                                {"SQ_INSTS_VALU_FMA_F32", {"SQ 13"}},
                                                {"SQ_WAVE_CYCLES", {"SQ 14"}},
                                                {"SQ_LDS_IDX_ACTIVE", {"SQ 15"}},
                                                {"SQ_ACTIVE_INST_VALU", {"SQ 16"}}};
  return counters;
}

constexpr std::uint64_t kFirst = 500;  // number of the first counter
std::vector<std::vector<std::uint64_t>> configs;
RocprofChoose choose = nullptr;
RocprofTakeCounts take = nullptr;
void *choose_data = nullptr, *take_data = nullptr;
bool is_counting = false;

bool fits(const std::vector<std::uint64_t>& counters) {
  if (is_told("limit")) return counters.size() <= 3;
  std::set<std::string> bases;
  for (const std::uint64_t each : counters) {
    const auto& own = known_counters()[each - kFirst].bases;
    bases.insert(own.begin(), own.end());
  }
  std::map<std::string, int> used;
  for (const std::string& base : bases) ++used[base.substr(0, base.find(' '))];
  return used["SQ"] <= 8 && used["TCC"] <= 4 && used["GRBM"] <= 2;
}

}  // namespace

void start_counting(bool on) {
  is_counting = on;
}

void forget_counting() {
  configs.clear();
  choose = nullptr;
  take = nullptr;
  is_counting = false;
}

void count_dispatch(const RocprofDispatch& dispatch, std::uint64_t start, std::uint64_t end) {
  if (!is_counting || choose == nullptr) return;
  RocprofCounted counted;
  counted.size = sizeof counted;
  counted.start = start;
  counted.end = end;
  counted.dispatch = dispatch;
  std::uint64_t config = 0, user = 0;
  choose(counted, &config, &user, choose_data);
  if (config == 0 || config > configs.size() || is_told("uncounted")) return;
  std::vector<RocprofValue> values;
  for (const std::uint64_t counter : configs[config - 1]) {
    for (std::uint64_t part = 0; part < 2; ++part) {
      RocprofValue value;
      value.instance = counter << 8 | part;
      value.value = static_cast<double>(counter - kFirst + 1) * 100 * static_cast<double>(part + 1);
      value.dispatch = dispatch.id;
      value.agent = dispatch.agent;
      values.push_back(value);
    }
  }
  std::thread([&] { take(counted, values.data(), values.size(), user, take_data); }).join();
}

FAKE_API RocprofCode rocprofiler_iterate_agent_supported_counters(std::uint64_t agent, RocprofTakeCounters take_counters,
                                                                  void* data) {
  if (agent != kGpu) return 7;
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < known_counters().size(); ++i) ids.push_back(kFirst + i);
  return take_counters(agent, ids.data(), ids.size(), data);
}

FAKE_API RocprofCode rocprofiler_query_counter_info(std::uint64_t counter, std::int32_t version, void* info) {
  if (version != kRocprofCounterInfo || counter < kFirst || counter >= kFirst + known_counters().size()) return 8;
  auto& told = *static_cast<RocprofCounterInfo*>(info);
  told.id = counter;
  told.name = known_counters()[counter - kFirst].name;
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_create_counter_config(std::uint64_t agent, std::uint64_t* counters, std::size_t count,
                                                       std::uint64_t* config) {
  if (agent != kGpu) return 7;
  if (is_told("failing")) return 29;
  const std::vector<std::uint64_t> asked(counters, counters + count);
  if (!fits(asked)) return kRocprofTooMany;
  configs.push_back(asked);
  *config = configs.size();
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_configure_callback_dispatch_counting_service(std::uint64_t context, RocprofChoose to_choose,
                                                                              void* to_choose_data, RocprofTakeCounts to_take,
                                                                              void* to_take_data) {
  if (!is_initialising()) return kRocprofLocked;
  if (is_told("denied")) return 40;
  if (is_told("old")) return 28;
  choose = to_choose;
  choose_data = to_choose_data;
  take = to_take;
  take_data = to_take_data;
  return context == kCountingContext ? kRocprofSuccess : 2;
}

#ifndef FAKE_PARTIAL
FAKE_API RocprofCode rocprofiler_query_record_counter_id(std::uint64_t instance, std::uint64_t* counter) {
  *counter = instance >> 8;
  return kRocprofSuccess;
}
#endif
