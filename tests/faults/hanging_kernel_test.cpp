// SPDX-License-Identifier: Apache-2.0
// A kernel that hangs costs its launch time-out twice, not in each run.
#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/measure/block_measurer.h"
#include "core/graph/graph_text.h"
#include "tests/faults/support/job_fixture.h"

namespace fuselab::engine {
namespace {

class HangingKernel : public JobTest {
 protected:
  void SetUp() override {
    JobTest::SetUp();
    device_ = workers_->probe("null").value().devices.at(1);
    environment_ = platform::environment_identity(platform::machine_facts(), device_, "test");
    evidence_ = std::make_unique<EvidenceReader>(*workers_, database_->queries(), "O2", std::stop_token(), "");
    context_ = std::make_unique<JobContext>(JobContext{
        config_, spec_, *workers_, database_->store(), database_->queries(), *evidence_, events_, gate_, {}, "run", "metric"});
    protocol_.launch_timeout = {200e6};
    protocol_.drop_factor = 0;
    StoreBatch batch;
    batch.devices.push_back(device_);
    batch.environments.push_back(environment_);
    batch.runs.push_back({"run", "bench", "fuselab bench", "test", "here", "finished", 1, 2});
    batch.pieces.push_back({"piece", kGraph, "piece", "ElementWise", {}});
    batch.metrics.push_back(metric_of(protocol_));
    ASSERT_TRUE(database_->store().commit(batch).ok());
  }

  Candidate candidate(const char* fault) {
    const Graph graph = parse_graph(kGraph).value();
    Candidate made;
    made.piece_key = "piece";
    const LaunchConfig config{{"a", std::int64_t{0}}, {"b", std::int64_t{1}}, {"fault", std::string(fault)}};
    made.config = config.text();
    auto kernel = workers_->compile({"null", device_.target, canonical_text(graph), config, OptimizationLevel::kO2}, {});
    EXPECT_TRUE(kernel.ok());
    made.kernel_keys = {kernel.value().kernel_id()};
    auto plan = make_plan(fault, graph, {{NodeId{0}, NodeId{1}}}, {std::move(kernel).value()});
    EXPECT_TRUE(plan.ok());
    made.plan = std::move(plan).value();
    return made;
  }

  // Runs a block with a kernel that hangs and one that does not as a new job would; how many trials it measured.
  int measured_by_a_run() {
    BlockMeasurer measurer(*context_, device_, environment_);
    std::vector<Candidate> block;
    block.push_back(candidate("hang"));
    block.push_back(candidate("none"));
    const auto trials = measurer.measure(std::move(block), protocol_, Freshness::kReuse);
    EXPECT_TRUE(trials.ok()) << trials.error().message;
    if (!trials.ok()) return -1;
    EXPECT_EQ(trials.value().at(0).result.outcome, Outcome::kTimeout);
    EXPECT_NE(trials.value()[0].result.reason.find("longer than 200 ms"), std::string::npos) << trials.value()[0].result.reason;
    EXPECT_EQ(trials.value().at(1).result.outcome, Outcome::kTimed) << trials.value()[1].result.reason;
    return measurer.measured();
  }

  static constexpr const char* kGraph = "graph(i0: f32[8,16], i1: f32[8,16]) { v0 = Add(i0, i1); v1 = Relu(v0); return v1 }";
  Config config_;
  JobSpec spec_;
  Protocol protocol_;
  EventQueue events_;
  PausePoint gate_;
  std::unique_ptr<EvidenceReader> evidence_;
  std::unique_ptr<JobContext> context_;
};

TEST_F(HangingKernel, IsTriedTwiceAndThenKnown) {
  EXPECT_EQ(measured_by_a_run(), 2);
  EXPECT_EQ(measured_by_a_run(), 2) << "the first time-out may have been the machine's fault";
  EXPECT_EQ(measured_by_a_run(), 0);
  EXPECT_EQ(measured_by_a_run(), 0);
}

TEST_F(HangingKernel, IsTriedAgainWhenAskedFor) {
  measured_by_a_run();
  measured_by_a_run();
  spec_.remeasure = true;
  EXPECT_EQ(measured_by_a_run(), 2);
}

}  // namespace
}  // namespace fuselab::engine
