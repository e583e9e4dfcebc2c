// SPDX-License-Identifier: Apache-2.0
#include "db/connection/compression.h"

#include <zstd.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace fuselab::db {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored little-endian: swap bytes here");

constexpr std::int64_t kLargestFrame = std::int64_t{1} << 30;
constexpr std::int64_t kSampleBytes = sizeof(double);

// Setting a context up costs more than compressing fifteen samples: one per thread.
ZSTD_CCtx* compressor() {
  struct Freed {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  const thread_local std::unique_ptr<ZSTD_CCtx, Freed> context = [] {
    std::unique_ptr<ZSTD_CCtx, Freed> made(ZSTD_createCCtx());
    FL_ASSERT(made != nullptr);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_checksumFlag, 1);
    return made;
  }();
  return context.get();
}

}  // namespace

std::vector<std::byte> compress(std::span<const std::byte> data) {
  if (data.empty()) return {};
  std::vector<std::byte> frame(ZSTD_compressBound(data.size()));
  const std::size_t size = ZSTD_compress2(compressor(), frame.data(), frame.size(), data.data(), data.size());
  FL_ASSERT(!ZSTD_isError(size));
  frame.resize(size);
  return frame;
}

Result<std::vector<std::byte>> decompress(std::span<const std::byte> frame, std::int64_t expected) {
  const Error damaged{ErrorCode::kCorrupt, "a compressed value is damaged"};
  if (expected < 0 || expected > kLargestFrame) return damaged;
  if (frame.empty()) return expected == 0 ? Result<std::vector<std::byte>>(std::vector<std::byte>{}) : damaged;
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != static_cast<unsigned long long>(expected)) return damaged;
  std::vector<std::byte> data(static_cast<std::size_t>(expected));
  const std::size_t size = ZSTD_decompress(data.data(), data.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) || size != data.size()) return damaged;
  return data;
}

bool is_frame(std::span<const std::byte> bytes) {
  constexpr std::array<unsigned char, 4> kMagic = {0x28, 0xb5, 0x2f, 0xfd};  // RFC 8878, 3.1.1
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<std::vector<std::byte>> decompress_whole(std::span<const std::byte> frame, std::int64_t most) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  const bool known = size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR;
  if (!known || size > static_cast<unsigned long long>(most))
    return Error{ErrorCode::kCorrupt,
                 "its compressed content has no length, or one of more than " + std::to_string(most) + " bytes"};
  return decompress(frame, static_cast<std::int64_t>(size));
}

std::vector<std::byte> pack_samples(std::span<const double> samples) {
  return compress(std::as_bytes(samples));
}

Result<std::vector<double>> unpack_samples(std::span<const std::byte> blob, std::int64_t count) {
  if (count < 0 || count > kLargestFrame / kSampleBytes) return Error{ErrorCode::kCorrupt, "a sample count is damaged"};
  FL_TRY(const auto bytes, decompress(blob, count * kSampleBytes));
  std::vector<double> samples(static_cast<std::size_t>(count));
  if (!bytes.empty()) std::memcpy(samples.data(), bytes.data(), bytes.size());
  return samples;
}

}  // namespace fuselab::db
