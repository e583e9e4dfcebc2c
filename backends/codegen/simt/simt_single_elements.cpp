// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_single_elements.h"

#include <algorithm>
#include <optional>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/scalar/elements_kernel.h"
#include "backends/codegen/scalar/elements_top.h"
#include "backends/codegen/scalar/single_precision.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kSmallestBlock = 64;

std::int64_t elements_of(const Graph& graph, std::size_t output) {
  return element_count(graph.type(graph.outputs()[output]).shape).value();
}

Status target_takes(const Graph& graph, const Target& target) {
  const bool has_reals =
      std::any_of(graph.values().begin(), graph.values().end(), [](const Value& value) { return is_floating(value.type.dtype); });
  const bool has_doubles = limit_of(target, "f64", target.arch == "cuda" ? 1 : 0) != 0;
  if (has_reals && !has_doubles && !single_precision_suffices(graph)) {
    return Error{ErrorCode::kUnsupported,
                 "single elements are computed in double precision, which the device does not have (cl_khr_fp64)"};
  }
  return Status();
}

// Blocks of one result follow those of the other. A thread's elements lie a block apart, so that neighbours read together.
Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY_VOID(elements_take(graph));
  FL_TRY_VOID(target_takes(graph, target));
  const std::int64_t block = config.integer("block", kSmallestBlock), items = config.integer("items", 1);
  Names names = simt_names();
  Function function;
  function.parameters = name_parameters(graph, names);
  Elements elements(graph, function.parameters, names);
  std::int64_t blocks = 0;
  const auto share_out = [&](std::int64_t count, auto write) {
    const std::int64_t before = blocks;
    blocks += ceil_div(count, block * items);
    const ExprPtr here = simt_index("block");
    const ExprPtr mine = binary("&&", binary(">=", here, integer(before)), binary("<", here, integer(blocks)));
    elements.when(function.body, mine, [&](Body& body) {
      const ExprPtr first = elements.keep(body, "first", (here - integer(before)) * integer(block * items) + simt_index("thread"));
      const ExprPtr last = elements.keep(body, "last", call("whole_min", kIndex, {first + integer(block * items), integer(count)}));
      const std::string at = names.unique("at");
      write(BodyBuilder(body).loop(LoopKind::kSerial, at, first, last, integer(block)), variable(at, kIndex));
    });
  };
  FL_TRY(const std::optional<TopRows> top, top_rows(graph));
  if (top) {
    share_out(top->rows(), [&](Body& each, const ExprPtr& row) { write_top_row(elements, function, *top, row, each); });
  } else {
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      const auto extents = extents_of(graph.type(graph.outputs()[i]).shape);
      share_out(elements_of(graph, i),
                [&](Body& each, const ExprPtr& at) { write_element(elements, function, i, place_of(at, extents), each); });
    }
  }
  FL_TRY_VOID(elements_written(elements, top ? top->rows() : most_elements(graph)));
  if (single_precision_suffices(graph)) compute_in_single_precision(function);
  function.launch.threads = block;
  function.launch.blocks = std::to_string(blocks);
  return function;
}

Support supports(const Graph& graph, const Target& target) {
  const Result<Function> written = lower(graph, {}, target);
  return written.ok() ? Support{} : Support::no(written.error().message);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const auto top = top_rows(graph);
  const bool by_row = top.ok() && top.value();
  const std::int64_t parts = by_row ? top.value()->rows() : most_elements(graph);
  ParameterSpace space;
  std::vector<std::int64_t> blocks;
  for (std::int64_t block = kSmallestBlock; block <= std::min<std::int64_t>(1024, limit_of(target, "max_threads", 1024));
       block *= 2) {
    if (block == kSmallestBlock || block < 2 * parts) blocks.push_back(block);
  }
  if (blocks.empty()) blocks.push_back(limit_of(target, "max_threads", 1));
  std::vector<std::int64_t> items = {1};
  for (std::int64_t each : {4, 16, 64}) {
    if (each * kSmallestBlock < parts) items.push_back(each);
  }
  add_axis(space, "block", "threads per block", blocks);
  add_axis(space, "items", by_row ? "rows of a thread, a block apart" : "elements of a thread, a block apart", items);
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const Parameter& axis : axes.parameters()) config.set(axis.name, axis.values.front());
  return config;
}

}  // namespace

Family simt_single_elements() {
  return {"simt single elements", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
