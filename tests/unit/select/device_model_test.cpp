// SPDX-License-Identifier: Apache-2.0
#include "core/select/device_model.h"

#include <gmock/gmock.h>

#include "tests/unit/select/selector_world.h"

namespace fuselab {
namespace {

using namespace fuselab::world;
using testing::HasSubstr;

SelectableDevice gpu_with_copies() {
  SelectableDevice gpu = device_of(slow_start());
  gpu.ceilings.rows = {ceiling("stream", 100e9), ceiling("flops", 1e13), ceiling("launch", 1e5), ceiling("host-to-device", 8e9),
                       ceiling("device-to-host", 4e9)};
  return gpu;
}

TEST(TransferTime, IsBytesOverMeasuredRatesAndEachResidencySavesItsOwnCopy) {
  SelectableDevice const gpu = gpu_with_copies();
  auto const work = map_workload(1'000'000, DType::kF32, 1);  // 4 MB in, 4 MB out
  auto const ns = [&](bool inputs_there, bool outputs_stay) {
    return transfer_time(work, gpu, {inputs_there, outputs_stay}).value().count;
  };
  EXPECT_NEAR(ns(false, false), 500'000 + 1'000'000, 1);
  EXPECT_NEAR(ns(true, false), 1'000'000, 1);
  EXPECT_NEAR(ns(false, true), 500'000, 1);
  EXPECT_EQ(ns(true, true), 0);
}

TEST(TransferTime, IsNothingOnTheHostAndUnknownWhereItWasNotMeasured) {
  auto const work = map_workload(1000, DType::kF32, 1);
  EXPECT_EQ(transfer_time(work, device_of(quick_start()), {false, false}), Nanoseconds{0});
  EXPECT_EQ(transfer_time(work, device_of(slow_start()), {false, false}), std::nullopt);
  EXPECT_EQ(transfer_time(work, device_of(slow_start()), {true, true}), Nanoseconds{0});
}

TEST(DeviceModel, TakesLaunchAndRatesFromTheCeilings) {
  SelectableDevice const gpu = gpu_with_copies();
  DeviceModel const model(gpu, {});
  EXPECT_DOUBLE_EQ(model.launch_ns(), 10'000);
  auto const time = model.time(map_workload(1'000'000, DType::kF32, 1));
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->ns, 10'000 + 80'000, 1);
  EXPECT_TRUE(time->memory_bound());
  EXPECT_EQ(time->pieces, 0);
  EXPECT_GE(time->spread, 10) << "no kernel was ever seen there";
  EXPECT_THAT(model_text(*time), HasSubstr("the bound itself"));
  EXPECT_NEAR(model.time(map_workload(1'000'000, DType::kF32, 1), {false, false})->ns, 90'000 + 1'500'000, 1);
}

TEST(DeviceModel, LearnsHowFarItsKernelsStayFromTheirBound) {
  SelectableDevice gpu = gpu_with_copies();
  Law const half_as_fast{"cuda:0", 10'000, 50};
  std::vector<MeasuredPiece> pieces;
  for (std::int64_t const elements : {100'000, 400'000, 1'600'000}) pieces.push_back(map_piece(elements, {half_as_fast}));
  auto const time = DeviceModel(gpu, pieces).time(map_workload(10'000'000, DType::kF32, 1));
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->factor, 2, 1e-6);
  EXPECT_NEAR(time->spread, 1, 1e-3);
  EXPECT_EQ(time->pieces, 3);
  EXPECT_NEAR(time->ns, half_as_fast.ns(map_workload(10'000'000, DType::kF32, 1)), 1);
}

TEST(DeviceModel, WithoutCeilingsTakesTheBestThatAnyPieceReached) {
  SelectableDevice const cpu = device_of(quick_start());
  std::vector<MeasuredPiece> pieces;
  for (std::int64_t const elements : {10, 100'000, 1'000'000, 10'000'000}) pieces.push_back(map_piece(elements, {quick_start()}));
  DeviceModel const model(cpu, pieces);
  EXPECT_NEAR(model.launch_ns(), 108, 1) << "the shortest run of all";
  auto const work = map_workload(3'000'000, DType::kF32, 1);
  EXPECT_NEAR(model.time(work)->ns, quick_start().ns(work), 0.01 * quick_start().ns(work));
  EXPECT_EQ(DeviceModel(cpu, {}).time(work), std::nullopt) << "nothing is assumed";
}

TEST(DeviceModel, LearnsNothingFromThePieceThatIsLeftOut) {
  SelectableDevice const cpu = device_of(quick_start());
  std::vector<MeasuredPiece> const pieces = {map_piece(1000, {quick_start()})};
  EXPECT_TRUE(DeviceModel(cpu, pieces).time(pieces[0].work));
  EXPECT_FALSE(DeviceModel(cpu, pieces, pieces[0].key).time(pieces[0].work));
}

TEST(DeviceModel, IdleUnitsComputeNothing) {
  SelectableDevice gpu = gpu_with_copies();
  gpu.compute_units = 100;
  WorkloadCharacteristics work = map_workload(10, DType::kF32, 1e9);
  double const few = DeviceModel(gpu, {}).time(work)->computing_ns;
  work.parallelism = 1000;
  EXPECT_NEAR(few, 10 * DeviceModel(gpu, {}).time(work)->computing_ns, 1);
}

}  // namespace
}  // namespace fuselab
