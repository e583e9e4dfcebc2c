// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/base/support.h"
#include "core/base/units.h"
#include "core/graph/graph.h"

namespace fuselab {

// The shape of a Llama-style decoder, as R101 lists it.
struct DecoderShape {
  std::int64_t hidden = 4096;
  std::int64_t ffn = 14336;
  std::int64_t layers = 32;
  std::int64_t vocab = 32000;
  std::int64_t heads = 32;
  std::int64_t kv_heads = 8;
  std::int64_t sequence = 4096;
  std::int64_t bytes_per_element = 4;
};

// The memory that one sequence of inference occupies (R101).
struct InferenceMemory {
  Bytes weights;      // embedding and head, per layer Q K V O, gate up down and two norms, the last norm
  Bytes kv_cache;     // keys and values of every layer for the whole sequence
  Bytes activations;  // of one decode step: two hidden vectors, gate and up, one score row per head, the logits
  Bytes total() const { return {weights.count + kv_cache.count + activations.count}; }
  double total_gb() const { return total().gigabytes(); }
};
InferenceMemory estimate_inference_memory(const DecoderShape& shape);

// Returns the sum, or the largest integer on overflow: no machine has that much memory either.
Bytes saturating_sum(Bytes a, Bytes b);
// Returns the host memory for a tensor of this type: each element as a float64, and the packed copy. Making, reading or judging a
// tensor keeps that much beside the device.
Result<Bytes> host_share_of(const TensorType& type);

// The memory that measuring a concrete graph needs (R102).
struct Footprint {
  Bytes device;  // every input and output once, and every intermediate that the unfused plan materialises
  Bytes host;    // the packed copies beside it, and the float64 reference of every value
};
// `sets` is the number of copies of the device's buffers, which all have the same contents.
Result<Footprint> footprint_of(const Graph& graph, int sets = 1);
// Adds scratch of this size on the device, in each set.
void add_scratch(Footprint& footprint, Bytes scratch, int sets);

// States whether `needed` fits the device's free memory, or its total memory when the free one is unknown. It fits when both are
// unknown. The reason names both sizes.
Support fits(Bytes needed, const DeviceInfo& device);
// States the same for a benchmark: a device with unified memory holds the host's share as well.
Support fits(const Footprint& footprint, const DeviceInfo& device);

}  // namespace fuselab
