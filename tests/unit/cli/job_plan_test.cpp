// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/job_plan.h"

#include <gtest/gtest.h>

#include "app/engine/subject/subject.h"

namespace fuselab::cli {
namespace {

TEST(JobPlan, NamesSubjectsDevicesPartsAndTime) {
  engine::JobSpec spec;
  spec.subjects = {"bert-layer", "graph(x: f32[8,64]) { y = Relu(x); z = Tanh(y); return z }"};
  std::vector<DeviceInfo> devices(2);
  devices[0].id = "cpu:0";
  devices[1].id = "openmp:0";
  EXPECT_EQ(job_plan_text(spec, devices),
            "Measures 2 subjects (bert-layer, graph(x: f32[8,64]) { y = Relu(x); z = …) on 2 devices (cpu:0, openmp:0).\n"
            "The whole job takes about 10 min (--budget): first figures, tuning, confirming, then fused against unfused.\n"
            "Ctrl-C keeps what was measured; the same command continues from there.\n");
  spec.cold = true;
  spec.budget_seconds = 20;
  EXPECT_NE(job_plan_text(spec, devices).find("takes about 20 s (--budget)"), std::string::npos);
  EXPECT_NE(job_plan_text(spec, devices).find("Cold figures (--cold) come on top.\n"), std::string::npos);
}

TEST(JobPlan, CountsWhatIsTooMuchToName) {
  engine::JobSpec spec;
  for (int index = 0; index < 20; ++index) spec.subjects.push_back("m" + std::to_string(index));
  EXPECT_EQ(job_plan_text(spec, {}).substr(0, 72), "Measures 20 subjects (m0, m1, m2, m3, m4, m5, m6, m7 and 12 more) on 0 d");
}

TEST(JobPlan, NamesTheBuiltInModelsWhereNoSubjectIsGiven) {
  if (engine::default_subjects().empty()) GTEST_SKIP() << "built without the ONNX importer";
  EXPECT_NE(job_plan_text(engine::JobSpec{}, {}).find("resnet50"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::cli
