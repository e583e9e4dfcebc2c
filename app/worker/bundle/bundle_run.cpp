// SPDX-License-Identifier: Apache-2.0
#include "app/worker/bundle/bundle_run.h"

#include <fuselab_loader.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace fuselab::worker {
namespace {

using Clock = std::chrono::steady_clock;

struct CloseBundle {
  void operator()(fl_bundle* bundle) const { fl_close(bundle); }
};
struct DestroyContext {
  void operator()(fl_context* context) const { fl_context_destroy(context); }
};
struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

Error error_of(const fl_error& error) {
  const std::string text = error.message;
  switch (error.status) {
    case FL_NOT_FOUND: return {ErrorCode::kNotFound, text};
    case FL_IO: return {ErrorCode::kIo, text};
    case FL_OUT_OF_MEMORY: return {ErrorCode::kOutOfMemory, text};
    case FL_CORRUPT: return {ErrorCode::kCorrupt, text};
    case FL_UNSIGNED:
    case FL_UNTRUSTED: return {ErrorCode::kUntrusted, text};
    case FL_OTHER_VERSION:
    case FL_UNSUPPORTED_CPU: return {ErrorCode::kUnsupported, text};
    case FL_LOAD_FAILED: return {ErrorCode::kLaunchFailed, text};
    case FL_OK:
    case FL_INVALID_ARGUMENT:
    case FL_NOT_BOUND:
    case FL_WRONG_INDEX: break;
  }
  return {ErrorCode::kInternal, text};
}

Status told(fl_status status, const fl_error& error) {
  return status == FL_OK ? Status() : Status(error_of(error));
}

Nanoseconds since(Clock::time_point begin) {
  return {static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count())};
}

// Numbers around zero for float32; zeros for all other types, since an index must stay inside whatever it selects from.
void fill(const fl_tensor& tensor, void* data) {
  std::memset(data, 0, tensor.bytes);
  if (std::string_view(tensor.dtype) != "f32") return;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
    state = state * 1664525U + 1013904223U;
    const float number = static_cast<float>(state >> 8) / 16777216.0F - 0.5F;
    std::memcpy(static_cast<char*>(data) + i * sizeof number, &number, sizeof number);
  }
}

class BoundModel {
 public:
  Status bind(const fl_bundle* bundle, std::size_t index) {
    fl_error error{};
    fl_context* made = nullptr;
    FL_TRY_VOID(told(fl_context_create(bundle, index, nullptr, nullptr, &made, &error), error));
    context_.reset(made);
    const fl_model& model = *fl_model_at(bundle, index);
    for (std::size_t i = 0; i < model.input_count; ++i) {
      FL_TRY(void* const data, memory_of(model.inputs[i]));
      fill(model.inputs[i], data);
      FL_TRY_VOID(told(fl_bind_input(made, model.inputs[i].name, data, model.inputs[i].bytes, &error), error));
    }
    for (std::size_t i = 0; i < model.output_count; ++i) {
      FL_TRY(void* const data, memory_of(model.outputs[i]));
      FL_TRY_VOID(told(fl_bind_output(made, model.outputs[i].name, data, model.outputs[i].bytes, &error), error));
    }
    return {};
  }

  Result<Nanoseconds> run() {
    fl_error error{};
    const auto begin = Clock::now();
    FL_TRY_VOID(told(fl_run(context_.get(), &error), error));
    return since(begin);
  }

 private:
  Result<void*> memory_of(const fl_tensor& tensor) {
    held_.emplace_back(std::aligned_alloc(64, (tensor.bytes / 64 + 1) * 64));
    if (held_.back() == nullptr) return Error{ErrorCode::kOutOfMemory, std::string("no memory for '") + tensor.name + "'"};
    return held_.back().get();
  }

  std::vector<Memory> held_;  // outlives the context, which is destroyed first
  std::unique_ptr<fl_context, DestroyContext> context_;
};

void count_hit(void* user, const fl_hit* hit) {
  auto& reply = *static_cast<wire::BundleReply*>(user);
  if (hit->kind == FL_HIT_TUNED) ++reply.tuned;
  if (hit->kind == FL_HIT_UNTUNED) ++reply.untuned;
  if (hit->kind == FL_HIT_BASELINE) ++reply.baseline;
}

Status run_models(const fl_bundle* bundle, int runs, wire::BundleReply& reply) {
  for (std::size_t index = 0; index < fl_model_count(bundle); ++index) {
    BoundModel model;
    FL_TRY_VOID(model.bind(bundle, index));
    FL_TRY([[maybe_unused]] const Nanoseconds warm_up, model.run());
    std::vector<double> times;
    for (int run = 0; run < std::max(1, runs); ++run) {
      FL_TRY(const Nanoseconds time, model.run());
      times.push_back(time.count);
    }
    std::sort(times.begin(), times.end());
    const fl_model& facts = *fl_model_at(bundle, index);
    reply.runs.push_back({facts.name, facts.binding, {times[times.size() / 2]}});
  }
  return {};
}

}  // namespace

Result<wire::BundleReply> run_bundle(const wire::BundleRequest& request) {
  const char* const keys[] = {request.key.c_str()};
  fl_error error{};
  fl_bundle* opened = nullptr;
  const auto begin = Clock::now();
  FL_TRY_VOID(told(fl_open(request.file.c_str(), keys, 1, FL_VERIFY_WEIGHTS, &opened, &error), error));
  const std::unique_ptr<fl_bundle, CloseBundle> bundle(opened);
  wire::BundleReply reply;
  reply.open = since(begin);
  fl_on_hit(count_hit, &reply);
  const Status ran = run_models(bundle.get(), request.runs, reply);
  fl_on_hit(nullptr, nullptr);
  if (!ran.ok()) return ran.error();
  return reply;
}

}  // namespace fuselab::worker
