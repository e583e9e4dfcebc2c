// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>

#include "app/session/event_queue.h"
#include "app/session/evidence_reader.h"
#include "app/session/session.h"
#include "app/session/worker_house.h"
#include "core/measure/result_store.h"

namespace fuselab::session {

// Where a paused job waits: between blocks, never inside one. Thread-safe.
class PauseGate {
 public:
  void close();
  void open();
  bool closed() const;
  // Returns at once while open; otherwise when opened or stopped.
  void pass(const std::stop_token& stop);

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool closed_ = false;
};

// What every step of one job works with. Owned by the job; references outlive it.
struct JobContext {
  const Config& config;
  const JobSpec& spec;
  WorkerHouse& workers;
  ResultStore& store;
  ResultQueries& queries;
  EvidenceReader& evidence;
  EventQueue& events;
  PauseGate& gate;
  std::stop_token stop;
  std::string run_id;
  std::string metric_key;  // what the job's tables show
};

// The same protocol with caches emptied before each sample; fewer samples, since emptying takes longer than most pieces run.
Protocol cold_protocol(Protocol protocol);

}  // namespace fuselab::session
