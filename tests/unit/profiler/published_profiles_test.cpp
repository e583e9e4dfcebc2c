// SPDX-License-Identifier: Apache-2.0
// What others published of kernels whose limiter they state, against the rules: published_profiles/README.md says how it is
// written.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/profile/nvidia_counters.h"
#include "core/profile/vocabulary.h"
#include "tests/unit/profiler/profile_facts.h"

namespace fuselab::profile {
namespace {

struct PublishedProfile {
  std::map<std::string, std::string> stated;  // "source", "kernel", …
  std::vector<Metric> metrics;
  std::string wrong;  // the line that cannot be read
};

// Returns the metric of a counter's name or of the vocabulary's own, with the factor to its unit.
std::pair<std::string, double> metric_of(const std::string& name) {
  if (find_metric(name) != nullptr) return {name, 1};
  for (const NvidiaCounter& counter : nvidia_counters()) {
    if (std::ranges::find(counter.names, name) != counter.names.end()) return {std::string(counter.metric), counter.scale};
  }
  return {"", 0};
}

PublishedProfile read_published(std::istream& text) {
  PublishedProfile read;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.find(' ') == colon + 1) {
      read.stated[line.substr(0, colon)] = line.substr(colon + 2);
      continue;
    }
    std::istringstream words(line);
    std::string name;
    double value = 0;
    words >> name >> value;
    const auto [metric, scale] = metric_of(name);
    if (words.fail() || metric.empty()) read.wrong = line;
    read.metrics.push_back({metric, scale * value, "", "published: " + name, 1, false});
  }
  for (const char* const needed : {"source", "kernel", "chip", "limiter"}) {
    if (read.stated[needed].empty()) read.wrong = std::string("no ") + needed;
  }
  return read;
}

BoundVerdict verdict_on(PublishedProfile& published) {
  const auto number = [&](const char* name) {
    const std::string& text = published.stated[name];
    return text.empty() ? 1 : std::stod(text);
  };
  ProfileFacts facts(kLargeSum);  // its graph is another: nothing of a graph is published
  facts.counters.rung = "device, published";
  facts.counters.metrics = published.metrics;
  facts.measured = number("measured_ns");
  facts.last.device_threads = static_cast<int>(number("processors"));
  return judge({facts.graph, facts.cost, facts.measured, facts.last, facts.code, facts.counters, facts.sweep});
}

bool states(const std::string& limiters, Bound bound) {
  std::istringstream words(limiters);
  for (std::string each; std::getline(words, each, '|');) {
    if (each == name_of(bound)) return true;
  }
  return false;
}

TEST(PublishedProfiles, AFileIsReadWithItsUnitsAndItsSource) {
  std::istringstream text(
      "# made up\nsource: no one: a test\nkernel: copy\nchip: A100\nlimiter: memory|cache\n"
      "dram__throughput.avg.pct_of_peak_sustained_elapsed 92.5\ndevice_stall_wait 2\n");
  PublishedProfile read = read_published(text);
  EXPECT_EQ(read.wrong, "");
  EXPECT_EQ(read.stated["source"], "no one: a test");
  ASSERT_EQ(read.metrics.size(), 2U);
  EXPECT_EQ(read.metrics[0].name, "device_memory_share");
  EXPECT_DOUBLE_EQ(*read.metrics[0].value, 0.925);
  EXPECT_EQ(verdict_on(read).bound, Bound::kMemory);
  EXPECT_TRUE(states("memory|cache", Bound::kCache));
  EXPECT_FALSE(states("memory|cache", Bound::kIssue));
  std::istringstream nameless("source: a\nkernel: b\nchip: c\nlimiter: memory\nno_such_counter 5\n");
  EXPECT_EQ(read_published(nameless).wrong, "no_such_counter 5");
  std::istringstream sourceless("kernel: b\nchip: c\nlimiter: memory\n");
  EXPECT_EQ(read_published(sourceless).wrong, "no source");
}

TEST(PublishedProfiles, TheRulesNameTheLimiterThatTheSourceStates) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FUSELAB_PUBLISHED_PROFILES)) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    std::ifstream file(entry.path());
    PublishedProfile published = read_published(file);
    ASSERT_EQ(published.wrong, "") << entry.path();
    const BoundVerdict verdict = verdict_on(published);
    EXPECT_TRUE(states(published.stated["limiter"], verdict.bound))
        << entry.path().filename() << ": " << published.stated["limiter"] << " is stated, not " << name_of(verdict.bound) << ". "
        << verdict.text;
  }
  if (files == 0) GTEST_SKIP() << "no published report is in " << FUSELAB_PUBLISHED_PROFILES;
}

}  // namespace
}  // namespace fuselab::profile
