// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>

#include "app/engine/own/own_flags.h"
#include "app/engine/own/own_pipeline.h"
#include "app/engine/own/own_template.h"
#include "app/worker/reference/own_tensors.h"
#include "core/graph/graph_text.h"
#include "core/tuning/own_space.h"
#include "tests/unit/own/own_folder.h"

namespace fuselab::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(OwnFile, IsAGraphOfOneOperatorThatReadsBack) {
  OwnFolder folder;
  const OwnFile own = folder.read().value();
  EXPECT_EQ(own.not_runnable, "");
  EXPECT_EQ(own.kernel.flops, 64);  // of the reference, since none are stated
  const Graph graph = graph_of(own.kernel).value();
  const Graph again = parse_graph(canonical_text(graph)).value();
  EXPECT_EQ(canonical_text(again), canonical_text(graph));
  EXPECT_EQ(type_text(again.type(again.outputs()[0])), "f32[64]");
  EXPECT_EQ(own_kernel_of(again.nodes()[0].attributes).value().source, own.kernel.source);
}

TEST(OwnFile, TakesOtherSizesForOneRun) {
  OwnFolder folder;
  const OwnFile own = folder.read({{"n", 128}}).value();
  EXPECT_EQ(shape_text(own.kernel.arguments[0].shape), "[128]");
  EXPECT_THAT(own.kernel.reference, HasSubstr("f32[128]"));
  EXPECT_THAT(folder.read({{"m", 128}}).error().message, HasSubstr("'m' is no size of twice.toml; it has n"));
}

TEST(OwnFile, NamesLineAndField) {
  OwnFolder folder;
  EXPECT_THAT(folder.error_with("\"c\"", "\"fortran\""), StartsWith("twice.toml:1: language is 'fortran'"));
  EXPECT_THAT(folder.error_with("\"out\"", "\"output\""), StartsWith("twice.toml:14: role cannot be read"));
  EXPECT_THAT(folder.error_with("[\"n\"]", "[\"m\"]"), HasSubstr("twice.toml:11: shape has 'm'"));
  EXPECT_THAT(folder.error_with("tasks =", "task ="), StartsWith("twice.toml:21: [launch] knows no 'task'"));
  EXPECT_THAT(folder.error_with("default = 4", "default = 3"), HasSubstr("twice.toml:23: each has the default 3"));
  EXPECT_THAT(folder.error_with("n = 64", "n = 0"), StartsWith("twice.toml:6: n must be a whole number"));
  EXPECT_THAT(folder.error_with("[sizes]", "[sizes"), StartsWith("twice.toml:5:"));
}

TEST(OwnFile, RefusesWhatCouldNotWork) {
  OwnFolder folder;
  EXPECT_THAT(folder.error_with("each <= n", "each > n"), HasSubstr("the constraints leave no configuration"));
  EXPECT_THAT(folder.error_with("each <= n", "each <= 2"), HasSubstr("the default configuration is not allowed"));
  EXPECT_THAT(folder.error_with("n / each", "n / 128"), HasSubstr("tasks: 'n / 128' is 0"));
  EXPECT_THAT(folder.error_with("each = {", "wide = [1, 2]\neach = {"),
              HasSubstr("twice.toml:23: parameter 'wide' is used neither in twice.c nor by a formula"));
  EXPECT_THAT(folder.error_with("each = {", "threads = [1, 2]\neach = {"), HasSubstr("a name that Fuselab uses itself"));
  EXPECT_THAT(folder.error_with("f32[n]", "f32[m]"), HasSubstr("'m' is none of the sizes"));
  EXPECT_THAT(folder.error_with("Add(x, x)", "Add(x, z)"), HasSubstr("reference"));
  EXPECT_THAT(
      folder.error_with("shape = [\"n\"]\n[[argument]]\nname = \"task\"", "shape = [\"n / 2\"]\n[[argument]]\nname = \"task\""),
      HasSubstr("the reference's output 1, 'y', is f32[64], the kernel's is f32[32]"));
}

TEST(OwnFile, ReadsNothingOutsideOfItsFolder) {
  OwnFolder folder;
  folder.write("twice.c", "#include \"/etc/passwd\"\nint each;\n");
  EXPECT_THAT(folder.error(), HasSubstr("twice.c:1: '/etc/passwd' lies outside of the folder"));
  folder.write("twice.c", "#include \"../secret.h\"\nint each;\n");
  EXPECT_THAT(folder.error(), HasSubstr("lies outside of the folder"));
  folder.write("twice.c", "#include </etc/passwd>\nint each;\n");
  EXPECT_THAT(folder.error(), HasSubstr("is no header of the compiler"));
  folder.write("twice.c", "#define FILE_ \"/etc/passwd\"\n#include FILE_\nint each;\n");
  EXPECT_THAT(folder.error(), HasSubstr("needs a name in quotes"));
  folder.write("twice.c", "int each;\n");
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "link.h");
  folder.write("twice.c", "#include \"link.h\"\nint each;\n");
  EXPECT_THAT(folder.error(), HasSubstr("lies outside of the folder"));
  EXPECT_THAT(folder.error_with("\"twice.c\"", "\"/etc/passwd\""), HasSubstr("lies outside of the folder"));
}

std::string npy(const std::string& shape, const std::vector<float>& numbers) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + ",), }";
  header.resize(117, ' ');
  header += '\n';
  std::string text = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header;
  return text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

TEST(OwnFile, KeepsTheTensorsThatItNames) {
  OwnFolder folder;
  folder.write("x.npy", npy("64", std::vector<float>(64, 1.5F)));
  folder.write("y.npy", npy("64", std::vector<float>(64, 3.0F)));
  std::string text = OwnFolder::kTwice;
  text.replace(text.find("reference ="), text.find("[sizes]") - text.find("reference ="), "");
  text.replace(text.find("role = \"in\""), 11, "role = \"in\"\nfill = \"x.npy\"");
  text.replace(text.find("role = \"out\""), 12, "role = \"out\"\nexpected = \"y.npy\"");
  folder.write("twice.toml", text);
  const auto own = read_own_file(folder.path() / "twice.toml", {}, folder.path() / "cache");
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_EQ(own.value().not_runnable, "");
  EXPECT_EQ(own.value().kernel.reference, kOwnGiven);
  const Graph graph = graph_of(own.value().kernel).value();
  std::vector<std::vector<std::byte>> packed = {std::vector<std::byte>(256)};
  ASSERT_TRUE(worker::fill_own_inputs(folder.path() / "cache", graph, packed).ok());
  float first = 0;
  std::memcpy(&first, packed[0].data(), sizeof first);
  EXPECT_EQ(first, 1.5F);
  EXPECT_EQ(worker::given_outputs(folder.path() / "cache", own.value().kernel).value()[0].values[63], 3.0);
  EXPECT_THAT(worker::given_outputs(folder.path(), own.value().kernel).error().message, HasSubstr("is not in the cache any more"));
  folder.write("y.npy", npy("32", std::vector<float>(32, 3.0F)));
  EXPECT_THAT(folder.error(), HasSubstr("twice.toml: argument 'y'"));
}

TEST(OwnFile, WritesIncludesInPlace) {
  OwnFolder folder;
  folder.write("more.h", "#define MORE each\n");
  folder.write("twice.c", "#include <stdint.h>\n#include \"more.h\"\n#include \"more.h\"\nint one;\n");
  EXPECT_EQ(folder.read().value().kernel.source,
            "#line 1 \"twice.c\"\n#include <stdint.h>\n#line 1 \"more.h\"\n#define MORE each\n#line 3 \"twice.c\"\n"
            "#line 1 \"more.h\"\n#define MORE each\n#line 4 \"twice.c\"\nint one;\n");
  folder.write("more.h", "#pragma once\n#define MORE each\n");
  EXPECT_EQ(folder.read().value().kernel.source,
            "#line 1 \"twice.c\"\n#include <stdint.h>\n#line 1 \"more.h\"\n\n#define MORE each\n#line 3 \"twice.c\"\n"
            "#line 4 \"twice.c\"\nint one;\n");
}

TEST(OwnFile, SeesDirectivesAsThePreprocessorDoes) {
  OwnFolder folder;
  for (const char* const text :
       {"#inc\\\nlude \"/etc/passwd\"\n", "/* */ #include \"/etc/passwd\"\n", "#/**/include \"/etc/passwd\"\n",
        "%:include \"/etc/passwd\"\n", "\f#include \"/etc/passwd\"\n", "\"/*\"\n#include \"/etc/passwd\"\n"}) {
    folder.write("twice.c", std::string(text) + "int each;\n");
    EXPECT_THAT(folder.error(), HasSubstr("lies outside of the folder")) << text;
  }
  for (const char* const text : {"#import \"x.h\"\n", "#include_next <x.h>\n", "#embed \"x\"\n"}) {
    folder.write("twice.c", std::string(text) + "int each;\n");
    EXPECT_THAT(folder.error(), HasSubstr("is not taken")) << text;
  }
  folder.write("twice.c", "/*\n#include \"/etc/passwd\"\n*/\nint each;  // #include \"/etc/passwd\"\n");
  EXPECT_EQ(folder.error(), "");
}

TEST(OwnFile, IsBoundedWhereItCouldGrow) {
  OwnFolder folder;
  EXPECT_THAT(folder.error_with("values = [1, 2, 4, 8]", "from = -9223372036854775808, to = 9223372036854775807"),
              HasSubstr("at most 4096 steps"));
  EXPECT_EQ(
      folder.error_with("values = [1, 2, 4, 8], default = 4", "from = 9223372036854775806, to = 9223372036854775807").find("4096"),
      std::string::npos);
  EXPECT_THAT(folder.error_with("n = 64", "\"n 1\\nflag -include\" = 64\nn = 64"),
              HasSubstr("needs a name of letters, digits and _"));
  EXPECT_THAT(folder.error_with("values = [1, 2, 4, 8]", "values = [4, \"01\"]"), HasSubstr("write 1"));
}

TEST(OwnFile, TakesFlagsThatTranslateAndNoOthers) {
  EXPECT_TRUE(check_own_flags("-O3 -ffast-math -mavx2 -DTILE=4 -cl-fast-relaxed-math --use_fast_math").ok());
  for (const char* const flag : {"-I/etc", "-include", "@file", "-fplugin=x", "-Wl,-rpath", "-o", "-B.", "-specs=x", "-DX=\"y\"",
                                 "-lm", "-wrapper", "-fpass-plugin=x", "-fstack-usage"})
    EXPECT_FALSE(check_own_flags(flag).ok()) << flag;
}

TEST(OwnFile, TheTemplateIsAKernelThatReads) {
  OwnFolder folder;
  const auto source = write_own_template(folder.path() / "conv.toml");
  ASSERT_TRUE(source.ok()) << source.error().message;
  const auto own = read_own_file(folder.path() / "conv.toml", {});
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_EQ(own.value().kernel.source_name, "conv.c");
  EXPECT_THAT(write_own_template(folder.path() / "conv.toml").error().message, HasSubstr("is there already"));
  EXPECT_THAT(write_own_template(folder.path() / "conv.json").error().message, HasSubstr("ends in .toml"));
}

TEST(OwnFile, ReadsEveryExample) {
  const auto pipeline = read_own_pipeline(std::filesystem::path(FUSELAB_EXAMPLES) / "norm.toml", {});
  ASSERT_TRUE(pipeline.ok()) << pipeline.error().message;
  EXPECT_EQ(pipeline.value().kernels.size(), 2u);
  EXPECT_EQ(pipeline.value().not_runnable(), "");
  for (const char* const name : {"stencil.toml", "transpose.toml", "convolution.T1.json", "reduction.toml", "matmul.toml"}) {
    const auto own = read_own_file(std::filesystem::path(FUSELAB_EXAMPLES) / name, {});
    ASSERT_TRUE(own.ok()) << own.error().message;
    EXPECT_EQ(own.value().not_runnable, "") << name;
    EXPECT_GE(own_space_of(own.value().kernel).value().enumerate(100).size(), 16u) << name;
  }
}

}  // namespace
}  // namespace fuselab::engine
