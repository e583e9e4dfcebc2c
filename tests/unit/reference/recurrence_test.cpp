// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN against numbers that ONNX Runtime 1.32 computed in f32 from the same operands.
#include <cmath>

#include "core/ops/recurrence.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::graph_of;
using test::inputs_of;
using test::near;

constexpr std::int64_t kSteps = 3, kBatch = 2, kWidth = 3, kHidden = 2;

struct RecurrenceCase {
  const char* name;
  Op op;
  std::string attributes;
  std::vector<double> expected;  // Y, and where there are more numbers, the other results behind it
};

const RecurrenceCase kRecurrences[] = {
    {"LstmPlain",
     Op::kLSTM,
     "",
     {-0.120399, 0.0845245, 0.0726631, -0.0865274, 0.00547441, 0.187082, -0.120546, 0.0129253, 0.0164086, -0.0873957, 0.0306191,
      -0.0248694}},
    {"LstmAll",
     Op::kLSTM,
     "direction=\"bidirectional\", operands=\"B sequence_lens initial_h initial_c P\"",
     {-0.0771246, 0.533584,  0.375306,   -0.0805639, 0.174502,  0.178228,  0.28255,   0.0928386,  -0.276982, 0.245886,
      0,          0,         -0.0762317, -0.0102647, 0,         0,         -0.229587, 0.160609,   0,         0,
      -0.128431,  0.170455,  0,          0,          -0.229587, 0.160609,  0.375306,  -0.0805639, 0.174502,  0.178228,
      0.28255,    0.0928386, -0.611916,  0.311521,   0.577091,  -0.238095, 0.335947,  0.217579,   0.967981,  0.108267}},
    {"LstmRev",
     Op::kLSTM,
     "direction=\"reverse\", operands=\"B initial_h initial_c\"",
     {-0.119597, 0.22763, -0.107004, 0.0800717, -0.191233, 0.179517, -0.0443917, 0.11193, -0.0945163, 0.50074, 0.4189, -0.0351293}},
    {"LstmRevLens",
     Op::kLSTM,
     "direction=\"reverse\", operands=\"sequence_lens\"",
     {-0.0879782, 0.0441629, 0.0726631, -0.0865274, 0.128529, -0.000224087, 0, 0, 0.00644009, -0.116686, 0, 0}},
    {"LstmClip",
     Op::kLSTM,
     "operands=\"B\", clip=0.25",
     {-0.0599047, 0.0600528, -0.0600528, 0.051176, -0.096735, 0.0859957, -0.0855612, 0.0859957, -0.09724, 0.0870063, -0.0782634,
      0.0972439}},
    {"LstmCoupled",
     Op::kLSTM,
     "operands=\"B P\", input_forget=1",
     {-0.118557, 0.171233, -0.0407603, 0.0417423, -0.275359, 0.247061, -0.119488, 0.233079, -0.250451, 0.146591, -0.368664,
      0.215827}},
    {"LstmActs",
     Op::kLSTM,
     "direction=\"bidirectional\", operands=\"B\", activations=\"HardSigmoid:0.3:0.4 ScaledTanh:1.5:0.6 Softsign Sigmoid Elu:0.7 "
     "Affine:0.8:0.1\"",
     {-0,        0.00986559, 0,         0.0183475, 0.257318,  0.259069,  0.333786,  0.242004,
      -0.158142, 0,          -0,        0,         0.0314098, 0.0715518, 0.298639,  0.271831,
      -0.106073, 0.0342678,  -0.166445, 0,         0.344166,  0.22232,   0.0908215, 0.0816198}},
    {"GruPlain",
     Op::kGRU,
     "",
     {0.188586, -0.343793, -0.178967, 0.286707, 0.00594394, -0.594854, 0.0680168, -0.212529, 0.203159, -0.102246, -0.413791,
      0.297775}},
    {"GruAll",
     Op::kGRU,
     "direction=\"bidirectional\", operands=\"B sequence_lens initial_h\"",
     {-0.401711, -0.259145, -0.0563369, 0.417041,  0.613478,   0.0825972, 0.495998,  0.690612,  -0.675716, -0.535905, 0,
      0,         0.151563,  -0.0726209, 0,         0,          -0.631464, -0.180749, 0,         0,         0.235439,  0.123756,
      0,         0,         -0.631464,  -0.180749, -0.0563369, 0.417041,  0.613478,  0.0825972, 0.495998,  0.690612}},
    {"GruLinear",
     Op::kGRU,
     "direction=\"bidirectional\", operands=\"B sequence_lens initial_h\", linear_before_reset=1",
     {-0.142954, -0.191045, 0.0516061, 0.447481, 0.657171,  -0.137378, 0.518355, 0.206586, -0.517489, -0.628723, 0, 0,
      0.221596,  -0.184544, 0,         0,        -0.465357, -0.267557, 0,        0,        0.283151,  0.0869248, 0, 0}},
    {"GruActs",
     Op::kGRU,
     "operands=\"B\", activations=\"Sigmoid LeakyRelu:0.2\"",
     {0.0886857, -0.115791, -0.155788, 0.379661, -0.0920733, -0.196463, 0.00429066, 0.0853719, -0.0744607, 0.136711, -0.245337,
      0.362815}},
    {"GruClip",
     Op::kGRU,
     "operands=\"B\", clip=0.25",
     {0.0878755, -0.115563, -0.137688, 0.107231, -0.0956525, -0.188284, -0.0258674, -0.0625005, -0.179566, 0.00138242, -0.149013,
      0.0875348}},
    {"RnnAll",
     Op::kRNN,
     "direction=\"bidirectional\", operands=\"B sequence_lens initial_h\", activations=\"Relu Tanh\"",
     {0.409271,  0.715775, 0, 0.677675, -0.945173, 0.71531, 0.607258, -0.968138, 0,         0,         0, 0,
      -0.164682, 0.791555, 0, 0,        0,         1.17207, 0,        0,         -0.434551, -0.641774, 0, 0}},
    {"RnnClip",
     Op::kRNN,
     "direction=\"reverse\", operands=\"B\", clip=0.3",
     {0.291313, 0.0233428, -0.291313, 0.291313, 0.0782162, -0.291313, 0.291313, 0.291313, -0.291313, 0.291313, -0.291313,
      0.191092}},
    {"RnnSoftplus",
     Op::kRNN,
     "activations=\"Softplus\"",
     {1.24516, 0.738197, 0.197388, 1.15951, 0.83735, 0.260645, 0.772907, 0.962699, 0.234428, 1.1198, 0.164438, 0.793351}},
    {"RnnThr",
     Op::kRNN,
     "activations=\"ThresholdedRelu:0.3\"",
     {0.905626, 0, 0, 0.783151, 0.838397, 0, 0.44022, 0.368233, 0, 0.571853, 0, 0}},
};

std::vector<double> waves(std::int64_t count, double seed) {
  std::vector<double> waves;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<double>(i);
    waves.push_back(static_cast<double>(static_cast<float>(0.9 * std::sin(seed + 1.3 * at + 0.01 * at * at))));
  }
  return waves;
}

// A graph with the operands that the attributes name, and their numbers.
struct RecurrenceModel {
  std::string text;
  std::vector<std::vector<double>> data;
};
RecurrenceModel model_of(const RecurrenceCase& each) {
  const std::int64_t directions = each.attributes.find("bidirectional") == std::string::npos ? 1 : 2;
  const std::int64_t gates = each.op == Op::kLSTM ? 4 : each.op == Op::kGRU ? 3 : 1;
  struct Operand {
    const char* name;
    std::vector<std::int64_t> extents;
    bool always;
  };
  const Operand kOperands[] = {{"X", {kSteps, kBatch, kWidth}, true},
                               {"W", {directions, gates * kHidden, kWidth}, true},
                               {"R", {directions, gates * kHidden, kHidden}, true},
                               {"B", {directions, 2 * gates * kHidden}, false},
                               {"sequence_lens", {kBatch}, false},
                               {"initial_h", {directions, kBatch, kHidden}, false},
                               {"initial_c", {directions, kBatch, kHidden}, false},
                               {"P", {directions, 3 * kHidden}, false}};
  RecurrenceModel model;
  std::string inputs, names;
  double seed = 0;
  for (const Operand& operand : kOperands) {
    const std::string name = operand.name;
    const bool is_lengths = name == "sequence_lens";
    seed += is_lengths ? 0 : 1;
    const std::string list = " " + each.attributes.substr(std::min(each.attributes.find("operands=") + 10, each.attributes.size()));
    const bool is_named = list.find(" " + name + " ") != std::string::npos || list.find(" " + name + "\"") != std::string::npos;
    if (!operand.always && !is_named) continue;
    std::int64_t count = 1;
    std::string extents;
    for (const std::int64_t extent : operand.extents) {
      count *= extent;
      extents += (extents.empty() ? "" : ",") + std::to_string(extent);
    }
    inputs += (inputs.empty() ? "" : ", ") + name + (is_lengths ? ": i32[" : ": f32[") + extents + "]";
    names += (names.empty() ? "" : ", ") + name;
    model.data.push_back(is_lengths ? std::vector<double>{kSteps, kSteps - 2} : waves(count, seed));
  }
  const std::string results = each.op == Op::kLSTM ? "y, h, c" : "y, h";
  model.text = "graph(" + inputs + ") { " + results + " = " + std::string(name_of(each.op)) + "(" + names +
               (each.attributes.empty() ? "" : ", " + each.attributes) + "); return " + results + " }";
  return model;
}

TEST(ReferenceRecurrence, IsWhatOnnxRuntimeComputes) {
  for (const RecurrenceCase& each : kRecurrences) {
    SCOPED_TRACE(each.name);
    const RecurrenceModel model = model_of(each);
    const Graph graph = graph_of(model.text);
    const auto outputs = evaluate_reference(graph, inputs_of(graph, model.data));
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    std::vector<double> made;
    for (const RealTensor& output : outputs.value()) made.insert(made.end(), output.data.begin(), output.data.end());
    ASSERT_GE(made.size(), each.expected.size());
    made.resize(each.expected.size());
    EXPECT_THAT(made, near(each.expected, 1e-5));
  }
}

// A bound that grew with the number of steps would leave nothing to check of a long sequence: with small weights it stays small,
// with large ones no larger than what the functions can give.
TEST(ReferenceRecurrence, ALongSequenceIsStillJudged) {
  const Graph graph =
      graph_of("graph(x: f32[200,1,16], w: param f32[1,256,16], r: param f32[1,256,64]) { y, h, c = LSTM(x, w, r); return y, c }");
  for (const bool is_small : {true, false}) {
    std::vector<std::vector<double>> data = {waves(200 * 16, 1), waves(256 * 16, 2), waves(256 * 64, 3)};
    for (double& each : data[2]) each *= is_small ? 0.125 : 4;
    const auto expected = expected_outputs(graph, inputs_of(graph, data), 1);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    const double most_of_y = is_small ? 1e4 : 8 * 0x1p24, most_of_c = is_small ? 1e5 : 40000 * 0x1p24;
    for (const double magnitude : expected.value()[0].magnitude) EXPECT_LT(magnitude, most_of_y);
    for (const double magnitude : expected.value()[1].magnitude) EXPECT_LT(magnitude, most_of_c);
  }
}

}  // namespace
}  // namespace fuselab
