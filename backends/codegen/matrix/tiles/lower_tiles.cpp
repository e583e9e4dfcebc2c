// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/tiles/lower_tiles.h"

#include "backends/codegen/forms/contraction_elements.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/epilogue.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr int kFoldThreads = 128;

// Returns names that leave those of a skeleton's functions and their parameters free.
Names names_beside_a_skeleton() {
  Names names = simt_names();
  for (const char* each : {"in", "batch", "column", "k", "total"}) names.unique(each);
  return names;
}

class TilesKernel {
 public:
  TilesKernel(const Graph& graph, const Tiles& tiles, const LaunchConfig& config)
      : tiles_(tiles),
        c_(tiles.kernel.contraction),
        config_(config),
        splits_(config.integer("splits", 1)),
        names_(names_beside_a_skeleton()),
        parameters_(name_parameters(graph, names_)),
        fields_(fields()),
        elements_(graph, tiles.kernel, fields_, names_),
        epilogue_(graph, tiles.kernel.epilogue, fields_, names_) {}

  Function run();

 private:
  std::int64_t number(const char* axis) const { return config_.integer(axis, 1); }
  std::int64_t tile_m() const { return number("warps_m") * number("warp_m"); }
  std::int64_t tile_n() const { return number("warps_n") * number("warp_n"); }
  std::vector<KernelParameter> fields() const;
  DeviceFunction offset(const char* name, const std::vector<std::int64_t>& strides) const;
  DeviceFunction left_element() const;
  DeviceFunction right_element() const;
  DeviceFunction byte_element(DeviceFunction function, int input, const ExprPtr& at) const;
  DeviceFunction zero(const char* name, const char* place, Side side) const;
  DeviceFunction finish() const;
  // False: the product's whole numbers are the result.
  bool has_epilogue() const { return !tiles_.kernel.epilogue.outputs.empty(); }
  std::string store_of_whole_numbers() const;
  std::string pointer(const char* name, Side side) const;
  Skeleton skeleton() const;

  const Tiles& tiles_;
  const Contraction& c_;
  const LaunchConfig& config_;
  std::int64_t splits_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  std::vector<KernelParameter> fields_;  // the same as device functions reach them
  ContractionElements elements_;
  Epilogue epilogue_;
};

std::vector<KernelParameter> TilesKernel::fields() const {
  std::vector<KernelParameter> fields = parameters_;
  for (KernelParameter& each : fields) each.name = "in." + each.name;
  return fields;
}

// Where a batch begins in an operand, in elements.
DeviceFunction TilesKernel::offset(const char* name, const std::vector<std::int64_t>& strides) const {
  return {name, {{"batch", kIndex}}, kIndex, {}, strided_offset(c_.batch_extents, strides, variable("batch", kIndex))};
}

DeviceFunction TilesKernel::left_element() const {
  DeviceFunction function{
      "fl_left_element", {{"batch", kIndex}, {"row", kIndex}, {"k", kIndex}}, IrType{c_.compute, 1}, {}, nullptr};
  if (tiles_.bytes) return byte_element(function, c_.left, variable("row", kIndex) * integer(c_.left_row) + variable("k", kIndex));
  const ExprPtr at = call("left_at", kIndex, {variable("in", kIndex), variable("batch", kIndex)});
  function.result = elements_.left(function.body, at, variable("row", kIndex), variable("k", kIndex));
  return function;
}

DeviceFunction TilesKernel::right_element() const {
  DeviceFunction function{
      "fl_right_element", {{"batch", kIndex}, {"k", kIndex}, {"column", kIndex}}, IrType{c_.compute, 1}, {}, nullptr};
  if (tiles_.bytes)
    return byte_element(function, c_.right, variable("k", kIndex) * integer(c_.right_stride) + variable("column", kIndex));
  const ExprPtr at = call("right_at", kIndex, {variable("in", kIndex), variable("batch", kIndex)});
  const GuardedElement wanted = elements_.right(function.body, at, variable("k", kIndex), variable("column", kIndex));
  function.result = elements_.read(function.body, wanted, nullptr);
  return function;
}

// The bytes of an operand as whole numbers.
DeviceFunction TilesKernel::byte_element(DeviceFunction function, int input, const ExprPtr& at) const {
  const KernelParameter& source = fields_[static_cast<std::size_t>(input)];
  function.type = kIndex;
  function.result = load(source.name, at, kIndex, source.storage);
  return function;
}

// The zero point of a row of the left operand, or of a column of the right one.
DeviceFunction TilesKernel::zero(const char* name, const char* place, Side side) const {
  const ByteOperand& operand = side == Side::kLeft ? tiles_.bytes->product.a : tiles_.bytes->product.b;
  const auto input = side == Side::kLeft ? tiles_.bytes->a.zero : tiles_.bytes->b.zero;
  const ExprPtr at = operand.one_zero ? integer(0) : variable(place, kIndex);
  DeviceFunction function{name, {{place, kIndex}}, kIndex, {}, integer(operand.zero_number)};
  return input ? byte_element(std::move(function), *input, at) : function;
}

DeviceFunction TilesKernel::finish() const {
  const IrType results{c_.compute, tiles_.lanes};
  DeviceFunction function{
      "fl_finish", {{"batch", kIndex}, {"row", kIndex}, {"column", kIndex}, {"total", results}}, kIndex, {}, nullptr};
  const ExprPtr row = variable("batch", kIndex) * integer(c_.m) + variable("row", kIndex);
  epilogue_.store(function.body, row, variable("column", kIndex), variable("total", results));
  return function;
}

std::string TilesKernel::store_of_whole_numbers() const {
  return "FL_DEVICE void fl_finish(const fl_arguments& in, int, int row, int column, fl_vec<int, kLanes> total) {\n  fl_store<int, "
         "kLanes>(" +
         fields_.back().name + " + row * kN + column, total);\n}";
}

// The memory of an operand; none for one that the kernel computes.
std::string TilesKernel::pointer(const char* name, Side side) const {
  const int input = side == Side::kLeft ? c_.left : c_.right;
  const bool computed = tiles_.kernel.computes(side);
  const std::string begin = computed ? "nullptr" : fields_[static_cast<std::size_t>(input)].name;
  return std::string("FL_DEVICE const fl_operand* ") + name + "(const fl_arguments&" + (computed ? "" : " in") + ") {\n  return " +
         (tiles_.bytes ? "reinterpret_cast<const fl_operand*>(" + begin + ")" : begin) + ";\n}";
}

Skeleton TilesKernel::skeleton() const {
  Skeleton skeleton;
  skeleton.needs_matrix_units = true;
  skeleton.files = {std::string(tiles_.unit->skeleton), "tiles_mma"};
  skeleton.constants = {{"kM", c_.m},
                        {"kN", c_.n},
                        {"kK", c_.k},
                        {"kBatches", c_.batches()},
                        {"kLeftRow", c_.left_row},
                        {"kRightStride", c_.right_stride},
                        {"kLeftGathered", tiles_.left == Fetch::kGather},
                        {"kLeftAcross", tiles_.left_across},
                        {"kRightGathered", tiles_.right == Fetch::kGather},
                        {"kRightAcross", tiles_.right_across},
                        {"kRightTurned", tiles_.right == Fetch::kTurned},
                        {"kLeftFlipped", tiles_.bytes && tiles_.bytes->product.a.dtype == DType::kU8},
                        {"kRightFlipped", tiles_.bytes && tiles_.bytes->product.b.dtype == DType::kU8},
                        {"kLanes", tiles_.lanes},
                        {"kWarpsM", number("warps_m")},
                        {"kWarpsN", number("warps_n")},
                        {"kWarpM", number("warp_m")},
                        {"kWarpN", number("warp_n")},
                        {"kTileK", number("depth")},
                        {"kStages", number("stages")},
                        {"kBand", number("band")},
                        {"kSplits", splits_}};
  if (tiles_.bytes) {
    const IntegerProduct& product = tiles_.bytes->product;
    const bool flipped = product.a.dtype == DType::kU8 || product.b.dtype == DType::kU8;
    skeleton.constants.emplace_back("kHasZeros", flipped || product.a.has_zero() || product.b.has_zero());
  }
  const std::string sums = splits_ > 1 ? parameters_.back().name : "";
  skeleton.definitions = {"using fl_operand = " + std::string(tiles_.unit->operand_word) + ";", pointer("fl_left", Side::kLeft),
                          pointer("fl_right", Side::kRight),
                          "FL_DEVICE fl_total* fl_split_sums(const fl_arguments&" + std::string(splits_ > 1 ? " in" : "") +
                              ") {\n  return " + (splits_ > 1 ? "reinterpret_cast<fl_total*>(in." + sums + ")" : "nullptr") +
                              ";\n}"};
  skeleton.functions = {offset("fl_left_at", c_.left_strides), offset("fl_right_at", c_.right_strides), left_element(),
                        right_element()};
  if (tiles_.bytes) {
    skeleton.functions.push_back(zero("fl_left_zero", "row", Side::kLeft));
    skeleton.functions.push_back(zero("fl_right_zero", "column", Side::kRight));
  }
  if (has_epilogue()) {
    skeleton.functions.push_back(finish());
  } else {
    skeleton.definitions.push_back(store_of_whole_numbers());
  }
  return skeleton;
}

Function TilesKernel::run() {
  Function function;
  const std::int64_t results = c_.batches() * c_.m * c_.n;
  if (splits_ > 1) {
    parameters_.push_back({names_.unique("split_sums"), DType::kU8, true});
    function.launch.scratch_bytes = splits_ * results * 4;
  }
  function.parameters = parameters_;
  function.skeleton = skeleton();
  function.launch.narrow = true;
  function.launch.threads = number("warps_m") * number("warps_n") * 32;
  function.launch.min_blocks = number("min_blocks");
  function.launch.blocks = std::to_string(ceil_div(c_.m, tile_m()) * ceil_div(c_.n, tile_n()) * c_.batches() * splits_);
  function.launch.shared_bytes = number("stages") * (tile_m() + tile_n()) * number("depth") * bits_of(tiles_.unit->operand) / 8;
  BodyBuilder(function.body).invoke("fl_tiles");
  if (splits_ > 1) {
    Function fold;
    fold.parameters = parameters_;
    fold.launch.narrow = true;
    fold.launch.threads = kFoldThreads;
    fold.launch.blocks = std::to_string(ceil_div(results, kFoldThreads * tiles_.lanes));
    BodyBuilder(fold.body).invoke("fl_fold_splits");
    function.after.push_back(std::move(fold));
  }
  return function;
}

}  // namespace

Function lower_tiles(const Graph& graph, const Tiles& tiles, const LaunchConfig& config) {
  return TilesKernel(graph, tiles, config).run();
}

}  // namespace fuselab::codegen
