// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/kernel_report.h"

#include <gmock/gmock.h>

#include "app/cli/output/profiles/profile_text.h"
#include "core/kernel/virtual_target.h"
#include "core/profile/vocabulary.h"

namespace fuselab::profile {
namespace {

using testing::HasSubstr;

CompiledKernel kernel(ResourceUsage resources) {
  CompiledKernel kernel;
  kernel.abi.entry = "k";
  kernel.abi.block_x.text = "256";
  kernel.abi.shared_bytes.text = "1024";
  kernel.identity.target = "sm_90";
  kernel.identity.compiler = "nvrtc";
  kernel.identity.compiler_version = "13.0";
  kernel.resources = std::move(resources);
  return kernel;
}

Target hopper() {
  return virtual_target("sm_90").value().target;
}

double value_of(const KernelReport& report, std::string_view name) {
  for (const Metric& metric : report.metrics) {
    if (metric.name == name) return metric.value.value_or(-1);
  }
  return -1;
}

TEST(KernelReport, SaysWhatLimitsAKernelAndWhatFewerRegistersGive) {
  const KernelReport report = report_of(kernel({{"registers", 64}, {"spill_bytes", 0}, {"shared_bytes", 1024}}), 1, hopper());
  EXPECT_EQ(report.step, 1);
  EXPECT_EQ(value_of(report, "static_registers"), 64);
  EXPECT_EQ(value_of(report, "static_shared"), 1024) << "declared and asked for once";
  EXPECT_EQ(value_of(report, "static_blocks"), 4);
  EXPECT_EQ(value_of(report, "static_occupancy"), 0.5);
  EXPECT_EQ(value_of(report, "static_stack"), -1) << "not reported is not 0";
  EXPECT_EQ(report.limited_by, "registers");
  EXPECT_EQ(
      report.text,
      "sm_90: 4 blocks of 256 threads fit on a multiprocessor, 50 % of its warps, limited by registers; 16 registers fewer (48 a "
      "thread) let 5 in, 62 % of its warps");
  for (const Metric& metric : report.metrics) EXPECT_NE(find_metric(metric.name), nullptr) << metric.name;
}

TEST(KernelReport, OfWarpGroupsNoFewerRegistersAreAsked) {
  const KernelReport report = report_of(kernel({{"registers", 64}, {"shared_bytes", 1024}}), 0, hopper(), true);
  EXPECT_THAT(report.text, HasSubstr("limited by registers; it multiplies matrices by warp groups"));
  EXPECT_THAT(report.text, testing::Not(HasSubstr("fewer")));
}

TEST(KernelReport, AmdsUnitsHaveTheirOwnNamesAndRegisters) {
  const ResourceUsage resources = {{"registers", 128}, {"accumulators", 64}, {"scalar_registers", 30}, {"shared_bytes", 1024}};
  const KernelReport cdna = report_of(kernel(resources), 0, virtual_target("gfx942").value().target);
  EXPECT_EQ(value_of(cdna, "static_accumulators"), 64);
  EXPECT_EQ(value_of(cdna, "static_scalar_registers"), 30);
  EXPECT_NE(cdna.text.find("4 blocks of 256 threads fit on a compute unit, 50 %"), std::string::npos) << cdna.text;
  const KernelReport rdna = report_of(kernel(resources), 0, virtual_target("gfx1100").value().target);
  EXPECT_NE(rdna.text.find("5 blocks of 256 threads fit on a work-group processor, 62 %"), std::string::npos) << rdna.text;
}

TEST(KernelReport, WithoutRegistersNothingFollows) {
  const KernelReport report = report_of(kernel({{"code_bytes", 512}}), 0, hopper());
  EXPECT_EQ(value_of(report, "static_code"), 512);
  EXPECT_EQ(value_of(report, "static_occupancy"), -1);
  EXPECT_TRUE(report.text.empty());
  EXPECT_TRUE(report_of(kernel({}), 0, hopper()).metrics.empty());
}

TEST(KernelReport, WhatWouldNotLaunchSaysWhy) {
  EXPECT_THAT(report_of(kernel({{"registers", 64}, {"shared_bytes", 60000}}), 0, hopper()).text,
              HasSubstr("it would not launch: the kernel needs"));
}

TEST(KernelReport, IsASectionOfTheProfile) {
  engine::ProfileView view;
  view.profile.kernels = {report_of(kernel({{"registers", 64}}), 0, hopper())};
  view.profile.kernels[0].metrics.push_back({"static_private", std::nullopt, "the driver does not say", "CL", 1, false});
  const std::string text = cli::profile_text(view, false, {});
  EXPECT_THAT(text, HasSubstr("Kernels, before they run"));
  EXPECT_THAT(text, HasSubstr("registers of a thread"));
  EXPECT_THAT(text, HasSubstr("limited by registers"));
  EXPECT_THAT(text, HasSubstr("private memory of a work-item: the driver does not say"));
}

}  // namespace
}  // namespace fuselab::profile
