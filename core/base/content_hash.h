// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab {

// A SHA-256 (FIPS 180-4) of some content. It serves as every key, identity and binary fingerprint in the project.
class ContentHash {
 public:
  ContentHash() = default;  // all zero: "no content", never equal to the hash of anything
  explicit ContentHash(std::array<std::uint8_t, 32> bytes) : bytes_(bytes) {}

  static ContentHash of(std::string_view text);
  static ContentHash of(std::span<const std::byte> bytes);
  static Result<ContentHash> from_hex(std::string_view hex);  // 64 hexadecimal digits

  const std::array<std::uint8_t, 32>& bytes() const { return bytes_; }
  std::string hex() const;        // 64 lower-case digits
  std::string short_hex() const;  // the first 12, for people
  bool empty() const { return *this == ContentHash(); }

  auto operator<=>(const ContentHash&) const = default;

 private:
  std::array<std::uint8_t, 32> bytes_{};
};

// Hashes named fields. Each name and value carries its length, so that no two different records give the same stream. A field that
// is not added counts as "unknown"; adding it in a later version changes the hash.
class IdentityHasher {
 public:
  explicit IdentityHasher(std::string_view kind) { add("kind", kind); }

  IdentityHasher& add(std::string_view field, std::string_view value);
  IdentityHasher& add(std::string_view field, std::int64_t value) { return add(field, std::to_string(value)); }
  IdentityHasher& add(std::string_view field, const ContentHash& value) { return add(field, value.hex()); }
  ContentHash finish() const { return ContentHash::of(stream_); }

 private:
  std::string stream_;
};

}  // namespace fuselab
