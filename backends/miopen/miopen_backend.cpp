// SPDX-License-Identifier: Apache-2.0
#include "backends/miopen/miopen_backend.h"

#include "backends/library/capabilities.h"
#include "backends/library/stream/stream_backend.h"
#include "backends/miopen/convolution.h"
#include "backends/rocm/guests/amd_lender.h"

namespace fuselab {
namespace {

using namespace miopen;

constexpr std::string_view kSonames[] = {"libMIOpen.so.1"};
constexpr std::size_t kOldest = 2;

class MiopenLibrary final : public library::SolutionLibrary {
 public:
  MiopenLibrary()
      : SolutionLibrary("miopen", "MIOpen", "workspace=as asked",
                        "MIOpen's number of a solver; 0: one fusion plan covers what follows, too") {}

  BackendCapabilities capabilities() override {
    return library::capabilities_of({"Single", "ConvActivation"}, {DType::kF32, DType::kF16, DType::kBF16},
                                    {Op::kConv, Op::kRelu, Op::kSigmoid, Op::kTanh});
  }

 private:
  Result<loading::OpenedLibrary> open() override {
#define FL_SLOT(entry, name) {#name, reinterpret_cast<void**>(&calls_.entry)},
    const loading::Symbol symbols[] = {FL_MIOPEN_CALLS(FL_SLOT)};
#undef FL_SLOT
    return hip::open_amd_library("MIOPEN", kSonames, symbols);
  }
  Status create(void** handle) override {
    return check(calls_.create(handle, nullptr), "miopenCreateWithStream");
  }
  Result<std::string> version(void*) override {
    std::size_t major = 0, minor = 0, patch = 0;
    FL_TRY_VOID(check(calls_.version(&major, &minor, &patch), "miopenGetVersion"));
    const std::string version = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    if (major >= kOldest) return version;
    return Error{ErrorCode::kUnavailable, "it is MIOpen " + version + ", " + std::to_string(kOldest) + " or newer is needed"};
  }
  Result<library::DescribedCall> describe(const Graph& graph) override {
    FL_TRY(ConvolutionCall call, convolution_call_of(graph));
    library::DescribedCall described{nullptr, "MIOpen's solution, or its fusion plan, covers " + call.covers, {}};
    // Its kernels take the larger of a number and 0 by a function that drops NaN.
    if (call.activation == abi::kRelu) described.drawbacks.add(Drawback::kNanLoss);
    FL_TRY(described.call, Convolution::describe(calls_, std::move(call)));
    return described;
  }

  abi::Functions calls_{};
};

}  // namespace

std::unique_ptr<FusionBackend> make_miopen_backend() {
  return library::make_stream_library_backend("miopen", hip::amd_lender(), library::start_library<MiopenLibrary>);
}

}  // namespace fuselab
