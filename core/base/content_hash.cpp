// SPDX-License-Identifier: Apache-2.0
#include "core/base/content_hash.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/content_hasher.h"
#include "core/base/sha256_blocks.h"

namespace fuselab {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

ContentHash ContentHash::of(std::string_view text) {
  return of(std::as_bytes(std::span(text)));
}

ContentHash ContentHash::of(std::span<const std::byte> bytes) {
  ContentHasher hasher;
  hasher.add(bytes);
  return hasher.finish();
}

ContentHasher::ContentHasher()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void ContentHasher::add(std::span<const std::byte> bytes) {
  length_ += bytes.size();
  while (!bytes.empty()) {
    if (filled_ == 0 && bytes.size() >= block_.size()) {
      const std::size_t blocks = bytes.size() / block_.size();
      compress_blocks(state_, reinterpret_cast<const std::uint8_t*>(bytes.data()), blocks);
      bytes = bytes.subspan(blocks * block_.size());
      continue;
    }
    const std::size_t taken = std::min(bytes.size(), block_.size() - filled_);
    std::memcpy(block_.data() + filled_, bytes.data(), taken);
    filled_ += taken;
    bytes = bytes.subspan(taken);
    if (filled_ == block_.size()) {
      compress_blocks(state_, reinterpret_cast<const std::uint8_t*>(block_.data()), 1);
      filled_ = 0;
    }
  }
}

ContentHash ContentHasher::finish() {
  const std::uint64_t bits = length_ * 8;
  // A one, zeros up to the last eight bytes of a block, and the length.
  std::array<std::byte, 72> tail{std::byte{0x80}};
  const std::size_t zeros = (filled_ < 56 ? 56 : 120) - filled_;
  for (std::size_t i = 0; i < 8; ++i) tail[zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  add(std::span(tail).first(zeros + 8));
  std::array<std::uint8_t, 32> digest{};
  for (std::size_t i = 0; i < 32; ++i) digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return ContentHash(digest);
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
