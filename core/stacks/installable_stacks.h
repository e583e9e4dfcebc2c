// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "core/base/units.h"

namespace fuselab {

// Whether everybody may use the software without agreeing to anything first.
enum class LicenceClass { kFree, kProprietary };

// One build of a vendor's stack that `fuselab backends install` fetches as a Python wheel and that was tried with its backend. The
// two hashes pin every byte: the wheel's what is fetched, its list's (RECORD, which holds the hash of each file) what lies on the
// disk afterwards.
struct InstallableStack {
  std::string_view id;       // the backend that drives it: "mkl"
  std::string_view package;  // its name in the package index
  std::string_view version;
  std::string_view publisher;
  std::string_view licence;
  LicenceClass licence_class = LicenceClass::kFree;
  Bytes download;               // size of the wheel
  std::string_view sha256;      // of the wheel
  std::string_view record;      // the wheel's list of files, as a path in it
  std::string_view record_sha;  // SHA-256 of that list
  std::string_view library;     // the shared library that the backend opens, as a path in the wheel
  std::string_view abi;         // the wheel's tag of Python: "cp311"; empty: any
};

// One stack that comes with the system's packages. Fuselab says the command and never runs it.
struct PackagedStack {
  std::string_view id;
  std::string_view package;  // of Debian
};

// The committed manifest, in the order in which it is listed.
std::span<const InstallableStack> installable_stacks();
std::span<const PackagedStack> packaged_stacks();

// Returns the entry of a backend, or null.
const InstallableStack* find_installable_stack(std::string_view id);
const PackagedStack* find_packaged_stack(std::string_view id);

}  // namespace fuselab
