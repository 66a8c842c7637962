define internal void @v0_r0_1(ptr noalias nocapture %x.t, ptr noalias nocapture %w_packed.t, ptr noalias nocapture %y.t, i64 %k.n, i64 %m.n, ptr noalias %workspace) #0 {
start:
  %acc.6 = alloca [16 x float], align 64
  %acc.120 = alloca [16 x float], align 64
  %i.1 = ashr i64 %m.n, 1
  %i.2 = mul nsw i64 %i.1, 2
  %i.3 = sub nsw i64 %m.n, %i.2
  %c.5 = icmp sgt i64 %i.1, 0
  br i1 %c.5, label %body.4, label %after.4
body.4:
  %mo..4 = phi i64 [ 0, %start ], [ %mo.next..4, %end.67 ]
  %s.7 = insertelement <4 x float> poison, float 0x0000000000000000, i64 0
  %s.8 = shufflevector <4 x float> %s.7, <4 x float> poison, <4 x i32> zeroinitializer
  store <4 x float> %s.8, ptr %acc.6, align 64
  %p.9 = getelementptr float, ptr %acc.6, i64 4
  store <4 x float> %s.8, ptr %p.9, align 16
  %p.10 = getelementptr float, ptr %acc.6, i64 8
  store <4 x float> %s.8, ptr %p.10, align 32
  %p.11 = getelementptr float, ptr %acc.6, i64 12
  store <4 x float> %s.8, ptr %p.11, align 16
  %i.12 = ashr i64 %k.n, 1
  %c.14 = icmp sgt i64 %i.12, 0
  br i1 %c.14, label %body.13, label %after.13
body.13:
  %ko..13 = phi i64 [ 0, %body.4 ], [ %ko.next..13, %body.13 ]
  %i.15 = mul nsw i64 %ko..13, 16
  %p.16 = getelementptr float, ptr %w_packed.t, i64 %i.15
  %p.17 = getelementptr float, ptr %p.16, i64 64
  call void @llvm.prefetch.p0(ptr %p.17, i32 0, i32 3, i32 1)
  %p.18 = getelementptr float, ptr %p.16, i64 68
  call void @llvm.prefetch.p0(ptr %p.18, i32 0, i32 3, i32 1)
  %i.19 = mul nsw i64 %k.n, %mo..4
  %i.20 = mul nsw i64 %i.19, 2
  %i.21 = mul nsw i64 %ko..13, 2
  %i.22 = add nsw i64 %i.20, %i.21
  %p.23 = getelementptr float, ptr %x.t, i64 %i.22
  %l.24 = load float, ptr %p.23, align 4
  %s.25 = insertelement <4 x float> poison, float %l.24, i64 0
  %s.26 = shufflevector <4 x float> %s.25, <4 x float> poison, <4 x i32> zeroinitializer
  %l.27 = load <4 x float>, ptr %p.16, align 64
  %l.28 = load <4 x float>, ptr %acc.6, align 64
  %f.29 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.26, <4 x float> %l.27, <4 x float> %l.28)
  store <4 x float> %f.29, ptr %acc.6, align 64
  %p.30 = getelementptr float, ptr %p.16, i64 4
  %l.31 = load <4 x float>, ptr %p.30, align 16
  %l.32 = load <4 x float>, ptr %p.9, align 16
  %f.33 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.26, <4 x float> %l.31, <4 x float> %l.32)
  store <4 x float> %f.33, ptr %p.9, align 16
  %i.34 = add nsw i64 %k.n, %i.20
  %i.35 = add nsw i64 %i.34, %i.21
  %p.36 = getelementptr float, ptr %x.t, i64 %i.35
  %l.37 = load float, ptr %p.36, align 4
  %s.38 = insertelement <4 x float> poison, float %l.37, i64 0
  %s.39 = shufflevector <4 x float> %s.38, <4 x float> poison, <4 x i32> zeroinitializer
  %l.40 = load <4 x float>, ptr %p.10, align 32
  %f.41 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.39, <4 x float> %l.27, <4 x float> %l.40)
  store <4 x float> %f.41, ptr %p.10, align 32
  %l.42 = load <4 x float>, ptr %p.11, align 16
  %f.43 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.39, <4 x float> %l.31, <4 x float> %l.42)
  store <4 x float> %f.43, ptr %p.11, align 16
  %p.44 = getelementptr float, ptr %p.16, i64 72
  call void @llvm.prefetch.p0(ptr %p.44, i32 0, i32 3, i32 1)
  %p.45 = getelementptr float, ptr %p.16, i64 76
  call void @llvm.prefetch.p0(ptr %p.45, i32 0, i32 3, i32 1)
  %p.46 = getelementptr float, ptr %p.23, i64 1
  %l.47 = load float, ptr %p.46, align 4
  %s.48 = insertelement <4 x float> poison, float %l.47, i64 0
  %s.49 = shufflevector <4 x float> %s.48, <4 x float> poison, <4 x i32> zeroinitializer
  %p.50 = getelementptr float, ptr %p.16, i64 8
  %l.51 = load <4 x float>, ptr %p.50, align 32
  %l.52 = load <4 x float>, ptr %acc.6, align 64
  %f.53 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.49, <4 x float> %l.51, <4 x float> %l.52)
  store <4 x float> %f.53, ptr %acc.6, align 64
  %p.54 = getelementptr float, ptr %p.16, i64 12
  %l.55 = load <4 x float>, ptr %p.54, align 16
  %l.56 = load <4 x float>, ptr %p.9, align 16
  %f.57 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.49, <4 x float> %l.55, <4 x float> %l.56)
  store <4 x float> %f.57, ptr %p.9, align 16
  %p.58 = getelementptr float, ptr %p.36, i64 1
  %l.59 = load float, ptr %p.58, align 4
  %s.60 = insertelement <4 x float> poison, float %l.59, i64 0
  %s.61 = shufflevector <4 x float> %s.60, <4 x float> poison, <4 x i32> zeroinitializer
  %l.62 = load <4 x float>, ptr %p.10, align 32
  %f.63 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.61, <4 x float> %l.51, <4 x float> %l.62)
  store <4 x float> %f.63, ptr %p.10, align 32
  %l.64 = load <4 x float>, ptr %p.11, align 16
  %f.65 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.61, <4 x float> %l.55, <4 x float> %l.64)
  store <4 x float> %f.65, ptr %p.11, align 16
  %ko.next..13 = add nuw nsw i64 %ko..13, 1
  %c.66 = icmp slt i64 %ko.next..13, %i.12
  br i1 %c.66, label %body.13, label %after.13
after.13:
  %i.68 = mul nsw i64 %i.12, -2
  %i.69 = add nsw i64 %i.68, %k.n
  %i.70 = add nsw i64 %i.69, -1
  %c.71 = icmp sge i64 %i.70, 0
  br i1 %c.71, label %then.67, label %end.67
then.67:
  %i.72 = mul nsw i64 %i.12, 16
  %p.73 = getelementptr float, ptr %w_packed.t, i64 %i.72
  %p.74 = getelementptr float, ptr %p.73, i64 64
  call void @llvm.prefetch.p0(ptr %p.74, i32 0, i32 3, i32 1)
  %p.75 = getelementptr float, ptr %p.73, i64 68
  call void @llvm.prefetch.p0(ptr %p.75, i32 0, i32 3, i32 1)
  br i1 %c.71, label %then.76, label %end.76
then.76:
  %i.77 = mul nsw i64 %i.12, 2
  %i.78 = mul nsw i64 %k.n, %mo..4
  %i.79 = mul nsw i64 %i.78, 2
  %i.80 = add nsw i64 %i.77, %i.79
  %p.81 = getelementptr float, ptr %x.t, i64 %i.80
  %l.82 = load float, ptr %p.81, align 4
  %s.83 = insertelement <4 x float> poison, float %l.82, i64 0
  %s.84 = shufflevector <4 x float> %s.83, <4 x float> poison, <4 x i32> zeroinitializer
  %l.85 = load <4 x float>, ptr %p.73, align 64
  %l.86 = load <4 x float>, ptr %acc.6, align 64
  %f.87 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.84, <4 x float> %l.85, <4 x float> %l.86)
  store <4 x float> %f.87, ptr %acc.6, align 64
  %p.88 = getelementptr float, ptr %p.73, i64 4
  %l.89 = load <4 x float>, ptr %p.88, align 16
  %l.90 = load <4 x float>, ptr %p.9, align 16
  %f.91 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.84, <4 x float> %l.89, <4 x float> %l.90)
  store <4 x float> %f.91, ptr %p.9, align 16
  %i.92 = add nsw i64 %i.77, %k.n
  %i.93 = add nsw i64 %i.92, %i.79
  %p.94 = getelementptr float, ptr %x.t, i64 %i.93
  %l.95 = load float, ptr %p.94, align 4
  %s.96 = insertelement <4 x float> poison, float %l.95, i64 0
  %s.97 = shufflevector <4 x float> %s.96, <4 x float> poison, <4 x i32> zeroinitializer
  %l.98 = load <4 x float>, ptr %p.10, align 32
  %f.99 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.97, <4 x float> %l.85, <4 x float> %l.98)
  store <4 x float> %f.99, ptr %p.10, align 32
  %l.100 = load <4 x float>, ptr %p.11, align 16
  %f.101 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.97, <4 x float> %l.89, <4 x float> %l.100)
  store <4 x float> %f.101, ptr %p.11, align 16
  br label %end.76
end.76:
  br label %end.67
end.67:
  %l.102 = load <4 x float>, ptr %acc.6, align 64
  %i.103 = mul nsw i64 %mo..4, 10
  %p.104 = getelementptr float, ptr %y.t, i64 %i.103
  store <4 x float> %l.102, ptr %p.104, align 4
  %s.105 = insertelement <4 x i64> poison, i64 0, i64 0
  %s.106 = shufflevector <4 x i64> %s.105, <4 x i64> poison, <4 x i32> zeroinitializer
  %m.107 = icmp sle <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %s.106
  %l.108 = load <4 x float>, ptr %p.9, align 16
  %p.109 = getelementptr float, ptr %p.104, i64 4
  %s.110 = extractelement <4 x float> %l.108, i64 0
  store float %s.110, ptr %p.109, align 4
  %l.111 = load <4 x float>, ptr %p.10, align 32
  %p.112 = getelementptr float, ptr %p.104, i64 5
  store <4 x float> %l.111, ptr %p.112, align 4
  %l.113 = load <4 x float>, ptr %p.11, align 16
  %p.114 = getelementptr float, ptr %p.104, i64 9
  %s.115 = extractelement <4 x float> %l.113, i64 0
  store float %s.115, ptr %p.114, align 4
  %mo.next..4 = add nuw nsw i64 %mo..4, 1
  %c.116 = icmp slt i64 %mo.next..4, %i.1
  br i1 %c.116, label %body.4, label %after.4
after.4:
  %i.118 = add nsw i64 %i.3, -1
  %c.119 = icmp sge i64 %i.118, 0
  br i1 %c.119, label %then.117, label %end.117
then.117:
  %s.121 = insertelement <4 x float> poison, float 0x0000000000000000, i64 0
  %s.122 = shufflevector <4 x float> %s.121, <4 x float> poison, <4 x i32> zeroinitializer
  store <4 x float> %s.122, ptr %acc.120, align 64
  %p.123 = getelementptr float, ptr %acc.120, i64 4
  store <4 x float> %s.122, ptr %p.123, align 16
  %i.124 = ashr i64 %k.n, 1
  %c.126 = icmp sgt i64 %i.124, 0
  br i1 %c.126, label %body.125, label %after.125
body.125:
  %ko..125 = phi i64 [ 0, %then.117 ], [ %ko.next..125, %body.125 ]
  %i.127 = mul nsw i64 %ko..125, 16
  %p.128 = getelementptr float, ptr %w_packed.t, i64 %i.127
  %p.129 = getelementptr float, ptr %p.128, i64 64
  call void @llvm.prefetch.p0(ptr %p.129, i32 0, i32 3, i32 1)
  %p.130 = getelementptr float, ptr %p.128, i64 68
  call void @llvm.prefetch.p0(ptr %p.130, i32 0, i32 3, i32 1)
  %i.131 = mul nsw i64 %k.n, %i.1
  %i.132 = mul nsw i64 %i.131, 2
  %i.133 = mul nsw i64 %ko..125, 2
  %i.134 = add nsw i64 %i.132, %i.133
  %p.135 = getelementptr float, ptr %x.t, i64 %i.134
  %l.136 = load float, ptr %p.135, align 4
  %s.137 = insertelement <4 x float> poison, float %l.136, i64 0
  %s.138 = shufflevector <4 x float> %s.137, <4 x float> poison, <4 x i32> zeroinitializer
  %l.139 = load <4 x float>, ptr %p.128, align 64
  %l.140 = load <4 x float>, ptr %acc.120, align 64
  %f.141 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.138, <4 x float> %l.139, <4 x float> %l.140)
  store <4 x float> %f.141, ptr %acc.120, align 64
  %p.142 = getelementptr float, ptr %p.128, i64 4
  %l.143 = load <4 x float>, ptr %p.142, align 16
  %l.144 = load <4 x float>, ptr %p.123, align 16
  %f.145 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.138, <4 x float> %l.143, <4 x float> %l.144)
  store <4 x float> %f.145, ptr %p.123, align 16
  %p.146 = getelementptr float, ptr %p.128, i64 72
  call void @llvm.prefetch.p0(ptr %p.146, i32 0, i32 3, i32 1)
  %p.147 = getelementptr float, ptr %p.128, i64 76
  call void @llvm.prefetch.p0(ptr %p.147, i32 0, i32 3, i32 1)
  %p.148 = getelementptr float, ptr %p.135, i64 1
  %l.149 = load float, ptr %p.148, align 4
  %s.150 = insertelement <4 x float> poison, float %l.149, i64 0
  %s.151 = shufflevector <4 x float> %s.150, <4 x float> poison, <4 x i32> zeroinitializer
  %p.152 = getelementptr float, ptr %p.128, i64 8
  %l.153 = load <4 x float>, ptr %p.152, align 32
  %l.154 = load <4 x float>, ptr %acc.120, align 64
  %f.155 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.151, <4 x float> %l.153, <4 x float> %l.154)
  store <4 x float> %f.155, ptr %acc.120, align 64
  %p.156 = getelementptr float, ptr %p.128, i64 12
  %l.157 = load <4 x float>, ptr %p.156, align 16
  %l.158 = load <4 x float>, ptr %p.123, align 16
  %f.159 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.151, <4 x float> %l.157, <4 x float> %l.158)
  store <4 x float> %f.159, ptr %p.123, align 16
  %ko.next..125 = add nuw nsw i64 %ko..125, 1
  %c.160 = icmp slt i64 %ko.next..125, %i.124
  br i1 %c.160, label %body.125, label %after.125
after.125:
  %i.162 = mul nsw i64 %i.124, -2
  %i.163 = add nsw i64 %i.162, %k.n
  %i.164 = add nsw i64 %i.163, -1
  %c.165 = icmp sge i64 %i.164, 0
  br i1 %c.165, label %then.161, label %end.161
then.161:
  %i.166 = mul nsw i64 %i.124, 16
  %p.167 = getelementptr float, ptr %w_packed.t, i64 %i.166
  %p.168 = getelementptr float, ptr %p.167, i64 64
  call void @llvm.prefetch.p0(ptr %p.168, i32 0, i32 3, i32 1)
  %p.169 = getelementptr float, ptr %p.167, i64 68
  call void @llvm.prefetch.p0(ptr %p.169, i32 0, i32 3, i32 1)
  br i1 %c.165, label %then.170, label %end.170
then.170:
  %i.171 = mul nsw i64 %i.124, 2
  %i.172 = mul nsw i64 %k.n, %i.1
  %i.173 = mul nsw i64 %i.172, 2
  %i.174 = add nsw i64 %i.171, %i.173
  %p.175 = getelementptr float, ptr %x.t, i64 %i.174
  %l.176 = load float, ptr %p.175, align 4
  %s.177 = insertelement <4 x float> poison, float %l.176, i64 0
  %s.178 = shufflevector <4 x float> %s.177, <4 x float> poison, <4 x i32> zeroinitializer
  %l.179 = load <4 x float>, ptr %p.167, align 64
  %l.180 = load <4 x float>, ptr %acc.120, align 64
  %f.181 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.178, <4 x float> %l.179, <4 x float> %l.180)
  store <4 x float> %f.181, ptr %acc.120, align 64
  %p.182 = getelementptr float, ptr %p.167, i64 4
  %l.183 = load <4 x float>, ptr %p.182, align 16
  %l.184 = load <4 x float>, ptr %p.123, align 16
  %f.185 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s.178, <4 x float> %l.183, <4 x float> %l.184)
  store <4 x float> %f.185, ptr %p.123, align 16
  br label %end.170
end.170:
  br label %end.161
end.161:
  %l.186 = load <4 x float>, ptr %acc.120, align 64
  %i.187 = mul nsw i64 %i.1, 10
  %p.188 = getelementptr float, ptr %y.t, i64 %i.187
  store <4 x float> %l.186, ptr %p.188, align 4
  %s.189 = insertelement <4 x i64> poison, i64 0, i64 0
  %s.190 = shufflevector <4 x i64> %s.189, <4 x i64> poison, <4 x i32> zeroinitializer
  %m.191 = icmp sle <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %s.190
  %l.192 = load <4 x float>, ptr %p.123, align 16
  %p.193 = getelementptr float, ptr %p.188, i64 4
  %s.194 = extractelement <4 x float> %l.192, i64 0
  store float %s.194, ptr %p.193, align 4
  br label %end.117
end.117:
  ret void
}

define internal void @pack_w_0(ptr noalias nocapture %w.t, ptr noalias nocapture %w_packed.t, i64 %k.n, i64 %m.n, ptr noalias %workspace) #0 {
start:
  %c.2 = icmp sgt i64 %k.n, 0
  br i1 %c.2, label %body.1, label %after.1
body.1:
  %p_w_1..1 = phi i64 [ 0, %start ], [ %p_w_1.next..1, %after.3 ]
  br label %body.3
body.3:
  %p_ni..3 = phi i64 [ 0, %body.1 ], [ %p_ni.next..3, %after.4 ]
  br label %body.4
body.4:
  %p_nv..4 = phi i64 [ 0, %body.3 ], [ %p_nv.next..4, %end.5 ]
  %i.6 = mul nsw i64 %p_ni..3, -4
  %i.7 = mul nsw i64 %p_nv..4, -1
  %i.8 = add nsw i64 %i.6, %i.7
  %i.9 = add nsw i64 %i.8, 4
  %c.10 = icmp sge i64 %i.9, 0
  br i1 %c.10, label %then.5, label %else.5
then.5:
  %i.11 = mul nsw i64 %k.n, %p_ni..3
  %i.12 = mul nsw i64 %i.11, 4
  %i.13 = mul nsw i64 %k.n, %p_nv..4
  %i.14 = add nsw i64 %i.12, %i.13
  %i.15 = add nsw i64 %i.14, %p_w_1..1
  %p.16 = getelementptr float, ptr %w.t, i64 %i.15
  %l.17 = load float, ptr %p.16, align 4
  %i.18 = mul nsw i64 %p_ni..3, 4
  %i.19 = add nsw i64 %i.18, %p_nv..4
  %i.20 = mul nsw i64 %p_w_1..1, 8
  %i.21 = add nsw i64 %i.19, %i.20
  %p.22 = getelementptr float, ptr %w_packed.t, i64 %i.21
  store float %l.17, ptr %p.22, align 4
  br label %end.5
else.5:
  %i.23 = mul nsw i64 %p_ni..3, 4
  %i.24 = add nsw i64 %i.23, %p_nv..4
  %i.25 = mul nsw i64 %p_w_1..1, 8
  %i.26 = add nsw i64 %i.24, %i.25
  %p.27 = getelementptr float, ptr %w_packed.t, i64 %i.26
  store float 0x0000000000000000, ptr %p.27, align 4
  br label %end.5
end.5:
  %p_nv.next..4 = add nuw nsw i64 %p_nv..4, 1
  %c.28 = icmp slt i64 %p_nv.next..4, 4
  br i1 %c.28, label %body.4, label %after.4
after.4:
  %p_ni.next..3 = add nuw nsw i64 %p_ni..3, 1
  %c.29 = icmp slt i64 %p_ni.next..3, 2
  br i1 %c.29, label %body.3, label %after.3
after.3:
  %p_w_1.next..1 = add nuw nsw i64 %p_w_1..1, 1
  %c.30 = icmp slt i64 %p_w_1.next..1, %k.n
  br i1 %c.30, label %body.1, label %after.1
after.1:
  ret void
}

define i32 @anytile_pack_w(ptr %data, ptr %dims, ptr %workspace) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k.n = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m.n = load i64, ptr %m.at, align 8
  %d.1 = getelementptr ptr, ptr %data, i64 0
  %t.2 = load ptr, ptr %d.1, align 8
  %d.3 = getelementptr ptr, ptr %data, i64 1
  %t.4 = load ptr, ptr %d.3, align 8
  %p.5 = getelementptr i8, ptr %t.4, i64 0
  call void @pack_w_0(ptr %t.2, ptr %p.5, i64 %k.n, i64 %m.n, ptr null)
  ret i32 0
}

define i64 @anytile_packed_w(ptr %dims) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k.n = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m.n = load i64, ptr %m.at, align 8
  %i.1 = mul nsw i64 %k.n, 32
  %i.2 = add nsw i64 %i.1, 63
  %i.3 = ashr i64 %i.2, 6
  %i.4 = mul nsw i64 %i.3, 64
  ret i64 %i.4
}

define i64 @anytile_workspace(ptr %dims) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k.n = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m.n = load i64, ptr %m.at, align 8
  ret i64 0
}

define i32 @anytile_kernel(ptr %data, ptr %dims, ptr %workspace) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k.n = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m.n = load i64, ptr %m.at, align 8
  %k.negative = icmp slt i64 %k.n, 0
  br i1 %k.negative, label %nothing, label %k.known
k.known:
  %m.negative = icmp slt i64 %m.n, 0
  br i1 %m.negative, label %nothing, label %m.known
m.known:
  %d.1 = getelementptr ptr, ptr %data, i64 0
  %t.2 = load ptr, ptr %d.1, align 8
  %d.3 = getelementptr ptr, ptr %data, i64 1
  %t.4 = load ptr, ptr %d.3, align 8
  %d.5 = getelementptr ptr, ptr %data, i64 2
  %t.6 = load ptr, ptr %d.5, align 8
  br label %run0
run0:
  %r.7 = urem i64 %m.n, 2
  switch i64 %r.7, label %nothing [ i64 0, label %call0_1 i64 1, label %call0_1 ]
call0_1:
  call void @v0_r0_1(ptr %t.2, ptr %t.4, ptr %t.6, i64 %k.n, i64 %m.n, ptr %workspace)
  ret i32 0
nothing:
  ret i32 1
}

declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
attributes #0 = { nounwind "prefer-vector-width"="512" "no-trapping-math"="true" }
