// layer_norm(rows=?rows, n=768, dtype=float32): rows=4,shares=1
// <<<((rows + 3) / 4, 1, 1), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128) layer_norm_cuda(
    const float* __restrict__ x,
    const float* __restrict__ gamma,
    const float* __restrict__ beta,
    float* __restrict__ y,
    long long rows_size) {
  const int rows = (int)rows_size;
  const int bm = blockIdx.x;
  const int wm = threadIdx.x / 32;
  const int ln = threadIdx.x % 32;
  const int lane = threadIdx.x % 32;
  at_begin(x, gamma, beta);

  float i_mean;
  float i_sum;
  float i_sum_part[4];
  float i_scale;
  float i_square;
  float i_square_part[4];
  #pragma unroll
  for (int pv = 0; pv < 4; ++pv) {
    i_sum_part[pv] = 0.0f;
  }
  if (bm * 4 + wm < rows) {
    #pragma unroll 1
    for (int ro = 0; ro < 6; ++ro) {
      float piece0[4];
      at_load4(piece0, &x[(bm * 4 + wm) * 768 + ro * 128 + ln * 4]);
      #pragma unroll
      for (int pv = 0; pv < 4; ++pv) {
        i_sum_part[pv] += piece0[pv];
      }
    }
  }
  float i_sum_part_all;
  i_sum_part_all = at_warp_sum(((i_sum_part[0] + i_sum_part[1]) + i_sum_part[2]) + i_sum_part[3]);
  i_sum = i_sum_part_all;
  i_mean = i_sum / (float)((long long)(768));
  #pragma unroll
  for (int pv = 0; pv < 4; ++pv) {
    i_square_part[pv] = 0.0f;
  }
  if (bm * 4 + wm < rows) {
    #pragma unroll 1
    for (int ro = 0; ro < 6; ++ro) {
      float piece0[4];
      at_load4(piece0, &x[(bm * 4 + wm) * 768 + ro * 128 + ln * 4]);
      #pragma unroll
      for (int pv = 0; pv < 4; ++pv) {
        i_square_part[pv] += (piece0[pv] - i_mean) * (piece0[pv] - i_mean);
      }
    }
  }
  float i_square_part_all;
  i_square_part_all = at_warp_sum(((i_square_part[0] + i_square_part[1]) + i_square_part[2]) + i_square_part[3]);
  i_square = i_square_part_all;
  i_scale = at_rsqrt((i_square / (float)((long long)(768))) + 1e-05f);
  if (bm * 4 + wm < rows) {
    #pragma unroll 1
    for (int ro = 0; ro < 6; ++ro) {
      float piece2[4];
      float piece1[4];
      float piece0[4];
      at_load4(piece0, &x[(bm * 4 + wm) * 768 + ro * 128 + ln * 4]);
      at_load4(piece1, &gamma[ro * 128 + ln * 4]);
      at_load4(piece2, &beta[ro * 128 + ln * 4]);
      at_store4(
          &y[(bm * 4 + wm) * 768 + ro * 128 + ln * 4],
          float4{
              ((((piece0[0] - i_mean) * i_scale) * piece1[0]) + piece2[0]),
              ((((piece0[1] - i_mean) * i_scale) * piece1[1]) + piece2[1]),
              ((((piece0[2] - i_mean) * i_scale) * piece1[2]) + piece2[2]),
              ((((piece0[3] - i_mean) * i_scale) * piece1[3]) + piece2[3])});
    }
  }
}
