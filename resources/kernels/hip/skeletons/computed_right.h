// SPDX-License-Identifier: Apache-2.0
// needs: unit
// The right operand is computed a part at a time, as from numbers of fewer bits that lie in memory. Before this text stands,
// besides what products need: fl_right_part(in, batch, at), the elements of a part that begins at an offset in a batch's operand.
struct fl_computed {
  const fl_arguments& in;
  int batch;
};
FL_DEVICE fl_computed fl_right_of(const fl_arguments& in, int batch) {
  return {in, batch};
}
FL_DEVICE fl_vec<fl_operand, kPart> fl_part_of(const fl_computed& from, long long at, int valid) {
  fl_vec<fl_operand, kPart> part = {};
  if (valid > 0) {
    const fl_vec<float, kPart> elements = fl_right_part(from.in, from.batch, at);
#pragma unroll
    for (int e = 0; e < kPart; ++e) part.v[e] = fl_operand_of(elements.v[e]);
  }
  return part;
}
