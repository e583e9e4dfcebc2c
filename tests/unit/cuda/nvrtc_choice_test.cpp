// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler/nvrtc_choice.h"

#include <gmock/gmock.h>

#include <fstream>

#include "backends/cuda/compiler/nvrtc_library.h"
#include "backends/cuda/cuda_backend.h"
#include "core/backend/discovery.h"
#include "tests/unit/cuda/fake_libraries.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;

std::string chosen(std::initializer_list<CudaVersion> found, CudaVersion driver) {
  const std::vector<CudaVersion> all(found);
  return all[choose_nvrtc(all, driver)].text();
}

TEST(NvrtcChoice, IsTheNewestThatIsNotNewerThanTheDriver) {
  EXPECT_EQ(chosen({{13, 0}, {12, 9}, {12, 2}}, {12, 8}), "12.2");
  EXPECT_EQ(chosen({{13, 0}, {12, 9}, {12, 2}}, {12, 9}), "12.9");
  EXPECT_EQ(chosen({{12, 2}, {13, 1}, {13, 0}}, {13, 0}), "13.0");
  EXPECT_EQ(chosen({{13, 1}}, {12, 0}), "13.1");
  EXPECT_EQ(chosen({{13, 1}, {12, 9}, {12, 4}}, {12, 2}), "12.4") << "all are newer: the nearest";
}

TEST(NvrtcChoice, SaysWhatANewerOneMeans) {
  EXPECT_EQ(note_beside({12, 9}, {12, 9}), "");
  EXPECT_EQ(note_beside({12, 2}, {13, 0}), "");
  EXPECT_EQ(note_beside({12, 9}, {12, 2}),
            "NVRTC 12.9 is newer than the driver's CUDA 12.2: its cubins load all the same, its PTX would not");
  EXPECT_EQ(
      note_beside({13, 0}, {12, 8}),
      "NVRTC 13.0 is newer than the driver's CUDA 12.8, which may refuse its kernels: update the driver, or install an NVRTC 12");
}

// Compilers side by side in pip's folders, each with its version beside it. What else the machine has is 13 or newer than 12.1.
class NvrtcsSideBySide : public testing::Test {
 protected:
  void install(const std::string& root, const std::string& soname, const std::string& version) {
    const auto folder = scratch_.path() / root / "nvidia/cuda_nvrtc/lib";
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(FAKE_NVRTC, folder / soname);
    std::ofstream((folder / (soname + ".version")).string()) << version;
    roots_ += (roots_.empty() ? "" : ":") + (scratch_.path() / root).string();
    fakes_.use("PYTHONPATH", roots_);
    fakes_.use("FUSELAB_LIB_NVRTC", "");
  }

  ScratchFolder scratch_;
  FakeLibraries fakes_;
  std::string roots_;
};

TEST_F(NvrtcsSideBySide, TheDriverDecides) {
  install("a", "libnvrtc.so.13", "13.7");
  install("b", "libnvrtc.so.12", "12.0");
  install("c", "libnvrtc.so.12", "12.1");
  const auto old = NvrtcLibrary::open(12010);
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(old.value()->version(), "12.1");
  EXPECT_EQ(old.value()->note(), "");
  const auto newest = NvrtcLibrary::open(13070);
  ASSERT_TRUE(newest.ok()) << newest.error().message;
  EXPECT_EQ(newest.value()->version(), "13.7");
  EXPECT_EQ(newest.value()->note(), "");
}

TEST_F(NvrtcsSideBySide, OneFileThatWasChosenIsTakenAndWhatItMeansIsSaid) {
  fakes_.driver("version=12020");
  const BackendReport report = report_on(*make_cuda_backend());
  EXPECT_TRUE(report.availability.usable);
  EXPECT_THAT(summary_text(std::vector{report}),
              HasSubstr("✓ cuda: NVRTC 12.9 is newer than the driver's CUDA 12.2: its cubins load all the same, its PTX would "
                        "not\n    [0] Fake H200"));
}

}  // namespace
}  // namespace fuselab::cuda
