// SPDX-License-Identifier: Apache-2.0
#include "core/backend/registry.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/unit/backend/fake_backend.h"

namespace fuselab {
namespace {

using test::FakeBackend;
using test::FakeGenerator;

std::shared_ptr<FakeBackend> fake(std::string id) {
  return std::make_shared<FakeBackend>(std::move(id));
}

std::vector<std::string> ids(const BackendRegistry& registry) {
  std::vector<std::string> names;
  for (const auto& backend : registry.all()) names.emplace_back(backend->id());
  return names;
}

TEST(BackendRegistry, FindsWhatWasRegisteredIgnoringCase) {
  BackendRegistry registry;
  registry.register_backend(fake("test"));
  ASSERT_NE(registry.find("test"), nullptr);
  EXPECT_EQ(registry.find("test")->id(), "test");
  EXPECT_EQ(registry.find("TEST"), registry.find("test"));
  EXPECT_EQ(registry.find("absent"), nullptr);
}

TEST(BackendRegistry, OverwritesInPlace) {
  BackendRegistry registry;
  registry.register_backend(fake("a"));
  registry.register_backend(fake("b"));
  const auto second = fake("a");
  registry.register_backend(second);
  EXPECT_EQ(registry.find("a"), second);
  EXPECT_EQ(ids(registry), (std::vector<std::string>{"a", "b"}));
}

TEST(BackendRegistry, ListsASnapshot) {
  BackendRegistry registry;
  registry.register_backend(fake("a"));
  registry.register_backend(fake("b"));
  const auto before = registry.all();
  registry.register_backend(fake("c"));
  registry.unregister("a");
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[0]->id(), "a") << "what was listed lives on";
  EXPECT_EQ(before[1]->id(), "b");
  EXPECT_EQ(ids(registry), (std::vector<std::string>{"b", "c"}));
}

TEST(BackendRegistry, UnregistersSilentlyWhatIsAbsent) {
  BackendRegistry registry;
  registry.register_backend(fake("a"));
  registry.unregister("b");
  EXPECT_EQ(ids(registry), std::vector<std::string>{"a"});
  registry.unregister("A");
  EXPECT_TRUE(registry.all().empty());
}

TEST(BackendRegistry, StartsWithTritonAsDefaultName) {
  BackendRegistry registry;
  EXPECT_EQ(registry.default_name(), "triton");
  const auto missing = registry.default_backend();
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "Default backend 'triton' not registered");
  registry.register_backend(fake("triton"));
  EXPECT_EQ(registry.default_backend().value()->id(), "triton");
}

TEST(BackendRegistry, SetsTheDefault) {
  BackendRegistry registry;
  registry.register_backend(fake("backend1"));
  registry.register_backend(fake("backend2"));
  ASSERT_TRUE(registry.set_default_backend("Backend2").ok());
  EXPECT_EQ(registry.default_backend().value()->id(), "backend2");
  const auto refused = registry.set_default_backend("Backend3");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "Backend 'Backend3' is not registered");
  EXPECT_EQ(registry.default_name(), "backend2");
}

TEST(BackendRegistry, SaysSoWhenTheDefaultWasRemoved) {
  BackendRegistry registry;
  registry.register_backend(fake("cpu"));
  ASSERT_TRUE(registry.set_default_backend("cpu").ok());
  registry.unregister("cpu");
  EXPECT_EQ(registry.default_backend().error().message, "Default backend 'cpu' not registered");
}

TEST(BackendRegistry, HandsOutNoDefaultThatIsNotUsable) {
  BackendRegistry registry;
  auto backend = fake("triton");
  backend->availability = Availability::unavailable("libtriton.so not found");
  registry.register_backend(backend);
  const auto refused = registry.default_backend();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().message, "Default backend 'triton' not usable: libtriton.so not found");
}

TEST(BackendRegistry, FindsNoSyntheticDeviceCapable) {
  FakeGenerator willing{Support{}};
  BackendRegistry registry;
  auto backend = fake("null");
  backend->generator_to_give = &willing;
  backend->availability = Availability::available();
  backend->devices = {test::fake_device("null", "device")};
  backend->devices[0].synthetic = true;
  registry.register_backend(backend);
  EXPECT_EQ(registry.find_capable(Graph()), nullptr);
}

TEST(BackendRegistry, FindsTheFirstUsableBackendThatSupportsTheGraph) {
  FakeGenerator willing{Support{}};
  FakeGenerator unwilling{Support::no("not this one")};
  BackendRegistry registry;
  const auto add = [&](std::string id, CodeGenerator* generator, Availability availability) {
    auto backend = fake(id);
    backend->generator_to_give = generator;
    backend->availability = std::move(availability);
    backend->devices = {test::fake_device(id, "device")};
    registry.register_backend(backend);
  };
  add("no-generator", nullptr, Availability::available());
  add("unusable", &willing, Availability::unavailable("no driver"));
  add("unwilling", &unwilling, Availability::available());
  EXPECT_EQ(registry.find_capable(Graph()), nullptr);
  add("first", &willing, Availability::available());
  add("second", &willing, Availability::available());
  ASSERT_NE(registry.find_capable(Graph()), nullptr);
  EXPECT_EQ(registry.find_capable(Graph())->id(), "first");
}

TEST(BackendRegistry, CallsBackendsOutsideItsLock) {
  BackendRegistry registry;
  FakeGenerator willing{Support{}};
  auto backend = fake("reentrant");
  backend->generator_to_give = &willing;
  backend->devices = {test::fake_device("reentrant", "device")};
  backend->on_probe = [&] { registry.unregister("someone-else"); };  // would deadlock under the lock
  registry.register_backend(backend);
  EXPECT_EQ(registry.find_capable(Graph()), backend);
}

TEST(BackendRegistry, IsSafeFromSeveralThreads) {
  BackendRegistry registry;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&registry, t] {
      for (int i = 0; i < 200; ++i) {
        registry.register_backend(fake("backend" + std::to_string(t)));
        EXPECT_TRUE(registry.set_default_backend("backend" + std::to_string(t)).ok());
        EXPECT_LE(registry.all().size(), 4U);
        EXPECT_EQ(registry.find("nobody"), nullptr);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(registry.all().size(), 4U);
}

}  // namespace
}  // namespace fuselab
