// SPDX-License-Identifier: Apache-2.0
// This file reads what a model says of its tensors before the first node, and checks whether the nodes kept to it.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/import/wire/declared_type.h"
#include "core/import/wire/model_import.h"
#include "core/import/wire/sparse_numbers.h"
#include "core/import/wire/weight_data.h"

namespace fuselab::onnx {
namespace {

constexpr int kMaxRank = 8;
constexpr std::int64_t kNewestOpset = 28;

// The type of an initializer; none when its element type is not known here.
template <typename Extents>
Result<std::optional<TensorType>> type_of_data(std::int32_t code, const Extents& extents) {
  if (extents.size() > kMaxRank) return invalid_argument("has more than 8 dimensions");
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

// Reads an initializer's type, and the numbers of a small tensor, too.
Result<Tensor> read_initializer(const TensorProto& initializer, ExternalFiles& files) {
  Tensor tensor;
  FL_TRY(tensor.type, type_of_data(initializer.data_type(), initializer.dims()));
  if (!tensor.type) return tensor;
  if (is_external(initializer)) {
    FL_TRY(tensor.known, files.read(initializer, *tensor.type));
  } else {
    FL_TRY_VOID(check_data(initializer, *tensor.type));
    tensor.known = read_known(initializer);
  }
  tensor.file = files.file_of(initializer);
  return tensor;
}

// Exporters write "?" for an extent that they do not know; two of them need not be equal.
bool has_a_word(const std::string& name) {
  return std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

}  // namespace

Result<int> ModelImport::opset_of(const Opsets& opsets) {
  std::int64_t version = 0;
  for (const auto& opset : opsets) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (opset.version() < 1 || opset.version() > 1000) {
      return invalid_argument("declares opset " + std::to_string(opset.version()) + ", which does not exist");
    }
    if (version != 0 && version != opset.version()) {
      return invalid_argument("declares two versions of ONNX's own operators, " + std::to_string(version) + " and " +
                              std::to_string(opset.version()));
    }
    version = opset.version();
  }
  if (version == 0) {
    // Files of IR version 1 and 2 had no such field and meant the first operator set. Later ones may hold operators of other
    // domains alone; ONNX's own have no meaning in them.
    if (model_.ir_version() < 3) return 1;
    if (opsets.empty()) return invalid_argument("declares no ONNX opset (opset_import)");
  }
  if (version > kNewestOpset) {
    note("opset " + std::to_string(version) + " is newer than " + std::to_string(kNewestOpset) +
         ", the newest one known here: operators are read as they were then");
  }
  return static_cast<int>(version);
}

Result<TensorType> ModelImport::declared_type(const ValueInfoProto& info) {
  const auto& tensor = info.type().tensor_type();
  const auto dtype = dtype_of_code(tensor.elem_type());
  if (!dtype) return Error{ErrorCode::kUnsupported, "has the ONNX element type " + std::to_string(tensor.elem_type())};
  if (!tensor.has_shape()) return Error{ErrorCode::kUnsupported, "has no shape in the file"};
  if (tensor.shape().dim_size() > kMaxRank) return invalid_argument("has more than 8 dimensions");
  TensorType type{*dtype, {}};
  for (const auto& dim : tensor.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() != kOpenExtent) {
      if (dim.dim_value() < 0) return invalid_argument("has the extent " + std::to_string(dim.dim_value()));
      type.shape.emplace_back(dim.dim_value());
    } else if (!has_a_word(dim.dim_param())) {
      type.shape.push_back(bound(symbols_.unnamed(info.name(), type.shape.size())));
    } else {
      type.shape.push_back(bound(symbols_.named(dim.dim_param(), result_.notes)));
    }
  }
  if (is_concrete(type.shape)) {
    FL_TRY([[maybe_unused]] const Bytes size, size_of(type));
  }
  return type;
}

Dim ModelImport::bound(const Dim& symbol) const {
  const auto found = extents_.find(symbol.name());
  return found == extents_.end() ? symbol : Dim(found->second);
}

void ModelImport::declare_types() {
  for (const auto& info : model_.graph().value_info()) scope_.declared[info.name()] = &info;
  for (const auto& info : model_.graph().output()) scope_.declared[info.name()] = &info;
}

void ModelImport::keep_symbols() {
  const auto keep = [&](const auto& infos) {
    for (const auto& info : infos) {
      for (const auto& dim : info.type().tensor_type().shape().dim()) symbols_.keep(dim.dim_param());
    }
  };
  keep(model_.graph().input());
  keep(model_.graph().output());
  keep(model_.graph().value_info());
}

Status ModelImport::declare(const std::string& name, Tensor tensor) {
  if (!scope_.tensors.emplace(name, std::make_shared<Tensor>(std::move(tensor))).second) return invalid_argument("is there twice");
  if (scope_.branches > 0) scope_.made.push_back(name);
  return Status();
}

Status ModelImport::declare_initializers(const GraphProto& body) {
  for (const auto& initializer : body.initializer()) {
    const std::string label = "initializer '" + shown(initializer.name()) + "'";
    if (initializer.name().empty()) return invalid_argument("has an initializer without a name");
    // A body within a Loop that is written out is read in every trip, and its weights are there once. Only what a function's call
    // copies moves in memory.
    const bool stays = loops_ > 0 && scope_.function == nullptr;
    if (const auto read_before = stays ? body_weights_.find(&initializer) : body_weights_.end();
        read_before != body_weights_.end()) {
      if (!scope_.tensors.emplace(initializer.name(), read_before->second).second)
        return invalid_argument(label + ": is there twice");
      scope_.made.push_back(initializer.name());
      continue;
    }
    auto tensor = read_initializer(initializer, files_);
    if (!tensor.ok()) return tensor.error().within(label);
    tensor.value().has_numbers = holds_numbers(initializer);
    tensor.value().may_be_invented = true;
    // The model outlives its tensors.
    if (weights_ == Weights::kRead) tensor.value().data = {std::shared_ptr<void>(), &initializer};
    auto declared = declare(initializer.name(), std::move(tensor).value());
    if (!declared.ok()) return declared.error().within(label);
    if (stays) body_weights_.emplace(&initializer, scope_.tensors.at(initializer.name()));
  }
  return Status();
}

Status ModelImport::declare_sparse_initializers(const GraphProto& body) {
  for (const auto& sparse : body.sparse_initializer()) {
    const std::string& name = sparse.values().name();
    const std::string label = "initializer '" + shown(name) + "'";
    if (name.empty()) return invalid_argument("has an initializer without a name");
    Tensor tensor;
    auto type = type_of_data(sparse.values().data_type(), sparse.dims());
    if (!type.ok()) return type.error().within(label);
    tensor.type = std::move(type).value();
    if (tensor.type) {
      auto numbers = dense_numbers(sparse, *tensor.type);
      if (!numbers.ok()) return numbers.error().within(label);
      const Status spent = spend_generated(*tensor.type);
      if (!spent.ok()) return spent.error().within(label);
      tensor.generated = std::make_shared<const GeneratedNumbers>(std::move(numbers).value());
      tensor.has_numbers = true;
    }
    auto declared = declare(name, std::move(tensor));
    if (!declared.ok()) return declared.error().within(label);
    note(label + " is sparse: it is read as a dense tensor of its shape");
  }
  return Status();
}

std::optional<KnownTensor> ModelImport::known_input(const std::string& name, const TensorType& type) const {
  const auto given = numbers_.find(shown(name));
  if (given == numbers_.end() || is_floating(type.dtype) || !is_concrete(type.shape)) return std::nullopt;
  const auto count = element_count(type.shape);
  if (!count.ok() || count.value() > static_cast<std::int64_t>(KnownTensor::kMaxElements)) return std::nullopt;
  // A double holds whole numbers up to here exactly, and what an input's type would change is not known beforehand.
  constexpr double kMost = 9007199254740992.0;
  if (!(std::fabs(given->second) <= kMost) || given->second != std::floor(given->second)) return std::nullopt;
  const auto number = static_cast<std::int64_t>(given->second);
  if (wrapped(type.dtype, number) != number) return std::nullopt;
  KnownTensor known;
  known.dtype = type.dtype;
  for (const Dim& dim : type.shape) known.shape.push_back(dim.extent());
  known.integers.assign(static_cast<std::size_t>(count.value()), Dim(number));
  return known;
}

Status ModelImport::declare_inputs() {
  for (const auto& input : model_.graph().input()) {
    if (input.name().empty()) return invalid_argument("has an input without a name");
    if (const Tensor* found = find(input.name())) {
      // Before IR version 4 initializers were listed as inputs as well.
      if (found->origin == ValueOrigin::kInput) return invalid_argument("input '" + shown(input.name()) + "': is there twice");
      continue;
    }
    Tensor tensor;
    tensor.origin = ValueOrigin::kInput;
    auto type = declared_type(input);
    if (type.ok()) {
      tensor.value = graph().add_input(unique_param_name(shown(input.name())), type.value(), ValueOrigin::kInput);
      tensor.known = known_input(input.name(), type.value());
      tensor.type = std::move(type).value();
    } else if (type.error().code != ErrorCode::kUnsupported) {
      return type.error().within("input '" + shown(input.name()) + "'");
    } else {
      tensor.cause =
          note_cause("input '" + shown(input.name()) + "' " + type.error().message + ": what reads it is not understood");
    }
    FL_TRY_VOID(declare(input.name(), std::move(tensor)));
  }
  return Status();
}

Status ModelImport::check_declared(const ValueInfoProto& info, const std::string& role) {
  const Tensor* tensor = find(info.name());
  if (tensor == nullptr || !tensor->type || !info.type().has_tensor_type()) return Status();
  const auto& declared = info.type().tensor_type();
  if (agrees(declared, *tensor->type)) return Status();
  const bool is_input = role == "input";
  std::string text = role + " '" + shown(info.name()) + "': the file declares " + declared_text(declared) + ", but " +
                     (is_input ? "its initializer is " : "its operators give ") + type_text(*tensor->type);
  // As ONNX Runtime takes it: wrong extents of what is computed are a warning, all else is an error.
  const bool is_of_its_type = declared.elem_type() == 0 || dtype_of_code(declared.elem_type()) == tensor->type->dtype;
  if (is_input || !is_of_its_type) return invalid_argument(std::move(text));
  note(std::move(text) + ", which counts");
  return Status();
}

Status ModelImport::check_all_declared() {
  for (const auto& info : model_.graph().value_info()) FL_TRY_VOID(check_declared(info, "value"));
  for (const auto& input : model_.graph().input()) FL_TRY_VOID(check_declared(input, "input"));
  return Status();
}

}  // namespace fuselab::onnx
