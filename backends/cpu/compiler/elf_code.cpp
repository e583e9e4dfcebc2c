// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/compiler/elf_code.h"

#include <elf.h>

#include <cstring>

namespace fuselab::cpu {
namespace {

template <typename Record>
std::optional<Record> record_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

}  // namespace

std::optional<std::int64_t> code_bytes_of(std::span<const std::byte> elf) {
  const auto header = record_at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return std::nullopt;
  std::int64_t code = 0;
  for (std::uint64_t index = 0; index < header->e_shnum; ++index) {
    const auto section = record_at<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    if ((section->sh_flags & SHF_EXECINSTR) != 0 && section->sh_size <= elf.size())
      code += static_cast<std::int64_t>(section->sh_size);
  }
  return code;
}

}  // namespace fuselab::cpu
