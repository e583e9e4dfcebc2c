// SPDX-License-Identifier: Apache-2.0
// list_models BUNDLE KEY: the models of a bundle, each run once on zeros.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fuselab_loader.hpp>
#include <new>

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

std::unique_ptr<void, Free> zeros(std::size_t bytes) {
  const std::size_t size = (bytes / 64 + 1) * 64;
  void* const memory = std::aligned_alloc(64, size);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, size);
  return std::unique_ptr<void, Free>(memory);
}

void run_once(const fuselab_loader::Bundle& bundle, std::size_t index) {
  const fl_model& model = bundle.model(index);
  fuselab_loader::Context context(bundle, index);
  std::vector<std::unique_ptr<void, Free>> held;
  for (std::size_t i = 0; i < model.input_count; ++i) {
    held.push_back(zeros(model.inputs[i].bytes));
    context.bind_input(model.inputs[i].name, held.back().get(), model.inputs[i].bytes);
  }
  for (std::size_t i = 0; i < model.output_count; ++i) {
    held.push_back(zeros(model.outputs[i].bytes));
    context.bind_output(model.outputs[i].name, held.back().get(), model.outputs[i].bytes);
  }
  context.run();
  std::printf("%s %s: %zu inputs, %zu outputs\n", model.name, model.binding, model.input_count, model.output_count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const fuselab_loader::Bundle bundle(argv[1], {argv[2]});
    for (std::size_t i = 0; i < bundle.model_count(); ++i) run_once(bundle, i);
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
