// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "backends/library/graph_library.h"

namespace fuselab::library {

// Opens a library on first use and keeps the result, a failure as well. Used by one thread.
class LazyLibrary {
 public:
  using Opened = Result<std::shared_ptr<GraphLibrary>>;

  // `open` returns a Result of a shared GraphLibrary, or of what is one.
  template <typename Open>
  explicit LazyLibrary(Open open)
      : open_([open = std::move(open)]() -> Opened {
          FL_TRY(auto opened, open());
          return std::shared_ptr<GraphLibrary>(std::move(opened));
        }) {}

  const Opened& library() {
    if (!found_) found_.emplace(open_());
    return *found_;
  }

 private:
  std::function<Opened()> open_;
  std::optional<Opened> found_;
};

}  // namespace fuselab::library
