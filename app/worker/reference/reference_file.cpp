// SPDX-License-Identifier: Apache-2.0
#include "app/worker/reference/reference_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "app/worker/reference/checksum.h"

namespace fuselab::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMagic = 0x3130464552464c46;  // "FLFREF01"
constexpr std::size_t kHeaderWords = 3;               // magic, checksum, number of outputs

template <typename T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
  const std::span<const std::byte> raw = std::as_bytes(values);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

void append_word(std::vector<std::byte>& bytes, std::uint64_t word) {
  append(bytes, std::span<const std::uint64_t>(&word, 1));
}

// Reads words and arrays of words off the front; says no when there are not enough.
class WordReader {
 public:
  explicit WordReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  bool array(std::uint64_t count, std::vector<T>& values) {
    static_assert(sizeof(T) == 8);
    if (count > bytes_.size() / 8) return false;
    values.resize(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), bytes_.data(), values.size() * 8);
    bytes_ = bytes_.subspan(values.size() * 8);
    return true;
  }
  bool word(std::uint64_t& value) {
    std::vector<std::uint64_t> one;
    if (!array(1, one)) return false;
    value = one.front();
    return true;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

bool fits_output(const ExpectedOutput& output) {
  const Result<std::int64_t> elements = element_count(output.type.shape);
  if (!elements.ok() || output.magnitude.size() != output.values.size()) return false;
  if (output.positions.empty()) return static_cast<std::int64_t>(output.values.size()) == elements.value();
  const bool in_range = output.positions.front() >= 0 && output.positions.back() < elements.value() &&
                        std::is_sorted(output.positions.begin(), output.positions.end());
  return in_range && output.positions.size() == output.values.size();
}

Error damaged() {
  return {ErrorCode::kCorrupt, "a stored reference result is damaged"};
}

}  // namespace

Bytes reference_size(std::span<const ExpectedOutput> expected) {
  std::size_t words = kHeaderWords;
  for (const ExpectedOutput& output : expected)
    words += 3 + output.positions.size() + output.values.size() + output.magnitude.size();
  return {static_cast<std::int64_t>(8 * words)};
}

std::vector<std::byte> reference_bytes(std::span<const ExpectedOutput> expected) {
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(reference_size(expected).count));
  append_word(bytes, kMagic);
  append_word(bytes, 0);
  append_word(bytes, expected.size());
  for (const ExpectedOutput& output : expected) {
    append_word(bytes, output.positions.size());
    append_word(bytes, output.values.size());
    append_word(bytes, output.magnitude.size());
    append(bytes, std::span<const std::int64_t>(output.positions));
    append(bytes, std::span<const double>(output.values));
    append(bytes, std::span<const double>(output.magnitude));
  }
  const std::uint64_t sum = checksum(std::span(bytes).subspan(16));
  std::memcpy(bytes.data() + 8, &sum, sizeof sum);
  return bytes;
}

Result<std::vector<ExpectedOutput>> parse_reference(std::span<const std::byte> bytes, const Graph& graph) {
  WordReader reader(bytes);
  std::uint64_t magic = 0, sum = 0, outputs = 0;
  if (!reader.word(magic) || !reader.word(sum) || magic != kMagic || sum != checksum(bytes.subspan(16))) return damaged();
  if (!reader.word(outputs) || outputs != graph.outputs().size()) return damaged();
  std::vector<ExpectedOutput> expected;
  for (const ValueId id : graph.outputs()) {
    ExpectedOutput output;
    output.type = graph.type(id);
    std::uint64_t positions = 0, values = 0, magnitudes = 0;
    const bool read = reader.word(positions) && reader.word(values) && reader.word(magnitudes) &&
                      reader.array(positions, output.positions) && reader.array(values, output.values) &&
                      reader.array(magnitudes, output.magnitude);
    if (!read || !fits_output(output)) return damaged();
    expected.push_back(std::move(output));
  }
  if (!reader.at_end()) return damaged();
  return expected;
}

void make_room(const fs::path& directory, Bytes limit) {
  struct File {
    fs::path path;
    fs::file_time_type written;
    std::int64_t bytes;
  };
  std::vector<File> files;
  std::int64_t total = 0;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failure)) {
    if (entry.path().extension() != ".ref") continue;
    std::error_code gone;  // another worker may be making room as well
    const File file{entry.path(), entry.last_write_time(gone), static_cast<std::int64_t>(entry.file_size(gone))};
    if (gone) continue;
    total += file.bytes;
    files.push_back(file);
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.written < b.written; });
  for (const File& file : files) {
    if (total <= limit.count) return;
    if (fs::remove(file.path, failure)) total -= file.bytes;
  }
}

}  // namespace fuselab::worker
