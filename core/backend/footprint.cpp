// SPDX-License-Identifier: Apache-2.0
#include "core/backend/footprint.h"

#include <limits>

namespace fuselab {

InferenceMemory estimate_inference_memory(const DecoderShape& shape) {
  std::int64_t const head = shape.heads > 0 ? shape.hidden / shape.heads : 0;
  std::int64_t const kv_width = shape.kv_heads * head;
  std::int64_t const attention = 2 * shape.hidden * shape.hidden + 2 * shape.hidden * kv_width;
  std::int64_t const layer = attention + 3 * shape.hidden * shape.ffn + 2 * shape.hidden;
  std::int64_t const weights = 2 * shape.vocab * shape.hidden + shape.layers * layer + shape.hidden;
  std::int64_t const cache = 2 * shape.layers * shape.sequence * kv_width;
  std::int64_t const step = 2 * shape.hidden + 2 * shape.ffn + shape.heads * shape.sequence + shape.vocab;
  return {{weights * shape.bytes_per_element}, {cache * shape.bytes_per_element}, {step * shape.bytes_per_element}};
}

namespace {

// What does not fit an integer fits no machine either.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

std::int64_t product_of(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

}  // namespace

Result<Footprint> footprint_of(const Graph& graph, int sets) {
  Footprint footprint;
  for (auto const& value : graph.values()) {
    FL_TRY(Bytes const packed, size_of(value.type));
    FL_TRY(std::int64_t const elements, element_count(value.type.shape));
    footprint.device.count = sum_of(footprint.device.count, packed.count);
    footprint.host.count =
        sum_of(footprint.host.count, sum_of(packed.count, product_of(elements, static_cast<std::int64_t>(sizeof(double)))));
  }
  footprint.device.count = product_of(footprint.device.count, sets);
  return footprint;
}

void add_scratch(Footprint& footprint, Bytes scratch, int sets) {
  footprint.device.count = sum_of(footprint.device.count, product_of(scratch.count, sets));
}

Support fits(Bytes needed, const DeviceInfo& device) {
  auto const& room = device.free_memory_bytes ? device.free_memory_bytes : device.total_memory_bytes;
  if (!room || needed.count <= *room) return {};
  return Support::no("needs " + format_bytes(needed) + ", but " + device.id + " has " + format_bytes({*room}) +
                     (device.free_memory_bytes ? " free" : " in total"));
}

Support fits(const Footprint& footprint, const DeviceInfo& device) {
  std::int64_t const host = device.unified_memory ? footprint.host.count : 0;
  return fits(Bytes{sum_of(footprint.device.count, host)}, device);
}

}  // namespace fuselab
