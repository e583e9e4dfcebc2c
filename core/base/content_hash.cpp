// SPDX-License-Identifier: Apache-2.0
#include "core/base/content_hash.h"

#include <bit>
#include <cstring>
#include <vector>

namespace fuselab {
namespace {

// FIPS 180-4, section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class Sha256 {
 public:
  void update(const std::uint8_t* data, std::size_t size) {
    length_ += size;
    while (size > 0) {
      const std::size_t taken = std::min(size, sizeof(block_) - filled_);
      std::memcpy(block_ + filled_, data, taken);
      filled_ += taken;
      data += taken;
      size -= taken;
      if (filled_ == sizeof(block_)) {
        compress();
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
  void compress() {
    std::uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 | std::uint32_t{block_[4 * i + 2]} << 8 |
             std::uint32_t{block_[4 * i + 3]};
    }
    for (int i = 16; i < 64; ++i) {
      const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[i] + w[i];
      const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const std::uint32_t added[8] = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
  }

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
