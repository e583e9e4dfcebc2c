// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cubin_reader.h"

#include <functional>
#include <string>

#include "backends/gpu/elf_file.h"

namespace fuselab::cuda {
namespace {

using gpu::ElfFile;
using Octets = std::span<const std::byte>;

constexpr std::uint16_t kCudaMachine = 190;
constexpr std::int64_t kReservedShared = 1024;  // of sm_90 and up: counted into a kernel's section

// .nv.info records
constexpr std::uint8_t kWithPayload = 4;
constexpr std::uint8_t kRegisterCount = 0x2f, kFrameSize = 0x11, kMaxThreads = 0x05, kParameterInfo = 0x17;

// Calls `take` with the attribute and payload of each record that has one.
Status each_record(const ElfFile& elf, Octets records, const std::function<Status(std::uint8_t, Octets)>& take) {
  for (std::size_t at = 0; at < records.size();) {
    FL_TRY(const std::uint8_t format, elf.number<std::uint8_t>(records, at));
    FL_TRY(const std::uint8_t attribute, elf.number<std::uint8_t>(records, at + 1));
    FL_TRY(const std::uint16_t value, elf.number<std::uint16_t>(records, at + 2));
    at += 4;
    if (format != kWithPayload) continue;
    FL_TRY(const Octets payload, elf.part(records, at, value));
    FL_TRY_VOID(take(attribute, payload));
    at += value;
  }
  return {};
}

Status read_file_records(const ElfFile& elf, Octets records, std::uint32_t symbol, CubinKernel& kernel) {
  return each_record(elf, records, [&](std::uint8_t attribute, Octets payload) -> Status {
    if (attribute != kRegisterCount && attribute != kFrameSize) return {};
    FL_TRY(const std::uint32_t whose, elf.number<std::uint32_t>(payload, 0));
    FL_TRY(const std::uint32_t value, elf.number<std::uint32_t>(payload, 4));
    if (whose == symbol) (attribute == kRegisterCount ? kernel.registers : kernel.stack_bytes) = value;
    return {};
  });
}

Status read_kernel_records(const ElfFile& elf, Octets records, CubinKernel& kernel) {
  return each_record(elf, records, [&](std::uint8_t attribute, Octets payload) -> Status {
    if (attribute == kParameterInfo) ++kernel.parameters;
    if (attribute != kMaxThreads) return {};
    std::int64_t threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      FL_TRY(const std::uint32_t along, elf.number<std::uint32_t>(payload, 4 * axis));
      if (along > 1024) return elf.corrupt("its launch bounds make no sense");
      threads *= along;
    }
    kernel.max_threads = threads;
    return {};
  });
}

}  // namespace

Result<CubinKernel> read_cubin(std::span<const std::byte> bytes, std::string_view kernel) {
  FL_TRY(const ElfFile elf, ElfFile::read(bytes, kCudaMachine, "cubin"));
  FL_TRY(const ElfFile::Symbol symbol, elf.symbol(kernel));  // the file-wide records name a kernel by its index
  const std::string name(kernel);
  const ElfFile::Section* const code = elf.find(".text." + name);
  if (code == nullptr) return Error{ErrorCode::kNotFound, "the cubin has no kernel '" + name + "'"};
  CubinKernel found;
  found.code_bytes = static_cast<std::int64_t>(code->size);
  if (const ElfFile::Section* const info = elf.find(".nv.info"))
    FL_TRY_VOID(read_file_records(elf, info->data, symbol.index, found));
  if (const ElfFile::Section* const info = elf.find(".nv.info." + name)) FL_TRY_VOID(read_kernel_records(elf, info->data, found));
  if (const ElfFile::Section* const shared = elf.find(".nv.shared." + name)) {
    if (shared->size > std::uint64_t{1} << 30) return elf.corrupt("its shared memory makes no sense");
    const std::int64_t reserved = elf.find(".nv.shared.reserved.0") != nullptr ? kReservedShared : 0;
    found.shared_bytes = std::max<std::int64_t>(0, static_cast<std::int64_t>(shared->size) - reserved);
  }
  return found;
}

}  // namespace fuselab::cuda
