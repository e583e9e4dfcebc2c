// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/mkl_built_plan.h"

#include <algorithm>
#include <functional>

namespace fuselab::mkl {
namespace {

class MklBoundPlan final : public library::BoundPlan {
 public:
  MklBoundPlan(MklBuiltPlan& plan, std::vector<float*> tensors, std::vector<const float*> packed)
      : plan_(plan), tensors_(std::move(tensors)), packed_(std::move(packed)) {}
  Status run() override { return plan_.run(tensors_, packed_); }

 private:
  MklBuiltPlan& plan_;
  std::vector<float*> tensors_;
  std::vector<const float*> packed_;
};

template <typename T>
T* at(const std::vector<float*>& tensors, int tensor) {
  return reinterpret_cast<T*>(tensors[static_cast<std::size_t>(tensor)]);
}

// The sums of B's columns, of a product of 8-bit numbers.
void sum_columns(const Product& p, const std::vector<float*>& tensors, std::int32_t* to) {
  const auto* b = at<std::int8_t>(tensors, p.b);
  std::fill_n(to, p.n, 0);
  for (int row = 0; row < p.k; ++row, b += p.n) std::transform(b, b + p.n, to, to, std::plus<std::int32_t>());
}

}  // namespace

Result<std::unique_ptr<library::HostPlan>> MklBuiltPlan::build(std::shared_ptr<MklLibrary> library, MklPlan plan,
                                                               const LaunchConfig& config) {
  std::unique_ptr<MklBuiltPlan> built(new MklBuiltPlan(std::move(library), std::move(plan)));
  FL_TRY_VOID(built->make_ready(config));
  return std::unique_ptr<library::HostPlan>(std::move(built));
}

Status MklBuiltPlan::make_ready(const LaunchConfig& config) {
  threads_ = library::threads_of(config);
  for (const std::int64_t bytes : plan_.kept_bytes) {
    FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({bytes}));
    kept_.push_back(std::move(memory));
  }
  const bool packs = config.choice("weights", "plain") == "packed";
  const bool writes_code = config.choice("gemm", "library") == "jit";
  const std::int64_t accuracy = config.choice("accuracy", "high") == "low" ? abi::kLowAccuracy : abi::kHighAccuracy;
  const std::int64_t mode = accuracy | abi::kKeepDenormals | abi::kIgnoreErrors;
  const auto& calls = library_->calls();
  for (const auto& call : plan_.calls) {
    Ready& ready = ready_.emplace_back();
    const auto* const product = std::get_if<Product>(&call);
    if (product == nullptr) {
      ready.chain.emplace(std::get<VectorChain>(call), library_->opened(), mode, config.integer("chunk", 4096), threads_);
      continue;
    }
    if (product->bytes && product->bytes->constant_b) ready.weights.emplace(Bytes{product->n * std::int64_t{sizeof(std::int32_t)}});
    if (writes_code) ready.jitter = jit(calls, *product);
    if (ready.jitter) ready.kernel = calls.jit_kernel(ready.jitter.get());
    if (!packs || !product->constant_b || ready.jitter) continue;
    ready.weights.emplace(Bytes{static_cast<std::int64_t>(calls.pack_size(abi::kBMatrix, product->m, product->n, product->k))});
  }
  // Else the configuration would name what was not measured.
  if (writes_code && std::ranges::none_of(ready_, &Ready::kernel))
    return Error{ErrorCode::kUnsupported, "MKL writes no code for these products any more"};
  return {};
}

Result<std::unique_ptr<library::BoundPlan>> MklBuiltPlan::bind(const library::Places& places) {
  std::vector<float*> tensors;
  for (std::byte* const each : places.addresses) tensors.push_back(reinterpret_cast<float*>(each));
  for (const auto& each : kept_) tensors.push_back(reinterpret_cast<float*>(each.data()));
  std::vector<const float*> packed(plan_.calls.size(), nullptr);
  for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
    if (!ready_[i].weights) continue;
    const auto& p = std::get<Product>(plan_.calls[i]);
    const auto at = static_cast<std::size_t>(p.b);
    const auto pack = [&](std::byte* to) -> Status {
      if (p.bytes) {
        sum_columns(p, tensors, reinterpret_cast<std::int32_t*>(to));
        return {};
      }
      library_->calls().pack(abi::kRowMajor, abi::kBMatrix, abi::transposition(p.trans_b), p.m, p.n, p.k, p.alpha, tensors[at],
                             p.ldb(), reinterpret_cast<float*>(to));
      return {};
    };
    FL_TRY(const std::byte* const copy, ready_[i].weights->copy_of(places.addresses[at], places.versions[at], pack));
    packed[i] = reinterpret_cast<const float*>(copy);
  }
  return std::unique_ptr<library::BoundPlan>(std::make_unique<MklBoundPlan>(*this, std::move(tensors), std::move(packed)));
}

void MklBuiltPlan::multiply_bytes(const Product& p, const std::vector<float*>& tensors, const std::int32_t* sums) const {
  const ByteProduct& bytes = *p.bytes;
  const auto* a = at<std::uint8_t>(tensors, p.a);
  std::int64_t zero = bytes.zero_number;
  if (bytes.zero_tensor >= 0 && bytes.zero == DType::kI8) zero = int{*at<std::int8_t>(tensors, bytes.zero_tensor)};
  if (bytes.zero_tensor >= 0 && bytes.zero == DType::kU8) zero = *at<std::uint8_t>(tensors, bytes.zero_tensor);
  if (bytes.turned >= 0) {
    constexpr std::uint8_t kTurn = 128;
    auto* const turned = at<std::uint8_t>(tensors, bytes.turned);
    std::transform(a, a + std::int64_t{p.m} * p.k, turned, [](std::uint8_t each) { return each ^ kTurn; });
    a = turned;
    zero += kTurn;
  }
  auto* const offsets = at<std::int32_t>(tensors, bytes.offsets);
  if (sums == nullptr) sum_columns(p, tensors, offsets);
  const std::int32_t* const from = sums == nullptr ? offsets : sums;
  std::transform(from, from + p.n, offsets, [&](std::int32_t sum) { return static_cast<std::int32_t>(-zero * sum); });
  library_->calls().gemm_bytes(abi::kRowMajor, abi::kNoTrans, abi::kNoTrans, abi::kRowOffset, p.m, p.n, p.k, 1, a, p.k, 0,
                               at<std::int8_t>(tensors, p.b), p.n, 0, 0, at<std::int32_t>(tensors, p.c), p.n, offsets);
}

void MklBuiltPlan::multiply(const Product& p, const Ready& ready, const std::vector<float*>& tensors, const float* packed) const {
  if (p.bytes) return multiply_bytes(p, tensors, reinterpret_cast<const std::int32_t*>(packed));
  const auto& calls = library_->calls();
  float* const a = tensors[static_cast<std::size_t>(p.a)];
  float* const b = tensors[static_cast<std::size_t>(p.b)];
  float* const c = tensors[static_cast<std::size_t>(p.c)];
  const int trans_a = abi::transposition(p.trans_a), trans_b = abi::transposition(p.trans_b);
  const std::size_t batch = p.begins_a.size();
  if (ready.kernel != nullptr) {
    ready.kernel(ready.jitter.get(), a, b, c);
  } else if (packed != nullptr) {
    calls.compute(abi::kRowMajor, trans_a, abi::kPacked, p.m, p.n, p.k, a, p.lda(), packed, p.ldb(), 0, c, p.n);
  } else if (batch > 1 && !p.is_bf16 && p.is_strided()) {
    calls.sgemm_batch_strided(abi::kRowMajor, trans_a, trans_b, p.m, p.n, p.k, p.alpha, a, p.lda(), static_cast<int>(p.begins_a[1]),
                              b, p.ldb(), static_cast<int>(p.begins_b[1]), 0, c, p.n, p.m * p.n, static_cast<int>(batch));
  } else {
    for (std::size_t i = 0; i < batch; ++i) {
      const std::int64_t in_a = p.begins_a[i], in_b = p.begins_b[i];
      float* const to = c + static_cast<std::int64_t>(i) * p.m * p.n;
      if (p.is_bf16) {
        calls.gemm_bf16(abi::kRowMajor, trans_a, trans_b, p.m, p.n, p.k, p.alpha, reinterpret_cast<const std::uint16_t*>(a) + in_a,
                        p.lda(), reinterpret_cast<const std::uint16_t*>(b) + in_b, p.ldb(), 0, to, p.n);
      } else {
        calls.sgemm(abi::kRowMajor, trans_a, trans_b, p.m, p.n, p.k, p.alpha, a + in_a, p.lda(), b + in_b, p.ldb(), 0, to, p.n);
      }
    }
  }
}

Status MklBuiltPlan::run(const std::vector<float*>& tensors, const std::vector<const float*>& packed) {
  for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
    if (ready_[i].chain) {
      ChainRun& chain = *ready_[i].chain;
      FL_TRY_VOID(library_->team().run(threads_, [&](int thread, int threads) { chain.run(tensors, thread, threads); }));
    } else {
      multiply(std::get<Product>(plan_.calls[i]), ready_[i], tensors, packed[i]);
    }
  }
  return {};
}

std::string MklBuiltPlan::remarks() const {
  std::string text;
  if (std::ranges::any_of(ready_, [](const Ready& each) { return each.weights.has_value(); }))
    text = "weights laid out ahead of time, which is not in the figure";
  if (std::ranges::any_of(ready_, &Ready::kernel))
    text = "code written for the product's extents ahead of time, which is not in the figure";
  if (plan_.calls.size() > 1) text += (text.empty() ? "" : "; ") + std::to_string(plan_.calls.size()) + " calls of MKL";
  return text;
}

}  // namespace fuselab::mkl
