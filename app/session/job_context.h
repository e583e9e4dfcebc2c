// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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
  bool holds() const;  // a caller of pass() waits, and will until open()
  // How long pass() has kept its callers waiting so far: time that no budget pays for.
  double paused_seconds() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool closed_ = false;
  int waiting_ = 0;
  std::chrono::duration<double> paused_{0};
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

// A search looks for a winner and takes fewer samples of each candidate. That is another metric: what is shown comes from blocks of
// the job's own protocol, never from the luckiest of many candidates.
Protocol search_protocol(Protocol protocol);

// The same protocol with caches emptied before each sample.
Protocol cold_protocol(Protocol protocol);

}  // namespace fuselab::session
