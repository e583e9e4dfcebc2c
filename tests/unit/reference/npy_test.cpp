// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace fuselab {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// A file of version 1.0 with this header and these bytes of numbers.
std::vector<std::byte> file_of(const std::string& header, const std::string& numbers) {
  const auto size = static_cast<unsigned>(header.size());
  return bytes_of(std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 0xff) + static_cast<char>(size >> 8) + header +
                  numbers);
}

std::string why_not(const std::vector<std::byte>& file) {
  const auto array = read_npy(file);
  return array.ok() ? "it was read" : array.error().message;
}

TEST(Npy, WhatIsWrittenIsReadAgain) {
  const std::vector<std::byte> numbers = bytes_of(std::string(24, 'x'));
  for (const TensorType& type : {TensorType{DType::kF32, {2, 3}}, TensorType{DType::kI64, {3}}, TensorType{DType::kF16, {3, 1, 4}},
                                 TensorType{DType::kBool, {24}}, TensorType{DType::kU16, {2, 2, 3}}}) {
    const auto file = write_npy(type, numbers);
    ASSERT_TRUE(file.ok()) << type_text(type);
    EXPECT_EQ((file.value().size() - numbers.size()) % 64, 0U) << "numbers begin at a line of the cache";
    const auto array = read_npy(file.value());
    ASSERT_TRUE(array.ok()) << array.error().message;
    EXPECT_EQ(type_text(array.value().type), type_text(type));
    EXPECT_EQ(array.value().bytes, numbers);
  }
  const auto number = write_npy({DType::kF64, {}}, bytes_of("12345678"));
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(type_text(read_npy(number.value()).value().type), "f64[]");
  EXPECT_FALSE(write_npy({DType::kBF16, {2}}, bytes_of("1234")).ok());
}

// As numpy.save wrote them: of a matrix in Fortran's order, and of one in C's.
TEST(Npy, FortransOrderIsTurned) {
  const auto turned = read_npy(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", "adbecf"));
  ASSERT_TRUE(turned.ok()) << turned.error().message;
  EXPECT_EQ(turned.value().bytes, bytes_of("abcdef"));
  const auto plain = read_npy(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", "abcdef"));
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_EQ(plain.value().bytes, bytes_of("abcdef"));
}

TEST(Npy, WhatIsNoSuchFileIsOneError) {
  const std::string f32 = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  EXPECT_NE(why_not({}).find("does not begin as one"), std::string::npos);
  EXPECT_NE(why_not(bytes_of("PK\x03\x04 a zip archive")).find("does not begin as one"), std::string::npos);
  EXPECT_NE(why_not(bytes_of(std::string("\x93NUMPY\x09\x00\x10\x00          ", 20))).find("version is 9"), std::string::npos);
  EXPECT_NE(why_not(bytes_of(std::string("\x93NUMPY\x01\x00\xff\xff{'descr'", 18))).find("cut off"), std::string::npos);
  EXPECT_NE(why_not(file_of("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", "")).find("element type"),
            std::string::npos);
  EXPECT_NE(why_not(file_of("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", "1234")).find("element type"),
            std::string::npos);
  EXPECT_NE(why_not(file_of(f32 + "(-1,), }\n", "")).find("shape is unreadable"), std::string::npos);
  EXPECT_NE(why_not(file_of(f32 + "(1, ", "")).find("shape is unreadable"), std::string::npos);
  EXPECT_NE(why_not(file_of(f32 + "(2,), }\n", "1234")).find("4 bytes of numbers"), std::string::npos);
  EXPECT_NE(why_not(file_of(f32 + "(1,), }\n", "12345678")).find("8 bytes of numbers"), std::string::npos);
  EXPECT_NE(why_not(file_of(f32 + "(1,), } junk()\n", "1234")).find("behind its header"), std::string::npos);
  EXPECT_NE(why_not(file_of(f32 + "(1,), ", "1234")), "it was read") << "the dict does not end";
  // Extents whose product is beyond every number of bytes.
  const std::string many = "(4611686018427387904, 4611686018427387904), }\n";
  EXPECT_NE(why_not(file_of(f32 + many, "1234")), "it was read");
  std::string axes = "(";
  for (int i = 0; i < 40; ++i) axes += "1, ";
  EXPECT_NE(why_not(file_of(f32 + axes + "), }\n", "1234")).find("32 axes"), std::string::npos);
}

}  // namespace
}  // namespace fuselab
