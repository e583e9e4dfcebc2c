// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/units.h"

namespace fuselab {

// Whether everybody may use the software without agreeing to anything first.
enum class LicenceClass { kFree, kProprietary };

// One Python wheel of a stack. The two hashes pin every byte: the wheel's what is fetched, its list's (RECORD, which holds the hash
// of each file) what lies on the disk afterwards.
struct StackWheel {
  std::string_view package;       // its name in the package index
  Bytes size;                     // as it is fetched
  std::string_view sha256;        // of the wheel
  std::string_view record;        // its list of files, as a path in it
  std::string_view record_sha;    // SHA-256 of that list
  std::string_view abi = {};      // its tag of Python: "cp311"; empty: any
  std::string_view version = {};  // empty: the stack's
};

// One build of a vendor's stack that `fuselab backends install` fetches and that was tried with its backend. Its wheels are
// unpacked into one folder.
struct InstallableStack {
  std::string_view id;       // what `install` calls it: "mkl"
  std::string_view backend;  // the backend that opens it: mostly the id
  std::string_view version;
  std::string_view publisher;
  std::string_view licence;
  LicenceClass licence_class = LicenceClass::kFree;
  std::span<const StackWheel> wheels;               // the first has the library
  std::string_view library;                         // the shared library that the backend opens, as a path in its wheel
  std::span<const std::string_view> programs = {};  // programs beside it, as paths in their wheels
  std::span<const std::string_view> kept = {};      // files, and folders with a '/' behind, that stay on the disk; empty: all

  // Whether a file of a wheel stays on the disk once it is unpacked. Lists of files always do.
  bool keeps(std::string_view path) const;
  // Returns the version of one of its wheels.
  std::string_view version_of(const StackWheel& wheel) const { return wheel.version.empty() ? version : wheel.version; }
  // Returns the size of all its wheels.
  Bytes download() const;
  // Returns the command that fetches it: "fuselab backends install mkl --accept-licence".
  std::string install_command() const;
};

// One stack that comes with the system's packages. Fuselab says the command and never runs it.
struct PackagedStack {
  std::string_view id;
  std::string_view package;  // of Debian
};

// The committed manifest, in the order in which it is listed.
std::span<const InstallableStack> installable_stacks();
std::span<const PackagedStack> packaged_stacks();

// Returns the entry of that id, or null.
const InstallableStack* find_installable_stack(std::string_view id);
const PackagedStack* find_packaged_stack(std::string_view id);

}  // namespace fuselab
