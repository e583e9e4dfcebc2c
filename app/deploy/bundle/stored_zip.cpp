// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/stored_zip.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace fuselab::deploy {
namespace {

// PKWARE's APPNOTE.TXT, 4.3: sizes of the fixed parts of the records, and their signatures.
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
constexpr std::uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr std::uint32_t kVersion = 10, kFirstDay = 0x0021;  // 1980-01-01
constexpr std::size_t kAlignment = 64;
// The extra field that Android's zipalign pads with: its id, its size, the alignment, zeros.
constexpr std::uint32_t kPaddingId = 0xd935;
constexpr std::size_t kLeastPadding = 6;

void put16(std::vector<std::byte>& out, std::uint32_t value) {
  out.push_back(static_cast<std::byte>(value & 0xFF));
  out.push_back(static_cast<std::byte>(value >> 8 & 0xFF));
}
void put32(std::vector<std::byte>& out, std::uint32_t value) {
  put16(out, value & 0xFFFF);
  put16(out, value >> 16);
}
void put_text(std::vector<std::byte>& out, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::uint32_t get16(std::span<const std::byte> from, std::size_t at) {
  return std::to_integer<std::uint32_t>(from[at]) | std::to_integer<std::uint32_t>(from[at + 1]) << 8;
}
std::uint32_t get32(std::span<const std::byte> from, std::size_t at) {
  return get16(from, at) | get16(from, at + 2) << 16;
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? 0xEDB88320U : 0);
    }
    return table;
  }();
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::byte byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  return ~crc;
}

// From flags to sizes: the part that the local record and the directory have in common.
void put_facts(std::vector<std::byte>& out, std::uint32_t crc, std::size_t bytes) {
  put16(out, 0);
  put16(out, 0);  // stored
  put16(out, 0);
  put16(out, kFirstDay);
  put32(out, crc);
  put32(out, static_cast<std::uint32_t>(bytes));
  put32(out, static_cast<std::uint32_t>(bytes));
}

std::size_t padding_at(std::size_t begin) {
  const std::size_t needed = (kAlignment - begin % kAlignment) % kAlignment;
  return needed == 0 || needed >= kLeastPadding ? needed : needed + kAlignment;
}

Error damaged(const std::string& how) {
  return {ErrorCode::kCorrupt, "this is no bundle, or a damaged one: " + how};
}

}  // namespace

Result<StoredZip> make_stored_zip(const ZipEntries& entries) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::size_t total = kEndBytes;
  for (const auto& [name, data] : entries) total += kLocalBytes + kCentralBytes + 2 * name.size() + 2 * kAlignment + data.size();
  if (total > kMost || entries.size() >= 0xFFFF)
    return Error{ErrorCode::kUnsupported, "a bundle holds at most 4 GiB and 65534 entries"};
  StoredZip zip;
  std::vector<std::byte> directory;
  std::size_t at = 0;
  const auto add = [&](std::span<const std::byte> part) {
    zip.parts.push_back(part);
    at += part.size();
  };
  const auto add_record = [&](std::vector<std::byte> record) { add(zip.records.emplace_back(std::move(record))); };
  for (const auto& [name, data] : entries) {
    const std::size_t padding = padding_at(at + kLocalBytes + name.size());
    const std::uint32_t crc = crc32(data);
    std::vector<std::byte> local;
    put32(local, kLocalMark);
    put16(local, kVersion);
    put_facts(local, crc, data.size());
    put16(local, static_cast<std::uint32_t>(name.size()));
    put16(local, static_cast<std::uint32_t>(padding));
    put_text(local, name);
    if (padding > 0) {
      put16(local, kPaddingId);
      put16(local, static_cast<std::uint32_t>(padding - 4));
      put16(local, kAlignment);
      local.resize(local.size() + padding - kLeastPadding);
    }
    put32(directory, kCentralMark);
    put16(directory, kVersion);
    put16(directory, kVersion);
    put_facts(directory, crc, data.size());
    put16(directory, static_cast<std::uint32_t>(name.size()));
    for (int i = 0; i < 4; ++i) put16(directory, 0);  // extra, comment, disk, kind
    put32(directory, 0);
    put32(directory, static_cast<std::uint32_t>(at));
    put_text(directory, name);
    add_record(std::move(local));
    add(data);
  }
  const std::size_t begin = at, bytes = directory.size();
  put32(directory, kEndMark);
  put32(directory, 0);
  put16(directory, static_cast<std::uint32_t>(entries.size()));
  put16(directory, static_cast<std::uint32_t>(entries.size()));
  put32(directory, static_cast<std::uint32_t>(bytes));
  put32(directory, static_cast<std::uint32_t>(begin));
  put16(directory, 0);
  add_record(std::move(directory));
  return zip;
}

Result<std::vector<std::byte>> write_stored_zip(const ZipEntries& entries) {
  FL_TRY(const StoredZip zip, make_stored_zip(entries));
  std::vector<std::byte> bytes;
  for (const auto part : zip.parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

Result<ZipEntries> read_stored_zip(std::span<const std::byte> file) {
  if (file.size() < kEndBytes || get32(file, file.size() - kEndBytes) != kEndMark) return damaged("its end is missing");
  const std::size_t end = file.size() - kEndBytes, count = get16(file, end + 10);
  std::size_t at = get32(file, end + 16), next = 0;
  const std::size_t directory = at;
  if (at > end || end - at != get32(file, end + 12)) return damaged("its directory is not where it says");
  ZipEntries entries;
  for (std::size_t i = 0; i < count; ++i) {
    if (end - at < kCentralBytes || get32(file, at) != kCentralMark) return damaged("its directory is damaged");
    const std::size_t size = get32(file, at + 24), name_bytes = get16(file, at + 28), local = get32(file, at + 42);
    const bool stored = get16(file, at + 10) == 0 && get32(file, at + 20) == size && get32(file, at + 30) == 0;
    if (!stored || end - at - kCentralBytes < name_bytes) return damaged("an entry is not stored as it should be");
    const std::string name(reinterpret_cast<const char*>(file.data() + at + kCentralBytes), name_bytes);
    if (local != next || directory - local < kLocalBytes || get32(file, local) != kLocalMark) return damaged("an entry is missing");
    const std::size_t begin = local + kLocalBytes + name_bytes + get16(file, local + 28);
    if (get16(file, local + 26) != name_bytes || begin > directory || directory - begin < size) return damaged("an entry is cut");
    if (!entries.emplace(name, file.subspan(begin, size)).second) return damaged("an entry is there twice");
    next = begin + size;
    at += kCentralBytes + name_bytes;
  }
  if (at != end || next != directory) return damaged("it holds what belongs to no entry");
  return entries;
}

}  // namespace fuselab::deploy
