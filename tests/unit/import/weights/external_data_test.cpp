// SPDX-License-Identifier: Apache-2.0
// Weights in files beside the model: nothing outside of its folder is ever opened.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/platform/files/temporary_folder.h"
#include "tests/unit/import/model_maker.h"

namespace fuselab {
namespace {

using testing::has;
using testing::ModelMaker;
using testing::output_type;

class ExternalData : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = platform::TemporaryFolder::create("fuselab-external");
    ASSERT_TRUE(made.ok());
    outside_.emplace(std::move(made).value());
    folder_ = outside_->path() / "model";
    std::filesystem::create_directories(folder_ / "data");
  }

  void write(const std::string& name, const std::vector<std::int64_t>& numbers) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(8 * numbers.size()));
  }

  // x, reshaped to the two numbers that lie elsewhere.
  Result<ImportedModel> reshaped(const std::string& location, const std::string& offset = "",
                                 const std::string& length = "") const {
    ModelMaker maker;
    auto& shape = *maker.graph().add_initializer();
    shape.set_name("s");
    shape.set_data_type(7);
    shape.add_dims(2);
    shape.set_data_location(1);
    const auto say = [&](const std::string& key, const std::string& value) {
      auto& entry = *shape.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    if (!location.empty()) say("location", location);
    if (!offset.empty()) say("offset", offset);
    if (!length.empty()) say("length", length);
    const std::string bytes = maker.input("x", {"12"}).node("Reshape", {"x", "s"}, {"y"}).output("y").bytes();
    return import_onnx_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), folder_);
  }

  void expect_refused(const std::string& location, std::string_view because) const {
    const auto model = reshaped(location);
    ASSERT_FALSE(model.ok()) << location;
    EXPECT_TRUE(has(model.error().message, "initializer 's'")) << model.error().message;
    EXPECT_TRUE(has(model.error().message, because)) << model.error().message;
  }

  std::optional<platform::TemporaryFolder> outside_;
  std::filesystem::path folder_;
};

TEST_F(ExternalData, SmallTensorsAreRead) {
  write("data/w.bin", {7, 3, 4});
  const auto model = reshaped("data/w.bin", "8", "16");
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(output_type(model.value().graph), "f32[3,4]");
}

TEST_F(ExternalData, PathsThatLeaveTheFolderAreRefused) {
  std::ofstream(outside_->path() / "secret") << "0123456789abcdef";
  expect_refused("/etc/hostname", "absolute");
  expect_refused("C:/weights", "absolute");
  expect_refused("\\\\host\\share", "absolute");
  expect_refused("../secret", "leads out of the folder");
  expect_refused("data/../../secret", "leads out of the folder");
  expect_refused("data\\..\\..\\secret", "leads out of the folder");
  expect_refused(std::string("w\0bin", 5), "no file name");
  expect_refused("", "is not named");
}

TEST_F(ExternalData, SymbolicLinksAreRefused) {
  std::ofstream(outside_->path() / "secret") << "0123456789abcdef";
  std::filesystem::create_symlink(outside_->path() / "secret", folder_ / "link");
  std::filesystem::create_directory_symlink(outside_->path(), folder_ / "door");
  std::filesystem::create_symlink(folder_ / "link", folder_ / "data" / "chain");
  expect_refused("link", "symbolic link");
  expect_refused("door/secret", "symbolic link");
  expect_refused("data/chain", "symbolic link");
}

TEST_F(ExternalData, OnlyOrdinaryFilesAreOpened) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_refused("pipe", "no ordinary file");  // opening it would wait for ever
  expect_refused("data", "no ordinary file");
  expect_refused("data/", "no ordinary file");
  expect_refused(".", "no ordinary file");
}

TEST_F(ExternalData, RangesThatTheFileDoesNotHaveAreRefused) {
  write("w.bin", {3, 4});
  const auto said = [&](const std::string& offset, const std::string& length) {
    const auto model = reshaped("w.bin", offset, length);
    return model.ok() ? "" : model.error().message;
  };
  EXPECT_EQ(said("0", "16"), "");
  EXPECT_TRUE(has(said("8", "16"), "'w.bin' has 16 bytes"));
  EXPECT_TRUE(has(said("9223372036854775807", ""), "'w.bin' has 16 bytes"));
  EXPECT_TRUE(has(said("-8", ""), "no number of bytes"));
  EXPECT_TRUE(has(said("0x8", ""), "no number of bytes"));
  EXPECT_TRUE(has(said("99999999999999999999", ""), "no number of bytes"));
  EXPECT_TRUE(has(said("0", "8"), "its external data has 8"));
}

TEST_F(ExternalData, AFileThatIsNotThereIsNoted) {
  const auto model = reshaped("gone.bin");
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model.value().opaque_nodes, 1);  // the shape is not known
  EXPECT_TRUE(has(model.value().notes.back(), "'gone.bin'")) << model.value().notes.back();
  write("w.bin", {3, 4});
  const auto beyond = reshaped("w.bin/more");
  ASSERT_TRUE(beyond.ok()) << beyond.error().message;
  EXPECT_TRUE(has(beyond.value().notes.back(), "'w.bin/more'")) << beyond.value().notes.back();
}

TEST_F(ExternalData, ConstantsAreHeldToTheSame) {
  ModelMaker maker;
  maker.node("Constant", {}, {"y"}).output("y");
  auto& value = *maker.graph().mutable_node(0)->add_attribute();
  value.set_name("value");
  value.mutable_t()->set_data_type(1);
  value.mutable_t()->add_dims(100);
  value.mutable_t()->set_data_location(1);
  auto& entry = *value.mutable_t()->add_external_data();
  entry.set_key("location");
  entry.set_value("../secret");
  EXPECT_TRUE(has(testing::error_of(maker), "leads out of the folder")) << testing::error_of(maker);
}

}  // namespace
}  // namespace fuselab
