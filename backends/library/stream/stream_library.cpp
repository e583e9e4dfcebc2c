// SPDX-License-Identifier: Apache-2.0
#include "backends/library/stream/stream_library.h"

#include "backends/library/plan_text.h"

namespace fuselab::library {

using gpu::stream::StreamWork;

gpu::stream::WorkLoader plan_loader(std::shared_ptr<StreamLibrary> library) {
  const auto load = [library](gpu::stream::DeviceContext& context, const DeviceInfo&,
                              const CompiledKernel& kernel) -> Result<std::unique_ptr<StreamWork>> {
    FL_TRY(const PlanText plan, read_plan(kernel, library->facts()));
    return library->build(context, plan);
  };
  return {kPlanFormat, load};
}

}  // namespace fuselab::library
