// SPDX-License-Identifier: Apache-2.0
#include "core/stacks/installable_stacks.h"

#include <algorithm>

namespace fuselab {
namespace {

using enum LicenceClass;

// The version whose plans are shipped: from 13.2 on it answers nothing without a driver.
constexpr StackWheel kCupti[] = {
    {"nvidia-cuda-cupti", Bytes{10715597}, "4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8",
     "nvidia_cuda_cupti-13.0.85.dist-info/RECORD", "f8ae8ddce85f8e319abac90e956bf45a572e31f4ff01af2d634f37aa3d78e3eb"}};
// It opens NVIDIA's two libraries of counters beside it.
constexpr std::string_view kKeptOfCupti[] = {"nvidia/cu13/lib/libcupti.so.13", "nvidia/cu13/lib/libnvperf_host.so",
                                             "nvidia/cu13/lib/libnvperf_target.so", "nvidia_cuda_cupti-13.0.85.dist-info/"};
constexpr StackWheel kMkl[] = {{"mkl", Bytes{221067932}, "eaab1875ce9f47ab3c66d5632cef06baf768c05781f2f28847bdbc4343500ed7",
                                "mkl-2026.2.0.dist-info/RECORD",
                                "25f11372c530deab138db7aaf26c2884cb25f0c0401a4e82860754799aca348d"}};
// The oldest whose disassemblers come as wheels, since an older one fits more drivers; it makes code for sm_75 to sm_121.
constexpr StackWheel kNvrtc[] = {
    {"nvidia-cuda-nvrtc", Bytes{47018468}, "8111c5130e967b78222ea2124145f8efe9ce201b752b2579a2513100a53be1c5",
     "nvidia_cuda_nvrtc-13.2.86.dist-info/RECORD", "2331398d7515cc49916a8cad48d88c95ec19c4930fc36b81ebf833c008293681"},
    {"nvidia-cuda-nvdisasm", Bytes{4418667}, "53606e719ecae07a2335f95902d5a1393a0cc1c317499ee7ffcf628a44385f2c",
     "nvidia_cuda_nvdisasm-13.2.86.dist-info/RECORD", "a4331b9848af8f6929d28ee6c918b88eb39e42642d97ce3e72fdb1b2a8a940fe"},
    {"nvidia-cuda-cuobjdump", Bytes{343821}, "d332c2ffe78e703ca0a3894be927f83124244e2acf0d792b8c12b4362d44d837",
     "nvidia_cuda_cuobjdump-13.2.86.dist-info/RECORD", "0210b5fc8941d6d225ae0c30f88d1e455071ae884c454835e5d699162ccea802"}};
constexpr std::string_view kCudaPrograms[] = {"nvidia/cu13/bin/nvdisasm", "nvidia/cu13/bin/cuobjdump"};
constexpr StackWheel kOnnxRuntime[] = {
    {"onnxruntime", Bytes{27773237}, "5a34fc4dfeb5a7b4a74c95dcba1e773d722abda720b474edf1b0c419dc6d163d",
     "onnxruntime-1.32.0.dist-info/RECORD", "60b95e057b713bd37a9e7faf847ba884acb4f488b3dbf5e823423c4048a3dfcf", "cp311"}};
constexpr StackWheel kOpenVino[] = {
    {"openvino", Bytes{59130756}, "2d22b1da03f7caf74df30e9f6417d0ab2f637e4a38e08e1dcd294d2c37407aaf",
     "openvino-2026.4.1.dist-info/RECORD", "0292576859a9b161432edc1e5f9cba11640d696b38a6dcea37f19e13fcb460ec", "cp311"}};
// Its library for processors names two of CUDA's, whose wheels are small; the other 3 GB of NVIDIA's that it asks for are not
// needed.
constexpr StackWheel kTorch[] = {
    {"torch", Bytes{539136850}, "48c2d861134c0b5697c7602cb5ffa68f62a2989fdcd1717e593356f67996ca1e", "torch-2.15.0.dist-info/RECORD",
     "d47522ead2f25d247744476fdcae907477ae602ca98dc1fb02de931f869d66be", "cp311"},
    {"nvidia-cuda-runtime",
     Bytes{2323576},
     "3498247680dfddce31bad102af7e3e26fc795342a3cac64722bb0fa95e7f60f0",
     "nvidia_cuda_runtime-13.2.86.dist-info/RECORD",
     "795d5f0a013142013ec11b688f2e840b8226ca058c05a1fcc2c8fc8c58c13eac",
     {},
     "13.2.86"},
    {"nvidia-cuda-cupti",
     Bytes{11988600},
     "8fa29f15dd8336181f961764d9d95236fc6b931dd0c8fcf8cd70aab0c310b586",
     "nvidia_cuda_cupti-13.2.86.dist-info/RECORD",
     "cd99245acf7d27d04935a234596724b75d80ccc69c36670b8631056ddb69f449",
     {},
     "13.2.86"}};
// Inductor is Python: it needs all of PyTorch's wheel, and what its compiler imports.
constexpr StackWheel kInductor[] = {
    kTorch[0],
    kTorch[1],
    kTorch[2],
    {"sympy",
     Bytes{6299353},
     "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5",
     "sympy-1.14.0.dist-info/RECORD",
     "abd10691397bcfd7b3f5b1b5b71ee2dd59fa133ce3e2656543e7244cb796e389",
     {},
     "1.14.0"},
    {"networkx",
     Bytes{2068504},
     "d47fbf302e7d9cbbb9e2555a0d267983d2aa476bac30e90dfbe5669bd57f3762",
     "networkx-3.6.1.dist-info/RECORD",
     "7dce35480131c54374d1752b7a27c51d964209c16ba88dce2ff686148fe4989e",
     {},
     "3.6.1"},
    {"jinja2",
     Bytes{134899},
     "85ece4451f492d0c13c5dd7c13a64681a86afae63a5f347908daf103ce6d2f67",
     "jinja2-3.1.6.dist-info/RECORD",
     "2e9f60b12e1a436c1ac6fdbded6090b6b791eb8d6753935c49941846e05a294d",
     {},
     "3.1.6"},
    {"fsspec",
     Bytes{221738},
     "8dd6e646e99ea382bd85f97a45e6b526a442d79423a7dc673f1e2756d05fcb5f",
     "fsspec-2026.9.0.dist-info/RECORD",
     "387ca73d3478296bbc04bcba06f8a7fd2302f60cb5549aefe55f5dcd3e30f869",
     {},
     "2026.9.0"},
    {"filelock",
     Bytes{244559},
     "79e43df8e9fe509cd83a3899a7c186c8077cbbe4d200a1ed3705c2f3bb6bc487",
     "filelock-4.3.1.dist-info/RECORD",
     "307dc6385b6c1ad3483d4fc48701ebdda2d6fb95ee2c76a5dd15ad85ced6fd07",
     {},
     "4.3.1"},
    {"typing-extensions",
     Bytes{45571},
     "481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8",
     "typing_extensions-4.16.0.dist-info/RECORD",
     "44dcf97810bea7b84bcd83890b6674bbcc2f4c5ef899a4887f15d524bdf6bb97",
     {},
     "4.16.0"},
    {"mpmath",
     Bytes{567787},
     "dc4f0ea2304480d4a9a48a94c1020571558ade522b44a6912efac63a586e140f",
     "mpmath-1.4.1.dist-info/RECORD",
     "733a3b866d9485d1ddc3082a1655043744dae60bf759531f055975f64ca404d2",
     {},
     "1.4.1"},
    {"markupsafe", Bytes{22961}, "6da83a088f8ef93b2d483a8232a4dbf4d69d3d8496b568a03c56becac43e1808",
     "markupsafe-3.0.4.dist-info/RECORD", "887a1548003f897bd7e62c92055f9a17591e725104cfd607810148fe67a49a64", "cp311", "3.0.4"}};
constexpr std::string_view kKeptOfTorch[] = {"torch/lib/libtorch_cpu.so",
                                             "torch/lib/libc10.so",
                                             "torch/lib/libgomp.so.1",
                                             "nvidia/cu13/lib/libcudart.so.13",
                                             "nvidia/cu13/lib/libcupti.so.13",
                                             "torch-2.15.0.dist-info/",
                                             "nvidia_cuda_runtime-13.2.86.dist-info/",
                                             "nvidia_cuda_cupti-13.2.86.dist-info/"};
constexpr StackWheel kXla[] = {
    {"lammps-jax-pjrt-cpu", Bytes{62711338}, "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
     "lammps_jax_pjrt_cpu-0.11.2.dist-info/RECORD", "6c33f3ed4c60cdec0340c5b9f0473e0fe1d655005c016f804c75d3ba717b5463"}};

// XLA's plugin for CUDA compiles without a driver. It links by NVIDIA's library and reads NVIDIA's bit code of mathematical
// functions, which it looks for two folders above its own.
constexpr StackWheel kXlaCuda[] = {
    {"jax-cuda13-pjrt", Bytes{134922808}, "5899bb6177eda86ea532afb9a26794f2bdd04966f6a01f9028266b16c2b6cf90",
     "jax_cuda13_pjrt-0.12.0.1.dist-info/RECORD", "4acf6bbae83bb8d980d06c881d6e5389cda4999f32bfceb222f831d156d4d84f"},
    {"nvidia-nvjitlink",
     Bytes{41370546},
     "285a9cead9924391588d794400bdd7e8f9d1a277a7d78ed79acfa0ea702a14dd",
     "nvidia_nvjitlink-13.2.86.dist-info/RECORD",
     "e072b63c57ccc0edc4cf86ce3e3b1230e73f53979c0415a73013e0e0ee935b49",
     {},
     "13.2.86"},
    {"nvidia-nvvm",
     Bytes{64280112},
     "a9244f3209922d655612c11ebb4117ea1f80983cb2b215c9cccded127282cebc",
     "nvidia_nvvm-13.2.86.dist-info/RECORD",
     "cf7fc43388e7c31f43c90340565b5ab0060c9c13a2a1e88d55fb89e1bb0e3d2a",
     {},
     "13.2.86"}};
constexpr std::string_view kKeptOfXlaCuda[] = {"jax_plugins/xla_cuda13/xla_cuda_plugin.so",  "nvidia/cu13/lib/libnvJitLink.so.13",
                                               "nvidia/cu13/nvvm/libdevice/libdevice.10.bc", "jax_cuda13_pjrt-0.12.0.1.dist-info/",
                                               "nvidia_nvjitlink-13.2.86.dist-info/",        "nvidia_nvvm-13.2.86.dist-info/"};
constexpr StackWheel kXlaTpu[] = {{"libtpu", Bytes{137064406}, "f5e2e596eaea9357fbb5a6755a7a9007c6ab75bfde4a55191b03eff402971140",
                                   "libtpu-0.0.52.dist-info/RECORD",
                                   "56c2fc2d8e265b06873b4bb928c78fe3c02c03f48de7870f39c633184ceb458f", "cp311"}};
constexpr std::string_view kKeptOfXlaTpu[] = {"libtpu/libtpu.so", "libtpu/LICENSE", "libtpu/THIRD_PARTY_NOTICES.txt",
                                              "libtpu-0.0.52.dist-info/"};

// Triton imports neither PyTorch nor, outside of its interpreter, NumPy.
constexpr StackWheel kTriton[] = {
    {"triton", Bytes{285777556}, "1622118a038b0c6e16fa4a0305da62c8b3c15904ee1cc4d4e65846a25969e41e",
     "triton-3.9.0.dist-info/RECORD", "45980cb659cf7d5d536592a24f3a73ef9898831d0518c6f7d500ab4abb7c56a4", "cp311"},
    {"numpy", Bytes{16918164}, "89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93", "numpy-2.4.6.dist-info/RECORD",
     "38c4a5af0eeb6337a99a512b19e3147c1dc1792e7b97b7f4265e9ddb12236357", "cp311", "2.4.6"}};

constexpr std::string_view kTritonPrograms[] = {"triton/backends/nvidia/bin/ptxas", "triton/backends/nvidia/bin/ptxas-blackwell",
                                                "triton/backends/nvidia/bin/cuobjdump", "triton/backends/nvidia/bin/nvdisasm"};

constexpr InstallableStack kInstallable[] = {
    {"cupti",
     "cuda",
     "13.0.85",
     "NVIDIA Corporation",
     "CUDA Toolkit End User License Agreement",
     kProprietary,
     kCupti,
     "nvidia/cu13/lib/libcupti.so.13",
     {},
     kKeptOfCupti},
    {"inductor", "inductor", "2.15.0", "The PyTorch Foundation and others; NVIDIA Corporation",
     "BSD-3-Clause, MIT, PSF-2.0; CUDA Toolkit End User License Agreement for two libraries", kProprietary, kInductor,
     "torch/lib/libtorch_cpu.so"},
    {"mkl", "mkl", "2026.2.0", "Intel Corporation", "Intel Simplified Software License", kProprietary, kMkl,
     "mkl-2026.2.0.data/data/lib/libmkl_rt.so.3"},
    {"nvrtc", "cuda", "13.2.86", "NVIDIA Corporation", "CUDA Toolkit End User License Agreement", kProprietary, kNvrtc,
     "nvidia/cu13/lib/libnvrtc.so.13", kCudaPrograms},
    {"onnxruntime", "onnxruntime", "1.32.0", "Microsoft Corporation", "MIT", kFree, kOnnxRuntime,
     "onnxruntime/capi/libonnxruntime.so.1.32.0"},
    {"openvino", "openvino", "2026.4.1", "Intel Corporation", "Apache-2.0", kFree, kOpenVino,
     "openvino/libs/libopenvino_c.so.2641"},
    {"torch",
     "torch",
     "2.15.0",
     "The PyTorch Foundation; NVIDIA Corporation",
     "BSD-3-Clause; CUDA Toolkit End User License Agreement for two libraries",
     kProprietary,
     kTorch,
     "torch/lib/libtorch_cpu.so",
     {},
     kKeptOfTorch},
    {"triton", "triton", "3.9.0", "OpenAI; NVIDIA Corporation",
     "MIT; CUDA Toolkit End User License Agreement for NVIDIA's assembler", kProprietary, kTriton, "triton/_C/libtriton.so",
     kTritonPrograms},
    {"xla", "xla", "0.11.2", "lammps-jax (a build of OpenXLA)", "Apache-2.0", kFree, kXla,
     "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"},
    {"xla-cuda",
     "xla",
     "0.12.0.1",
     "JAX; NVIDIA Corporation",
     "Apache-2.0; CUDA Toolkit End User License Agreement for NVIDIA's linker and bit code",
     kProprietary,
     kXlaCuda,
     "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
     {},
     kKeptOfXlaCuda},
    {"xla-tpu",
     "xla",
     "0.0.52",
     "Google LLC",
     "Google Cloud Platform Terms of Service",
     kProprietary,
     kXlaTpu,
     "libtpu/libtpu.so",
     {},
     kKeptOfXlaTpu},
};

constexpr PackagedStack kPackaged[] = {
    {"onednn", "libdnnl2"},
    {"opencl", "pocl-opencl-icd"},
    {"openmp", "libgomp1"},
};

template <typename Row>
const Row* find_row(std::span<const Row> rows, std::string_view id) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

bool InstallableStack::keeps(std::string_view path) const {
  const auto is_it = [path](std::string_view each) { return each.ends_with('/') ? path.starts_with(each) : path == each; };
  return kept.empty() || std::ranges::any_of(kept, is_it) || std::ranges::any_of(wheels, is_it, &StackWheel::record);
}

Bytes InstallableStack::download() const {
  Bytes sum;
  for (const StackWheel& wheel : wheels) sum.count += wheel.size.count;
  return sum;
}

std::string InstallableStack::install_command() const {
  return "fuselab backends install " + std::string(id) + (licence_class == kProprietary ? " --accept-licence" : "");
}

std::span<const InstallableStack> installable_stacks() {
  return kInstallable;
}

std::span<const PackagedStack> packaged_stacks() {
  return kPackaged;
}

const InstallableStack* find_installable_stack(std::string_view id) {
  return find_row(installable_stacks(), id);
}

const PackagedStack* find_packaged_stack(std::string_view id) {
  return find_row(packaged_stacks(), id);
}

}  // namespace fuselab
