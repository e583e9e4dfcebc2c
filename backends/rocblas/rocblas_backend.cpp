// SPDX-License-Identifier: Apache-2.0
#include "backends/rocblas/rocblas_backend.h"

#include <algorithm>
#include <cstdlib>

#include "backends/library/capabilities.h"
#include "backends/library/product_call.h"
#include "backends/library/stream/solution_library.h"
#include "backends/library/stream/stream_backend.h"
#include "backends/rocblas/abi/rocblas_abi.h"
#include "backends/rocm/guests/amd_lender.h"

namespace fuselab {
namespace {

using namespace rocblas;
using library::ProductCall;
using library::Solution;

constexpr std::string_view kSonames[] = {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0"};
constexpr int kOldest = 3;

Status check(const abi::Functions& calls, abi::Code code, const char* what) {
  if (code == abi::kSuccess) return {};
  const bool lacks = code == abi::kNotImplemented || code == abi::kExcludedFromBuild || code == abi::kArchMismatch;
  const ErrorCode meaning = code == abi::kMemoryError ? ErrorCode::kOutOfMemory
                            : lacks                   ? ErrorCode::kUnsupported
                                                      : ErrorCode::kLaunchFailed;
  return Error{meaning, std::string(what) + ": " + calls.name(code) + " (" + std::to_string(code) + ")"};
}

int type_of(DType dtype) {
  return dtype == DType::kF16 ? abi::kF16 : dtype == DType::kBF16 ? abi::kBF16 : abi::kF32;
}
int operation_of(const library::ProductMatrix& matrix) {
  return matrix.transposed ? abi::kOpT : abi::kOpN;
}
std::int32_t narrow(std::int64_t extent) {
  return static_cast<std::int32_t>(extent);
}

// Where the matrices of a call lie.
struct Places {
  const void *a, *b, *c;
  void* d;
};

// Calls one of two functions, for one product or for a batch, with what stands behind the arguments that all of them have.
template <typename Plain, typename Batched, typename... Rest>
abi::Code call(const ProductCall& p, const Places& at, void* handle, int algo, Plain plain, Batched batched, Rest... rest) {
  const int type = type_of(p.dtype);
  const library::ProductMatrix& c = p.c.argument >= 0 ? p.c : p.d;
  if (p.batch == 1) {
    return plain(handle, operation_of(p.a), operation_of(p.b), narrow(p.rows), narrow(p.columns), narrow(p.depth), &p.alpha, at.a,
                 type, narrow(p.a.leading), at.b, type, narrow(p.b.leading), &p.beta, at.c, type, narrow(c.leading), at.d, type,
                 narrow(p.d.leading), abi::kF32, algo, rest...);
  }
  return batched(handle, operation_of(p.a), operation_of(p.b), narrow(p.rows), narrow(p.columns), narrow(p.depth), &p.alpha, at.a,
                 type, narrow(p.a.leading), p.a.stride, at.b, type, narrow(p.b.leading), p.b.stride, &p.beta, at.c, type,
                 narrow(c.leading), c.stride, at.d, type, narrow(p.d.leading), p.d.stride, narrow(p.batch), abi::kF32, algo,
                 rest...);
}

class ProductOf final : public library::SolutionCall {
 public:
  ProductOf(const abi::Functions& calls, const ProductCall& product) : calls_(calls), product_(product) {}

  const char* name() const { return product_.batch == 1 ? "rocblas_gemm_ex" : "rocblas_gemm_strided_batched_ex"; }

  Result<std::vector<Solution>> solutions(void* handle) override {
    // It looks whether there are matrices, and at none of them.
    void* const somewhere = reinterpret_cast<void*>(std::uintptr_t{256});
    std::int32_t size = 0;
    const auto list = [&](std::int32_t* to) {
      return check(calls_,
                   call(product_, {somewhere, somewhere, somewhere, somewhere}, handle, abi::kAlgoSolutionIndex, calls_.solutions,
                        calls_.solutions_batched, 0U, to, &size),
                   "rocblas_gemm_ex_get_solutions");
    };
    FL_TRY_VOID(list(nullptr));
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(std::max(size, 0)));
    std::vector<Solution> solutions;
    if (!numbers.empty()) FL_TRY_VOID(list(numbers.data()));
    numbers.resize(std::min(numbers.size(), static_cast<std::size_t>(std::max(size, 0))));
    // Its own choice is there in any case: it may call hipBLASLt, whose solutions the list lacks.
    numbers.push_back(0);
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (const std::int32_t each : numbers) solutions.push_back({each});
    std::stable_partition(solutions.begin(), solutions.end(), [](const Solution& each) { return each.number == 0; });
    return solutions;
  }
  // rocBLAS asks the driver about a stream that it did not have, which a recording does not stand.
  Status prepare(void* handle, const Solution&, void* stream) override {
    return check(calls_, calls_.set_stream(handle, stream), "rocblas_set_stream");
  }
  Status enqueue(void* handle, const Solution& solution, std::span<void* const> addresses, void*, void*) override {
    const auto at = [&](int argument) { return addresses[static_cast<std::size_t>(argument)]; };
    void* const d = at(product_.d.argument);
    const Places places{at(product_.a.argument), at(product_.b.argument), product_.c.argument >= 0 ? at(product_.c.argument) : d,
                        d};
    return check(calls_,
                 call(product_, places, handle, solution.number == 0 ? abi::kAlgoStandard : abi::kAlgoSolutionIndex, calls_.gemm,
                      calls_.gemm_batched, narrow(solution.number), 0U),
                 name());
  }

 private:
  const abi::Functions& calls_;
  ProductCall product_;
};

class RocblasLibrary final : public library::SolutionLibrary {
 public:
  RocblasLibrary()
      : SolutionLibrary("rocblas", "rocBLAS", "workspace=the library's", "rocBLAS's number of a kernel; 0: rocBLAS chooses") {}

  BackendCapabilities capabilities() override {
    return library::capabilities_of({"Single", "LinearActivation"}, {DType::kF32, DType::kF16, DType::kBF16},
                                    {Op::kMatMul, Op::kGemm, Op::kAdd});
  }

 private:
  Result<loading::OpenedLibrary> open() override {
#define FL_SLOT(entry, name) {#name, reinterpret_cast<void**>(&calls_.entry)},
    const loading::Symbol symbols[] = {FL_ROCBLAS_CALLS(FL_SLOT)};
#undef FL_SLOT
    return hip::open_amd_library("ROCBLAS", kSonames, symbols);
  }
  Status create(void** handle) override {
    return check(calls_, calls_.create(handle), "rocblas_create_handle");
  }
  // "4.2.0" of "4.2.0.2b1fbe7"
  Result<std::string> version(void*) override {
    char text[256] = {};
    FL_TRY_VOID(check(calls_, calls_.version(text, sizeof text), "rocblas_get_version_string"));
    std::string version(text);
    std::size_t end = 0;
    for (int dots = 0; end < version.size() && (version[end] != '.' || ++dots < 3);) ++end;
    version.resize(end);
    if (std::atoi(version.c_str()) >= kOldest) return version;
    return Error{ErrorCode::kUnavailable, "it is rocBLAS " + version + ", " + std::to_string(kOldest) + " or newer is needed"};
  }
  Result<library::DescribedCall> describe(const Graph& graph) override {
    FL_TRY(const ProductCall product, library::product_call_of(graph, {"rocBLAS"}));
    auto made = std::make_unique<ProductOf>(calls_, product);
    std::string step = std::string(made->name()) + " covers " + product.covers;
    return library::DescribedCall{std::move(made), std::move(step), {}};
  }

  abi::Functions calls_{};
};

}  // namespace

std::unique_ptr<FusionBackend> make_rocblas_backend() {
  return library::make_stream_library_backend("rocblas", hip::amd_lender(), library::start_library<RocblasLibrary>);
}

}  // namespace fuselab
