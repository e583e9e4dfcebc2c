// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tensors/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string_view>

namespace fuselab::engine {
namespace {

// PKWARE's APPNOTE.TXT, 4.3: sizes of the fixed parts of the records, and their signatures.
constexpr std::int64_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLongestComment = 65535;
constexpr std::uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  // the number is 64 bits long and lies in another record
constexpr std::int64_t kLargestDirectory = std::int64_t{64} << 20;
constexpr std::uint32_t kStored = 0, kDeflated = 8;

Error damaged(const std::string& how) {
  return {ErrorCode::kCorrupt, "no zip file, or a damaged one: " + how};
}
Error not_read(const std::string& what) {
  return {ErrorCode::kUnsupported, "a zip file " + what + " is not read"};
}

std::uint32_t get16(std::string_view from, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(from[i])); };
  return byte(at) | byte(at + 1) << 8;
}
std::uint32_t get32(std::string_view from, std::size_t at) {
  return get16(from, at) | get16(from, at + 2) << 16;
}

// Returns the end record, behind which only its own comment lies.
Result<std::string> end_record(const platform::FileInside& file) {
  const std::int64_t size = std::min(file.size(), kEndBytes + kLongestComment);
  if (size < kEndBytes) return damaged("its end is missing");
  FL_TRY(const std::string tail, file.read(file.size() - size, size));
  for (std::size_t at = tail.size() - kEndBytes + 1; at-- > 0;) {
    if (get32(tail, at) == kEndMark && get16(tail, at + 20) == tail.size() - at - kEndBytes) return tail.substr(at);
  }
  return damaged("its end is missing");
}

// An archive is no place to write to here, but one that tries to leave its folder is none to trust either.
bool leads_out(const std::string& name) {
  std::string_view rest = name;
  while (true) {
    const std::size_t end = rest.find_first_of("/\\");
    if (rest.substr(0, end) == "..") return true;
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 1);
  }
}

Result<ZipArchive::Member> member_at(std::string_view record, std::uint64_t directory) {
  ZipArchive::Member member;
  member.name = record.substr(kCentralBytes, get16(record, 28));
  if (member.name.find('\0') != std::string::npos) return damaged("the name of a member is none");
  if (leads_out(member.name)) return damaged("its member '" + member.name + "' leads out of it");
  if ((get16(record, 8) & 1) != 0) return not_read("with encrypted members");
  const std::uint32_t method = get16(record, 10);
  if (method != kStored && method != kDeflated) {
    return not_read("with members that are neither stored nor deflated (method " + std::to_string(method) + " of '" + member.name +
                    "')");
  }
  member.deflated = method == kDeflated;
  member.checksum = get32(record, 16);
  member.packed = get32(record, 20);
  member.size = get32(record, 24);
  member.header = get32(record, 42);
  if (member.packed == kElsewhere || member.size == kElsewhere || member.header == kElsewhere) return not_read("of 4 GiB and more");
  if (!member.deflated && member.packed != member.size) return damaged("'" + member.name + "' has two sizes");
  if (member.header >= directory || member.packed > directory - member.header) return damaged("'" + member.name + "' is cut off");
  return member;
}

struct EndOfInflation {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

// Unpacks the deflated bytes of a file into `room` until it is full or they end. Returns how many it took.
Result<std::size_t> inflate_into(const platform::FileInside& file, std::uint64_t begin, std::uint64_t packed,
                                 std::span<std::byte> room, const std::string& name) {
  constexpr std::uint64_t kPart = 1 << 16;
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)  // negative: bare deflate, as zip files hold it
    return Error{ErrorCode::kOutOfMemory, "no memory to unpack '" + name + "'"};
  const std::unique_ptr<z_stream, EndOfInflation> ends(&stream);
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = static_cast<uInt>(room.size());
  std::string part;
  for (bool ended = false; !ended && stream.avail_out > 0;) {
    if (stream.avail_in == 0) {
      if (packed == 0) break;
      const std::uint64_t next = std::min(kPart, packed);
      FL_TRY(part, file.read(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(next)));
      begin += next;
      packed -= next;
      stream.next_in = reinterpret_cast<Bytef*>(part.data());
      stream.avail_in = static_cast<uInt>(next);
    }
    const int said = inflate(&stream, Z_NO_FLUSH);
    ended = said == Z_STREAM_END;
    if (said != Z_OK && !ended) return damaged("what '" + name + "' holds is not deflated");
  }
  return room.size() - stream.avail_out;
}

}  // namespace

Result<ZipArchive> ZipArchive::open(platform::FileInside file) {
  FL_TRY(const std::string end, end_record(file));
  const std::uint32_t count = get16(end, 10), size = get32(end, 12), at = get32(end, 16);
  if (count == 0xFFFF || size == kElsewhere || at == kElsewhere) return not_read("of 4 GiB and more");
  if (get16(end, 4) != 0 || get16(end, 6) != 0 || get16(end, 8) != count) return not_read("of several parts");
  const std::int64_t begin_of_end = file.size() - static_cast<std::int64_t>(end.size());
  if (at > begin_of_end || begin_of_end - at != size) return damaged("its directory is not where it says");
  if (size > kLargestDirectory) return damaged("its directory has " + std::to_string(size) + " bytes");
  FL_TRY(const std::string directory, file.read(at, size));
  ZipArchive archive(std::move(file), at);
  std::set<std::string> names;
  std::string_view rest = directory;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (rest.size() < kCentralBytes || get32(rest, 0) != kCentralMark) return damaged("its directory is damaged");
    const std::size_t record = std::size_t{kCentralBytes} + get16(rest, 28) + get16(rest, 30) + get16(rest, 32);
    if (record > rest.size()) return damaged("its directory is damaged");
    FL_TRY(Member member, member_at(rest.substr(0, record), at));
    if (!names.insert(member.name).second) return damaged("'" + member.name + "' is there twice");
    archive.members_.push_back(std::move(member));
    rest.remove_prefix(record);
  }
  if (!rest.empty()) return damaged("its directory is damaged");
  return archive;
}

// A member's own header says how long it is itself; all else the directory has said.
Result<std::uint64_t> ZipArchive::begin_of(const Member& member) const {
  const Error cut_off = damaged("'" + member.name + "' is cut off");
  if (directory_ - member.header < kLocalBytes) return cut_off;
  FL_TRY(const std::string local, file_.read(static_cast<std::int64_t>(member.header), kLocalBytes));
  if (get32(local, 0) != kLocalMark) return damaged("'" + member.name + "' is not where the directory says");
  const std::uint64_t begin = member.header + kLocalBytes + get16(local, 26) + get16(local, 28);
  if (begin > directory_ || directory_ - begin < member.packed) return cut_off;
  return begin;
}

Result<std::vector<std::byte>> ZipArchive::read(const Member& member, std::uint64_t count) const {
  FL_TRY(const std::uint64_t begin, begin_of(member));
  const bool whole = count >= member.size;
  const auto wanted = static_cast<std::size_t>(std::min(count, member.size));
  std::vector<std::byte> contents(wanted + 1);  // one byte more shows what is longer than it should be
  std::size_t found = wanted;
  if (member.deflated) {
    FL_TRY(found, inflate_into(file_, begin, member.packed, std::span(contents).first(whole ? wanted + 1 : wanted), member.name));
  } else {
    FL_TRY(const std::string stored, file_.read(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(wanted)));
    std::memcpy(contents.data(), stored.data(), wanted);
  }
  contents.resize(wanted);
  if (found != wanted) return damaged("'" + member.name + "' has not the " + std::to_string(member.size) + " bytes that it should");
  const auto sum = [&] { return crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()); };
  if (whole && sum() != member.checksum) return damaged("the checksum of '" + member.name + "' is wrong");
  return contents;
}

}  // namespace fuselab::engine
