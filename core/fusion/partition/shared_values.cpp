// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/partition/shared_values.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/cost/cost.h"
#include "core/fusion/match/describe.h"
#include "core/fusion/match/forms.h"
#include "core/fusion/match/recompute_cost.h"

namespace fuselab {
namespace {

Bytes whole(double bytes) {
  constexpr double kMost = 9.2e18;
  return {static_cast<std::int64_t>(std::min(bytes, kMost))};
}

std::string pieces_text(std::size_t count) {
  return count == 1 ? "another piece" : std::to_string(count) + " pieces";
}

// One intermediate, the group that makes it and those that read it.
class Decision {
 public:
  Decision(const GraphIndex& index, const FusionOptions& options, const Fuser& fuser, NodeId maker)
      : index_(index),
        options_(options),
        fuser_(fuser),
        maker_(maker),
        node_(index.node(maker)),
        own_(fuser.partition().group_of(maker)) {
    for (const NodeId reader : index.readers(value())) {
      if (!fuser.partition().contains(reader)) continue;
      readers_[fuser.partition().group_of(reader)].push_back(reader);
    }
    is_alone_ = fuser.partition().members(own_).size() == 1;
  }

  // Read in several pieces, or in its own and another.
  bool is_shared() const { return readers_.size() > 1 && node_.outputs.size() == 1; }

  SharedValue make() {
    SharedValue shared;
    shared.told.producer = node_name(index_, maker_);
    shared.told.node = maker_;
    shared.told.pieces = static_cast<int>(readers_.size());
    if (auto why = must_be_stored()) {
      shared.told.reason = "stored once: " + *why;
      return shared;
    }
    weigh(shared);
    return shared;
  }

 private:
  ValueId value() const { return node_.outputs.front(); }
  std::string op() const { return std::string(name_of(node_.op)); }

  std::optional<std::string> must_be_stored() const {
    if (index_.is_output(value())) return "it is a result of the graph";
    if (!options_.enable_recomputation) return "recomputation is off";
    const bool element_wise = info_of(node_.op).access == AccessPattern::kElementWise || node_.op == Op::kBatchNormalization;
    if (!element_wise) return "computing " + op() + " again is no element-wise work that a reader could do beside its own";
    if (std::string forbidden = forbidden_by_annotation(index_, maker_); !forbidden.empty()) return forbidden;
    if (node_.inputs.size() > kMostRead) return op() + " reads more than " + std::to_string(kMostRead) + " values";
    for (const ValueId input : node_.inputs) {
      const auto made_by = index_.maker(input);
      if (!made_by || fuser_.partition().group_of(*made_by) != own_) continue;
      const auto readers = index_.readers(input);
      const bool kept = index_.is_output(input) || std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
                          return fuser_.partition().contains(reader) && fuser_.partition().group_of(reader) != own_;
                        });
      if (!kept) return "what " + op() + " reads, " + node_name(index_, *made_by) + " makes in the same piece and keeps nowhere";
    }
    return std::nullopt;
  }

  // Returns the bytes that a group would read more if it computed the value itself.
  std::optional<double> more_reads(GroupId group) const {
    double bytes = 0;
    const auto members = fuser_.partition().members(group);
    // The search goes through the value's readers because a member may read tens of thousands of values.
    const auto is_read = [&](ValueId value) {
      const auto readers = index_.readers(value);
      return std::any_of(members.begin(), members.end(),
                         [&](NodeId member) { return std::binary_search(readers.begin(), readers.end(), member); });
    };
    for (const ValueId input : std::set<ValueId>(node_.inputs.begin(), node_.inputs.end())) {
      const auto made_by = index_.maker(input);
      const bool there = is_read(input) || (made_by && fuser_.partition().group_of(*made_by) == group);
      if (index_.is_constant(input) || there) continue;
      const auto size = size_of(index_.type(input));
      if (!size.ok()) return std::nullopt;
      bytes += static_cast<double>(size.value().count);
    }
    return bytes;
  }

  void weigh(SharedValue& shared) {
    const auto size = size_of(index_.type(value()));
    std::vector<std::vector<NodeId>> sets;
    double stored = 0, anew = 0;  // bytes; several of the largest tensors are more than an integer holds
    bool known = size.ok();
    for (const auto& [group, nodes] : readers_) {
      if (group == own_) continue;
      sets.push_back(nodes);
      const auto more = more_reads(group);
      known = known && more;
      anew += more.value_or(0);
    }
    if (!known) {
      shared.told.reason = "stored once: what computing it again would cost is known only with all extents";
      return;
    }
    const std::size_t read_by = sets.size();
    stored = static_cast<double>(size.value().count) * static_cast<double>(1 + read_by);
    double copies = static_cast<double>(read_by);
    if (is_alone_) {  // its own piece goes: whoever reads first computes what that did
      stored += more_reads_of_own();
      copies -= 1;
    }
    const double more = copies * simple_operations(index_, std::span(&maker_, 1));
    const std::string cost = operations_text(more) + " operations more";
    if (stored <= anew) {
      shared.told.reason = "stored once: to compute " + op() + " again, " + pieces_text(read_by) + " would read " +
                           format_bytes(whole(anew)) + " where storing it moves " + format_bytes(whole(stored));
      return;
    }
    const Bytes saved = whole(stored - anew);
    if (!pays_to_compute(more, saved)) {
      shared.told.reason = "stored once: computing " + op() + " again in " + pieces_text(read_by) + " takes " + cost +
                           ", which cost more than the " + format_bytes(saved) + " of traffic that it saves";
      return;
    }
    shared.told.reason =
        "computed in each piece: " + cost + " cost less than the " + format_bytes(saved) + " that need not be written and read";
    shared.told.recomputed = true;
    shared.told.saved = saved;
    shared.told.operations = more;
    if (is_alone_) sets.erase(sets.begin());  // who keeps the original
    shared.repetition = Repetition{maker_, std::move(sets)};
  }

  double more_reads_of_own() const {
    double bytes = 0;
    for (const ValueId input : std::set<ValueId>(node_.inputs.begin(), node_.inputs.end())) {
      if (index_.is_constant(input)) continue;
      const auto size = size_of(index_.type(input));
      bytes += size.ok() ? static_cast<double>(size.value().count) : 0;
    }
    return bytes;
  }

  const GraphIndex& index_;
  const FusionOptions& options_;
  const Fuser& fuser_;
  NodeId maker_;
  const Node& node_;
  GroupId own_;
  std::map<GroupId, std::vector<NodeId>> readers_;
  bool is_alone_ = false;
};

}  // namespace

void store_after_all(SharedValue& shared, const std::string& why) {
  if (!shared.repetition) return;
  shared.repetition.reset();
  shared.told.recomputed = false;
  shared.told.reason = "stored once: computed in each piece it would save " + format_bytes(shared.told.saved) + ", but " + why;
}

std::vector<SharedValue> find_shared_values(const GraphIndex& index, const FusionOptions& options, const Fuser& fuser) {
  std::vector<SharedValue> shared;
  if (!options.enable_fusion) return shared;  // every value is stored
  std::set<NodeId> repeated;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    const Node& node = index.node(id);
    if (!fuser.partition().contains(id) || node.op == Op::kOpaque || is_view(node.op)) continue;
    Decision decision(index, options, fuser, id);
    if (!decision.is_shared()) continue;
    shared.push_back(decision.make());
    // Two that read each other would count on the other's traffic.
    const bool reads_repeated = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      const auto made_by = index.maker(input);
      return made_by && repeated.count(*made_by) != 0;
    });
    if (!shared.back().repetition) continue;
    if (reads_repeated) {
      store_after_all(shared.back(), "what it is made of is already computed in each piece");
    } else {
      repeated.insert(id);
    }
  }
  return shared;
}

bool keep_fused_copies(std::vector<SharedValue>& shared, const RepeatedGraph& repeated, const GraphIndex& index,
                       const Fuser& fuser) {
  bool all = true;
  std::map<NodeId, std::vector<NodeId>> written;  // by what they repeat
  for (std::size_t i = 0; i < index.size(); ++i) written[repeated.origins[i]].push_back(NodeId(static_cast<std::uint32_t>(i)));
  for (SharedValue& each : shared) {
    if (!each.repetition) continue;
    bool all_of_it = true;
    for (const NodeId id : written[each.repetition->node]) {
      for (const NodeId reader : index.readers(index.node(id).outputs.front())) {
        if (!fuser.partition().contains(reader) || fuser.partition().group_of(reader) == fuser.partition().group_of(id)) continue;
        if (all_of_it) store_after_all(each, fuser.why_apart(id, reader).reason);
        all_of_it = false;
      }
      if (!all_of_it) break;
    }
    all = all && all_of_it;
  }
  return all;
}

}  // namespace fuselab
