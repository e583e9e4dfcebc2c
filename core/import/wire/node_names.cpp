// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/node_names.h"

#include <algorithm>
#include <string_view>

#include "core/base/plain_text.h"

namespace fuselab::onnx {

std::string shown(const std::string& name) {
  constexpr std::size_t kLongest = 160;
  std::string text = plain_line(std::string_view(name).substr(0, kLongest));
  std::replace(text.begin(), text.end(), '\'', '?');
  return name.size() > kLongest ? text + "…" : text;
}

std::string op_name(const NodeProto& node) {
  return shown(is_standard(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type());
}

bool is_standard(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

void append_read_names(const Nodes& nodes, std::vector<std::string>& names) {
  for (const auto& node : nodes) {
    for (const auto& name : node.input()) {
      if (!name.empty()) names.push_back(name);
    }
    append_body_names(node, names);
  }
}

void append_body_names(const NodeProto& node, std::vector<std::string>& names) {
  const auto append = [&names](const GraphProto& body) {
    append_read_names(body.node(), names);
    for (const auto& output : body.output()) {
      if (!output.name().empty()) names.push_back(output.name());
    }
  };
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) append(attribute.g());
    for (const auto& body : attribute.graphs()) append(body);
  }
}

}  // namespace fuselab::onnx
