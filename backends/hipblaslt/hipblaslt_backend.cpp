// SPDX-License-Identifier: Apache-2.0
#include "backends/hipblaslt/hipblaslt_backend.h"

#include "backends/hipblaslt/matmul.h"
#include "backends/library/capabilities.h"
#include "backends/library/stream/stream_backend.h"
#include "backends/rocm/guests/amd_lender.h"

namespace fuselab {
namespace {

using namespace hipblaslt;

constexpr std::string_view kSonames[] = {"libhipblaslt.so.1", "libhipblaslt.so.0"};
constexpr int kOldest = 1000;  // 0.10: enumerations before it had other numbers

std::string version_text(int version) {
  return std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." + std::to_string(version % 100);
}

class HipblasLtLibrary final : public library::SolutionLibrary {
 public:
  HipblasLtLibrary()
      : SolutionLibrary("hipblaslt", "hipBLASLt", "workspace=" + std::to_string(kMostWorkspace >> 20) + "MiB",
                        "hipBLASLt's number of a kernel; the first is its heuristic's choice") {}

  BackendCapabilities capabilities() override {
    return library::capabilities_of({"Single", "LinearActivation"}, {DType::kF32, DType::kF16, DType::kBF16},
                                    {Op::kMatMul, Op::kGemm, Op::kAdd, Op::kRelu, Op::kGelu});
  }

 private:
  Result<loading::OpenedLibrary> open() override {
#define FL_SLOT(entry, name) {#name, reinterpret_cast<void**>(&calls_.entry)},
    const loading::Symbol symbols[] = {FL_HIPBLASLT_CALLS(FL_SLOT)};
#undef FL_SLOT
    return hip::open_amd_library("HIPBLASLT", kSonames, symbols);
  }
  Status create(void** handle) override {
    return check(calls_.create(handle), "hipblasLtCreate");
  }
  Result<std::string> version(void* handle) override {
    int version = 0;
    FL_TRY_VOID(check(calls_.version(handle, &version), "hipblasLtGetVersion"));
    if (version >= kOldest) return version_text(version);
    return Error{ErrorCode::kUnavailable,
                 "it is hipBLASLt " + version_text(version) + ", " + version_text(kOldest) + " or newer is needed"};
  }
  Result<library::DescribedCall> describe(const Graph& graph) override {
    FL_TRY(const library::ProductCall product, library::product_call_of(graph, {"hipBLASLt", true, true}));
    FL_TRY(auto matmul, Matmul::describe(calls_, product));
    library::DescribedCall described{std::move(matmul), "hipblasLtMatmul covers " + product.covers, {}};
    // Its kernels take the larger of a number and 0 by an instruction that drops NaN.
    if (product.end == library::ProductEnd::kRelu) described.drawbacks.add(Drawback::kNanLoss);
    return described;
  }

  abi::Functions calls_{};
};

}  // namespace

std::unique_ptr<FusionBackend> make_hipblaslt_backend() {
  return library::make_stream_library_backend("hipblaslt", hip::amd_lender(), library::start_library<HipblasLtLibrary>);
}

}  // namespace fuselab
