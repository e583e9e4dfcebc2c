// SPDX-License-Identifier: Apache-2.0
// As a toolkit ships a driver to link against: it opens, and is none.
extern "C" int answers_with_an_error();
int answers_with_an_error() {
  return 1;
}
