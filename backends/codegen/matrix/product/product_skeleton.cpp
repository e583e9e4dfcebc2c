// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/product_skeleton.h"

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/product/channels_last.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr int kFoldThreads = 128;

// Returns names that leave those of a skeleton's functions and their parameters free.
Names names_beside_a_skeleton() {
  Names names = simt_names();
  for (const char* each : {"in", "batch", "column", "k", "at", "total", "twin"}) names.unique(each);
  return names;
}

ContractionKernel twin_of(const MatrixProduct& product) {
  ContractionKernel kernel;
  kernel.contraction = product.kernel.contraction;
  kernel.contraction.right = product.twin.value_or(kernel.contraction.right);
  return kernel;
}

}  // namespace

const char* right_text(const MatrixProduct& product) {
  return product.right_computed ? "computed_right" : "right_in_memory";
}

ProductSkeleton::ProductSkeleton(const Graph& graph, const MatrixProduct& product, std::int64_t splits, int lanes)
    : product_(product),
      c_(product.kernel.contraction),
      splits_(splits),
      lanes_(lanes),
      names_(names_beside_a_skeleton()),
      parameters_(name_parameters(graph, names_)),
      fields_(fields()),
      elements_(graph, product.kernel, fields_, names_),
      epilogue_(graph, product.kernel.epilogue, fields_, names_),
      twin_(twin_of(product)),
      twin_elements_(graph, twin_, fields_, names_) {}

std::vector<KernelParameter> ProductSkeleton::fields() const {
  std::vector<KernelParameter> fields = parameters_;
  for (KernelParameter& each : fields) each.name = "in." + each.name;
  return fields;
}

// Where a batch begins in an operand, in elements.
DeviceFunction ProductSkeleton::offset(const char* name, const std::vector<std::int64_t>& strides) const {
  return {name, {{"batch", kIndex}}, kIndex, {}, strided_offset(c_.batch_extents, strides, variable("batch", kIndex))};
}

DeviceFunction ProductSkeleton::left_element() const {
  DeviceFunction function{
      "fl_left_element", {{"batch", kIndex}, {"row", kIndex}, {"k", kIndex}}, IrType{c_.compute, 1}, {}, nullptr};
  if (product_.bytes)
    return byte_element(function, c_.left, variable("row", kIndex) * integer(c_.left_row) + variable("k", kIndex));
  const ExprPtr at = call("left_at", kIndex, {variable("in", kIndex), variable("batch", kIndex)});
  function.result = elements_.left(function.body, at, variable("row", kIndex), variable("k", kIndex));
  return function;
}

DeviceFunction ProductSkeleton::right_element(const char* name, const ContractionElements& elements) const {
  DeviceFunction function{name, {{"batch", kIndex}, {"k", kIndex}, {"column", kIndex}}, IrType{c_.compute, 1}, {}, nullptr};
  if (product_.bytes)
    return byte_element(function, c_.right, variable("k", kIndex) * integer(c_.right_stride) + variable("column", kIndex));
  const ExprPtr at = call("right_at", kIndex, {variable("in", kIndex), variable("batch", kIndex)});
  const GuardedElement wanted = elements.right(function.body, at, variable("k", kIndex), variable("column", kIndex));
  function.result = elements.read(function.body, wanted, nullptr);
  return function;
}

// The elements of a part of 16 bytes of the right operand, which the kernel computes.
DeviceFunction ProductSkeleton::right_part() const {
  const std::int64_t part = product_.unit->part();
  DeviceFunction function{
      "fl_right_part", {{"batch", kIndex}, {"at", kIndex}}, IrType{c_.compute, static_cast<int>(part)}, {}, nullptr};
  const ExprPtr begin = call("right_at", kIndex, {variable("in", kIndex), variable("batch", kIndex)});
  function.result = elements_.right_registers(function.body, begin + variable("at", kIndex), part);
  return function;
}

// One element of a convolution's images, counted over all of them.
DeviceFunction ProductSkeleton::image_element() const {
  DeviceFunction function{"fl_image_element", {{"at", kIndex}}, IrType{c_.compute, 1}, {}, nullptr};
  function.result = elements_.right_registers(function.body, variable("at", kIndex), 1);
  return function;
}

// The bytes of an operand as whole numbers.
DeviceFunction ProductSkeleton::byte_element(DeviceFunction function, int input, const ExprPtr& at) const {
  const KernelParameter& source = fields_[static_cast<std::size_t>(input)];
  function.type = kIndex;
  function.result = load(source.name, at, kIndex, source.storage);
  return function;
}

// The zero point of a row of the left operand, or of a column of the right one.
DeviceFunction ProductSkeleton::zero(const char* name, const char* place, Side side) const {
  const ByteOperand& operand = side == Side::kLeft ? product_.bytes->product.a : product_.bytes->product.b;
  const auto input = side == Side::kLeft ? product_.bytes->a.zero : product_.bytes->b.zero;
  const ExprPtr at = operand.one_zero ? integer(0) : variable(place, kIndex);
  DeviceFunction function{name, {{place, kIndex}}, kIndex, {}, integer(operand.zero_number)};
  return input ? byte_element(std::move(function), *input, at) : function;
}

DeviceFunction ProductSkeleton::finish() const {
  const IrType results{c_.compute, lanes_};
  DeviceFunction function{
      "fl_finish", {{"batch", kIndex}, {"row", kIndex}, {"column", kIndex}, {"total", results}}, kIndex, {}, nullptr};
  if (product_.twin) function.parameters.emplace_back("twin", results);
  const ExprPtr row = variable("batch", kIndex) * integer(c_.m) + variable("row", kIndex);
  epilogue_.store(function.body, row, variable("column", kIndex), variable("total", results), variable("twin", results));
  return function;
}

std::string ProductSkeleton::store_of_whole_numbers() const {
  const std::string lanes = std::to_string(lanes_), type = lanes_ == 1 ? "int" : "fl_vec<int, " + lanes + ">";
  return "FL_DEVICE void fl_finish(const fl_arguments& in, int, int row, int column, " + type + " total) {\n  fl_store<int, " +
         lanes + ">(" + fields_.back().name + " + row * kN + column, " + (lanes_ == 1 ? "fl_vec<int, 1>{{total}}" : "total") +
         ");\n}";
}

// The input that is an operand; none for one that the kernel computes.
std::optional<int> ProductSkeleton::memory_of(Side side) const {
  if (product_.kernel.computes(side)) return std::nullopt;
  return side == Side::kLeft ? c_.left : c_.right;
}

std::string ProductSkeleton::pointer(const char* name, std::optional<int> input) const {
  const std::string begin = input ? fields_[static_cast<std::size_t>(*input)].name : "nullptr";
  return std::string("FL_DEVICE const fl_operand* ") + name + "(const fl_arguments&" + (input ? " in" : "") + ") {\n  return " +
         (product_.bytes ? "reinterpret_cast<const fl_operand*>(" + begin + ")" : begin) + ";\n}";
}

// The begin of the scratch, as a pointer to the type.
std::string ProductSkeleton::scratch(const char* type, const char* name, bool is_used) const {
  const std::string pointer = std::string(type) + "*";
  const std::string begin = is_used ? "reinterpret_cast<" + pointer + ">(in." + parameters_.back().name + ")" : "nullptr";
  return "FL_DEVICE " + pointer + " " + name + "(const fl_arguments&" + (is_used ? " in" : "") + ") {\n  return " + begin + ";\n}";
}

Skeleton ProductSkeleton::skeleton() const {
  Skeleton skeleton;
  skeleton.needs_matrix_units = true;
  skeleton.constants = {{"kM", c_.m},
                        {"kN", c_.n},
                        {"kK", c_.k},
                        {"kBatches", c_.batches()},
                        {"kLeftRow", c_.left_row},
                        {"kRightStride", c_.right_stride},
                        {"kLanes", lanes_},
                        {"kSplits", splits_}};
  skeleton.definitions = {std::string("using fl_total = ") + (has_epilogue() ? "float;" : "int;"),
                          "using fl_operand = " + std::string(product_.unit->operand_word) + ";",
                          pointer(product_.channels_last ? "fl_given_left" : "fl_left", memory_of(Side::kLeft)),
                          pointer(product_.channels_last ? "fl_given_right" : "fl_right", memory_of(Side::kRight)),
                          scratch("fl_total", "fl_split_sums", splits_ > 1)};
  skeleton.functions = {offset("fl_left_at", c_.left_strides), offset("fl_right_at", c_.right_strides)};
  if (product_.channels_last) {
    skeleton.definitions.push_back(scratch("unsigned char", "fl_scratch", true));
    skeleton.functions.push_back(image_element());
    const auto constants = constants_of(product_, split_bytes());
    skeleton.constants.insert(skeleton.constants.end(), constants.begin(), constants.end());
  } else {
    skeleton.functions.push_back(left_element());
    skeleton.functions.push_back(right_element("fl_right_element", elements_));
  }
  if (product_.twin) {
    skeleton.definitions.push_back(pointer("fl_twin", product_.twin));
    skeleton.functions.push_back(right_element("fl_twin_element", twin_elements_));
  }
  if (product_.right_computed) skeleton.functions.push_back(right_part());
  if (product_.norm) {
    skeleton.definitions.push_back(pointer("fl_norm_weights", product_.norm->weights));
    skeleton.functions.push_back(
        {"fl_norm_epsilon", {}, IrType{DType::kF32, 1}, {}, real(product_.norm->epsilon, {DType::kF32, 1})});
  }
  if (product_.bytes) {
    const IntegerProduct& bytes = product_.bytes->product;
    const bool left = bytes.a.dtype == DType::kU8, right = bytes.b.dtype == DType::kU8;
    skeleton.constants.emplace_back("kLeftFlipped", left);
    skeleton.constants.emplace_back("kRightFlipped", right);
    skeleton.constants.emplace_back("kHasZeros", product_.has_offsets());
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

Function ProductSkeleton::function(const char* entry, std::vector<std::string> files,
                                   const std::vector<std::pair<std::string, std::int64_t>>& constants) {
  Function function;
  const std::int64_t results = c_.batches() * c_.m * c_.n;
  if (splits_ > 1 || product_.channels_last) {
    parameters_.push_back({names_.unique(product_.channels_last ? "scratch" : "split_sums"), DType::kU8, true});
    function.launch.scratch_bytes =
        product_.channels_last ? scratch_bytes(product_, *product_.channels_last, split_bytes()) : split_bytes();
  }
  if (splits_ > 1) files.emplace_back("fold_splits");
  function.parameters = parameters_;
  function.skeleton = skeleton();
  function.skeleton.files = std::move(files);
  function.skeleton.constants.insert(function.skeleton.constants.end(), constants.begin(), constants.end());
  function.launch.narrow = true;
  BodyBuilder(function.body).invoke(entry);
  if (splits_ == 1) return function;
  Function fold;
  fold.parameters = parameters_;
  fold.launch.narrow = true;
  fold.launch.threads = kFoldThreads;
  fold.launch.blocks = std::to_string(ceil_div(results, std::int64_t{kFoldThreads} * lanes_));
  BodyBuilder(fold.body).invoke("fl_fold_splits");
  function.after.push_back(std::move(fold));
  return function;
}

}  // namespace fuselab::codegen
