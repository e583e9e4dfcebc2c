// SPDX-License-Identifier: Apache-2.0
#include "core/backend/footprint.h"

#include <limits>

namespace fuselab {

InferenceMemory estimate_inference_memory(const DecoderShape& shape) {
  const std::int64_t head = shape.heads > 0 ? shape.hidden / shape.heads : 0;
  const std::int64_t kv_width = shape.kv_heads * head;
  const std::int64_t attention = 2 * shape.hidden * shape.hidden + 2 * shape.hidden * kv_width;
  const std::int64_t layer = attention + 3 * shape.hidden * shape.ffn + 2 * shape.hidden;
  const std::int64_t weights = 2 * shape.vocab * shape.hidden + shape.layers * layer + shape.hidden;
  const std::int64_t cache = 2 * shape.layers * shape.sequence * kv_width;
  const std::int64_t step = 2 * shape.hidden + 2 * shape.ffn + shape.heads * shape.sequence + shape.vocab;
  return {{weights * shape.bytes_per_element}, {cache * shape.bytes_per_element}, {step * shape.bytes_per_element}};
}

namespace {

Bytes saturating_product(Bytes bytes, std::int64_t times) {
  Bytes product;
  return __builtin_mul_overflow(bytes.count, times, &product.count) ? Bytes{std::numeric_limits<std::int64_t>::max()} : product;
}

}  // namespace

Bytes saturating_sum(Bytes a, Bytes b) {
  Bytes sum;
  return __builtin_add_overflow(a.count, b.count, &sum.count) ? Bytes{std::numeric_limits<std::int64_t>::max()} : sum;
}

Result<Bytes> host_share_of(const TensorType& type) {
  FL_TRY(const Bytes packed, size_of(type));
  FL_TRY(const std::int64_t elements, element_count(type.shape));
  return saturating_sum(packed, saturating_product({static_cast<std::int64_t>(sizeof(double))}, elements));
}

Result<Footprint> footprint_of(const Graph& graph, int sets) {
  Footprint footprint;
  for (const auto& value : graph.values()) {
    FL_TRY(const Bytes packed, size_of(value.type));
    FL_TRY(const Bytes share, host_share_of(value.type));
    footprint.device = saturating_sum(footprint.device, packed);
    footprint.host = saturating_sum(footprint.host, share);
  }
  footprint.device = saturating_product(footprint.device, sets);
  return footprint;
}

void add_scratch(Footprint& footprint, Bytes scratch, int sets) {
  footprint.device = saturating_sum(footprint.device, saturating_product(scratch, sets));
}

Support fits(Bytes needed, const DeviceInfo& device) {
  const auto& room = device.free_memory_bytes ? device.free_memory_bytes : device.total_memory_bytes;
  if (!room || needed.count <= *room) return {};
  return Support::no("needs " + format_bytes(needed) + ", but " + device.id + " has " + format_bytes({*room}) +
                     (device.free_memory_bytes ? " free" : " in total"));
}

Support fits(const Footprint& footprint, const DeviceInfo& device) {
  return fits(device.unified_memory ? saturating_sum(footprint.device, footprint.host) : footprint.device, device);
}

}  // namespace fuselab
