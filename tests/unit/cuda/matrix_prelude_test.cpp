// SPDX-License-Identifier: Apache-2.0
// Every primitive of the second prelude compiles by NVIDIA's own compiler, where it is, for the first target that has it and for
// later ones, to the instructions that it is written for.
#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "backends/codegen/emit/dialect.h"
#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/driver/cuda_device.h"
#include "backends/cuda/driver/cuda_targets.h"

namespace fuselab::cuda {
namespace {

constexpr const char* kEvery = R"(
#if __CUDA_ARCH__ >= 900
extern "C" FL_KERNEL(128, 1) FL_CLUSTER(2) void every(FL_TENSOR_MAP(map), const fl_bf16* x, float* y) {
#else
extern "C" FL_KERNEL(128, 1) void every(const fl_bf16* x, float* y) {
#endif
  FL_ALIGNED_SHARED(fl_bf16, tile, 8192, 0);
  const int lane = fl_lane();
  unsigned a[4], b[4];
  fl_copy_async_part(tile + lane * 8, x + lane * 8, 16);
  fl_copy_async_commit();
  fl_copy_async_wait<0>();
  fl_warp_barrier();
  fl_load_matrices(a, tile + lane * 8);
  fl_load_matrices_turned(b, tile + lane * 8);
  float d[4] = {};
  int whole[4] = {};
  fl_multiply_bf16(d, a, b[0], b[1]);
  fl_multiply_f16(d, a, b[0], b[1]);
  fl_multiply_tf32(d, a, b[0], b[1]);
  fl_multiply_i8(whole, a, b[0], b[1]);
  float sum = fl_of_bits(fl_pack_bf16(d[0], d[1])) + fl_of_bits(fl_round_tf32(d[2])) + fl_exp2_fast(d[3]) + whole[0];
#if __CUDA_ARCH__ >= 900
  FL_ALIGNED_SHARED(unsigned long long, full, 2, 16384);
  const int rank = fl_cluster_rank();
  const bool first = fl_first_lane_elected() && fl_warp() == 0;
  if (first) {
    fl_phase_init(full, 1);
    fl_phase_publish();
  }
  fl_cluster_barrier();
  if (first) {
    fl_phase_expect(full, 4096);
    fl_copy_box(tile, map, 0, 0, full);
    fl_copy_box(tile, map, 0, 0, 1, full);
    fl_copy_box_to(tile, map, 0, 0, full, 3);
    fl_copy_bytes(tile, x, 64, full);
    fl_phase_arrive(full);
    fl_phase_arrive_in(full, rank ^ 1);
    const fl_place place = fl_place_in(tile, rank ^ 1);
    fl_store_to(place, 1.0f);
  }
  fl_phase_wait(full, 0);
  fl_store_matrices(tile + lane * 8, a);
  fl_engine_fence();
  fl_barrier_of(1, 128);
  if (first) {
    fl_store_box(map, 0, 0, tile);
    fl_store_commit();
    fl_store_wait<0>();
  }
  fl_cluster_barrier();
#endif
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  if (fl_block() == 7) {
    fl_registers_fewer<40>();
    return;
  }
  fl_registers_more<240>();
  const unsigned long long place = fl_matrix_place(tile, 1024, 16);
  float sums[64] = {}, wide[128];
  fl_group_fence();
  fl_group_multiply_bf16_128<0>(sums, place, place, 0);
  fl_group_multiply_bf16_128<1>(sums, a, place, 1);
  fl_group_multiply_bf16_256<1>(wide, place, place, 0);
  fl_group_commit();
  fl_group_wait<0>();
  for (int i = 0; i < 64; ++i) sum += sums[i] + wide[i] * wide[i + 64];
#endif
  y[fl_thread()] = sum;
}
)";

Target without_letter(const Target& target) {
  Target plain = target;
  plain.id = target.id.substr(0, target.id.find_first_not_of("0123456789", 3));
  return plain;
}

std::string ptx_for(NvrtcCompiler& compiler, const Target& target) {
  SourceModule source;
  source.language = "cuda";
  source.text = std::string(codegen::cuda_prelude()) + std::string(codegen::cuda_matrix_prelude()) + kEvery;
  source.entry = source.abi.entry = "every";
  source.abi.block_x.text = "128";
  const auto binary = compiler.compile(source, target, OptimizationLevel::kO2, {});
  EXPECT_TRUE(binary.ok()) << target.id << ": " << binary.error().message;
  if (!binary.ok()) return {};
  EXPECT_EQ(binary.value().metadata.at("resource.spill_bytes"), "0") << target.id;
  return binary.value().metadata.at("ptx");
}

TEST(CudaMatrixPrelude, HasNoPrimitiveThatTheTestDoesNotCompile) {
  const std::string prelude(codegen::cuda_matrix_prelude()), every = kEvery;
  const std::regex primitive(R"((?:FL_DEVICE [\w ]+ |FL_MULTIPLY\(|#define )((?:fl|FL)_\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator at(prelude.begin(), prelude.end(), primitive), end; at != end; ++at) names.insert((*at)[1].str());
  for (const char* own : {"fl_shared_address", "FL_MULTIPLY", "FL_R8", "FL_R32", "FL_SUM"}) names.erase(own);
  EXPECT_GE(names.size(), 40U);
  for (const std::string& name : names) EXPECT_NE(every.find(name), std::string::npos) << name;
}

TEST(CudaMatrixPrelude, CompilesToItsInstructions) {
  NvrtcCompiler compiler;
  if (const auto here = compiler.probe(); !here.usable) GTEST_SKIP() << "SKIPPED: " << here.reason << "; 1 case";
  const auto nvrtc = NvrtcLibrary::open({});
  ASSERT_TRUE(nvrtc.ok());
  int made = 0;
  for (const Target& target : cuda_targets()) {
    const int capability = std::atoi(target.id.c_str() + 3);
    if (capability < 80 || nvrtc.value()->architectures().count(capability) == 0) continue;
    const std::string ptx = ptx_for(compiler, target);
    for (const char* each :
         {"ldmatrix.sync", "mma.sync.aligned.m16n8k16", "mma.sync.aligned.m16n8k8", "mma.sync.aligned.m16n8k32", "cp.async.cg"})
      EXPECT_THAT(ptx, testing::HasSubstr(each)) << target.id;
    for (const char* each :
         {"mbarrier.init", "cp.async.bulk.tensor.3d", "multicast::cluster", "stmatrix.sync", "mapa.shared::cluster"})
      EXPECT_EQ(ptx.find(each) != std::string::npos, capability >= 90) << target.id << ": " << each;
    for (const char* each : {"wgmma.mma_async", "setmaxnreg"})
      EXPECT_EQ(ptx.find(each) != std::string::npos, target.id == "sm_90a") << target.id << ": " << each;
    ++made;
  }
  EXPECT_GT(made, 3);
  // What only sm_90a has is left out, not refused, where code is made for all of 9.0.
  EXPECT_EQ(ptx_for(compiler, without_letter(named_target("sm_90a"))).find("wgmma"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::cuda
