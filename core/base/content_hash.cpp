// SPDX-License-Identifier: Apache-2.0
#include "core/base/content_hash.h"

#include <cstring>
#include <vector>

#include "core/base/sha256_blocks.h"

namespace fuselab {
namespace {

class Sha256 {
 public:
  void update(const std::uint8_t* data, std::size_t size) {
    length_ += size;
    while (size > 0) {
      if (filled_ == 0 && size >= sizeof(block_)) {
        const std::size_t blocks = size / sizeof(block_);
        compress_blocks(state_, data, blocks);
        data += blocks * sizeof(block_);
        size -= blocks * sizeof(block_);
        continue;
      }
      const std::size_t taken = std::min(size, sizeof(block_) - filled_);
      std::memcpy(block_ + filled_, data, taken);
      filled_ += taken;
      data += taken;
      size -= taken;
      if (filled_ == sizeof(block_)) {
        compress_blocks(state_, block_, 1);
        filled_ = 0;
      }
    }
  }

  std::array<std::uint8_t, 32> finish() {
    const std::uint64_t bits = length_ * 8;
    const std::uint8_t one = 0x80;
    const std::uint8_t zero = 0;
    update(&one, 1);
    while (filled_ != 56) update(&zero, 1);
    std::uint8_t tail[8];
    for (int i = 0; i < 8; ++i) tail[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
    update(tail, sizeof(tail));
    std::array<std::uint8_t, 32> digest{};
    for (std::size_t i = 0; i < 32; ++i) digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint8_t block_[64] = {};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

ContentHash ContentHash::of(std::string_view text) {
  return of(std::as_bytes(std::span(text)));
}

ContentHash ContentHash::of(std::span<const std::byte> bytes) {
  Sha256 sha;
  sha.update(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return ContentHash(sha.finish());
}

Result<ContentHash> ContentHash::from_hex(std::string_view hex) {
  if (hex.size() != 64) return invalid_argument("a content hash has 64 hexadecimal digits, not " + std::to_string(hex.size()));
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t digit = kDigits.find(hex[i]);
    if (digit == std::string_view::npos)
      return invalid_argument("'" + std::string(1, hex[i]) + "' is no lower-case hexadecimal digit");
    bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] << 4 | digit);
  }
  return ContentHash(bytes);
}

std::string ContentHash::hex() const {
  std::string text;
  text.reserve(64);
  for (const std::uint8_t byte : bytes_) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::string ContentHash::short_hex() const {
  return hex().substr(0, 12);
}

IdentityHasher& IdentityHasher::add(std::string_view field, std::string_view value) {
  stream_ += std::to_string(field.size()) + ":";
  stream_ += field;
  stream_ += "=" + std::to_string(value.size()) + ":";
  stream_ += value;
  stream_ += ";";
  return *this;
}

}  // namespace fuselab
