// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/topology/hlo_fusions.h"

#include <optional>

namespace fuselab::xla {
namespace {

// Numbers of fields, of XLA's hlo.proto.
enum : std::uint64_t {
  kModuleOfProgram = 1,
  kComputationOfModule = 3,
  kInstructionOfComputation = 2,
  kIsFusionComputation = 7,
  kOpcode = 2,
  kFusionKind = 11,
  kCallTarget = 28,
  kBackendConfig = 43,
};

Error no_program(const std::string& what) {
  return {ErrorCode::kCorrupt, "XLA's optimised program is unreadable: " + what};
}

// One field of a protocol buffer's message: a number, or the bytes of a text or message.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

// Walks over the fields of one message.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  // Returns the next field; nothing at the end.
  Result<std::optional<Field>> next() {
    if (rest_.empty()) return std::optional<Field>();
    Field field;
    FL_TRY(const std::uint64_t tag, varint());
    field.number = tag >> 3;
    switch (tag & 7) {
      case 0: {
        FL_TRY(field.value, varint());
        break;
      }
      case 1: {
        FL_TRY(field.bytes, taken(8));
        break;
      }
      case 2: {
        FL_TRY(const std::uint64_t size, varint());
        FL_TRY(field.bytes, taken(size));
        break;
      }
      case 5: {
        FL_TRY(field.bytes, taken(4));
        break;
      }
      default: return no_program("a field of an unknown kind");
    }
    return std::optional(field);
  }

 private:
  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return no_program("a number without an end");
  }
  Result<std::string_view> taken(std::uint64_t size) {
    if (size > rest_.size()) return no_program("a field is longer than its message");
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::string_view rest_;
};

// Calls visit(field) for each field of a message.
template <typename Visit>
Status for_each_field(std::string_view bytes, Visit visit) {
  Message message(bytes);
  for (;;) {
    FL_TRY(const std::optional<Field> field, message.next());
    if (!field) return {};
    FL_TRY_VOID(visit(*field));
  }
}

// Returns the kind that XLA's backend gives a fusion of its own: "kind" in its JSON, as in "__triton_gemm".
std::string kind_in(std::string_view config) {
  constexpr std::string_view kKey = "\"kind\":\"";
  const std::size_t at = config.find(kKey);
  if (at == std::string_view::npos) return "custom";
  const std::string_view from = config.substr(at + kKey.size());
  std::string_view kind = from.substr(0, from.find('"'));
  kind.remove_prefix(std::min(kind.find_first_not_of('_'), kind.size()));
  return kind.empty() || kind.size() > 60 ? "custom" : std::string(kind);
}

// "kLoop" as "loop".
std::string lower_kind(std::string_view kind) {
  std::string name(kind.substr(kind.starts_with('k') ? 1 : 0));
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return name;
}

std::string without_tail(std::string kind) {
  constexpr std::string_view kTail = "_fusion";
  if (kind.size() > kTail.size() && kind.ends_with(kTail)) kind.resize(kind.size() - kTail.size());
  return kind;
}

Status count(std::string_view instruction, HloFusions& found) {
  std::string_view opcode, kind, target, config;
  FL_TRY_VOID(for_each_field(instruction, [&](const Field& field) -> Status {
    if (field.number == kOpcode) opcode = field.bytes;
    if (field.number == kFusionKind) kind = field.bytes;
    if (field.number == kCallTarget) target = field.bytes;
    if (field.number == kBackendConfig) config = field.bytes;
    return {};
  }));
  if (opcode.empty()) return no_program("an operation without a name");
  if (opcode == "fusion") ++found.fusions[without_tail(kind == "kCustom" ? kind_in(config) : lower_kind(kind))];
  if (opcode == "custom-call") ++found.calls[std::string(target.substr(0, 60))];
  return {};
}

Status count_computation(std::string_view computation, HloFusions& found) {
  HloFusions here = found;
  bool is_inside = false;
  FL_TRY_VOID(for_each_field(computation, [&](const Field& field) -> Status {
    if (field.number == kIsFusionComputation) is_inside = field.value != 0;
    return field.number == kInstructionOfComputation ? count(field.bytes, here) : Status();
  }));
  if (!is_inside) found = std::move(here);
  return {};
}

}  // namespace

Result<HloFusions> fusions_in(std::string_view program) {
  HloFusions found;
  int computations = 0;
  FL_TRY_VOID(for_each_field(program, [&](const Field& module) -> Status {
    if (module.number != kModuleOfProgram) return {};
    return for_each_field(module.bytes, [&](const Field& field) -> Status {
      if (field.number != kComputationOfModule) return {};
      ++computations;
      return count_computation(field.bytes, found);
    });
  }));
  if (computations == 0) return no_program("it has no computation");
  return found;
}

}  // namespace fuselab::xla
