// dense(m=?m, n=768, k=768, dtype=bfloat16, tail=y + bias[n]): tile_m=4,tile_n=2,unroll_k=3,warps_k=1,warps_n=4
// <<<(m_q + 1, 96, 1), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128, 7) dense_cuda_narrow_r1_3(
    const at_bf16* __restrict__ x,
    const at_bf16* __restrict__ w,
    const at_bf16* __restrict__ bias,
    at_bf16* __restrict__ y,
    long long m_size) {
  const int m = (int)m_size;
  const int m_q = m / 4;
  const int m_r = m % 4;
  __shared__ __align__(128) float sums[1][4][4][2];
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;
  const int wn = threadIdx.x / 32;
  const int ln = threadIdx.x % 32;
  const int p_mi = threadIdx.x / 8 % 4;
  const int p_wn = threadIdx.x / 2 % 4;
  const int p_ni = threadIdx.x % 2;
  const int lane = threadIdx.x % 32;
  at_begin(x, w, bias);

  if (bm < m_q) {  // whole tiles
    float acc[4][2];
    #pragma unroll
    for (int mi = 0; mi < 4; ++mi) {
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        acc[mi][ni] = 0.0f;
      }
    }
    #pragma unroll
    for (int ki = 0; ki < 3; ++ki) {
      at_bf16 b[2][8];
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        at_load_streaming16(b[ni], &w[(bn * 8 + wn * 2) * 768 + ln * 8] + (ni * 768 + ki * 256));
      }
      #pragma unroll
      for (int mi = 0; mi < 4; ++mi) {
        at_bf16 a[8];
        at_load16(a, &x[bm * 4 * 768 + ln * 8] + (mi * 768 + ki * 256));
        #pragma unroll
        for (int ni = 0; ni < 2; ++ni) {
          #pragma unroll
          for (int kv = 0; kv < 8; ++kv) {
            acc[mi][ni] += at_bf16_to_float(a[kv]) * at_bf16_to_float(b[ni][kv]);
          }
        }
      }
    }
    { const float sum = at_warp_sums<8>(&acc[0][0]);
      if (lane < 8) sums[0][wn][lane / 2][lane % 2] = sum; }
    __syncthreads();
    if (threadIdx.x < 32) {
      float total = sums[0][p_wn][p_mi][p_ni];
      y[(bm * 4 + p_mi) * 768 + bn * 8 + p_wn * 2 + p_ni] =
          at_float_to_bf16(total + at_bf16_to_float(bias[bn * 8 + p_wn * 2 + p_ni]));
    }
  } else {  // the last tile, as far as it is there
    float acc[4][2];
    #pragma unroll
    for (int mi = 0; mi < 3; ++mi) {
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        acc[mi][ni] = 0.0f;
      }
    }
    #pragma unroll
    for (int ki = 0; ki < 3; ++ki) {
      at_bf16 b[2][8];
      #pragma unroll
      for (int ni = 0; ni < 2; ++ni) {
        at_load_streaming16(b[ni], &w[(bn * 8 + wn * 2) * 768 + ln * 8] + (ni * 768 + ki * 256));
      }
      #pragma unroll
      for (int mi = 0; mi < 3; ++mi) {
        at_bf16 a[8];
        if (mi < m_r) {
          at_load16(a, &x[m_q * 4 * 768 + ln * 8] + (mi * 768 + ki * 256));
        } else {
          #pragma unroll
          for (int kv = 0; kv < 8; ++kv) {
            a[kv] = at_float_to_bf16(0.0f);
          }
        }
        #pragma unroll
        for (int ni = 0; ni < 2; ++ni) {
          #pragma unroll
          for (int kv = 0; kv < 8; ++kv) {
            acc[mi][ni] += at_bf16_to_float(a[kv]) * at_bf16_to_float(b[ni][kv]);
          }
        }
      }
    }
    { const float sum = at_warp_sums<6>(&acc[0][0]);
      if (lane < 6) sums[0][wn][lane / 2][lane % 2] = sum; }
    __syncthreads();
    if (threadIdx.x < 32) {
      float total = sums[0][p_wn][p_mi][p_ni];
      if (p_mi < m_r) {
        y[(m_q * 4 + p_mi) * 768 + bn * 8 + p_wn * 2 + p_ni] =
            at_float_to_bf16(total + at_bf16_to_float(bias[bn * 8 + p_wn * 2 + p_ni]));
      }
    }
  }
}
