// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backends/rocm/rocprof/rocprof_library.h"
#include "core/profile/amd_counters.h"

namespace fuselab::hip {

// A kernel that ROCm loaded.
struct LoadedKernel {
  std::string name;
  int registers = 0;             // vector registers of a work-item, accumulators included
  std::int64_t group_bytes = 0;  // static, of a work-group
};

// A kernel or a copy that ended.
struct DeviceWork {
  std::uint64_t id = 0;              // that was pushed around the launch; 0: none
  std::uint64_t start = 0, end = 0;  // ns
  int copy = 0;                      // its direction; 0: a kernel
  std::int64_t bytes = 0;
  abi::RocprofDispatch dispatch;
};

// What the dispatches of a pass counted.
struct CountedPass {
  std::map<std::uint64_t, AmdCount> counters;  // by the counter's number
  double device_ns = 0;                        // of the kernels
  int kernels = 0;
};

// rocprofiler-sdk, attached to this process. It sees what starts behind it: attach() comes before HIP. One in a process, which
// keeps it until it ends. Used by one thread; the library delivers from threads of its own.
class RocprofSession {
 public:
  // Fails with kUnavailable where there is no library, another version, or another tool. A service that is refused fails when it
  // is used.
  // `patience`: with records that are late, behind the device's own end.
  static Result<std::shared_ptr<RocprofSession>> attach(const loading::Surroundings& surroundings,
                                                        std::chrono::milliseconds patience = std::chrono::seconds(2));
  RocprofSession(const RocprofSession&) = delete;
  RocprofSession& operator=(const RocprofSession&) = delete;
  ~RocprofSession();

  const abi::RocprofFunctions& calls() const { return library_.calls(); }
  std::string name() const;  // "rocprofiler-sdk 1.0.0"
  // Returns a GPU by its place on the PCI bus: "0000:c3:00.0". Fails with kUnavailable.
  Result<abi::RocprofAgent> agent_at(const std::string& pci) const;

  // Records what `work` starts on the device, and waits until `launches` of it were delivered. `work` waits for the device itself.
  struct Recorded {
    std::vector<DeviceWork> work;
    std::int64_t dropped = 0;
  };
  Result<Recorded> record(const std::function<Status()>& work, std::size_t launches);
  // Calls `launch` so that what it starts carries this number.
  Status join(std::uint64_t id, const std::function<Status()>& launch) const;
  LoadedKernel kernel(std::uint64_t number) const;

  // Fails where nothing may be counted.
  Status counts() const;
  // Counts what `work` starts under a configuration of counters.
  Result<CountedPass> count(std::uint64_t config, const std::function<Status()>& work);

 private:
  explicit RocprofSession(std::chrono::milliseconds patience) : patience_(patience) {}
  static abi::RocprofTool* configure(std::uint32_t version, const char* words, std::uint32_t priority, void* client);
  Status begin();  // within the library's own initialisation: no call of HIP
  void take(const abi::RocprofHeader& header);
  void take(const abi::RocprofCall& call);
  void take(const abi::RocprofValue* values, std::size_t count, const abi::RocprofCounted& dispatch);
  Status known_version() const;
  Status ready() const;
  bool waited(const std::function<bool()>& is_there) const;

  std::chrono::milliseconds patience_;
  RocprofLibrary library_;
  std::uint32_t version_ = 0;
  abi::RocprofTool tool_;
  bool was_begun_ = false;
  Status names_, traces_, counts_;  // why a service is refused
  std::uint64_t naming_ = 0, tracing_ = 0, counting_ = 0, buffer_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::uint64_t, LoadedKernel> kernels_;
  Recorded recorded_;
  std::set<std::uint64_t> joined_;
  std::uint64_t config_ = 0;
  int chosen_ = 0;
  CountedPass counted_;
};

}  // namespace fuselab::hip
