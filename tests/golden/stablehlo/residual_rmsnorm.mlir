module @fuselab {
  func.func public @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x16xf32>, %arg2: tensor<16xf32>, %out0: tensor<4x16xf32> {tf.aliasing_output = 0 : i32}, %out1: tensor<4x16xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4x16xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<4x16xf32>
    %2 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.constant dense<0x41800000> : tensor<4xf32>
    %5 = stablehlo.divide %3, %4 : tensor<4xf32>
    %6 = stablehlo.constant dense<0x3727C5AC> : tensor<4xf32>
    %7 = stablehlo.add %5, %6 : tensor<4xf32>
    %8 = stablehlo.rsqrt %7 : tensor<4xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x16xf32>
    %11 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<4x16xf32>
    return %0, %12 : tensor<4x16xf32>, tensor<4x16xf32>
  }
}
