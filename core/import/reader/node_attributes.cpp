// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/node_attributes.h"

#include <algorithm>
#include <charconv>

#include "core/import/wire/node_names.h"

namespace fuselab::onnx {
namespace {

constexpr int kNewest = 1 << 20;

int number_of(std::string_view text, int otherwise) {
  int number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// One attribute of a row.
struct Entry {
  std::string_view name;
  char kind = ' ';
  int first = 1;
  int last = kNewest;

  explicit Entry(std::string_view text) {
    const std::size_t colon = text.find(':'), at = text.find('@');
    name = text.substr(0, colon);
    kind = text[colon + 1];
    if (at == std::string_view::npos) return;
    const std::string_view opsets = text.substr(at + 1);
    const std::size_t dash = opsets.find('-');
    first = number_of(opsets.substr(0, dash), first);
    last = number_of(opsets.substr(dash + 1), kNewest);
  }

  bool fits(int opset) const { return opset >= first && opset <= last; }
};

std::vector<Entry> entries_of(std::string_view row) {
  std::vector<Entry> entries;
  while (!row.empty()) {
    const std::size_t end = std::min(row.find(' '), row.size());
    entries.emplace_back(row.substr(0, end));
    row.remove_prefix(std::min(end + 1, row.size()));
  }
  return entries;
}

std::string_view kind_text(char kind) {
  switch (kind) {
    case 'i': return "an integer";
    case 'f': return "a real number";
    case 's': return "a text";
    case 't': return "a tensor";
    case 'g': return "a graph";
    case 'I': return "a list of integers";
    case 'F': return "a list of real numbers";
    case 'S': return "a list of texts";
    default: return "a sparse tensor";
  }
}

// Returns the kind as attributes of our own operators have it; nothing where they have none of that kind.
std::optional<AttributeKind> kind_here(char kind) {
  switch (kind) {
    case 'i': return AttributeKind::kInteger;
    case 'f': return AttributeKind::kReal;
    case 's': return AttributeKind::kText;
    case 'I': return AttributeKind::kIntegers;
    default: return std::nullopt;
  }
}

// Files before the types of attributes were written down do not say what theirs are: what they hold does. A whole number is no real
// one (ONNX's checker refuses it, too): whoever reads the real one finds its default.
bool is_of_kind(const AttributeProto& attribute, char kind) {
  if (!attribute.has_type() || attribute.type() == AttributeProto::UNDEFINED)
    return kind == 'f' ? attribute.has_f() : kind == 'i' ? attribute.has_i() : true;
  switch (kind) {
    case 'i': return attribute.type() == AttributeProto::INT;
    case 'f': return attribute.type() == AttributeProto::FLOAT;
    case 's': return attribute.type() == AttributeProto::STRING;
    case 't': return attribute.type() == AttributeProto::TENSOR;
    case 'g': return attribute.type() == AttributeProto::GRAPH;
    case 'I': return attribute.type() == AttributeProto::INTS;
    case 'F': return attribute.type() == AttributeProto::FLOATS;
    case 'S': return attribute.type() == AttributeProto::STRINGS;
    default: return attribute.type() == AttributeProto::SPARSE_TENSOR;
  }
}

// Returns whether an attribute is one that a converter may leave behind at a later opset, where the operator already does what it
// asks for: `consumed_inputs` was a remark about memory, `is_test` asks for inference, and at inference Dropout drops nothing
// whatever its ratio.
bool changes_nothing_later(const NodeProto& node, const AttributeProto& attribute, int opset, int last) {
  if (opset <= last) return false;
  if (attribute.name() == "consumed_inputs") return true;
  const bool trains = std::any_of(node.attribute().begin(), node.attribute().end(),
                                  [](const auto& each) { return each.name() == "training_mode" && each.i() != 0; });
  const bool may_train = trains || (node.op_type() == "Dropout" && node.input_size() > 2);
  if (attribute.name() == "is_test") return attribute.i() != 0 && !may_train;
  return attribute.name() == "ratio" && !may_train;
}

// "" or why this attribute is not understood.
std::string why_not(std::string_view row, const NodeProto& node, const AttributeProto& attribute, int opset) {
  const std::string label = "its attribute '" + shown(attribute.name()) + "'";
  bool other_opset = false;
  for (const Entry& entry : entries_of(row)) {
    if (entry.name != attribute.name()) continue;
    other_opset = !entry.fits(opset);
    const bool stays = changes_nothing_later(node, attribute, opset, entry.last);
    if (other_opset && !stays) continue;
    return is_of_kind(attribute, entry.kind) ? "" : label + " is not " + std::string(kind_text(entry.kind));
  }
  return label + (other_opset ? " is not one of opset " + std::to_string(opset) : " is not known");
}

}  // namespace

bool is_internal_attribute(std::string_view name) {
  return name.starts_with("__");
}

std::string attribute_beyond_onnx(const NodeProto& node, int opset, std::string_view row) {
  for (const auto& attribute : node.attribute()) {
    if (is_internal_attribute(attribute.name())) continue;
    if (std::string because = why_not(row, node, attribute, opset); !because.empty()) return because;
  }
  return "";
}

std::vector<AttributeInfo> attribute_infos(std::string_view row, int opset) {
  std::vector<AttributeInfo> infos;
  for (const Entry& entry : entries_of(row)) {
    const auto kind = kind_here(entry.kind);
    if (kind && entry.fits(opset)) infos.push_back({entry.name, *kind, false, {}});
  }
  return infos;
}

}  // namespace fuselab::onnx
