// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/explain/why_not.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "core/base/ascii.h"
#include "core/base/words.h"
#include "core/fusion/match/describe.h"

namespace fuselab {
namespace {

constexpr std::size_t kMostCandidates = 8;
constexpr std::size_t kMostCutsTold = 3;

std::string quoted(const std::string& name) {
  return "'" + name + "'";
}

// Returns a name that only this node has, whatever its own name is.
std::string place_name(const GraphIndex& index, NodeId id) {
  return std::string(name_of(index.node(id).op)) + "#" + std::to_string(index_of(id));
}

bool is_called(const GraphIndex& index, NodeId id, const std::string& name) {
  const Node& node = index.node(id);
  return node.name == name || place_name(index, id) == name ||
         std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId output) { return index.graph().value(output).name == name; });
}

// A name that only this operator has.
std::string own_name(const GraphIndex& index, NodeId id, const std::string& shared) {
  const std::string& output = index.graph().value(index.node(id).outputs.front()).name;
  return output.empty() || output == shared ? place_name(index, id) : output;
}

class Explanation {
 public:
  explicit Explanation(const FusionResult& fusion) : fusion_(fusion), index_(fusion.graph) {
    for (std::size_t piece = 0; piece < fusion.operations.size(); ++piece) {
      for (const NodeId id : fusion.operations[piece].nodes) piece_of_[id] = piece;
    }
  }

  Result<WhyNot> of(const std::string& first, const std::string& second) const {
    FL_TRY(const NodeId a, find(first));
    FL_TRY(const NodeId b, find(second));
    if (a == b) return invalid_argument(quoted(first) + " and " + quoted(second) + " are one operator: name two");
    return of(a, b);
  }

  // Both are in a piece, and they are two.
  WhyNot of(NodeId a, NodeId b) const {
    WhyNot answer;
    answer.first = node_name(index_, a);
    answer.second = node_name(index_, b);
    answer.fused = piece_of_.at(a) == piece_of_.at(b);
    std::vector<NodeId> way = way_between(a, b);
    if (way.empty()) way = way_between(b, a);
    for (const NodeId id : way) answer.path.push_back(node_name(index_, id));
    answer.cuts = cuts_of(way);
    answer.text = answer.fused ? told_together(answer, a) : told_apart(answer, a, b);
    return answer;
  }

  bool knows(NodeId id) const { return piece_of_.count(id) != 0; }

 private:
  Result<NodeId> find(const std::string& name) const {
    std::vector<NodeId> found;
    for (const auto& [id, piece] : piece_of_) {
      if (is_called(index_, id, name)) found.push_back(id);
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) return Error{ErrorCode::kNotFound, "no operator is called " + quoted(name) + candidates(name)};
    std::vector<std::string> names;
    for (const NodeId id : found) {
      if (names.size() < kMostCandidates) names.push_back(own_name(index_, id, name));
    }
    return invalid_argument(std::to_string(found.size()) + " operators are called " + quoted(name) + ": name one of " +
                            joined(names, ", ") + (found.size() > names.size() ? ", …" : ""));
  }

  // Lists the nodes whose names contain the name, whatever their case; where there is none, the first ones.
  std::string candidates(const std::string& name) const {
    const std::string wanted = lower_case(name);
    std::vector<std::string> alike, first;
    for (const auto& [id, piece] : piece_of_) {
      const std::string own = node_name(index_, id);
      if (first.size() < kMostCandidates) first.push_back(own);
      const bool similar =
          lower_case(own).find(wanted) != std::string::npos || lower_case(place_name(index_, id)).find(wanted) == 0;
      if (similar && alike.size() < kMostCandidates) alike.push_back(own);
    }
    if (first.empty()) return "; it has no operators";
    return alike.empty() ? "; there are, for instance, " + joined(first, ", ") : "; perhaps " + joined(alike, ", ");
  }

  static std::string lower_case(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  }

  // The fewest operators that lead from one to the other; empty: none do.
  std::vector<NodeId> way_between(NodeId from, NodeId to) const {
    std::map<NodeId, NodeId> came_from{{from, from}};
    for (std::deque<NodeId> next{from}; !next.empty() && came_from.count(to) == 0; next.pop_front()) {
      for (const NodeId consumer : index_.consumers(next.front())) {
        if (came_from.emplace(consumer, next.front()).second) next.push_back(consumer);
      }
    }
    std::vector<NodeId> way;
    if (came_from.count(to) == 0) return way;
    for (NodeId id = to; id != from; id = came_from.at(id)) way.push_back(id);
    way.push_back(from);
    std::reverse(way.begin(), way.end());
    return way;
  }

  std::vector<FusionRejected> cuts_of(const std::vector<NodeId>& way) const {
    std::vector<FusionRejected> cuts;
    for (std::size_t i = 1; i < way.size(); ++i) {
      const auto cut = std::find_if(fusion_.rejected.begin(), fusion_.rejected.end(),
                                    [&](const FusionRejected& pair) { return pair.from == way[i - 1] && pair.to == way[i]; });
      if (cut != fusion_.rejected.end()) cuts.push_back(*cut);
    }
    return cuts;
  }

  std::string piece_text(NodeId id) const {
    const FusedOperation& piece = fusion_.operations[piece_of_.at(id)];
    return quoted(piece.name) + " (" + std::string(name_of(piece.pattern)) + ")";
  }

  std::string told_together(const WhyNot& answer, NodeId a) const {
    const std::string& prologue = fusion_.operations[piece_of_.at(a)].prologue;
    return quoted(answer.first) + " and " + quoted(answer.second) + " are fused: both are in the piece " + piece_text(a) + "." +
           (prologue.empty() ? std::string() : " In it " + prologue + ".") + told_shared(answer);
  }

  // Tells what was decided of an intermediate between the two that several pieces read.
  std::string told_shared(const WhyNot& answer) const {
    if (answer.path.size() != 2) return {};
    for (const SharedIntermediate& shared : fusion_.shared) {
      if (shared.producer == answer.path.front())
        return " " + std::to_string(shared.pieces) + " pieces read what " + quoted(shared.producer) + " makes: it is " +
               shared.reason + ".";
    }
    return {};
  }

  std::string told_apart(const WhyNot& answer, NodeId a, NodeId b) const {
    std::string text = quoted(answer.first) + " is in the piece " + piece_text(a) + " and " + quoted(answer.second) + " in " +
                       piece_text(b) + ". ";
    if (answer.path.empty()) {
      return text +
             "Neither reads what the other makes, not even through other operators, and only what follows each other is fused.";
    }
    const std::string& reader = answer.path.back() == answer.second ? answer.second : answer.first;
    const std::string& maker = &reader == &answer.second ? answer.first : answer.second;
    if (answer.path.size() == 2) {
      return text + quoted(reader) + " reads what " + quoted(maker) + " makes; they stayed apart because " +
             (answer.cuts.empty() ? "their pieces did" : answer.cuts.front().reason) + "." + told_shared(answer);
    }
    text += quoted(reader) + " reads what " + quoted(maker) + " makes only through " + between(answer.path) + "; on that way ";
    if (answer.cuts.empty()) text += "pieces stayed apart";
    for (std::size_t i = 0; i < std::min(kMostCutsTold, answer.cuts.size()); ++i) {
      const FusionRejected& cut = answer.cuts[i];
      text += (i == 0 ? "" : "; ") + quoted(cut.producer) + " and " + quoted(cut.consumer) + " stayed apart because " + cut.reason;
    }
    if (answer.cuts.size() > kMostCutsTold)
      text += "; and " + std::to_string(answer.cuts.size() - kMostCutsTold) + " more pairs did";
    return text + ".";
  }

  static std::string between(const std::vector<std::string>& path) {
    constexpr std::size_t kMostNamed = 4;
    if (path.size() - 2 > kMostNamed) return std::to_string(path.size() - 2) + " others";
    std::vector<std::string> names;
    for (std::size_t i = 1; i + 1 < path.size(); ++i) names.push_back(quoted(path[i]));
    return joined(names, ", ");
  }

  const FusionResult& fusion_;
  const GraphIndex index_;
  std::map<NodeId, std::size_t> piece_of_;
};

}  // namespace

Result<WhyNot> why_not_fused(const FusionResult& fusion, const std::string& first, const std::string& second) {
  return Explanation(fusion).of(first, second);
}

Result<WhyNot> why_not_fused(const FusionResult& fusion, NodeId first, NodeId second) {
  const Explanation explanation(fusion);
  if (first == second) return invalid_argument("it is one operator: name two");
  if (!explanation.knows(first) || !explanation.knows(second)) return invalid_argument("no output of the graph needs one of them");
  return explanation.of(first, second);
}

}  // namespace fuselab
