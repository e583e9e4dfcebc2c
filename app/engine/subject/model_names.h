// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/store/result_store.h"

namespace fuselab::engine {

// The name that a model of a file is stored by: "model.onnx@1a2b3c4d", with the beginning of its graph's key, since two folders may
// each have a model.onnx. An empty `content` leaves the name alone: built-in models and workloads are what their names say.
std::string stored_model(const std::string& name, const std::string& content);

// How stored models are shown: by name, and with the key only where another stored model has the same name.
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
