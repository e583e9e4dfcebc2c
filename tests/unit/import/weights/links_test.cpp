// SPDX-License-Identifier: Apache-2.0
// Weights behind symbolic links: refused, unless whoever reads the model says that links are to be followed.
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/platform/files/temporary_folder.h"
#include "tests/unit/import/model_maker.h"

namespace fuselab {
namespace {

using platform::Links;
using testing::has;
using testing::ModelMaker;

constexpr std::size_t kWeights = 80;  // more than are known while importing

class LinkedWeights : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = platform::TemporaryFolder::create("fuselab-links");
    ASSERT_TRUE(made.ok());
    scratch_.emplace(std::move(made).value());
    std::filesystem::create_directories(here() / "blobs");
    std::filesystem::create_directories(here() / "snapshots" / "main");
    std::vector<float> numbers;
    for (std::size_t i = 0; i < kWeights; ++i) numbers.push_back(static_cast<float>(i) / 4);
    weights_.resize(4 * kWeights);
    std::memcpy(weights_.data(), numbers.data(), weights_.size());
  }
  std::filesystem::path here() const { return scratch_->path(); }

  void write_weights(const std::filesystem::path& file) const {
    std::ofstream(here() / file, std::ios::binary).write(weights_.data(), static_cast<std::streamsize>(weights_.size()));
  }
  void write_model(const std::filesystem::path& file, const std::string& location = "model.onnx_data") const {
    ModelMaker maker;
    maker.input("x", {"3", "8"});
    auto& weight = *maker.graph().add_initializer();
    weight.set_name("w");
    weight.set_data_type(1);
    weight.add_dims(8);
    weight.add_dims(10);
    weight.set_data_location(1);
    auto& entry = *weight.add_external_data();
    entry.set_key("location");
    entry.set_value(location);
    maker.node("MatMul", {"x", "w"}, {"y"}).output("y");
    const std::string bytes = maker.bytes();
    std::ofstream(here() / file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  Result<ImportedModel> read(const std::filesystem::path& file, Links links) const {
    return import_onnx(here() / file, {}, Weights::kRead, {}, links);
  }
  void expect_weights(const std::filesystem::path& file) const {
    const auto model = read(file, Links::kFollowed);
    ASSERT_TRUE(model.ok()) << model.error().message;
    ASSERT_TRUE(model.value().weights.contains("w"));
    EXPECT_EQ(std::memcmp(model.value().weights.at("w").data(), weights_.data(), weights_.size()), 0);
  }

  std::optional<platform::TemporaryFolder> scratch_;
  std::vector<char> weights_;
};

// The way in which Hugging Face's cache keeps a model.
TEST_F(LinkedWeights, OfACacheAreReadWhereLinksAreFollowed) {
  write_model("blobs/0a1b");
  write_weights("blobs/2c3d");
  const std::filesystem::path model = "snapshots/main/model.onnx";
  std::filesystem::create_symlink("../../blobs/0a1b", here() / model);
  std::filesystem::create_symlink("../../blobs/2c3d", here() / "snapshots/main/model.onnx_data");
  const auto refused = read(model, Links::kRefused);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(has(refused.error().message, "symbolic link")) << refused.error().message;
  EXPECT_TRUE(has(refused.error().message, "--follow-links")) << refused.error().message;
  expect_weights(model);
}

TEST_F(LinkedWeights, LieBesideTheFileThatTheModelIsALinkTo) {
  write_model("blobs/model.onnx");
  write_weights("blobs/model.onnx_data");
  const std::filesystem::path model = "linked.onnx";
  std::filesystem::create_symlink("blobs/model.onnx", here() / model);
  const auto without = read(model, Links::kRefused);
  ASSERT_TRUE(without.ok()) << without.error().message;
  EXPECT_TRUE(without.value().weights.empty());
  EXPECT_TRUE(has(without.value().notes.back(), "--follow-links")) << without.value().notes.back();
  expect_weights(model);
}

TEST_F(LinkedWeights, FollowingLinksFollowsNoNameOutOfTheFolder) {
  write_weights("secret");
  for (const auto& [location, because] : {std::pair{"../secret", "leads out"}, {"/etc/hostname", "absolute"}}) {
    write_model("blobs/model.onnx", location);
    const auto model = read("blobs/model.onnx", Links::kFollowed);
    ASSERT_FALSE(model.ok()) << location;
    EXPECT_TRUE(has(model.error().message, because)) << model.error().message;
    EXPECT_FALSE(has(model.error().message, "--follow-links")) << model.error().message;
  }
}

TEST_F(LinkedWeights, LinksThatLeadToNoFileAreOneError) {
  write_model("blobs/model.onnx");
  ASSERT_EQ(mkfifo((here() / "pipe").c_str(), 0600), 0);
  const std::filesystem::path link = here() / "blobs/model.onnx_data";
  const auto said = [&](const std::filesystem::path& target, Links links) {
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    const auto model = read("blobs/model.onnx", links);
    return model.ok() ? model.value().notes.back() : model.error().message;
  };
  EXPECT_TRUE(has(said("../pipe", Links::kFollowed), "no ordinary file")) << "opening it would wait for ever";
  EXPECT_TRUE(has(said("../gone", Links::kFollowed), "is not there"));
  EXPECT_TRUE(has(said("model.onnx_data", Links::kFollowed), "symbolic link")) << "it leads to itself";
  EXPECT_FALSE(has(said("../gone", Links::kRefused), "--follow-links")) << "it would change nothing";
}

}  // namespace
}  // namespace fuselab
