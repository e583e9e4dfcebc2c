// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cubin_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <vector>

namespace fuselab::cuda {
namespace {

using Octets = std::span<const std::byte>;

constexpr std::uint16_t kCudaMachine = 190;
constexpr std::size_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;
constexpr std::uint32_t kNoBits = 8;
constexpr std::int64_t kReservedShared = 1024;  // of sm_90 and up: counted into a kernel's section

// .nv.info records
constexpr std::uint8_t kWithPayload = 4;
constexpr std::uint8_t kRegisterCount = 0x2f, kFrameSize = 0x11, kMaxThreads = 0x05, kParameterInfo = 0x17;

Error corrupt(const std::string& what) {
  return {ErrorCode::kCorrupt, "not a whole cubin: " + what};
}

template <typename T>
Result<T> read(Octets bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return corrupt("it ends early");
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Result<Octets> part(Octets bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || bytes.size() - at < size) return corrupt("a section reaches past its end");
  return bytes.subspan(at, size);
}

Result<std::string_view> text_at(Octets strings, std::uint32_t at) {
  if (at >= strings.size()) return corrupt("a name lies outside its table");
  const auto* const begin = reinterpret_cast<const char*>(strings.data()) + at;
  const auto* const end = static_cast<const char*>(std::memchr(begin, 0, strings.size() - at));
  if (end == nullptr) return corrupt("a name does not end");
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

struct Section {
  std::string_view name;
  std::uint64_t size = 0;
  Octets data;  // empty when the section has none in the file
};

Result<Section> read_section(Octets file, Octets header, Octets names) {
  FL_TRY(const std::uint32_t name, read<std::uint32_t>(header, 0));
  FL_TRY(const std::uint32_t type, read<std::uint32_t>(header, 4));
  FL_TRY(const std::uint64_t at, read<std::uint64_t>(header, 24));
  Section section;
  FL_TRY(section.size, read<std::uint64_t>(header, 32));
  FL_TRY(section.name, text_at(names, name));
  if (type != kNoBits) {
    FL_TRY(section.data, part(file, at, section.size));
  }
  return section;
}

Result<std::vector<Section>> read_sections(Octets file) {
  constexpr std::array kMagic{std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}, std::byte{2}, std::byte{1}};
  if (file.size() < kHeaderBytes || !std::equal(kMagic.begin(), kMagic.end(), file.begin())) return corrupt("no ELF header");
  FL_TRY(const std::uint16_t machine, read<std::uint16_t>(file, 18));
  if (machine != kCudaMachine) return corrupt("it is code for another machine");
  FL_TRY(const std::uint64_t table, read<std::uint64_t>(file, 40));
  FL_TRY(const std::uint16_t entry, read<std::uint16_t>(file, 58));
  FL_TRY(const std::uint16_t count, read<std::uint16_t>(file, 60));
  FL_TRY(const std::uint16_t names_index, read<std::uint16_t>(file, 62));
  if (entry != kSectionBytes || names_index >= count) return corrupt("its section table makes no sense");
  FL_TRY(const Octets headers, part(file, table, std::uint64_t{count} * entry));
  const auto header = [&](std::size_t i) { return headers.subspan(i * kSectionBytes, kSectionBytes); };
  FL_TRY(const std::uint64_t names_at, read<std::uint64_t>(header(names_index), 24));
  FL_TRY(const std::uint64_t names_size, read<std::uint64_t>(header(names_index), 32));
  FL_TRY(const Octets names, part(file, names_at, names_size));
  std::vector<Section> sections;
  for (std::size_t i = 0; i < count; ++i) {
    FL_TRY(Section section, read_section(file, header(i), names));
    sections.push_back(section);
  }
  return sections;
}

const Section* find(const std::vector<Section>& sections, const std::string& name) {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const Section& each) { return each.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

// The kernel's index in the symbol table, which the file-wide records name it by.
Result<std::uint32_t> symbol_of(const std::vector<Section>& sections, std::string_view kernel) {
  const Section* const symbols = find(sections, ".symtab");
  const Section* const names = find(sections, ".strtab");
  if (symbols == nullptr || names == nullptr) return corrupt("it has no symbols");
  for (std::uint32_t i = 0; (i + std::size_t{1}) * kSymbolBytes <= symbols->data.size(); ++i) {
    FL_TRY(const std::uint32_t name, read<std::uint32_t>(symbols->data, i * kSymbolBytes));
    FL_TRY(const std::string_view text, text_at(names->data, name));
    if (text == kernel) return i;
  }
  return Error{ErrorCode::kNotFound, "the cubin has no kernel '" + std::string(kernel) + "'"};
}

// Calls `take` with the attribute and payload of each record that has one.
Status each_record(Octets records, const std::function<Status(std::uint8_t, Octets)>& take) {
  for (std::size_t at = 0; at < records.size();) {
    FL_TRY(const std::uint8_t format, read<std::uint8_t>(records, at));
    FL_TRY(const std::uint8_t attribute, read<std::uint8_t>(records, at + 1));
    FL_TRY(const std::uint16_t value, read<std::uint16_t>(records, at + 2));
    at += 4;
    if (format != kWithPayload) continue;
    FL_TRY(const Octets payload, part(records, at, value));
    FL_TRY_VOID(take(attribute, payload));
    at += value;
  }
  return {};
}

Status read_file_records(Octets records, std::uint32_t symbol, CubinKernel& kernel) {
  return each_record(records, [&](std::uint8_t attribute, Octets payload) -> Status {
    if (attribute != kRegisterCount && attribute != kFrameSize) return {};
    FL_TRY(const std::uint32_t whose, read<std::uint32_t>(payload, 0));
    FL_TRY(const std::uint32_t value, read<std::uint32_t>(payload, 4));
    if (whose == symbol) (attribute == kRegisterCount ? kernel.registers : kernel.stack_bytes) = value;
    return {};
  });
}

Status read_kernel_records(Octets records, CubinKernel& kernel) {
  return each_record(records, [&](std::uint8_t attribute, Octets payload) -> Status {
    if (attribute == kParameterInfo) ++kernel.parameters;
    if (attribute != kMaxThreads) return {};
    std::int64_t threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      FL_TRY(const std::uint32_t along, read<std::uint32_t>(payload, 4 * axis));
      if (along > 1024) return corrupt("its launch bounds make no sense");
      threads *= along;
    }
    kernel.max_threads = threads;
    return {};
  });
}

}  // namespace

Result<CubinKernel> read_cubin(std::span<const std::byte> bytes, std::string_view kernel) {
  FL_TRY(const std::vector<Section> sections, read_sections(bytes));
  FL_TRY(const std::uint32_t symbol, symbol_of(sections, kernel));
  const std::string name(kernel);
  const Section* const code = find(sections, ".text." + name);
  if (code == nullptr) return Error{ErrorCode::kNotFound, "the cubin has no kernel '" + name + "'"};
  CubinKernel found;
  found.code_bytes = static_cast<std::int64_t>(code->size);
  if (const Section* const info = find(sections, ".nv.info")) FL_TRY_VOID(read_file_records(info->data, symbol, found));
  if (const Section* const info = find(sections, ".nv.info." + name)) FL_TRY_VOID(read_kernel_records(info->data, found));
  if (const Section* const shared = find(sections, ".nv.shared." + name)) {
    if (shared->size > std::uint64_t{1} << 30) return corrupt("its shared memory makes no sense");
    const std::int64_t reserved = find(sections, ".nv.shared.reserved.0") != nullptr ? kReservedShared : 0;
    found.shared_bytes = std::max<std::int64_t>(0, static_cast<std::int64_t>(shared->size) - reserved);
  }
  return found;
}

}  // namespace fuselab::cuda
