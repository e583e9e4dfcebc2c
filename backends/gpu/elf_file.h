// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace fuselab::gpu {

// A 64-bit ELF file of a GPU's machine code. Its bytes are untrusted and must outlive this.
class ElfFile {
 public:
  struct Section {
    std::string_view name;
    std::uint64_t size = 0;
    std::span<const std::byte> data;  // empty when the section has none in the file
  };
  struct Symbol {
    std::uint32_t index = 0;
    std::uint64_t size = 0;
  };

  // `kind` is what people call such a file, for messages.
  // Fails with kCorrupt when the file is of another machine, or inconsistent.
  static Result<ElfFile> read(std::span<const std::byte> bytes, std::uint16_t machine, std::string_view kind);

  // Returns the first section of this name, or null.
  const Section* find(std::string_view name) const;
  // Fails with kNotFound when the table has no such symbol.
  Result<Symbol> symbol(std::string_view name) const;

  Error corrupt(std::string_view what) const;
  template <typename T>
  Result<T> number(std::span<const std::byte> bytes, std::size_t at) const {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return corrupt("it ends early");
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  Result<std::span<const std::byte>> part(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t size) const;

 private:
  explicit ElfFile(std::string_view kind) : kind_(kind) {}
  Result<std::string_view> text_at(std::span<const std::byte> strings, std::uint32_t at) const;
  Result<Section> section(std::span<const std::byte> file, std::span<const std::byte> header,
                          std::span<const std::byte> names) const;

  std::string_view kind_;
  std::vector<Section> sections_;
};

}  // namespace fuselab::gpu
