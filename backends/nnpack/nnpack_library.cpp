// SPDX-License-Identifier: Apache-2.0
#include "backends/nnpack/nnpack_library.h"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>

#include "backends/host/processor.h"
#include "backends/library/capabilities.h"
#include "backends/library/plan_text.h"
#include "backends/loading/library_build.h"
#include "backends/nnpack/nnpack_plan.h"

namespace fuselab::nnpack {
namespace {

constexpr std::string_view kSonames[] = {"libnnpack.so.0", "libnnpack.so", "libtorch_cpu.so"};
constexpr std::string_view kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/local/lib"};
constexpr std::string_view kWheelFolders[] = {"torch/lib"};
// Threads of a pool that has nothing to do spin before they sleep; what is timed beside them would share its core.
constexpr std::chrono::milliseconds kSpinning{10};

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

// NNPACK has no numbered versions: the version is that of what carries it.
std::string version_of(const loading::OpenedLibrary& opened) {
  const auto carrier = reinterpret_cast<std::uint64_t (*)()>(opened.symbol("aoti_torch_abi_version"));
  if (carrier == nullptr) return "unnumbered";
  const std::uint64_t version = carrier();
  return "of-pytorch-" + std::to_string(version >> 56) + "." + std::to_string(version >> 48 & 0xff) + "." +
         std::to_string(version >> 40 & 0xff);
}

}  // namespace

Result<std::shared_ptr<NnpackLibrary>> NnpackLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"NNPACK", kSonames, kFolders, kWheelFolders, "torch"};
  FL_TRY(const loading::OpenedLibrary opened, loading::open_vendor_library(wanted, surroundings));
  std::shared_ptr<NnpackLibrary> library(new NnpackLibrary());
  const loading::Symbol symbols[] = {{"nnp_initialize", slot(library->calls_.initialize)},
                                     {"nnp_convolution_inference", slot(library->calls_.convolve)},
                                     {"pthreadpool_create", slot(library->calls_.create_pool)}};
  FL_TRY_VOID(loading::resolve(opened, symbols));
  if (const abi::Code code = library->calls_.initialize(); code != 0) {
    return Error{ErrorCode::kUnavailable, opened.path + ": NNPACK does not start (status " + std::to_string(code) +
                                              (code == abi::kUnsupportedHardware ? "): it computes with AVX2 alone" : ")")};
  }
  const int threads = static_cast<int>(host::usable_cpus().size());
  library->facts_ = {"nnpack",       "NNPACK", version_of(opened),   loading::build_of(opened.path),
                     opened.path,    "avx2",   "a pool, not pinned", threads,
                     "precision=f32"};
  return library;
}

Status NnpackLibrary::use_threads(int threads) {
  if (threads < 1 || threads > facts_.most_threads) {
    return Error{ErrorCode::kUnsupported, "the configuration wants " + std::to_string(threads) + " threads, there are " +
                                              std::to_string(facts_.most_threads)};
  }
  if (threads > 1 && !pools_.contains(threads)) {
    const abi::Pool made = calls_.create_pool(static_cast<std::size_t>(threads));
    if (made == nullptr) return Error{ErrorCode::kOutOfMemory, "NNPACK makes no pool of " + std::to_string(threads) + " threads"};
    pools_[threads] = made;
  }
  pool_ = threads > 1 ? pools_.at(threads) : nullptr;
  threads_ = threads;
  awake_ = std::max(awake_, threads);
  return {};
}

void NnpackLibrary::settle(int) {
  if (awake_ != threads_) std::this_thread::sleep_for(kSpinning);
  awake_ = threads_;
}

Result<library::PlanOutline> NnpackLibrary::outline(const Graph& graph) {
  FL_TRY(const Convolution convolution, convolution_of(graph));
  library::PlanOutline outline;
  outline.steps = {std::string("nnp_convolution_inference covers Conv") + (convolution.relu ? "+Relu" : "")};
  if (convolution.relu) outline.drawbacks.add(Drawback::kNanLoss);
  Parameter algorithm{"algorithm", "4: implicit GEMM", {std::int64_t{abi::kImplicitGemm}}};
  if (may_transform(convolution)) {
    algorithm.meaning += "; by transforms: 1: Fourier's of 8x8, 2: of 16x16, 3: Winograd's of 8x8; 0: NNPACK chooses";
    for (const int each : {abi::kFft8, abi::kFft16, abi::kWinograd8, abi::kAutomatic}) {
      if (each != abi::kWinograd8 || is_for_winograd(convolution)) algorithm.values.emplace_back(std::int64_t{each});
    }
    outline.parameters.push_back(
        {std::string(kWinogradParameter), "1: by transforms, whose error is larger", {std::int64_t{0}, std::int64_t{1}}});
    outline.constraints.push_back(
        {"(algorithm == 4 && winograd == 0) || (algorithm != 4 && winograd == 1)", "what is computed by transforms says so"});
  }
  outline.parameters.push_back(std::move(algorithm));
  return outline;
}

Result<std::unique_ptr<library::HostPlan>> NnpackLibrary::build(const library::PlanText& asked) {
  FL_TRY(const Convolution convolution, convolution_of(asked.graph));
  return NnpackPlan::build(shared_from_this(), convolution, asked.config);
}

BackendCapabilities NnpackLibrary::capabilities() {
  return library::capabilities_of({"Single", "ConvActivation"}, {DType::kF32}, {Op::kConv, Op::kRelu});
}

}  // namespace fuselab::nnpack
