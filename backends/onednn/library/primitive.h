// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/onednn/library/onednn_library.h"
#include "backends/onednn/library/primitive_spec.h"

namespace fuselab::onednn {

// An object of the library, released with the C++ object.
template <typename T>
class Owned {
 public:
  Owned() = default;
  Owned(T object, abi::Code (*destroy)(T)) : object_(object), destroy_(destroy) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)), destroy_(other.destroy_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) destroy_(object_);
  }
  T get() const { return object_; }

 private:
  T object_ = nullptr;
  abi::Code (*destroy_)(T) = nullptr;
};

// The choices that a launch configuration makes for each primitive of a plan.
struct PrimitiveChoices {
  bool weights_packed = false;       // constant weights have the library's layout, made ahead of time
  bool activations_blocked = false;  // a convolution's source and destination have that layout; they are reordered in every launch
  bool own_scratch = false;          // the primitive's scratch memory is allocated here, once
};

// A primitive as the library would make it: its implementation and the layouts of its memory. Must be destroyed before its library.
class DescribedPrimitive {
 public:
  // Fails with kUnsupported, in the library's own word, where it does not implement it for this processor.
  static Result<DescribedPrimitive> describe(const OneDnnLibrary& library, const PrimitiveSpec& spec,
                                             const PrimitiveChoices& choices);

  abi::Description get() const { return description_.get(); }
  const std::string& implementation() const { return implementation_; }
  // Returns the preferred layout of one of its tensors, whatever layout was given; null where it has no such tensor.
  abi::MemoryDesc wanted(abi::Query which) const { return library_->calls().query_memory(description_.get(), which, 0); }

 private:
  explicit DescribedPrimitive(const OneDnnLibrary& library) : library_(&library) {}

  const OneDnnLibrary* library_;
  Owned<abi::Description> description_;
  std::string implementation_;
};

// Returns the description of memory for a layout of the graph: rank 0 becomes one dimension of one element.
Result<MemoryDescriptor> memory_of(const OneDnnLibrary& library, const Layout& layout, bool library_chooses = false);

}  // namespace fuselab::onednn
