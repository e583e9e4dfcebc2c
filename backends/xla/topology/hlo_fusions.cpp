// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/topology/hlo_fusions.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace fuselab::xla {
namespace {

// Numbers of fields, of XLA's hlo.proto.
constexpr std::uint64_t kModuleOfProgram = 1, kComputationOfModule = 3, kInstructionOfComputation = 2, kIsFusionComputation = 7;
constexpr std::uint64_t kOpcode = 2, kFusionKind = 11, kCallTarget = 28, kBackendConfig = 43;

constexpr std::size_t kLongestName = 60;

Error no_program(const std::string& what) {
  return {ErrorCode::kCorrupt, "XLA's optimised program is unreadable: " + what};
}

Result<std::uint64_t> taken_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return no_program("a number without an end");
}

// Calls visit(number of the field, its value, its bytes) for each field of a protocol buffer's message: a number has a value, a
// text or message has bytes.
using Visit = std::function<Status(std::uint64_t, std::uint64_t, std::string_view)>;
Status for_each_field(std::string_view message, const Visit& visit) {
  while (!message.empty()) {
    FL_TRY(const std::uint64_t tag, taken_number(message));
    const std::uint64_t kind = tag & 7;
    std::uint64_t value = 0, size = kind == 1 ? 8 : kind == 5 ? 4 : 0;
    if (kind == 0) {
      FL_TRY(value, taken_number(message));
    } else if (kind == 2) {
      FL_TRY(size, taken_number(message));
    } else if (size == 0) {
      return no_program("a field of an unknown kind");
    }
    if (size > message.size()) return no_program("a field is longer than its message");
    FL_TRY_VOID(visit(tag >> 3, value, message.substr(0, size)));
    message.remove_prefix(size);
  }
  return {};
}

// Returns "loop" of "kLoop". XLA's backend gives its own fusions a kind in its JSON: "triton_gemm" of "__triton_gemm_fusion".
std::string kind_of(std::string_view kind, std::string_view config) {
  std::string name(kind.substr(std::min<std::size_t>(kind.starts_with('k') ? 1 : 0, kind.size())));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kKey = "\"kind\":\"", kTail = "_fusion";
  const std::size_t at = config.find(kKey);
  if (name != "custom" || at == std::string_view::npos) return name;
  std::string_view own = config.substr(at + kKey.size());
  own = own.substr(0, own.find('"'));
  own.remove_prefix(std::min(own.find_first_not_of('_'), own.size()));
  if (own.ends_with(kTail)) own.remove_suffix(kTail.size());
  return own.empty() || own.size() > kLongestName ? name : std::string(own);
}

Status count(std::string_view instruction, HloFusions& found) {
  std::string_view opcode, kind, target, config;
  FL_TRY_VOID(for_each_field(instruction, [&](std::uint64_t field, std::uint64_t, std::string_view bytes) -> Status {
    if (field == kOpcode) opcode = bytes;
    if (field == kFusionKind) kind = bytes;
    if (field == kCallTarget) target = bytes;
    if (field == kBackendConfig) config = bytes;
    return {};
  }));
  if (opcode.empty()) return no_program("an operation without a name");
  if (opcode == "fusion") ++found.fusions[kind_of(kind.substr(0, kLongestName), config)];
  if (opcode == "custom-call") ++found.calls[std::string(target.substr(0, kLongestName))];
  return {};
}

Status count_computation(std::string_view computation, HloFusions& found) {
  HloFusions here = found;
  bool is_inside = false;
  FL_TRY_VOID(for_each_field(computation, [&](std::uint64_t field, std::uint64_t value, std::string_view bytes) -> Status {
    if (field == kIsFusionComputation) is_inside = value != 0;
    return field == kInstructionOfComputation ? count(bytes, here) : Status();
  }));
  if (!is_inside) found = std::move(here);
  return {};
}

}  // namespace

Result<HloFusions> fusions_in(std::string_view program) {
  HloFusions found;
  int computations = 0;
  FL_TRY_VOID(for_each_field(program, [&](std::uint64_t of_program, std::uint64_t, std::string_view module) -> Status {
    if (of_program != kModuleOfProgram) return {};
    return for_each_field(module, [&](std::uint64_t field, std::uint64_t, std::string_view computation) -> Status {
      if (field != kComputationOfModule) return {};
      ++computations;
      return count_computation(computation, found);
    });
  }));
  if (computations == 0) return no_program("it has no computation");
  return found;
}

}  // namespace fuselab::xla
