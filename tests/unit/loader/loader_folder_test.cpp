// SPDX-License-Identifier: Apache-2.0
// A bundle as a folder runs as the file does, and is trusted as little.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/unit/loader/bundle_writer.h"

namespace fuselab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LoaderFolder : public LoaderTest {
 protected:
  void write() {
    deploy::Bundle bundle = small_bundle();
    const Status done = deploy::write_bundle(place(), bundle, *trust_, deploy::BundleForm::kFolder);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  fs::path place() const { return folder_ / "small"; }
  fs::path code() const { return place() / "kernels" / (small_bundle().manifest.kernels[0].file + ".so"); }

  fl_status open_folder(unsigned flags = 0) {
    fl_close(bundle_);
    bundle_ = nullptr;
    const std::string key = own_key(), path = place().string();
    const char* const keys[] = {key.c_str()};
    return fl_open(path.c_str(), keys, 1, flags, &bundle_, &error_);
  }
  void expect_refused(const std::string& why, fl_status status = FL_CORRUPT) {
    EXPECT_EQ(open_folder(FL_VERIFY_WEIGHTS), status) << why;
    EXPECT_THAT(error_.message, HasSubstr(why));
    EXPECT_EQ(bundle_, nullptr);
  }
};

TEST_F(LoaderFolder, RunsAsTheFileDoes) {
  write();
  ASSERT_EQ(open_folder(FL_VERIFY_WEIGHTS), FL_OK) << error_.message;
  fl_context* context = nullptr;
  ASSERT_EQ(fl_context_create(bundle_, 0, nullptr, nullptr, &context, &error_), FL_OK) << error_.message;
  struct alignas(64) Row {
    float values[kFloats];
  } x{}, y{};
  for (std::size_t i = 0; i < kFloats; ++i) x.values[i] = static_cast<float>(i);
  ASSERT_EQ(fl_bind_input(context, "x", x.values, sizeof x, &error_), FL_OK);
  ASSERT_EQ(fl_bind_output(context, "y", y.values, sizeof y, &error_), FL_OK);
  ASSERT_EQ(fl_run(context, &error_), FL_OK) << error_.message;
  for (std::size_t i = 0; i < kFloats; ++i) EXPECT_EQ(y.values[i], x.values[i] + static_cast<float>(i + 1));
  fl_context_destroy(context);
}

TEST_F(LoaderFolder, IsReachedThroughALinkOfTheCallers) {
  write();
  fs::create_directory_symlink(place(), folder_ / "current");
  const std::string key = own_key(), path = (folder_ / "current").string() + "/";
  const char* const keys[] = {key.c_str()};
  EXPECT_EQ(fl_open(path.c_str(), keys, 1, 0, &bundle_, &error_), FL_OK) << error_.message;
}

TEST_F(LoaderFolder, OfAStrangerIsRefused) {
  write();
  EXPECT_EQ(fl_open(place().c_str(), nullptr, 0, 0, &bundle_, &error_), FL_UNTRUSTED);
  fs::remove(place() / "signature");
  expect_refused("nobody signed it", FL_UNSIGNED);
}

TEST_F(LoaderFolder, ThatWasChangedIsRefused) {
  write();
  std::ofstream(place() / "weights.bin", std::ios::in | std::ios::out) << "x";
  expect_refused("weights are not those");
  write();
  fs::resize_file(place() / "weights.bin", 64);
  expect_refused("of another size");
  write();
  std::ofstream(code(), std::ios::app) << "x";
  expect_refused("not the code that the manifest vouches for");
  write();
  fs::resize_file(code(), 0);
  expect_refused("is empty");
  write();
  fs::remove(code());
  expect_refused("is missing");
  write();
  std::ofstream(place() / "manifest.json", std::ios::app) << " ";
  expect_refused("signature does not fit");
  write();
  fs::resize_file(place() / "manifest.json", 0);
  expect_refused("signature does not fit");
  fs::remove(place() / "manifest.json");
  expect_refused("no manifest");
}

TEST_F(LoaderFolder, WithWhatDoesNotBelongIsRefused) {
  write();
  for (const char* const name : {"evil.so", "kernels/evil.so", "sources/..c", "Manifest.json", "weights.bin~"}) {
    std::ofstream(place() / name) << "x";
    expect_refused("does not belong into a bundle");
    fs::remove(place() / name);
  }
  fs::create_directories(place() / "kernels" / (std::string(64, 'a') + ".so"));
  expect_refused("no regular file");
  fs::remove(place() / "kernels" / (std::string(64, 'a') + ".so"));
  EXPECT_EQ(open_folder(), FL_OK) << error_.message;
}

TEST_F(LoaderFolder, WithLinksOrPipesIsRefused) {
  write();
  fs::rename(code(), folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", code());
  expect_refused("is a link");
  fs::remove(code());
  ASSERT_EQ(::mkfifo(code().c_str(), 0600), 0);
  expect_refused("no regular file");
  fs::remove(code());
  fs::rename(folder_ / "elsewhere", code());
  fs::rename(place() / "kernels", folder_ / "kernels");
  fs::create_directory_symlink(folder_ / "kernels", place() / "kernels");
  expect_refused("'kernels': this is no folder");
}

TEST_F(LoaderFolder, ThatIsEmptyIsRefused) {
  fs::create_directory(place());
  expect_refused("no manifest");
}

}  // namespace
}  // namespace fuselab
