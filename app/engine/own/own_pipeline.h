// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/own/own_file.h"

namespace fuselab::engine {

// Kernels of the user's own that run one after another, as one subject. A file of kernels names their files, in order; what one
// writes is what later ones read under the same name. A kernel's own file is a pipeline of one.
struct OwnPipeline {
  std::vector<OwnFile> kernels;  // at least one
  // Why it can be looked at and not run; empty: it may be run.
  std::string not_runnable() const;
  Bindings sizes() const;
};

// Reads such a file and the files that it names, as read_own_file() does. They lie in its folder. `sizes` go to every kernel that
// has a size of the name.
// Fails with kInvalidArgument, naming the file, also where kernels do not fit each other: in language, in sizes, in tensors.
Result<OwnPipeline> read_own_pipeline(const std::filesystem::path& file, const Bindings& sizes,
                                      const std::filesystem::path& cache_directory = {});

// Returns the names of its sizes, for --shape.
Result<Bindings> sizes_of_own_pipeline(const std::filesystem::path& file);

// Returns the graph of one operator for each kernel. Its inputs are what no kernel before wrote, its outputs what no kernel behind
// reads.
Result<Graph> graph_of(const OwnPipeline& pipeline);

// Returns what it is in one sentence.
std::string own_summary(const OwnPipeline& pipeline);

}  // namespace fuselab::engine
