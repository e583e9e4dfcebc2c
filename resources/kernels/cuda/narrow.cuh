// SPDX-License-Identifier: Apache-2.0
// needs:
FL_DEVICE float fl_narrow(double x) {
  return static_cast<float>(x);
}
