// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/elf_code.h"

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

std::optional<std::vector<std::span<const std::byte>>> code_of(std::span<const std::byte> elf) {
  const auto header = record_at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return std::nullopt;
  std::vector<std::span<const std::byte>> code;
  for (std::uint64_t index = 0; index < header->e_shnum; ++index) {
    const auto section = record_at<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    if ((section->sh_flags & SHF_EXECINSTR) == 0 || section->sh_type == SHT_NOBITS) continue;
    if (section->sh_offset > elf.size() || elf.size() - section->sh_offset < section->sh_size) return std::nullopt;
    code.push_back(elf.subspan(section->sh_offset, section->sh_size));
  }
  return code;
}

bool is_x86(std::span<const std::byte> elf) {
  const auto header = record_at<Elf64_Ehdr>(elf, 0);
  return header && header->e_machine == EM_X86_64;
}

}  // namespace fuselab::cpu
