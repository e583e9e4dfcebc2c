// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_family.h"

#include <algorithm>
#include <array>
#include <optional>

#include "backends/codegen/emit/generated_ops.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/attention/matrix_attention.h"
#include "backends/codegen/matrix/attention/matrix_decode.h"
#include "backends/codegen/matrix/attention/unit_attention.h"
#include "backends/codegen/matrix/product/few_rows_family.h"
#include "backends/codegen/matrix/product/tiles_family.h"
#include "backends/codegen/matrix/product/unit_tiles_family.h"
#include "backends/codegen/matrix/product/windows_family.h"
#include "backends/codegen/rows/row_builder.h"
#include "backends/codegen/scalar/elements_family.h"
#include "backends/codegen/simt/simt_attention.h"
#include "backends/codegen/simt/simt_contraction.h"
#include "backends/codegen/simt/simt_elements.h"
#include "backends/codegen/simt/simt_keeping.h"
#include "backends/codegen/simt/simt_parts.h"
#include "backends/codegen/simt/simt_rows.h"
#include "backends/codegen/simt/simt_single_elements.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kLoadBytes = 16;          // what one instruction moves
constexpr std::int64_t kMostKeptRegisters = 96;  // of the 255 that a thread can have
constexpr std::int64_t kOtherRegisters = 32;     // addresses, results on their way

// Returns the first node that the families of rows do not write, or null.
const Node* beyond_rows(const Graph& graph) {
  const auto found = std::find_if(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    const AccessPattern access = info_of(node.op).access;
    const bool reaches = access == AccessPattern::kContraction || access == AccessPattern::kGather || node.op == Op::kMaxPool ||
                         node.op == Op::kAveragePool || node.op == Op::kTranspose || node.op == Op::kExpand;
    return reaches || !is_generated(node.op);
  });
  return found == graph.nodes().end() ? nullptr : &*found;
}

Support supports(const Graph& graph, bool reductions) {
  if (const Node* const node = beyond_rows(graph)) return Support::no(unsupported(*node, "is not generated yet").message);
  const Result<RowProgram> program = make_row_program(graph);
  if (!program.ok()) return Support::no(program.error().message);
  if (program.value().has_reduction != reductions) return Support::no(reductions ? "reduces nothing" : "has a reduction");
  if (program.value().rows() * program.value().cols == 0) return Support::no("the tensors are empty");
  return {};
}

RowProgram program_of(const Graph& graph) {
  Result<RowProgram> made = make_row_program(graph);
  FL_ASSERT(made.ok());
  return std::move(made.value());
}

// The most elements of a register that every row has whole registers of.
std::int64_t most_fitting(const RowProgram& program) {
  std::int64_t lanes = 1;
  while (lanes < kLoadBytes && lanes_fit(program, 2 * lanes)) lanes *= 2;
  return lanes;
}

// Elements per register: up to what one instruction moves of the narrowest type.
std::vector<std::int64_t> lane_counts(const Graph& graph, const RowProgram& program, const Target& target) {
  const StoredWidths widths = stored_widths(graph, program);
  const bool can_peel = exchange_of(target) == Exchange::kShuffles;
  std::vector<std::int64_t> counts;
  for (std::int64_t lanes = 1; lanes * widths.narrowest <= kLoadBytes && lanes * widths.widest <= 2 * kLoadBytes; lanes *= 2) {
    if (lanes_fit(program, lanes) || (can_peel && lanes_fit_peeled(program, lanes))) counts.push_back(lanes);
  }
  return counts;
}

std::vector<std::int64_t> block_sizes(const Target& target) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t block = 64; block <= std::min<std::int64_t>(1024, limit_of(target, "max_threads", 1024)); block *= 2)
    sizes.push_back(block);
  return sizes;
}

std::int64_t multiprocessors_of(const Target& target) {
  return limit_of(target, "multiprocessors", 0);
}

void add_common_axes(ParameterSpace& space, const Graph& graph, const RowProgram& program, const Target& target) {
  add_axis(space, "vector", "neighbouring elements that a thread moves at once", lane_counts(graph, program, target));
  add_axis(space, "block", "threads per block", block_sizes(target));
  add_axis(space, "persistent", "blocks per multiprocessor that go from tile to tile, 0: a block for each tile", {0, 1, 2, 4, 8});
  add_axis(space, "streaming", "1: results leave the caches first",
           limit_of(target, "streaming_stores", 1) == 0 ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{0, 1});
}

// ---- Element-wise ----

Support elements_supports(const Graph& graph, const Target&) {
  return supports(graph, false);
}

ParameterSpace elements_space(const Graph& graph, const Target& target) {
  const RowProgram program = program_of(graph);
  ParameterSpace space;
  add_common_axes(space, graph, program, target);
  add_axis(space, "items", "registers of a thread, a block apart", {1, 2, 4, 8});
  const std::int64_t elements = program.rows() * program.cols;
  add_rule(space, "items == 1 || block * items * vector <= " + std::to_string(elements),
           "a single block would have idle registers");
  return space;
}

LaunchConfig elements_default(const Graph& graph, const Target& target) {
  const ParameterSpace space = elements_space(graph, target);
  const RowProgram program = program_of(graph);
  LaunchConfig config;
  for (const Parameter& axis : space.parameters()) config.set(axis.name, axis.values.front());
  config.set("vector", space.parameters().front().values.back());
  config.set("block", std::int64_t{256});
  // Two registers of each stream are under way at once, unless there are many streams.
  config.set("items", std::int64_t{graph.inputs().size() > 3 ? 1 : 2});
  if (!space.check(config).ok()) config.set("items", std::int64_t{1});
  return config;
}

Result<Function> elements_lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(RowProgram program, make_row_program(graph));
  return lower_simt_elements(graph, program, config, multiprocessors_of(target));
}

// ---- Rows ----

Support rows_supports(const Graph& graph, const Target&) {
  return supports(graph, true);
}

// Tells what keeping a row in registers costs.
struct Kept {
  std::int64_t at_once = 0;  // values
  std::int64_t words = 1;    // registers of an element
};

Kept kept(const RowProgram& program) {
  return {kept_at_once(row_plan(program, RowKeeping::kRegisters)), bits_of(program.compute) / 32};
}

// Returns the most shared memory a block may have; the launch asks for what is beyond the part that it may declare.
std::int64_t most_shared_bytes(const Target& target) {
  return limit_of(target, "shared_optin_bytes", limit_of(target, "shared_bytes", 48 << 10));
}

// Registers of a thread that keep its share of a row, as a rule's text.
std::string kept_registers(const RowProgram& program, const Kept& cost) {
  const std::string chunk = "(block / rows_per_block * vector)";
  return "(" + std::to_string(program.cols) + " + " + chunk + " - 1) / " + chunk + " * vector * " +
         std::to_string(cost.at_once * cost.words);
}

// Shared memory for partial results: of every warp, or of every thread.
std::int64_t partial_bytes(const RowProgram& program, const Target& target) {
  if (exchange_of(target) == Exchange::kShuffles) return 4096;
  const auto reductions = std::count_if(program.nodes.begin(), program.nodes.end(),
                                        [](const RowNode& node) { return node.op == RowOp::kSum || node.op == RowOp::kLargest; });
  return reductions * 2 * block_sizes(target).back() * bits_of(program.compute) / 8;
}

constexpr std::int64_t kWorthSharing = 8192;  // columns

bool shares_out(const RowProgram& program, const Target& target) {
  return folds_to_numbers(program) && exchange_of(target) == Exchange::kShuffles && program.cols >= kWorthSharing;
}

// Chooses as many blocks as leave each some turns; the most are enough for two on every multiprocessor of the largest devices.
std::optional<LaunchConfig> shared_out_default(const ParameterSpace& space, LaunchConfig config) {
  config.set("block", std::int64_t{256});
  for (const std::int64_t unroll : {4, 1}) {
    for (const std::int64_t blocks : {512, 256, 128, 64, 16}) {
      config.set("blocks", blocks);
      config.set("unroll", unroll);
      if (space.check(config).ok()) return config;
    }
  }
  return std::nullopt;
}

ParameterSpace rows_space(const Graph& graph, const Target& target) {
  const RowProgram program = program_of(graph);
  ParameterSpace space;
  add_common_axes(space, graph, program, target);
  std::vector<std::int64_t> rows;
  for (std::int64_t n = 1; n <= 32 && n < 2 * program.rows(); n *= 2) rows.push_back(n);
  add_axis(space, "rows_per_block", "rows that a block handles at once", rows);
  const Kept cost = kept(program);
  const std::int64_t shared = most_shared_bytes(target) - partial_bytes(program, target);
  const std::int64_t in_shared = kept_bytes(graph, program, row_plan(program, RowKeeping::kShared));
  const std::int64_t as_read = kept_bytes(graph, program, row_plan(program, RowKeeping::kSharedInputs));
  std::vector<std::int64_t> keeps = {0};
  if (cost.at_once > 0) keeps.push_back(1);
  if (in_shared > 0 && in_shared <= shared) keeps.push_back(2);
  if (!running_sums(program).empty()) keeps.push_back(3);
  // OpenCL C's loads of half precision know no shared memory.
  const bool narrow = exchange_of(target) == Exchange::kShuffles && as_read < in_shared;
  if (narrow && as_read > 0 && as_read <= shared) keeps.push_back(4);
  add_axis(
      space, "keep",
      "between passes a row is 0: read again, 1: kept in registers, 2: kept in shared memory, 3: read again, its largest and its "
      "sum in one pass, 4: kept in shared memory as it was read",
      keeps);
  add_axis(space, "unroll", "registers of a thread under way at once where the row is read again", {1, 2, 4, 8});
  const std::string threads = "block / rows_per_block";
  // The fewest that a block of the smallest size has for each of its rows.
  const std::int64_t fewest = std::max<std::int64_t>(4, block_sizes(target).front() / rows.back());
  if (shares_out(program, target)) {
    add_axis(space, "blocks",
             "blocks that each fold a part of the row, and one more that folds what they found, 1: one block folds all",
             {1, 16, 64, 128, 256, 512, 1024});
    add_rule(space, "blocks == 1 || persistent == 0", "each block has one part");
    add_rule(space, "blocks == 1 || blocks * block * vector * unroll <= " + std::to_string(program.cols),
             "blocks would have no part");
  }
  add_rule(space, threads + " >= 4", "a row needs some threads");
  add_rule(space, threads + " <= " + std::to_string(fewest) + " || " + threads + " * vector < 2 * " + std::to_string(program.cols),
           "most of a row's threads would idle");
  add_rule(space, "unroll == 1 || keep != 1", "a row in registers is unrolled as a whole");
  add_rule(space, "unroll == 1 || " + threads + " * vector * unroll <= " + std::to_string(program.cols),
           "the row has fewer turns than that");
  const std::int64_t fitting = most_fitting(program);
  if (std::get<std::int64_t>(space.parameters().front().values.back()) > fitting) {
    const std::string aligned = "vector <= " + std::to_string(fitting) + " || ";
    add_rule(space, aligned + "keep == 0 || keep == 3", "rows that begin anywhere are kept only an element at a time");
    add_rule(space, aligned + threads + " >= 2 * vector", "a row needs a thread for each element beside its registers");
    if (shares_out(program, target)) add_rule(space, aligned + "blocks == 1", "parts begin at whole registers");
  }
  if (cost.at_once > 0) {
    const std::string registers = kept_registers(program, cost);
    add_rule(space, "keep != 1 || " + registers + " <= " + std::to_string(kMostKeptRegisters),
             "the row does not fit a thread's registers");
    add_rule(space,
             "keep != 1 || (" + registers + " + " + std::to_string(kOtherRegisters) +
                 ") * block <= " + std::to_string(limit_of(target, "registers_per_block", 65536)),
             "the rows do not fit a block's registers");
  }
  const auto must_fit = [&](std::int64_t keep, std::int64_t bytes) {
    if (std::find(keeps.begin(), keeps.end(), keep) == keeps.end()) return;
    add_rule(space,
             "keep != " + std::to_string(keep) + " || rows_per_block * " + std::to_string(bytes) + " <= " + std::to_string(shared),
             "the rows do not fit shared memory");
  };
  must_fit(2, in_shared);
  must_fit(4, as_read);
  return space;
}

std::int64_t largest_of(const ParameterSpace& space, const char* name) {
  const auto axis = std::find_if(space.parameters().begin(), space.parameters().end(),
                                 [name](const Parameter& parameter) { return parameter.name == name; });
  return std::get<std::int64_t>(axis->values.back());
}

// Few enough threads that each has some registers of work: a warp for short rows, up to the largest block for long ones.
LaunchConfig with_threads(const ParameterSpace& space, const RowProgram& program, std::int64_t vector) {
  LaunchConfig config;
  for (const Parameter& axis : space.parameters()) config.set(axis.name, axis.values.front());
  config.set("vector", vector);
  const std::int64_t registers = ceil_div(program.cols, vector);
  std::int64_t threads = kWarp;
  while (threads < largest_of(space, "block") && threads * 4 < registers) threads *= 2;
  const std::int64_t rows = std::min(largest_of(space, "rows_per_block"), std::max<std::int64_t>(1, 128 / threads));
  config.set("rows_per_block", rows);
  config.set("block", std::max<std::int64_t>(64, threads * rows));
  return config;
}

// A row that is kept is read once, be it an element at a time.
LaunchConfig rows_default(const Graph& graph, const Target& target) {
  const ParameterSpace space = rows_space(graph, target);
  const RowProgram program = program_of(graph);
  const std::int64_t widest = largest_of(space, "vector");
  const std::int64_t fitting = std::min(widest, most_fitting(program));
  LaunchConfig config = with_threads(space, program, fitting);
  if (shares_out(program, target)) {
    if (const auto shared = shared_out_default(space, config)) return *shared;
  }
  for (const std::int64_t keep : {1, 2, 4}) {
    config.set("keep", keep);
    if (space.check(config).ok()) return config;
  }
  config = with_threads(space, program, widest);
  config.set("keep", std::int64_t{3});
  if (!space.check(config).ok()) config.set("keep", std::int64_t{0});
  if (space.check(config).ok()) {
    for (const std::int64_t unroll : {2, 4}) {
      LaunchConfig unrolled = config;
      unrolled.set("unroll", unroll);
      if (space.check(unrolled).ok()) config = unrolled;
    }
    return config;
  }
  return nearest(space, {});
}

Result<Function> rows_lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(RowProgram program, make_row_program(graph));
  if (config.integer("blocks", 1) > 1) return lower_simt_parts(graph, program, config, limit_of(target, "warp", kWarp));
  const RowTarget where{multiprocessors_of(target), exchange_of(target), limit_of(target, "warp", kWarp),
                        limit_of(target, "shared_bytes", 48 << 10)};
  return lower_simt_rows(graph, program, config, where);
}

}  // namespace

std::span<const Family> simt_families() {
  static const std::array kFamilies = {Family{"simt elements", elements_supports, elements_space, elements_default, elements_lower},
                                       Family{"simt rows", rows_supports, rows_space, rows_default, rows_lower},
                                       matrix_decode(),
                                       matrix_attention(),
                                       unit_attention(),
                                       simt_attention(),
                                       matrix_few_rows(),
                                       matrix_tiles(),
                                       unit_tiles(),
                                       window_strips(),
                                       simt_contraction(),
                                       simt_single_elements()};
  return kFamilies;
}

Result<const Family*> find_simt_family(const Graph& graph, const Target& target) {
  std::string reason;
  for (const Family& family : simt_families()) {
    const Support support = family.supports(graph, target);
    if (support.yes) return &family;
    // A graph with reductions is refused by the family for rows in its own words, and what neither knows by the last.
    const bool is_last_resort = &family == &simt_families().back() && beyond_rows(graph) != nullptr;
    if (reason.empty() || reason == "has a reduction" || is_last_resort) reason = support.why_not;
  }
  return Error{ErrorCode::kUnsupported, reason};
}

std::vector<Op> simt_operators() {
  std::vector<Op> operators;
  for (const Op op : computed_ops()) {
    const bool by_rows = is_generated(op) && info_of(op).access == AccessPattern::kReduction;
    if (elements_cover(op) || by_rows || op == Op::kAttention) operators.push_back(op);
  }
  return operators;
}

BackendCapabilities simt_capabilities(bool has_doubles, int most_tensors) {
  BackendCapabilities capabilities;
  capabilities.patterns = {
      "Single",        "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm", "LinearActivation",
      "Normalization", "Softmax",     "RotaryEmbedding",          "SwiGLU",         "ResidualNorm",  "Attention",
      "Mixed"};
  capabilities.dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kI64, DType::kI32, DType::kBool};
  if (has_doubles) capabilities.dtypes.insert(capabilities.dtypes.begin(), DType::kF64);
  capabilities.operators = simt_operators();
  capabilities.fusion.most_tensors = most_tensors;
  capabilities.fusion.writes_alone = written_alone();
  capabilities.supports_autotuning = true;
  capabilities.supports_jit = true;
  capabilities.supports_binary_cache = true;
  return capabilities;
}

}  // namespace fuselab::codegen
