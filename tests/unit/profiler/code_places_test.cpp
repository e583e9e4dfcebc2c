// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/code_places.h"

#include <gtest/gtest.h>

#include "profiler/host/sysfs_event.h"

namespace fuselab::profile {
namespace {

constexpr const char* kMaps =
    "55d0c0000000-55d0c0100000 r-xp 00001000 08:01 77 /usr/bin/fuselab-worker\n"
    "7f0000001000-7f0000002000 r-xp 00001000 00:01 2057 /memfd:fuselab-kernel (deleted)\n"
    "7f0000002000-7f0000003000 r--p 00002000 00:01 2057 /memfd:fuselab-kernel (deleted)\n"
    "7f0000101000-7f0000102000 r-xp 00001000 00:01 2056 /memfd:fuselab-kernel (deleted)\n";

TEST(CodePlaces, SamplesFallIntoTheStepsInOrderOfLoading) {
  const auto mappings = kernel_mappings(kMaps, "fuselab-kernel");
  ASSERT_EQ(mappings.size(), 2U) << "of each only what can be executed";
  EXPECT_EQ(mappings[0].inode, 2056U) << "the first that was loaded";
  const auto hits = hits_in(mappings, {0x7f0000001204, 0x7f0000001204, 0x7f0000101010, 0x7f0000002100, 0x55d0c0000010});
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].step, 0);
  EXPECT_EQ(hits[0].address, 0x1010);
  EXPECT_EQ(hits[1].step, 1);
  EXPECT_EQ(hits[1].address, 0x1204);
  EXPECT_EQ(hits[1].hits, 2);
}

TEST(CodePlaces, ProgramsWithoutKernelsHaveNone) {
  EXPECT_TRUE(kernel_mappings("", "fuselab-kernel").empty());
  EXPECT_TRUE(hits_in({}, {1, 2, 3}).empty());
}

TEST(SysfsEvents, WordsBecomeBits) {
  EXPECT_EQ(read_event_config("event=0x3c\n"), 0x3cU);
  EXPECT_EQ(read_event_config("event=0xc7,umask=0x20"), 0x20c7U);
  EXPECT_EQ(read_event_config("event=0xa3,umask=0x4,cmask=4"), 0x40004a3U);
  EXPECT_EQ(read_event_config("event=0x1cd"), 0x1000000cdU) << "AMD's events have twelve bits";
  EXPECT_FALSE(read_event_config("event=0xcd,ldlat=3")) << "another register";
  EXPECT_FALSE(read_event_config("event=banana"));
}

}  // namespace
}  // namespace fuselab::profile
