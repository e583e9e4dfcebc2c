module @fuselab {
  func.func public @main(%arg0: tensor<24xf32>, %arg1: tensor<3xi64>) -> (tensor<4xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<24xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.constant dense<0> : tensor<3xi64>
    %2 = stablehlo.compare LT, %arg1, %1, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %3 = stablehlo.constant dense<6> : tensor<3xi64>
    %4 = stablehlo.add %arg1, %3 : tensor<3xi64>
    %5 = stablehlo.select %2, %4, %arg1 : tensor<3xi1>, tensor<3xi64>
    %6 = "stablehlo.gather"(%0, %5) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 4, 1>, indices_are_sorted = false} : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x3xf32>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %8 = stablehlo.slice %7 [0:3, 0:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
    %9 = stablehlo.slice %7 [0:3, 2:4] : (tensor<3x4xf32>) -> tensor<3x2xf32>
    %10 = stablehlo.concatenate %9, %8, dim = 0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<6x2xf32>
    %11 = stablehlo.slice %10 [1:5:2, 0:2] : (tensor<6x2xf32>) -> tensor<2x2xf32>
    %12 = stablehlo.reshape %11 : (tensor<2x2xf32>) -> tensor<4xf32>
    return %12 : tensor<4xf32>
  }
}
