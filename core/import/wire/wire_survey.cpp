// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/wire_survey.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fuselab::onnx {
namespace {

// Bodies of If, Loop and Scan lie within each other; protobuf itself gives up at about thirty.
constexpr int kDeepestGraph = 24;
// The first limit is on what the parts of a model may take together, without numbers and weights: many times what the most nodes
// that a model may have take. The second is on its lists of integers, weights among them, which lie in the file as one byte each at
// least.
constexpr std::int64_t kMostBytesOfParts = std::int64_t{512} << 20;
constexpr std::int64_t kMostBytesOfLists = std::int64_t{2} << 30;
constexpr std::int64_t kBytesOfMessage = 200;  // about what the largest of the generated classes takes
constexpr std::int64_t kBytesOfText = 48;

// The messages of onnx_subset.proto by what lies in them.
enum class Kind { kNone, kModel, kFunction, kGraph, kNode, kAttribute, kTensor, kSparse, kInfo, kType, kTensorType, kShape, kLeaf };

Kind kind_within(Kind outer, std::uint32_t field) {
  switch (outer) {
    case Kind::kModel: return field == 7 ? Kind::kGraph : field == 25 ? Kind::kFunction : field == 8 ? Kind::kLeaf : Kind::kNone;
    case Kind::kFunction:
      if (field == 7) return Kind::kNode;
      return field == 11 ? Kind::kAttribute : field == 9 ? Kind::kLeaf : Kind::kNone;
    case Kind::kGraph:
      if (field == 1) return Kind::kNode;
      if (field == 5) return Kind::kTensor;
      if (field == 15) return Kind::kSparse;
      return field >= 11 && field <= 13 ? Kind::kInfo : Kind::kNone;
    case Kind::kNode: return field == 5 ? Kind::kAttribute : Kind::kNone;
    case Kind::kAttribute: return field == 5 ? Kind::kTensor : field == 6 || field == 11 ? Kind::kGraph : Kind::kNone;
    case Kind::kTensor: return field == 13 ? Kind::kLeaf : Kind::kNone;
    case Kind::kSparse: return field == 1 || field == 2 ? Kind::kTensor : Kind::kNone;
    case Kind::kInfo: return field == 2 ? Kind::kType : Kind::kNone;
    case Kind::kType: return field == 1 ? Kind::kTensorType : Kind::kNone;
    case Kind::kTensorType: return field == 2 ? Kind::kShape : Kind::kNone;
    case Kind::kShape: return field == 1 ? Kind::kLeaf : Kind::kNone;
    default: return Kind::kNone;
  }
}

// Lists of integers, of which one byte of the file may become eight.
bool is_list_of_integers(Kind kind, std::uint32_t field) {
  return (kind == Kind::kTensor && (field == 1 || field == 5 || field == 7 || field == 11)) ||
         (kind == Kind::kAttribute && field == 8) || (kind == Kind::kSparse && field == 3);
}

// Bytes as protobuf writes them.
class Wire {
 public:
  explicit Wire(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }

  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= (byte & 127) << (shift < 64 ? shift : 0);
      if (byte < 128) return value;
    }
    return std::nullopt;
  }

  std::optional<std::span<const std::byte>> take(std::uint64_t count) {
    if (count > rest_.size()) return std::nullopt;
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

 private:
  std::span<const std::byte> rest_;
};

Error damaged() {
  return {ErrorCode::kCorrupt, "is not a valid ONNX file: it is cut off, damaged or of another format"};
}

class Survey {
 public:
  Status walk(std::span<const std::byte> bytes, Kind kind, int graphs) {
    if (graphs > kDeepestGraph) {
      return invalid_argument("nests graphs (bodies of If, Loop and Scan) more than " + std::to_string(kDeepestGraph) + " deep");
    }
    FL_TRY_VOID(add(kBytesOfMessage));
    for (Wire wire(bytes); !wire.done();) {
      const auto tag = wire.number();
      if (!tag || *tag >> 3 == 0 || *tag > UINT32_MAX) return damaged();
      FL_TRY_VOID(walk_field(wire, kind, static_cast<std::uint32_t>(*tag), graphs));
    }
    return Status();
  }

 private:
  // Protobuf keeps a copy of the bytes of every field that is of another kind than declared, or is not declared at all.
  Status walk_field(Wire& wire, Kind kind, std::uint32_t tag, int graphs) {
    constexpr std::uint32_t kVarint = 0, kEightBytes = 1, kLength = 2, kFourBytes = 5;
    const std::uint32_t field = tag >> 3;
    switch (tag & 7) {
      case kVarint: return !wire.number() ? damaged() : is_list_of_integers(kind, field) ? add_list(8) : add(8);
      case kEightBytes: return wire.take(8) ? add(8) : damaged();
      case kFourBytes: return wire.take(4) ? add(4) : damaged();
      case kLength: break;
      default: return damaged();
    }
    const auto size = wire.number();
    const auto content = size ? wire.take(*size) : std::nullopt;
    if (!content) return damaged();
    const Kind inner = kind_within(kind, field);
    if (inner != Kind::kNone) return walk(*content, inner, graphs + (inner == Kind::kGraph ? 1 : 0));
    if (is_list_of_integers(kind, field)) return add_list(static_cast<std::int64_t>(content->size()) * 8);
    return add(kBytesOfText);
  }

  Status add(std::int64_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= kMostBytesOfParts) return Status();
    return invalid_argument(
        "has so many parts (nodes, names, attributes) that reading them would take more than 512 MiB of memory");
  }

  Status add_list(std::int64_t bytes) {
    list_bytes_ += bytes;
    if (list_bytes_ <= kMostBytesOfLists) return Status();
    return invalid_argument("has lists of integers that would take more than 2 GiB of memory");
  }

  std::int64_t bytes_ = 0, list_bytes_ = 0;
};

}  // namespace

Status survey_model(std::span<const std::byte> bytes) {
  return Survey().walk(bytes, Kind::kModel, 0);
}

Status survey_tensor(std::span<const std::byte> bytes) {
  return Survey().walk(bytes, Kind::kTensor, 0);
}

}  // namespace fuselab::onnx
