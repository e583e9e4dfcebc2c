// SPDX-License-Identifier: Apache-2.0
// Opens like NVIDIA's driver, like NVRTC and like HIP's runtime, tells a version that would do, and has no other function.
extern "C" __attribute__((visibility("default"))) int cuDriverGetVersion(int* version) {
  *version = 12080;
  return 0;
}

extern "C" __attribute__((visibility("default"))) int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 9;
  return 0;
}

extern "C" __attribute__((visibility("default"))) int hipRuntimeGetVersion(int* version) {
  *version = 70125424;
  return 0;
}
