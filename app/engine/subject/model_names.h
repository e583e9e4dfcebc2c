// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/store/result_store.h"

namespace fuselab::engine {

// Returns the name that a model from a file is stored by: "model.onnx@1a2b3c4d", with the beginning of its graph's key, since two
// folders may each have a model.onnx. With an empty `content` the name is returned as it is: built-in models and workloads are
// identified by their names.
std::string stored_model(const std::string& name, const std::string& content);

// Shortens the names of stored models for display: the key is shown only where another stored model has the same name.
class ModelNames {
 public:
  ModelNames() = default;
  explicit ModelNames(const Catalog& catalog);

  void add(const std::string& stored);
  std::string shown(const std::string& stored) const;

 private:
  std::map<std::string, std::set<std::string>> by_name_;
};

}  // namespace fuselab::engine
