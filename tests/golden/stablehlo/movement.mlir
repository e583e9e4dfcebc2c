module @fuselab {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<3xi64>, %out0: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2x2xf32>) {
    %0 = stablehlo.constant dense<0> : tensor<3xi64>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %2 = stablehlo.constant dense<6> : tensor<3xi64>
    %3 = stablehlo.add %arg1, %2 : tensor<3xi64>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3xi1>, tensor<3xi64>
    %5 = "stablehlo.gather"(%arg0, %4) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 4, 1>, indices_are_sorted = false} : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x3xf32>
    %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %7 = stablehlo.slice %6 [0:3, 0:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
    %8 = stablehlo.slice %6 [0:3, 2:4] : (tensor<3x4xf32>) -> tensor<3x2xf32>
    %9 = stablehlo.concatenate %8, %7, dim = 0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<6x2xf32>
    %10 = stablehlo.slice %9 [1:4:2, 0:2] : (tensor<6x2xf32>) -> tensor<2x2xf32>
    return %10 : tensor<2x2xf32>
  }
}
