// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuselab_loader.h"

// The loader for C++17: owners that close what they opened, and exceptions in place of statuses. Header only; see fuselab_loader.h
// for what may be called from which thread.
namespace fuselab_loader {

class Failure : public std::runtime_error {
 public:
  explicit Failure(const fl_error& error)
      : std::runtime_error(std::string(fl_status_name(error.status)) + ": " + error.message), status_(error.status) {}
  fl_status status() const { return status_; }

 private:
  fl_status status_;
};

inline void check(fl_status status, const fl_error& error) {
  if (status != FL_OK) throw Failure(error);
}

// An open bundle. Outlives its contexts.
class Bundle {
 public:
  Bundle(const std::string& path, const std::vector<std::string>& trusted_keys, unsigned flags = 0) {
    std::vector<const char*> keys;
    for (const std::string& key : trusted_keys) keys.push_back(key.c_str());
    fl_bundle* opened = nullptr;
    fl_error error{};
    check(fl_open(path.c_str(), keys.data(), keys.size(), flags, &opened, &error), error);
    bundle_.reset(opened);
  }

  std::size_t model_count() const { return fl_model_count(bundle_.get()); }
  // `index` must be below model_count() + piece_count().
  const fl_model& model(std::size_t index) const { return *fl_model_at(bundle_.get(), index); }
  // `binding` null: any, as long as there is one alone.
  std::size_t find(const std::string& name, const char* binding = nullptr) const {
    std::size_t index = 0;
    fl_error error{};
    check(fl_find_model(bundle_.get(), name.c_str(), binding, &index, &error), error);
    return index;
  }
  // The model of that name whose inputs have these shapes, by the inputs' names.
  std::size_t find(const std::string& name, const std::map<std::string, std::vector<std::int64_t>>& shapes) const {
    std::vector<fl_tensor> given;
    // A null shape fits any, and an empty vector, that of a scalar, may hold a null pointer.
    const std::int64_t scalar = 0;
    for (const auto& [input, shape] : shapes)
      given.push_back({input.c_str(), nullptr, shape.size(), shape.empty() ? &scalar : shape.data(), 0});
    std::size_t index = 0;
    fl_error error{};
    check(fl_find_fitting(bundle_.get(), name.c_str(), given.data(), given.size(), &index, &error), error);
    return index;
  }
  // Indices of pieces follow those of models.
  std::size_t piece_count() const { return fl_piece_count(bundle_.get()); }
  std::size_t find_piece(const std::string& name) const {
    std::size_t index = 0;
    fl_error error{};
    check(fl_find_piece(bundle_.get(), name.c_str(), &index, &error), error);
    return index;
  }
  std::size_t gpu_kernel_count() const { return fl_gpu_kernel_count(bundle_.get()); }
  // `index` must be below gpu_kernel_count().
  const fl_gpu_kernel& gpu_kernel(std::size_t index) const { return *fl_gpu_kernel_at(bundle_.get(), index); }
  std::uint64_t wrong_index_count() const { return fl_wrong_index_count(bundle_.get()); }
  const fl_bundle* get() const { return bundle_.get(); }

 private:
  struct Close {
    void operator()(fl_bundle* bundle) const { fl_close(bundle); }
  };
  std::unique_ptr<fl_bundle, Close> bundle_;
};

// What one run after the other needs; used by one thread at a time.
class Context {
 public:
  explicit Context(const Bundle& bundle, std::size_t model = 0, fl_parallel_for parallel_for = nullptr, void* user = nullptr) {
    fl_context* made = nullptr;
    fl_error error{};
    check(fl_context_create(bundle.get(), model, parallel_for, user, &made, &error), error);
    context_.reset(made);
  }

  // Memory stays the caller's, at a multiple of 64 bytes, until it is bound again.
  void bind_input(const std::string& name, const void* data, std::size_t bytes) {
    fl_error error{};
    check(fl_bind_input(context_.get(), name.c_str(), data, bytes, &error), error);
  }
  void bind_output(const std::string& name, void* data, std::size_t bytes) {
    fl_error error{};
    check(fl_bind_output(context_.get(), name.c_str(), data, bytes, &error), error);
  }
  void run() {
    fl_error error{};
    check(fl_run(context_.get(), &error), error);
  }

 private:
  struct Destroy {
    void operator()(fl_context* context) const { fl_context_destroy(context); }
  };
  std::unique_ptr<fl_context, Destroy> context_;
};

}  // namespace fuselab_loader
