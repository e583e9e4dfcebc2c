// SPDX-License-Identifier: Apache-2.0
// While another process measures, whoever reads is answered from what is stored: probing and checking would wait for its timings.
#include "db/database.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

class AnswersAtOnce : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kBench;
    spec.subjects = asked_.subjects;
    spec.devices = asked_.devices;
    const auto job = engine_->start(spec);
    ASSERT_TRUE(job.ok()) << job.error().message;
    while (!job.value()->wait_for(std::chrono::milliseconds(1))) job.value()->drain();
    ASSERT_TRUE(job.value()->result().ok()) << job.value()->result().error().message;
  }

  // As a newly started program sees it.
  engine::CompareTable compared() {
    const auto reader = engine::Engine::open(config_in(folder_));
    EXPECT_TRUE(reader.ok());
    const auto tables = reader.value()->compare(asked_);
    EXPECT_TRUE(tables.ok()) << tables.error().message;
    return tables.ok() && tables.value().size() == 1 ? tables.value().front() : engine::CompareTable();
  }

  static engine::CompareSpec asked_graph() {
    engine::CompareSpec spec;
    spec.subjects = {
        "graph(i0: f32[8,16], p0: param f32[16,16]) { v0 = MatMul(i0, p0); v1 = Relu(v0); v2 = MatMul(v1, p0); return v2 }"};
    spec.devices.only = {"null:0"};
    spec.at_once = true;
    return spec;
  }
  engine::CompareSpec asked_ = asked_graph();
};

TEST_F(AnswersAtOnce, FromWhatIsStoredWhileAnotherProcessMeasures) {
  const engine::CompareTable before = compared();
  ASSERT_EQ(before.rows.size(), 2U);
  EXPECT_EQ(before.unchecked, "") << "nobody measures";
  const engine::Config config = config_in(folder_);
  auto writer = db::Database::open(config.database, db::Access::kWrite, std::make_shared<db::Trust>(config.key_directory));
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  for (const bool named : {true, false}) {
    if (!named) asked_.subjects.clear();
    const engine::CompareTable during = compared();
    EXPECT_NE(during.unchecked.find(" measures now, so whether today's kernels are those that were measured was not checked"),
              std::string::npos)
        << during.unchecked;
    EXPECT_EQ(during.model, before.model);
    ASSERT_EQ(during.rows.size(), before.rows.size());
    for (std::size_t index = 0; index < before.rows.size(); ++index) {
      ASSERT_TRUE(during.rows[index].cells.at(0).fused.figure);
      EXPECT_EQ(during.rows[index].cells[0].fused.figure->trial_id, before.rows[index].cells.at(0).fused.figure->trial_id);
    }
    EXPECT_EQ(during.whole_models.size(), before.whole_models.size());
  }
  asked_.at_once = false;
  EXPECT_EQ(compared().unchecked, "") << "whoever exports wants to be sure, and waits";
  asked_.at_once = true;
  writer.value().reset();
  EXPECT_EQ(compared().unchecked, "");
}

}  // namespace
}  // namespace fuselab
