// SPDX-License-Identifier: Apache-2.0
// Manifests that no export writes: each is refused before any code runs, with a line that says why.
#include <gmock/gmock.h>

#include "tests/unit/loader/bundle_writer.h"

namespace fuselab {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class LoaderManifest : public LoaderTest {
 protected:
  void expect_refused(const std::function<void(json&)>& edit, const std::string& why, fl_status status = FL_CORRUPT) {
    EXPECT_EQ(open(edited(edit), FL_ALLOW_UNSIGNED), status) << why;
    EXPECT_THAT(error_.message, HasSubstr(why));
    EXPECT_EQ(bundle_, nullptr);
  }
  static json& model(json& manifest) { return manifest["models"][0]; }
};

TEST_F(LoaderManifest, OfAnotherVersionIsNamed) {
  expect_refused([](json& m) { m["schema"] = "fuselab.bundle/2"; }, "fuselab.bundle/2", FL_OTHER_VERSION);
  expect_refused([](json& m) { m.erase("schema"); }, "'schema' is missing");
}

TEST_F(LoaderManifest, ForAnotherProcessorIsRefused) {
  expect_refused([](json& m) { m["kernels"][0]["target"] = "armv8-a+simd"; }, "armv8-a+simd", FL_UNSUPPORTED_CPU);
}

TEST_F(LoaderManifest, WithoutItsPartsIsRefused) {
  for (const char* const part : {"weights", "kernels", "models"})
    expect_refused([&](json& m) { m.erase(part); }, std::string("'") + part + "' is missing");
  for (const char* const part : {"file", "entry", "target", "tasks", "threads", "arguments", "configured"})
    expect_refused([&](json& m) { m["kernels"][0].erase(part); }, std::string("'") + part + "'");
  for (const char* const part : {"name", "values", "steps", "inputs", "outputs", "arena_bytes"})
    expect_refused([&](json& m) { model(m).erase(part); }, std::string("'") + part + "' is missing");
}

TEST_F(LoaderManifest, WithNumbersOutOfRangeIsRefused) {
  for (const json& bad : {json(-1), json(1.5), json("7"), json(std::uint64_t{1} << 63), json(1e300), json(nullptr)}) {
    expect_refused([&](json& m) { m["kernels"][0]["tasks"] = bad; }, "'tasks'");
    expect_refused([&](json& m) { model(m)["values"][3]["offset"] = bad; }, "'offset'");
    expect_refused([&](json& m) { model(m)["steps"][0]["arguments"][0] = bad; }, "'arguments'");
  }
  expect_refused([](json& m) { m["kernels"][0]["threads"] = 100000; }, "'threads'");
  expect_refused([](json& m) { m["kernels"][0]["arguments"][0]["alignment"] = 128; }, "'alignment'");
  expect_refused([](json& m) { m["kernels"][0]["arguments"][0]["alignment"] = 48; }, "'alignment'");
  expect_refused([](json& m) { m["kernels"][0]["file"] = "../../x"; }, "'file' is no SHA-256");
}

TEST_F(LoaderManifest, WithIndicesOutOfRangeIsRefused) {
  expect_refused([](json& m) { model(m)["steps"][0]["kernel"] = 2; }, "'kernel'");
  expect_refused([](json& m) { model(m)["steps"][0]["arguments"][2] = 5; }, "'arguments'");
  expect_refused([](json& m) { model(m)["steps"][0]["arguments"].push_back(0); }, "more or fewer");
  expect_refused([](json& m) { model(m)["outputs"][0]["value"] = 9; }, "'value'");
  expect_refused([](json& m) { m["kernels"][1]["preparation"]["inputs"] = {7}; }, "'inputs'");
  expect_refused([](json& m) { m["kernels"][1]["preparation"]["inputs"] = {2}; }, "reads what is no input");
}

TEST_F(LoaderManifest, WithBuffersOutsideTheirMemoryIsRefused) {
  expect_refused([](json& m) { model(m)["values"][3]["offset"] = 64; }, "not inside its memory");
  expect_refused([](json& m) { model(m)["values"][1]["offset"] = 8; }, "not aligned");
  expect_refused([](json& m) { model(m)["values"][2]["offset"] = 128; }, "not inside its memory");
  expect_refused(
      [](json& m) {
        model(m)["values"][3]["bytes"] = 32;
        model(m)["arena_bytes"] = 64;
      },
      "less memory than it works on");
  expect_refused([](json& m) { m["weights"]["bytes"] = 256; }, "weights are missing or of another size");
}

TEST_F(LoaderManifest, WithBuffersThatOverlapIsRefused) {
  expect_refused(
      [](json& m) {
        // Two results of the arena in one place, both read by a third step.
        model(m)["arena_bytes"] = 128;
        model(m)["values"].push_back({{"place", "arena"}, {"offset", 0}, {"bytes", 64}});
        model(m)["steps"] = {{{"kernel", 0}, {"arguments", {0, 1, 3}}},
                             {{"kernel", 0}, {"arguments", {0, 2, 5}}},
                             {{"kernel", 0}, {"arguments", {3, 5, 4}}}};
      },
      "two buffers that are needed at once overlap");
}

TEST_F(LoaderManifest, WithStepsThatReadOrWriteWrongIsRefused) {
  expect_refused([](json& m) { std::swap(model(m)["steps"][0], model(m)["steps"][1]); }, "reads what no earlier step has written");
  expect_refused([](json& m) { model(m)["steps"][0]["arguments"] = {0, 1, 0}; }, "writes into an input or a weight");
  expect_refused([](json& m) { model(m)["steps"][1]["arguments"] = {0, 2, 1}; }, "writes into an input or a weight");
  expect_refused([](json& m) { model(m)["steps"][0]["arguments"] = {3, 1, 3}; }, "reads what it writes");
  expect_refused([](json& m) { model(m)["steps"][1]["arguments"] = {0, 2, 3}; }, "written twice");
  expect_refused([](json& m) { model(m)["steps"].erase(1); }, "nothing computes an output");
  expect_refused([](json& m) { model(m)["outputs"][0]["value"] = 3; }, "lies in scratch");
}

TEST_F(LoaderManifest, WithFunctionsThatAreNotThereIsRefused) {
  expect_refused([](json& m) { m["kernels"][0]["entry"] = "subtract"; }, "has no function 'subtract'");
  expect_refused([](json& m) { m["kernels"][1]["preparation"]["entry"] = "thrice"; }, "has no function 'thrice'");
  expect_refused([](json& m) { m["kernels"][0]["file"] = std::string(64, 'a'); }, "is missing from the file");
}

TEST_F(LoaderManifest, MayHoldWhatALaterVersionAdds) {
  EXPECT_EQ(open(edited([](json& m) {
                   m["pieces"] = {{{"later", {1, 2.5, nullptr, true}}}};
                   m["models"][0]["later"] = "é\u00fc\U0001F600";
                 }),
                 FL_ALLOW_UNSIGNED),
            FL_OK)
      << error_.message;
}

}  // namespace
}  // namespace fuselab
