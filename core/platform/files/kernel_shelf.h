// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/backend/backend.h"
#include "core/base/result.h"

namespace fuselab::platform {

// Kernels compiled ahead, for machines that have no compiler: a folder of binaries beside a list that says which compiler made them
// and what each of them hashes to. A binary belongs to a text and the flags it was compiled with, not to the comments at the text's
// top: what those name (a thread count) is not in the code.
//
// A shelf is as trustworthy as the programs it lies beside: whoever may write one may write the other. So only a program's own
// folder is read, never one that a user or a variable names.
class KernelShelf {
 public:
  // kNotFound when there is no shelf, kCorrupt when its list cannot be read.
  static Result<KernelShelf> open(const std::filesystem::path& folder);

  const CompilerFingerprint& compiler() const { return compiler_; }
  std::size_t size() const { return hashes_.size(); }
  // kNotFound when it does not stand here; kCorrupt when the file is not what the list says.
  Result<KernelBinary> find(const SourceModule& source, const std::string& flags) const;

 private:
  friend class ShelfWriter;
  std::filesystem::path folder_;
  CompilerFingerprint compiler_;
  std::map<std::string, std::string> hashes_;  // key → SHA-256 of the binary
};

// Adds kernels to a shelf, new or there already; nothing is seen by readers before finish().
class ShelfWriter {
 public:
  // kInvalidArgument when the shelf holds what another compiler made.
  static Result<ShelfWriter> open(const std::filesystem::path& folder, const CompilerFingerprint& compiler);

  Status put(const SourceModule& source, const std::string& flags, const KernelBinary& binary);
  Status finish();
  std::size_t size() const { return shelf_.size(); }

 private:
  KernelShelf shelf_;
};

}  // namespace fuselab::platform
