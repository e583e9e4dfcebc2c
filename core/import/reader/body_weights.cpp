// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/body_weights.h"

#include <memory>
#include <utility>

#include "core/import/wire/sparse_numbers.h"
#include "core/import/wire/weight_data.h"

namespace fuselab::onnx {
namespace {

// Returns the type of a weight; nothing when its element type is not known here.
template <typename Extents>
Result<std::optional<TensorType>> type_of_data(std::int32_t code, const Extents& extents) {
  if (static_cast<std::size_t>(extents.size()) > kMaxRank) return invalid_argument("has more than 8 dimensions");
  const auto dtype = dtype_of_code(code);
  if (!dtype) return std::optional<TensorType>();
  TensorType type{*dtype, {}};
  for (std::int64_t extent : extents) {
    if (extent < 0) return invalid_argument("has the extent " + std::to_string(extent));
    type.shape.emplace_back(extent);
  }
  FL_TRY([[maybe_unused]] const Bytes size, size_of(type));
  return std::optional(std::move(type));
}

// Reads a weight's type, and the numbers of a small tensor, too.
Result<Tensor> read_weight(const TensorProto& weight, ExternalFiles& files) {
  Tensor tensor;
  FL_TRY(tensor.type, type_of_data(weight.data_type(), weight.dims()));
  if (!tensor.type) return tensor;
  if (is_external(weight)) {
    FL_TRY(tensor.known, files.read(weight, *tensor.type));
  } else {
    FL_TRY_VOID(check_data(weight, *tensor.type));
    tensor.known = read_known(weight);
  }
  tensor.file = files.file_of(weight);
  return tensor;
}

std::string label_of(const std::string& name) {
  return "initializer '" + shown(name) + "'";
}

Status within(const Status& status, const std::string& name) {
  return status.ok() ? status : Status(status.error().within(label_of(name)));
}

}  // namespace

Status BodyWeights::declare(const GraphProto& body, bool is_read_again) {
  for (const auto& weight : body.initializer()) {
    if (weight.name().empty()) return invalid_argument("has an initializer without a name");
    FL_TRY_VOID(within(declare_dense(weight, is_read_again), weight.name()));
  }
  for (const auto& weight : body.sparse_initializer()) {
    const std::string& name = weight.values().name();
    if (name.empty()) return invalid_argument("has an initializer without a name");
    FL_TRY_VOID(within(declare_sparse(weight), name));
    imported_.notes().add(label_of(name) + " is sparse: it is read as a dense tensor of its shape");
  }
  return Status();
}

Status BodyWeights::add(const std::string& name, SharedTensor tensor) {
  return scope_.add(name, std::move(tensor)) ? Status() : invalid_argument("is there twice");
}

Status BodyWeights::declare_dense(const TensorProto& weight, bool is_read_again) {
  // Only what a function's call copies moves in memory.
  const bool stays = is_read_again && !scope_.in_function();
  const auto before = stays ? read_before_.find(&weight) : read_before_.end();
  if (before != read_before_.end()) return add(weight.name(), before->second);
  FL_TRY(Tensor tensor, read_weight(weight, imported_.files()));
  tensor.has_numbers = holds_numbers(weight);
  tensor.may_be_invented = true;
  // The model outlives its tensors.
  if (imported_.reads_weights()) tensor.data = {std::shared_ptr<void>(), &weight};
  FL_TRY_VOID(add(weight.name(), std::make_shared<Tensor>(std::move(tensor))));
  if (stays) read_before_.emplace(&weight, scope_.tensor(weight.name()));
  return Status();
}

Status BodyWeights::declare_sparse(const SparseTensorProto& weight) {
  Tensor tensor;
  FL_TRY(tensor.type, type_of_data(weight.values().data_type(), weight.dims()));
  if (tensor.type) {
    FL_TRY(GeneratedNumbers numbers, dense_numbers(weight, *tensor.type));
    FL_TRY_VOID(imported_.spend_generated(*tensor.type));
    tensor.generated = std::make_shared<const GeneratedNumbers>(std::move(numbers));
    tensor.has_numbers = true;
  }
  return add(weight.values().name(), std::make_shared<Tensor>(std::move(tensor)));
}

}  // namespace fuselab::onnx
