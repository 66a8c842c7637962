// dense(m=?m, n=768, k=768, dtype=float32, tail=gelu(y + bias[n])): block_k=32,group_n=1,lanes=4x8,split_k=1,stages=3,tile_m=4,tile_n=4,unroll_k=2,warps_m=2,warps_n=2
// <<<((m_r + 31) / 32 + m_q, 12, 1), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128) dense_cuda_simt(
    const float* __restrict__ x,
    const float* __restrict__ w,
    const float* __restrict__ bias,
    float* __restrict__ y,
    long long m_size) {
  const int m = (int)m_size;
  const int m_q = m / 32;
  const int m_r = m % 32;
  __shared__ __align__(128) float x_tile[3][32][36];
  __shared__ __align__(128) float w_tile[3][64][36];
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;
  const int wm = threadIdx.x / 64;
  const int wn = threadIdx.x / 32 % 2;
  const int lm = threadIdx.x / 16 % 2;
  const int ln = threadIdx.x / 2 % 8;
  const int lo = threadIdx.x % 2;
  const int p_x_row = threadIdx.x / 8;
  const int p_x_piece = threadIdx.x % 8;
  const int p_w_row = threadIdx.x / 8;
  const int p_w_piece = threadIdx.x % 8;
  at_begin(x, w, bias);

  if (bm < m_q) {  // whole tiles
    float acc[4][4];
    #pragma unroll
    for (int ni = 0; ni < 4; ++ni) {
      #pragma unroll
      for (int mi = 0; mi < 4; ++mi) {
        acc[ni][mi] = 0.0f;
      }
    }
    #pragma unroll
    for (int p_first = 0; p_first < 2; ++p_first) {
      #pragma unroll
      for (int p_x_pass = 0; p_x_pass < 2; ++p_x_pass) {
        at_cp_async16(
            &x_tile[p_first][p_x_pass * 16 + p_x_row][p_x_piece * 4],
            &x[(bm * 32 + p_x_row) * 768 + p_x_piece * 4] + (p_x_pass * 12288 + p_first * 32),
            true);
      }
      #pragma unroll
      for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
        at_cp_async16(
            &w_tile[p_first][p_w_pass * 16 + p_w_row][p_w_piece * 4],
            &w[(bn * 64 + p_w_row) * 768 + p_w_piece * 4] + (p_w_pass * 12288 + p_first * 32),
            true);
      }
      at_cp_commit();
    }
    #pragma unroll 1
    for (int ko = 0; ko < 24; ++ko) {
      at_cp_wait<1>();
      __syncthreads();
      if (ko <= 21) {
        #pragma unroll
        for (int p_x_pass = 0; p_x_pass < 2; ++p_x_pass) {
          at_cp_async16(
              &x_tile[(ko + 2) % 3][p_x_pass * 16 + p_x_row][p_x_piece * 4],
              &x[(bm * 32 + p_x_row) * 768 + ko * 32 + p_x_piece * 4] + (p_x_pass * 12288 + 64),
              true);
        }
        #pragma unroll
        for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
          at_cp_async16(
              &w_tile[(ko + 2) % 3][p_w_pass * 16 + p_w_row][p_w_piece * 4],
              &w[(bn * 64 + p_w_row) * 768 + ko * 32 + p_w_piece * 4] + (p_w_pass * 12288 + 64),
              true);
        }
      }
      at_cp_commit();
      #pragma unroll 1
      for (int kp = 0; kp < 4; ++kp) {
        #pragma unroll
        for (int ki = 0; ki < 2; ++ki) {
          float a[4][4];
          #pragma unroll
          for (int mi = 0; mi < 4; ++mi) {
            at_load4(a[mi], &x_tile[ko % 3][mi * 8 + wm * 4 + lm * 2 + lo][kp * 8 + ki * 4]);
          }
          #pragma unroll
          for (int ni = 0; ni < 4; ++ni) {
            float b[4];
            at_load4(b, &w_tile[ko % 3][ni * 16 + wn * 8 + ln][kp * 8 + ki * 4]);
            #pragma unroll
            for (int mi = 0; mi < 4; ++mi) {
              #pragma unroll
              for (int kv = 0; kv < 4; ++kv) {
                acc[ni][mi] += a[mi][kv] * b[kv];
              }
            }
          }
        }
      }
    }
    #pragma unroll
    for (int ni = 0; ni < 4; ++ni) {
      #pragma unroll
      for (int mi = 0; mi < 4; ++mi) {
        (&y[(bm * 32 + wm * 4 + lm * 2 + lo) * 768 + bn * 64 + wn * 8 + ln])[mi * 6144 + ni * 16] =
            at_gelu(acc[ni][mi] + (&bias[bn * 64 + wn * 8 + ln])[ni * 16]);
      }
    }
  } else {  // the last tile, as far as it is there
    float acc[4][4];
    #pragma unroll
    for (int ni = 0; ni < 4; ++ni) {
      #pragma unroll
      for (int mi = 0; mi < 4; ++mi) {
        acc[ni][mi] = 0.0f;
      }
    }
    #pragma unroll
    for (int p_first = 0; p_first < 2; ++p_first) {
      #pragma unroll
      for (int p_x_pass = 0; p_x_pass < 2; ++p_x_pass) {
        at_cp_async16(
            &x_tile[p_first][p_x_pass * 16 + p_x_row][p_x_piece * 4],
            &x[(m_q * 32 + p_x_row) * 768 + p_x_piece * 4] + (p_x_pass * 12288 + p_first * 32),
            p_x_pass * 16 + p_x_row < m_r);
      }
      #pragma unroll
      for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
        at_cp_async16(
            &w_tile[p_first][p_w_pass * 16 + p_w_row][p_w_piece * 4],
            &w[(bn * 64 + p_w_row) * 768 + p_w_piece * 4] + (p_w_pass * 12288 + p_first * 32),
            true);
      }
      at_cp_commit();
    }
    #pragma unroll 1
    for (int ko = 0; ko < 24; ++ko) {
      at_cp_wait<1>();
      __syncthreads();
      if (ko <= 21) {
        #pragma unroll
        for (int p_x_pass = 0; p_x_pass < 2; ++p_x_pass) {
          at_cp_async16(
              &x_tile[(ko + 2) % 3][p_x_pass * 16 + p_x_row][p_x_piece * 4],
              &x[(m_q * 32 + p_x_row) * 768 + ko * 32 + p_x_piece * 4] + (p_x_pass * 12288 + 64),
              p_x_pass * 16 + p_x_row < m_r);
        }
        #pragma unroll
        for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
          at_cp_async16(
              &w_tile[(ko + 2) % 3][p_w_pass * 16 + p_w_row][p_w_piece * 4],
              &w[(bn * 64 + p_w_row) * 768 + ko * 32 + p_w_piece * 4] + (p_w_pass * 12288 + 64),
              true);
        }
      }
      at_cp_commit();
      #pragma unroll 1
      for (int kp = 0; kp < 4; ++kp) {
        #pragma unroll
        for (int ki = 0; ki < 2; ++ki) {
          float a[4][4];
          #pragma unroll
          for (int mi = 0; mi < 4; ++mi) {
            at_load4(a[mi], &x_tile[ko % 3][mi * 8 + wm * 4 + lm * 2 + lo][kp * 8 + ki * 4]);
          }
          #pragma unroll
          for (int ni = 0; ni < 4; ++ni) {
            float b[4];
            at_load4(b, &w_tile[ko % 3][ni * 16 + wn * 8 + ln][kp * 8 + ki * 4]);
            #pragma unroll
            for (int mi = 0; mi < 4; ++mi) {
              #pragma unroll
              for (int kv = 0; kv < 4; ++kv) {
                acc[ni][mi] += a[mi][kv] * b[kv];
              }
            }
          }
        }
      }
    }
    #pragma unroll
    for (int ni = 0; ni < 4; ++ni) {
      #pragma unroll
      for (int mi = 0; mi < 4; ++mi) {
        if (mi * 8 + wm * 4 + lm * 2 + lo < m_r) {
          (&y[(m_q * 32 + wm * 4 + lm * 2 + lo) * 768 + bn * 64 + wn * 8 + ln])[mi * 6144 + ni * 16] =
              at_gelu(acc[ni][mi] + (&bias[bn * 64 + wn * 8 + ln])[ni * 16]);
        }
      }
    }
  }
}
