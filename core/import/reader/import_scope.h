// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/import/constants/named_tensor.h"
#include "core/import/wire/node_names.h"

namespace fuselab::onnx {

using Names = std::unordered_set<std::string>;

// A call of a function of the model, while the function's body is read.
struct FunctionCall {
  const FunctionProto* function = nullptr;                            // none: the graph is read
  std::unordered_map<std::string, const AttributeProto*> attributes;  // set by the call, or the function's defaults
  Names absent;                                                       // optional inputs that the call leaves out
};

// The meaning of names where nodes are being read: in the graph, or in a function, which sees no names around it. Bodies of If and
// Loop see those around them, and what they make ends with them.
class ImportScope {
 public:
  ImportScope() = default;
  // `path`: of calls, put before the names of nodes: "encoder/". `read`: what the nodes and outputs read.
  ImportScope(FunctionCall call, std::string path, int opset, std::shared_ptr<const Names> read)
      : call_(std::move(call)), path_(std::move(path)), opset_(opset), read_(std::move(read)) {}
  // The graph's own scope.
  ImportScope(const GraphProto& graph, int opset);

  const Tensor* find(const std::string& name) const;
  // Requires that the name is there.
  const SharedTensor& tensor(const std::string& name) const { return tensors_.at(name); }
  // Makes a name stand for a tensor. Returns false where it is taken.
  bool add(const std::string& name, SharedTensor tensor);
  // Does the same for a result of a node.
  // Fails where the name is taken.
  Status adopt(const std::string& name, SharedTensor tensor);
  // Notes that the call gives nothing for an input. Returns false where it was noted before.
  bool leave_out(const std::string& input) { return call_.absent.insert(input).second; }
  // Returns true when a node or an output reads a name.
  bool is_read(const std::string& name) const { return read_->contains(name); }
  // Returns true when a name may be an output; in a function or a body any name may.
  bool is_output(const std::string& name) const;
  // Returns what the graph's file says of a name's type; null where it says nothing, or only of a body around it.
  const ValueInfoProto* declared(const std::string& name) const;

  int opset() const { return opset_; }  // 0: the file declares none of ONNX's own operators
  const FunctionCall& call() const { return call_; }
  bool in_function() const { return call_.function != nullptr; }
  int depth() const { return depth_; }  // of bodies within each other
  void set_position(int position) { position_ = position; }
  // Returns "node 'x'", or "node 17 (Add)" where it has no name.
  std::string label(const NodeProto& node) const;
  // Returns a name of the file as one of the graph.
  std::string own_name(const std::string& name) const { return shown(path_ + name); }

  // A body, from its beginning to its end.
  class Body {
   public:
    explicit Body(ImportScope& scope);
    ~Body();
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    // Names the nodes to come within the body: "loop/3/".
    void set_path(const std::string& within) { scope_.path_ = path_ + within; }
    // What is made from here on ends with this trip.
    void begin_trip() { made_before_trip_ = scope_.made_.size(); }
    void end_trip() { scope_.forget(made_before_trip_); }

   private:
    ImportScope& scope_;
    std::string path_;
    int position_;
    std::size_t made_before_, made_before_trip_;
  };

 private:
  // Ends the names that a body made.
  void forget(std::size_t made_before);

  FunctionCall call_;
  std::string path_;
  int opset_ = 0;
  std::shared_ptr<const Names> read_;
  std::unordered_map<std::string, SharedTensor> tensors_;
  std::unordered_map<std::string, const ValueInfoProto*> declared_;
  Names outputs_;                  // of the graph, whose number is only bounded by the file's size
  std::vector<std::string> made_;  // names that cease to exist with the body that makes them
  int position_ = 0;               // of the node being read
  int depth_ = 0;
};

}  // namespace fuselab::onnx
