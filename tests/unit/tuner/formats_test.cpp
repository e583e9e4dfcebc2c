// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/tuning/constraint_expression.h"
#include "tuner/formats/python_expression.h"
#include "tuner/formats/recorded_formats.h"

namespace fuselab::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> values_of(std::string_view text) {
  const auto values = parse_python_values(text);
  EXPECT_TRUE(values.ok()) << text << ": " << values.error().message;
  std::vector<std::int64_t> numbers;
  for (const auto& value : values.value()) numbers.push_back(std::get<std::int64_t>(value));
  return numbers;
}

std::string values_error(std::string_view text) {
  const auto values = parse_python_values(text);
  EXPECT_FALSE(values.ok()) << text;
  return values.ok() ? "" : values.error().message;
}

std::string translated(std::string_view text) {
  const auto condition = translate_python_condition(text);
  EXPECT_TRUE(condition.ok()) << text << ": " << condition.error().message;
  const auto parsed = ConstraintExpression::parse(condition.value());
  EXPECT_TRUE(parsed.ok()) << condition.value();
  return condition.value();
}

TEST(PythonValues, ReadsTheFormsThatOccur) {
  EXPECT_THAT(values_of("[1, 2, 4]"), ElementsAre(1, 2, 4));
  EXPECT_THAT(values_of("[]"), ElementsAre());
  EXPECT_THAT(values_of("[2**i for i in range(0, 5)]"), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(values_of("[32 * i for i in range(1, 4)]"), ElementsAre(32, 64, 96));
  EXPECT_THAT(values_of("[1] + [2 * i for i in range(1, 4)]"), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(values_of("[1,2] + list(range(32, 129, 32))"), ElementsAre(1, 2, 32, 64, 96, 128));
  EXPECT_THAT(values_of("[(i + 1) * 8 // 2 for i in range(3)]"), ElementsAre(4, 8, 12));
  EXPECT_THAT(values_of("[True, False]"), ElementsAre(1, 0));
  EXPECT_THAT(values_of("[-1, 3 - 5]"), ElementsAre(-1, -2));
  const auto words = parse_python_values("['a', \"b\"]");
  ASSERT_TRUE(words.ok());
  EXPECT_EQ(std::get<std::string>(words.value()[1]), "b");
}

TEST(PythonValues, RunsNothing) {
  EXPECT_THAT(values_error("[__import__('os')]"), HasSubstr("unknown name '__import__'"));
  EXPECT_THAT(values_error("[x, 2]"), HasSubstr("unknown name 'x'"));
  EXPECT_THAT(values_error("[j for i in range(3)]"), HasSubstr("expected 'i'"));
  EXPECT_THAT(values_error("[1.5]"), HasSubstr("only integers"));
  EXPECT_THAT(values_error("list(range(1000000000))"), HasSubstr("65536"));
  EXPECT_THAT(values_error("[10**40]"), HasSubstr("overflow"));
  EXPECT_THAT(values_error("[" + std::string(200, '(')), HasSubstr("nested deeper"));
  EXPECT_THAT(values_error("[1, 2"), HasSubstr("',' or ']'"));
  EXPECT_THAT(values_error("open('x')"), HasSubstr("expected a list"));
}

TEST(PythonCondition, BecomesAConstraint) {
  EXPECT_EQ(translated("use_padding==0 or block_size_x % 32 != 0"), "use_padding == 0 || block_size_x % 32 != 0");
  EXPECT_EQ(translated("32 <= x * y <= 1024"), "32 <= x * y && x * y <= 1024");
  EXPECT_EQ(translated("not (a and b)"), "((a && b)) == 0");
  EXPECT_EQ(translated("a // 2 == 1 and True"), "a / 2 == 1 && 1");
  EXPECT_EQ(translated("(((x*t+(f-1)))) < 12*1024"), "(((x * t + (f - 1)))) < 12 * 1024");
}

TEST(PythonCondition, RefusesWhatDiffersInMeaning) {
  EXPECT_THAT(translate_python_condition("a / 2 == 1").error().message, HasSubstr("an integer operator"));
  EXPECT_THAT(translate_python_condition("a ** 2 < 5").error().message, HasSubstr("an integer operator"));
  EXPECT_THAT(translate_python_condition("a in [1, 2]").error().message, HasSubstr("expected an operator or the end, found 'in'"));
  EXPECT_FALSE(translate_python_condition("").ok());
  EXPECT_FALSE(translate_python_condition(std::string(500, '(')).ok());
}

TEST(T1, ReadsSpaceConditionsAndDefaults) {
  const auto problem = parse_t1(R"({"ConfigurationSpace": {
      "TuningParameters": [{"Name": "x", "Type": "int", "Values": "[1, 2, 4]", "Default": 2},
                           {"Name": "y", "Type": "int", "Values": "[1, 2]", "Default": 16}],
      "Conditions": [{"Parameters": ["x", "y"], "Expression": "x*y<=4 and x>1"}]},
      "KernelSpecification": {"KernelName": "gemm"}})");
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  EXPECT_EQ(problem.value().name, "gemm");
  EXPECT_EQ(problem.value().space.enumerate(100).size(), 3U);
  EXPECT_EQ(problem.value().start.text(), "x=2,y=1") << "a default that is no value gives way to the first value";
}

TEST(T1, NamesThePlaceOfAMistake) {
  EXPECT_THAT(parse_t1("[1]").error().message, HasSubstr("not a JSON object"));
  EXPECT_THAT(parse_t1("{").error().message, HasSubstr("not JSON"));
  EXPECT_THAT(parse_t1("{}").error().message, HasSubstr("ConfigurationSpace.TuningParameters"));
  EXPECT_THAT(parse_t1(R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "x", "Values": "[1"}]}})").error().message,
              HasSubstr("Values of 'x'"));
}

TEST(T4, ReadsRuntimesAndFailures) {
  const auto trials = parse_t4(R"({"schema_version": "1.0.0", "results": [
      {"configuration": {"x": 1}, "times": {"compilation": 3.0, "runtimes": [1.5, 1.25]}, "invalidity": "correct"},
      {"configuration": {"x": 2}, "times": {"compilation_time": 2.0, "runtimes": []}, "invalidity": "compile"},
      {"configuration": {"x": 3}, "times": {}, "invalidity": "correctness"},
      {"configuration": {"x": 4}, "times": {}, "invalidity": "timeout"},
      {"configuration": {"x": 5}, "times": {}, "invalidity": "runtime"}]})");
  ASSERT_TRUE(trials.ok()) << trials.error().message;
  ASSERT_EQ(trials.value().size(), 5U);
  EXPECT_THAT(trials.value()[0].runtimes_ns, ElementsAre(1.5e6, 1.25e6));
  EXPECT_EQ(trials.value()[0].compile_ns, 3e6);
  EXPECT_EQ(trials.value()[1].outcome, Outcome::kCompileError);
  EXPECT_EQ(trials.value()[1].compile_ns, 2e6);
  EXPECT_EQ(trials.value()[2].outcome, Outcome::kWrongResult);
  EXPECT_EQ(trials.value()[3].outcome, Outcome::kTimeout);
  EXPECT_EQ(trials.value()[4].outcome, Outcome::kLaunchError);
}

TEST(T4, RefusesACorrectResultWithoutRuntimes) {
  const auto trials = parse_t4(R"({"results": [{"configuration": {"x": 1}, "times": {}, "invalidity": "correct"}]})");
  ASSERT_FALSE(trials.ok());
  EXPECT_THAT(trials.error().message, HasSubstr("results[0]"));
}

TEST(TritonAutotune, ReadsConfigurationsWithTheirMediansAndWhatDidNotRun) {
  // As json.dumps of Python writes it: infinity is no JSON.
  const std::string text = R"({"key": [512, "torch.float16"], "configs_timings": [
      [{"kwargs": {"BLOCK_SIZE_M": 128, "GROUP_SIZE_M": 8}, "num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": null}, [0.25, 0.24, 0.3]],
      [{"kwargs": {"BLOCK_SIZE_M": 256}, "num_warps": 8, "num_stages": 4}, [Infinity, Infinity, Infinity]],
      [{"kwargs": {"EPS": 1e-5, "EPILOGUE": null, "SCALE": NaN}, "num_warps": 2, "num_stages": 1}, 0.5]]})";
  const auto recorded = parse_recording(text);
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  const auto& trials = recorded.value().trials;
  ASSERT_EQ(trials.size(), 3U);
  EXPECT_EQ(trials[0].config.text(), "BLOCK_SIZE_M=128,GROUP_SIZE_M=8,num_ctas=1,num_stages=3,num_warps=4");
  EXPECT_THAT(trials[0].runtimes_ns, ElementsAre(0.25e6));
  EXPECT_EQ(trials[1].outcome, Outcome::kLaunchError);
  EXPECT_THAT(trials[2].runtimes_ns, ElementsAre(0.5e6));
  EXPECT_EQ(trials[2].config.text(), "num_stages=1,num_warps=2") << "what no space has as a parameter is left out";
  EXPECT_FALSE(parse_recording(R"({"configs_timings": []})").ok());
  EXPECT_FALSE(parse_recording(R"({"configs_timings": [[1]]})").ok());
  EXPECT_FALSE(parse_recording(R"({"configs_timings": {"a": 1}})").ok());
}

TEST(KernelTunerCache, ReadsOldAndNewErrors) {
  const auto recorded = parse_kernel_tuner(R"({"device_name": "GPU", "kernel_name": "k", "tune_params_keys": ["x"],
      "tune_params": {"x": [1, 2, 4]}, "cache": {
      "1": {"x": 1, "time": 2.5, "times": [2.0, 3.0], "compile_time": 7},
      "2": {"x": 2, "time": "CompilationFailedConfig"},
      "4": {"x": 4, "__error__": "RuntimeFailedConfig"}}})");
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  EXPECT_EQ(recorded.value().device, "GPU");
  ASSERT_EQ(recorded.value().trials.size(), 3U);
  EXPECT_THAT(recorded.value().trials[0].runtimes_ns, ElementsAre(2e6, 3e6));
  EXPECT_EQ(recorded.value().trials[1].outcome, Outcome::kCompileError);
  EXPECT_EQ(recorded.value().trials[2].outcome, Outcome::kLaunchError);
  EXPECT_THAT(parse_kernel_tuner("{}").error().message, HasSubstr("tune_params_keys"));
}

}  // namespace
}  // namespace fuselab::tuner
