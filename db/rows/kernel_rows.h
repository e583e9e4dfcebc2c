// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "db/connection/connection.h"
#include "db/connection/trust.h"
#include "db/rows/source_voucher.h"

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

// Stores a kernel that is not there yet: identity, source, call record, resources. Signs it, also one that is there and says the
// same.
// Fails with kInvalidArgument when they contradict each other (the source does not match the identity's hash, or the launch
// configuration differs): such a row could not be told from an edited one.
Status insert_kernel(Connection& connection, const CompiledKernel& kernel, Trust& trust, const RowOrigin& origin);
// Signs and stores the kernel's binary, replacing one stored earlier.
Status insert_binary(Connection& connection, const CompiledKernel& kernel, Trust& trust, const RowOrigin& origin);

// The keys that signed what is stored of a kernel.
struct KernelSigners {
  std::string stranger;  // whose signature of the binary fits, though nobody trusts it; else empty
  SourceVoucher source;  // a binary that is signed and trusted vouches for the source that it was made of
};

// Returns the kernel with its source, checked against its identity, and with its binary when one was kept (else no data), checked
// against its signature. `signers`, if given, is set as far as is known, on failure too.
// Fails with kCorrupt or kUntrusted; a source that nobody vouches for is no failure.
Result<std::optional<CompiledKernel>> read_kernel(Connection& connection, const std::string& key, Trust& trust,
                                                  KernelSigners* signers = nullptr);

// Returns the same without its binary, and looks at no signature: a text to be read.
// Fails with kCorrupt.
Result<std::optional<CompiledKernel>> read_kernel_text(Connection& connection, const std::string& key);

}  // namespace fuselab::db
