// SPDX-License-Identifier: Apache-2.0
// Numbers of weights, which are read only where they are asked for.
#include <cstring>
#include <fstream>

#include "core/platform/files/temporary_folder.h"
#include "core/tensor/tensor.h"
#include "tests/unit/import/model_maker.h"

namespace fuselab {
namespace {

using testing::ModelMaker;

// y = x · w, with 80 numbers of w: more than are known while importing.
struct Product {
  ModelMaker maker;
  onnx::TensorProto* weight = nullptr;

  Product() {
    maker.input("x", {"3", "8"});
    weight = maker.graph().add_initializer();
    weight->set_name("w");
    weight->set_data_type(1);
    weight->add_dims(8);
    weight->add_dims(10);
    maker.node("MatMul", {"x", "w"}, {"y"}).output("y");
  }
};

Result<ImportedModel> read(const ModelMaker& maker, const std::filesystem::path& folder = {}, Weights weights = Weights::kRead) {
  const std::string bytes = maker.bytes();
  return import_onnx_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), folder, {}, weights);
}

std::vector<float> numbers() {
  std::vector<float> all;
  for (int i = 0; i < 80; ++i) all.push_back(0.5f * static_cast<float>(i) - 7);
  return all;
}

void expect_numbers(const Result<ImportedModel>& model) {
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto held = model.value().weights.find("w");
  ASSERT_NE(held, model.value().weights.end());
  const auto wanted = numbers();
  ASSERT_EQ(held->second.size(), 4 * wanted.size());
  EXPECT_EQ(std::memcmp(held->second.data(), wanted.data(), held->second.size()), 0);
}

TEST(WeightNumbers, AreThoseOfTheFileInEitherField) {
  Product typed;
  for (const float number : numbers()) typed.weight->add_float_data(number);
  expect_numbers(read(typed.maker));
  const auto shapes = read(typed.maker, {}, Weights::kShapesAlone).value();
  EXPECT_TRUE(shapes.weights.empty());
  EXPECT_EQ(shapes.weight_files, (std::map<std::string, std::string>{{"w", ""}})) << "in the model itself";
  EXPECT_TRUE(read(Product().maker, {}, Weights::kShapesAlone).value().weight_files.empty()) << "left out";
  Product raw;
  const auto all = numbers();
  raw.weight->set_raw_data(all.data(), 4 * all.size());
  expect_numbers(read(raw.maker));
}

TEST(WeightNumbers, AreReadFromTheFileBesideTheModel) {
  const auto folder = platform::TemporaryFolder::create("fuselab-weights");
  ASSERT_TRUE(folder.ok());
  const auto all = numbers();
  std::ofstream(folder.value().path() / "w.bin", std::ios::binary)
      .write("12345678", 8)
      .write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(4 * all.size()));
  Product product;
  product.weight->set_data_location(1);
  for (const auto& [key, value] : {std::pair{"location", "w.bin"}, std::pair{"offset", "8"}}) {
    auto& entry = *product.weight->add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  expect_numbers(read(product.maker, folder.value().path()));
  using Files = std::map<std::string, std::string>;
  EXPECT_EQ(read(product.maker, folder.value().path(), Weights::kShapesAlone).value().weight_files, (Files{{"w", "w.bin"}}));
  std::filesystem::remove(folder.value().path() / "w.bin");
  const auto without = read(product.maker, folder.value().path());
  ASSERT_TRUE(without.ok()) << without.error().message;
  EXPECT_TRUE(without.value().weights.empty());
  EXPECT_EQ(without.value().weight_files, Files()) << "nobody has its numbers";
}

TEST(WeightNumbers, OfUnsignedTypesLieInAFieldOfTheirOwn) {
  for (const int code : {12, 13}) {  // u32, u64
    ModelMaker maker;
    maker.input("x", {"70"}, code);
    auto& weight = *maker.graph().add_initializer();
    weight.set_name("w");
    weight.set_data_type(code);
    weight.add_dims(70);
    for (std::uint64_t i = 0; i < 70; ++i) weight.add_uint64_data(i * 3);
    const auto model = read(maker.node("Equal", {"x", "w"}, {"y"}).output("y"));
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto held = model.value().weights.find("w");
    ASSERT_NE(held, model.value().weights.end());
    EXPECT_EQ(unpack({code == 12 ? DType::kU32 : DType::kU64, {70}}, held->second).value().data.back(), 207);
  }
}

TEST(WeightNumbers, OfSmallTensorsAndOfConstantNodesAreThereToo) {
  ModelMaker maker;
  maker.input("x", {"3", "4"});
  auto& small = *maker.graph().add_initializer();
  small.set_name("b");
  small.set_data_type(11);  // double
  small.add_dims(4);
  for (int i = 0; i < 4; ++i) small.add_double_data(i + 0.25);
  maker.node("Cast", {"b"}, {"c"}).with("to", 1).node("Add", {"x", "c"}, {"y"}).output("y");
  const auto model = read(maker);
  ASSERT_TRUE(model.ok()) << model.error().message;
  ASSERT_EQ(model.value().weights.size(), 1U);
  const auto& [name, bytes] = *model.value().weights.begin();
  const bool folded = bytes.size() == 16;
  const auto values = unpack({folded ? DType::kF32 : DType::kF64, {4}}, bytes);
  ASSERT_TRUE(values.ok()) << name;
  EXPECT_EQ(values.value().data, (std::vector<double>{0.25, 1.25, 2.25, 3.25}));
}

}  // namespace
}  // namespace fuselab
