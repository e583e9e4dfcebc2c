// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/kernel_builder.h"

#include "app/engine/kernels/requests.h"
#include "app/engine/kernels/withheld_configs.h"
#include "app/engine/kernels/workshop.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {

DeviceGraph& KernelBuilder::of(const Graph& graph) {
  DeviceGraph*& known = known_[&graph];
  if (known == nullptr) {
    const std::string key = graph_key(graph).hex();
    known = &graphs_.try_emplace(key, DeviceGraph{&graph, key, Error{ErrorCode::kInternal, "not asked"}, {}, {}}).first->second;
  }
  if (known->described.ok()) return *known;
  known->described = context_.workers.describe(describe_request(device_, context_.spec.level, graph), context_.stop);
  if (!known->described.ok()) return *known;
  leave_out_withheld(known->described.value().space, context_.spec.accepted);
  known->generation = generation_key(device_, context_.spec.level, known->described.value());
  return *known;
}

std::vector<Result<CompiledKernel>> KernelBuilder::identify(const std::vector<KernelOrder>& orders) {
  std::vector<Result<CompiledKernel>> kernels(orders.size(), Error{ErrorCode::kCancelled, "cancelled"});
  // Orders whose kernels are not known yet, grouped by graph: one request asks for all configurations of it.
  struct Asked {
    wire::GenerateRequest request;
    std::vector<std::size_t> places;
    std::vector<Result<CompiledKernel>> answers;
  };
  std::map<const DeviceGraph*, Asked> by_graph;
  for (std::size_t index = 0; index < orders.size(); ++index) {
    const KernelOrder& order = orders[index];
    const auto known = identified_.find(name_of(order));
    if (known != identified_.end()) {
      kernels[index] = known->second;
      continue;
    }
    Asked& question = by_graph[order.graph];
    if (question.places.empty()) question.request = generate_request(device_, context_.spec.level, *order.graph->graph, {});
    question.request.configs.push_back(order.config);
    question.places.push_back(index);
  }
  std::vector<Asked*> questions;
  for (auto& [graph, question] : by_graph) questions.push_back(&question);
  const auto ask = [&](std::size_t index) {
    questions[index]->answers = context_.workers.generate(questions[index]->request, context_.stop);
  };
  for_each_at_once(questions.size(), ask, context_.stop);
  for (Asked* const question : questions) {
    for (std::size_t index = 0; index < question->answers.size(); ++index) {
      const std::size_t place = question->places[index];
      kernels[place] = std::move(question->answers[index]);
      const KernelOrder& order = orders[place];
      if (kernels[place].ok()) identified_.insert_or_assign(name_of(order), kernels[place].value());
    }
  }
  return kernels;
}

std::vector<Result<CompiledKernel>> KernelBuilder::make(const std::vector<KernelOrder>& orders) {
  std::vector<Result<CompiledKernel>> kernels = identify(orders);
  std::vector<std::size_t> missing;
  for (std::size_t index = 0; index < kernels.size(); ++index) {
    if (!kernels[index].ok()) continue;
    const std::string key = kernels[index].value().kernel_id();
    if (auto known = made_.find(key); known != made_.end()) {
      kernels[index] = known->second;
      continue;
    }
    // A stored binary that is absent, damaged or not trusted is simply made again from its source.
    auto stored = context_.queries.kernel(key);
    if (stored.ok() && stored.value() && !stored.value()->binary.data.empty()) {
      kernels[index] = *stored.value();
      made_.emplace(key, *stored.value());
      continue;
    }
    kernels[index] = Error{ErrorCode::kCancelled, "cancelled"};
    missing.push_back(index);
  }
  compile(orders, missing, kernels);
  return kernels;
}

std::vector<Result<CompiledKernel>> KernelBuilder::make_unstored(const std::vector<KernelOrder>& orders) {
  std::vector<Result<CompiledKernel>> kernels(orders.size(), Error{ErrorCode::kCancelled, "cancelled"});
  std::vector<std::size_t> missing;
  for (std::size_t index = 0; index < orders.size(); ++index) {
    const auto named = identified_.find(name_of(orders[index]));
    const auto known = named == identified_.end() ? made_.end() : made_.find(named->second.kernel_id());
    if (known == made_.end()) {
      missing.push_back(index);
    } else {
      kernels[index] = known->second;
    }
  }
  compile(orders, missing, kernels);
  for (const std::size_t index : missing) {
    if (!kernels[index].ok()) continue;
    CompiledKernel named = kernels[index].value();
    named.binary = {};
    identified_.insert_or_assign(name_of(orders[index]), std::move(named));
  }
  return kernels;
}

void KernelBuilder::compile(const std::vector<KernelOrder>& orders, const std::vector<std::size_t>& places,
                            std::vector<Result<CompiledKernel>>& kernels) {
  const auto compile_one = [&](std::size_t index) {
    const KernelOrder& order = orders[places[index]];
    kernels[places[index]] =
        context_.workers.compile(compile_request(device_, context_.spec.level, *order.graph->graph, order.config), context_.stop);
  };
  for_each_at_once(places.size(), compile_one, context_.stop);
  for (const std::size_t place : places) {
    if (kernels[place].ok()) made_.emplace(kernels[place].value().kernel_id(), kernels[place].value());
  }
}

Status KernelBuilder::keep(const std::vector<CompiledKernel>& kernels, bool with_binaries) {
  StoreBatch batch;
  batch.durability = Durability::kSoon;  // the trials that these kernels belong to wait for the disk
  batch.kernels = kernels;
  if (with_binaries) {
    for (const CompiledKernel& kernel : kernels) batch.keep_binaries.push_back(kernel.kernel_id());
  }
  return context_.store.commit(batch);
}

}  // namespace fuselab::engine
