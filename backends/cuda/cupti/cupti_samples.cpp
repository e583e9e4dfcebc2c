// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_samples.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "backends/cuda/abi/cupti_sampling_abi.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr int kPeriod = 9;  // a sample every 512 cycles of a multiprocessor
constexpr int kRuns = 3;
constexpr std::uint64_t kDeviceBuffer = std::uint64_t{64} << 20;  // CUPTI's own choice is 512 MiB
constexpr std::size_t kMostPlaces = 4096;                         // that one question returns

Result<CuptiPlaceFunctions> place_functions_of(const CuptiLibrary& library) {
  CuptiPlaceFunctions calls{};
  const loading::Symbol needed[] = {{"cuptiPCSamplingEnable", slot_of(calls.enable)},
                                    {"cuptiPCSamplingDisable", slot_of(calls.disable)},
                                    {"cuptiPCSamplingStart", slot_of(calls.start)},
                                    {"cuptiPCSamplingStop", slot_of(calls.stop)},
                                    {"cuptiPCSamplingGetNumStallReasons", slot_of(calls.stall_count)},
                                    {"cuptiPCSamplingGetStallReasons", slot_of(calls.stall_names)},
                                    {"cuptiPCSamplingSetConfigurationAttribute", slot_of(calls.configure)},
                                    {"cuptiPCSamplingGetData", slot_of(calls.read)},
                                    {"cuptiGetCubinCrc", slot_of(calls.checksum)},
                                    {"cuptiGetSassToSourceCorrelation", slot_of(calls.line)}};
  FL_TRY_VOID(loading::resolve(library.opened(), needed));
  return calls;
}

// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" is "long_scoreboard". Those of warps that did not issue count the same samples
// once more.
std::string stall_of(std::string_view name) {
  constexpr std::string_view kBefore = "issue_stalled_";
  const std::size_t at = name.find(kBefore);
  return std::string(at == std::string_view::npos ? name : name.substr(at + kBefore.size()));
}

class Places {
 public:
  Places(const CuptiDevice& device, const CuptiPlaceFunctions& calls) : device_(device), calls_(calls) {
    context_.context = device.context;
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() {
    if (is_enabled_) calls_.disable(&context_);
    for (char* const name : names_) std::free(name);
  }

  Result<DeviceSamples> run(std::span<const Launch> sequence, std::span<const SampledCode> code) {
    FL_TRY_VOID(begin());
    made_.profiler = device_.library.name() + ", PC sampling";
    made_.runs = kRuns;
    made_.period_cycles = 1 << kPeriod;
    FL_TRY_VOID(check_cupti(calls_.start(&context_), "starting the sampler of places"));
    Status ran;
    for (int run = 0; run < kRuns; ++run) {
      for (const Launch& launch : sequence) {
        if (ran.ok()) ran = launch.executable->enqueue(launch.arguments);
        if (ran.ok()) ran = device_.synchronize();
        if (ran.ok()) ran = read();
      }
    }
    const Status stopped = check_cupti(calls_.stop(&context_), "stopping the sampler of places");
    FL_TRY_VOID(ran);
    FL_TRY_VOID(stopped);
    FL_TRY_VOID(read());
    return finish(code);
  }

 private:
  using Place = std::tuple<std::uint64_t, std::string, std::int64_t>;  // checksum of the cubin, function, address

  Status begin() {
    FL_TRY_VOID(check_cupti(calls_.enable(&context_), "the sampler of places"));
    is_enabled_ = true;
    CuptiStallCount asked;
    asked.context = device_.context;
    std::size_t count = 0;
    asked.count = &count;
    FL_TRY_VOID(check_cupti(calls_.stall_count(&asked), "the number of stalls"));
    std::vector<std::array<char, kCuptiStallName>> texts(count);
    std::vector<char*> names;
    for (auto& text : texts) names.push_back(text.data());
    std::vector<std::uint32_t> indices(count);
    CuptiStallNames named;
    named.context = device_.context;
    named.count = count;
    named.indices = indices.data();
    named.names = names.data();
    FL_TRY_VOID(check_cupti(calls_.stall_names(&named), "the names of stalls"));
    for (std::size_t i = 0; i < count; ++i) {
      texts[i].back() = '\0';
      const std::string_view name(texts[i].data());
      if (!name.ends_with("_not_issued")) stalls_[indices[i]] = stall_of(name);
    }
    stall_rows_.resize(kMostPlaces * count);
    rows_.resize(kMostPlaces);
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].stalls = stall_rows_.data() + i * count;
    data_.most = rows_.size();
    data_.places = rows_.data();
    return configure();
  }

  Status configure() {
    CuptiPlaceSetting settings[] = {{kCuptiPeriod, 0, {kPeriod}},
                                    {kCuptiPlaceBuffer, 0, {kDeviceBuffer}},
                                    {kCuptiMode, 0, {kCuptiOneAtATime}},
                                    {kCuptiStartStop, 0, {1}},
                                    {kCuptiDataBuffer, 0, {reinterpret_cast<std::uintptr_t>(&data_)}}};
    CuptiPlaceConfig config;
    config.context = device_.context;
    config.count = std::size(settings);
    config.settings = settings;
    FL_TRY_VOID(check_cupti(calls_.configure(&config), "configuring the sampler of places"));
    for (const CuptiPlaceSetting& each : settings)
      FL_TRY_VOID(check_cupti(each.answer, "setting " + std::to_string(each.attribute) + " of the sampler of places"));
    return {};
  }

  // Takes what is there; the device is not waited for.
  Status read() {
    do {
      CuptiPlaceRead asked;
      asked.context = device_.context;
      asked.data = &data_;
      FL_TRY_VOID(check_cupti(calls_.read(&asked), "reading places"));
      made_.dropped += static_cast<std::int64_t>(data_.dropped);
      made_.overflowed = made_.overflowed || data_.is_full != 0;
      for (std::size_t i = 0; i < std::min(data_.filled, rows_.size()); ++i) take(rows_[i]);
    } while (data_.remaining > 0 && data_.filled > 0);
    return {};
  }

  void take(const CuptiPlace& row) {
    if (row.function != nullptr) names_.insert(row.function);
    auto& counts = found_[{row.cubin, row.function == nullptr ? "" : row.function, static_cast<std::int64_t>(row.offset)}];
    for (std::size_t i = 0; i < std::min<std::size_t>(row.stall_count, stall_rows_.size() / rows_.size()); ++i) {
      const auto stall = stalls_.find(row.stalls[i].index);
      if (stall != stalls_.end() && row.stalls[i].samples > 0) counts[stall->second] += row.stalls[i].samples;
    }
  }

  Result<DeviceSamples> finish(std::span<const SampledCode> code) {
    std::map<std::uint64_t, int> steps;  // the first that a cubin is of
    for (std::size_t step = 0; step < code.size(); ++step) {
      const auto checksum = checksum_of(device_.library, code[step].binary);
      if (checksum.ok()) steps.try_emplace(checksum.value(), static_cast<int>(step));
    }
    for (const auto& [key, counts] : found_) {
      const auto& [cubin, function, address] = key;
      SampledPlace place;
      const auto step = steps.find(cubin);
      place.step = step == steps.end() ? -1 : step->second;
      place.function = function;
      place.address = address;
      for (const auto& [stall, samples] : counts) place.stalls.push_back({stall, samples});
      std::ranges::stable_sort(place.stalls, std::ranges::greater(), &StallCount::samples);
      if (place.step >= 0) {
        const auto line = line_of(device_.library, code[static_cast<std::size_t>(place.step)].binary, function, address);
        if (line.ok()) place.line = line.value();
      }
      made_.samples += place.samples();
      if (!place.stalls.empty()) made_.places.push_back(std::move(place));
    }
    std::ranges::stable_sort(made_.places, std::ranges::greater(), &SampledPlace::samples);
    if (made_.places.empty()) made_.why_not = "CUPTI sampled nothing of the plan: it is too short, or the driver dropped it";
    return std::move(made_);
  }

  const CuptiDevice& device_;
  const CuptiPlaceFunctions& calls_;
  CuptiPlaces context_;
  bool is_enabled_ = false;
  std::map<std::uint32_t, std::string> stalls_;
  std::vector<CuptiStall> stall_rows_;
  std::vector<CuptiPlace> rows_;
  CuptiPlaceData data_;
  std::map<Place, std::map<std::string, std::int64_t>> found_;
  std::set<char*> names_;  // the library's, which are freed here
  DeviceSamples made_;
};

}  // namespace

Result<DeviceSamples> sample_places(const CuptiDevice& device, std::span<const Launch> sequence,
                                    std::span<const SampledCode> code) {
  FL_TRY(const CuptiPlaceFunctions calls, place_functions_of(device.library));
  return Places(device, calls).run(sequence, code);
}

Result<std::uint64_t> checksum_of(const CuptiLibrary& library, std::span<const std::byte> cubin) {
  FL_TRY(const CuptiPlaceFunctions calls, place_functions_of(library));
  CuptiCubinChecksum asked;
  asked.bytes = cubin.size();
  asked.cubin = cubin.data();
  FL_TRY_VOID(check_cupti(calls.checksum(&asked), "the checksum of a cubin"));
  return asked.checksum;
}

Result<int> line_of(const CuptiLibrary& library, std::span<const std::byte> cubin, const std::string& function,
                    std::int64_t address) {
  FL_TRY(const CuptiPlaceFunctions calls, place_functions_of(library));
  CuptiSourceLine asked;
  asked.cubin = cubin.data();
  asked.bytes = cubin.size();
  asked.function = function.c_str();
  asked.offset = static_cast<std::uint64_t>(address);
  const CuptiCode code = calls.line(&asked);
  std::free(asked.file);
  std::free(asked.folder);
  FL_TRY_VOID(check_cupti(code, "the line of an instruction"));
  return static_cast<int>(asked.line);
}

}  // namespace fuselab::cuda
