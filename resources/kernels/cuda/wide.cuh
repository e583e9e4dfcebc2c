// SPDX-License-Identifier: Apache-2.0
// needs:
FL_DEVICE double fl_wide(float x) {
  return x;
}
