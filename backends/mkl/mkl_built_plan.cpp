// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/mkl_built_plan.h"

#include <algorithm>
#include <cstring>

#include "backends/mkl/bf16.h"

namespace fuselab::mkl {
namespace {

int transposition(bool transposed) {
  return transposed ? abi::kTrans : abi::kNoTrans;
}

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

}  // namespace

Result<std::unique_ptr<MklBuiltPlan>> MklBuiltPlan::build(std::shared_ptr<MklLibrary> library, MklPlan plan,
                                                          const LaunchConfig& config) {
  std::unique_ptr<MklBuiltPlan> built(new MklBuiltPlan(std::move(library), std::move(plan)));
  FL_TRY_VOID(built->make_ready(config));
  return built;
}

MklBuiltPlan::~MklBuiltPlan() {
  for (const Ready& each : ready_) {
    if (each.jitter != nullptr) library_->calls().jit_destroy(each.jitter);
  }
}

Status MklBuiltPlan::make_ready(const LaunchConfig& config) {
  threads_ = library::threads_of(config);
  for (const std::int64_t elements : plan_.kept_elements) {
    kept_.emplace_back();
    if (elements == 0) continue;
    FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({elements * static_cast<std::int64_t>(sizeof(float))}));
    kept_.back().emplace(std::move(memory));
  }
  const bool packs = config.choice("weights", "plain") == "packed";
  const bool writes_code = config.choice("gemm", "library") == "jit";
  const std::int64_t accuracy = config.choice("accuracy", "high") == "low" ? abi::kLowAccuracy : abi::kHighAccuracy;
  const std::int64_t mode = accuracy | abi::kKeepDenormals | abi::kIgnoreErrors;
  for (const auto& call : plan_.calls) {
    Ready& ready = ready_.emplace_back();
    if (const auto* const chain = std::get_if<VectorChain>(&call)) {
      ready.chain.emplace(*chain, library_->vectors(), mode, config.integer("chunk", 4096), threads_,
                          plan_.is_bf16 ? plan_.arguments : 0);
    }
    const auto* const product = std::get_if<Product>(&call);
    if (product == nullptr) continue;
    if (packs && product->constant_b) ready.way = Way::kPacked;
    if (!writes_code || !has_jit(library_->calls(), *product)) continue;
    const auto& calls = library_->calls();
    if (calls.jit_create(&ready.jitter, abi::kRowMajor, transposition(product->trans_a), transposition(product->trans_b),
                         product->m, product->n, product->k, product->alpha, product->lda(), product->ldb(), 0,
                         product->n) != abi::kJitSuccess) {
      return Error{ErrorCode::kUnsupported, "MKL writes no code for this product any more"};
    }
    ready.kernel = calls.jit_kernel(ready.jitter);
    ready.way = Way::kJit;
  }
  return {};
}

Result<const float*> MklBuiltPlan::pack(const Product& product, Ready& ready, std::byte* from, std::uint64_t version) {
  const auto& calls = library_->calls();
  auto found = ready.copies.find(from);
  if (found == ready.copies.end()) {
    const auto bytes = static_cast<std::int64_t>(calls.pack_size(abi::kBMatrix, product.m, product.n, product.k));
    FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({bytes}));
    found = ready.copies.emplace(from, Packed{std::move(memory), 0}).first;
  }
  Packed& copy = found->second;
  auto* const packed = reinterpret_cast<float*>(copy.memory.data());
  if (copy.version != version) {
    calls.pack(abi::kRowMajor, abi::kBMatrix, transposition(product.trans_b), product.m, product.n, product.k, product.alpha,
               reinterpret_cast<const float*>(from), product.ldb(), packed);
    copy.version = version;
  }
  return packed;
}

Result<std::unique_ptr<library::BoundPlan>> MklBuiltPlan::bind(const library::Places& places) {
  std::vector<float*> tensors;
  for (std::byte* const each : places.addresses) tensors.push_back(reinterpret_cast<float*>(each));
  for (const auto& each : kept_) tensors.push_back(each ? reinterpret_cast<float*>(each->data()) : nullptr);
  std::vector<const float*> packed(plan_.calls.size(), nullptr);
  for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
    if (ready_[i].way != Way::kPacked) continue;
    const auto& product = std::get<Product>(plan_.calls[i]);
    const auto weights = static_cast<std::size_t>(product.b);
    FL_TRY(packed[i], pack(product, ready_[i], places.addresses[weights], places.versions[weights]));
  }
  return std::unique_ptr<library::BoundPlan>(std::make_unique<MklBoundPlan>(*this, std::move(tensors), std::move(packed)));
}

void MklBuiltPlan::multiply(const Product& p, const Ready& ready, const std::vector<float*>& tensors, const float* packed) const {
  const auto& calls = library_->calls();
  float* const a = tensors[static_cast<std::size_t>(p.a)];
  float* const b = tensors[static_cast<std::size_t>(p.b)];
  float* const c = tensors[static_cast<std::size_t>(p.c)];
  const int trans_a = transposition(p.trans_a), trans_b = transposition(p.trans_b);
  if (ready.way == Way::kJit) {
    ready.kernel(ready.jitter, a, b, c);
  } else if (ready.way == Way::kPacked) {
    calls.compute(abi::kRowMajor, trans_a, abi::kPacked, p.m, p.n, p.k, a, p.lda(), packed, p.ldb(), 0, c, p.n);
  } else if (p.is_bf16) {
    const auto *const half_a = reinterpret_cast<const std::uint16_t*>(a), *const half_b = reinterpret_cast<const std::uint16_t*>(b);
    float* to = c;
    for (const auto& [begin_a, begin_b] : p.begins) {
      calls.gemm_bf16(abi::kRowMajor, trans_a, trans_b, p.m, p.n, p.k, p.alpha, half_a + begin_a, p.lda(), half_b + begin_b,
                      p.ldb(), 0, to, p.n);
      to += static_cast<std::int64_t>(p.m) * p.n;
    }
  } else if (p.begins.size() > 1 && p.is_strided()) {
    calls.sgemm_batch_strided(abi::kRowMajor, trans_a, trans_b, p.m, p.n, p.k, p.alpha, a, p.lda(),
                              static_cast<int>(p.begins[1].first), b, p.ldb(), static_cast<int>(p.begins[1].second), 0, c, p.n,
                              p.m * p.n, static_cast<int>(p.begins.size()));
  } else {
    float* to = c;
    for (const auto& [begin_a, begin_b] : p.begins) {
      calls.sgemm(abi::kRowMajor, trans_a, trans_b, p.m, p.n, p.k, p.alpha, a + begin_a, p.lda(), b + begin_b, p.ldb(), 0, to, p.n);
      to += static_cast<std::int64_t>(p.m) * p.n;
    }
  }
}

Status MklBuiltPlan::run(const std::vector<float*>& tensors, const std::vector<const float*>& packed) {
  for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
    const auto& call = plan_.calls[i];
    if (const auto* const product = std::get_if<Product>(&call)) {
      multiply(*product, ready_[i], tensors, packed[i]);
    } else if (ready_[i].chain) {
      ChainRun& chain = *ready_[i].chain;
      FL_TRY_VOID(library_->team().run(threads_, [&](int thread, int threads) { chain.run(tensors, thread, threads); }));
    } else {
      const auto& copy = std::get<TensorCopy>(call);
      const float* const from = tensors[static_cast<std::size_t>(copy.from)];
      float* const to = tensors[static_cast<std::size_t>(copy.to)];
      if (!copy.narrows) {
        std::memcpy(to, from, static_cast<std::size_t>(copy.elements) * (plan_.is_bf16 ? sizeof(std::uint16_t) : sizeof(float)));
        continue;
      }
      FL_TRY_VOID(library_->team().run(threads_, [&](int thread, int threads) {
        const std::int64_t begin = copy.elements * thread / threads, end = copy.elements * (thread + 1) / threads;
        narrow(from + begin, end - begin, reinterpret_cast<std::uint16_t*>(to) + begin);
      }));
    }
  }
  return {};
}

std::string MklBuiltPlan::remarks() const {
  std::string text;
  const auto way = [this](Way wanted) {
    return std::any_of(ready_.begin(), ready_.end(), [wanted](const Ready& each) { return each.way == wanted; });
  };
  if (way(Way::kPacked)) text = "weights laid out ahead of time, which is not in the figure";
  if (way(Way::kJit)) text = "code written for the product's extents ahead of time, which is not in the figure";
  if (plan_.calls.size() > 1) text += (text.empty() ? "" : "; ") + std::to_string(plan_.calls.size()) + " calls of MKL";
  return text;
}

}  // namespace fuselab::mkl
