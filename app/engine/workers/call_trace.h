// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "app/wire/messages.h"
#include "core/platform/processes/shared_page.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::engine {

// Adds the spans of one call of a worker to a trace when it goes out of scope: one for the call and, inside it, one for each load,
// launch and verification, as the shared page logged them. So they are complete even where the worker died. Costs the worker two
// stores for each change of phase, which it makes whether traced or not. Does nothing without a recorder. The request and the page
// outlive it.
class CallTrace {
 public:
  CallTrace(std::shared_ptr<TraceRecorder> recorder, const wire::Request& request, const platform::SharedPage& page,
            std::string worker);
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;
  ~CallTrace();

 private:
  std::shared_ptr<TraceRecorder> recorder_;
  const wire::Request& request_;
  const platform::SharedPage& page_;
  TraceTrack track_;
  Nanoseconds start_;
  std::uint64_t seen_ = 0;
};

}  // namespace fuselab::engine
