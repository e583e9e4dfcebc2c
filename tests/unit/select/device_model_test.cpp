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
  const SelectableDevice gpu = gpu_with_copies();
  const auto work = map_workload(1'000'000, DType::kF32, 1);  // 4 MB in, 4 MB out
  const auto ns = [&](bool inputs_there, bool outputs_stay) {
    return transfer_time(work, gpu, {inputs_there, outputs_stay}).value().count;
  };
  EXPECT_NEAR(ns(false, false), 500'000 + 1'000'000, 1);
  EXPECT_NEAR(ns(true, false), 1'000'000, 1);
  EXPECT_NEAR(ns(false, true), 500'000, 1);
  EXPECT_EQ(ns(true, true), 0);
}

TEST(TransferTime, IsNothingOnTheHostAndUnknownWhereItWasNotMeasured) {
  const auto work = map_workload(1000, DType::kF32, 1);
  EXPECT_EQ(transfer_time(work, device_of(quick_start()), {false, false}), Nanoseconds{0});
  EXPECT_EQ(transfer_time(work, device_of(slow_start()), {false, false}), std::nullopt);
  EXPECT_EQ(transfer_time(work, device_of(slow_start()), {true, true}), Nanoseconds{0});
}

TEST(DeviceModel, TakesLaunchAndRatesFromTheCeilings) {
  const SelectableDevice gpu = gpu_with_copies();
  const DeviceModel model(gpu, {});
  EXPECT_DOUBLE_EQ(model.launch_ns(), 10'000);
  const auto time = model.time(map_workload(1'000'000, DType::kF32, 1));
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->ns, 10'000 + 80'000, 1);
  EXPECT_TRUE(time->memory_bound());
  EXPECT_EQ(time->learned.pieces, 0);
  EXPECT_TRUE(time->is_guess());
  EXPECT_GE(time->learned.spread, 10) << "no kernel was ever seen there";
  EXPECT_THAT(model_text(*time), HasSubstr("the bound itself"));
  EXPECT_NEAR(model.time(map_workload(1'000'000, DType::kF32, 1), {false, false})->ns, 90'000 + 1'500'000, 1);
}

TEST(DeviceModel, LearnsHowFarItsKernelsStayFromTheirBound) {
  SelectableDevice gpu = gpu_with_copies();
  const Law half_as_fast{"cuda:0", 10'000, 50};
  std::vector<MeasuredPiece> pieces;
  for (const std::int64_t elements : {100'000, 400'000, 1'600'000}) pieces.push_back(map_piece(elements, {half_as_fast}));
  const auto time = DeviceModel(gpu, pieces).time(map_workload(10'000'000, DType::kF32, 1));
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->learned.factor, 2, 1e-6);
  EXPECT_NEAR(time->learned.spread, 1, 1e-3);
  EXPECT_EQ(time->learned.pieces, 3);
  EXPECT_NEAR(time->ns, half_as_fast.ns(map_workload(10'000'000, DType::kF32, 1)), 1);
}

TEST(DeviceModel, WithoutCeilingsTakesTheBestThatAnyPieceReached) {
  const SelectableDevice cpu = device_of(quick_start());
  std::vector<MeasuredPiece> pieces;
  for (const std::int64_t elements : {10, 100'000, 1'000'000, 10'000'000}) pieces.push_back(map_piece(elements, {quick_start()}));
  const DeviceModel model(cpu, pieces);
  EXPECT_NEAR(model.launch_ns(), 108, 1) << "the shortest run of all";
  const auto work = map_workload(3'000'000, DType::kF32, 1);
  EXPECT_NEAR(model.time(work)->ns, quick_start().ns(work), 0.01 * quick_start().ns(work));
  EXPECT_EQ(DeviceModel(cpu, {}).time(work), std::nullopt) << "nothing is assumed";
}

TEST(DeviceModel, SaysThatALaunchWasNotMeasured) {
  const std::vector<MeasuredPiece> pieces = {map_piece(10'000, {quick_start()}), map_piece(1'000'000, {quick_start()})};
  SelectableDevice cpu = device_of(quick_start());
  const auto work = map_workload(1'000'000, DType::kF32, 1);
  const DeviceModel guessed(cpu, pieces);
  EXPECT_FALSE(guessed.launch_measured());
  EXPECT_THAT(model_text(*guessed.time(work)), HasSubstr(" at most + "));
  cpu.ceilings.rows = {ceiling("launch", 1e7)};
  const DeviceModel measured(cpu, pieces);
  EXPECT_TRUE(measured.launch_measured());
  EXPECT_DOUBLE_EQ(measured.launch_ns(), 100) << "not the shortest piece";
  EXPECT_THAT(model_text(*measured.time(work)), testing::Not(HasSubstr("at most")));
}

TEST(DeviceModel, BorrowsTheFactorOfOthersWhereNoPieceWasMeasuredAndSaysSo) {
  const Law twice_the_bound{"cuda:0", 10'000, 50};
  std::vector<MeasuredPiece> pieces;
  for (const std::int64_t elements : {100'000, 400'000, 1'600'000}) pieces.push_back(map_piece(elements, {twice_the_bound}));
  const SelectableDevice gpu = gpu_with_copies();
  SelectableDevice other = gpu;
  other.id = "cuda:1";
  std::vector<DeviceModel> models;
  models.emplace_back(gpu, pieces);
  models.emplace_back(other, pieces);
  const LearnedFactor borrowed = factor_of_others(models, models[1], OperationType::kMap);
  EXPECT_NEAR(borrowed.factor, 2, 1e-6);
  EXPECT_EQ(borrowed.devices, 1);
  EXPECT_GE(borrowed.spread, 2) << "wider than where they were measured";
  const auto time = models[1].time(map_workload(1'000'000, DType::kF32, 1), {}, borrowed);
  ASSERT_TRUE(time);
  EXPECT_TRUE(time->is_guess());
  EXPECT_NEAR(time->ns, 10'000 + 2 * 80'000, 1);
  EXPECT_THAT(model_text(*time), HasSubstr("took elsewhere"));
  EXPECT_EQ(factor_of_others(models, models[0], OperationType::kMap).pieces, 0);
}

TEST(DeviceModel, LearnsNothingFromThePieceThatIsLeftOut) {
  const SelectableDevice cpu = device_of(quick_start());
  const std::vector<MeasuredPiece> pieces = {map_piece(1000, {quick_start()})};
  EXPECT_TRUE(DeviceModel(cpu, pieces).time(pieces[0].work));
  EXPECT_FALSE(DeviceModel(cpu, pieces, pieces[0].key).time(pieces[0].work));
}

TEST(DeviceModel, IdleUnitsComputeNothing) {
  SelectableDevice gpu = gpu_with_copies();
  gpu.compute_units = 100;
  WorkloadCharacteristics work = map_workload(10, DType::kF32, 1e9);
  const double few = DeviceModel(gpu, {}).time(work)->computing_ns;
  work.parallelism = 1000;
  EXPECT_NEAR(few, 10 * DeviceModel(gpu, {}).time(work)->computing_ns, 1);
}

}  // namespace
}  // namespace fuselab
