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
  const VendorLibrary library{"NOWHERE", kSonames, {}, {}};
  const auto opened = open_vendor_library(library, {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(opened.error().message, "libfuselab-nowhere.so.2, libfuselab-nowhere.so.1 not found");
}

TEST(VendorLibrary, LooksIntoKnownFoldersAndThenPythonPackages) {
  const ScratchFolder scratch;
  const std::string folder = (scratch.path() / "toolkit").string();
  const std::string_view folders[] = {folder};
  const VendorLibrary library{"NOWHERE", kSonames, folders, kWheels};
  const Surroundings surroundings{"", {scratch.path() / "empty", scratch.path() / "packages"}};

  copy_to(scratch.path() / "packages/vendor/lib/libfuselab-nowhere.so.1");
  const auto in_wheel = open_vendor_library(library, surroundings);
  ASSERT_TRUE(in_wheel.ok()) << in_wheel.error().message;
  EXPECT_EQ(in_wheel.value().path, (scratch.path() / "packages/vendor/lib/libfuselab-nowhere.so.1").string());
  EXPECT_NE(in_wheel.value().symbol("nvrtcVersion"), nullptr);

  copy_to(scratch.path() / "toolkit/libfuselab-nowhere.so.1");
  const auto in_folder = open_vendor_library(library, surroundings);
  ASSERT_TRUE(in_folder.ok()) << in_folder.error().message;
  EXPECT_EQ(in_folder.value().path, (scratch.path() / "toolkit/libfuselab-nowhere.so.1").string());
}

TEST(VendorLibrary, LooksIntoTheEnvironmentOfThePythonThatIsUsed) {
  const ScratchFolder scratch;
  const std::filesystem::path packages = scratch.path() / "lib/python3.12/site-packages";
  std::filesystem::create_directories(packages);
  scratch.write("bin/python3", "");
  const std::string before = std::getenv("PATH");
  setenv("PATH", (scratch.path() / "empty").string().append(":").append((scratch.path() / "bin").string()).c_str(), 1);
  const auto roots = real_surroundings("NOWHERE").python_roots;
  setenv("PATH", before.c_str(), 1);
  EXPECT_THAT(roots, testing::Contains(packages));
}

TEST(VendorLibrary, TakesTheChosenFileAndNoOther) {
  const VendorLibrary library{"NOWHERE", kSonames, {}, {}};
  ASSERT_TRUE(open_vendor_library(library, {HOLLOW, {}}).ok());
  const auto wrong = open_vendor_library(library, {"/nonexistent/lib.so", {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "FUSELAB_LIB_NOWHERE: /nonexistent/lib.so not found");
}

TEST(VendorLibrary, RefusesStubsBeforeTheyRun) {
  const ScratchFolder scratch;
  copy_to(scratch.path() / "stubs/libfuselab-nowhere.so.1");
  const VendorLibrary library{"NOWHERE", kSonames, {}, {}};
  const auto stub = open_vendor_library(library, {(scratch.path() / "stubs/libfuselab-nowhere.so.1").string(), {}});
  ASSERT_FALSE(stub.ok());
  EXPECT_THAT(stub.error().message, HasSubstr("is a stub to link against, not the library"));
}

TEST(VendorLibrary, SaysWhyOneThatIsThereDoesNotOpen) {
  const ScratchFolder scratch;
  scratch.write("libbroken.so", "no library at all");
  const VendorLibrary library{"NOWHERE", kSonames, {}, {}};
  const auto broken = open_vendor_library(library, {(scratch.path() / "libbroken.so").string(), {}});
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().message, HasSubstr("libbroken.so"));
  EXPECT_THAT(broken.error().message, testing::Not(HasSubstr("\n")));
}

TEST(VendorLibrary, NamesTheFunctionThatIsMissing) {
  const auto opened = open_library(HOLLOW);
  void* function = nullptr;
  const Symbol wanted[] = {{"nvrtcVersion", &function}, {"nvrtcCompileProgram", &function}};
  const auto resolved = resolve(opened, wanted);
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().message,
            std::string(HOLLOW) + " has no function nvrtcCompileProgram: it is too old or not the library");
}

}  // namespace
}  // namespace fuselab::loading
