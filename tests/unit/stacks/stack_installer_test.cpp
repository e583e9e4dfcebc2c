// SPDX-License-Identifier: Apache-2.0
#include "app/engine/stacks/stack_installer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/engine/stacks/stack_state.h"
#include "backends/loading/vendor_library.h"
#include "core/base/content_hash.h"
#include "core/platform/files/installed_stack.h"
#include "tests/support/environment_variables.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::engine {
namespace {

namespace fs = std::filesystem;

// Makes fake-1.0-py3-none-any.whl in the folder "wheels" and prints nothing. The list is right unless told otherwise.
constexpr const char* kMakeWheel = R"(
import base64, hashlib, sys, zipfile
folder, content, listed = sys.argv[1:4]
def line(name, data):
    return name + ',sha256=' + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode() + ',' + str(len(data)) + '\n'
files = {'fake/libfake.so': content.encode(), 'fake/libpart.so.1': b'part', 'fake-1.0.dist-info/WHEEL': b'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
         'fake-1.0.dist-info/METADATA': b'Metadata-Version: 2.1\nName: fake\nVersion: 1.0\n'}
record = ''.join(line(name, listed.encode() if name.endswith('.so') else data) for name, data in files.items())
files['fake-1.0.dist-info/RECORD'] = (record + 'fake-1.0.dist-info/RECORD,,\n').encode()
with zipfile.ZipFile(folder + '/fake-1.0-py3-none-any.whl', 'w') as wheel:
    for name, data in files.items(): wheel.writestr(name, data)
open(folder + '/../RECORD', 'wb').write(files['fake-1.0.dist-info/RECORD'])
)";

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of wheels with one fake one in it, which is all that pip may look at, and an empty data folder.
class StackInstaller : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -m pip --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "python3 has no pip: apt install python3-pip";
    fs::create_directories(folder_.path() / "wheels");
    variables_.set("PIP_NO_INDEX", "1");
    variables_.set("PIP_FIND_LINKS", (folder_.path() / "wheels").string());
    make_wheel("one", "one");
  }

  void make_wheel(const std::string& content, const std::string& listed) {
    folder_.write("make.py", kMakeWheel);
    const std::string command = "python3 '" + (folder_.path() / "make.py").string() + "' '" + (folder_.path() / "wheels").string() +
                                "' '" + content + "' '" + listed + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string wheel = bytes_of(folder_.path() / "wheels" / "fake-1.0-py3-none-any.whl");
    sha_ = ContentHash::of(wheel).hex();
    record_sha_ = ContentHash::of(bytes_of(folder_.path() / "RECORD")).hex();
    size_ = static_cast<std::int64_t>(wheel.size());
  }

  InstallableStack stack() const {
    return {"fake",
            "fake",
            "1.0",
            "Nobody",
            "MIT",
            LicenceClass::kFree,
            Bytes{size_},
            sha_,
            "fake-1.0.dist-info/RECORD",
            record_sha_,
            "fake/libfake.so",
            ""};
  }
  Status install(const InstallableStack& stack) {
    return install_stack(data(), stack, [](const StackProgress&) {}, {});
  }
  fs::path data() const { return folder_.path() / "data"; }
  fs::path library() const { return data() / "fuselab/backends/fake/1.0/fake/libfake.so"; }
  StackState::Kind kind(const InstallableStack& stack) const { return stack_state(data(), stack, StackCheck::kBytes).kind; }

  ScratchFolder folder_;
  test::Variables variables_;
  std::string sha_, record_sha_;
  std::int64_t size_ = 0;
};

TEST_F(StackInstaller, PutsTheWheelOfTheManifestIntoItsPlace) {
  EXPECT_EQ(kind(stack()), StackState::Kind::kAbsent);
  const Status installed = install(stack());
  ASSERT_TRUE(installed.ok()) << installed.error().message;
  EXPECT_EQ(kind(stack()), StackState::Kind::kInstalled);
  EXPECT_EQ(bytes_of(library()), "one");
  EXPECT_EQ(fs::status(data() / "fuselab/backends").permissions(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(data() / "fuselab/backends/.fetching"));
  const auto file = platform::installed_library(data(), stack());
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file.value(), library());
  EXPECT_TRUE(install(stack()).ok()) << "what is whole is left";

  const auto freed = remove_stack(data(), stack());
  ASSERT_TRUE(freed.ok()) << freed.error().message;
  EXPECT_GT(freed.value().count, 0);
  EXPECT_EQ(kind(stack()), StackState::Kind::kAbsent);
  EXPECT_EQ(remove_stack(data(), stack()).value().count, 0);
}

TEST_F(StackInstaller, RefusesOtherBytesThanTheManifests) {
  const std::string other = ContentHash::of("another wheel").hex();
  InstallableStack wrong = stack();
  wrong.sha256 = other;
  const Status installed = install(wrong);
  ASSERT_FALSE(installed.ok());
  EXPECT_EQ(installed.error().code, ErrorCode::kUntrusted) << installed.error().message;
  EXPECT_FALSE(fs::exists(library()));
  EXPECT_FALSE(fs::exists(data() / "fuselab/backends/.fetching"));
}

TEST_F(StackInstaller, RefusesAWheelWhoseListIsAnother) {
  make_wheel("one", "two");
  const Status installed = install(stack());
  ASSERT_FALSE(installed.ok());
  EXPECT_EQ(installed.error().code, ErrorCode::kUntrusted) << installed.error().message;
  EXPECT_FALSE(fs::exists(library()));
}

TEST_F(StackInstaller, SaysWhatTheIndexLacks) {
  InstallableStack absent = stack();
  absent.version = "2.0";
  const Status installed = install(absent);
  ASSERT_FALSE(installed.ok());
  EXPECT_EQ(installed.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(installed.error().message.find("fake==2.0"), std::string::npos) << installed.error().message;
}

TEST_F(StackInstaller, AnAlteredLibraryIsNotOpenedAndIsPutRight) {
  ASSERT_TRUE(install(stack()).ok());
  std::ofstream(library()) << "two";
  EXPECT_EQ(kind(stack()), StackState::Kind::kAltered);
  const auto file = platform::installed_library(data(), stack());
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kUntrusted);
  EXPECT_NE(file.error().message.find("libfake.so was changed"), std::string::npos) << file.error().message;
  ASSERT_TRUE(install(stack()).ok());
  EXPECT_EQ(bytes_of(library()), "one");

  std::ofstream(library().parent_path() / "libpart.so.1") << "trap";
  const auto beside = platform::installed_library(data(), stack());
  ASSERT_FALSE(beside.ok()) << "the library opens what lies beside it";
  EXPECT_NE(beside.error().message.find("libpart.so.1 was changed"), std::string::npos) << beside.error().message;
  ASSERT_TRUE(install(stack()).ok());

  fs::permissions(library().parent_path().parent_path(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(platform::installed_library(data(), stack()).error().code, ErrorCode::kUntrusted);
}

TEST_F(StackInstaller, ANewVersionTakesTheOldOnesPlace) {
  fs::create_directories(data() / "fuselab/backends/fake/0.9");
  EXPECT_EQ(kind(stack()), StackState::Kind::kOtherVersion);
  ASSERT_TRUE(install(stack()).ok());
  EXPECT_FALSE(fs::exists(data() / "fuselab/backends/fake/0.9"));
}

TEST_F(StackInstaller, AStopLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const Status installed = install_stack(
      data(), stack(), [](const StackProgress&) {}, stop.get_token());
  if (installed.ok()) GTEST_SKIP() << "python3 was done before the first look at the stop";
  EXPECT_EQ(installed.error().code, ErrorCode::kCancelled) << installed.error().message;
  EXPECT_FALSE(fs::exists(data() / "fuselab/backends/.fetching"));
}

TEST(InstalledLibrary, AnAbsentOneIsNamedWithTheCommandThatFetchesIt) {
  constexpr std::string_view kNames[] = {"libnosuch_mkl.so.9"};
  const ScratchFolder nowhere;
  loading::Surroundings here;
  here.data = nowhere.path();
  const auto opened =
      loading::open_vendor_library({.name = "MKL", .sonames = kNames, .folders = {}, .wheel_folders = {}, .stack = "mkl"}, here);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message, "libnosuch_mkl.so.9 not found: `fuselab backends install mkl` fetches it");
}

}  // namespace
}  // namespace fuselab::engine
