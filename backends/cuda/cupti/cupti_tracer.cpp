// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_tracer.h"

#include "backends/cuda/cupti/cupti_activity.h"
#include "backends/cuda/cupti/cupti_samples.h"
#include "backends/cuda/cupti/cupti_series.h"

namespace fuselab::cuda {
namespace {

class CuptiTracer final : public DeviceTracer {
 public:
  CuptiTracer(CuptiLibrary library, void* context, int ordinal, std::function<Status()> synchronize)
      : library_(std::move(library)), device_{library_, context, ordinal, std::move(synchronize)} {}

  Result<DeviceTrace> trace(std::span<const Launch> sequence, int runs) override {
    return record_activity(device_, sequence, runs);
  }
  Result<DeviceSeries> sample_counters(std::span<const Launch> sequence, double run_ns) override {
    return sample_series(device_, sequence, run_ns);
  }
  Result<DeviceSamples> sample_code(std::span<const Launch> sequence, std::span<const SampledCode> code) override {
    return sample_places(device_, sequence, code);
  }

 private:
  CuptiLibrary library_;
  CuptiDevice device_;
};

}  // namespace

Result<std::unique_ptr<DeviceTracer>> open_cupti_tracer(const loading::Surroundings& surroundings, void* context, int ordinal,
                                                        std::function<Status()> synchronize) {
  FL_TRY(CuptiLibrary library, CuptiLibrary::open(surroundings));
  return std::unique_ptr<DeviceTracer>(std::make_unique<CuptiTracer>(std::move(library), context, ordinal, std::move(synchronize)));
}

}  // namespace fuselab::cuda
