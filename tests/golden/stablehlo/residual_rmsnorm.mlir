module @fuselab {
  func.func public @main(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<16xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<64xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<64xf32>) -> tensor<4x16xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x16xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<4x16xf32>
    %4 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.constant dense<0x41800000> : tensor<4xf32>
    %7 = stablehlo.divide %5, %6 : tensor<4xf32>
    %8 = stablehlo.constant dense<0x3727C5AC> : tensor<4xf32>
    %9 = stablehlo.add %7, %8 : tensor<4xf32>
    %10 = stablehlo.rsqrt %9 : tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
    %12 = stablehlo.multiply %2, %11 : tensor<4x16xf32>
    %13 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<4x16xf32>
    %15 = stablehlo.reshape %2 : (tensor<4x16xf32>) -> tensor<64xf32>
    %16 = stablehlo.reshape %14 : (tensor<4x16xf32>) -> tensor<64xf32>
    return %15, %16 : tensor<64xf32>, tensor<64xf32>
  }
}
