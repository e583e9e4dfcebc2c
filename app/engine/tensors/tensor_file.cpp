// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tensors/tensor_file.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "app/engine/tensors/zip_archive.h"
#include "core/import/onnx_import.h"
#include "core/platform/files/file_inside.h"
#include "core/tensor/npy.h"

namespace fuselab::engine {
namespace {

using platform::FileInside;

// A user's own file may be a link, and never a pipe, whose end nobody knows.
Result<FileInside> open_named(const std::filesystem::path& file) {
  return FileInside::open(file.has_parent_path() ? file.parent_path() : ".", file.filename(), platform::Links::kFollowed);
}

// Reads an array of `size` bytes, whose first `count` bytes `read` returns, once its header says that it fits.
template <typename Read>
Result<PackedTensor> read_array(std::uint64_t size, const Read& read, const TensorFits& fits) {
  FL_TRY(const auto beginning, read(std::min<std::uint64_t>(size, kLongestNpyHeader)));
  FL_TRY(const NpyHeader header, read_npy_header(std::as_bytes(std::span(beginning))));
  FL_TRY_VOID(fits(header.type));
  FL_TRY(const Bytes needed, size_of(header.type));
  const std::uint64_t there = size - header.size;
  if (there != static_cast<std::uint64_t>(needed.count)) {
    return invalid_argument("has " + std::to_string(there) + " bytes of numbers, and " + type_text(header.type) + " takes " +
                            std::to_string(needed.count));
  }
  FL_TRY(const auto whole, read(size));
  return read_npy(std::as_bytes(std::span(whole)));
}

Result<PackedTensor> read_npy_file(const FileInside& file, const TensorFits& fits) {
  const auto read = [&](std::uint64_t count) { return file.read(0, static_cast<std::int64_t>(count)); };
  return read_array(static_cast<std::uint64_t>(file.size()), read, fits);
}

Result<PackedTensor> read_onnx_file(const FileInside& file, const TensorFits& fits) {
  if (file.size() > std::numeric_limits<std::int32_t>::max())
    return invalid_argument("is larger than 2 GiB, the most an ONNX tensor can be");
  FL_TRY(const std::string bytes, file.read(0, file.size()));
  FL_TRY(PackedTensor tensor, import_tensor(std::as_bytes(std::span(bytes))));
  FL_TRY_VOID(fits(tensor.type));
  return tensor;
}

// NumPy puts ".npy" behind the names of arrays.
std::string array_name(std::string member) {
  if (member.ends_with(".npy")) member.resize(member.size() - 4);
  return member;
}

Result<ZipArchive::Member> member_of(const ZipArchive& archive, const std::string& asked, const std::string& own_name) {
  constexpr std::size_t kMostShown = 8;
  const auto& members = archive.members();
  const std::string& wanted = asked.empty() ? own_name : asked;
  std::string names;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].name == wanted || array_name(members[i].name) == wanted) return members[i];
    if (i < kMostShown) names += (i > 0 ? ", " : "") + array_name(members[i].name);
  }
  if (asked.empty() && members.size() == 1) return members.front();
  if (members.size() > kMostShown) names += " and " + std::to_string(members.size() - kMostShown) + " more";
  return Error{ErrorCode::kNotFound, "has no array '" + wanted + "'; there are " + (names.empty() ? "none" : names)};
}

Result<PackedTensor> read_member(FileInside file, const std::string& asked, const std::string& own_name, const TensorFits& fits) {
  FL_TRY(const ZipArchive archive, ZipArchive::open(std::move(file)));
  FL_TRY(const ZipArchive::Member member, member_of(archive, asked, own_name));
  return read_array(
      member.size, [&](std::uint64_t count) { return archive.read(member, count); }, fits);
}

// Parts "all.npz:x" at its colon; without one the member is left open.
std::pair<std::filesystem::path, std::string> path_and_member(const std::filesystem::path& named) {
  constexpr std::string_view kParted = ".npz:";
  const std::string text = named.string();
  const std::size_t at = text.rfind(kParted);
  if (at == std::string::npos) return {named, ""};
  return {text.substr(0, at + kParted.size() - 1), text.substr(at + kParted.size())};
}

}  // namespace

Result<PackedTensor> read_tensor_file(const std::filesystem::path& named, const std::string& own_name, const TensorFits& fits) {
  const auto [path, member] = path_and_member(named);
  auto file = open_named(path);
  if (!file.ok()) return file.error().within(named.string());
  const auto extension = path.extension();
  auto tensor = extension == ".npz"  ? read_member(std::move(file).value(), member, own_name, fits)
                : extension == ".pb" ? read_onnx_file(file.value(), fits)
                                     : read_npy_file(file.value(), fits);
  if (!tensor.ok()) return tensor.error().within(named.string());
  return tensor;
}

}  // namespace fuselab::engine
