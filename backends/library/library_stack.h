// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/library/graph_library.h"

namespace fuselab::library {

using OpenLibrary = std::function<Result<std::shared_ptr<GraphLibrary>>()>;

// Opens a library on first use and keeps the result, a failure as well. Used by one thread.
class LibraryStack {
 public:
  explicit LibraryStack(OpenLibrary open) : open_(std::move(open)) {}

  const Result<std::shared_ptr<GraphLibrary>>& library() {
    if (!found_) found_.emplace(open_());
    return *found_;
  }

 private:
  OpenLibrary open_;
  std::optional<Result<std::shared_ptr<GraphLibrary>>> found_;
};

// Returns what such a library can do with these patterns, types and operators. It cuts a piece into calls of its own, so that
// little limits it; but an element-wise operator that it lacks and that others write as a kernel of its own would keep its
// neighbours from running, so it is kept apart. Operators that other backends fuse are not: that would take the fused kernel from
// them.
BackendCapabilities capabilities_of(std::vector<std::string> patterns, std::vector<DType> dtypes, std::vector<Op> operators);

// Returns this machine's processor as the library drives it: mkl:0. Its target holds the library's version and its settings.
DeviceInfo describe_device(const LibraryFacts& facts);

}  // namespace fuselab::library
