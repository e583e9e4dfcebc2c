// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/device_ceilings.h"

#include <iterator>

#include "app/engine/measure/roofline.h"
#include "app/engine/workers/selected_devices.h"
#include "app/engine/workers/worker_pool.h"

namespace fuselab::engine {
namespace {

// The stream mixes that kernels of this project use most: read one, two or three arrays and write one.
constexpr StreamMix kMixes[] = {{1, 1}, {2, 1}, {3, 1}};
// A footprint that fits a first cache, one that fits a last cache, and one that fits none.
constexpr std::int64_t kFootprints[] = {std::int64_t{64} << 10, std::int64_t{8} << 20, std::int64_t{256} << 20};

DeviceCeilings ceilings_of(const DeviceInfo& device, WorkerPool& workers, double seconds) {
  DeviceCeilings found;
  found.device = device;
  std::vector<wire::CeilingRequest> requests;
  for (const StreamMix& mix : kMixes) {
    wire::CeilingRequest request{device.backend, device.id, mix.reads,
                                 mix.writes,     {},        seconds * static_cast<double>(std::size(kFootprints))};
    for (const std::int64_t bytes : kFootprints) request.footprints.push_back({bytes});
    requests.push_back(std::move(request));
  }
  requests.push_back({device.backend, device.id, 0, 0, {}, seconds});  // the arithmetic rate
  for (const wire::CeilingRequest& request : requests) {
    auto rows = workers.ceilings(device, request, {});
    if (rows.ok())
      found.rows.insert(found.rows.end(), rows.value().begin(), rows.value().end());
    else
      found.why_not = rows.error().message;
  }
  return found;
}

}  // namespace

Result<std::vector<DeviceCeilings>> measure_ceilings(const Config& config, const DeviceChoice& devices, double seconds) {
  WorkerPoolOptions options;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  WorkerPool workers(options);
  FL_TRY(const std::vector<std::string> ids, workers.backend_ids());
  std::vector<BackendReport> backends;
  for (const std::string& id : ids) {
    FL_TRY(BackendReport report, workers.probe(id));
    backends.push_back(std::move(report));
  }
  FL_TRY(const auto chosen, select_devices(backends, devices, config.synthetic));
  std::vector<DeviceCeilings> all;
  for (const DeviceInfo& device : chosen) all.push_back(ceilings_of(device, workers, seconds));
  return all;
}

}  // namespace fuselab::engine
