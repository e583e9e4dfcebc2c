// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "core/platform/files/atomic_file.h"
#include "tests/unit/loader/bundle_writer.h"

extern "C" {
#include "resources/loader/bundle.h"
}

namespace fuselab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct alignas(64) Row {
  float values[kFloats];
};

Row numbers(float first) {
  Row row{};
  for (std::size_t i = 0; i < kFloats; ++i) row.values[i] = first + static_cast<float>(i);
  return row;
}

float expected(const Row& x, std::size_t i) {
  return (x.values[i] + static_cast<float>(i + 1)) * 2 * 0.5F;
}

class LoaderRun : public LoaderTest {
 protected:
  fl_context* context(fl_parallel_for parallel_for = nullptr, void* user = nullptr) {
    fl_context* made = nullptr;
    EXPECT_EQ(fl_context_create(bundle_, 0, parallel_for, user, &made, &error_), FL_OK) << error_.message;
    return made;
  }
  void bind(fl_context* context, const Row& x, Row& y) {
    ASSERT_EQ(fl_bind_input(context, "x", x.values, sizeof x, &error_), FL_OK) << error_.message;
    ASSERT_EQ(fl_bind_output(context, "y", y.values, sizeof y, &error_), FL_OK) << error_.message;
  }
};

TEST_F(LoaderRun, SaysWhatItHolds) {
  ASSERT_EQ(open(written(small_bundle()), FL_VERIFY_WEIGHTS), FL_OK) << error_.message;
  ASSERT_EQ(fl_model_count(bundle_), 1U);
  const fl_model* const model = fl_model_at(bundle_, 0);
  EXPECT_STREQ(model->name, "small");
  EXPECT_STREQ(model->binding, "batch=1");
  ASSERT_EQ(model->input_count, 1U);
  EXPECT_STREQ(model->inputs[0].name, "x");
  EXPECT_STREQ(model->inputs[0].dtype, "f32");
  ASSERT_EQ(model->inputs[0].rank, 1U);
  EXPECT_EQ(model->inputs[0].shape[0], 16);
  EXPECT_EQ(model->outputs[0].bytes, 64U);
  EXPECT_EQ(model->threads, 2);
  EXPECT_EQ(fl_model_at(bundle_, 2), nullptr) << "a model and a piece";
  std::size_t index = 7;
  EXPECT_EQ(fl_find_model(bundle_, "small", nullptr, &index, &error_), FL_OK);
  EXPECT_EQ(index, 0U);
  EXPECT_EQ(fl_find_model(bundle_, "small", "batch=2", &index, &error_), FL_NOT_FOUND);
  EXPECT_THAT(error_.message, HasSubstr("small batch=1"));
}

// The small model twice, the second time as if its input had two rows of eight. Its weights are where the first one's are.
deploy::Bundle two_extents() {
  deploy::Bundle bundle = small_bundle();
  deploy::BundleModel other = bundle.manifest.models[0];
  other.binding = "batch=2";
  other.inputs[0].shape = {2, 8};
  bundle.manifest.models.push_back(std::move(other));
  return bundle;
}

TEST_F(LoaderRun, FindsTheExtentsThatFitTheInputs) {
  ASSERT_EQ(open(written(two_extents())), FL_OK) << error_.message;
  const std::int64_t one[] = {16}, two[] = {2, 8}, none[] = {4, 4};
  const auto find = [&](const char* model, const char* input, const std::int64_t* shape, std::size_t rank, std::size_t bytes) {
    const fl_tensor given = {input, nullptr, rank, shape, bytes};
    std::size_t index = 99;
    return std::pair(fl_find_fitting(bundle_, model, &given, 1, &index, &error_), index);
  };
  EXPECT_EQ(find("small", "x", one, 1, 0), std::pair(FL_OK, std::size_t{0}));
  EXPECT_EQ(find("small", "x", two, 2, 64), std::pair(FL_OK, std::size_t{1}));
  EXPECT_EQ(find(nullptr, "x", two, 2, 0), std::pair(FL_OK, std::size_t{1}));
  EXPECT_EQ(find("small", "x", none, 2, 0).first, FL_NOT_FOUND);
  EXPECT_STREQ(error_.message, "no extents fit 'x' [4,4]; present: small batch=1; small batch=2");
  EXPECT_EQ(find("small", "x", nullptr, 0, 60).first, FL_NOT_FOUND);
  EXPECT_THAT(error_.message, HasSubstr("'x' of 60 bytes"));
  EXPECT_EQ(find("small", "x", nullptr, 0, 64).first, FL_NOT_FOUND);
  EXPECT_THAT(error_.message, HasSubstr("fit several models"));
  EXPECT_EQ(find("large", "x", one, 1, 0).first, FL_NOT_FOUND);
  EXPECT_THAT(error_.message, HasSubstr("none of that name"));
  EXPECT_EQ(find("small", "x", two, 2, 60).first, FL_NOT_FOUND);
  EXPECT_STREQ(error_.message, "no extents fit 'x' [2,8] of 60 bytes; present: small batch=1; small batch=2");
  EXPECT_EQ(find("small", "x", one, 0, 0).first, FL_NOT_FOUND);  // a scalar
  EXPECT_STREQ(error_.message, "no extents fit 'x' []; present: small batch=1; small batch=2");
  EXPECT_EQ(find("small", "z", one, 1, 0).first, FL_NOT_FOUND);
  EXPECT_THAT(error_.message, StartsWith("there is no input 'z'; 'small' has: x"));
  EXPECT_EQ(find("small", nullptr, one, 1, 0).first, FL_INVALID_ARGUMENT);
}

TEST_F(LoaderRun, LaysAWeightOutOnceForAllExtents) {
  ASSERT_EQ(open(written(two_extents())), FL_OK) << error_.message;
  EXPECT_EQ(bundle_->layout_count, 1U);
  EXPECT_EQ(bundle_->prepared[0][1], bundle_->prepared[1][1]);
  // Another weight is another layout.
  deploy::Bundle other = two_extents();
  other.manifest.models[1].values[2].offset = 0;
  ASSERT_EQ(open(written(other)), FL_OK) << error_.message;
  EXPECT_EQ(bundle_->layout_count, 2U);
  for (const std::size_t index : {0U, 1U}) {
    fl_context* made = nullptr;
    ASSERT_EQ(fl_context_create(bundle_, index, nullptr, nullptr, &made, &error_), FL_OK) << error_.message;
    const Row x = numbers(1);
    Row y{};
    bind(made, x, y);
    EXPECT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
    const float factor = index == 0 ? 0.5F : 4;
    EXPECT_EQ(y.values[3], (x.values[3] + 4) * 2 * factor);
    fl_context_destroy(made);
  }
}

TEST_F(LoaderRun, RunsTheModelWithItsOwnThreadsAgainAndAgain) {
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  fl_context* const made = context();
  for (const float first : {1.0F, -3.5F, 100.0F}) {
    const Row x = numbers(first);
    Row y{};
    bind(made, x, y);
    ASSERT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
    for (std::size_t i = 0; i < kFloats; ++i) EXPECT_EQ(y.values[i], expected(x, i));
  }
  fl_context_destroy(made);
}

TEST_F(LoaderRun, RunsFromAFile) {
  const auto bytes = written(small_bundle());
  const std::string key = own_key(), path = (folder_ / "small.fuselab").string();
  const char* const keys[] = {key.c_str()};
  ASSERT_EQ(fl_open(path.c_str(), keys, 1, FL_VERIFY_WEIGHTS, &bundle_, &error_), FL_OK) << error_.message;
  fl_context* const made = context();
  const Row x = numbers(2);
  Row y{};
  bind(made, x, y);
  ASSERT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
  EXPECT_EQ(y.values[3], expected(x, 3));
  fl_context_destroy(made);
}

TEST_F(LoaderRun, HandsPartsToTheCallersParallelFor) {
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  int calls = 0;
  // In reverse, since the order is the caller's.
  const auto backwards = [](void* user, int count, fl_work work, void* data) {
    ++*static_cast<int*>(user);
    for (int part = count - 1; part >= 0; --part) work(data, part);
  };
  fl_context* const made = context(backwards, &calls);
  const Row x = numbers(5);
  Row y{};
  bind(made, x, y);
  ASSERT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
  EXPECT_EQ(calls, 2);
  for (std::size_t i = 0; i < kFloats; ++i) EXPECT_EQ(y.values[i], expected(x, i));
  fl_context_destroy(made);
}

TEST_F(LoaderRun, RunsFromManyThreadsAtOnce) {
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      fl_context* made = nullptr;
      if (fl_context_create(bundle_, 0, nullptr, nullptr, &made, nullptr) != FL_OK) return void(++wrong);
      const Row x = numbers(static_cast<float>(10 * t));
      Row y{};
      fl_bind_input(made, "x", x.values, sizeof x, nullptr);
      fl_bind_output(made, "y", y.values, sizeof y, nullptr);
      for (int run = 0; run < 50; ++run) {
        y = {};
        if (fl_run(made, nullptr) != FL_OK) ++wrong;
        for (std::size_t i = 0; i < kFloats; ++i) wrong += y.values[i] == expected(x, i) ? 0 : 1;
      }
      fl_context_destroy(made);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LoaderRun, SaysWhereThereIsNoMemoryForARun) {
  const auto bytes = edited([](nlohmann::json& manifest) { manifest["models"][0]["arena_bytes"] = std::int64_t{1} << 45; });
  ASSERT_EQ(open(bytes, FL_ALLOW_UNSIGNED), FL_OK) << error_.message;
  fl_context* made = nullptr;
  EXPECT_EQ(fl_context_create(bundle_, 0, nullptr, nullptr, &made, &error_), FL_OUT_OF_MEMORY);
  EXPECT_EQ(made, nullptr);
  EXPECT_THAT(error_.message, HasSubstr("no memory for a run"));
}

TEST_F(LoaderRun, RunsAPieceByItself) {
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  ASSERT_EQ(fl_piece_count(bundle_), 1U);
  std::size_t index = 0;
  ASSERT_EQ(fl_find_piece(bundle_, "scale", &index, &error_), FL_OK) << error_.message;
  EXPECT_EQ(index, fl_model_count(bundle_));
  ASSERT_NE(fl_model_at(bundle_, index), nullptr);
  EXPECT_EQ(fl_model_at(bundle_, index)->input_count, 2U);
  fl_context* made = nullptr;
  ASSERT_EQ(fl_context_create(bundle_, index, nullptr, nullptr, &made, &error_), FL_OK) << error_.message;
  const Row x = numbers(3);
  // What the kernel lays out of an operand is laid out again when the operand changes.
  for (const float first : {1.0F, 7.0F}) {
    const Row v = numbers(first);
    Row y{};
    ASSERT_EQ(fl_bind_input(made, "x", x.values, sizeof x, &error_), FL_OK);
    ASSERT_EQ(fl_bind_input(made, "v", v.values, sizeof v, &error_), FL_OK);
    ASSERT_EQ(fl_bind_output(made, "y", y.values, sizeof y, &error_), FL_OK);
    ASSERT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
    for (std::size_t i = 0; i < kFloats; ++i) EXPECT_EQ(y.values[i], x.values[i] * 2 * v.values[i]);
  }
  fl_context_destroy(made);
  EXPECT_EQ(fl_find_piece(bundle_, "add", &index, &error_), FL_NOT_FOUND);
  EXPECT_THAT(error_.message, HasSubstr("present: scale"));
}

TEST_F(LoaderRun, TellsWhatEachKernelRunsAs) {
  std::vector<std::string> told;
  const auto tell = [](void* user, const fl_hit* hit) {
    static_cast<std::vector<std::string>*>(user)->push_back(std::to_string(hit->kind) + " " + hit->model + " " + hit->kernel + " " +
                                                            hit->reason);
  };
  fl_on_hit(tell, &told);
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  fl_context_destroy(context());
  const std::string tuned = std::to_string(FL_HIT_TUNED), untuned = std::to_string(FL_HIT_UNTUNED);
  EXPECT_THAT(told, testing::ElementsAre(tuned + " small add ", untuned + " small scale default"));
  told.clear();
  fl_close(bundle_);
  bundle_ = nullptr;
  EXPECT_EQ(open({std::byte{1}}), FL_CORRUPT);
  fl_on_hit(nullptr, nullptr);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], testing::StartsWith(std::to_string(FL_HIT_REFUSED)));
}

TEST_F(LoaderRun, CountsWhatRan) {
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  fl_hits before{}, after{};
  fl_hit_log(&before);
  fl_context* const made = context();
  const Row x = numbers(1);
  Row y{};
  bind(made, x, y);
  for (int run = 0; run < 3; ++run) ASSERT_EQ(fl_run(made, &error_), FL_OK);
  fl_context_destroy(made);
  EXPECT_EQ(fl_open_memory(nullptr, 0, nullptr, 0, 0, &bundle_, &error_), FL_INVALID_ARGUMENT);
  EXPECT_EQ(open(std::vector<std::byte>(100)), FL_CORRUPT);
  fl_hit_log(&after);
  EXPECT_EQ(after.tuned - before.tuned, 3U);
  EXPECT_EQ(after.untuned - before.untuned, 3U) << "the second kernel is in its default configuration";
  EXPECT_EQ(after.refused - before.refused, 1U);
}

TEST_F(LoaderRun, TakesTheBaselineWhereTheProcessorLacksInstructions) {
  deploy::Bundle bundle = small_bundle();
  auto& kernels = bundle.manifest.kernels;
  kernels.push_back(kernels[0]);
  kernels[2].threads = 1;
  kernels[0].target = "x86-64-v9";
  kernels[0].file = bundle.keep_code(std::vector<std::byte>(64));  // no code: it is never loaded
  kernels[0].baseline = 2;
  ASSERT_EQ(open(written(bundle)), FL_OK) << error_.message;
  fl_hits before{}, after{};
  fl_hit_log(&before);
  fl_context* const made = context();
  const Row x = numbers(3);
  Row y{};
  bind(made, x, y);
  ASSERT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
  for (std::size_t i = 0; i < kFloats; ++i) EXPECT_EQ(y.values[i], expected(x, i));
  fl_context_destroy(made);
  fl_hit_log(&after);
  EXPECT_EQ(after.baseline - before.baseline, 1U);
  EXPECT_EQ(after.tuned - before.tuned, 0U);
  EXPECT_EQ(after.untuned - before.untuned, 1U);

  kernels[2].target = "x86-64-v9";
  EXPECT_EQ(open(written(bundle)), FL_UNSUPPORTED_CPU);
  kernels[2].target = "x86-64";
  kernels[2].arguments.pop_back();
  EXPECT_EQ(open(written(bundle)), FL_CORRUPT);
  EXPECT_THAT(error_.message, HasSubstr("called in another way"));
}

TEST_F(LoaderRun, RefusesMemoryThatDoesNotFit) {
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  fl_context* const made = context();
  Row row{};
  EXPECT_EQ(fl_run(made, &error_), FL_NOT_BOUND);
  EXPECT_THAT(error_.message, HasSubstr("'x'"));
  EXPECT_EQ(fl_bind_input(made, "x", row.values, 32, &error_), FL_INVALID_ARGUMENT);
  EXPECT_THAT(error_.message, testing::AllOf(HasSubstr("64 bytes"), HasSubstr("32"), HasSubstr("batch=1")));
  EXPECT_EQ(fl_bind_input(made, "x", row.values + 1, 64, &error_), FL_INVALID_ARGUMENT);
  EXPECT_EQ(fl_bind_input(made, "y", row.values, 64, &error_), FL_NOT_FOUND);
  EXPECT_EQ(fl_bind_output(made, "y", row.values, 64, &error_), FL_OK);
  EXPECT_EQ(fl_run(made, &error_), FL_NOT_BOUND);
  fl_context_destroy(made);
}

TEST_F(LoaderRun, PreparesInEachRunWhatOnlyARunKnows) {
  deploy::Bundle bundle = small_bundle();
  deploy::BundleModel& model = bundle.manifest.models[0];
  // The second kernel prepares from the first one's result: y = w * 2 (x + w).
  model.steps[1].arguments = {1, 3, 4};
  ASSERT_EQ(open(written(bundle)), FL_OK) << error_.message;
  fl_context* const made = context();
  for (const float first : {1.0F, 7.0F}) {
    const Row x = numbers(first);
    Row y{};
    bind(made, x, y);
    ASSERT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
    for (std::size_t i = 0; i < kFloats; ++i) {
      const auto w = static_cast<float>(i + 1);
      EXPECT_EQ(y.values[i], w * (2 * (x.values[i] + w)));
    }
  }
  fl_context_destroy(made);
}

TEST_F(LoaderRun, CountsIndicesOutOfRangeAndFailsForThemWhereThatIsAskedFor) {
  const auto bytes = written(small_bundle());
  for (const unsigned flags : {0U, static_cast<unsigned>(FL_CHECK_INDICES)}) {
    ASSERT_EQ(open(bytes, flags), FL_OK) << error_.message;
    const std::uint64_t before = fl_wrong_index_count(bundle_);  // the code stays loaded for as long as some bundle has it
    fl_context* const made = context();
    for (const float first : {1.0F, 999.0F, 2.0F}) {  // x + w is 1000 where x is 999
      const Row x = numbers(first);
      Row y{};
      bind(made, x, y);
      const bool fails = flags != 0 && first == 999.0F;
      EXPECT_EQ(fl_run(made, &error_), fails ? FL_WRONG_INDEX : FL_OK) << error_.message;
      if (fails) {
        EXPECT_THAT(error_.message, HasSubstr("met index 1000, which is out of range: there are 3 entries; met 1 time"));
      }
    }
    EXPECT_EQ(fl_wrong_index_count(bundle_) - before, 1U);
    fl_context_destroy(made);
  }
  EXPECT_STREQ(fl_status_name(FL_WRONG_INDEX), "wrong-index");
}

TEST_F(LoaderRun, GivesOutputsThatAreInputsOrOtherOutputs) {
  deploy::Bundle bundle = small_bundle();
  deploy::BundleModel& model = bundle.manifest.models[0];
  for (const auto& [name, value] : {std::pair{"again", 4}, {"same", 0}, {"weight", 1}}) {
    model.outputs.push_back(model.outputs[0]);
    model.outputs.back().name = name;
    model.outputs.back().value = value;
  }
  ASSERT_EQ(open(written(bundle)), FL_OK) << error_.message;
  fl_context* const made = context();
  const Row x = numbers(4);
  Row y{}, again{}, same{}, weight{};
  bind(made, x, y);
  ASSERT_EQ(fl_bind_output(made, "again", again.values, 64, &error_), FL_OK);
  ASSERT_EQ(fl_bind_output(made, "same", same.values, 64, &error_), FL_OK);
  ASSERT_EQ(fl_bind_output(made, "weight", weight.values, 64, &error_), FL_OK);
  ASSERT_EQ(fl_run(made, &error_), FL_OK) << error_.message;
  for (std::size_t i = 0; i < kFloats; ++i) {
    EXPECT_EQ(again.values[i], expected(x, i));
    EXPECT_EQ(same.values[i], x.values[i]);
    EXPECT_EQ(weight.values[i], static_cast<float>(i + 1));
  }
  fl_context_destroy(made);
}

}  // namespace
}  // namespace fuselab
