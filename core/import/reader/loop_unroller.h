// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"

namespace fuselab::onnx {

class NodeReader;

// Loops whose trips are known while the model is read are written out, trip by trip. Any other is a barrier.
class LoopUnroller {
 public:
  static constexpr std::string_view kAttributes = "body:g";  // see node_attributes.h

  LoopUnroller(NodeReader& reader, ImportScope& scope, ImportedGraph& imported)
      : reader_(reader), scope_(scope), imported_(imported) {}

  // Returns the body of a Loop that ONNX knows in this form; else null.
  const GraphProto* body_to_write_out(const NodeProto& node) const;
  Status read(const NodeProto& node, const GraphProto& body);

  bool is_under_way() const { return around_.loops > 0; }
  // Returns true while an error gives up the outermost of these loops.
  bool is_given_up() const { return !refused_.empty(); }
  // These fail where the loops become too large. A node that is about to be read:
  Status count_node();
  // Numbers in another file, which take no bytes in this one, and which each trip would read anew:
  Status spend_external(const TensorType& type);

 private:
  struct KnownLoop {
    const GraphProto* body = nullptr;
    std::int64_t trips = 0;  // at most: its body may end it earlier
    bool has_count = false;  // else only its condition ends it
    SharedTensor condition;  // none: its body's conditions are ignored
    std::string because;     // why it is not written out; empty: it is
  };
  using Collected = std::vector<SharedTensor>;  // what each trip made, from the first on
  // What goes from trip to trip, and out of the loop.
  struct Trips {
    SharedTensor condition;
    std::vector<SharedTensor> carried;
    std::vector<Collected> collected;
  };

  Status check(const NodeProto& node, const GraphProto& body) const;
  KnownLoop known_loop(const NodeProto& node, const GraphProto& body) const;
  // Returns why a loop is too large to be written out with those around it, or "".
  std::string too_large(const KnownLoop& loop) const;
  // Gives up the outermost of the loops that are being written out.
  Error give_up();
  // These return "", or why the loop is a barrier after all.
  Result<std::string> unroll(const NodeProto& node, const KnownLoop& loop);
  Result<std::string> make_trips(const NodeProto& node, const KnownLoop& loop, Trips& trips);
  Result<std::string> define(const NodeProto& node, const Trips& trips, std::size_t first_value);
  Status enter_trip(const KnownLoop& loop, std::int64_t trip, const Trips& trips);
  Status leave_trip(const KnownLoop& loop, Trips& trips);
  // Returns the tensors of all trips as one with a new first axis; nothing where they do not fit together.
  SharedTensor stacked(const Collected& parts);

  NodeReader& reader_;
  ImportScope& scope_;
  ImportedGraph& imported_;
  // The loops that are being written out, within each other.
  struct Around {
    int loops = 0;
    std::int64_t trips = 1;  // product of theirs
  };
  Around around_;
  std::int64_t nodes_ = 0;         // read in trips, those of what was taken back included
  std::int64_t nodes_before_ = 0;  // the outermost loop began
  std::int64_t bytes_ = 0;         // of these nodes in the file
  std::string refused_;            // why the outermost loop is a barrier after all
};

}  // namespace fuselab::onnx
