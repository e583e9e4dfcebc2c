// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

#include "core/ops/op_attributes.h"

namespace fuselab {
namespace {

// Lists the inputs and nodes that a text shows, in order, and the names it gives the values.
struct Listing {
  std::vector<ValueId> inputs;
  std::vector<NodeId> nodes;
  std::vector<std::string> names;  // by value
  bool annotations = false;        // whether they are written
};

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, written.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string string_text(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += hex;
    }
  }
  return text + '"';
}

struct ValueText {
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return real_text(value); }
  std::string operator()(const std::string& value) const { return string_text(value); }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    std::string text = "[";
    for (const T& value : values) text += (text.size() > 1 ? "," : "") + (*this)(value);
    return text + "]";
  }
};

// An identifier of the text form: what does not fit becomes '_'.
std::string valid_name(std::string_view name) {
  constexpr std::size_t kLongest = 48;  // leaves room for a suffix
  std::string valid;
  for (const char c : name.substr(0, kLongest)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool later = (c >= '0' && c <= '9') || c == '.';
    if (valid.empty() && later) valid += '_';
    valid += letter || later ? c : '_';
  }
  if (valid.empty() || valid == "graph" || valid == "return" || valid == "param") valid += '_';
  return valid;
}

void write_targets(std::string& out, const Graph& graph, const Node& node, const Listing& listing) {
  bool first = true;
  for (const ValueId id : node.outputs) {
    if (!first) out += ", ";
    first = false;
    out += listing.names[index_of(id)];
    if (node.op == Op::kOpaque) out += ": " + type_text(graph.type(id));
  }
}

std::string annotation_text(const FusionAnnotation& annotation) {
  if (annotation.kind == FusionAnnotation::Kind::kNoFusion) return " @NoFusion(" + string_text(annotation.reason) + ")";
  std::string inner;
  if (annotation.max_operations > 0) inner = "max_operations=" + std::to_string(annotation.max_operations);
  if (annotation.priority != 0) inner += (inner.empty() ? "priority=" : ", priority=") + std::to_string(annotation.priority);
  return " @Fusible(" + inner + ")";
}

void write_node(std::string& out, const Graph& graph, const Node& node, const Listing& listing) {
  write_targets(out, graph, node, listing);
  out += " = ";
  out += name_of(node.op);
  if (node.op == Op::kOpaque) out += ":" + valid_name(node.opaque_type);
  out += '(';
  bool first = true;
  for (const ValueId id : node.inputs) {
    out += first ? "" : ", ";
    out += listing.names[index_of(id)];
    first = false;
  }
  const Attributes attributes = canonical_attributes(node.op, node.attributes);
  for (const auto& [name, value] : attributes.values()) {
    out += (first ? "" : ", ") + name + "=" + std::visit(ValueText(), value);
    first = false;
  }
  out += ")";
  if (listing.annotations && !node.annotation.none()) out += annotation_text(node.annotation);
  out += "; ";
}

std::string write(const Graph& graph, const Listing& listing) {
  std::string out = "graph(";
  bool first = true;
  for (const ValueId id : listing.inputs) {
    const Value& value = graph.value(id);
    out += first ? "" : ", ";
    out += listing.names[index_of(id)] + (value.origin == ValueOrigin::kParam ? ": param " : ": ") + type_text(value.type);
    first = false;
  }
  out += ") { ";
  for (const NodeId id : listing.nodes) write_node(out, graph, graph.node(id), listing);
  out += "return ";
  first = true;
  for (const ValueId id : graph.outputs()) {
    out += (first ? "" : ", ") + listing.names[index_of(id)];
    first = false;
  }
  return out + " }";
}

// Depth-first from the outputs, operands before their reader; an explicit stack, so that depth costs no call stack.
class CanonicalWalk {
 public:
  explicit CanonicalWalk(const Graph& graph) : graph_(graph), visited_(graph.nodes().size(), false) {
    listing_.names.resize(graph.values().size());
  }

  Listing run() && {
    for (const ValueId output : graph_.outputs()) {
      enter(output);
      while (!stack_.empty()) step();
    }
    return std::move(listing_);
  }

 private:
  struct Frame {
    NodeId node;
    std::size_t next_operand = 0;
  };

  void enter(ValueId id) {
    const Value& value = graph_.value(id);
    if (!value.producer) return name_input(id, value.origin);
    const auto node = static_cast<std::size_t>(*value.producer);
    if (visited_[node]) return;
    visited_[node] = true;
    stack_.push_back({*value.producer, 0});
  }

  void name_input(ValueId id, ValueOrigin origin) {
    std::string& name = listing_.names[index_of(id)];
    if (!name.empty()) return;
    name = origin == ValueOrigin::kParam ? "p" + std::to_string(params_++) : "i" + std::to_string(inputs_++);
    listing_.inputs.push_back(id);
  }

  void step() {
    Frame& frame = stack_.back();
    const Node& node = graph_.node(frame.node);
    if (frame.next_operand < node.inputs.size()) {
      enter(node.inputs[frame.next_operand++]);
      return;
    }
    for (const ValueId id : node.outputs) listing_.names[index_of(id)] = "v" + std::to_string(computed_++);
    listing_.nodes.push_back(frame.node);
    stack_.pop_back();
  }

  const Graph& graph_;
  Listing listing_;
  std::vector<bool> visited_;
  std::vector<Frame> stack_;
  int inputs_ = 0;
  int params_ = 0;
  int computed_ = 0;
};

}  // namespace

std::string canonical_text(const Graph& graph) {
  return write(graph, CanonicalWalk(graph).run());
}

std::string named_text(const Graph& graph) {
  Listing listing;
  listing.annotations = true;
  listing.inputs = graph.inputs();
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> next_suffix;
  for (const Value& value : graph.values()) {
    const std::string base = valid_name(value.name);
    std::string name = base;
    while (!taken.insert(name).second) name = base + "_" + std::to_string(++next_suffix[base]);
    listing.names.push_back(std::move(name));
  }
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) listing.nodes.push_back(static_cast<NodeId>(n));
  return write(graph, listing);
}

ContentHash graph_key(const Graph& graph) {
  return ContentHash::of(canonical_text(graph));
}

}  // namespace fuselab
