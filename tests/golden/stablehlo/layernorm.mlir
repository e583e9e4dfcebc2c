module @fuselab {
  func.func public @main(%arg0: tensor<4x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %out0: tensor<4x16xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4x16xf32>) {
    %0 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
    %3 = stablehlo.constant dense<0x41800000> : tensor<4x16xf32>
    %4 = stablehlo.divide %2, %3 : tensor<4x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x16xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<4x16xf32>
    %7 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %8 = stablehlo.reduce(%6 init: %7) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.constant dense<0x41800000> : tensor<4xf32>
    %10 = stablehlo.divide %8, %9 : tensor<4xf32>
    %11 = stablehlo.constant dense<0x3727C5AC> : tensor<4xf32>
    %12 = stablehlo.add %10, %11 : tensor<4xf32>
    %13 = stablehlo.rsqrt %12 : tensor<4xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
    %15 = stablehlo.multiply %5, %14 : tensor<4x16xf32>
    %16 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %17 = stablehlo.multiply %15, %16 : tensor<4x16xf32>
    %18 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %19 = stablehlo.add %17, %18 : tensor<4x16xf32>
    return %19 : tensor<4x16xf32>
  }
}
