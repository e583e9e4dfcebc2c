// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "db/connection/connection.h"
#include "db/connection/trust.h"

namespace fuselab::db {

// The key that answers for the source of a stored kernel, should it ever be compiled to be run (decision 0002). What is signed is
// all that a compiler and a launch go by: the kernel's key, which covers the text, the flags and the target, and the records of how
// to call it.
struct SourceVoucher {
  std::string signer;   // whose signature fits; empty where nobody signed
  std::string missing;  // why nobody who is trusted vouches for the source, with the remedy; empty: somebody does
};

// Signs the stored source of a kernel that was made here. A row that says anything else of the kernel is left as it is.
Status vouch(Connection& connection, const CompiledKernel& kernel, Trust& trust);

// Fails with kUntrusted where the signature does not fit what stands beside it.
Result<SourceVoucher> read_voucher(Connection& connection, const std::string& kernel_key, Trust& trust);

}  // namespace fuselab::db
