// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/declarations.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/import/wire/declared_type.h"

namespace fuselab::onnx {
namespace {

constexpr std::int64_t kNewestOpset = 28;

// Exporters write "?" for an extent that they do not know; two of them need not be equal.
bool has_a_word(const std::string& name) {
  return std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

}  // namespace

Result<int> Declarations::opset_of(const Opsets& opsets) {
  std::int64_t version = 0;
  for (const auto& opset : opsets) {
    if (!is_standard(opset.domain())) continue;
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
    imported_.notes().add("opset " + std::to_string(version) + " is newer than " + std::to_string(kNewestOpset) +
                          ", the newest one known here: operators are read as they were then");
  }
  return static_cast<int>(version);
}

Result<TensorType> Declarations::declared_type(const ValueInfoProto& info) {
  const auto& tensor = info.type().tensor_type();
  const auto dtype = dtype_of_code(tensor.elem_type());
  if (!dtype) return Error{ErrorCode::kUnsupported, "has the ONNX element type " + std::to_string(tensor.elem_type())};
  if (!tensor.has_shape()) return Error{ErrorCode::kUnsupported, "has no shape in the file"};
  if (static_cast<std::size_t>(tensor.shape().dim_size()) > kMaxRank) return invalid_argument("has more than 8 dimensions");
  TensorType type{*dtype, {}};
  for (const auto& dim : tensor.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() != kOpenExtent) {
      if (dim.dim_value() < 0) return invalid_argument("has the extent " + std::to_string(dim.dim_value()));
      type.shape.emplace_back(dim.dim_value());
    } else if (!has_a_word(dim.dim_param())) {
      type.shape.push_back(bound(symbols_.unnamed(info.name(), type.shape.size())));
    } else {
      type.shape.push_back(bound(symbols_.named(dim.dim_param(), imported_.notes().texts())));
    }
  }
  if (is_concrete(type.shape)) {
    FL_TRY([[maybe_unused]] const Bytes size, size_of(type));
  }
  return type;
}

Dim Declarations::bound(const Dim& symbol) const {
  const auto found = extents_.find(symbol.name());
  return found == extents_.end() ? symbol : Dim(found->second);
}

void Declarations::keep_symbols() {
  const auto keep = [&](const auto& infos) {
    for (const auto& info : infos) {
      for (const auto& dim : info.type().tensor_type().shape().dim()) symbols_.keep(dim.dim_param());
    }
  };
  keep(model_.graph().input());
  keep(model_.graph().output());
  keep(model_.graph().value_info());
}

std::optional<KnownTensor> Declarations::known_input(const std::string& name, const TensorType& type) const {
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

Status Declarations::declare_inputs() {
  for (const auto& input : model_.graph().input()) {
    if (input.name().empty()) return invalid_argument("has an input without a name");
    if (const Tensor* found = scope_.find(input.name())) {
      // Before IR version 4 initializers were listed as inputs as well.
      if (found->origin == ValueOrigin::kInput) return invalid_argument("input '" + shown(input.name()) + "': is there twice");
      continue;
    }
    Tensor tensor;
    tensor.origin = ValueOrigin::kInput;
    auto type = declared_type(input);
    if (type.ok()) {
      tensor.value = imported_.add_input(shown(input.name()), type.value(), ValueOrigin::kInput);
      tensor.known = known_input(input.name(), type.value());
      tensor.type = std::move(type).value();
    } else if (type.error().code != ErrorCode::kUnsupported) {
      return type.error().within("input '" + shown(input.name()) + "'");
    } else {
      tensor.cause = imported_.notes().add_cause("input '" + shown(input.name()) + "' " + type.error().message +
                                                 ": what reads it is not understood");
    }
    scope_.add(input.name(), std::make_shared<Tensor>(std::move(tensor)));
  }
  return Status();
}

Status Declarations::check(const ValueInfoProto& info, const std::string& role) {
  const Tensor* tensor = scope_.find(info.name());
  if (tensor == nullptr || !tensor->type || !info.type().has_tensor_type()) return Status();
  const auto& declared = info.type().tensor_type();
  if (agrees(declared, *tensor->type)) return Status();
  const bool is_input = role == "input";
  std::string text = role + " '" + shown(info.name()) + "': the file declares " + declared_text(declared) + ", but " +
                     (is_input ? "its initializer is " : "its operators give ") + type_text(*tensor->type);
  // ONNX Runtime takes it so: wrong extents of what is computed are a warning, all else is an error.
  const bool is_of_its_type = declared.elem_type() == 0 || dtype_of_code(declared.elem_type()) == tensor->type->dtype;
  if (is_input || !is_of_its_type) return invalid_argument(std::move(text));
  imported_.notes().add(std::move(text) + ", which counts");
  return Status();
}

Status Declarations::check_all() {
  for (const auto& info : model_.graph().value_info()) FL_TRY_VOID(check(info, "value"));
  for (const auto& input : model_.graph().input()) FL_TRY_VOID(check(input, "input"));
  return Status();
}

}  // namespace fuselab::onnx
