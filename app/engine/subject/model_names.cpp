// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/model_names.h"

#include <algorithm>
#include <cctype>

namespace fuselab::engine {
namespace {

constexpr std::size_t kDigits = 8;

// Returns "model.onnx" for "model.onnx@1a2b3c4d".
std::string bare(const std::string& stored) {
  const std::size_t at = stored.rfind('@');
  if (at == std::string::npos || stored.size() - at - 1 != kDigits) return stored;
  const bool key = std::all_of(stored.begin() + static_cast<std::ptrdiff_t>(at) + 1, stored.end(),
                               [](unsigned char letter) { return std::isxdigit(letter) != 0; });
  return key ? stored.substr(0, at) : stored;
}

}  // namespace

std::string stored_model(const std::string& name, const std::string& content) {
  return content.empty() ? name : name + "@" + content.substr(0, kDigits);
}

ModelNames::ModelNames(const Catalog& catalog) {
  for (const ModelPieceRecord& use : catalog.model_pieces) add(use.model);
}

void ModelNames::add(const std::string& stored) {
  by_name_[bare(stored)].insert(stored);
}

std::string ModelNames::shown(const std::string& stored) const {
  const std::string name = bare(stored);
  const auto same = by_name_.find(name);
  const bool alone = same == by_name_.end() || same->second == std::set{stored};
  return alone ? name : stored;
}

}  // namespace fuselab::engine
