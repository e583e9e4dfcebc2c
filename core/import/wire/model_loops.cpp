// SPDX-License-Identifier: Apache-2.0
// Loops whose trips are known while the model is read are written out, trip by trip. Any other is a barrier.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/import/wire/loop_limits.h"
#include "core/import/wire/model_import.h"
#include "core/import/wire/node_attributes.h"

namespace fuselab::onnx {
namespace {

constexpr int kDeepestBody = 32;
constexpr std::size_t kMostJoined = 256;  // values that one Concat reads; more are joined in two steps

// The nodes of a body, those of bodies within it included. Bodies lie at most some twenty deep.
std::int64_t nodes_in(const GraphProto& body) {
  std::int64_t count = body.node_size();
  for (const auto& node : body.node()) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) count += nodes_in(attribute.g());
    }
  }
  return count;
}

// What each trip copies of the file, about: names may be as long as the file.
std::int64_t bytes_of_nodes(const GraphProto& body) {
  std::int64_t bytes = 0;
  for (const auto& node : body.node()) {
    if (node.op_type() != "Constant") bytes += static_cast<std::int64_t>(node.ByteSizeLong());
  }
  for (const auto& info : body.input()) bytes += static_cast<std::int64_t>(info.name().size());
  return bytes;
}

KnownTensor single(DType dtype, std::int64_t number) {
  KnownTensor known;
  known.dtype = dtype;
  known.integers.emplace_back(number);
  return known;
}

std::shared_ptr<Tensor> tensor_of(KnownTensor known) {
  Tensor tensor;
  tensor.type = TensorType{known.dtype, Shape(known.shape.begin(), known.shape.end())};
  tensor.known = std::move(known);
  return std::make_shared<Tensor>(std::move(tensor));
}

// Returns the plain number of a tensor that holds one; nothing where it is not known.
std::optional<std::int64_t> number_in(const Tensor& tensor) {
  const auto numbers = tensor.known ? tensor.known->plain_integers() : std::nullopt;
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

// The numbers of all parts one behind the other; nothing where they are too many, or not known.
std::optional<KnownTensor> stacked_numbers(const std::vector<std::shared_ptr<Tensor>>& parts) {
  KnownTensor all;
  for (const auto& part : parts) {
    if (!part->known) return std::nullopt;
    const KnownTensor& own = *part->known;
    if (all.shape.empty()) all.dtype = own.dtype, all.shape.push_back(std::ssize(parts));
    if (all.shape.size() == 1) all.shape.insert(all.shape.end(), own.shape.begin(), own.shape.end());
    all.integers.insert(all.integers.end(), own.integers.begin(), own.integers.end());
    all.reals.insert(all.reals.end(), own.reals.begin(), own.reals.end());
    if (all.size() > KnownTensor::kMaxElements) return std::nullopt;
  }
  return all;
}

}  // namespace

const GraphProto* ModelImport::loop_to_write_out(const NodeProto& node) const {
  if (node.op_type() != "Loop" || !is_standard(node.domain()) || scope_.opset == 0 ||
      !attribute_beyond_onnx(node, scope_.opset, kLoopAttributes).empty())
    return nullptr;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "body" && attribute.has_g()) return &attribute.g();
  }
  return nullptr;
}

Status ModelImport::check_loop(const NodeProto& node, const GraphProto& body) const {
  const int carried = std::max(0, node.input_size() - 2);
  if (body.input_size() != carried + 2) {
    return invalid_argument("its body has " + std::to_string(body.input_size()) + " inputs, and needs " +
                            std::to_string(carried + 2) + ": the trip, the condition and what it carries from trip to trip");
  }
  if (body.output_size() < carried + 1 || node.output_size() > body.output_size() - 1) {
    return invalid_argument("has " + std::to_string(node.output_size()) + " outputs and carries " + std::to_string(carried) +
                            " values, and its body has " + std::to_string(body.output_size()) + " outputs");
  }
  for (int i = 2; i < node.input_size(); ++i) {
    if (node.input(i).empty()) return invalid_argument("lacks operand " + std::to_string(i));
  }
  return Status();
}

ModelImport::KnownLoop ModelImport::known_loop(const NodeProto& node, const GraphProto& body) const {
  KnownLoop loop;
  loop.body = &body;
  loop.trips = kMostTrips + 1;
  loop.has_count = node.input_size() > 0 && !node.input(0).empty();
  if (loop.has_count) {
    const auto count = number_in(*find(node.input(0)));
    if (!count) loop.because = "how often it runs is computed, or follows from extents that are open";
    loop.trips = std::max<std::int64_t>(0, count.value_or(0));
  }
  if (node.input_size() > 1 && !node.input(1).empty()) {
    loop.condition = scope_.tensors.at(node.input(1));
    const auto starts = number_in(*loop.condition);
    if (!starts) loop.because = "whether it runs at all is computed";
    if (starts == 0) loop.trips = 0;
  } else if (!loop.has_count) {
    loop.because = "nothing ends it: it has neither a number of trips nor a condition";
  }
  // Exporters write a loop that its condition ends with a number of trips that nothing reaches.
  if (loop.has_count && loop.condition && loop.trips == std::numeric_limits<std::int64_t>::max()) {
    loop.has_count = false;
    loop.trips = kMostTrips + 1;
  }
  return loop;
}

std::string ModelImport::too_large(const KnownLoop& loop) const {
  if (!loop.has_count || loop.trips == 0) return "";
  if (loop.trips > kMostTrips)
    return "its " + std::to_string(loop.trips) + " trips are more than the " + std::to_string(kMostTrips) + " that are written out";
  const std::int64_t room = kMostUnrolledNodes - (loops_ > 0 ? unrolled_before_ : unrolled_);
  const std::int64_t size = std::max<std::int64_t>(1, nodes_in(*loop.body));
  if (trips_around_ <= room / size / loop.trips) return "";
  return "written out, its trips would be more than the " + std::to_string(kMostUnrolledNodes) +
         " nodes that the loops of a model may become";
}

Error ModelImport::give_up_loops() {
  refused_ = "written out, its trips and those of the loops within it would be more than the " +
             std::to_string(kMostUnrolledNodes) + " nodes that the loops of a model may become";
  return invalid_argument(refused_);
}

Status ModelImport::import_loop(const NodeProto& node, const GraphProto& body) {
  FL_TRY_VOID(check_loop(node, body));
  const KnownLoop loop = known_loop(node, body);
  if (!loop.because.empty()) return keep_opaque(node, loop.because);
  if (std::string because = too_large(loop); !because.empty()) {
    if (loops_ > 0) return give_up_loops();
    return keep_opaque(node, because);
  }
  const Attempt attempt = begin_attempt();
  if (loops_++ == 0) unrolled_before_ = unrolled_;
  if (loop.has_count) trips_around_ *= std::max<std::int64_t>(1, loop.trips);
  auto written = unroll(node, loop);
  if (written.ok() && written.value().empty()) {
    loops_ = attempt.loops;
    trips_around_ = attempt.trips_around;
    ++result_.imported.loops;
    keep(attempt);
    return Status();
  }
  const bool outermost = attempt.loops == 0;
  if (!written.ok() && (refused_.empty() || !outermost)) return written.error();
  take_back(attempt);
  return keep_opaque(node, written.ok() ? written.value() : std::exchange(refused_, ""));
}

Result<std::string> ModelImport::unroll(const NodeProto& node, const KnownLoop& loop) {
  if (scope_.branches == kDeepestBody)
    return invalid_argument("lies within " + std::to_string(kDeepestBody) + " others of its kind");
  const std::size_t made_before = scope_.made.size();
  const std::size_t first_value = graph().values().size();
  const std::string path = scope_.path;
  const int position = scope_.position;
  const std::string label = shown(node.name().empty() ? node.output(0) : node.name()) + "/";
  std::vector<std::shared_ptr<Tensor>> carried;
  for (int i = 2; i < node.input_size(); ++i) carried.push_back(scope_.tensors.at(node.input(i)));
  std::vector<Collected> collected(static_cast<std::size_t>(loop.body->output_size() - 1) - carried.size());
  ++scope_.branches;
  scope_.path = path + label;
  FL_TRY_VOID(declare_initializers(*loop.body));
  FL_TRY_VOID(declare_sparse_initializers(*loop.body));
  FL_TRY_VOID(import_nodes(loop.body->node(), Which::kConstants));
  std::shared_ptr<Tensor> condition = loop.condition;
  bool goes_on = loop.trips > 0;
  const std::int64_t bytes = goes_on ? bytes_of_nodes(*loop.body) : 0;
  for (std::int64_t trip = 0; goes_on && trip < loop.trips; ++trip) {
    if (trip == kMostTrips) return "it does not end within the " + std::to_string(kMostTrips) + " trips that are written out";
    if ((unrolled_bytes_ += bytes) > kMostUnrolledBytes) return give_up_loops();
    const std::size_t made_in_trip = scope_.made.size();
    scope_.path = path + label + std::to_string(trip) + "/";
    ++result_.imported.trips;
    FL_TRY_VOID(enter_trip(loop, trip, condition, carried));
    FL_TRY_VOID(import_nodes(loop.body->node(), Which::kOthers));
    FL_TRY_VOID(leave_trip(loop, condition, carried, collected));
    forget_names(made_in_trip);
    if (!loop.condition) continue;
    const auto known = number_in(*condition);
    if (!known) return std::string("whether it goes on is computed by its body");
    goes_on = *known != 0;
  }
  --scope_.branches;
  scope_.path = path;
  scope_.position = position;
  forget_names(made_before);
  return define_loop(node, std::move(carried), collected, first_value);
}

Status ModelImport::enter_trip(const KnownLoop& loop, std::int64_t trip, const std::shared_ptr<Tensor>& condition,
                               const std::vector<std::shared_ptr<Tensor>>& carried) {
  std::vector<std::shared_ptr<Tensor>> given{tensor_of(single(DType::kI64, trip)),
                                             condition ? condition : tensor_of(single(DType::kBool, 1))};
  given.insert(given.end(), carried.begin(), carried.end());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = loop.body->input(static_cast<int>(i)).name();
    if (!scope_.tensors.emplace(name, std::move(given[i])).second)
      return invalid_argument("its body's input '" + shown(name) + "' is there twice, or shadows a name of the graph around it");
    scope_.made.push_back(name);
  }
  return Status();
}

Status ModelImport::leave_trip(const KnownLoop& loop, std::shared_ptr<Tensor>& condition,
                               std::vector<std::shared_ptr<Tensor>>& carried, std::vector<Collected>& collected) {
  std::vector<std::shared_ptr<Tensor>> results;
  for (const auto& output : loop.body->output()) {
    const auto made = scope_.tensors.find(output.name());
    if (made == scope_.tensors.end())
      return invalid_argument("its body makes nothing called '" + shown(output.name()) + "', which is its output");
    results.push_back(made->second);
  }
  if (loop.condition) condition = results.front();
  for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = results[i + 1];
  for (std::size_t i = 0; i < collected.size(); ++i) {
    const auto& part = results[i + 1 + carried.size()];
    if (!part->value && part->label.empty())
      part->label = own_name(loop.body->output(static_cast<int>(i + 1 + carried.size())).name());
    collected[i].push_back(part);
  }
  return Status();
}

Result<std::string> ModelImport::define_loop(const NodeProto& node, std::vector<std::shared_ptr<Tensor>> carried,
                                             const std::vector<Collected>& collected, std::size_t first_value) {
  std::vector<std::shared_ptr<Tensor>> results = std::move(carried);
  const std::size_t count = results.size();
  for (int i = static_cast<int>(count); i < node.output_size(); ++i) {
    if (node.output(i).empty() || !is_read(node.output(i))) {
      results.push_back(nullptr);
      continue;
    }
    const Collected& parts = collected[static_cast<std::size_t>(i) - count];
    if (parts.empty()) return std::string("it makes no trip, and what it collects is empty");
    auto whole = stacked(parts);
    if (whole == nullptr) return std::string("what it collects from its trips does not fit together");
    results.push_back(std::move(whole));
  }
  for (int i = 0; i < node.output_size(); ++i) {
    const auto& result = results[static_cast<std::size_t>(i)];
    if (result == nullptr || node.output(i).empty()) continue;
    if (result->value && index_of(*result->value) >= first_value && graph().value(*result->value).producer)
      graph().set_value_name(*result->value, own_name(node.output(i)));
    FL_TRY_VOID(adopt(node.output(i), result));
  }
  return std::string();
}

std::shared_ptr<Tensor> ModelImport::stacked(const Collected& parts) {
  const bool fit =
      std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return part->type && *part->type == *parts.front()->type; });
  if (!fit) return nullptr;
  if (auto numbers = stacked_numbers(parts)) return tensor_of(*std::move(numbers));
  std::vector<ValueId> values;
  for (const auto& part : parts) {
    if (!part->value) materialized_.push_back(part);
    const auto row = graph().add_node(Op::kUnsqueeze, {value_of(*part, part->label)}, {{"axes", std::vector<std::int64_t>{0}}});
    if (!row.ok()) return nullptr;
    values.push_back(graph().node(row.value()).outputs.front());
  }
  while (values.size() > 1) {
    std::vector<ValueId> joined;
    for (std::size_t first = 0; first < values.size(); first += kMostJoined) {
      const std::size_t last = std::min(values.size(), first + kMostJoined);
      const auto rows = graph().add_node(
          Op::kConcat, {values.begin() + static_cast<std::ptrdiff_t>(first), values.begin() + static_cast<std::ptrdiff_t>(last)},
          {{"axis", std::int64_t{0}}});
      if (!rows.ok()) return nullptr;
      joined.push_back(graph().node(rows.value()).outputs.front());
    }
    values = std::move(joined);
  }
  result_.nodes += parts.size() > 1 ? 1 : 0;
  Tensor whole;
  whole.value = values.front();
  whole.type = graph().type(values.front());
  return std::make_shared<Tensor>(std::move(whole));
}

}  // namespace fuselab::onnx
