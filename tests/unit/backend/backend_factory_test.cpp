// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend_factory.h"

#include <gmock/gmock.h>

#include <thread>

#include "backends/builtin_backends.h"
#include "core/backend/backend_names.h"
#include "tests/unit/backend/fake_backend.h"

namespace fuselab {
namespace {

BackendFactory::Creator creator_of(std::string id) {
  return [id](const BackendConfiguration&) -> Result<std::unique_ptr<FusionBackend>> {
    return std::unique_ptr<FusionBackend>(std::make_unique<test::FakeBackend>(id));
  };
}

TEST(BackendFactory, CreatesByTypeWithItsConfiguration) {
  BackendFactory factory;
  BackendConfiguration seen;
  factory.register_backend("custom", [&](const BackendConfiguration& configuration) {
    seen = configuration;
    return creator_of("custom")(configuration);
  });
  const auto created = factory.create_backend("Custom", {"cpu:0", {{"threads", "2"}}});
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created.value()->id(), "custom");
  EXPECT_EQ(seen.device_id, "cpu:0");
  EXPECT_EQ(seen.options.at("threads"), "2");
}

TEST(BackendFactory, NamesAnUnknownType) {
  const BackendFactory factory;
  const auto created = factory.create_backend(*id_of(FusionBackendType::kXla), {});
  ASSERT_FALSE(created.ok());
  EXPECT_EQ(created.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(created.error().message, "Backend type xla is not registered");
}

TEST(BackendFactory, OverwritesInPlace) {
  BackendFactory factory;
  factory.register_backend("a", creator_of("old"));
  factory.register_backend("b", creator_of("b"));
  factory.register_backend("A", creator_of("new"));
  EXPECT_EQ(factory.types(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(factory.create_backend("a", {}).value()->id(), "new");
}

TEST(BackendFactory, LetsACreatorUseTheFactory) {
  BackendFactory factory;
  factory.register_backend("inner", creator_of("inner"));
  factory.register_backend("outer", [&](const BackendConfiguration& configuration) {
    return factory.create_backend("inner", configuration);  // would deadlock under the lock
  });
  EXPECT_EQ(factory.create_backend("outer", {}).value()->id(), "inner");
}

TEST(BackendFactory, IsSafeFromSeveralThreads) {
  BackendFactory factory;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&factory, t] {
      const std::string type = "type" + std::to_string(t);
      for (int i = 0; i < 200; ++i) {
        factory.register_backend(type, creator_of(type));
        const auto created = factory.create_backend(type, {});
        ASSERT_TRUE(created.ok());
        EXPECT_EQ(created.value()->id(), type);
        EXPECT_LE(factory.types().size(), 4U);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(factory.types().size(), 4U);
}

TEST(BackendFactory, RegistersTheBuiltInTypesIncludingTritonAndXla) {
  BackendFactory factory;
  register_builtin_backends(factory);
  BackendRegistry registry;
  ASSERT_TRUE(factory.register_defaults(registry).ok());
  EXPECT_NE(registry.find("Triton"), nullptr);
  EXPECT_NE(registry.find("XLA"), nullptr);
  EXPECT_EQ(registry.all().size(), factory.types().size());
}

TEST(BackendFactory, RefusesOptionsThatABackendDoesNotKnow) {
  BackendFactory factory;
  register_builtin_backends(factory);
  for (const auto& type : factory.types()) {
    const auto created = factory.create_backend(type, {"", {{"speed", "11"}}});
    ASSERT_FALSE(created.ok()) << type;
    EXPECT_EQ(created.error().message, "unknown option 'speed'");
  }
}

}  // namespace
}  // namespace fuselab
