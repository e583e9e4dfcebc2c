// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/elf_file.h"

#include <algorithm>
#include <array>
#include <string>

namespace fuselab::gpu {
namespace {

using Octets = std::span<const std::byte>;

constexpr std::size_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;
constexpr std::uint32_t kNoBits = 8;

}  // namespace

Error ElfFile::corrupt(std::string_view what) const {
  return {ErrorCode::kCorrupt, "not a whole " + std::string(kind_) + ": " + std::string(what)};
}

Result<Octets> ElfFile::part(Octets bytes, std::uint64_t at, std::uint64_t size) const {
  if (at > bytes.size() || bytes.size() - at < size) return corrupt("a section reaches past its end");
  return bytes.subspan(at, size);
}

Result<std::string_view> ElfFile::text_at(Octets strings, std::uint32_t at) const {
  if (at >= strings.size()) return corrupt("a name lies outside its table");
  const auto* const begin = reinterpret_cast<const char*>(strings.data()) + at;
  const auto* const end = static_cast<const char*>(std::memchr(begin, 0, strings.size() - at));
  if (end == nullptr) return corrupt("a name does not end");
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

Result<ElfFile::Section> ElfFile::section(Octets file, Octets header, Octets names) const {
  FL_TRY(const std::uint32_t name, number<std::uint32_t>(header, 0));
  FL_TRY(const std::uint32_t type, number<std::uint32_t>(header, 4));
  FL_TRY(const std::uint64_t at, number<std::uint64_t>(header, 24));
  Section section;
  FL_TRY(section.size, number<std::uint64_t>(header, 32));
  FL_TRY(section.name, text_at(names, name));
  if (type != kNoBits) {
    FL_TRY(section.data, part(file, at, section.size));
  }
  return section;
}

Result<ElfFile> ElfFile::read(Octets file, std::uint16_t machine, std::string_view kind) {
  ElfFile elf(kind);
  constexpr std::array kMagic{std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}, std::byte{2}, std::byte{1}};
  if (file.size() < kHeaderBytes || !std::equal(kMagic.begin(), kMagic.end(), file.begin())) return elf.corrupt("no ELF header");
  FL_TRY(const std::uint16_t of, elf.number<std::uint16_t>(file, 18));
  if (of != machine) return elf.corrupt("it is code for another machine");
  FL_TRY(const std::uint64_t table, elf.number<std::uint64_t>(file, 40));
  FL_TRY(const std::uint16_t entry, elf.number<std::uint16_t>(file, 58));
  FL_TRY(const std::uint16_t count, elf.number<std::uint16_t>(file, 60));
  FL_TRY(const std::uint16_t names_index, elf.number<std::uint16_t>(file, 62));
  if (entry != kSectionBytes || names_index >= count) return elf.corrupt("its section table makes no sense");
  FL_TRY(const Octets headers, elf.part(file, table, std::uint64_t{count} * entry));
  const auto header = [&](std::size_t i) { return headers.subspan(i * kSectionBytes, kSectionBytes); };
  FL_TRY(const std::uint64_t names_at, elf.number<std::uint64_t>(header(names_index), 24));
  FL_TRY(const std::uint64_t names_size, elf.number<std::uint64_t>(header(names_index), 32));
  FL_TRY(const Octets names, elf.part(file, names_at, names_size));
  for (std::size_t i = 0; i < count; ++i) {
    FL_TRY(Section section, elf.section(file, header(i), names));
    elf.sections_.push_back(section);
  }
  return elf;
}

const ElfFile::Section* ElfFile::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const Section& each) { return each.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

Result<ElfFile::Symbol> ElfFile::symbol(std::string_view name) const {
  const Section* const symbols = find(".symtab");
  const Section* const names = find(".strtab");
  if (symbols == nullptr || names == nullptr) return corrupt("it has no symbols");
  for (std::uint32_t i = 0; (i + std::size_t{1}) * kSymbolBytes <= symbols->data.size(); ++i) {
    FL_TRY(const std::uint32_t named, number<std::uint32_t>(symbols->data, i * kSymbolBytes));
    FL_TRY(const std::string_view text, text_at(names->data, named));
    if (text != name) continue;
    FL_TRY(const std::uint64_t size, number<std::uint64_t>(symbols->data, i * kSymbolBytes + 16));
    return Symbol{i, size};
  }
  return Error{ErrorCode::kNotFound, "the " + std::string(kind_) + " has no kernel '" + std::string(name) + "'"};
}

}  // namespace fuselab::gpu
