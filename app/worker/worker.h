// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "app/wire/messages.h"
#include "app/wire/worker_role.h"
#include "app/worker/reference/reference_cache.h"
#include "core/backend/registry.h"
#include "core/base/result.h"
#include "core/measure/timer_cost.h"
#include "core/platform/processes/channel.h"
#include "core/platform/processes/shared_page.h"

namespace fuselab::worker {

// Serves requests one at a time until the channel closes or it is told to shut down. `internet_refused` is what came of
// platform::refuse_internet().
class Worker {
 public:
  Worker(WorkerRole role, BackendRegistry& registry, platform::Channel channel, platform::SharedPage page,
         std::filesystem::path cache_directory, Status internet_refused = {});
  ~Worker();

  // Fails with kCorrupt when the other end sends nonsense, with kIo when it cannot be reached.
  Status serve();

 private:
  wire::Reply answer(const wire::Request& request);
  Result<wire::Reply> handle(const wire::ProbeRequest& request);
  Result<wire::Reply> handle(const wire::DescribeRequest& request);
  Result<wire::Reply> handle(const wire::CompileRequest& request);
  Result<wire::Reply> handle(const wire::GenerateRequest& request);
  Result<wire::Reply> handle(const wire::RecompileRequest& request);
  Result<wire::Reply> handle(const wire::EmulateRequest& request);
  Result<wire::Reply> handle(const wire::MeasureRequest& request);
  Result<wire::Reply> handle(const wire::CeilingRequest& request);
  Result<wire::Reply> handle(const wire::ExecuteRequest& request);
  Result<wire::Reply> handle(const wire::ListRequest& request);
  Result<wire::Reply> handle(const wire::TimerRequest& request);
  Result<wire::Reply> handle(const wire::BundleRequest& request);
  Result<wire::Reply> handle(const wire::ProfileRequest& request);
  Result<wire::Reply> handle(const wire::ShutdownRequest& request);
  Status send(const wire::Reply& reply);
  std::string remark_on_network(const BackendReport& report) const;
  Result<std::shared_ptr<FusionBackend>> backend(const std::string& id);
  const TimerCost& timer_of(DeviceRuntime& runtime);
  Result<DeviceRuntime*> runtime(const std::string& backend_id, const std::string& device_id);

  WorkerRole role_;
  BackendRegistry& registry_;
  platform::Channel channel_;
  platform::SharedPage page_;
  ReferenceCache references_;
  Status internet_refused_;                                         // why not, where libraries can reach the network
  std::map<std::string, std::unique_ptr<DeviceRuntime>> runtimes_;  // by device id
  std::map<std::string, TimerCost> timers_;                         // measured when the first block came; by device id
  std::map<std::string, std::set<std::string>> launched_;           // ids of the kernels that execute() ran, by device id
};

}  // namespace fuselab::worker
