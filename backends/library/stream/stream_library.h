// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/gpu/stream/stream_work.h"
#include "backends/library/graph_library.h"

namespace fuselab::library {

// A library that computes on a stream: its plans queue their work there, and a StreamRuntime waits, times and finds a lost device.
// Its facts name no threads. Used by one thread.
class StreamLibrary : public GraphLibrary {
 public:
  // Makes a plan ready for the context's stream; its program, where it has one, is what compile() returned.
  virtual Result<std::unique_ptr<gpu::stream::StreamWork>> build(gpu::stream::DeviceContext& context, const PlanText& plan) = 0;
};

// Loads the library's plans in a StreamRuntime.
gpu::stream::WorkLoader plan_loader(std::shared_ptr<StreamLibrary> library);

}  // namespace fuselab::library
