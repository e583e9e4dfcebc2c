// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/external_data.h"

#include "core/import/wire/weight_data.h"

#include <charconv>
#include <cstdint>

#include "core/import/wire/node_names.h"

namespace fuselab::onnx {
namespace {

// Tells where a tensor's numbers lie.
struct Place {
  std::string location;
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
};

Result<std::int64_t> byte_count_of(const StringStringEntryProto& entry) {
  const std::string& text = entry.value();
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= 0) return number;
  return invalid_argument("its external data has the " + entry.key() + " '" + shown(text) + "', which is no number of bytes");
}

Result<Place> place_of(const TensorProto& tensor) {
  Place place;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") {
      place.location = entry.value();
    } else if (entry.key() == "offset") {
      FL_TRY(place.offset, byte_count_of(entry));
    } else if (entry.key() == "length") {
      FL_TRY(place.length, byte_count_of(entry));
    }
  }
  if (place.location.empty()) return invalid_argument("its numbers are said to lie in another file, which is not named");
  return place;
}

Error refused(const Place& place, const std::string& because, const std::string& hint = "") {
  return invalid_argument("its external data lies in '" + shown(place.location) + "', which " + because +
                          ": only files in the model's own folder are read" + hint);
}

// Checks the name also as another system would read it: a backslash parts folders there, and a letter before a colon is a drive.
Status check_name(const Place& place) {
  const std::filesystem::path path(place.location);
  if (place.location.find('\0') != std::string::npos) return refused(place, "is no file name");
  if (path.is_absolute() || place.location.front() == '\\' || (place.location.size() > 1 && place.location[1] == ':')) {
    return refused(place, "is an absolute path");
  }
  std::string plain = place.location;
  for (char& c : plain) c = c == '\\' ? '/' : c;
  for (const auto& part : std::filesystem::path(plain)) {
    if (part == "..") return refused(place, "leads out of the folder");
  }
  return Status();
}

Status check_range(const Place& place, std::int64_t needed, std::int64_t file_size, const TensorType& type) {
  const std::string there = "'" + shown(place.location) + "' has " + std::to_string(file_size) + " bytes";
  if (place.length && *place.length != needed) {
    return invalid_argument("is " + type_text(type) + ", which takes " + std::to_string(needed) +
                            " bytes, but its external data has " + std::to_string(*place.length));
  }
  if (place.offset <= file_size && needed <= file_size - place.offset) return Status();
  return invalid_argument("takes " + std::to_string(needed) + " bytes from byte " + std::to_string(place.offset) + " on, but " +
                          there);
}

}  // namespace

bool is_external(const TensorProto& tensor) {
  return tensor.data_location() == 1;
}

Result<platform::FileInside> ExternalFiles::open(const std::string& location) const {
  auto file = platform::FileInside::open(folder_.folder, location, folder_.links);
  const bool elsewhere = folder_.links == platform::Links::kFollowed && !folder_.of_target.empty();
  if (file.ok() || !elsewhere || file.error().code != ErrorCode::kNotFound) return file;
  return platform::FileInside::open(folder_.of_target, location, folder_.links);
}

std::string ExternalFiles::hint(const std::string& location) const {
  if (folder_.links == platform::Links::kFollowed) return "";
  ModelFolder followed = folder_;
  followed.links = platform::Links::kFollowed;
  return ExternalFiles(followed).open(location).ok() ? "; --follow-links follows the link that leads to it" : "";
}

Result<std::optional<KnownTensor>> ExternalFiles::read(const TensorProto& tensor, const TensorType& type) {
  FL_TRY(const Place place, place_of(tensor));
  FL_TRY_VOID(check_name(place));
  if (folder_.folder.empty()) return std::optional<KnownTensor>();
  const auto file = open(place.location);
  if (!file.ok() && file.error().code == ErrorCode::kNotFound) {
    if (missing_.insert(place.location).second) {
      notes_.push_back("'" + shown(place.location) +
                       "', which holds weights, is not there: their shapes are known, and no numbers of them" +
                       hint(place.location));
    }
    return std::optional<KnownTensor>();
  }
  if (!file.ok()) return refused(place, file.error().message, hint(place.location));
  FL_TRY(const Bytes needed, size_of(type));
  FL_TRY_VOID(check_range(place, needed.count, file.value().size(), type));
  FL_TRY(const std::int64_t elements, element_count(type.shape));
  if (elements > static_cast<std::int64_t>(KnownTensor::kMaxElements)) return std::optional<KnownTensor>();
  TensorProto whole;
  whole.set_data_type(tensor.data_type());
  *whole.mutable_dims() = tensor.dims();
  auto bytes = file.value().read(place.offset, needed.count);
  if (!bytes.ok()) return refused(place, bytes.error().message);
  *whole.mutable_raw_data() = std::move(bytes).value();
  return read_known(whole);
}

std::optional<std::string> ExternalFiles::file_of(const TensorProto& tensor) const {
  if (!is_external(tensor)) return holds_numbers(tensor) ? std::optional<std::string>("") : std::nullopt;
  const auto place = place_of(tensor);
  if (!place.ok() || folder_.folder.empty() || missing_.contains(place.value().location)) return std::nullopt;
  return shown(place.value().location);
}

std::optional<std::vector<std::byte>> ExternalFiles::bytes(const TensorProto& tensor, const TensorType& type) const {
  const auto place = place_of(tensor);
  const auto needed = size_of(type);
  if (!place.ok() || !needed.ok() || folder_.folder.empty()) return std::nullopt;
  const auto file = open(place.value().location);
  if (!file.ok() || !check_range(place.value(), needed.value().count, file.value().size(), type).ok()) return std::nullopt;
  std::vector<std::byte> numbers(static_cast<std::size_t>(needed.value().count));
  if (!file.value().read_into(place.value().offset, numbers).ok()) return std::nullopt;
  return numbers;
}

}  // namespace fuselab::onnx
