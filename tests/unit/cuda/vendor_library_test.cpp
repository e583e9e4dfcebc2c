// SPDX-License-Identifier: Apache-2.0
#include "backends/loading/vendor_library.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::loading {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSonames[] = {"libfuselab-nowhere.so.2", "libfuselab-nowhere.so.1"};
constexpr std::string_view kWheels[] = {"vendor/lib"};

void copy_to(const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  std::filesystem::copy_file(HOLLOW, file);
}

TEST(VendorLibrary, NamesAllSonamesWhenNoneIsFound) {
  VendorLibrary const library{"NOWHERE", kSonames, {}, {}};
  auto const opened = open_vendor_library(library, {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(opened.error().message, "libfuselab-nowhere.so.2, libfuselab-nowhere.so.1 not found");
}

TEST(VendorLibrary, LooksIntoKnownFoldersAndThenPythonPackages) {
  ScratchFolder const scratch;
  std::string const folder = (scratch.path() / "toolkit").string();
  std::string_view const folders[] = {folder};
  VendorLibrary const library{"NOWHERE", kSonames, folders, kWheels};
  Surroundings const surroundings{"", {scratch.path() / "empty", scratch.path() / "packages"}};

  copy_to(scratch.path() / "packages/vendor/lib/libfuselab-nowhere.so.1");
  auto const in_wheel = open_vendor_library(library, surroundings);
  ASSERT_TRUE(in_wheel.ok()) << in_wheel.error().message;
  EXPECT_EQ(in_wheel.value().path, (scratch.path() / "packages/vendor/lib/libfuselab-nowhere.so.1").string());
  EXPECT_NE(in_wheel.value().symbol("nvrtcVersion"), nullptr);

  copy_to(scratch.path() / "toolkit/libfuselab-nowhere.so.1");
  auto const in_folder = open_vendor_library(library, surroundings);
  ASSERT_TRUE(in_folder.ok()) << in_folder.error().message;
  EXPECT_EQ(in_folder.value().path, (scratch.path() / "toolkit/libfuselab-nowhere.so.1").string());
}

TEST(VendorLibrary, LooksIntoTheEnvironmentOfThePythonThatIsUsed) {
  ScratchFolder const scratch;
  std::filesystem::path const packages = scratch.path() / "lib/python3.12/site-packages";
  std::filesystem::create_directories(packages);
  scratch.write("bin/python3", "");
  std::string const before = std::getenv("PATH");
  setenv("PATH", (scratch.path() / "empty").string().append(":").append((scratch.path() / "bin").string()).c_str(), 1);
  auto const roots = real_surroundings("NOWHERE").python_roots;
  setenv("PATH", before.c_str(), 1);
  EXPECT_THAT(roots, testing::Contains(packages));
}

TEST(VendorLibrary, TakesTheChosenFileAndNoOther) {
  VendorLibrary const library{"NOWHERE", kSonames, {}, {}};
  ASSERT_TRUE(open_vendor_library(library, {HOLLOW, {}}).ok());
  auto const wrong = open_vendor_library(library, {"/nonexistent/lib.so", {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "FUSELAB_LIB_NOWHERE: /nonexistent/lib.so not found");
}

TEST(VendorLibrary, RefusesStubsBeforeTheyRun) {
  ScratchFolder const scratch;
  copy_to(scratch.path() / "stubs/libfuselab-nowhere.so.1");
  VendorLibrary const library{"NOWHERE", kSonames, {}, {}};
  auto const stub = open_vendor_library(library, {(scratch.path() / "stubs/libfuselab-nowhere.so.1").string(), {}});
  ASSERT_FALSE(stub.ok());
  EXPECT_THAT(stub.error().message, HasSubstr("is a stub to link against, not the library"));
}

TEST(VendorLibrary, SaysWhyOneThatIsThereDoesNotOpen) {
  ScratchFolder const scratch;
  scratch.write("libbroken.so", "no library at all");
  VendorLibrary const library{"NOWHERE", kSonames, {}, {}};
  auto const broken = open_vendor_library(library, {(scratch.path() / "libbroken.so").string(), {}});
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().message, HasSubstr("libbroken.so"));
  EXPECT_THAT(broken.error().message, testing::Not(HasSubstr("\n")));
}

TEST(VendorLibrary, NamesTheFunctionThatIsMissing) {
  auto const opened = open_library(HOLLOW);
  void* function = nullptr;
  Symbol const wanted[] = {{"nvrtcVersion", &function}, {"nvrtcCompileProgram", &function}};
  auto const resolved = resolve(opened, wanted);
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().message,
            std::string(HOLLOW) + " has no function nvrtcCompileProgram: it is too old or not the library");
}

}  // namespace
}  // namespace fuselab::loading
