// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/bundle_file.h"

#include <charconv>
#include <fstream>
#include <limits>
#include <set>

#include "app/deploy/bundle/bundle_folder.h"
#include "app/deploy/bundle/stored_zip.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/atomic_folder.h"

namespace fuselab::deploy {
namespace {

constexpr std::string_view kKeyTag = "fuselab-ed25519 ";
constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();  // bytes of a bundle, as of a zip file

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A hash domain of its own, so that no signature of anything else is ever one of a bundle. The loader writes the same line.
ContentHash signed_content(std::string_view manifest) {
  return ContentHash::of("fuselab bundle 1 " + ContentHash::of(manifest).hex() + "\n");
}

std::string signature_text(const db::Signature& signature) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = std::string(kKeyTag) + signature.signer + " ";
  for (const std::uint8_t byte : signature.bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text + "\n";
}

Result<db::Signature> parse_signature(std::string_view text) {
  db::Signature signature;
  const Error damaged{ErrorCode::kCorrupt, "its signature is damaged"};
  if (text.size() != kKeyTag.size() + 64 + 1 + 128 + 1 || text.substr(0, kKeyTag.size()) != kKeyTag) return damaged;
  signature.signer = text.substr(kKeyTag.size(), 64);
  const char* const digits = text.data() + kKeyTag.size() + 65;
  for (std::size_t i = 0; i < signature.bytes.size(); ++i) {
    const auto parsed = std::from_chars(digits + 2 * i, digits + 2 * i + 2, signature.bytes[i], 16);
    if (parsed.ec != std::errc() || parsed.ptr != digits + 2 * i + 2) return damaged;
  }
  return signature;
}

std::string code_name(const std::string& hash) {
  return "kernels/" + hash + ".so";
}
std::string source_name(const std::string& hash) {
  return "sources/" + hash + ".c";
}

std::string code_name(const BundleGpuKernel& kernel) {
  return "kernels/" + kernel.file + "." + kernel.format;
}

Status check_part(const ZipEntries& entries, const std::string& name, const std::string& hash) {
  const auto found = entries.find(name);
  if (found == entries.end()) return Error{ErrorCode::kCorrupt, "'" + name + "' is missing"};
  if (ContentHash::of(found->second).hex() != hash)
    return Error{ErrorCode::kCorrupt, "'" + name + "' is not what the manifest vouches for"};
  return {};
}

Status check_parts(const ZipEntries& entries, const BundleManifest& manifest) {
  for (const BundleKernel& kernel : manifest.kernels) {
    FL_TRY_VOID(check_part(entries, code_name(kernel.file), kernel.file));
    FL_TRY_VOID(check_part(entries, source_name(kernel.source), kernel.source));
  }
  for (const BundleGpuKernel& kernel : manifest.gpu_kernels) FL_TRY_VOID(check_part(entries, code_name(kernel), kernel.file));
  return manifest.weights.bytes == 0 ? Status() : check_part(entries, "weights.bin", manifest.weights.sha256);
}

// What the manifest does not name was put there by somebody else.
Status check_names(const ZipEntries& entries, const BundleManifest& manifest) {
  std::set<std::string> known{"manifest.json", "signature"};
  if (manifest.weights.bytes > 0) known.insert("weights.bin");
  for (const BundleKernel& kernel : manifest.kernels) known.insert({code_name(kernel.file), source_name(kernel.source)});
  for (const BundleGpuKernel& kernel : manifest.gpu_kernels) known.insert(code_name(kernel));
  for (const auto& [name, bytes] : entries) {
    if (!known.contains(name)) return Error{ErrorCode::kCorrupt, "entry '" + name + "' is not named by the manifest"};
  }
  return {};
}

Result<InspectedBundle> inspect(const ZipEntries& entries, Bytes size, db::Trust& trust) {
  const auto text = entries.find("manifest.json");
  if (text == entries.end()) return Error{ErrorCode::kCorrupt, "it has no manifest"};
  InspectedBundle inspected;
  inspected.size = size;
  if (const auto signature = entries.find("signature"); signature != entries.end()) {
    FL_TRY(const db::Signature parsed, parse_signature(text_of(signature->second)));
    const Status vouched = trust.check(signed_content(text_of(text->second)), parsed);
    if (!vouched.ok() && vouched.error().code == ErrorCode::kCorrupt)
      return Error{ErrorCode::kCorrupt, "its manifest is not what was signed: somebody changed it"};
    if (!vouched.ok() && vouched.error().code != ErrorCode::kUntrusted) return vouched.error();
    inspected.signer = parsed.signer;
    inspected.trusted = vouched.ok();
  }
  FL_TRY(inspected.manifest, parse_manifest(text_of(text->second)));
  FL_TRY_VOID(check_parts(entries, inspected.manifest));
  FL_TRY_VOID(check_names(entries, inspected.manifest));
  for (const BundleKernel& kernel : inspected.manifest.kernels) {
    const auto code = entries.at(code_name(kernel.file));
    inspected.code.try_emplace(kernel.file, code.begin(), code.end());
  }
  return inspected;
}

Result<InspectedBundle> inspect_file(const std::filesystem::path& file, db::Trust& trust) {
  FL_TRY(const auto bytes, platform::read_file(file, {kLargest}));
  FL_TRY(const ZipEntries entries, read_stored_zip(bytes));
  return inspect(entries, {static_cast<std::int64_t>(bytes.size())}, trust);
}

Result<InspectedBundle> inspect_folder(const std::filesystem::path& folder, db::Trust& trust) {
  FL_TRY(const BundleFolder files, read_bundle_folder(folder, {kLargest}));
  ZipEntries entries;
  std::int64_t size = 0;
  for (const auto& [name, bytes] : files) {
    entries.emplace(name, bytes);
    size += static_cast<std::int64_t>(bytes.size());
  }
  return inspect(entries, {size}, trust);
}

// A slip of the hand in `--to` must not cost what is somebody's work.
Status check_own(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) return {};
  std::ifstream there(file, std::ios::binary);
  // The first entry of a bundle, by name: a zip's local header has 30 bytes before it.
  char head[30 + 8] = {};
  const std::string_view mark(head, 4), first(head + 30, 8);
  const bool is_bundle = there.read(head, sizeof head) && mark == "PK\3\4" &&
                         (first == "kernels/" || std::string_view("manifest.json").starts_with(first));
  if (is_bundle && std::filesystem::is_regular_file(file, ignored)) return {};
  return invalid_argument(file.string() + " is there and is no bundle; it is left alone");
}

}  // namespace

std::int64_t Bundle::keep_weights(const std::vector<std::byte>& bytes, std::size_t alignment) {
  const std::size_t end = (weights.size() + alignment - 1) / alignment * alignment;
  const auto [kept, is_new] = weight_offsets.try_emplace(ContentHash::of(bytes).hex(), static_cast<std::int64_t>(end));
  if (is_new) {
    weights.resize(end);
    weights.insert(weights.end(), bytes.begin(), bytes.end());
  }
  return kept->second;
}

std::string Bundle::keep_code(const std::vector<std::byte>& bytes) {
  const std::string name = ContentHash::of(bytes).hex();
  code.try_emplace(name, bytes);
  return name;
}

std::string Bundle::keep_source(const std::string& text) {
  const std::string name = ContentHash::of(text).hex();
  sources.try_emplace(name, text);
  return name;
}

Status write_bundle(const std::filesystem::path& file, Bundle& bundle, db::Trust& trust, BundleForm form) {
  FL_TRY_VOID(form == BundleForm::kFolder ? check_own_folder(file) : check_own(file));
  bundle.manifest.weights = {static_cast<std::int64_t>(bundle.weights.size()), ContentHash::of(bundle.weights).hex()};
  const std::string manifest = manifest_text(bundle.manifest);
  FL_TRY(const db::Signature signature, trust.sign(signed_content(manifest)));
  const std::string signature_line = signature_text(signature);
  ZipEntries entries{{"manifest.json", bytes_of(manifest)}, {"signature", bytes_of(signature_line)}};
  for (const auto& [hash, code] : bundle.code) entries.emplace(code_name(hash), code);
  for (const BundleGpuKernel& kernel : bundle.manifest.gpu_kernels)
    entries.emplace(code_name(kernel), bundle.gpu_code.at(kernel.file));
  for (const auto& [hash, source] : bundle.sources) entries.emplace(source_name(hash), bytes_of(source));
  if (!bundle.weights.empty()) entries.emplace("weights.bin", bundle.weights);
  if (form == BundleForm::kFolder) return platform::write_folder_atomically(file, entries);
  FL_TRY(const StoredZip zip, make_stored_zip(entries));
  return platform::write_file_atomically(file, zip.parts);
}

Result<InspectedBundle> read_bundle(const std::filesystem::path& file, db::Trust& trust) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Error{ErrorCode::kNotFound, file.string() + " is not there"};
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  if (!is_folder && !std::filesystem::is_regular_file(file, ignored))
    return Error{ErrorCode::kCorrupt, file.string() + " is no file"};
  auto inspected = is_folder ? inspect_folder(file, trust) : inspect_file(file, trust);
  if (!inspected.ok()) return inspected.error().within(file.string());
  return inspected;
}

}  // namespace fuselab::deploy
