// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/io/coded_stream.h>

#include <limits>

#include "core/import/constants/known_tensor.h"
#include "core/import/onnx_import.h"
#include "core/import/wire/external_data.h"
#include "core/import/wire/weight_data.h"
#include "core/import/wire/wire_survey.h"
#include "onnx_subset.pb.h"

namespace fuselab {
namespace {

constexpr std::size_t kMaxTensorBytes = std::numeric_limits<std::int32_t>::max();  // protobuf's own limit

}  // namespace

Result<PackedTensor> import_tensor(std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxTensorBytes) return invalid_argument("is larger than 2 GiB, the most an ONNX tensor can be");
  const Error damaged{ErrorCode::kCorrupt, "is no ONNX tensor: it is cut off, damaged or of another format"};
  const Status surveyed = onnx::survey_tensor(bytes);
  if (!surveyed.ok()) return surveyed.error().code == ErrorCode::kCorrupt ? damaged : surveyed.error();
  onnx::TensorProto tensor;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  if (!tensor.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage() || !tensor.has_data_type()) return damaged;
  const auto dtype = onnx::dtype_of_code(tensor.data_type());
  if (!dtype)
    return Error{ErrorCode::kUnsupported,
                 "has the ONNX element type " + std::to_string(tensor.data_type()) + ", which is not read"};
  if (static_cast<std::size_t>(tensor.dims_size()) > kMaxRank) return invalid_argument("has more than 8 dimensions");
  PackedTensor read{{*dtype, {}}, {}};
  for (const std::int64_t extent : tensor.dims()) {
    if (extent < 0) return invalid_argument("has the extent " + std::to_string(extent));
    read.type.shape.emplace_back(extent);
  }
  FL_TRY([[maybe_unused]] const Bytes size, size_of(read.type));
  if (onnx::is_external(tensor)) return invalid_argument("holds no numbers: they lie in another file");
  FL_TRY_VOID(onnx::check_data(tensor, read.type));
  auto packed = onnx::bytes_of(tensor, read.type);
  if (!packed) return invalid_argument("is " + type_text(read.type) + " and holds no numbers that can be read");
  read.bytes = *std::move(packed);
  return read;
}

}  // namespace fuselab
