// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/deploy/bundle/manifest.h"
#include "core/base/content_hash.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "db/connection/trust.h"

// What `fuselab export` writes: a zip of manifest.json, signature, kernels/, sources/ and weights.bin, or a folder of them. It is
// read in production by resources/loader, which shares no code with this.
namespace fuselab::deploy {

struct Bundle {
  BundleManifest manifest;                                 // BundleManifest::weights is filled in by write_bundle()
  std::map<std::string, std::vector<std::byte>> code;      // by SHA-256, hex
  std::map<std::string, std::string> sources;              // likewise
  std::map<std::string, std::vector<std::byte>> gpu_code;  // by BundleGpuKernel::file
  std::vector<std::byte> weights;
  std::map<std::string, std::int64_t> weight_offsets;  // by SHA-256

  // Returns where these weights lie, at a multiple of `alignment` bytes: what is there already is not kept again.
  std::int64_t keep_weights(const std::vector<std::byte>& bytes, std::size_t alignment);
  // Keep a part and return its name.
  std::string keep_code(const std::vector<std::byte>& bytes);
  std::string keep_source(const std::string& text);
};

enum class BundleForm { kFile, kFolder };

// Signs the manifest, which has the hashes of all the rest, and writes the file or folder atomically. The same bundle and key give
// the same bytes, and the same manifest and signature in both forms. Fails with kInvalidArgument where something that is no bundle
// of this form would be overwritten, with kUnsupported for a file that is too large, with kIo or kUntrusted.
Status write_bundle(const std::filesystem::path& file, Bundle& bundle, db::Trust& trust, BundleForm form = BundleForm::kFile);

// A bundle as somebody who does not run it sees it.
struct InspectedBundle {
  BundleManifest manifest;
  Bytes size;
  std::string signer;                                  // public key, 64 hexadecimal digits; empty: nobody signed it
  bool trusted = false;                                // by this user
  std::map<std::string, std::vector<std::byte>> code;  // as Bundle::code
};

// Reads a bundle, file or folder, and checks that everything in it is what its manifest says, weights included. A valid signature
// of somebody who is not trusted is no error. Fails with kNotFound where it is not there, with kCorrupt for one that is no bundle
// or was changed, and with kUnsupported for one of another version.
Result<InspectedBundle> read_bundle(const std::filesystem::path& file, db::Trust& trust);

}  // namespace fuselab::deploy
