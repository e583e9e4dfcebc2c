// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/backend/backend.h"
#include "core/base/result.h"

namespace fuselab::platform {

// Kernels compiled ahead, for machines without a compiler: a folder of binaries with a list that names the compiler and the hash of
// each of them. A binary is found by its source text and flags, ignoring the comments at the top of the text: what those name (a
// thread count) is not in the code.
//
// A shelf is as trustworthy as the programs in the same place: whoever may write one may write the other. So only a program's own
// folder is read, never one that a user or a variable names.
class KernelShelf {
 public:
  // Fails with kNotFound when there is no shelf and with kCorrupt when its list cannot be read.
  static Result<KernelShelf> open(const std::filesystem::path& folder);

  const CompilerFingerprint& compiler() const { return compiler_; }
  std::size_t size() const { return hashes_.size(); }
  // Fails with kNotFound when the shelf does not have the kernel and with kCorrupt when the file does not match the list.
  Result<KernelBinary> find(const SourceModule& source, const std::string& flags) const;

 private:
  friend class ShelfWriter;
  std::filesystem::path folder_;
  CompilerFingerprint compiler_;
  std::map<std::string, std::string> hashes_;  // key → SHA-256 of the binary
};

// Adds kernels to a new or existing shelf; readers see nothing of them before finish().
class ShelfWriter {
 public:
  // Fails with kInvalidArgument when the shelf holds kernels of another compiler.
  static Result<ShelfWriter> open(const std::filesystem::path& folder, const CompilerFingerprint& compiler);

  Status put(const SourceModule& source, const std::string& flags, const KernelBinary& binary);
  Status finish();
  std::size_t size() const { return shelf_.size(); }

 private:
  KernelShelf shelf_;
};

}  // namespace fuselab::platform
