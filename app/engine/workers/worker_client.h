// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include "app/wire/messages.h"
#include "app/wire/worker_role.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/platform/processes/shared_page.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::engine {

struct WorkerOptions {
  std::filesystem::path program;              // fuselab-worker
  std::filesystem::path cache_directory;      // reference results; empty: kept in memory only
  Bytes address_space;                        // limit of the worker's address space; 0: none
  std::shared_ptr<TraceRecorder> trace = {};  // takes a span for each call and each load, launch and verification in it; null: none
};

struct CallOptions {
  std::chrono::milliseconds timeout{60'000};  // for the whole call; 0: none
  std::optional<Nanoseconds> launch_timeout;  // a load or launch that lasts longer is a hang
  std::stop_token stop;
  std::function<void(const wire::Reply&)> on_event;  // PlansFinished; in the calling thread
};

// One worker process and the channel to it. Used by one thread at a time. When a call fails with kCrashed, kTimeout or kCancelled
// the process is gone, and blamed_plan() says which plan it was running; the client then takes no further calls.
class WorkerClient {
 public:
  static Result<std::unique_ptr<WorkerClient>> spawn(const WorkerOptions& options, WorkerRole role);
  virtual ~WorkerClient() = default;

  // Sends one request and waits for the reply that ends it.
  // Fails with kCrashed ("worker (measure, pid 7) was killed by signal 11 (SIGSEGV); its last words: …"), kTimeout, kCancelled
  // (soon after the stop request), kCorrupt (nonsense on the wire), or the error that the worker itself answers with (the
  // process then lives on).
  virtual Result<wire::Reply> call(const wire::Request& request, const CallOptions& options) = 0;
  virtual bool alive() const = 0;
  // Returns the plan that was loading or running when the process ended, if any.
  virtual std::optional<int> blamed_plan() const = 0;
  virtual const std::string& id() const = 0;  // a UUID that names this process in stored trials
  virtual int pid() const = 0;
};

// Returns the reply of the type that the request expects. Fails with kCorrupt when the worker answered with another.
template <typename Answer>
Result<Answer> answer_as(Result<wire::Reply> reply) {
  if (!reply.ok()) return reply.error();
  if (auto* const answer = std::get_if<Answer>(&reply.value())) return std::move(*answer);
  return Error{ErrorCode::kCorrupt, "the worker answered with " + std::string(wire::kReplyNames[reply.value().index()]) +
                                        " where it was asked for " + std::string(wire::kReplyNames[wire::Reply(Answer()).index()])};
}

}  // namespace fuselab::engine
