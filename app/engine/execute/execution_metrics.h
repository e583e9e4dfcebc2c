// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/base/units.h"

namespace fuselab::engine {

// The time and memory that executing a piece took, phase by phase, and how it ended (R169).
struct ExecutionMetrics {
  std::string backend;
  std::string device_id;
  Nanoseconds compilation;  // 0 where the kernels were kept from before
  Nanoseconds transfer;     // to the device and back
  Nanoseconds execution;
  Nanoseconds waiting;         // for other processes that use the device
  Nanoseconds total;           // wall, all of these included
  std::int64_t data_size = 0;  // elements of all outputs
  Bytes memory_allocated;      // on the device
  bool cache_hit = false;      // nothing was compiled
  bool success = false;
  std::string error;  // why it failed
  // The buffers that memory_allocated is made of, and what it would be if none of the tensors took over another's buffer (R191).
  int buffers = 0, tensors = 0;
  Bytes memory_unshared = {};
  // Launches of kernels that the device's process had not run before, since a driver may compile them at that launch. Not part of
  // `execution`.
  Nanoseconds first_launch = {};

  double throughput() const { return total.count > 0 ? static_cast<double>(data_size) / total.seconds() : 0; }  // elements/s
  double efficiency() const { return total.count > 0 ? execution.count / total.count : 0; }
};
// One line (R195): "cpu: 1048576 elements, total 3.1 ms, execution 1.9 ms, …".
std::string metrics_text(const ExecutionMetrics& metrics);

// Times the phases of one execution (R170): starting a phase ends the one before. Used by one thread.
class ExecutionMetricsTimer {
 public:
  using Clock = Nanoseconds (*)();
  explicit ExecutionMetricsTimer(ExecutionMetrics& metrics);
  ExecutionMetricsTimer(ExecutionMetrics& metrics, Clock clock);
  ExecutionMetricsTimer(const ExecutionMetricsTimer&) = delete;
  ExecutionMetricsTimer& operator=(const ExecutionMetricsTimer&) = delete;
  ~ExecutionMetricsTimer();  // ends the phase and sets the total

  void start_compilation() { start(&metrics_.compilation); }
  void start_transfer() { start(&metrics_.transfer); }
  void start_execution() { start(&metrics_.execution); }
  void stop() { start(nullptr); }
  void mark_cache_hit();  // sets the compilation time to 0
  void record_error(const std::string& error);

 private:
  void start(Nanoseconds* phase);

  ExecutionMetrics& metrics_;
  Clock clock_;
  Nanoseconds begun_, since_;
  Nanoseconds* phase_ = nullptr;
};

// Counts over all executions on one backend so far.
struct BackendCounts {
  std::int64_t executions = 0, failures = 0;
  std::int64_t left = 0;   // pieces that left this backend for another candidate
  std::int64_t taken = 0;  // pieces that it took over
  Nanoseconds compilation, transfer, execution;
  double success_rate() const {
    return executions > 0 ? static_cast<double>(executions - failures) / static_cast<double>(executions) : 1;
  }
};

// Counts per backend; thread-safe. A snapshot is consistent in itself.
class ExecutionCounts {
 public:
  void add(const ExecutionMetrics& metrics);
  void add_degradation(const std::string& from_backend, const std::string& to_backend);
  std::map<std::string, BackendCounts> snapshot() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, BackendCounts> by_backend_;
};

}  // namespace fuselab::engine
