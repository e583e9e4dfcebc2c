// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "db/connection/connection.h"
#include "db/connection/trust.h"

namespace fuselab::db {

// The values for a row without a host of its own.
struct RowOrigin {
  std::string host;
  std::string origin;
};

// The signed content of a binary: its bytes, the kernel it is for, its calling convention, and the records stored beside it, as
// their columns hold them. A change of any field changes the hash.
struct SignedBinary {
  std::string kernel_key;
  ContentHash binary;
  std::string format;
  std::string abi;       // this and the last two are columns of the kernel's row
  std::string metadata;  // column of the binary's row
  std::string source_module;
  std::string resources;

  ContentHash hash() const;
  ContentHash hash_without_records() const;  // the content that was signed before the last three fields were included
};

// Stores a kernel that is not there yet: identity, source, call record, resources.
// Fails with kInvalidArgument when they contradict each other (the source does not match the identity's hash, or the launch
// configuration differs): such a row could not be told from an edited one.
Status insert_kernel(Connection& connection, const CompiledKernel& kernel, const RowOrigin& origin);
// Signs and stores the kernel's binary, replacing one stored earlier.
Status insert_binary(Connection& connection, const CompiledKernel& kernel, Trust& trust, const RowOrigin& origin);

// Returns the kernel with its source, checked against its identity, and with its binary when one was kept (else no data), checked
// against its signature. `stranger`, if given, is set to the signer whose signature fits but is not trusted, or to empty.
// Fails with kCorrupt or kUntrusted.
Result<std::optional<CompiledKernel>> read_kernel(Connection& connection, const std::string& key, Trust& trust,
                                                  std::string* stranger = nullptr);

}  // namespace fuselab::db
