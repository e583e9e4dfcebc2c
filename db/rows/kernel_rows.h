// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "db/connection/connection.h"
#include "db/connection/trust.h"

namespace fuselab::db {

// What a row without a host of its own gets.
struct RowOrigin {
  std::string host;
  std::string origin;
};

// What is signed for a binary: its bytes, the kernel it is for, how it is called, and the records that stand beside it, as their
// columns hold them. A change of any is another content.
struct SignedBinary {
  std::string kernel_key;
  ContentHash binary;
  std::string format;
  std::string abi;       // of the kernel's row, as are the last two
  std::string metadata;  // of the binary's row
  std::string source_module;
  std::string resources;

  ContentHash hash() const;
  ContentHash hash_without_records() const;  // what was signed before the last three were
};

// Stores a kernel that is not there yet: identity, source, call record, resources. kInvalidArgument when they contradict each
// other (another source than the identity's hash is of, another launch configuration): such a row could never be told from an
// edited one.
Status insert_kernel(Connection& connection, const CompiledKernel& kernel, const RowOrigin& origin);
// Signs and stores the kernel's binary in place of one stored earlier.
Status insert_binary(Connection& connection, const CompiledKernel& kernel, Trust& trust, const RowOrigin& origin);

// The kernel with its source, checked against its identity, and with its binary when one was kept (else no data), checked
// against its signature. kCorrupt, kUntrusted; then `stranger`, if asked for, is whose signature fits but is not trusted, or empty.
Result<std::optional<CompiledKernel>> read_kernel(Connection& connection, const std::string& key, Trust& trust,
                                                  std::string* stranger = nullptr);

}  // namespace fuselab::db
