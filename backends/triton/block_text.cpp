// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/block_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

namespace fuselab::triton {
namespace {

constexpr int kMostAsked = 4000;  // blocks of one kernel

// Words of Python and of the texts around a body.
const std::set<std::string>& reserved() {
  static const std::set<std::string> words = {
      "and",    "as",     "assert", "async", "await",  "class",  "def",      "del", "elif",  "except", "finally", "from",
      "global", "import", "in",     "is",    "lambda", "None",   "nonlocal", "not", "or",    "pass",   "raise",   "try",
      "with",   "yield",  "True",   "False", "tl",     "triton", "float",    "int", "range", "row",    "col",     "pid",
      "inside", "m",      "n",      "k",     "acc",    "first",  "batch",    "min", "max"};
  return words;
}

std::string in_ascii(const std::string& name) {
  std::string made;
  for (const char c : name) made += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return made.empty() ? "v" : made;
}

std::string key_of(ValueId value, const Place& place, const Guard& guard) {
  std::string key = std::to_string(index_of(value)) + "|" + guard.text;
  for (const Index& index : place) key += "|" + index.text();
  return key;
}

// Along an axis of one element every index is the same.
bool is_same(const Place& a, const Place& b, const Extents& extents) {
  if (a.size() != b.size()) return false;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (extents[axis] != 1 && !(a[axis] == b[axis])) return false;
  }
  return true;
}

}  // namespace

Held held_as(DType dtype) {
  if (is_floating(dtype)) return Held::kReal;
  return dtype == DType::kBool ? Held::kBool : Held::kWhole;
}

std::string_view storage_name(DType dtype) {
  switch (dtype) {
    case DType::kF64: return "fp64";
    case DType::kF32: return "fp32";
    case DType::kF16: return "fp16";
    case DType::kBF16: return "bf16";
    case DType::kI64: return "i64";
    case DType::kI32: return "i32";
    case DType::kI16: return "i16";
    case DType::kI8: return "i8";
    case DType::kU32: return "u32";
    case DType::kU16: return "u16";
    case DType::kU8:
    case DType::kBool: return "u8";
    default: return "";
  }
}

Guard both(const Guard& a, const Guard& b) {
  if (a.text.empty()) return b;
  if (b.text.empty()) return a;
  return {"(" + a.text + ") & (" + b.text + ")", a.axes | b.axes};
}

std::string literal(double number, bool has_doubles) {
  if (!has_doubles && std::fabs(number) > std::numeric_limits<float>::max()) number = std::copysign(INFINITY, number);
  if (!has_doubles && std::fabs(number) < std::numeric_limits<float>::min()) number = 0;
  if (std::isnan(number)) return "float('nan')";
  if (std::isinf(number)) return number < 0 ? "-float('inf')" : "float('inf')";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  std::string made(text, end);
  return made.find_first_of(".e") == std::string::npos ? made + ".0" : made;
}

BlockText::BlockText(const Graph& graph, int rank) : graph_(graph), rank_(rank), names_(reserved()) {
  for (const auto& ids : {graph.inputs(), graph.outputs()}) {
    for (const ValueId id : ids) pointers_.push_back(names_.unique(in_ascii(graph.value(id).name) + "_p"));
  }
  has_doubles_ =
      std::any_of(graph.values().begin(), graph.values().end(), [](const Value& value) { return value.type.dtype == DType::kF64; });
}

std::vector<std::string> BlockText::parameters() const {
  return pointers_;
}

void BlockText::indented(const std::string& head, const std::function<void()>& inside) {
  line(head);
  const auto outside = known_;
  indent_ += 4;
  inside();
  indent_ -= 4;
  known_ = outside;
}

Item BlockText::named(const std::string& wish, Item item) {
  if (item.is_literal) return item;
  const std::string name = names_.unique(in_ascii(wish));
  line(name + " = " + item.text);
  item.text = name;
  return item;
}

void BlockText::go_to(std::array<Guard, 2> inside, std::array<std::string, 2> indices) {
  inside_ = std::move(inside);
  indices_ = std::move(indices);
}

Guard BlockText::inside_of(Axes axes) const {
  Guard guard;
  for (const Axes axis : {kRows, kColumns}) {
    if ((axes & axis) != 0) guard = both(guard, inside_[axis - 1]);
  }
  return guard;
}

// A pointer to as many elements as the mask has, and at least to a block along `axes`.
std::string BlockText::address(const Index& index, Axes axes) const {
  std::string text = index.text();
  for (const Axes axis : {kRows, kColumns}) {
    if ((axes & axis) != 0 && (index.axes & axis) == 0) text += " + " + indices_[axis - 1] + " * 0";
  }
  return text;
}

Item BlockText::load(std::size_t argument, const TensorType& type, const Place& place, const Guard& guard, bool as_stored) {
  const Index at = flat(place, extents_of(type.shape));
  const Axes needed = as_stored ? kRows | kColumns : 0;
  const Guard mask = both(inside_of(at.axes | guard.axes | needed), guard);
  const Axes axes = at.axes | mask.axes | needed;
  Item item{"tl.load(" + pointers_[argument] + " + " + address(at, axes), axes, held_as(type.dtype), false};
  if (!mask.text.empty()) item.text += ", mask=" + mask.text + ", other=0";
  item.text += ")";
  if (as_stored) return item;
  if (item.held == Held::kReal && type.dtype != (has_doubles_ ? DType::kF64 : DType::kF32)) item.text += ".to(" + real_type() + ")";
  if (item.held == Held::kWhole) item.text += ".to(tl.int64)";
  if (item.held == Held::kBool) item.text += " != 0";
  return item;
}

Item BlockText::value(ValueId value, const Place& place, const Guard& guard) {
  if (!refusal_.empty()) return zero();
  if (const auto pinned = pins_.find(value); pinned != pins_.end()) {
    if (is_same(pinned->second.first, place, extents_of(graph_.type(value).shape))) return pinned->second.second;
    refusal_ = "'" + graph_.value(value).name + "' is needed at other places than those that a block holds";
    return zero();
  }
  const std::string key = key_of(value, place, guard);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const std::string& name = graph_.value(value).name;
  Item item;
  if (const auto producer = graph_.value(value).producer) {
    const Node& node = graph_.node(*producer);
    if (++asked_ > kMostAsked) return refuse(node, "is needed at too many places of one kernel");
    const auto output = static_cast<std::size_t>(std::find(node.outputs.begin(), node.outputs.end(), value) - node.outputs.begin());
    auto made = special_ ? special_(node, output, place, guard) : std::nullopt;
    if (!made) made = elementwise_item(*this, node, place, guard);
    if (!made) made = movement_item(*this, node, output, place, guard);
    if (!made) made = window_item(*this, node, place, guard);
    if (!made) return refuse(node, "is not written for Triton yet");
    item =
        std::find_if(known_.begin(), known_.end(), [&](const auto& each) { return each.second.text == made->text; }) != known_.end()
            ? *made
            : named(name, *made);
  } else {
    const auto& inputs = graph_.inputs();
    const auto argument = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), value) - inputs.begin());
    item = named(name, load(argument, graph_.type(value), place, guard, false));
  }
  known_[key] = item;
  return item;
}

Item BlockText::broadcast(const Node& node, std::size_t index, const Place& place, const Guard& guard) {
  const auto own = extents_of(graph_.type(node.inputs.at(index)).shape);
  const auto all = extents_of(graph_.type(node.outputs.front()).shape);
  Place at;
  for (std::size_t axis = 0; axis < own.size(); ++axis)
    at.push_back(own[axis] == 1 ? constant(0) : place[all.size() - own.size() + axis]);
  return value(node.inputs[index], at, guard);
}

Item BlockText::stored(ValueId value, const Place& place, const Guard& guard) {
  const TensorType& type = graph_.type(value);
  if (!graph_.value(value).producer && pins_.find(value) == pins_.end()) {
    const auto& inputs = graph_.inputs();
    const auto argument = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), value) - inputs.begin());
    return named(graph_.value(value).name, load(argument, type, place, guard, true));
  }
  const Item item = this->value(value, place, guard);
  const Guard mask = both(inside_of(kRows | kColumns), guard);
  std::string text = spread(item, rank_ == 1 ? kRows : kRows | kColumns);
  if (!mask.text.empty()) text = "tl.where(" + mask.text + ", " + text + ", 0.0)";
  return {"(" + text + ").to(tl." +
              (type.dtype == DType::kF16    ? "float16"
               : type.dtype == DType::kBF16 ? "bfloat16"
                                            : "float32") +
              ")",
          kRows | kColumns, Held::kReal, false};
}

void BlockText::store(std::size_t output, const Place& place, const Guard& guard) {
  const ValueId id = graph_.outputs()[output];
  const Item item = value(id, place, guard);
  const std::string& to = pointers_[graph_.inputs().size() + output];
  const Index at = flat(place, extents_of(graph_.type(id).shape));
  const Axes own = at.axes | item.axes, axes = rank_ == 1 ? kRows : own == 0 ? kRows | kColumns : own;
  const Guard mask = both(inside_of(axes), guard);
  std::string number = tensor(item);
  if (item.held == Held::kBool) number = "(" + number + ").to(tl.int32)";
  line("tl.store(" + to + " + " + address(at, axes | mask.axes) + ", (" + number + ").to(" + to + ".dtype.element_ty)" +
       (mask.text.empty() ? "" : ", mask=" + mask.text) + ")");
}

std::string BlockText::tensor(const Item& item) const {
  if (!item.is_literal) return item.text;
  const std::string type = item.held == Held::kReal ? real_type() : item.held == Held::kWhole ? "tl.int64" : "tl.int1";
  return std::string("tl.full([") + (rank_ == 1 ? "1" : "1, 1") + "], " + item.text + ", " + type + ")";
}

std::string BlockText::real(const Item& item) const {
  if (item.held == Held::kReal) return item.text;
  if (item.is_literal) return item.text + ".0";
  return "(" + item.text + ").to(" + real_type() + ")";
}

std::string BlockText::whole(const Item& item) const {
  if (item.held == Held::kWhole) return item.text;
  return "(" + tensor(item) + ").to(tl.int64)";
}

std::string BlockText::spread(const Item& item, Axes axes) const {
  std::string text = tensor(item);
  for (const Axes axis : {kRows, kColumns}) {
    if ((axes & axis) != 0 && (item.axes & axis) == 0) text += " + (" + indices_[axis - 1] + " * 0).to(" + real_type() + ")";
  }
  return text;
}

Item BlockText::refuse(const Node& node, const std::string& why) {
  if (refusal_.empty()) refusal_ = std::string(name_of(node.op)) + " " + why;
  return zero();
}

}  // namespace fuselab::triton
