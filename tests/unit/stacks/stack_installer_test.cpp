// SPDX-License-Identifier: Apache-2.0
#include "app/engine/stacks/stack_installer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>

#include "app/engine/stacks/stack_state.h"
#include "backends/loading/vendor_library.h"
#include "core/base/content_hash.h"
#include "core/platform/files/checked_stack.h"
#include "core/platform/files/installed_stack.h"
#include "tests/support/environment_variables.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::engine {
namespace {

namespace fs = std::filesystem;

// Makes NAME-1.0-py3-none-any.whl in the folder "wheels" and prints nothing. The list is right unless told otherwise.
constexpr const char* kMakeWheel = R"(
import base64, hashlib, sys, zipfile
folder, content, listed, name = sys.argv[1:5]
def line(path, data):
    return path + ',sha256=' + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode() + ',' + str(len(data)) + '\n'
files = {'fake/lib' + name + '.so': content.encode(), name + '-1.0.dist-info/WHEEL': b'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
         name + '-1.0.dist-info/METADATA': ('Metadata-Version: 2.1\nName: ' + name + '\nVersion: 1.0\n').encode()}
files['fake/libpart.so.1' if name == 'fake' else 'fake/bin/' + name] = b'part'
record = ''.join(line(path, listed.encode() if path.endswith('.so') else data) for path, data in files.items())
files[name + '-1.0.dist-info/RECORD'] = (record + name + '-1.0.dist-info/RECORD,,\n').encode()
with zipfile.ZipFile(folder + '/' + name + '-1.0-py3-none-any.whl', 'w') as wheel:
    for path, data in files.items(): wheel.writestr(path, data)
open(folder + '/../RECORD', 'wb').write(files[name + '-1.0.dist-info/RECORD'])
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

  void make_wheel(const std::string& content, const std::string& listed) { wheels_.at(0) = made("fake", content, listed); }

  // The wheel of that name, as a manifest pins it.
  StackWheel made(const std::string& name, const std::string& content, const std::string& listed) {
    folder_.write("make.py", kMakeWheel);
    const std::string command = "python3 '" + (folder_.path() / "make.py").string() + "' '" + (folder_.path() / "wheels").string() +
                                "' '" + content + "' '" + listed + "' " + name;
    EXPECT_EQ(std::system(command.c_str()), 0);
    const std::string wheel = bytes_of(folder_.path() / "wheels" / (name + "-1.0-py3-none-any.whl"));
    const auto keep = [&](std::string text) -> std::string_view { return texts_.emplace_back(std::move(text)); };
    return {keep(name), Bytes{static_cast<std::int64_t>(wheel.size())}, keep(ContentHash::of(wheel).hex()),
            keep(name + "-1.0.dist-info/RECORD"), keep(ContentHash::of(bytes_of(folder_.path() / "RECORD")).hex())};
  }

  InstallableStack stack() const {
    return {"fake", "fake", "1.0", "Nobody", "MIT", LicenceClass::kFree, wheels_, "fake/libfake.so"};
  }
  Status install(const InstallableStack& stack) {
    return install_stack(data(), stack, [](const StackProgress&) {}, {});
  }
  fs::path data() const { return folder_.path() / "data"; }
  fs::path library() const { return data() / "fuselab/backends/fake/1.0/fake/libfake.so"; }
  StackState::Kind kind(const InstallableStack& stack) const { return stack_state(data(), stack, StackCheck::kBytes).kind; }

  ScratchFolder folder_;
  test::Variables variables_;
  std::deque<std::string> texts_;  // that the wheels view
  std::vector<StackWheel> wheels_{1};
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
  wheels_[0].sha256 = other;
  const Status installed = install(stack());
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

TEST_F(StackInstaller, UnpacksSeveralWheelsIntoOneFolder) {
  wheels_.push_back(made("tool", "tool", "tool"));
  InstallableStack both = stack();
  constexpr std::string_view kPrograms[] = {"fake/bin/tool"};
  both.programs = kPrograms;
  EXPECT_EQ(both.download().count, wheels_[0].size.count + wheels_[1].size.count);
  const Status installed = install(both);
  ASSERT_TRUE(installed.ok()) << installed.error().message;
  EXPECT_EQ(kind(both), StackState::Kind::kInstalled);
  const fs::path program = library().parent_path() / "bin/tool";
  EXPECT_NE(fs::status(program).permissions() & fs::perms::owner_exec, fs::perms::none) << "it is to be run";
  std::ofstream(program) << "trap";
  EXPECT_EQ(kind(both), StackState::Kind::kAltered) << "the list of every wheel is looked at";
  ASSERT_TRUE(install(both).ok());

  fs::remove(folder_.path() / "wheels" / "tool-1.0-py3-none-any.whl");
  ASSERT_TRUE(remove_stack(data(), both).ok());
  EXPECT_FALSE(install(both).ok());
  EXPECT_FALSE(fs::exists(library())) << "all of the wheels or none";
}

TEST_F(StackInstaller, KeepsTheFilesThatAreNeededAndHoldsThemAgainstTheList) {
  InstallableStack few = stack();
  constexpr std::string_view kKept[] = {"fake/libfake.so"};
  few.kept = kKept;
  const Status installed = install(few);
  ASSERT_TRUE(installed.ok()) << installed.error().message;
  EXPECT_EQ(kind(few), StackState::Kind::kInstalled);
  EXPECT_TRUE(fs::exists(library()));
  EXPECT_FALSE(fs::exists(library().parent_path() / "libpart.so.1"));
  EXPECT_EQ(kind(stack()), StackState::Kind::kAltered) << "all of it is more";
  std::ofstream(library()) << "two";
  EXPECT_EQ(kind(few), StackState::Kind::kAltered);
}

TEST_F(StackInstaller, AsksForTheVersionOfEachWheel) {
  InstallableStack named = stack();
  named.version = "7";
  wheels_[0].version = "1.0";
  const Status installed = install(named);
  ASSERT_TRUE(installed.ok()) << installed.error().message;
  EXPECT_EQ(kind(named), StackState::Kind::kInstalled);
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

// A program that loads whatever lies in the folder.
TEST_F(StackInstaller, EveryFileIsCheckedBeforeAProgramLoadsThem) {
  EXPECT_FALSE(platform::checked_stack(data(), stack()).value());
  ASSERT_TRUE(install(stack()).ok());
  const fs::path folder = data() / "fuselab/backends/fake/1.0";
  const auto refused = [&] {
    const auto found = platform::checked_stack(data(), stack());
    return found.ok() ? std::string("it was taken") : found.error().message;
  };
  for (const char* const time : {"first", "again"}) EXPECT_EQ(platform::checked_stack(data(), stack()).value(), folder) << time;
  EXPECT_TRUE(fs::exists(platform::stack_notes(data(), stack())));

  // Neither the size nor the time of the content shows it.
  const auto written = fs::last_write_time(library());
  std::ofstream(library()) << "two";
  fs::last_write_time(library(), written);
  EXPECT_THAT(refused(), testing::HasSubstr("libfake.so was changed"));
  std::ofstream(library()) << "one";
  EXPECT_EQ(platform::checked_stack(data(), stack()).value(), folder);

  std::ofstream(folder / "sitecustomize.py") << "trap";
  EXPECT_THAT(refused(), testing::HasSubstr("sitecustomize.py is in no list"));
  fs::remove(folder / "sitecustomize.py");
  fs::create_symlink("/tmp", folder / "numpy");
  EXPECT_THAT(refused(), testing::HasSubstr("numpy is in no list"));
  fs::remove(folder / "numpy");
  fs::remove(library());
  EXPECT_THAT(refused(), testing::HasSubstr("libfake.so is gone"));
  ASSERT_TRUE(remove_stack(data(), stack()).ok());
  EXPECT_FALSE(fs::exists(platform::stack_notes(data(), stack())));
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
  EXPECT_EQ(opened.error().message, "libnosuch_mkl.so.9 not found: `fuselab backends install mkl --accept-licence` fetches it");
}

TEST(InstalledLibrary, ThatWasAlteredLeavesNoChoiceAmongOthers) {
  constexpr std::string_view kNames[] = {"libc.so.6"};
  const loading::VendorLibrary wanted{.name = "NVRTC", .sonames = kNames, .folders = {}, .wheel_folders = {}, .stack = "nvrtc"};
  const ScratchFolder home;
  loading::Surroundings here;
  here.data = home.path();
  EXPECT_EQ(loading::open_vendor_libraries(wanted, here).size(), 1U);
  const fs::path folder = platform::stack_folder(here.data, *find_installable_stack("nvrtc"));
  fs::create_directories(folder);
  EXPECT_TRUE(loading::open_vendor_libraries(wanted, here).empty());
  const auto opened = loading::open_vendor_library(wanted, here);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("`fuselab backends remove nvrtc` and install it again"), std::string::npos)
      << opened.error().message;
}

TEST(InstalledLibrary, ThatStandsBehindTheMachinesOwnIsNotLookedAtWhereThereIsOne) {
  constexpr std::string_view kPresent[] = {"libc.so.6"}, kAbsent[] = {"libnosuch_cupti.so.9"};
  loading::VendorLibrary wanted{
      .name = "CUPTI", .sonames = kPresent, .folders = {}, .wheel_folders = {}, .stack = "cupti", .installed_last = true};
  const ScratchFolder home;
  loading::Surroundings here;
  here.data = home.path();
  fs::create_directories(platform::stack_folder(here.data, *find_installable_stack("cupti")));  // altered: it is empty
  EXPECT_TRUE(loading::open_vendor_library(wanted, here).ok());
  wanted.sonames = kAbsent;
  const auto opened = loading::open_vendor_library(wanted, here);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("`fuselab backends remove cupti`"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace fuselab::engine
