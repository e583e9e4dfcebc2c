// SPDX-License-Identifier: Apache-2.0
// Looks like libtorch_cpu.so. It writes down what it is given, word for word, computes a little, and counts what is alive. It
// decodes arguments by a table of its own, so that a call that packs them in another way is seen.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct Tensor {
  void* data = nullptr;
  std::vector<std::int64_t> extents, strides;
  std::int32_t dtype = 0, device = 0;
  std::vector<std::byte> own;  // of a result
};
struct Handle {
  std::shared_ptr<Tensor> tensor;
};
using Word = std::uint64_t;
using List = std::vector<Word>;

std::string said, error;
int alive = 0, threads = 1, references_left = -1;
bool gradients = true;

Handle* handle_of(std::shared_ptr<Tensor> tensor) {
  ++alive;
  return new Handle{std::move(tensor)};
}

std::string numbers(const std::vector<std::int64_t>& all) {
  std::ostringstream text;
  for (std::size_t i = 0; i < all.size(); ++i) text << (i > 0 ? "," : "") << all[i];
  return "[" + text.str() + "]";
}

std::string words_of(const Tensor& tensor) {
  const char* const type = tensor.dtype == 6 ? "f32" : tensor.dtype == 15 ? "bf16" : tensor.dtype == 4 ? "i64" : "?";
  std::string text = type + numbers(tensor.extents);
  std::int64_t dense = 1;
  for (std::size_t i = tensor.extents.size(); i-- > 0; dense *= tensor.extents[i]) {
    if (tensor.strides[i] != dense && tensor.extents[i] != 1) return text + "/" + numbers(tensor.strides);
  }
  return text;
}

// As the schemas of PyTorch have them: T tensor, I integer, F real, B flag, S text, E element type; a ? makes the one before
// optional, [] a list of it.
struct Operator {
  const char* name;
  std::vector<const char*> arguments;
  int results;
};
const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = {
      {"aten::mul.out", {"T", "T", "T"}, 1},
      {"aten::erf.out", {"T", "T"}, 1},
      {"aten::tanh.out", {"T", "T"}, 1},
      {"aten::gelu.out", {"T", "S", "T"}, 1},
      {"aten::clamp.Tensor_out", {"T", "T?", "T?", "T"}, 1},
      {"aten::div.out_mode", {"T", "T", "S?", "T"}, 1},
      {"aten::sum.IntList_out", {"T", "I[]?", "B", "E?", "T"}, 1},
      {"aten::argmax.out", {"T", "I?", "B", "T"}, 1},
      {"aten::_softmax.out", {"T", "I", "B", "T"}, 1},
      {"aten::mm.out", {"T", "T", "T"}, 1},
      {"aten::bmm.out", {"T", "T", "T"}, 1},
      {"aten::index.Tensor_out", {"T", "T?[]", "T"}, 1},
      {"aten::cat.out", {"T[]", "I", "T"}, 1},
      {"aten::copy_", {"T", "T", "B"}, 1},
      {"aten::native_layer_norm", {"T", "I[]", "T?", "T?", "F"}, 3},
      {"aten::rms_norm", {"T", "I[]", "T?", "F?"}, 1},
      {"aten::convolution", {"T", "T", "T?", "I[]", "I[]", "I[]", "B", "I[]", "I"}, 1},
      {"aten::scaled_dot_product_attention", {"T", "T", "T", "T?", "F", "B", "F?", "B"}, 1},
  };
  return all;
}

// Takes an argument as the real library does: what it is given is its own from now on.
class Taker {
 public:
  std::string take(Word word, std::string kind) {
    if (kind.back() == '?') {
      if (word == 0) return "none";
      auto* const box = reinterpret_cast<Word*>(word);
      const Word held = *box;
      delete box;
#ifndef FAKE_OLDER
      --alive;
#endif
      kind.pop_back();
      return take(held, kind);
    }
    if (kind.ends_with("[]")) {
      auto* const list = reinterpret_cast<List*>(word);
      std::string text;
      for (const Word each : *list) text += (text.empty() ? "" : ",") + take(each, kind.substr(0, kind.size() - 2));
      delete list;
      --alive;
      return "[" + text + "]";
    }
    switch (kind.front()) {
      case 'T': {
        auto* const handle = reinterpret_cast<Handle*>(word);
        tensors.push_back(handle->tensor);
        delete handle;
        --alive;
        return words_of(*tensors.back());
      }
      case 'I': return std::to_string(static_cast<std::int64_t>(word));
      case 'F': {
        std::ostringstream text;
        text << std::bit_cast<double>(word);
        return text.str();
      }
      case 'B': return word == 0 ? "false" : word == 1 ? "true" : "no flag";
      case 'S': {
        auto* const words = reinterpret_cast<std::string*>(word);
        const std::string text = *words;
        delete words;
        --alive;
        return text;
      }
      default: return "no element type is asked for";
    }
  }
  std::vector<std::shared_ptr<Tensor>> tensors;
};

float& at(Tensor& tensor, std::int64_t flat) {
  std::int64_t offset = 0;
  for (std::size_t i = tensor.extents.size(); i-- > 0; flat /= tensor.extents[i])
    offset += flat % tensor.extents[i] * tensor.strides[i];
  return static_cast<float*>(tensor.data)[offset];
}

std::int64_t count(const Tensor& tensor) {
  std::int64_t all = 1;
  for (const std::int64_t each : tensor.extents) all *= each;
  return all;
}

// The fake libtorch_cuda.so beside this library, where it was opened.
void* kernels_for_cuda() {
  Dl_info here{};
  dladdr(reinterpret_cast<void*>(&kernels_for_cuda), &here);
  const std::string path = here.dli_fname;
  return dlopen((path.substr(0, path.rfind('/')) + "/libtorch_cuda.so").c_str(), RTLD_NOW | RTLD_NOLOAD);
}

// What was computed on a device is on its stream as well: after what was queued before, and in a recording.
bool queue_result(Tensor& tensor) {
  if (tensor.device == 0) return true;
  void* const kernels = kernels_for_cuda();
  const auto queue =
      kernels == nullptr ? nullptr : reinterpret_cast<int (*)(void*, std::size_t)>(dlsym(kernels, "fake_torch_cuda_queue"));
  if (queue != nullptr && queue(tensor.data, static_cast<std::size_t>(count(tensor)) * 4) == 0) return true;
  error = "CUDA error: no stream";
  return false;
}

// A product over 13 ends the process, one over 17 never returns. On a device one over 19 finds no memory.
void multiply(Tensor& a, Tensor& b, Tensor& c) {
  const std::int64_t depth = a.extents[1], columns = b.extents[1];
  if (depth == 13) ::raise(SIGSEGV);
  while (depth == 17) ::pause();
  for (std::int64_t i = 0; i < count(c); ++i) {
    float sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) sum += at(a, i / columns * depth + k) * at(b, k * columns + i % columns);
    at(c, i) = sum;
  }
}

}  // namespace

// For tests: what was called since this was asked last, and how many objects are alive.
EXPORTED const char* fake_torch_said() {
  static std::string last;
  last = std::move(said);
  said.clear();
  return last.c_str();
}
EXPORTED int fake_torch_alive() {
  return alive;
}
// No more than so many references to tensors are made from now on; below 0: as many as are asked for.
EXPORTED void fake_torch_limit_references(int count) {
  references_left = count;
}
EXPORTED bool fake_torch_gradients() {
  return gradients;
}

EXPORTED std::uint64_t aoti_torch_abi_version() {
  return (std::uint64_t{2} << 56) | (std::uint64_t{FAKE_MINOR} << 48);
}
EXPORTED std::int32_t aoti_torch_dtype_float32() {
  return 6;
}
EXPORTED std::int32_t aoti_torch_dtype_bfloat16() {
  return 15;
}
EXPORTED std::int32_t aoti_torch_dtype_float16() {
  return 5;
}
EXPORTED std::int32_t aoti_torch_dtype_int64() {
  return 4;
}
EXPORTED std::int32_t aoti_torch_dtype_int32() {
  return 3;
}
EXPORTED std::int32_t aoti_torch_dtype_int8() {
  return 1;
}
EXPORTED std::int32_t aoti_torch_dtype_uint8() {
  return 0;
}
EXPORTED std::int32_t aoti_torch_dtype_bool() {
  return 11;
}
EXPORTED std::int32_t aoti_torch_new_tensor_handle(Handle* of, Handle** made) {
  if (references_left == 0) return 1;
  if (references_left > 0) --references_left;
  *made = handle_of(of->tensor);
  return 0;
}
EXPORTED std::int32_t aoti_torch_delete_tensor_object(Handle* handle) {
  delete handle;
  --alive;
  return 0;
}
EXPORTED std::int32_t aoti_torch_create_tensor_from_blob(void* data, std::int64_t rank, const std::int64_t* extents,
                                                         const std::int64_t* strides, std::int64_t offset, std::int32_t dtype,
                                                         std::int32_t device, std::int32_t, Handle** made) {
  if (device != 0 && (device != 1 || kernels_for_cuda() == nullptr)) {
    error = "Cannot get device of pointer on CUDA without ATen_cuda library.";
    return 1;
  }
  auto tensor = std::make_shared<Tensor>();
  tensor->extents.assign(extents, extents + rank);
  tensor->strides.assign(strides, strides + rank);
  tensor->dtype = dtype;
  tensor->device = device;
  tensor->data = static_cast<std::byte*>(data) + offset * (dtype == 4 ? 8 : dtype == 6 ? 4 : 2);
  *made = handle_of(std::move(tensor));
  return 0;
}
EXPORTED std::int32_t aoti_torch_get_data_ptr(Handle* handle, void** data) {
  *data = handle->tensor->data;
  return 0;
}
EXPORTED std::int32_t aoti_torch_get_dim(Handle* handle, std::int64_t* rank) {
  *rank = static_cast<std::int64_t>(handle->tensor->extents.size());
  return 0;
}
EXPORTED std::int32_t aoti_torch_get_sizes(Handle* handle, std::int64_t** extents) {
  *extents = handle->tensor->extents.data();
  return 0;
}
EXPORTED std::int32_t torch_new_list_reserve_size(std::size_t, void** made) {
  *made = new List();
  ++alive;
  return 0;
}
#ifndef FAKE_PARTIAL
EXPORTED std::int32_t torch_list_push_back(void* list, Word word) {
  static_cast<List*>(list)->push_back(word);
  return 0;
}
#endif
EXPORTED std::int32_t torch_new_string_handle(const char* text, std::size_t size, void** made) {
  *made = new std::string(text, size);
  ++alive;
  return 0;
}
#ifndef FAKE_OLDER
EXPORTED std::int32_t torch_new_stable_ivalue(Word** made) {
  *made = new Word();
  ++alive;
  return 0;
}
EXPORTED const char* torch_exception_get_what_without_backtrace() {
  return error.c_str();
}
#endif
EXPORTED void aoti_torch_grad_mode_set_enabled(bool on) {
  gradients = on;
}
EXPORTED void omp_set_num_threads(int wanted) {
  threads = wanted;
}
EXPORTED int omp_get_max_threads() {
  return threads;
}

EXPORTED std::int32_t torch_call_dispatcher(const char* name, const char* overload, Word* stack, std::uint64_t version) {
  const std::string full = name + (*overload == '\0' ? std::string() : "." + std::string(overload));
  if (version != aoti_torch_abi_version()) return 1;
  const auto known = std::find_if(operators().begin(), operators().end(), [&](const Operator& each) { return each.name == full; });
  if (known == operators().end()) {
    error = "Could not find schema for " + full + ".";
    return 1;
  }
  Taker taker;
  std::string text;
  for (std::size_t i = 0; i < known->arguments.size(); ++i) text += (i > 0 ? ", " : "") + taker.take(stack[i], known->arguments[i]);
  said += full + "(" + text + ")\n";
  auto& tensors = taker.tensors;
  if (full == "aten::erf.out") {
    error = "erf: does not like\nthe numbers";
    return 1;
  }
  if (full == "aten::tanh.out") tensors.back()->extents = {1};  // as out forms do where the extents do not fit
  if (full == "aten::mul.out") {
    for (std::int64_t i = 0; i < count(*tensors[2]); ++i) at(*tensors[2], i) = at(*tensors[0], i) * at(*tensors[1], i);
  }
  if (full == "aten::copy_") {
    for (std::int64_t i = 0; i < count(*tensors[0]); ++i) at(*tensors[0], i) = at(*tensors[1], i);
  }
  if (full == "aten::mm.out") {
    if (tensors[0]->device != 0 && tensors[0]->extents[1] == 19) {
      error = "CUDA out of memory. Tried to allocate 20.00 GiB.\nSee documentation";
      return 1;
    }
    multiply(*tensors[0], *tensors[1], *tensors[2]);
  }
  const bool is_mine = full == "aten::mul.out" || full == "aten::copy_" || full == "aten::mm.out";
  if (is_mine && !queue_result(*tensors[full == "aten::copy_" ? 0 : 2])) return 1;
  const bool given = full.find("out") != std::string::npos || full == "aten::copy_";
  for (int i = 0; i < known->results; ++i) {
    std::shared_ptr<Tensor> result = full == "aten::copy_" ? tensors.front() : tensors.back();
    if (!given) {  // the first operand, turned
      result = std::make_shared<Tensor>(*tensors.front());
      result->own.resize(static_cast<std::size_t>(count(*result)) * 4);
      result->data = result->own.data();
      for (std::int64_t j = 0; j < count(*result); ++j) at(*result, j) = -at(*tensors.front(), j);
    }
    stack[i] = reinterpret_cast<Word>(handle_of(std::move(result)));
  }
  return 0;
}

// C++ functions: every argument is a reference.
struct FakeScalar {
  std::int32_t tag;
  alignas(16) std::int64_t value;  // or the bits of a real number
};
namespace {
std::string words_of(const FakeScalar& scalar) {
  if (scalar.tag == 1) return std::to_string(scalar.value) + " (whole)";
  std::ostringstream text;
  text << std::bit_cast<double>(scalar.value);
  return text.str();
}
}  // namespace
EXPORTED void set_threads(int wanted) asm("_ZN2at15set_num_threadsEi");
EXPORTED void set_threads(int) {}
EXPORTED Handle* add_out(Handle* a, Handle* b, const FakeScalar* alpha,
                         Handle* out) asm("_ZN2at4_ops7add_out4callERKNS_6TensorES4_RKN3c106ScalarERS2_");
EXPORTED Handle* add_out(Handle* a, Handle* b, const FakeScalar* alpha, Handle* out) {
  said += "add_out(" + words_of(*a->tensor) + ", " + words_of(*b->tensor) + ", " + words_of(*alpha) + ", " +
          words_of(*out->tensor) + ")\n";
  for (std::int64_t i = 0; i < count(*out->tensor); ++i) at(*out->tensor, i) = at(*a->tensor, i) + at(*b->tensor, i);
  if (!queue_result(*out->tensor)) throw std::runtime_error(error);
  return out;
}
EXPORTED Handle* addmm_out(Handle* c, Handle* a, Handle* b, const FakeScalar* beta, const FakeScalar* alpha,
                           Handle* out) asm("_ZN2at4_ops9addmm_out4callERKNS_6TensorES4_S4_RKN3c106ScalarES8_RS2_");
EXPORTED Handle* addmm_out(Handle* c, Handle* a, Handle* b, const FakeScalar* beta, const FakeScalar* alpha, Handle* out) {
  said += "addmm_out(" + words_of(*c->tensor) + ", " + words_of(*a->tensor) + ", " + words_of(*b->tensor) + ", " + words_of(*beta) +
          ", " + words_of(*alpha) + ", " + words_of(*out->tensor) + ")\n";
  return out;
}
EXPORTED Handle* sub_out(Handle*, Handle*, const FakeScalar*,
                         Handle*) asm("_ZN2at4_ops7sub_out4callERKNS_6TensorES4_RKN3c106ScalarERS2_");
EXPORTED Handle* sub_out(Handle*, Handle*, const FakeScalar*, Handle*) {
  throw std::runtime_error("sub: not\ntoday");
}
// leaky_relu is missing: another PyTorch than was tried.
