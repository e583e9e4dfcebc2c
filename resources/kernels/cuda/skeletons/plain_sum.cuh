// SPDX-License-Identifier: Apache-2.0
// One result from step `begin` to `end` of the depth, product by product. A unit that splits numbers into parts makes NaN of an
// infinity times a part that is zero; where a sum is not finite, this says what it is.

FL_DEVICE fl_total fl_plain_sum(const fl_arguments& in, int batch, int row, int column, int begin, int end) {
  fl_total sum = 0;
#pragma unroll 1
  for (int k = begin; k < end; ++k) sum += fl_left_element(in, batch, row, k) * fl_right_element(in, batch, k, column);
  return sum;
}
