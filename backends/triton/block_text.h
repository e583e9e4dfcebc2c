// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/codegen/ir/names.h"
#include "backends/triton/block_index.h"
#include "core/graph/graph.h"

namespace fuselab::triton {

// How numbers are held while a block is computed: reals in f32, or in f64 where a tensor of the graph is; whole numbers in 64 bits.
enum class Held { kReal, kWhole, kBool };
Held held_as(DType dtype);
// Returns what Triton calls the type of a tensor's memory: "fp16". Empty: it has none.
std::string_view storage_name(DType dtype);

// A block of numbers, or one number, as Python text.
struct Item {
  std::string text;
  Axes axes = 0;
  Held held = Held::kReal;
  bool is_literal = false;
};

// A condition that elements lie inside of their tensor; empty: they do.
struct Guard {
  std::string text;
  Axes axes = 0;
};
Guard both(const Guard& a, const Guard& b);

// Writes the body of a kernel in Triton's Python, block by block, from the end: a result's element requests those that it is made
// of. A place's index may be a block, so that one text stands for all elements of it.
class BlockText {
 public:
  // `rank`: of its blocks, 1 or 2. The graph must outlive this.
  BlockText(const Graph& graph, int rank);

  const Graph& graph() const { return graph_; }
  int rank() const { return rank_; }
  const std::string& body() const { return body_; }
  std::vector<std::string> parameters() const;  // pointers, in the order of the ABI
  const std::string& pointer(std::size_t argument) const { return pointers_[argument]; }
  std::string unique(const std::string& wish) { return names_.unique(wish); }
  std::string real_type() const { return has_doubles_ ? "tl.float64" : "tl.float32"; }
  bool has_doubles() const { return has_doubles_; }

  void line(const std::string& text) { body_ += std::string(indent_, ' ') + text + "\n"; }
  // Writes a line that ends in ':' and what `inside` writes, further right; what is named there is forgotten afterwards.
  void indented(const std::string& head, const std::function<void()>& inside);
  // Gives an expression a name.
  Item named(const std::string& wish, Item item);
  // What is true of all rows and columns of the blocks that are computed next: the conditions that they lie inside, and names of
  // their indices.
  void go_to(std::array<Guard, 2> inside, std::array<std::string, 2> indices);
  const Guard& inside(int axis) const { return inside_[static_cast<std::size_t>(axis)]; }

  // A value that is known at one place and nowhere else: the result of the operator that a kernel is built around.
  void pin(ValueId value, Place place, Item item) { pins_.insert_or_assign(value, std::pair(std::move(place), std::move(item))); }
  // Asked first for each operator; nothing: it is not one of the caller's.
  using Special = std::function<std::optional<Item>(const Node&, std::size_t output, const Place&, const Guard&)>;
  void set_special(Special special) { special_ = std::move(special); }

  // Returns a value's elements; what computes them is written before. Where the guard does not hold they are any numbers.
  Item value(ValueId value, const Place& place, const Guard& guard = {});
  Item operand(const Node& node, std::size_t index, const Place& place, const Guard& guard = {}) {
    return value(node.inputs.at(index), place, guard);
  }
  // Returns an operand's elements where it broadcasts to the node's first result.
  Item broadcast(const Node& node, std::size_t index, const Place& place, const Guard& guard);
  // Returns a value in the type of its memory, zero where it lies outside.
  Item stored(ValueId value, const Place& place, const Guard& guard = {});
  void store(std::size_t output, const Place& place, const Guard& guard = {});

  std::string real(const Item& item) const;    // its text as a real
  std::string whole(const Item& item) const;   // as a whole number of 64 bits
  std::string tensor(const Item& item) const;  // a literal as a block
  Item zero() const { return {"0.0", 0, Held::kReal, true}; }
  // Returns the item as a block that has all of these axes.
  std::string spread(const Item& item, Axes axes) const;

  Item refuse(const Node& node, const std::string& why);
  const std::string& refusal() const { return refusal_; }

 private:
  Item load(std::size_t argument, const TensorType& type, const Place& place, const Guard& guard, bool as_stored);
  std::string address(const Index& index, Axes axes) const;
  Guard inside_of(Axes axes) const;

  const Graph& graph_;
  int rank_;
  codegen::Names names_;
  std::vector<std::string> pointers_;
  bool has_doubles_ = false;
  std::string body_;
  std::size_t indent_ = 4;
  std::array<Guard, 2> inside_;
  std::array<std::string, 2> indices_;
  std::map<std::string, Item> known_;
  std::map<ValueId, std::pair<Place, Item>> pins_;
  Special special_;
  std::string refusal_;
  int asked_ = 0;
};

// A number as Python text: "0.5", "float('inf')".
std::string literal(double number, bool has_doubles);

// Each returns an operator's elements, or nothing for an operator of another kind.
std::optional<Item> elementwise_item(BlockText& text, const Node& node, const Place& place, const Guard& guard);
std::optional<Item> movement_item(BlockText& text, const Node& node, std::size_t output, const Place& place, const Guard& guard);
std::optional<Item> window_item(BlockText& text, const Node& node, const Place& place, const Guard& guard);

}  // namespace fuselab::triton
