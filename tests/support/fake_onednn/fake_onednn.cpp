// SPDX-License-Identifier: Apache-2.0
// A stand-in for oneDNN's library, of either major (FAKE_MAJOR): version, engine, f32 matmuls with bias and post-ops, binaries and
// reorders, computed plainly; all else is unimplemented. A matmul over a depth of 13 takes "the reference path"; one over a depth
// of 17 fails when it runs, one over 19 crashes. Depth 5 is not implemented at all.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kMost = 12;
constexpr int kOk = 0, kInvalid = 2, kUnimplemented = 3, kRuntimeError = 5;
constexpr int kFloat = 3;
constexpr int kAdd = 0x1fff0;
#if FAKE_MAJOR == 2
constexpr int kRelu = 0x1f, kPostOpBase = 16384;
#else
constexpr int kRelu = 0x20, kPostOpBase = 32768;
#endif

struct Desc {
  int rank, type, any;
  std::int64_t dims[kMost], strides[kMost];
};
struct Memory {
  Desc desc;
  float* data;
};
struct PostOp {
  int algorithm;
  float alpha;
  bool binary;
  Desc operand;
};
struct PostOps {
  std::vector<PostOp> steps;
};
struct Attributes {
  PostOps post_ops;
};
enum class Kind { kMatMul, kBinary, kReorder };
struct Description {
  Kind kind;
  Desc source, weights, destination;
  bool biased;
  Attributes attributes;
};
struct Argument {
  int argument;
  Memory* memory;
};

std::size_t bytes_of(const Desc& desc) {
  std::int64_t reach = 1;
  for (int i = 0; i < desc.rank; ++i) reach += (desc.dims[i] - 1) * desc.strides[i];
  return desc.rank == 0 ? 0 : static_cast<std::size_t>(reach) * sizeof(float);
}

// Where element `at` of a destination lies in a tensor that is broadcast to it.
float& element(const Desc& desc, float* data, const std::int64_t* at) {
  std::int64_t offset = 0;
  for (int i = 0; i < desc.rank; ++i) offset += (desc.dims[i] == 1 ? 0 : at[i]) * desc.strides[i];
  return data[offset];
}

template <typename Visit>
void for_each(const Desc& desc, Visit visit) {
  std::int64_t at[kMost] = {};
  std::int64_t count = 1;
  for (int i = 0; i < desc.rank; ++i) count *= desc.dims[i];
  for (std::int64_t n = 0; n < count; ++n) {
    visit(at);
    for (int i = desc.rank; i-- > 0;) {
      if (++at[i] < desc.dims[i]) break;
      at[i] = 0;
    }
  }
}

void make_dense(Desc& desc) {
  std::int64_t stride = 1;
  for (int i = desc.rank; i-- > 0; stride *= desc.dims[i]) desc.strides[i] = stride;
  desc.any = 0;
}

int fill(Desc* to, int rank, const std::int64_t* dims, int type, const std::int64_t* strides) {
  if (rank < 1 || rank > kMost) return kInvalid;
  if (type != kFloat) return kUnimplemented;
  *to = {};
  to->rank = rank;
  to->type = type;
  std::copy_n(dims, rank, to->dims);
  if (strides != nullptr) {
    std::copy_n(strides, rank, to->strides);
  } else {
    make_dense(*to);
    if (rank == 1) return kOk;
    to->strides[rank - 1] = to->dims[rank - 2];  // what this library likes: columns
    to->strides[rank - 2] = 1;
  }
  return kOk;
}

float applied(const Description& description, float value, const Argument* arguments, int count, const std::int64_t* at) {
  const auto& steps = description.attributes.post_ops.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].binary) {
      if (value < 0) value *= steps[i].alpha;
      continue;
    }
    const int wanted = (kPostOpBase * static_cast<int>(i + 1)) | 2;
    for (int k = 0; k < count; ++k) {
      if (arguments[k].argument == wanted) value += element(steps[i].operand, arguments[k].memory->data, at);
    }
  }
  return value;
}

Memory* argument(const Argument* arguments, int count, int wanted) {
  for (int i = 0; i < count; ++i) {
    if (arguments[i].argument == wanted) return arguments[i].memory;
  }
  return nullptr;
}

std::int64_t depth_of(const Description& description) {
  return description.source.dims[description.source.rank - 1];
}

int run_matmul(const Description& d, const Argument* arguments, int count) {
  if (depth_of(d) == 17) return kRuntimeError;
  if (depth_of(d) == 19) std::raise(SIGSEGV);
  Memory* const source = argument(arguments, count, 1);
  Memory* const weights = argument(arguments, count, 33);
  Memory* const bias = argument(arguments, count, 41);
  Memory* const destination = argument(arguments, count, 17);
  if (source == nullptr || weights == nullptr || destination == nullptr || d.biased != (bias != nullptr)) return kInvalid;
  const int rank = d.destination.rank;
  for_each(d.destination, [&](const std::int64_t* at) {
    double sum = bias == nullptr ? 0 : static_cast<double>(element(bias->desc, bias->data, at));
    std::int64_t left[kMost], right[kMost];
    std::copy_n(at, rank, left);
    std::copy_n(at, rank, right);
    for (std::int64_t k = 0; k < depth_of(d); ++k) {
      left[rank - 1] = right[rank - 2] = k;
      sum += static_cast<double>(element(d.source, source->data, left)) *
             static_cast<double>(element(d.weights, weights->data, right));
    }
    element(d.destination, destination->data, at) = applied(d, static_cast<float>(sum), arguments, count, at);
  });
  return kOk;
}

int run_pointwise(const Description& d, const Argument* arguments, int count) {
  Memory* const source = argument(arguments, count, 1);
  Memory* const other = argument(arguments, count, 2);
  Memory* const destination = argument(arguments, count, 17);
  if (source == nullptr || destination == nullptr || (d.kind == Kind::kBinary && other == nullptr)) return kInvalid;
  for_each(d.destination, [&](const std::int64_t* at) {
    float value = element(d.source, source->data, at);
    if (d.kind == Kind::kBinary) value += element(d.weights, other->data, at);
    element(d.destination, destination->data, at) = applied(d, value, arguments, count, at);
  });
  return kOk;
}

[[maybe_unused]] int describe_matmul(Description** out, const Desc* source, const Desc* weights, const Desc* bias,
                                     const Desc* destination, const Attributes* attributes) {
  if (source->dims[source->rank - 1] == 5) return kUnimplemented;
  auto* made = new Description{Kind::kMatMul, *source,         *weights,
                               *destination,  bias != nullptr, attributes == nullptr ? Attributes{} : *attributes};
  *out = made;
  return kOk;
}

struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};
const Version kVersion = {FAKE_MAJOR, FAKE_MINOR, FAKE_MAJOR == 3 ? 1 : 0, "f00d", FAKE_RUNTIME, 0};

}  // namespace

EXPORT const void* dnnl_version() {
  return &kVersion;
}
EXPORT int dnnl_get_effective_cpu_isa() {
  return 0xe7;
}
EXPORT int dnnl_set_primitive_cache_capacity(int) {
  return kOk;
}
EXPORT int dnnl_engine_create(void** out, int, std::size_t) {
  *out = const_cast<Version*>(&kVersion);
  return kOk;
}
EXPORT int dnnl_stream_create(void** out, void*, unsigned) {
  *out = const_cast<Version*>(&kVersion);
  return kOk;
}
EXPORT int dnnl_stream_wait(void*) {
  return kOk;
}
EXPORT int dnnl_memory_create(Memory** out, const Desc* desc, void*, void* data) {
  *out = new Memory{*desc, static_cast<float*>(data)};
  return kOk;
}
EXPORT int dnnl_memory_set_data_handle(Memory* memory, void* data) {
  memory->data = static_cast<float*>(data);
  return kOk;
}
EXPORT int dnnl_memory_destroy(Memory* memory) {
  delete memory;
  return kOk;
}
EXPORT std::size_t dnnl_memory_desc_get_size(const Desc* desc) {
  return bytes_of(*desc);
}
EXPORT int dnnl_memory_desc_equal(const Desc* a, const Desc* b) {
  return a->rank == b->rank && std::equal(a->dims, a->dims + a->rank, b->dims) &&
         std::equal(a->strides, a->strides + a->rank, b->strides);
}
EXPORT int dnnl_primitive_desc_query(Description* description, int what, int, void* result) {
  if (what != 8) return kUnimplemented;
  const bool slow = description->kind == Kind::kMatMul && depth_of(*description) == 13;
  *static_cast<const char**>(result) = slow ? "ref:any" : "fake:plain";
  return kOk;
}
EXPORT const Desc* dnnl_primitive_desc_query_md(Description* description, int what, int index) {
  static const Desc kNone = {};
  if (what == 129) return &description->source;
  if (what == 131) return &description->weights;
  if (what == 133) return &description->destination;
  const auto& steps = description->attributes.post_ops.steps;
  for (std::size_t i = 0; what == 255 && i < steps.size(); ++i) {
    if (steps[i].binary && index == ((kPostOpBase * static_cast<int>(i + 1)) | 2)) return &steps[i].operand;
  }
  return &kNone;
}
EXPORT int dnnl_primitive_desc_destroy(Description* description) {
  delete description;
  return kOk;
}
EXPORT int dnnl_primitive_create(Description** out, const Description* description) {
  *out = new Description(*description);
  return kOk;
}
EXPORT int dnnl_primitive_destroy(Description* primitive) {
  delete primitive;
  return kOk;
}
EXPORT int dnnl_primitive_execute(const Description* primitive, void*, int count, const Argument* arguments) {
  return primitive->kind == Kind::kMatMul ? run_matmul(*primitive, arguments, count) : run_pointwise(*primitive, arguments, count);
}
EXPORT int dnnl_primitive_attr_create(Attributes** out) {
  *out = new Attributes();
  return kOk;
}
EXPORT int dnnl_primitive_attr_destroy(Attributes* attributes) {
  delete attributes;
  return kOk;
}
EXPORT int dnnl_primitive_attr_set_post_ops(Attributes* attributes, const PostOps* post_ops) {
  attributes->post_ops = *post_ops;
  return kOk;
}
EXPORT int dnnl_primitive_attr_set_scratchpad_mode(Attributes*, int) {
  return kOk;
}
EXPORT int dnnl_post_ops_create(PostOps** out) {
  *out = new PostOps();
  return kOk;
}
EXPORT int dnnl_post_ops_destroy(PostOps* post_ops) {
  delete post_ops;
  return kOk;
}
EXPORT int dnnl_post_ops_append_binary(PostOps* post_ops, int algorithm, const Desc* operand) {
  if (algorithm != kAdd) return kUnimplemented;
  post_ops->steps.push_back({algorithm, 0, true, *operand});
  return kOk;
}
EXPORT int dnnl_reorder_primitive_desc_create(Description** out, const Desc* from, void*, const Desc* to, void*,
                                              const Attributes*) {
  *out = new Description{Kind::kReorder, *from, {}, *to, false, {}};
  return kOk;
}

namespace {

[[maybe_unused]] int append_eltwise(PostOps* post_ops, int algorithm, float alpha) {
  if (algorithm != kRelu) return kUnimplemented;
  post_ops->steps.push_back({algorithm, alpha, false, {}});
  return kOk;
}

}  // namespace

#if FAKE_MAJOR == 2
namespace {
struct Operation {
  Kind kind;
  Desc source, weights, bias, destination;
  bool biased;
};
}  // namespace
EXPORT int dnnl_memory_desc_init_by_strides(Desc* to, int rank, const std::int64_t* dims, int type, const std::int64_t* strides) {
  return fill(to, rank, dims, type, strides);
}
EXPORT int dnnl_memory_desc_init_by_tag(Desc* to, int rank, const std::int64_t* dims, int type, int) {
  return fill(to, rank, dims, type, nullptr);
}
EXPORT int dnnl_post_ops_append_eltwise(PostOps* post_ops, float scale, int algorithm, float alpha, float) {
  return scale == 1.0F ? append_eltwise(post_ops, algorithm, alpha) : kInvalid;
}
#ifndef FAKE_PARTIAL
EXPORT int dnnl_matmul_desc_init(Operation* to, const Desc* source, const Desc* weights, const Desc* bias,
                                 const Desc* destination) {
  *to = {Kind::kMatMul, *source, *weights, bias == nullptr ? Desc{} : *bias, *destination, bias != nullptr};
  return kOk;
}
#endif
EXPORT int dnnl_binary_desc_init(Operation* to, int algorithm, const Desc* source, const Desc* other, const Desc* destination) {
  *to = {Kind::kBinary, *source, *other, {}, *destination, false};
  return algorithm == kAdd ? kOk : kUnimplemented;
}
EXPORT int dnnl_primitive_desc_create(Description** out, const Operation* operation, const Attributes* attributes, void*, void*) {
  if (operation->kind == Kind::kMatMul) {
    return describe_matmul(out, &operation->source, &operation->weights, operation->biased ? &operation->bias : nullptr,
                           &operation->destination, attributes);
  }
  *out = new Description{Kind::kBinary,
                         operation->source,
                         operation->weights,
                         operation->destination,
                         false,
                         attributes == nullptr ? Attributes{} : *attributes};
  return kOk;
}
#define UNIMPLEMENTED(name) \
  EXPORT int name() {       \
    return kUnimplemented;  \
  }
UNIMPLEMENTED(dnnl_dilated_convolution_forward_desc_init)
UNIMPLEMENTED(dnnl_softmax_v2_forward_desc_init)
UNIMPLEMENTED(dnnl_layer_normalization_forward_desc_init)
UNIMPLEMENTED(dnnl_batch_normalization_forward_desc_init)
UNIMPLEMENTED(dnnl_pooling_v2_forward_desc_init)
UNIMPLEMENTED(dnnl_eltwise_forward_desc_init)
UNIMPLEMENTED(dnnl_reduction_desc_init)
#else
EXPORT int dnnl_memory_desc_create_with_strides(Desc** out, int rank, const std::int64_t* dims, int type,
                                                const std::int64_t* strides) {
  *out = new Desc();
  return fill(*out, rank, dims, type, strides);
}
EXPORT int dnnl_memory_desc_create_with_tag(Desc** out, int rank, const std::int64_t* dims, int type, int) {
  *out = new Desc();
  return fill(*out, rank, dims, type, nullptr);
}
EXPORT int dnnl_memory_desc_destroy(Desc* desc) {
  delete desc;
  return kOk;
}
EXPORT int dnnl_post_ops_append_eltwise(PostOps* post_ops, int algorithm, float alpha, float) {
  return append_eltwise(post_ops, algorithm, alpha);
}
EXPORT int dnnl_matmul_primitive_desc_create(Description** out, void*, const Desc* source, const Desc* weights, const Desc* bias,
                                             const Desc* destination, const Attributes* attributes) {
  return describe_matmul(out, source, weights, bias, destination, attributes);
}
EXPORT int dnnl_binary_primitive_desc_create(Description** out, void*, int algorithm, const Desc* source, const Desc* other,
                                             const Desc* destination, const Attributes* attributes) {
  if (algorithm != kAdd) return kUnimplemented;
  *out = new Description{Kind::kBinary, *source, *other, *destination, false, attributes == nullptr ? Attributes{} : *attributes};
  return kOk;
}
#define UNIMPLEMENTED(name) \
  EXPORT int name() {       \
    return kUnimplemented;  \
  }
UNIMPLEMENTED(dnnl_convolution_forward_primitive_desc_create)
UNIMPLEMENTED(dnnl_softmax_forward_primitive_desc_create)
UNIMPLEMENTED(dnnl_layer_normalization_forward_primitive_desc_create)
UNIMPLEMENTED(dnnl_batch_normalization_forward_primitive_desc_create)
UNIMPLEMENTED(dnnl_pooling_forward_primitive_desc_create)
UNIMPLEMENTED(dnnl_eltwise_forward_primitive_desc_create)
UNIMPLEMENTED(dnnl_reduction_primitive_desc_create)
#endif
