// SPDX-License-Identifier: Apache-2.0
#include "core/stacks/installable_stacks.h"

#include <algorithm>

namespace fuselab {
namespace {

using enum LicenceClass;

constexpr InstallableStack kInstallable[] = {
    {"mkl", "mkl", "2026.2.0", "Intel Corporation", "Intel Simplified Software License", kProprietary, Bytes{221067932},
     "eaab1875ce9f47ab3c66d5632cef06baf768c05781f2f28847bdbc4343500ed7", "mkl-2026.2.0.dist-info/RECORD",
     "25f11372c530deab138db7aaf26c2884cb25f0c0401a4e82860754799aca348d", "mkl-2026.2.0.data/data/lib/libmkl_rt.so.3", ""},
    {"onnxruntime", "onnxruntime", "1.32.0", "Microsoft Corporation", "MIT", kFree, Bytes{27773237},
     "5a34fc4dfeb5a7b4a74c95dcba1e773d722abda720b474edf1b0c419dc6d163d", "onnxruntime-1.32.0.dist-info/RECORD",
     "60b95e057b713bd37a9e7faf847ba884acb4f488b3dbf5e823423c4048a3dfcf", "onnxruntime/capi/libonnxruntime.so.1.32.0", "cp311"},
    {"openvino", "openvino", "2026.4.1", "Intel Corporation", "Apache-2.0", kFree, Bytes{59130756},
     "2d22b1da03f7caf74df30e9f6417d0ab2f637e4a38e08e1dcd294d2c37407aaf", "openvino-2026.4.1.dist-info/RECORD",
     "0292576859a9b161432edc1e5f9cba11640d696b38a6dcea37f19e13fcb460ec", "openvino/libs/libopenvino_c.so.2641", "cp311"},
    {"xla", "lammps-jax-pjrt-cpu", "0.11.2", "lammps-jax (a build of OpenXLA)", "Apache-2.0", kFree, Bytes{62711338},
     "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1", "lammps_jax_pjrt_cpu-0.11.2.dist-info/RECORD",
     "6c33f3ed4c60cdec0340c5b9f0473e0fe1d655005c016f804c75d3ba717b5463", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", ""},
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
