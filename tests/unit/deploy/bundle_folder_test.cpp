// SPDX-License-Identifier: Apache-2.0
// A bundle as a folder: the same parts as in the file, replaced as a whole, and nothing in it that somebody else put there.
#include "app/deploy/bundle/bundle_folder.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "app/deploy/bundle/bundle_file.h"
#include "app/deploy/bundle/stored_zip.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::deploy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Bundle small(const std::string& made_by = "a test") {
  Bundle bundle;
  bundle.manifest.made_by = made_by;
  BundleKernel kernel;
  kernel.file = bundle.keep_code(std::vector<std::byte>(100, std::byte{7}));
  kernel.source = bundle.keep_source("int kernel;");
  bundle.manifest.kernels = {kernel};
  bundle.weights.resize(64, std::byte{1});
  return bundle;
}

class BundleFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "fuselab-folder-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    home_ = name;
    trust_ = std::make_unique<db::Trust>(home_ / "keys");
    folder_ = home_ / "models" / "small";
  }
  void TearDown() override { fs::remove_all(home_); }

  Status write(const fs::path& to, Bundle bundle = small()) { return write_bundle(to, bundle, *trust_, BundleForm::kFolder); }
  Result<InspectedBundle> read() { return read_bundle(folder_, *trust_); }
  void expect_refused(const std::string& why) {
    const auto found = read();
    ASSERT_FALSE(found.ok()) << why;
    EXPECT_EQ(found.error().code, ErrorCode::kCorrupt) << why;
    EXPECT_THAT(found.error().message, HasSubstr(why));
  }

  fs::path home_, folder_;
  std::unique_ptr<db::Trust> trust_;
};

TEST_F(BundleFolderTest, HoldsWhatTheFileHolds) {
  ASSERT_TRUE(write(folder_ / "").ok()) << "with a slash behind it";
  Bundle bundle = small();
  ASSERT_TRUE(write_bundle(home_ / "small.fuselab", bundle, *trust_).ok());
  const auto file = platform::read_file(home_ / "small.fuselab", {1 << 20}).value();
  const auto files = read_bundle_folder(folder_, {1 << 20}).value();
  const auto entries = read_stored_zip(file).value();
  ASSERT_EQ(files.size(), entries.size());
  for (const auto& [name, bytes] : entries) {
    ASSERT_TRUE(files.contains(name)) << name;
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), files.at(name).begin(), files.at(name).end())) << name;
  }
  const auto inspected = read();
  ASSERT_TRUE(inspected.ok()) << inspected.error().message;
  EXPECT_TRUE(inspected.value().trusted);
  EXPECT_EQ(inspected.value().manifest.kernels.size(), 1U);
}

TEST_F(BundleFolderTest, IsReplacedAsAWhole) {
  ASSERT_TRUE(write(folder_).ok());
  Bundle other = small("another test");
  other.weights.clear();
  ASSERT_TRUE(write(folder_, other).ok());
  const auto found = read();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().manifest.made_by, "another test");
  EXPECT_FALSE(fs::exists(folder_ / "weights.bin")) << "nothing of the one before stays";
  std::size_t beside = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.parent_path())) ++beside;
  EXPECT_EQ(beside, 1U) << "nor anything half written";
}

TEST_F(BundleFolderTest, TakesThePlaceOfABundleOnly) {
  fs::create_directories(folder_);
  EXPECT_TRUE(write(folder_).ok()) << "an empty folder is nobody's work";
  std::ofstream(folder_ / "notes.txt") << "mine";
  const Status refused = write(folder_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
  fs::create_directories(home_ / "work" / "kernels");
  std::ofstream(home_ / "work" / "manifest.json.txt") << "mine";
  EXPECT_FALSE(write(home_ / "work").ok());
  std::ofstream(home_ / "file") << "mine";
  EXPECT_FALSE(write(home_ / "file").ok());
  fs::remove(folder_ / "notes.txt");
  fs::create_directory_symlink(folder_, home_ / "link");
  EXPECT_FALSE(write(home_ / "link").ok());
}

TEST_F(BundleFolderTest, ThatWasChangedIsCorrupt) {
  const std::string code = "kernels/" + small().manifest.kernels[0].file + ".so";
  for (const std::string& name : {std::string("manifest.json"), std::string("signature"), std::string("weights.bin"), code}) {
    fs::remove_all(folder_);
    ASSERT_TRUE(write(folder_).ok());
    std::ofstream(folder_ / name, std::ios::app) << "x";
    EXPECT_FALSE(read().ok()) << name;
    ASSERT_TRUE(write(folder_).ok());
    fs::remove(folder_ / name);
    if (name != "signature") {
      EXPECT_FALSE(read().ok()) << name;
    }
  }
}

TEST_F(BundleFolderTest, WithWhatDoesNotBelongIsRefused) {
  ASSERT_TRUE(write(folder_).ok());
  fs::create_directory(folder_ / "more");
  expect_refused("'more' does not belong");
  fs::remove(folder_ / "more");
  std::ofstream(folder_ / "kernels" / "evil.so") << "x";
  expect_refused("'kernels/evil.so' does not belong");
  fs::remove(folder_ / "kernels" / "evil.so");
  EXPECT_TRUE(read().ok());
  fs::rename(folder_ / "weights.bin", home_ / "elsewhere");
  fs::create_symlink(home_ / "elsewhere", folder_ / "weights.bin");
  expect_refused("symbolic link");
  fs::remove(folder_ / "weights.bin");
  fs::rename(home_ / "elsewhere", folder_ / "weights.bin");
  fs::rename(folder_ / "kernels", home_ / "kernels");
  fs::create_directory_symlink(home_ / "kernels", folder_ / "kernels");
  expect_refused("'kernels' does not belong");
}

}  // namespace
}  // namespace fuselab::deploy
