// SPDX-License-Identifier: Apache-2.0
// Tensors that lie in files of their own, as in ONNX's test data.
#include <cstring>

#include "tests/unit/import/model_maker.h"

namespace fuselab {
namespace {

using testing::has;

Result<PackedTensor> read(const std::string& bytes) {
  return import_tensor(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

std::string why_not(const std::string& bytes) {
  const auto tensor = read(bytes);
  return tensor.ok() ? "it was read" : tensor.error().message;
}

onnx::TensorProto pair_of_floats() {
  onnx::TensorProto tensor;
  tensor.set_data_type(1);
  tensor.add_dims(2);
  return tensor;
}

TEST(TensorFromAFile, HasTheNumbersOfEitherField) {
  const float numbers[] = {0.5f, -3};
  onnx::TensorProto typed = pair_of_floats(), raw = pair_of_floats();
  for (const float number : numbers) typed.add_float_data(number);
  raw.set_raw_data(numbers, sizeof numbers);
  for (const onnx::TensorProto* tensor : {&typed, &raw}) {
    const auto there = read(tensor->SerializeAsString());
    ASSERT_TRUE(there.ok()) << there.error().message;
    EXPECT_EQ(type_text(there.value().type), "f32[2]");
    ASSERT_EQ(there.value().bytes.size(), sizeof numbers);
    EXPECT_EQ(std::memcmp(there.value().bytes.data(), numbers, sizeof numbers), 0);
  }
}

TEST(TensorFromAFile, WithoutItsNumbersIsOneError) {
  onnx::TensorProto tensor = pair_of_floats();
  EXPECT_TRUE(has(why_not(tensor.SerializeAsString()), "f32[2] and holds no numbers"));
  tensor.add_float_data(1);
  EXPECT_TRUE(has(why_not(tensor.SerializeAsString()), "takes 2 numbers, but the file has 1"));
  tensor = pair_of_floats();
  tensor.set_raw_data("12345");
  EXPECT_TRUE(has(why_not(tensor.SerializeAsString()), "takes 8 bytes, but the file has 5"));
  tensor = pair_of_floats();
  tensor.set_data_location(1);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("/etc/passwd");
  EXPECT_TRUE(has(why_not(tensor.SerializeAsString()), "another file"));
}

TEST(TensorFromAFile, HostileTypesAreOneError) {
  onnx::TensorProto tensor;
  tensor.add_dims(2);
  tensor.set_data_type(8);
  EXPECT_TRUE(has(why_not(tensor.SerializeAsString()), "ONNX element type 8"));
  tensor.set_data_type(1);
  tensor.set_dims(0, -2);
  EXPECT_TRUE(has(why_not(tensor.SerializeAsString()), "extent -2"));
  tensor.set_dims(0, INT64_MAX);
  tensor.add_dims(INT64_MAX);
  EXPECT_NE(why_not(tensor.SerializeAsString()), "it was read");
  for (int i = 0; i < 20; ++i) tensor.add_dims(1);
  EXPECT_TRUE(has(why_not(tensor.SerializeAsString()), "more than 8 dimensions"));
}

TEST(TensorFromAFile, WhatIsNoTensorIsOneError) {
  EXPECT_TRUE(has(why_not(""), "no ONNX tensor"));
  EXPECT_TRUE(has(why_not("\x93NUMPY"), "no ONNX tensor"));
  onnx::TensorProto tensor = pair_of_floats();
  tensor.set_raw_data("12345678");
  const std::string whole = tensor.SerializeAsString();
  for (std::size_t kept = 0; kept < whole.size(); ++kept) EXPECT_NE(why_not(whole.substr(0, kept)), "it was read") << kept;
  // Two bytes of the file for an object of a hundred.
  std::string parts = whole;
  for (int i = 0; i < 4'000'000; ++i) parts += std::string("\x6a\x00", 2);
  EXPECT_TRUE(has(why_not(parts), "512 MiB"));
}

}  // namespace
}  // namespace fuselab
