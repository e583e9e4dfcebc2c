// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/code_object_reader.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "backends/gpu/elf_file.h"

namespace fuselab::hip {
namespace {

using gpu::ElfFile;
using nlohmann::json;
using Octets = std::span<const std::byte>;

constexpr std::uint16_t kAmdMachine = 224;
constexpr std::uint32_t kMetadata = 32;  // NT_AMDGPU_METADATA
constexpr std::uint64_t kMostMetadata = 4 << 20;
constexpr std::int64_t kMostNumber = std::int64_t{1} << 31;
constexpr std::int64_t kRegisterBytes = 4;

std::uint64_t padded(std::uint64_t size) {
  return (size + 3) / 4 * 4;
}

// Returns the note's map; the section holds records {name size, size, type, name, bytes}, each padded to four bytes.
Result<json> metadata_of(const ElfFile& elf) {
  const ElfFile::Section* const notes = elf.find(".note");
  if (notes == nullptr) return elf.corrupt("it has no notes");
  for (std::uint64_t at = 0; at < notes->data.size();) {
    FL_TRY(const std::uint32_t name, elf.number<std::uint32_t>(notes->data, at));
    FL_TRY(const std::uint32_t size, elf.number<std::uint32_t>(notes->data, at + 4));
    FL_TRY(const std::uint32_t type, elf.number<std::uint32_t>(notes->data, at + 8));
    const std::uint64_t begin = at + 12 + padded(name);
    FL_TRY(const Octets bytes, elf.part(notes->data, begin, size));
    at = begin + padded(size);
    if (type != kMetadata) continue;
    if (size > kMostMetadata) return elf.corrupt("its notes are too long");
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    json found = json::from_msgpack(first, first + bytes.size(), true, false);
    if (!found.is_object()) return elf.corrupt("its notes are not MessagePack");
    return found;
  }
  return elf.corrupt("it has no notes of AMD's");
}

// Absent where the map has no such number, or one that makes no sense.
std::optional<std::int64_t> number(const json& kernel, const char* key) {
  const auto found = kernel.find(key);
  if (found == kernel.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  return value < 0 || value > kMostNumber ? std::nullopt : std::optional(value);
}

}  // namespace

Result<gpu::stream::BinaryKernel> read_code_object(Octets bytes, std::string_view kernel) {
  FL_TRY(const ElfFile elf, ElfFile::read(bytes, kAmdMachine, "code object"));
  FL_TRY(const json metadata, metadata_of(elf));
  const auto kernels = metadata.find("amdhsa.kernels");
  if (kernels == metadata.end() || !kernels->is_array()) return elf.corrupt("its notes name no kernels");
  for (const json& each : *kernels) {
    if (!each.is_object() || each.value(".name", json()) != std::string(kernel)) continue;
    gpu::stream::BinaryKernel found;
    found.registers = number(each, ".vgpr_count");
    found.accumulators = number(each, ".agpr_count");
    found.scalar_registers = number(each, ".sgpr_count");
    if (const auto spilled = number(each, ".vgpr_spill_count")) found.spill_bytes = *spilled * kRegisterBytes;
    found.stack_bytes = number(each, ".private_segment_fixed_size");
    found.max_threads = number(each, ".max_flat_workgroup_size");
    found.lanes = number(each, ".wavefront_size");
    found.shared_bytes = number(each, ".group_segment_fixed_size").value_or(0);
    // Those behind the kernel's own, which the runtime fills in, are hidden.
    if (const auto arguments = each.find(".args"); arguments != each.end() && arguments->is_array()) {
      for (const json& argument : *arguments) {
        const json kind = argument.is_object() ? argument.value(".value_kind", json()) : json();
        if (kind.is_string() && !kind.get<std::string>().starts_with("hidden")) ++found.parameters;
      }
    }
    FL_TRY(const ElfFile::Symbol symbol, elf.symbol(kernel));
    found.code_bytes = static_cast<std::int64_t>(symbol.size);
    return found;
  }
  return Error{ErrorCode::kNotFound, "the code object has no kernel '" + std::string(kernel) + "'"};
}

}  // namespace fuselab::hip
