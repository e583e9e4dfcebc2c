// SPDX-License-Identifier: Apache-2.0
// What production runs from a bundle is what `exec` runs: the same outputs, bit by bit.
#include <fuselab_loader.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "app/deploy/export_decisions.h"
#include "app/deploy/export_subject.h"
#include "app/deploy/verify/verify_bundle.h"
#include "app/engine/execute/execute_subject.h"
#include "core/platform/files/atomic_file.h"
#include "core/tensor/npy.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

// Two contractions with an operation between them that neither can take, a weight of each, and an output beside the last.
constexpr const char* kTwoPieces =
    "graph(x: f32[24,32], w: param f32[32,48], g: param f32[48], v: param f32[48,16]) { "
    "a = MatMul(x, w); n = RMSNormalization(a, g, epsilon=1e-6); y = MatMul(n, v); return y, n }";

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Freed>;

Memory aligned(std::size_t bytes) {
  return Memory(std::aligned_alloc(64, (bytes / 64 + 1) * 64));
}

class Export : public EngineTest {
 protected:
  deploy::ExportSpec spec_of(const std::string& subject, const std::string& binding = "") const {
    deploy::ExportSpec spec;
    spec.subjects = {subject};
    if (!binding.empty()) spec.bindings = {binding};
    spec.file = folder_ / "model.fuselab";
    return spec;
  }

  // Runs the first subject at these extents, which the loader finds by the shapes of the inputs. Inputs are as `exec` makes them
  // where none are given; outputs by their names.
  std::map<std::string, std::vector<std::byte>> run_bundle(const deploy::ExportSpec& spec, const std::string& binding) {
    db::Trust trust(engine_->config().key_directory);
    const std::string key = trust.public_key_text().value(), path = spec.file.string();
    const char* const keys[] = {key.c_str()};
    fl_error error{};
    fl_bundle* bundle = nullptr;
    std::map<std::string, std::vector<std::byte>> outputs;
    EXPECT_EQ(fl_open(path.c_str(), keys, 1, FL_VERIFY_WEIGHTS, &bundle, &error), FL_OK) << error.message;
    if (bundle == nullptr) return outputs;
    auto subject = engine::resolve_subject(engine_->config(), spec.subjects[0], binding, DType::kF32);
    const Graph& graph = subject.value().front().graph;
    std::vector<Memory> held;
    std::vector<fl_tensor> given;
    std::vector<std::vector<std::int64_t>> shapes(graph.inputs().size());
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
      const Value& value = graph.value(graph.inputs()[i]);
      if (value.origin == ValueOrigin::kParam) continue;
      const auto tensor = engine::input_tensor(graph, i, {}, {}, nullptr, spec.seed);
      held.push_back(aligned(tensor.value().bytes.size()));
      std::memcpy(held.back().get(), tensor.value().bytes.data(), tensor.value().bytes.size());
      for (const Dim& extent : value.type.shape) shapes[i].push_back(extent.extent());
      given.push_back({value.name.c_str(), nullptr, shapes[i].size(), shapes[i].data(), tensor.value().bytes.size()});
    }
    std::size_t index = 0;
    EXPECT_EQ(fl_find_fitting(bundle, nullptr, given.data(), given.size(), &index, &error), FL_OK) << error.message;
    fl_context* context = nullptr;
    EXPECT_EQ(fl_context_create(bundle, index, nullptr, nullptr, &context, &error), FL_OK) << error.message;
    const fl_model* const model = fl_model_at(bundle, index);
    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_EQ(fl_bind_input(context, given[i].name, held[i].get(), given[i].bytes, &error), FL_OK) << error.message;
    for (std::size_t i = 0; i < model->output_count; ++i) {
      held.push_back(aligned(model->outputs[i].bytes));
      EXPECT_EQ(fl_bind_output(context, model->outputs[i].name, held.back().get(), model->outputs[i].bytes, &error), FL_OK);
    }
    // Twice: the second run finds the memory as the first left it.
    for (int run = 0; run < 2; ++run) EXPECT_EQ(fl_run(context, &error), FL_OK) << error.message;
    for (std::size_t i = 0; i < model->output_count; ++i) {
      const auto* const bytes = static_cast<const std::byte*>(held[held.size() - model->output_count + i].get());
      outputs[model->outputs[i].name].assign(bytes, bytes + model->outputs[i].bytes);
    }
    fl_context_destroy(context);
    fl_close(bundle);
    return outputs;
  }

  std::map<std::string, std::string> hashes_of_exec(const deploy::ExportSpec& spec, const std::string& binding) {
    engine::ExecuteSpec execute;
    execute.subject = spec.subjects[0];
    execute.binding = binding;
    execute.devices.only = {"cpu:0"};
    execute.fall_back = false;
    const auto executed = engine::execute_subject(*engine_, execute, {});
    EXPECT_TRUE(executed.ok()) << executed.error().message;
    std::map<std::string, std::string> hashes;
    if (!executed.ok()) return hashes;
    for (const auto& output : executed.value().front().outputs) hashes[output.name] = output.hash;
    return hashes;
  }

  deploy::ExportedBundle expect_same_as_exec(const deploy::ExportSpec& spec) {
    auto exported = deploy::export_subjects(*engine_, spec, {});
    EXPECT_TRUE(exported.ok()) << exported.error().message;
    if (!exported.ok()) return {};
    const auto bindings = deploy::extents_of(spec).value();
    for (const std::string& binding : bindings) {
      const auto hashes = hashes_of_exec(spec, binding);
      const auto outputs = run_bundle(spec, binding);
      EXPECT_EQ(outputs.size(), hashes.size());
      for (const auto& [name, bytes] : outputs) EXPECT_EQ(ContentHash::of(bytes).hex(), hashes.at(name)) << binding << ' ' << name;
    }
    return std::move(exported).value();
  }
};

TEST_F(Export, OfAWorkloadGivesWhatExecGives) {
  const auto done = expect_same_as_exec(spec_of("w3", "rows=37,cols=200"));
  EXPECT_EQ(done.defaults, 1) << "nothing was measured in this home";
  EXPECT_EQ(done.manifest.models.at(0).steps.size(), 1U);
}

TEST_F(Export, OfAModelOfSeveralPiecesGivesWhatExecGives) {
  const auto done = expect_same_as_exec(spec_of(kTwoPieces));
  EXPECT_GT(done.manifest.models.at(0).steps.size(), 1U);
  EXPECT_EQ(done.manifest.models.at(0).weights.size(), 3U);
}

// The weight p depends on the extents, w and v do not.
constexpr const char* kOpenRows =
    "graph(x: f32[n,64], p: param f32[n,1], w: param f32[64,192], v: param f32[192,16]) { "
    "a = MatMul(x, w); r = Relu(a); m = MatMul(r, v); y = Add(m, p); return y }";

TEST_F(Export, OfSeveralExtentsPacksWeightsOnceAndRunsEach) {
  deploy::ExportSpec spec = spec_of(kOpenRows, "n=5");
  const auto one = expect_same_as_exec(spec);
  spec.bindings = {"n=5", "n=96", "n=1"};
  const auto three = expect_same_as_exec(spec);
  ASSERT_EQ(three.manifest.models.size(), 3U);
  std::set<std::int64_t> of_w, of_p;
  for (const deploy::BundleModel& model : three.manifest.models) {
    for (const deploy::BundleWeight& weight : model.weights) (weight.name == "p" ? of_p : of_w).insert(weight.offset);
  }
  EXPECT_EQ(of_w.size(), 2U) << "w and v";
  EXPECT_EQ(of_p.size(), 3U) << "its size is another at each extents";
  EXPECT_LT(three.manifest.weights.bytes, one.manifest.weights.bytes + 1024);
  const auto verified = deploy::verify_bundle(*engine_, {.file = spec.file, .processes = 1, .seconds = 0.01}, {});
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  EXPECT_EQ(verified.value().runs.size(), 3U);
  EXPECT_FALSE(verified.value().has(deploy::PieceVerdict::kWrong) || verified.value().has(deploy::PieceVerdict::kFailed));
}

TEST_F(Export, RefusesExtentsThatAreGivenTwiceOrOfSeveralSubjects) {
  deploy::ExportSpec spec = spec_of(kOpenRows, "n=5");
  spec.bindings = {"n=5", "n=5"};
  EXPECT_EQ(deploy::export_subjects(*engine_, spec, {}).error().code, ErrorCode::kInvalidArgument);
  spec.bindings = {"n=5", "n=6"};
  spec.subjects.push_back("w3");
  EXPECT_EQ(deploy::export_subjects(*engine_, spec, {}).error().code, ErrorCode::kInvalidArgument);
}

// Untuned, `exec` takes instructions here that are no part of the level of x86-64 which the loader asks for.
TEST_F(Export, OfProductsOfWholeNumbersKeepsToTheLevelOfTheProcessor) {
  expect_same_as_exec(spec_of("graph(x: i32[16,32], w: param i32[32,64]) { y = MatMul(x, w); return y }"));
  expect_same_as_exec(
      spec_of("graph(x: u8[16,32], w: param i8[32,64]) { a = Cast(x, to=\"i32\"); b = Cast(w, to=\"i32\"); "
              "y = MatMul(a, b); return y }"));
}

// The rows i + one of w: the model computes its indices.
constexpr const char* kLookUp = "graph(i: i64[4], one: i64[1], w: param f32[3,2]) { j = Add(i, one); y = Gather(w, j); return y }";
constexpr std::int64_t kFar[4] = {1, 1000, -5000, 0};  // and what they are, plus one: the row 2, none, none, the row 1

TEST_F(Export, OfALookUpCountsComputedIndicesThatAreOutOfRange) {
  const deploy::ExportSpec spec = spec_of(kLookUp);
  const auto exported = deploy::export_subjects(*engine_, spec, {});
  ASSERT_TRUE(exported.ok()) << exported.error().message;
  db::Trust trust(engine_->config().key_directory);
  const std::string key = trust.public_key_text().value(), path = spec.file.string();
  const char* const keys[] = {key.c_str()};
  struct alignas(64) {
    std::int64_t i[8] = {kFar[0], kFar[1], kFar[2], kFar[3]}, one[8] = {1};
    float y[16] = {};
  } held;
  for (const unsigned flags : {0U, static_cast<unsigned>(FL_CHECK_INDICES)}) {
    fl_error error{};
    fl_bundle* bundle = nullptr;
    fl_context* context = nullptr;
    ASSERT_EQ(fl_open(path.c_str(), keys, 1, flags, &bundle, &error), FL_OK) << error.message;
    ASSERT_EQ(fl_context_create(bundle, 0, nullptr, nullptr, &context, &error), FL_OK) << error.message;
    ASSERT_EQ(fl_bind_input(context, "i", held.i, 32, &error), FL_OK) << error.message;
    ASSERT_EQ(fl_bind_input(context, "one", held.one, 8, &error), FL_OK) << error.message;
    ASSERT_EQ(fl_bind_output(context, "y", held.y, 32, &error), FL_OK) << error.message;
    EXPECT_EQ(fl_run(context, &error), flags == 0 ? FL_OK : FL_WRONG_INDEX);
    if (flags != 0) {
      EXPECT_THAT(error.message, HasSubstr("index -4999, which is out of range: there are 3 entries; met 2 times"));
    }
    EXPECT_EQ(fl_wrong_index_count(bundle), 2U);
    for (int column = 0; column < 2; ++column) EXPECT_EQ(held.y[2 + column], held.y[column]) << "the last row";
    fl_context_destroy(context);
    fl_close(bundle);
  }
}

TEST_F(Export, IsOfWhatExecRefusesWhereComputedIndicesAreOutOfRange) {
  const auto save = [&](const char* name, const TensorType& type, std::span<const std::int64_t> numbers) {
    const std::filesystem::path file = folder_ / name;
    EXPECT_TRUE(platform::write_file_atomically(file, write_npy(type, std::as_bytes(numbers)).value()).ok());
    return engine::TensorFiles{file};
  };
  constexpr std::int64_t kOne[] = {1};
  for (const char* const device : {"cpu:0", "openmp:0"}) {
    engine::ExecuteSpec spec;
    spec.subject = kLookUp;
    spec.devices.only = {device};
    spec.given.inputs["i"] = save("i.npy", {DType::kI64, {4}}, kFar);
    spec.given.inputs["one"] = save("one.npy", {DType::kI64, {1}}, kOne);
    spec.output_directory = folder_ / "out";
    const auto executed = engine::execute_subject(*engine_, spec, {});
    ASSERT_FALSE(executed.ok()) << device;
    EXPECT_EQ(executed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(executed.error().message,
                HasSubstr("index -4999 is out of range, there are 3 entries; such an index was met 2 times"));
    EXPECT_FALSE(std::filesystem::exists(spec.output_directory)) << "nothing is saved";
  }
}

TEST_F(Export, SaysWhatWasNeverMeasured) {
  deploy::ExportSpec spec = spec_of("w3", "rows=8,cols=64");
  spec.require_complete = true;
  const auto exported = deploy::export_subjects(*engine_, spec, {});
  ASSERT_FALSE(exported.ok());
  EXPECT_EQ(exported.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(exported.error().message, HasSubstr("never measured on cpu:0"));
  EXPECT_FALSE(std::filesystem::exists(spec.file));
}

TEST_F(Export, IsForProcessors) {
  deploy::ExportSpec spec = spec_of("w3", "rows=8,cols=64");
  spec.device = "null:0";
  const auto exported = deploy::export_subjects(*engine_, spec, {});
  ASSERT_FALSE(exported.ok());
  EXPECT_EQ(exported.error().code, ErrorCode::kUnsupported);
}

TEST_F(Export, GivesTheSameBytesTwice) {
  deploy::ExportSpec spec = spec_of("w3", "rows=8,cols=64");
  ASSERT_TRUE(deploy::export_subjects(*engine_, spec, {}).ok());
  const auto first = platform::read_file(spec.file, {1 << 26}).value();
  ASSERT_TRUE(deploy::export_subjects(*engine_, spec, {}).ok());
  EXPECT_EQ(platform::read_file(spec.file, {1 << 26}).value(), first);
}

// A bundle of another manifest around the same code, signed with the keys in this folder.
void write_again(const std::filesystem::path& file, const deploy::InspectedBundle& from, const std::filesystem::path& keys) {
  deploy::Bundle bundle;
  bundle.manifest = from.manifest;
  bundle.code = from.code;
  for (deploy::BundleKernel& kernel : bundle.manifest.kernels) kernel.source = bundle.keep_source("");
  db::Trust trust(keys);
  const Status written = deploy::write_bundle(file, bundle, trust);
  ASSERT_TRUE(written.ok()) << written.error().message;
}

TEST_F(Export, IsVerifiedByTheLoaderAndAgainstTheReference) {
  const deploy::ExportSpec spec = spec_of(kTwoPieces);
  ASSERT_TRUE(deploy::export_subjects(*engine_, spec, {}).ok());
  deploy::VerifySpec check;
  check.file = spec.file;
  check.processes = 1;
  check.seconds = 0.01;
  const auto verified = deploy::verify_bundle(*engine_, check, {});
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  const deploy::VerifiedBundle& found = verified.value();
  EXPECT_EQ(found.tuned + found.baseline, 0);
  EXPECT_EQ(found.untuned, static_cast<int>(found.bundle.manifest.models.at(0).steps.size()));
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_GT(found.runs[0].median.count, 0);
  ASSERT_EQ(found.pieces.size(), found.bundle.manifest.pieces.size());
  for (const deploy::VerifiedPiece& piece : found.pieces)
    EXPECT_EQ(piece.verdict, deploy::PieceVerdict::kNotCompared) << piece.name << ": " << piece.reason;
}

TEST_F(Export, WithAKernelThatComputesSomethingElseIsWrong) {
  const deploy::ExportSpec spec = spec_of("graph(x: f32[64]) { y = Relu(x); return y }");
  ASSERT_TRUE(deploy::export_subjects(*engine_, spec, {}).ok());
  db::Trust trust(engine_->config().key_directory);
  auto bundle = deploy::read_bundle(spec.file, trust).value();
  std::string& graph = bundle.manifest.pieces.at(0).graph;
  ASSERT_NE(graph.find("Relu"), std::string::npos) << graph;
  graph.replace(graph.find("Relu"), 4, "Neg");
  write_again(spec.file, bundle, engine_->config().key_directory);
  deploy::VerifySpec check;
  check.file = spec.file;
  const auto verified = deploy::verify_bundle(*engine_, check, {});
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  ASSERT_EQ(verified.value().pieces.size(), 1U);
  EXPECT_EQ(verified.value().pieces[0].verdict, deploy::PieceVerdict::kWrong) << verified.value().pieces[0].reason;
}

TEST_F(Export, OfAStrangerIsNotRun) {
  const deploy::ExportSpec spec = spec_of("w3", "rows=8,cols=64");
  ASSERT_TRUE(deploy::export_subjects(*engine_, spec, {}).ok());
  db::Trust trust(engine_->config().key_directory);
  write_again(spec.file, deploy::read_bundle(spec.file, trust).value(), folder_ / "another");
  deploy::VerifySpec check;
  check.file = spec.file;
  const auto verified = deploy::verify_bundle(*engine_, check, {});
  ASSERT_FALSE(verified.ok());
  EXPECT_EQ(verified.error().code, ErrorCode::kUntrusted);
}

}  // namespace
}  // namespace fuselab
