// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_shop.h"

#include <atomic>
#include <thread>

#include "app/session/evidence_reader.h"
#include "core/graph/graph_text.h"

namespace fuselab::session {

Result<wire::DescribeReply> KernelShop::describe(const Graph& graph) {
  std::string const text = canonical_text(graph);
  std::string const key = ContentHash::of(text).hex();
  if (auto known = described_.find(key); known != described_.end()) return known->second;
  FL_TRY(wire::DescribeReply reply, context_.workers.describe({device_.backend, device_.target, text}, context_.stop));
  described_.emplace(key, reply);
  return reply;
}

std::string KernelShop::generation_of(const Graph& graph) {
  auto const described = describe(graph);
  return described.ok() ? generation_key(device_, context_.spec.level, described.value()) : std::string();
}

wire::CompileRequest KernelShop::request_for(const KernelOrder& order, bool generate_only) const {
  return compile_request(device_, context_.spec.level, *order.graph, order.config, generate_only);
}

std::vector<Result<CompiledKernel>> KernelShop::ask_workers(const std::vector<wire::CompileRequest>& requests) {
  std::vector<Result<CompiledKernel>> replies(requests.size(), Error{ErrorCode::kCancelled, "cancelled"});
  std::atomic<std::size_t> next = 0;
  auto const serve = [&] {
    for (std::size_t index = next++; index < requests.size() && !context_.stop.stop_requested(); index = next++) {
      replies[index] = context_.workers.compile(requests[index], context_.stop);
    }
  };
  std::size_t const helpers = std::min<std::size_t>(requests.size(), std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (std::size_t index = 1; index < helpers; ++index) threads.emplace_back(serve);
  serve();
  return threads.clear(), replies;
}

std::vector<Result<CompiledKernel>> KernelShop::identify(const std::vector<KernelOrder>& orders) {
  std::vector<Result<CompiledKernel>> kernels;
  std::vector<wire::CompileRequest> requests;
  std::vector<std::pair<std::size_t, std::string>> asked;
  for (const KernelOrder& order : orders) {
    wire::CompileRequest request = request_for(order, /*generate_only=*/true);
    std::string const key = ContentHash::of(request.graph_text + '\n' + request.config.text()).hex();
    auto const known = identified_.find(key);
    kernels.push_back(known == identified_.end() ? Result<CompiledKernel>(Error{ErrorCode::kInternal, "not asked"})
                                                 : known->second);
    if (known != identified_.end()) continue;
    asked.emplace_back(kernels.size() - 1, key);
    requests.push_back(std::move(request));
  }
  std::vector<Result<CompiledKernel>> answers = ask_workers(requests);
  for (std::size_t index = 0; index < asked.size(); ++index) {
    auto const& [place, key] = asked[index];
    if (answers[index].ok()) identified_.emplace(key, answers[index].value());
    kernels[place] = std::move(answers[index]);
  }
  return kernels;
}

std::vector<Result<CompiledKernel>> KernelShop::make(const std::vector<KernelOrder>& orders) {
  std::vector<Result<CompiledKernel>> kernels = identify(orders);
  std::vector<wire::CompileRequest> missing;
  std::vector<std::size_t> places;
  for (std::size_t index = 0; index < kernels.size(); ++index) {
    if (!kernels[index].ok()) continue;
    std::string const key = kernels[index].value().kernel_id();
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
    missing.push_back(request_for(orders[index], /*generate_only=*/false));
    places.push_back(index);
  }
  std::vector<Result<CompiledKernel>> compiled = ask_workers(missing);
  for (std::size_t index = 0; index < places.size(); ++index) {
    if (compiled[index].ok()) made_.emplace(compiled[index].value().kernel_id(), compiled[index].value());
    kernels[places[index]] = std::move(compiled[index]);
  }
  return kernels;
}

Status KernelShop::keep(const std::vector<CompiledKernel>& kernels, bool with_binaries) {
  StoreBatch batch;
  batch.kernels = kernels;
  if (with_binaries) {
    for (const CompiledKernel& kernel : kernels) batch.keep_binaries.push_back(kernel.kernel_id());
  }
  return context_.store.commit(batch);
}

}  // namespace fuselab::session
