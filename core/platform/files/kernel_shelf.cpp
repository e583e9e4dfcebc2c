// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/kernel_shelf.h"

#include <sstream>

#include "core/base/content_hash.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTitle = "fuselab kernel shelf 1";
constexpr Bytes kLongestList{std::int64_t{8} << 20};
constexpr Bytes kLargestBinary{std::int64_t{64} << 20};

std::string_view without_leading_comments(std::string_view text) {
  while (text.substr(0, 2) == "//") {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text;
}

std::string key_of(const SourceModule& source, const std::string& flags) {
  return IdentityHasher("kernel shelf")
      .add("language", source.language)
      .add("text", without_leading_comments(source.text))
      .add("entry", source.entry)
      .add("flags", flags)
      .finish()
      .hex();
}

fs::path list_of(const fs::path& folder) {
  return folder / "list";
}
fs::path binary_of(const fs::path& folder, const std::string& key) {
  return folder / (key.substr(0, 32) + ".so");
}

Error corrupt(const fs::path& file, const std::string& how) {
  return {ErrorCode::kCorrupt, "'" + file.string() + "' " + how + "; unpack the bundle again"};
}

bool is_hash(const std::string& text) {
  return ContentHash::from_hex(text).ok();
}

}  // namespace

Result<KernelShelf> KernelShelf::open(const fs::path& folder) {
  const fs::path file = list_of(folder);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return Error{ErrorCode::kNotFound, "no kernels that were compiled ahead in " + folder.string()};
  FL_TRY(const auto bytes, read_file(file, kLongestList));
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::string title, word, hash;
  KernelShelf shelf;
  shelf.folder_ = folder;
  std::getline(lines, title);
  if (title != kTitle) return corrupt(file, "is no list of kernels that this version reads");
  if (!(lines >> word >> shelf.compiler_.id >> shelf.compiler_.version) || word != "compiler") {
    return corrupt(file, "does not say which compiler made the kernels");
  }
  while (lines >> word) {
    if (!(lines >> hash) || !is_hash(word) || !is_hash(hash)) return corrupt(file, "is damaged");
    shelf.hashes_.emplace(word, hash);
  }
  return shelf;
}

Result<KernelBinary> KernelShelf::find(const SourceModule& source, const std::string& flags) const {
  const std::string key = key_of(source, flags);
  const auto listed = hashes_.find(key);
  if (listed == hashes_.end()) {
    return Error{ErrorCode::kNotFound, "not among the " + std::to_string(hashes_.size()) + " kernels that were compiled ahead by " +
                                           compiler_.id + " " + compiler_.version};
  }
  KernelBinary binary;
  const fs::path file = binary_of(folder_, key);
  FL_TRY(binary.data, read_file(file, kLargestBinary));
  if (ContentHash::of(binary.data).hex() != listed->second) return corrupt(file, "is not what was put there");
  binary.metadata = {{"compiler", compiler_.id}, {"version", compiler_.version}, {"flags", flags}, {"compiled", "ahead"}};
  return binary;
}

Result<ShelfWriter> ShelfWriter::open(const fs::path& folder, const CompilerFingerprint& compiler) {
  ShelfWriter writer;
  auto there = KernelShelf::open(folder);
  if (there.ok()) {
    writer.shelf_ = std::move(there).value();
    const CompilerFingerprint& other = writer.shelf_.compiler_;
    if (other.id != compiler.id || other.version != compiler.version) {
      return invalid_argument("'" + folder.string() + "' holds kernels that " + other.id + " " + other.version +
                              " made, these are of " + compiler.id + " " + compiler.version + ": choose another folder");
    }
    return writer;
  }
  if (there.error().code != ErrorCode::kNotFound) return there.error();
  writer.shelf_.folder_ = folder;
  writer.shelf_.compiler_ = compiler;
  return writer;
}

Status ShelfWriter::put(const SourceModule& source, const std::string& flags, const KernelBinary& binary) {
  const std::string key = key_of(source, flags);
  FL_TRY_VOID(write_file_atomically(binary_of(shelf_.folder_, key), binary.data));
  shelf_.hashes_[key] = ContentHash::of(binary.data).hex();
  return {};
}

Status ShelfWriter::finish() {
  std::string text = std::string(kTitle) + "\ncompiler " + shelf_.compiler_.id + " " + shelf_.compiler_.version + "\n";
  for (const auto& [key, hash] : shelf_.hashes_) text += key + " " + hash + "\n";
  return write_file_atomically(list_of(shelf_.folder_), std::as_bytes(std::span(text)));
}

}  // namespace fuselab::platform
