// softmax(outer=?rows, n=2048, inner=1, dtype=float32): rows=1,shares=4
// <<<(rows, 1, 1), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128) softmax_cuda(
    const float* __restrict__ x, float* __restrict__ y, long long rows_size) {
  const int rows = (int)rows_size;
  __shared__ __align__(128) float i_best_all_met[1][4];
  __shared__ __align__(128) float i_sum_part_all_met[1][4];
  const int bm = blockIdx.x;
  const int wn = threadIdx.x / 32;
  const int ln = threadIdx.x % 32;
  const int lane = threadIdx.x % 32;
  at_begin(x);

  float i_best[4];
  float i_top;
  float i_last;
  float i_sum;
  float i_sum_part[4];
  #pragma unroll
  for (int pv = 0; pv < 4; ++pv) {
    i_best[pv] = -AT_INFINITY;
  }
  #pragma unroll 1
  for (int ro = 0; ro < 4; ++ro) {
    float piece0[4];
    at_load4(piece0, &x[bm * 2048 + ro * 512 + wn * 128 + ln * 4]);
    #pragma unroll
    for (int pv = 0; pv < 4; ++pv) {
      i_best[pv] = (piece0[pv] > i_best[pv]) ? piece0[pv] : i_best[pv];
    }
  }
  float i_best_all;
  { const float sum = at_warp_max(at_max(at_max(at_max(i_best[0], i_best[1]), i_best[2]), i_best[3]));
    if (lane == 0) i_best_all_met[0][wn] = sum; }
  __syncthreads();
  {
    i_best_all = i_best_all_met[0][0];
    #pragma unroll
    for (int pp = 0; pp < 3; ++pp) {
      i_best_all = at_max(i_best_all, i_best_all_met[0][pp + 1]);
    }
  }
  i_top = i_best_all;
  #pragma unroll
  for (int pv = 0; pv < 4; ++pv) {
    i_sum_part[pv] = 0.0f;
  }
  #pragma unroll 1
  for (int ro = 0; ro < 4; ++ro) {
    float piece0[4];
    at_load4(piece0, &x[bm * 2048 + ro * 512 + wn * 128 + ln * 4]);
    #pragma unroll
    for (int pv = 0; pv < 4; ++pv) {
      i_sum_part[pv] += at_exp(piece0[pv] - i_top);
    }
  }
  float i_sum_part_all;
  { const float sum = at_warp_sum(((i_sum_part[0] + i_sum_part[1]) + i_sum_part[2]) + i_sum_part[3]);
    if (lane == 0) i_sum_part_all_met[0][wn] = sum; }
  __syncthreads();
  {
    i_sum_part_all = i_sum_part_all_met[0][0];
    #pragma unroll
    for (int pp = 0; pp < 3; ++pp) {
      i_sum_part_all += i_sum_part_all_met[0][pp + 1];
    }
  }
  i_sum = i_sum_part_all;
  i_last = 1.0f / i_sum;
  #pragma unroll 1
  for (int ro = 0; ro < 4; ++ro) {
    float piece0[4];
    at_load4(piece0, &x[bm * 2048 + ro * 512 + wn * 128 + ln * 4]);
    at_store4(
        &y[bm * 2048 + ro * 512 + wn * 128 + ln * 4],
        float4{
            (at_exp(piece0[0] - i_top) * i_last),
            (at_exp(piece0[1] - i_top) * i_last),
            (at_exp(piece0[2] - i_top) * i_last),
            (at_exp(piece0[3] - i_top) * i_last)});
  }
}
