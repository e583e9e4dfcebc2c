// SPDX-License-Identifier: Apache-2.0
#include "core/import/onnx_import.h"

#include "core/import/model_file.h"
#include "core/import/nodes/translate.h"
#include "core/import/reader/model_import.h"

namespace fuselab {
namespace {

Status check_extents(const Bindings& extents) {
  for (const auto& [name, extent] : extents) {
    if (extent < 1) return invalid_argument("the extent of '" + name + "' must be 1 or more");
  }
  return {};
}

Result<ImportedModel> noted(Result<ImportedModel> model, bool was_sorted) {
  if (model.ok() && was_sorted) {
    auto& notes = model.value().notes;
    notes.insert(notes.begin(), "nodes of the file are in an order that cannot run: they were sorted");
  }
  return model;
}

}  // namespace

Result<ImportedModel> import_onnx_bytes(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                                        const Bindings& extents, Weights weights, const InputNumbers& numbers) {
  FL_TRY_VOID(check_extents(extents));
  FL_TRY(const onnx::Model model, onnx::parse_model(bytes));
  return noted(onnx::ModelImport(*model, onnx::translate, {folder}, extents, weights, numbers).run(), model.was_sorted);
}

Result<ImportedModel> import_onnx(const std::filesystem::path& file, const Bindings& extents, Weights weights,
                                  const InputNumbers& numbers, platform::Links links) {
  const std::string name = file.filename().string();
  const Status checked = check_extents(extents);
  if (!checked.ok()) return checked.error().within(name);
  FL_TRY(const onnx::Model parsed, onnx::read_model(file));
  auto model = noted(onnx::ModelImport(*parsed, onnx::translate, onnx::folder_of(file, links), extents, weights, numbers).run(),
                     parsed.was_sorted);
  if (!model.ok()) return model.error().within(name);
  if (model.value().name.empty()) model.value().name = file.stem().string();
  return model;
}

}  // namespace fuselab
