// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/chain_run.h"

#include <algorithm>
#include <span>

#include "backends/mkl/abi/mkl_abi.h"
#include "backends/mkl/bf16.h"
#include "core/extents/strides.h"

namespace fuselab::mkl {

ChainRun::ChainRun(const VectorChain& chain, const loading::OpenedLibrary& library, std::int64_t mode, std::int64_t chunk,
                   int threads)
    : mode_(mode), stores_bf16_(chain.stores_bf16) {
  flatten(chain);
  chunk_ = std::min(chunk, dims_.back());
  const auto size = static_cast<std::size_t>(chunk_);
  for (const VectorStep& each : chain.steps) {
    Step& step = steps_.emplace_back(Step{each, each.function == nullptr ? nullptr : library.symbol(each.function)});
    for (VectorOperand* const operand : {&step.a, &step.b}) {
      if (operand->kind != VectorOperand::Kind::kNumber) continue;
      operand->index = static_cast<int>(numbers_.size());
      numbers_.emplace_back(size, operand->number);
    }
  }
  chunks_ = steps_.size();
  for (Source& each : sources_) {
    if (each.strides.back() == 0 || each.dtype != DType::kF32) each.fill = static_cast<int>(chunks_++);
  }
  scratch_.assign(chunks_ * static_cast<std::size_t>(threads), std::vector<float>(size));
}

// Dimensions of one element go, and two neighbours become one where every reading goes through them in one stride.
void ChainRun::flatten(const VectorChain& chain) {
  for (const Reading& each : chain.readings) sources_.push_back({{each.tensor, {}, each.dtype}});
  for (std::size_t i = 0; i < chain.dims.size(); ++i) {
    if (chain.dims[i] == 1) continue;
    bool joins = !dims_.empty();
    for (std::size_t r = 0; r < sources_.size() && joins; ++r) {
      joins = sources_[r].strides.back() == chain.readings[r].strides[i] * chain.dims[i];
    }
    if (joins) {
      dims_.back() *= chain.dims[i];
    } else {
      dims_.push_back(chain.dims[i]);
    }
    for (std::size_t r = 0; r < sources_.size(); ++r) {
      if (joins) sources_[r].strides.pop_back();
      sources_[r].strides.push_back(chain.readings[r].strides[i]);
    }
  }
  if (!dims_.empty()) return;
  dims_ = {1};
  for (Source& each : sources_) each.strides = {0};
}

void ChainRun::call(const Step& step, int count, const float* a, const float* b, float* y) const {
  if (step.function == nullptr) {
    std::copy_n(a, count, y);
  } else if (b == nullptr) {
    reinterpret_cast<abi::Unary>(step.address)(count, a, y, mode_);
  } else {
    reinterpret_cast<abi::Binary>(step.address)(count, a, b, y, mode_);
  }
}

void ChainRun::run(const std::vector<float*>& tensors, int thread, int threads) {
  const std::int64_t columns = dims_.back();
  const std::size_t outer = dims_.size() - 1;
  const std::int64_t pieces = (columns + chunk_ - 1) / chunk_;
  const std::int64_t tasks = product_of(std::span(dims_).first(outer)) * pieces;
  std::vector<const float*> sources(sources_.size());
  std::vector<float*> results(steps_.size());
  for (std::int64_t task = tasks * thread / threads; task < tasks * (thread + 1) / threads; ++task) {
    const std::int64_t row = task / pieces;
    const std::int64_t column = task % pieces * chunk_;
    const auto count = static_cast<int>(std::min(chunk_, columns - column));
    for (std::size_t r = 0; r < sources_.size(); ++r) {
      const Source& source = sources_[r];
      std::int64_t offset = column * source.strides.back();
      std::int64_t rest = row;
      for (std::size_t i = outer; i-- > 0; rest /= dims_[i]) offset += rest % dims_[i] * source.strides[i];
      const float* const wide = tensors[static_cast<std::size_t>(source.tensor)];
      sources[r] = wide + offset;
      if (source.fill < 0) continue;
      float* const filled = scratch(thread, static_cast<std::size_t>(source.fill)).data();
      const int given = source.strides.back() == 0 ? 1 : count;
      if (source.dtype == DType::kBF16) {
        const auto* const half = reinterpret_cast<const std::uint16_t*>(wide) + offset;
        std::transform(half, half + given, filled, widened);
      } else if (source.dtype == DType::kI32) {
        const auto* const whole = reinterpret_cast<const std::int32_t*>(wide) + offset;
        std::copy_n(whole, given, filled);
      } else {
        *filled = wide[offset];
      }
      if (given == 1) std::fill_n(filled, count, float{*filled});
      sources[r] = filled;
    }
    const auto place = [&](const VectorOperand& operand) -> const float* {
      const auto index = static_cast<std::size_t>(operand.index);
      switch (operand.kind) {
        case VectorOperand::Kind::kTensor: return sources[index];
        case VectorOperand::Kind::kStep: return results[index];
        case VectorOperand::Kind::kNumber: return numbers_[index].data();
        case VectorOperand::Kind::kNone: break;
      }
      return nullptr;
    };
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const Step& step = steps_[s];
      const std::int64_t at = row * columns + column;
      float* const to = step.stored_in < 0 ? nullptr : tensors[static_cast<std::size_t>(step.stored_in)];
      results[s] = to == nullptr || stores_bf16_ ? scratch(thread, s).data() : to + at;
      call(step, count, place(step.a), place(step.b), results[s]);
      if (to != nullptr && stores_bf16_) {
        std::transform(results[s], results[s] + count, reinterpret_cast<std::uint16_t*>(to) + at, narrowed);
      }
    }
  }
}

}  // namespace fuselab::mkl
