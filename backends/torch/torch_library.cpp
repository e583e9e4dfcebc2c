// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/torch_library.h"

#include <malloc.h>

#include <string_view>

#include "backends/host/processor.h"
#include "backends/library/plan_text.h"
#include "backends/torch/torch_built_plan.h"

namespace fuselab::torch {
namespace {

constexpr std::string_view kSonames[] = {"libtorch_cpu.so"};
constexpr std::string_view kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/local/lib", "/opt/libtorch/lib"};
constexpr std::string_view kWheelFolders[] = {"torch/lib"};
// Memory for results is kept by the process: given back, it would be fetched anew in every call.
constexpr int kKeptMemory = 1 << 30;

}  // namespace

Result<std::shared_ptr<TorchLibrary>> TorchLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"TORCH", kSonames, kFolders, kWheelFolders, "torch"};
  std::shared_ptr<TorchLibrary> library(new TorchLibrary());
  FL_TRY(loading::OpenedLibrary opened, loading::open_vendor_library(wanted, surroundings));
  FL_TRY_VOID(library->take(std::move(opened)));
  FL_TRY(library->team_, host::OmpTeam::of(library->opened(), host::usable_cpus()));
  ::mallopt(M_MMAP_THRESHOLD, kKeptMemory);
  ::mallopt(M_TRIM_THRESHOLD, kKeptMemory);
  const host::OmpTeam& team = library->team_;
  library->facts_ = library->facts_of("torch");
  library->facts_.settings = "eager";
  library->facts_.threads = team.name();
  library->facts_.most_threads = team.most();
  library->facts_.flags = "grad=off";
  return library;
}

Status TorchLibrary::use_threads(int threads) {
  FL_TRY_VOID(team_.use(threads));
  if (threads != threads_) calls().set_threads(threads);
  threads_ = threads;
  calls().set_gradients(false);
  return {};
}

std::optional<int> TorchLibrary::caller_cpu() const {
  return team_.pins() ? std::optional(team_.cpus().front()) : std::nullopt;
}

Result<std::unique_ptr<library::HostPlan>> TorchLibrary::build(const library::PlanText& asked) {
  FL_TRY(TorchPlan plan, plan_for(asked.graph));
  return TorchBuiltPlan::build(shared_from_this(), std::move(plan));
}

}  // namespace fuselab::torch
