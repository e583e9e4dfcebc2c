// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/compiler/device_library.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "core/kernel/virtual_target.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::hip {
namespace {

using ::testing::HasSubstr;

class DeviceLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* const name : {"ocml", "oclc_daz_opt_off", "oclc_wavefrontsize64_on", "oclc_wavefrontsize64_off",
                                   "oclc_isa_version_90a", "oclc_isa_version_940", "oclc_isa_version_1036", "oclc_isa_version_906"})
      std::ofstream(folder_.path() / (std::string(name) + ".bc")) << "BC";
    setenv("FUSELAB_ROCM_DEVICE_LIBRARY", folder_.path().c_str(), 1);
  }
  void TearDown() override { unsetenv("FUSELAB_ROCM_DEVICE_LIBRARY"); }

  std::string linked(const char* target) const {
    std::string all;
    for (const std::string& each : device_library_arguments(folder_.path(), virtual_target(target).value().target))
      all += each + "\n";
    return all;
  }

  platform::TemporaryFolder folder_ = platform::TemporaryFolder::create("fuselab-test-device-library").value();
};

TEST_F(DeviceLibrary, IsWhereTheVariableSays) {
  ASSERT_TRUE(find_device_library().ok());
  EXPECT_EQ(find_device_library().value(), folder_.path());
  std::filesystem::remove(folder_.path() / "ocml.bc");
  EXPECT_THAT(find_device_library().error().message, HasSubstr("apt-get install rocm-device-libs"));
}

TEST_F(DeviceLibrary, HasTheWidthOfTheTargetsWavefronts) {
  EXPECT_THAT(linked("gfx942"), HasSubstr("oclc_wavefrontsize64_on.bc"));
  EXPECT_THAT(linked("gfx1100"), HasSubstr("oclc_wavefrontsize64_off.bc"));
}

TEST_F(DeviceLibrary, HasTheWordsOfTheNewestArchitectureThatIsNoNewerThanTheTarget) {
  EXPECT_THAT(linked("gfx90a"), HasSubstr("oclc_isa_version_90a.bc"));
  EXPECT_THAT(linked("gfx942"), HasSubstr("oclc_isa_version_940.bc"));
  EXPECT_THAT(linked("gfx1201"), HasSubstr("oclc_isa_version_1036.bc"));
}

TEST_F(DeviceLibrary, LeavesOutWhatTheFolderLacks) {
  EXPECT_THAT(linked("gfx942"), ::testing::Not(HasSubstr("oclc_abi_version")));
}

}  // namespace
}  // namespace fuselab::hip
