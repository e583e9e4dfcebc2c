module @fuselab {
  func.func public @main(%arg0: tensor<64xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<64xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<64xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
    %4 = stablehlo.constant dense<0x41800000> : tensor<4x16xf32>
    %5 = stablehlo.divide %3, %4 : tensor<4x16xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<4x16xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<4x16xf32>
    %8 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %10 = stablehlo.constant dense<0x41800000> : tensor<4xf32>
    %11 = stablehlo.divide %9, %10 : tensor<4xf32>
    %12 = stablehlo.constant dense<0x3727C5AC> : tensor<4xf32>
    %13 = stablehlo.add %11, %12 : tensor<4xf32>
    %14 = stablehlo.rsqrt %13 : tensor<4xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
    %16 = stablehlo.multiply %6, %15 : tensor<4x16xf32>
    %17 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %18 = stablehlo.multiply %16, %17 : tensor<4x16xf32>
    %19 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %20 = stablehlo.add %18, %19 : tensor<4x16xf32>
    %21 = stablehlo.reshape %20 : (tensor<4x16xf32>) -> tensor<64xf32>
    return %21 : tensor<64xf32>
  }
}
