// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/chain_run.h"

#include <algorithm>

#include "backends/mkl/bf16.h"

namespace fuselab::mkl {
namespace {

std::int64_t product_of(const std::vector<std::int64_t>& dims, std::size_t end) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < end; ++i) product *= dims[i];
  return product;
}

}  // namespace

ChainRun::ChainRun(const VectorChain& chain, const VectorFunctions& functions, std::int64_t mode, std::int64_t chunk, int threads,
                   int narrow)
    : functions_(functions), mode_(mode), narrow_(narrow), steps_(chain.steps) {
  flatten(chain);
  chunk_ = std::min(chunk, dims_.back());
  const auto size = static_cast<std::size_t>(chunk_);
  chunks_ = steps_.size();
  for (Flat& each : readings_) {
    if (each.strides.back() == 0 || each.tensor < narrow_) each.fill = static_cast<int>(chunks_++);
  }
  for (VectorStep& step : steps_) {
    for (VectorOperand* const operand : {&step.a, &step.b}) {
      if (operand->kind != VectorOperand::Kind::kNumber) continue;
      operand->index = static_cast<int>(numbers_.size());
      numbers_.emplace_back(size, operand->number);
    }
  }
  scratch_.assign(chunks_ * static_cast<std::size_t>(threads), std::vector<float>(size));
}

// Dimensions of one element go, and two neighbours become one where every reading goes through them in one stride.
void ChainRun::flatten(const VectorChain& chain) {
  for (const Reading& each : chain.readings) readings_.push_back({each.tensor, {}, -1});
  for (std::size_t i = 0; i < chain.dims.size(); ++i) {
    if (chain.dims[i] == 1) continue;
    bool joins = !dims_.empty();
    for (std::size_t r = 0; r < readings_.size() && joins; ++r) {
      joins = readings_[r].strides.back() == chain.readings[r].strides[i] * chain.dims[i];
    }
    if (joins) {
      dims_.back() *= chain.dims[i];
    } else {
      dims_.push_back(chain.dims[i]);
    }
    for (std::size_t r = 0; r < readings_.size(); ++r) {
      if (joins) readings_[r].strides.pop_back();
      readings_[r].strides.push_back(chain.readings[r].strides[i]);
    }
  }
  if (!dims_.empty()) return;
  dims_ = {1};
  for (Flat& each : readings_) each.strides = {0};
}

void ChainRun::run(const std::vector<float*>& tensors, int thread, int threads) {
  const std::int64_t columns = dims_.back();
  const std::size_t outer = dims_.size() - 1;
  const std::int64_t pieces = (columns + chunk_ - 1) / chunk_;
  const std::int64_t tasks = product_of(dims_, outer) * pieces;
  std::vector<const float*> sources(readings_.size());
  std::vector<float*> results(steps_.size());
  for (std::int64_t task = tasks * thread / threads; task < tasks * (thread + 1) / threads; ++task) {
    const std::int64_t row = task / pieces;
    const std::int64_t column = task % pieces * chunk_;
    const auto count = static_cast<int>(std::min(chunk_, columns - column));
    for (std::size_t r = 0; r < readings_.size(); ++r) {
      const Flat& reading = readings_[r];
      std::int64_t offset = column * reading.strides.back();
      std::int64_t rest = row;
      for (std::size_t i = outer; i-- > 0; rest /= dims_[i]) offset += rest % dims_[i] * reading.strides[i];
      const float* const tensor = tensors[static_cast<std::size_t>(reading.tensor)];
      sources[r] = tensor + offset;
      if (reading.fill < 0) continue;
      float* const filled = scratch(thread, static_cast<std::size_t>(reading.fill)).data();
      const auto* const half = reinterpret_cast<const std::uint16_t*>(tensor) + offset;
      const bool is_narrow = reading.tensor < narrow_;
      if (reading.strides.back() == 0)
        std::fill_n(filled, count, is_narrow ? widened(*half) : tensor[offset]);
      else
        widen(half, count, filled);
      sources[r] = filled;
    }
    const auto place = [&](const VectorOperand& operand) -> const float* {
      const auto index = static_cast<std::size_t>(operand.index);
      switch (operand.kind) {
        case VectorOperand::Kind::kTensor: return sources[index];
        case VectorOperand::Kind::kStep: return results[index];
        case VectorOperand::Kind::kNumber: break;
      }
      return numbers_[index].data();
    };
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const VectorStep& step = steps_[s];
      const std::int64_t at = row * columns + column;
      float* const to = step.stored_in < 0 ? nullptr : tensors[static_cast<std::size_t>(step.stored_in)];
      results[s] = step.stored_in < narrow_ ? scratch(thread, s).data() : to + at;
      functions_.call(step.function, count, place(step.a), place(step.b), results[s], mode_);
      if (to != nullptr && step.stored_in < narrow_) narrow(results[s], count, reinterpret_cast<std::uint16_t*>(to) + at);
    }
  }
}

}  // namespace fuselab::mkl
