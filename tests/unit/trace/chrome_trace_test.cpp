// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

namespace fuselab {
namespace {

using nlohmann::json;

TEST(ChromeTrace, NamesEachTrackOnceAndCountsFromTheFirstSpan) {
  TraceRecorder recorder;
  recorder.add({{"cpu:0", "measure 7"}, "launch", "launch", {5'000}, {1'000}});
  recorder.add({{"engine", "job"}, "import w3", "import", {2'000}, {500}, {{"nodes", "12"}}});
  recorder.add({{"cpu:0", "measure 7"}, "time", "time", {5'000}, {3'000}});
  recorder.add_lost(4);
  const json trace = json::parse(chrome_trace(recorder.spans(), recorder.lost(), "fuselab 1"));
  std::vector<std::string> names, tracks;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      tracks.push_back(event["name"].get<std::string>() + " " + event["args"]["name"].get<std::string>());
    } else {
      names.push_back(event["name"]);
    }
  }
  EXPECT_EQ(tracks,
            (std::vector<std::string>{"process_name engine", "thread_name job", "process_name cpu:0", "thread_name measure 7"}));
  EXPECT_EQ(names, (std::vector<std::string>{"import w3", "time", "launch"})) << "by start, the outer one first";
  const json& import = trace["traceEvents"][2];
  EXPECT_EQ(import["ts"], 0.0);
  EXPECT_EQ(import["dur"], 0.5) << "microseconds";
  EXPECT_EQ(import["args"]["nodes"], "12");
  const json& launch = trace["traceEvents"].back();
  EXPECT_EQ(launch["ts"], 3.0);
  EXPECT_EQ(trace["otherData"]["lost_spans"], 4);
}

TEST(ChromeTrace, TakesAnyBytesInNames) {
  TraceRecorder recorder;
  recorder.add({{"engine", "job"}, "a\xff\"\n", "import", {0}, {1}});
  EXPECT_NO_THROW({ [[maybe_unused]] const json read = json::parse(chrome_trace(recorder.spans(), 0, "")); });
  EXPECT_TRUE(json::parse(chrome_trace({}, 0, ""))["traceEvents"].empty());
}

TEST(TraceRecorder, TakesScopesOfSeveralThreads) {
  const auto recorder = std::make_shared<TraceRecorder>();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([recorder, i] {
      for (int k = 0; k < 50; ++k) const TraceScope traced(recorder, {"engine", "t" + std::to_string(i)}, "work", "test");
    });
  }
  threads.clear();
  const std::vector<TraceSpan> spans = recorder->spans();
  EXPECT_EQ(spans.size(), 200U);
  for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].start, spans[i].start);
  { const TraceScope untraced(nullptr, {}, "", ""); }
}

}  // namespace
}  // namespace fuselab
