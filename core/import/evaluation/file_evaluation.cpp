// SPDX-License-Identifier: Apache-2.0
#include "core/import/evaluation/file_evaluation.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "core/import/evaluation/call.h"
#include "core/import/wire/node_names.h"

namespace fuselab::onnx {
namespace {

using Held = std::shared_ptr<const Array>;

const EvaluatorTable& evaluators() {
  static const EvaluatorTable kTable = [] {
    EvaluatorTable table;
    for (void (*const add)(EvaluatorTable&) :
         {add_elementwise, add_constants, add_movement, add_indexed, add_reductions, add_products, add_windows, add_normalizations,
          add_recurrences, add_quantized, add_integer_products, add_contributed})
      add(table);
    return table;
  }();
  return kTable;
}

// NamedArrays and what they stand for: in a graph, in a body, which sees those around it, or in a function, which does not.
struct NamedArrays {
  const NamedArrays* around = nullptr;
  std::unordered_map<std::string, Held> held;
  std::int64_t counted = 0;  // numbers of those that the evaluation counts

  Held find(const std::string& name) const {
    for (const NamedArrays* names = this; names != nullptr; names = names->around) {
      if (const auto found = names->held.find(name); found != names->held.end()) return found->second;
    }
    return nullptr;
  }
};

std::int32_t code_of(DType dtype) {
  for (std::int32_t code = 1; code < 32; ++code) {
    if (dtype_of_code(code) == dtype) return code;
  }
  return 1;
}

bool is_single(const Held& array) {
  return array != nullptr && array->count() == 1;
}

class Evaluation {
 public:
  Evaluation(const ModelProto& model, const ModelFolder& folder, const std::map<std::string, RealTensor>& given)
      : model_(model), files_(folder), given_(given) {
    for (const auto& opset : model.opset_import()) {
      if (is_standard(opset.domain())) opset_ = static_cast<int>(std::min<std::int64_t>(opset.version(), 1000));
    }
  }

  Result<std::vector<RealTensor>> run() {
    NamedArrays names;
    const GraphProto& graph = model_.graph();
    for (const auto& input : graph.input()) {
      if (const auto found = given_.find(shown(input.name())); found != given_.end())
        FL_TRY_VOID(keep(input.name(), held(found->second), names));
    }
    FL_TRY_VOID(declare(graph, names));
    FL_TRY_VOID(run_nodes(graph.node(), names, needed(graph), last_reads(graph)));
    std::vector<RealTensor> outputs;
    for (const auto& output : graph.output()) {
      const Held array = names.find(output.name());
      if (array == nullptr) return invalid_argument("nothing makes the output '" + shown(output.name()) + "'");
      outputs.push_back(
          {{dtype_of_code(array->type).value_or(DType::kF32), Shape(array->shape.begin(), array->shape.end())}, array->data});
    }
    return outputs;
  }

 private:
  static Held held(const RealTensor& tensor) {
    return std::make_shared<Array>(Array{extents_of(tensor.type.shape), tensor.data, code_of(tensor.type.dtype)});
  }

  Status declare(const GraphProto& graph, NamedArrays& names) {
    for (const TensorProto& initializer : graph.initializer()) {
      if (names.held.contains(initializer.name())) continue;  // a weight that was given
      auto array = read(initializer, initializer.name());
      if (!array.ok()) return array.error().within("weight '" + shown(initializer.name()) + "'");
      FL_TRY_VOID(keep(initializer.name(), std::move(array).value(), names));
    }
    if (graph.sparse_initializer_size() > 0) return Error{ErrorCode::kUnsupported, "it has sparse weights"};
    return {};
  }

  // A weight of that name: one that was given or invented, or of the file, or of a file beside it.
  Result<Held> read(const TensorProto& tensor, const std::string& name) {
    if (const auto other = given_.find(shown(name)); other != given_.end()) return held(other->second);
    if (tensor.data_location() == 1) {
      const auto dtype = dtype_of_code(tensor.data_type());
      if (!dtype) return Error{ErrorCode::kUnsupported, "has numbers of the type " + std::to_string(tensor.data_type())};
      const TensorType type{*dtype, Shape(tensor.dims().begin(), tensor.dims().end())};
      FL_TRY([[maybe_unused]] const auto few, files_.read(tensor, type));
      const auto bytes = files_.bytes(tensor, type);
      if (!bytes) return Error{ErrorCode::kUnsupported, "its numbers are not in the file"};
      TensorProto own;
      own.set_data_type(tensor.data_type());
      *own.mutable_dims() = tensor.dims();
      own.set_raw_data(bytes->data(), bytes->size());
      FL_TRY(Array array, array_of(own));
      return Held(std::make_shared<Array>(std::move(array)));
    }
    FL_TRY(Array array, array_of(tensor));
    return Held(std::make_shared<Array>(std::move(array)));
  }

  // Returns by node the names that nothing behind it reads. Those of bodies go with their body.
  static std::vector<std::vector<std::string>> last_reads(const GraphProto& graph) {
    std::unordered_map<std::string, int> last;
    for (int i = 0; i < graph.node_size(); ++i) {
      std::vector<std::string> read(graph.node(i).input().begin(), graph.node(i).input().end());
      append_body_names(graph.node(i), read);
      for (std::string& name : read) last[std::move(name)] = i;
    }
    for (const auto& output : graph.output()) last.erase(output.name());
    std::vector<std::vector<std::string>> by_node(static_cast<std::size_t>(graph.node_size()));
    for (const auto& [name, node] : last) by_node[static_cast<std::size_t>(node)].push_back(name);
    return by_node;
  }

  Status keep(const std::string& name, Held array, NamedArrays& names) {
    if (name.empty()) return {};  // nobody can read it
    live_ += array->count();
    names.counted += array->count();
    if (live_ > kMostLive) return Error{ErrorCode::kUnsupported, "the graph's tensors take more than 2 GiB in float64"};
    names.held[name] = std::move(array);
    return {};
  }

  // Returns by node whether an output of the list needs it: what no output needs may be anything.
  template <typename Outputs, typename NameOf>
  static std::vector<bool> needed(const Nodes& nodes, const Outputs& outputs, NameOf name_of) {
    std::unordered_set<std::string> read;
    for (const auto& output : outputs) read.insert(name_of(output));
    std::vector<bool> is_needed(static_cast<std::size_t>(nodes.size()));
    for (int i = nodes.size(); i-- > 0;) {
      const NodeProto& node = nodes[i];
      const bool live = std::any_of(node.output().begin(), node.output().end(),
                                    [&](const std::string& name) { return !name.empty() && read.contains(name); });
      is_needed[static_cast<std::size_t>(i)] = live;
      if (!live) continue;
      std::vector<std::string> names(node.input().begin(), node.input().end());
      append_body_names(node, names);
      read.insert(names.begin(), names.end());
    }
    return is_needed;
  }
  static std::vector<bool> needed(const GraphProto& graph) {
    return needed(graph.node(), graph.output(), [](const ValueInfoProto& output) { return output.name(); });
  }

  Status run_nodes(const Nodes& nodes, NamedArrays& names, const std::vector<bool>& is_needed,
                   const std::vector<std::vector<std::string>>& done_with = {}) {
    for (int i = 0; i < nodes.size(); ++i) {
      if (!is_needed[static_cast<std::size_t>(i)]) continue;
      const NodeProto& node = nodes[i];
      const Status done = run_node(node, names);
      for (const std::string& name : done_with.empty() ? std::vector<std::string>() : done_with[static_cast<std::size_t>(i)]) {
        const auto found = names.held.find(name);
        if (found == names.held.end()) continue;
        live_ -= found->second->count();
        names.counted -= found->second->count();
        names.held.erase(found);
      }
      if (done.ok()) continue;
      const std::string label = node.name().empty() ? op_name(node) : "node '" + shown(node.name()) + "' (" + op_name(node) + ")";
      return located_ ? done : (located_ = true, Status(done.error().within(label)));
    }
    return {};
  }

  // Requires an output: what no output needs is not run.
  Status run_node(const NodeProto& node, NamedArrays& names) {
    std::vector<Held> kept;
    std::vector<const Array*> operands;
    for (const std::string& input : node.input()) {
      kept.push_back(input.empty() ? nullptr : names.find(input));
      if (!input.empty() && kept.back() == nullptr)
        return Error{ErrorCode::kUnsupported, "reads '" + shown(input) + "', which nothing gave"};
      operands.push_back(kept.back().get());
    }
    while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
    // A constant that was given, or random numbers that were made.
    if (const auto other = given_.find(shown(node.output(0))); node.input_size() == 0 && other != given_.end())
      return keep(node.output(0), held(other->second), names);
    if (const FunctionProto* const function = function_of(node)) return run_function(node, *function, kept, names);
    if (is_standard(node.domain()) && node.op_type() == "If") return run_if(node, kept, names);
    if (is_standard(node.domain()) && node.op_type() == "Loop") return run_loop(node, kept, names);
    const bool standard = is_standard(node.domain());
    const auto found = evaluators().find(standard ? node.op_type() : node.domain() + "." + node.op_type());
    if (node.op_type().find('.') != std::string::npos || found == evaluators().end())
      return Error{ErrorCode::kUnsupported, "the operator is not known to the evaluation"};
    if (!node.attribute().empty() && std::any_of(node.attribute().begin(), node.attribute().end(),
                                                 [](const AttributeProto& each) { return !each.ref_attr_name().empty(); }))
      return Error{ErrorCode::kUnsupported, "takes an attribute of a function's call"};
    const Call call(node, opset_, operands);
    flops_ += flops_of(call) + 1000;  // a node of few numbers takes time, too
    if (flops_ > kMostFlops) return too_long();
    if (node.op_type() == "Constant" && call.attribute("value") != nullptr && call.attribute("value")->t().data_location() == 1) {
      FL_TRY(Held array, read(call.attribute("value")->t(), node.output(0)));
      return keep(node.output(0), std::move(array), names);
    }
    FL_TRY(std::vector<Array> results, found->second(call));
    for (const Array& result : results) flops_ += static_cast<double>(result.count());
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      if (static_cast<std::size_t>(i) >= results.size()) break;  // nobody may read it: that is found where it is read
      FL_TRY_VOID(keep(node.output(i), std::make_shared<Array>(std::move(results[static_cast<std::size_t>(i)])), names));
    }
    return {};
  }

  const FunctionProto* function_of(const NodeProto& node) const {
    for (const FunctionProto& function : model_.functions()) {
      if (function.name() == node.op_type() && function.domain() == node.domain() && function.overload() == node.overload())
        return &function;
    }
    return nullptr;
  }

  Status run_function(const NodeProto& node, const FunctionProto& function, const std::vector<Held>& operands, NamedArrays& names) {
    if (++depth_ > 32) return Error{ErrorCode::kUnsupported, "calls functions too deep"};
    NamedArrays own;
    for (int i = 0; i < function.input_size() && static_cast<std::size_t>(i) < operands.size(); ++i) {
      if (operands[static_cast<std::size_t>(i)] != nullptr) own.held[function.input(i)] = operands[static_cast<std::size_t>(i)];
    }
    const int outer = opset_;
    for (const auto& opset : function.opset_import()) {
      if (is_standard(opset.domain())) opset_ = static_cast<int>(std::min<std::int64_t>(opset.version(), 1000));
    }
    const Status done =
        run_nodes(function.node(), own, needed(function.node(), function.output(), [](const std::string& name) { return name; }));
    opset_ = outer;
    --depth_;
    live_ -= own.counted;
    FL_TRY_VOID(done);
    for (int i = 0; i < node.output_size() && i < function.output_size(); ++i)
      names.held[node.output(i)] = own.find(function.output(i));
    return {};
  }

  static const GraphProto* body_of(const NodeProto& node, const char* name) {
    for (const AttributeProto& attribute : node.attribute()) {
      if (attribute.name() == name && attribute.has_g()) return &attribute.g();
    }
    return nullptr;
  }

  Result<std::vector<Held>> run_body(const GraphProto& body, NamedArrays& names) {
    if (++depth_ > 32) return Error{ErrorCode::kUnsupported, "nests graphs too deep"};
    FL_TRY_VOID(declare(body, names));
    FL_TRY_VOID(run_nodes(body.node(), names, needed(body)));
    --depth_;
    live_ -= names.counted;
    names.counted = 0;
    flops_ += 1000;  // a trip of an empty body takes time, too
    if (flops_ > kMostFlops) return too_long();
    std::vector<Held> results;
    for (const auto& output : body.output()) {
      results.push_back(names.find(output.name()));
      if (results.back() == nullptr) return invalid_argument("has a body that does not make '" + shown(output.name()) + "'");
    }
    return results;
  }

  Status run_if(const NodeProto& node, const std::vector<Held>& operands, NamedArrays& names) {
    if (operands.size() != 1 || !is_single(operands[0])) return invalid_argument("has a condition that is no single bool");
    const GraphProto* const body = body_of(node, operands[0]->data[0] != 0 ? "then_branch" : "else_branch");
    if (body == nullptr) return invalid_argument("lacks a branch");
    NamedArrays own{&names, {}};
    FL_TRY(const std::vector<Held> results, run_body(*body, own));
    for (int i = 0; i < node.output_size() && static_cast<std::size_t>(i) < results.size(); ++i)
      FL_TRY_VOID(keep(node.output(i), results[static_cast<std::size_t>(i)], names));
    return {};
  }

  Status run_loop(const NodeProto& node, const std::vector<Held>& operands, NamedArrays& names) {
    constexpr std::int64_t kMostTrips = 100'000;
    const GraphProto* const body = body_of(node, "body");
    if (body == nullptr || body->input_size() < 2 || operands.size() < 2) return invalid_argument("lacks a body that fits");
    const bool counted = operands[0] != nullptr;
    if ((counted && !is_single(operands[0])) || (operands[1] != nullptr && !is_single(operands[1])))
      return invalid_argument("has bounds that are no single numbers");
    const std::int64_t trips = counted ? whole(operands[0]->data[0]) : kMostTrips + 1;
    bool goes_on = operands[1] == nullptr || operands[1]->data[0] != 0;
    std::vector<Held> carried(operands.begin() + 2, operands.end());
    if (static_cast<std::size_t>(body->input_size()) != carried.size() + 2 ||
        static_cast<std::size_t>(body->output_size()) < carried.size() + 1)
      return invalid_argument("has a body that does not fit its operands");
    std::vector<std::vector<Held>> collected(static_cast<std::size_t>(body->output_size()) - carried.size() - 1);
    for (std::int64_t trip = 0; trip < trips && goes_on; ++trip) {
      if (trip >= kMostTrips) return Error{ErrorCode::kUnsupported, "takes more than 100,000 trips"};
      NamedArrays own{&names, {}};
      own.held[body->input(0).name()] = std::make_shared<Array>(Array{{}, {static_cast<double>(trip)}, 7});
      own.held[body->input(1).name()] = std::make_shared<Array>(Array{{}, {1.0}, 9});
      for (std::size_t i = 0; i < carried.size(); ++i) own.held[body->input(static_cast<int>(i) + 2).name()] = carried[i];
      FL_TRY(const std::vector<Held> results, run_body(*body, own));
      if (!is_single(results[0])) return invalid_argument("has a condition that is no single bool");
      goes_on = results[0]->data[0] != 0;
      std::copy_n(results.begin() + 1, carried.size(), carried.begin());
      for (std::size_t i = 0; i < collected.size(); ++i) collected[i].push_back(results[carried.size() + 1 + i]);
    }
    for (int i = 0; i < node.output_size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (node.output(i).empty()) continue;
      if (at < carried.size()) {
        if (carried[at] == nullptr) return invalid_argument("carries nothing out");
        FL_TRY_VOID(keep(node.output(i), carried[at], names));
      } else if (at - carried.size() < collected.size()) {
        FL_TRY(Held all, stacked(collected[at - carried.size()]));
        FL_TRY_VOID(keep(node.output(i), std::move(all), names));
      }
    }
    return {};
  }

  static Result<Held> stacked(const std::vector<Held>& parts) {
    if (parts.empty()) return Error{ErrorCode::kUnsupported, "collects nothing, of an extent that is not known"};
    Array all{parts.front()->shape, {}, parts.front()->type};
    all.shape.insert(all.shape.begin(), static_cast<std::int64_t>(parts.size()));
    FL_TRY([[maybe_unused]] const std::int64_t count, count_of(all.shape));
    for (const Held& part : parts) {
      if (part->shape != parts.front()->shape) return invalid_argument("collects tensors of several shapes");
      all.data.insert(all.data.end(), part->data.begin(), part->data.end());
    }
    return Held(std::make_shared<Array>(std::move(all)));
  }

  static Error too_long() {
    return {ErrorCode::kUnsupported, "the graph takes more than 20 GFLOP, the most that an evaluation may"};
  }

  static constexpr double kMostFlops = 20e9;
  static constexpr std::int64_t kMostLive = std::int64_t{1} << 28;  // numbers

  const ModelProto& model_;
  ExternalFiles files_;
  const std::map<std::string, RealTensor>& given_;
  int opset_ = 1;
  int depth_ = 0;
  double flops_ = 0;
  std::int64_t live_ = 0;  // numbers of all tensors that have names; one with two names counts twice
  bool located_ = false;   // an error names its node already
};

}  // namespace

Result<std::vector<RealTensor>> evaluate_graph(const ModelProto& model, const ModelFolder& folder,
                                               const std::map<std::string, RealTensor>& given) {
  return Evaluation(model, folder, given).run();
}

}  // namespace fuselab::onnx
