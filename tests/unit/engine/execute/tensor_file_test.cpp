// SPDX-License-Identifier: Apache-2.0
// Tensors from files that others wrote, and from files that somebody made to do harm.
#include "app/engine/tensors/tensor_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "core/platform/files/temporary_folder.h"

namespace fuselab::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// numpy.savez_compressed(file, a=arange(6, dtype=int32).reshape(2, 3), **{"/deep/b": zeros(500, float32)}) of NumPy 2.4.
const char* const kSavedByNumpy =
    "504b03042d00000008000000210050b44d84ffffffffffffffff05001400612e6e707901001000980000000000000055000000000000009bec17ea1b"
    "10c9c850c650ad9e925a9c5ca46ea5a06e9369a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a463a0ac69a3a0ab5"
    "0a64032e06206004622620660662162066056200504b03042d000000080000002100b6886946ffffffffffffffff0b0014002f646565702f622e6e70"
    "7901001000500800000000000055000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94"
    "920a12774bcc294e058a17672416a402f91aa606063a9a3a0ab50a64032e8651300a46c1281805a360140c790000504b01022d032d00000008000000"
    "210050b44d845500000098000000050000000000000000000000800100000000612e6e7079504b01022d032d000000080000002100b6886946550000"
    "00500800000b000000000000000000000080018c0000002f646565702f622e6e7079504b050600000000020002006c0000001e0100000000";

std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(number >> (8 * i) & 0xff) : '\0';
  return text;
}

std::string npy(const std::string& shape, const std::string& numbers, const std::string& descr = "<f4",
                const std::string& fortran = "False") {
  const std::string header = "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + little(header.size(), 2) + header + numbers;
}

std::string deflated(const std::string& contents) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, contents.size()), '\0');
  std::string input = contents;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// What the records of a member say; each may be made wrong.
struct Entry {
  std::string name, packed;
  std::uint32_t size = 0, checksum = 0, method = 0, flags = 0, packed_size = 0;

  static Entry stored(const std::string& name, const std::string& contents) {
    const auto sum = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()));
    const auto size = static_cast<std::uint32_t>(contents.size());
    return {name, contents, size, sum, 0, 0, size};
  }
  static Entry of_deflated(const std::string& name, const std::string& contents) {
    Entry entry = stored(name, contents);
    entry.packed = deflated(contents);
    entry.packed_size = static_cast<std::uint32_t>(entry.packed.size());
    entry.method = 8;
    return entry;
  }
};

std::string zip(const std::vector<Entry>& entries) {
  std::string file, directory;
  for (const Entry& entry : entries) {
    const std::string facts = little(entry.flags, 2) + little(entry.method, 2) + little(0, 4) + little(entry.checksum, 4) +
                              little(entry.packed_size, 4) + little(entry.size, 4) + little(entry.name.size(), 2);
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + facts + little(0, 12) + little(file.size(), 4) + entry.name;
    file += "PK\x03\x04" + little(20, 2) + facts + little(0, 2) + entry.name + entry.packed;
  }
  const std::string count = little(entries.size(), 2);
  return file + directory + "PK\x05\x06" + little(0, 4) + count + count + little(directory.size(), 4) + little(file.size(), 4) +
         little(0, 2);
}

class TensorFile : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = platform::TemporaryFolder::create("fuselab-tensors");
    ASSERT_TRUE(made.ok());
    folder_.emplace(std::move(made).value());
  }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path file = folder_->path() / name;
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }
  // Reads one of at most 64 bytes, as if it were the numbers of "x".
  static Result<PackedTensor> read(const std::filesystem::path& named) {
    return read_tensor_file(named, "x", [](const TensorType& found) -> Status {
      FL_TRY(const Bytes size, size_of(found));
      return size.count <= 64 ? Status() : invalid_argument("is " + type_text(found) + ", which is too much");
    });
  }
  static std::string why_not(const std::filesystem::path& named) {
    const auto tensor = read(named);
    return tensor.ok() ? "it was read" : tensor.error().message;
  }
  std::string why_not_npz(const std::vector<Entry>& entries) const { return why_not(write("x.npz", zip(entries))); }

  std::optional<platform::TemporaryFolder> folder_;
};

TEST_F(TensorFile, WhatNumpySavedIsReadByItsMembersNames) {
  const auto file = write("two.npz", from_hex(kSavedByNumpy));
  const auto a = read(file.string() + ":a");
  ASSERT_TRUE(a.ok()) << a.error().message;
  EXPECT_EQ(type_text(a.value().type), "i32[2,3]");
  EXPECT_EQ(std::to_integer<int>(a.value().bytes.at(20)), 5);
  EXPECT_TRUE(read(file.string() + ":a.npy").ok());
  EXPECT_THAT(why_not(file.string() + ":/deep/b"), AllOf(HasSubstr("two.npz:/deep/b"), HasSubstr("f32[500], which is too much")));
  EXPECT_THAT(why_not(file), HasSubstr("has no array 'x'; there are a, /deep/b"));
}

TEST_F(TensorFile, TheTensorsOwnNameOrTheOnlyMemberIsTaken) {
  const Entry x = Entry::of_deflated("x.npy", npy("(2,)", "abcdefgh")), other = Entry::stored("arr_0.npy", npy("()", "abcd"));
  EXPECT_EQ(type_text(read(write("a.npz", zip({other, x}))).value().type), "f32[2]");
  EXPECT_EQ(type_text(read(write("b.npz", zip({other}))).value().type), "f32[]");
  EXPECT_THAT(why_not(write("b.npz", zip({other})).string() + ":x"), HasSubstr("has no array 'x'; there are arr_0"));
  EXPECT_THAT(why_not_npz({}), HasSubstr("there are none"));
}

TEST_F(TensorFile, ABombIsRefusedByWhatItsHeaderSaysAndByNothingElse) {
  // 64 MiB of zeros, which 64 KiB unpack to.
  const std::string large(std::size_t{64} << 20, '\0');
  EXPECT_THAT(why_not_npz({Entry::of_deflated("x.npy", npy("(16777216,)", large))}), HasSubstr("f32[16777216], which is too much"));
  // The header is that of a small array, and so is the size in the directory, with more behind it.
  EXPECT_THAT(why_not_npz({Entry::of_deflated("x.npy", npy("(2,)", large))}), HasSubstr("67108864 bytes of numbers"));
  Entry longer = Entry::of_deflated("x.npy", npy("(2,)", large));
  longer.size = static_cast<std::uint32_t>(npy("(2,)", "abcdefgh").size());
  EXPECT_THAT(why_not_npz({longer}), HasSubstr("has not the"));
}

TEST_F(TensorFile, ExtentsBeyondAllNumbersAreOneError) {
  for (const char* const shape : {"(9223372036854775807, 2)", "(9223372036854775808,)", "(4611686018427387904, 4)",
                                  "(99999999999999999999999999,)", "(-9223372036854775808,)"}) {
    EXPECT_NE(why_not(write("x.npy", npy(shape, "abcd"))), "it was read") << shape;
    EXPECT_NE(why_not_npz({Entry::of_deflated("x.npy", npy(shape, "abcd"))}), "it was read") << shape;
  }
  EXPECT_TRUE(read(write("x.npy", npy("(0, 9223372036854775807)", "", "<f4", "True"))).ok()) << "it has no elements";
}

TEST_F(TensorFile, WrongHeadersAreOneError) {
  EXPECT_THAT(why_not(write("x.npy", npy("(1,)", "abcd", ">f4"))), AllOf(HasSubstr("x.npy"), HasSubstr("element type")));
  EXPECT_THAT(why_not(write("x.npy", npy("(1,)", "abcd", "|O"))), HasSubstr("element type"));
  EXPECT_THAT(why_not(write("x.npy", npy("(1,)", "abcd", "<f4", "Maybe"))), HasSubstr("order"));
  EXPECT_THAT(why_not(write("x.npy", npy("(2,)", "abcd"))), HasSubstr("has 4 bytes of numbers, and f32[2] takes 8"));
  EXPECT_THAT(why_not(write("x.npy", npy("(1,)", "abcdefgh"))), HasSubstr("has 8 bytes of numbers"));
  EXPECT_THAT(why_not(write("x.npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'", 20))), HasSubstr("cut off"));
  EXPECT_THAT(why_not_npz({Entry::stored("x.npy", "no array")}), HasSubstr("no NumPy array file"));
}

TEST_F(TensorFile, DamagedArchivesAreOneError) {
  const std::string whole = zip({Entry::of_deflated("x.npy", npy("(2,)", "abcdefgh"))});
  ASSERT_EQ(why_not(write("x.npz", whole)), "it was read");
  for (std::size_t kept = 0; kept < whole.size(); ++kept)
    ASSERT_THAT(why_not(write("x.npz", whole.substr(0, kept))), HasSubstr("no zip file")) << kept;
  // Whichever byte is another one, the numbers are those that were written, or there is an error.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    const auto tensor = read(write("x.npz", damaged));
    if (tensor.ok()) {
      EXPECT_EQ(std::to_integer<char>(tensor.value().bytes.at(7)), 'h') << at;
    }
  }
}

TEST_F(TensorFile, MembersThatAreNoneAreOneError) {
  const Entry good = Entry::stored("x.npy", npy("(2,)", "abcdefgh"));
  const auto with = [&](const auto& change) {
    Entry entry = good;
    change(entry);
    return why_not_npz({entry});
  };
  EXPECT_THAT(why_not_npz({good, good}), HasSubstr("'x.npy' is there twice"));
  EXPECT_THAT(why_not_npz({good, Entry::stored("../../x.npy", "")}), HasSubstr("leads out of it"));
  EXPECT_THAT(why_not_npz({good, Entry::stored("a\\..\\x.npy", "")}), HasSubstr("leads out of it"));
  EXPECT_EQ(why_not_npz({good, Entry::stored("..x/y...npy", "")}), "it was read");
  EXPECT_THAT(with([](Entry& entry) { entry.flags = 1; }), HasSubstr("encrypted"));
  EXPECT_THAT(with([](Entry& entry) { entry.method = 14; }), HasSubstr("method 14"));
  EXPECT_THAT(with([](Entry& entry) { entry.size = 0xFFFFFFFF; }), HasSubstr("4 GiB"));
  EXPECT_THAT(with([](Entry& entry) { entry.size += 1; }), HasSubstr("two sizes"));
  EXPECT_THAT(with([](Entry& entry) { entry.packed_size = entry.size = 1U << 31; }), HasSubstr("cut off"));
  EXPECT_THAT(with([](Entry& entry) { entry.checksum ^= 1; }), HasSubstr("checksum"));
  // Its first block is of a kind that does not exist.
  const auto undeflated = [](Entry& entry) {
    entry.method = 8;
    entry.packed.front() = '\x07';
  };
  EXPECT_THAT(with(undeflated), HasSubstr("not deflated"));
}

// dims = [2], data_type = FLOAT, raw_data.
TEST_F(TensorFile, ATensorOfOnnxIsRead) {
  const auto file = write("input_0.pb", std::string("\x08\x02\x10\x01\x4a\x08", 6) + "abcdefgh");
  const auto tensor = read(file);
  if (!tensor.ok() && tensor.error().code == ErrorCode::kUnavailable) GTEST_SKIP() << "built without protobuf";
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(type_text(tensor.value().type), "f32[2]");
  EXPECT_EQ(std::to_integer<char>(tensor.value().bytes.at(7)), 'h');
  EXPECT_THAT(why_not(write("cut.pb", std::string("\x08\x02\x10\x01\x4a\x08", 6) + "abcd")), HasSubstr("cut.pb"));
  EXPECT_THAT(why_not(write("large.pb", std::string("\x08\x20\x10\x01\x4a\x80\x01", 7) + std::string(128, 'x'))),
              HasSubstr("which is too much"));
}

TEST_F(TensorFile, WhatIsNoFileIsNotWaitedFor) {
  ASSERT_EQ(mkfifo((folder_->path() / "pipe.npy").c_str(), 0600), 0);
  EXPECT_THAT(why_not(folder_->path() / "pipe.npy"), HasSubstr("no ordinary file"));
  EXPECT_THAT(why_not(folder_->path()), HasSubstr("no ordinary file"));
  EXPECT_THAT(why_not(folder_->path() / "none.npz:x"), HasSubstr("none.npz"));
  std::filesystem::create_symlink(write("real.npy", npy("(1,)", "abcd")), folder_->path() / "link.npy");
  EXPECT_EQ(why_not(folder_->path() / "link.npy"), "it was read");
}

}  // namespace
}  // namespace fuselab::engine
