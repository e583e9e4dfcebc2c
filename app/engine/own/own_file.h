// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/ops/own_kernel.h"

namespace fuselab::engine {

// A file that describes a kernel that the user wrote: Fuselab's own TOML, or T1, the input of Kernel Tuner and KTT.
// resources/docs/own-kernels.md says what it holds.

// Returns whether a file is one, by its name: it ends in .toml, or in .json.
bool is_own_file(const std::filesystem::path& file);

// What a file says, checked so far as that needs no compiler.
struct OwnFile {
  OwnKernel kernel;
  std::vector<std::string> notes;  // what was taken for granted, or left out
  std::string not_runnable;        // why it can be looked at and not run: its source or its reference is missing
};

// Reads it, with its sources and its reference, from the file's own folder. `sizes` take precedence over those in the file. The
// file is untrusted; nothing in it is run. Tensors that it names are kept in `cache_directory`; empty: they are only checked.
// Fails with kInvalidArgument, naming file, line and field, and with kIo where a file cannot be read.
Result<OwnFile> read_own_file(const std::filesystem::path& file, const Bindings& sizes,
                              const std::filesystem::path& cache_directory = {});

// Returns what it is in one sentence: its language and source, and how many configurations there are.
std::string own_summary(const OwnFile& own);

// Returns the names of its sizes, for --shape.
Result<Bindings> sizes_of_own_file(const std::filesystem::path& file);

// Returns the graph of one operator that stands for the kernel everywhere.
Result<Graph> graph_of(const OwnKernel& kernel);

}  // namespace fuselab::engine
