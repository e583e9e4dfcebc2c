// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/content_hash.h"

namespace fuselab {

// Makes the hash of content that comes in parts: that of ContentHash::of() for all of it.
class ContentHasher {
 public:
  ContentHasher();
  void add(std::span<const std::byte> bytes);
  ContentHash finish();  // once, at the end

 private:
  std::array<std::uint32_t, 8> state_;
  std::array<std::byte, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace fuselab
