// dense(m=?m, n=768, k=768, dtype=float32): tile_m=8,tile_n=2,unroll_k=2,warps_k=3,warps_n=4
// <<<(m_q + 1, 96, 1), 384>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(384, 2) dense_cuda_narrow_r3(
    const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, long long m_size) {
  const int m = (int)m_size;
  const int m_q = m / 8;
  __shared__ __align__(128) float sums[3][4][8][2];
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;
  const int wk = threadIdx.x / 128;
  const int wn = threadIdx.x / 32 % 4;
  const int ln = threadIdx.x % 32;
  const int p_mi = threadIdx.x / 8 % 8;
  const int p_wn = threadIdx.x / 2 % 4;
  const int p_ni = threadIdx.x % 2;
  const int lane = threadIdx.x % 32;
  at_begin(x, w);

  if (bm < m_q) {  // whole tiles
    float acc[8][2];
    #pragma unroll
    for (int mi = 0; mi < 8; ++mi) {
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        acc[mi][ni] = 0.0f;
      }
    }
    #pragma unroll
    for (int ki = 0; ki < 2; ++ki) {
      float b[2][4];
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        at_load_streaming4(b[ni], &w[(bn * 8 + wn * 2) * 768 + wk * 128 + ln * 4] + (ni * 768 + ki * 384));
      }
      #pragma unroll
      for (int mi = 0; mi < 8; ++mi) {
        float a[4];
        at_load4(a, &x[bm * 8 * 768 + wk * 128 + ln * 4] + (mi * 768 + ki * 384));
        #pragma unroll
        for (int ni = 0; ni < 2; ++ni) {
          #pragma unroll
          for (int kv = 0; kv < 4; ++kv) {
            acc[mi][ni] += a[kv] * b[ni][kv];
          }
        }
      }
    }
    { const float sum = at_warp_sums<16>(&acc[0][0]);
      if (lane < 16) sums[wk][wn][lane / 2][lane % 2] = sum; }
    __syncthreads();
    if (threadIdx.x < 64) {
      float total = sums[0][p_wn][p_mi][p_ni];
      #pragma unroll
      for (int p_part = 0; p_part < 3; ++p_part) {
        if (p_part >= 1) {
          total += sums[p_part][p_wn][p_mi][p_ni];
        }
      }
      y[(bm * 8 + p_mi) * 768 + bn * 8 + p_wn * 2 + p_ni] = total;
    }
  } else {  // the last tile, as far as it is there
    float acc[8][2];
    #pragma unroll
    for (int mi = 0; mi < 3; ++mi) {
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        acc[mi][ni] = 0.0f;
      }
    }
    #pragma unroll
    for (int ki = 0; ki < 2; ++ki) {
      float b[2][4];
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        at_load_streaming4(b[ni], &w[(bn * 8 + wn * 2) * 768 + wk * 128 + ln * 4] + (ni * 768 + ki * 384));
      }
      #pragma unroll
      for (int mi = 0; mi < 3; ++mi) {
        float a[4];
        at_load4(a, &x[m_q * 8 * 768 + wk * 128 + ln * 4] + (mi * 768 + ki * 384));
        #pragma unroll
        for (int ni = 0; ni < 2; ++ni) {
          #pragma unroll
          for (int kv = 0; kv < 4; ++kv) {
            acc[mi][ni] += a[kv] * b[ni][kv];
          }
        }
      }
    }
    { const float sum = at_warp_sums<6>(&acc[0][0]);
      if (lane < 6) sums[wk][wn][lane / 2][lane % 2] = sum; }
    __syncthreads();
    if (threadIdx.x < 64) {
      float total = sums[0][p_wn][p_mi][p_ni];
      #pragma unroll
      for (int p_part = 0; p_part < 3; ++p_part) {
        if (p_part >= 1) {
          total += sums[p_part][p_wn][p_mi][p_ni];
        }
      }
      if (p_mi <= 2) {
        y[(m_q * 8 + p_mi) * 768 + bn * 8 + p_wn * 2 + p_ni] = total;
      }
    }
  }
}
