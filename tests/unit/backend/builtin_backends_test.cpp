// SPDX-License-Identifier: Apache-2.0
#include "backends/builtin_backends.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "backends/declared/declared_backend.h"
#include "backends/declared/declared_systems.h"
#include "backends/loading/shared_library.h"
#include "core/backend/backend_names.h"
#include "core/backend/discovery.h"
#include "tests/unit/backend/fake_backend.h"

namespace fuselab {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAreArray;

TEST(BuiltinBackends, RegistersEveryNamedSystemInOrder) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  const auto all = registry.all();
  ASSERT_EQ(all.size(), known_backends().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->id(), known_backends()[i].id);
    EXPECT_EQ(all[i]->info().display_name, known_backends()[i].display_name);
  }
}

TEST(BuiltinBackends, HaveARowForEveryFolder) {
  ASSERT_FALSE(built_backends().empty());
  for (const auto id : built_backends()) {
    const auto* info = find_backend_info(id);
    ASSERT_NE(info, nullptr) << "backends/" << id << " has no row in backends/systems.cpp";
    EXPECT_EQ(make_backend(*info)->id(), id);
  }
}

TEST(BuiltinBackends, ReportWhatTheirRowSays) {
  const BackendInfo row{"abc", "Abc", "library", RunsOn::kHardware, "", {}};
  test::FakeBackend backend("abc");
  EXPECT_EQ(report_on(backend).display_name, "abc");
  backend.set_info(row);
  EXPECT_EQ(report_on(backend).display_name, "Abc");
  EXPECT_EQ(report_on(backend).kind, "library");
}

TEST(BuiltinBackends, SayThatTheyWereLeftOut) {
  const BackendInfo row{"abc", "Abc", "compute", RunsOn::kHardware, "", {"libfuselab-does-not-exist.so.1"}};
  EXPECT_THAT(make_declared_backend(row, true)->probe().reason, HasSubstr("was left out when this Fuselab was built"));
  EXPECT_EQ(make_declared_backend(row, false)->probe().reason, "libfuselab-does-not-exist.so.1 not found by the system's loader");
}

TEST(BuiltinBackends, AreFoundByTypeAndByName) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  for (const auto type : {BackendType::kCuda, BackendType::kMps, BackendType::kCudnn, BackendType::kCusparselt, BackendType::kCpu,
                          BackendType::kMkl, BackendType::kMkldnn, BackendType::kOpenmp, BackendType::kXeon, BackendType::kNki,
                          BackendType::kTriton, BackendType::kMha, BackendType::kNnpack, BackendType::kOptEinsum}) {
    const auto id = id_of(type);
    ASSERT_TRUE(id) << static_cast<int>(type);
    const auto backend = registry.find(*id);
    ASSERT_NE(backend, nullptr) << *id;
    EXPECT_EQ(backend_type_of(backend->id()), type);
  }
  // By S2's names, in any case.
  for (const auto name : {"CUDA", "MPS", "CUDNN", "cuSPARSELt", "CPU", "MKL", "MKLDNN", "OPENMP", "XEON", "NKI", "TRITON", "MHA",
                          "NNPACK", "OPT_EINSUM"}) {
    const auto id = parse_backend_id(name);
    ASSERT_TRUE(id.ok()) << name;
    EXPECT_NE(registry.find(id.value()), nullptr) << name;
  }
  EXPECT_EQ(id_of(BackendType::kUnknown), std::nullopt);
}

// Those that are driven are asked by conformance tests: an answer opens a driver, whose threads stay in the process, and beside
// such threads the leak checker has died.
TEST(BuiltinBackends, GiveOneLineWhyNot) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  const auto built = built_backends();
  for (const auto& backend : registry.all()) {
    if (std::find(built.begin(), built.end(), backend->id()) != built.end()) continue;
    const BackendReport report = report_on(*backend);
    ASSERT_FALSE(report.availability.usable) << report.id;
    EXPECT_FALSE(report.availability.reason.empty()) << report.id;
    EXPECT_THAT(report.availability.reason, Not(HasSubstr("\n"))) << report.id;
    EXPECT_TRUE(report.devices.empty()) << report.id;
    EXPECT_TRUE(report.capabilities.operators.empty()) << report.id << " claims what it never proved";
  }
}

TEST(BuiltinBackends, RefuseToOpenWhatTheyDoNotDrive) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  const auto webgpu = registry.find("webgpu");
  ASSERT_NE(webgpu, nullptr);
  EXPECT_EQ(webgpu->generator(), nullptr);
  const auto opened = webgpu->open(DeviceInfo());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
}

TEST(DeclaredSystems, LookReallyOnThisMachine) {
  constexpr std::string_view kAbsent[] = {"libfuselab-does-not-exist.so.1", "libfuselab-neither.so"};
  EXPECT_EQ(loading::search_libraries(kAbsent).problem,
            "libfuselab-does-not-exist.so.1, libfuselab-neither.so not found by the system's loader");
  constexpr std::string_view kPresent[] = {"libfuselab-does-not-exist.so.1", "libm.so.6"};
  EXPECT_EQ(loading::search_libraries(kPresent).found, "libm.so.6");
}

TEST(DeclaredSystems, TakeNoStubForTheLibrary) {
  constexpr std::string_view kStub[] = {FUSELAB_LINK_STUB};
  const loading::LibrarySearch search = loading::search_libraries(kStub);
  EXPECT_EQ(search.found, "");
  EXPECT_EQ(search.problem, FUSELAB_LINK_STUB " is a stub to link against, not the library");
}

TEST(DeclaredSystems, LookForTheLibrariesThatTheirInfoNames) {
  int looked = 0;
  for (const auto& info : known_backends()) {
    const auto* system = declared::find_declared_system(info.id);
    if (system != nullptr && system->look != nullptr) continue;  // looks for something else than a library
    const auto built = built_backends();
    if (std::find(built.begin(), built.end(), info.id) != built.end()) continue;
    ASSERT_FALSE(info.required_libraries.empty()) << info.id << " could not be looked for";
    const auto reason = declared::reason_why_unusable(info);
    const auto named = [&](std::string_view library) { return reason.find(library) != std::string::npos; };
    EXPECT_TRUE(std::any_of(info.required_libraries.begin(), info.required_libraries.end(), named)) << reason;
    ++looked;
  }
  EXPECT_GE(looked, 5);  // the systems that no build has code for
}

// R36; XLA's are these and Mixed (R58).
constexpr std::array kTritonPatterns = {FusionPatternType::kElementWise, FusionPatternType::kConvActivation,
                                        FusionPatternType::kConvBatchNorm, FusionPatternType::kLinearActivation,
                                        FusionPatternType::kReductionThenElementWise};

TEST(DeclaredSystems, KeepTritonsClaims) {
  const auto* triton = declared::find_declared_system("triton");
  ASSERT_TRUE(triton != nullptr && triton->claim);
  const auto& claim = *triton->claim;
  EXPECT_EQ(claim.pattern_name, "TritonFusion");
  EXPECT_EQ(claim.priority, 10);
  EXPECT_THAT(claim.patterns, UnorderedElementsAreArray(kTritonPatterns));
  EXPECT_EQ(claim.dtypes, (std::vector<DType>{DType::kF32, DType::kF16, DType::kBF16, DType::kI32, DType::kI64}));
  EXPECT_TRUE(claim.autotuning && claim.profiling && claim.jit && claim.binary_cache);
  EXPECT_EQ(claim.threads_per_block, 128);
  EXPECT_EQ(claim.register_bytes, 128);
}

TEST(DeclaredSystems, KeepXlasClaims) {
  const auto* xla = declared::find_declared_system("xla");
  ASSERT_TRUE(xla != nullptr && xla->claim);
  const auto& claim = *xla->claim;
  EXPECT_EQ(claim.pattern_name, "XLAFusion");
  EXPECT_EQ(claim.priority, 5);
  EXPECT_EQ(claim.max_group_operators, 20);
  std::vector<FusionPatternType> patterns(kTritonPatterns.begin(), kTritonPatterns.end());
  patterns.push_back(FusionPatternType::kMixed);
  EXPECT_THAT(claim.patterns, UnorderedElementsAreArray(patterns));
  EXPECT_EQ(claim.dtypes, (std::vector<DType>{DType::kF32, DType::kF16, DType::kBF16}));
  EXPECT_TRUE(claim.autotuning && claim.profiling && claim.jit && claim.binary_cache);
  EXPECT_EQ(claim.threads_per_block, 256);
}

}  // namespace
}  // namespace fuselab
