// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "core/kernel/compiled_kernel.h"

namespace fuselab {
namespace {

KernelIdentity example() {
  return {ContentHash::of("graph"),
          "cpu",
          "cpu-c",
          "1",
          ContentHash::of("source"),
          "x86-64-v3",
          "gcc",
          "12.2",
          "-O3",
          "",
          "",
          "threads=2"};
}

TEST(KernelIdentity, EachFieldAloneChangesTheKey) {
  using Change = std::function<void(KernelIdentity&)>;
  const std::vector<Change> changes = {
      [](KernelIdentity& id) { id.graph = ContentHash::of("other"); },
      [](KernelIdentity& id) { id.backend = "null"; },
      [](KernelIdentity& id) { id.generator = "cpu-d"; },
      [](KernelIdentity& id) { id.generator_version = "2"; },
      [](KernelIdentity& id) { id.source = ContentHash::of("other"); },
      [](KernelIdentity& id) { id.target = "x86-64-v4"; },
      [](KernelIdentity& id) { id.compiler = "clang"; },
      [](KernelIdentity& id) { id.compiler_version = "12.3"; },
      [](KernelIdentity& id) { id.flags = "-O2"; },
      [](KernelIdentity& id) { id.library = "onednn"; },
      [](KernelIdentity& id) { id.library_version = "3"; },
      [](KernelIdentity& id) { id.config = "threads=1"; },
  };
  std::set<std::string> keys = {example().key().hex()};
  for (const Change& change : changes) {
    KernelIdentity identity = example();
    change(identity);
    keys.insert(identity.key().hex());
  }
  EXPECT_EQ(keys.size(), changes.size() + 1);
}

TEST(KernelIdentity, TextMovedFromOneFieldToTheNextChangesTheKey) {
  KernelIdentity a = example(), b = example();
  a.compiler = "gcc1";
  a.compiler_version = "2.2";
  b.compiler = "gcc";
  b.compiler_version = "12.2";
  EXPECT_NE(a.key(), b.key());
}

TEST(KernelIdentity, EqualFieldsGiveEqualKeys) {
  EXPECT_EQ(example().key(), example().key());
  CompiledKernel kernel;
  kernel.identity = example();
  EXPECT_EQ(kernel.kernel_id(), example().key().hex());
}

}  // namespace
}  // namespace fuselab
