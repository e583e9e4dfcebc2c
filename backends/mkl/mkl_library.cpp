// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/mkl_library.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "backends/host/processor.h"
#include "backends/library/capabilities.h"
#include "backends/library/plan_text.h"
#include "backends/loading/shared_library.h"
#include "backends/mkl/element_steps.h"
#include "backends/mkl/mkl_built_plan.h"

namespace fuselab::mkl {
namespace {

constexpr std::string_view kSonames[] = {"libmkl_rt.so.3", "libmkl_rt.so.2"};
constexpr std::string_view kFolders[] = {"/opt/intel/oneapi/mkl/latest/lib", "/opt/intel/oneapi/mkl/latest/lib/intel64",
                                         "/usr/lib/x86_64-linux-gnu"};
// The wheel puts it beside Python's folder, not into a package (<prefix>/lib); unpacked it lies where the wheel's archive has it.
constexpr std::string_view kWheelFolders[] = {"../..", "lib", "mkl-2026.2.0.data/data/lib"};
constexpr int kOldest = 2021;  // cblas_sgemm_batch_strided came with it
// Beyond these extents MKL writes no code of its own for a product, or none that pays.
constexpr int kLargestJit = 128;

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

Status resolve_all(const loading::OpenedLibrary& library, abi::Functions& f) {
  const loading::Symbol symbols[] = {{"MKL_Get_Version", slot(f.get_version)},
                                     {"MKL_Set_Threading_Layer", slot(f.set_threading_layer)},
                                     {"MKL_Set_Num_Threads", slot(f.set_num_threads)},
                                     {"MKL_Set_Dynamic", slot(f.set_dynamic)},
                                     {"cblas_sgemm", slot(f.sgemm)},
                                     {"cblas_gemm_bf16bf16f32", slot(f.gemm_bf16)},
                                     {"cblas_gemm_s8u8s32", slot(f.gemm_bytes)},
                                     {"cblas_sgemm_batch_strided", slot(f.sgemm_batch_strided)},
                                     {"cblas_sgemm_pack_get_size", slot(f.pack_size)},
                                     {"cblas_sgemm_pack", slot(f.pack)},
                                     {"cblas_sgemm_compute", slot(f.compute)},
                                     {"mkl_cblas_jit_create_sgemm", slot(f.jit_create)},
                                     {"mkl_jit_get_sgemm_ptr", slot(f.jit_kernel)},
                                     {"mkl_jit_destroy", slot(f.jit_destroy)}};
  FL_TRY_VOID(loading::resolve(library, symbols));
  void* address = nullptr;  // a chain asks for the address of those that it calls
  std::vector<loading::Symbol> others;
  for (const char* const each : vector_functions()) others.push_back({each, &address});
  return loading::resolve(library, others);
}

// Notes the code path that the library took for this processor: it opens one of these when it first computes.
int note_code_path(dl_phdr_info* object, std::size_t, void* found) {
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  for (const char* const each : {"def", "mc3", "avx2", "avx512", "avx10"}) {
    const std::string name = std::string("/libmkl_") + each + ".so";
    if (path.find(name) != std::string_view::npos) *static_cast<std::string*>(found) = each;
  }
  return 0;
}

std::string code_path(const abi::Functions& calls) {
  const std::array<float, 4> a{1, 2, 3, 4};
  std::array<float, 4> c{};
  calls.sgemm(abi::kRowMajor, abi::kNoTrans, abi::kNoTrans, 2, 2, 2, 1, a.data(), 2, a.data(), 2, 0, c.data(), 2);
  std::string found = "unknown";
  dl_iterate_phdr(note_code_path, &found);
  return found;
}

// Without VNNI the products of two bytes are added up in 16 bits, which hold no 64770.
Status sums_of_bytes(const abi::Functions& calls) {
  constexpr int kMost = 64;
  constexpr std::size_t kAll = std::size_t{kMost} * kMost;
  const std::vector<std::uint8_t> a(kAll, 255), b(kAll, 127);
  const std::int32_t none[kMost] = {};
  struct Extents {
    int m, n, k;
  };
  for (const auto& [m, n, k] : {Extents{kMost, kMost, kMost}, {1, kMost, kMost}, {3, 5, 7}}) {
    std::vector<std::int32_t> c(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    calls.gemm_bytes(abi::kRowMajor, abi::kNoTrans, abi::kNoTrans, abi::kRowOffset, m, n, k, 1, a.data(), k, 0, b.data(), n, 0, 0,
                     c.data(), n, none);
    const std::int32_t right = k * 255 * 127;
    const auto wrong = std::ranges::find_if(c, [right](std::int32_t each) { return each != right; });
    if (wrong == c.end()) continue;
    return Error{ErrorCode::kUnsupported, "MKL's cblas_gemm_s8u8s32 is wrong on this CPU: the sum of " + std::to_string(k) +
                                              " times 255 · 127, " + std::to_string(right) + ", is " + std::to_string(*wrong) +
                                              " there"};
  }
  return {};
}

// The version has the product's numbers: "2026.2" is major 2026, update 2; no minor has been other than 0.
std::string version_text(const abi::Version& version) {
  const std::string minor = version.minor == 0 ? "" : "." + std::to_string(version.minor);
  return std::to_string(version.major) + minor + "." + std::to_string(version.update);
}

}  // namespace

Result<std::shared_ptr<MklLibrary>> MklLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"MKL", kSonames, kFolders, kWheelFolders, "mkl"};
  std::shared_ptr<MklLibrary> library(new MklLibrary());
  FL_TRY(library->opened_, loading::open_vendor_library(wanted, surroundings));
  const loading::OpenedLibrary& opened = library->opened_;
  abi::Functions& calls = library->calls_;
  FL_TRY_VOID(resolve_all(opened, calls));
  // Which threads it has must be said before anything else is asked of it.
  const loading::OpenedLibrary openmp = loading::open_library("libgomp.so.1");
  const int layer = openmp.handle == nullptr ? abi::kLayerSequential : abi::kLayerGnu;
  if (calls.set_threading_layer(layer) != layer) {
    return Error{ErrorCode::kUnavailable, opened.path +
                                              " does not take the threads that it is told to: MKL_THREADING_LAYER is set, or " +
                                              "something else of this process uses it"};
  }
  abi::Version version{};
  calls.get_version(&version);
  const std::string name = version_text(version);
  if (version.major < kOldest) {
    return Error{ErrorCode::kUnavailable, opened.path + " is MKL " + name + ": 2021 or newer is needed"};
  }
  if (layer == abi::kLayerGnu) {
    FL_TRY(library->team_, host::OmpTeam::of(openmp, host::usable_cpus()));
  } else {
    library->team_ = host::OmpTeam::alone(host::usable_cpus().front());
  }
  calls.set_dynamic(0);
  const host::OmpTeam& team = library->team_;
  const std::string path = code_path(calls);
  library->facts_ = {"mkl",
                     "MKL",
                     name,
                     version.build == nullptr ? "" : version.build,
                     opened.path,
                     path + (layer == abi::kLayerGnu ? "-gnu" : "-sequential"),
                     layer == abi::kLayerGnu ? team.name() : "sequential: libgomp.so.1 not found",
                     team.most(),
                     "denormals=kept"};
  return library;
}

Jitter jit(const abi::Functions& calls, const Product& product) {
  Jitter made(nullptr, calls.jit_destroy);
  if (product.is_bf16 || product.bytes || product.begins_a.size() != 1 || std::max({product.m, product.n, product.k}) > kLargestJit)
    return made;
  void* jitter = nullptr;
  const int status =
      calls.jit_create(&jitter, abi::kRowMajor, abi::transposition(product.trans_a), abi::transposition(product.trans_b), product.m,
                       product.n, product.k, product.alpha, product.lda(), product.ldb(), 0, product.n);
  made.reset(jitter);
  if (status != abi::kJitSuccess) made.reset();
  return made;
}

Status MklLibrary::use_threads(int threads) {
  FL_TRY_VOID(team_.use(threads));
  calls_.set_num_threads(threads);
  return {};
}

std::optional<int> MklLibrary::caller_cpu() const {
  return team_.pins() ? std::optional(team_.cpus().front()) : std::nullopt;
}

Result<library::PlanOutline> MklLibrary::outline(const Graph& graph) {
  FL_TRY(const MklPlan plan, lower(graph));
  library::PlanOutline outline;
  outline.steps = plan.words;
  outline.drawbacks = drawbacks_in(graph);
  outline.parameters.push_back({"calls",
                                "calls of MKL that cover the piece; element-wise operators of one shape are one",
                                {static_cast<std::int64_t>(plan.calls.size())}});
  bool packs = false, writes_code = false, computes = false;
  for (const auto& call : plan.calls) {
    if (const auto* const product = std::get_if<Product>(&call)) {
      packs = packs || product->constant_b;
      if (product->bytes) FL_TRY_VOID(sums_of_bytes(calls_));
      writes_code = writes_code || jit(calls_, *product) != nullptr;
    } else {
      const auto& steps = std::get<VectorChain>(call).steps;
      computes =
          computes || std::any_of(steps.begin(), steps.end(), [](const VectorStep& each) { return each.function != nullptr; });
    }
  }
  if (packs) {
    outline.parameters.push_back(
        {"weights", "packed: constant weights lie as MKL likes, laid out ahead of what is timed", {"plain", "packed"}});
  }
  if (writes_code) {
    outline.parameters.push_back({"gemm", "jit: code that MKL writes for the extents, ahead of what is timed", {"library", "jit"}});
  }
  if (computes) {
    outline.parameters.push_back({"accuracy", "of vector mathematics: high to 1 ulp, low to 4", {"high", "low"}});
    outline.parameters.push_back({"chunk",
                                  "elements of one vector call at most; the next operator reads them from a cache",
                                  {std::int64_t{4096}, std::int64_t{1024}, std::int64_t{16384}}});
  }
  return outline;
}

Result<std::unique_ptr<library::HostPlan>> MklLibrary::build(const library::PlanText& asked) {
  FL_TRY(MklPlan plan, lower(asked.graph));
  return MklBuiltPlan::build(shared_from_this(), std::move(plan), asked.config);
}

BackendCapabilities MklLibrary::capabilities() {
  BackendCapabilities capabilities =
      library::capabilities_of({"Single", "ElementWise", "LinearActivation"}, {DType::kF32, DType::kBF16}, claimed_operators());
  capabilities.fusion.multiplies_8_bit = true;
  return capabilities;
}

}  // namespace fuselab::mkl
