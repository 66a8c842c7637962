define internal void @v0_r0_1(ptr noalias nocapture %x, ptr noalias nocapture %w_packed, ptr noalias nocapture %y, i64 %k, i64 %m, ptr noalias %workspace) #0 {
start:
  %acc6 = alloca [16 x float], align 64
  %acc121 = alloca [16 x float], align 64
  %i1 = ashr i64 %m, 1
  %i2 = mul nsw i64 %i1, 2
  %i3 = sub nsw i64 %m, %i2
  %c5 = icmp sgt i64 %i1, 0
  br i1 %c5, label %body4, label %after4
body4:
  %mo.4 = phi i64 [ 0, %start ], [ %mo.next.4, %end67 ]
  %s7 = insertelement <4 x float> poison, float 0x0000000000000000, i64 0
  %s8 = shufflevector <4 x float> %s7, <4 x float> poison, <4 x i32> zeroinitializer
  store <4 x float> %s8, ptr %acc6, align 64
  %p9 = getelementptr float, ptr %acc6, i64 4
  store <4 x float> %s8, ptr %p9, align 16
  %p10 = getelementptr float, ptr %acc6, i64 8
  store <4 x float> %s8, ptr %p10, align 32
  %p11 = getelementptr float, ptr %acc6, i64 12
  store <4 x float> %s8, ptr %p11, align 16
  %i12 = ashr i64 %k, 1
  %c14 = icmp sgt i64 %i12, 0
  br i1 %c14, label %body13, label %after13
body13:
  %ko.13 = phi i64 [ 0, %body4 ], [ %ko.next.13, %body13 ]
  %i15 = mul nsw i64 %ko.13, 16
  %p16 = getelementptr float, ptr %w_packed, i64 %i15
  %p17 = getelementptr float, ptr %p16, i64 64
  call void @llvm.prefetch.p0(ptr %p17, i32 0, i32 3, i32 1)
  %p18 = getelementptr float, ptr %p16, i64 68
  call void @llvm.prefetch.p0(ptr %p18, i32 0, i32 3, i32 1)
  %i19 = mul nsw i64 %k, %mo.4
  %i20 = mul nsw i64 %i19, 2
  %i21 = mul nsw i64 %ko.13, 2
  %i22 = add nsw i64 %i20, %i21
  %p23 = getelementptr float, ptr %x, i64 %i22
  %l24 = load float, ptr %p23, align 4
  %s25 = insertelement <4 x float> poison, float %l24, i64 0
  %s26 = shufflevector <4 x float> %s25, <4 x float> poison, <4 x i32> zeroinitializer
  %l27 = load <4 x float>, ptr %p16, align 64
  %l28 = load <4 x float>, ptr %acc6, align 64
  %f29 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s26, <4 x float> %l27, <4 x float> %l28)
  store <4 x float> %f29, ptr %acc6, align 64
  %p30 = getelementptr float, ptr %p16, i64 4
  %l31 = load <4 x float>, ptr %p30, align 16
  %l32 = load <4 x float>, ptr %p9, align 16
  %f33 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s26, <4 x float> %l31, <4 x float> %l32)
  store <4 x float> %f33, ptr %p9, align 16
  %i34 = add nsw i64 %k, %i20
  %i35 = add nsw i64 %i34, %i21
  %p36 = getelementptr float, ptr %x, i64 %i35
  %l37 = load float, ptr %p36, align 4
  %s38 = insertelement <4 x float> poison, float %l37, i64 0
  %s39 = shufflevector <4 x float> %s38, <4 x float> poison, <4 x i32> zeroinitializer
  %l40 = load <4 x float>, ptr %p10, align 32
  %f41 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s39, <4 x float> %l27, <4 x float> %l40)
  store <4 x float> %f41, ptr %p10, align 32
  %l42 = load <4 x float>, ptr %p11, align 16
  %f43 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s39, <4 x float> %l31, <4 x float> %l42)
  store <4 x float> %f43, ptr %p11, align 16
  %p44 = getelementptr float, ptr %p16, i64 72
  call void @llvm.prefetch.p0(ptr %p44, i32 0, i32 3, i32 1)
  %p45 = getelementptr float, ptr %p16, i64 76
  call void @llvm.prefetch.p0(ptr %p45, i32 0, i32 3, i32 1)
  %p46 = getelementptr float, ptr %p23, i64 1
  %l47 = load float, ptr %p46, align 4
  %s48 = insertelement <4 x float> poison, float %l47, i64 0
  %s49 = shufflevector <4 x float> %s48, <4 x float> poison, <4 x i32> zeroinitializer
  %p50 = getelementptr float, ptr %p16, i64 8
  %l51 = load <4 x float>, ptr %p50, align 32
  %l52 = load <4 x float>, ptr %acc6, align 64
  %f53 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s49, <4 x float> %l51, <4 x float> %l52)
  store <4 x float> %f53, ptr %acc6, align 64
  %p54 = getelementptr float, ptr %p16, i64 12
  %l55 = load <4 x float>, ptr %p54, align 16
  %l56 = load <4 x float>, ptr %p9, align 16
  %f57 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s49, <4 x float> %l55, <4 x float> %l56)
  store <4 x float> %f57, ptr %p9, align 16
  %p58 = getelementptr float, ptr %p36, i64 1
  %l59 = load float, ptr %p58, align 4
  %s60 = insertelement <4 x float> poison, float %l59, i64 0
  %s61 = shufflevector <4 x float> %s60, <4 x float> poison, <4 x i32> zeroinitializer
  %l62 = load <4 x float>, ptr %p10, align 32
  %f63 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s61, <4 x float> %l51, <4 x float> %l62)
  store <4 x float> %f63, ptr %p10, align 32
  %l64 = load <4 x float>, ptr %p11, align 16
  %f65 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s61, <4 x float> %l55, <4 x float> %l64)
  store <4 x float> %f65, ptr %p11, align 16
  %ko.next.13 = add nuw nsw i64 %ko.13, 1
  %c66 = icmp slt i64 %ko.next.13, %i12
  br i1 %c66, label %body13, label %after13
after13:
  %i68 = mul nsw i64 %i12, -2
  %i69 = add nsw i64 %i68, %k
  %i70 = add nsw i64 %i69, -1
  %c71 = icmp sge i64 %i70, 0
  br i1 %c71, label %then67, label %end67
then67:
  %i72 = mul nsw i64 %i12, 16
  %p73 = getelementptr float, ptr %w_packed, i64 %i72
  %p74 = getelementptr float, ptr %p73, i64 64
  call void @llvm.prefetch.p0(ptr %p74, i32 0, i32 3, i32 1)
  %p75 = getelementptr float, ptr %p73, i64 68
  call void @llvm.prefetch.p0(ptr %p75, i32 0, i32 3, i32 1)
  br i1 %c71, label %then76, label %end76
then76:
  %i77 = mul nsw i64 %i12, 2
  %i78 = mul nsw i64 %k, %mo.4
  %i79 = mul nsw i64 %i78, 2
  %i80 = add nsw i64 %i77, %i79
  %p81 = getelementptr float, ptr %x, i64 %i80
  %l82 = load float, ptr %p81, align 4
  %s83 = insertelement <4 x float> poison, float %l82, i64 0
  %s84 = shufflevector <4 x float> %s83, <4 x float> poison, <4 x i32> zeroinitializer
  %l85 = load <4 x float>, ptr %p73, align 64
  %l86 = load <4 x float>, ptr %acc6, align 64
  %f87 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s84, <4 x float> %l85, <4 x float> %l86)
  store <4 x float> %f87, ptr %acc6, align 64
  %p88 = getelementptr float, ptr %p73, i64 4
  %l89 = load <4 x float>, ptr %p88, align 16
  %l90 = load <4 x float>, ptr %p9, align 16
  %f91 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s84, <4 x float> %l89, <4 x float> %l90)
  store <4 x float> %f91, ptr %p9, align 16
  %i92 = add nsw i64 %i77, %k
  %i93 = add nsw i64 %i92, %i79
  %p94 = getelementptr float, ptr %x, i64 %i93
  %l95 = load float, ptr %p94, align 4
  %s96 = insertelement <4 x float> poison, float %l95, i64 0
  %s97 = shufflevector <4 x float> %s96, <4 x float> poison, <4 x i32> zeroinitializer
  %l98 = load <4 x float>, ptr %p10, align 32
  %f99 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s97, <4 x float> %l85, <4 x float> %l98)
  store <4 x float> %f99, ptr %p10, align 32
  %l100 = load <4 x float>, ptr %p11, align 16
  %f101 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s97, <4 x float> %l89, <4 x float> %l100)
  store <4 x float> %f101, ptr %p11, align 16
  br label %end76
end76:
  br label %end67
end67:
  %s102 = insertelement <4 x i64> poison, i64 4, i64 0
  %s103 = shufflevector <4 x i64> %s102, <4 x i64> poison, <4 x i32> zeroinitializer
  %m104 = icmp sle <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %s103
  %l105 = load <4 x float>, ptr %acc6, align 64
  %i106 = mul nsw i64 %mo.4, 10
  %p107 = getelementptr float, ptr %y, i64 %i106
  call void @llvm.masked.store.v4f32.p0(<4 x float> %l105, ptr align 4 %p107, <4 x i1> %m104)
  %s108 = insertelement <4 x i64> poison, i64 0, i64 0
  %s109 = shufflevector <4 x i64> %s108, <4 x i64> poison, <4 x i32> zeroinitializer
  %m110 = icmp sle <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %s109
  %l111 = load <4 x float>, ptr %p9, align 16
  %p112 = getelementptr float, ptr %p107, i64 4
  call void @llvm.masked.store.v4f32.p0(<4 x float> %l111, ptr align 4 %p112, <4 x i1> %m110)
  %l113 = load <4 x float>, ptr %p10, align 32
  %p114 = getelementptr float, ptr %p107, i64 5
  call void @llvm.masked.store.v4f32.p0(<4 x float> %l113, ptr align 4 %p114, <4 x i1> %m104)
  %l115 = load <4 x float>, ptr %p11, align 16
  %p116 = getelementptr float, ptr %p107, i64 9
  call void @llvm.masked.store.v4f32.p0(<4 x float> %l115, ptr align 4 %p116, <4 x i1> %m110)
  %mo.next.4 = add nuw nsw i64 %mo.4, 1
  %c117 = icmp slt i64 %mo.next.4, %i1
  br i1 %c117, label %body4, label %after4
after4:
  %i119 = add nsw i64 %i3, -1
  %c120 = icmp sge i64 %i119, 0
  br i1 %c120, label %then118, label %end118
then118:
  %s122 = insertelement <4 x float> poison, float 0x0000000000000000, i64 0
  %s123 = shufflevector <4 x float> %s122, <4 x float> poison, <4 x i32> zeroinitializer
  store <4 x float> %s123, ptr %acc121, align 64
  %p124 = getelementptr float, ptr %acc121, i64 4
  store <4 x float> %s123, ptr %p124, align 16
  %i125 = ashr i64 %k, 1
  %c127 = icmp sgt i64 %i125, 0
  br i1 %c127, label %body126, label %after126
body126:
  %ko.126 = phi i64 [ 0, %then118 ], [ %ko.next.126, %end150 ]
  %i128 = mul nsw i64 %ko.126, 16
  %p129 = getelementptr float, ptr %w_packed, i64 %i128
  %p130 = getelementptr float, ptr %p129, i64 64
  call void @llvm.prefetch.p0(ptr %p130, i32 0, i32 3, i32 1)
  %p131 = getelementptr float, ptr %p129, i64 68
  call void @llvm.prefetch.p0(ptr %p131, i32 0, i32 3, i32 1)
  br i1 %c120, label %then132, label %end132
then132:
  %i133 = mul nsw i64 %k, %i1
  %i134 = mul nsw i64 %i133, 2
  %i135 = mul nsw i64 %ko.126, 2
  %i136 = add nsw i64 %i134, %i135
  %p137 = getelementptr float, ptr %x, i64 %i136
  %l138 = load float, ptr %p137, align 4
  %s139 = insertelement <4 x float> poison, float %l138, i64 0
  %s140 = shufflevector <4 x float> %s139, <4 x float> poison, <4 x i32> zeroinitializer
  %l141 = load <4 x float>, ptr %p129, align 64
  %l142 = load <4 x float>, ptr %acc121, align 64
  %f143 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s140, <4 x float> %l141, <4 x float> %l142)
  store <4 x float> %f143, ptr %acc121, align 64
  %p144 = getelementptr float, ptr %p129, i64 4
  %l145 = load <4 x float>, ptr %p144, align 16
  %l146 = load <4 x float>, ptr %p124, align 16
  %f147 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s140, <4 x float> %l145, <4 x float> %l146)
  store <4 x float> %f147, ptr %p124, align 16
  br label %end132
end132:
  %p148 = getelementptr float, ptr %p129, i64 72
  call void @llvm.prefetch.p0(ptr %p148, i32 0, i32 3, i32 1)
  %p149 = getelementptr float, ptr %p129, i64 76
  call void @llvm.prefetch.p0(ptr %p149, i32 0, i32 3, i32 1)
  br i1 %c120, label %then150, label %end150
then150:
  %i151 = mul nsw i64 %k, %i1
  %i152 = mul nsw i64 %i151, 2
  %i153 = mul nsw i64 %ko.126, 2
  %i154 = add nsw i64 %i152, %i153
  %p155 = getelementptr float, ptr %x, i64 %i154
  %p156 = getelementptr float, ptr %p155, i64 1
  %l157 = load float, ptr %p156, align 4
  %s158 = insertelement <4 x float> poison, float %l157, i64 0
  %s159 = shufflevector <4 x float> %s158, <4 x float> poison, <4 x i32> zeroinitializer
  %p160 = getelementptr float, ptr %p129, i64 8
  %l161 = load <4 x float>, ptr %p160, align 32
  %l162 = load <4 x float>, ptr %acc121, align 64
  %f163 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s159, <4 x float> %l161, <4 x float> %l162)
  store <4 x float> %f163, ptr %acc121, align 64
  %p164 = getelementptr float, ptr %p129, i64 12
  %l165 = load <4 x float>, ptr %p164, align 16
  %l166 = load <4 x float>, ptr %p124, align 16
  %f167 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s159, <4 x float> %l165, <4 x float> %l166)
  store <4 x float> %f167, ptr %p124, align 16
  br label %end150
end150:
  %ko.next.126 = add nuw nsw i64 %ko.126, 1
  %c168 = icmp slt i64 %ko.next.126, %i125
  br i1 %c168, label %body126, label %after126
after126:
  %i170 = mul nsw i64 %i125, -2
  %i171 = add nsw i64 %i170, %k
  %i172 = add nsw i64 %i171, -1
  %c173 = icmp sge i64 %i172, 0
  br i1 %c173, label %then169, label %end169
then169:
  %i174 = mul nsw i64 %i125, 16
  %p175 = getelementptr float, ptr %w_packed, i64 %i174
  %p176 = getelementptr float, ptr %p175, i64 64
  call void @llvm.prefetch.p0(ptr %p176, i32 0, i32 3, i32 1)
  %p177 = getelementptr float, ptr %p175, i64 68
  call void @llvm.prefetch.p0(ptr %p177, i32 0, i32 3, i32 1)
  %c179 = and i1 %c173, %c120
  br i1 %c179, label %then178, label %end178
then178:
  %i180 = mul nsw i64 %i125, 2
  %i181 = mul nsw i64 %k, %i1
  %i182 = mul nsw i64 %i181, 2
  %i183 = add nsw i64 %i180, %i182
  %p184 = getelementptr float, ptr %x, i64 %i183
  %l185 = load float, ptr %p184, align 4
  %s186 = insertelement <4 x float> poison, float %l185, i64 0
  %s187 = shufflevector <4 x float> %s186, <4 x float> poison, <4 x i32> zeroinitializer
  %l188 = load <4 x float>, ptr %p175, align 64
  %l189 = load <4 x float>, ptr %acc121, align 64
  %f190 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s187, <4 x float> %l188, <4 x float> %l189)
  store <4 x float> %f190, ptr %acc121, align 64
  %p191 = getelementptr float, ptr %p175, i64 4
  %l192 = load <4 x float>, ptr %p191, align 16
  %l193 = load <4 x float>, ptr %p124, align 16
  %f194 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %s187, <4 x float> %l192, <4 x float> %l193)
  store <4 x float> %f194, ptr %p124, align 16
  br label %end178
end178:
  br label %end169
end169:
  br i1 %c120, label %then195, label %end195
then195:
  %s196 = insertelement <4 x i64> poison, i64 4, i64 0
  %s197 = shufflevector <4 x i64> %s196, <4 x i64> poison, <4 x i32> zeroinitializer
  %m198 = icmp sle <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %s197
  %l199 = load <4 x float>, ptr %acc121, align 64
  %i200 = mul nsw i64 %i1, 10
  %p201 = getelementptr float, ptr %y, i64 %i200
  call void @llvm.masked.store.v4f32.p0(<4 x float> %l199, ptr align 4 %p201, <4 x i1> %m198)
  %s202 = insertelement <4 x i64> poison, i64 0, i64 0
  %s203 = shufflevector <4 x i64> %s202, <4 x i64> poison, <4 x i32> zeroinitializer
  %m204 = icmp sle <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %s203
  %l205 = load <4 x float>, ptr %p124, align 16
  %p206 = getelementptr float, ptr %p201, i64 4
  call void @llvm.masked.store.v4f32.p0(<4 x float> %l205, ptr align 4 %p206, <4 x i1> %m204)
  br label %end195
end195:
  br label %end118
end118:
  ret void
}

define internal void @pack_w_0(ptr noalias nocapture %w, ptr noalias nocapture %w_packed, i64 %k, i64 %m, ptr noalias %workspace) #0 {
start:
  %c2 = icmp sgt i64 %k, 0
  br i1 %c2, label %body1, label %after1
body1:
  %p_w_1.1 = phi i64 [ 0, %start ], [ %p_w_1.next.1, %after3 ]
  br label %body3
body3:
  %p_ni.3 = phi i64 [ 0, %body1 ], [ %p_ni.next.3, %after4 ]
  br label %body4
body4:
  %p_nv.4 = phi i64 [ 0, %body3 ], [ %p_nv.next.4, %end5 ]
  %i6 = mul nsw i64 %p_ni.3, -4
  %i7 = mul nsw i64 %p_nv.4, -1
  %i8 = add nsw i64 %i6, %i7
  %i9 = add nsw i64 %i8, 4
  %c10 = icmp sge i64 %i9, 0
  br i1 %c10, label %then5, label %else5
then5:
  %i11 = mul nsw i64 %k, %p_ni.3
  %i12 = mul nsw i64 %i11, 4
  %i13 = mul nsw i64 %k, %p_nv.4
  %i14 = add nsw i64 %i12, %i13
  %i15 = add nsw i64 %i14, %p_w_1.1
  %p16 = getelementptr float, ptr %w, i64 %i15
  %l17 = load float, ptr %p16, align 4
  %i18 = mul nsw i64 %p_ni.3, 4
  %i19 = add nsw i64 %i18, %p_nv.4
  %i20 = mul nsw i64 %p_w_1.1, 8
  %i21 = add nsw i64 %i19, %i20
  %p22 = getelementptr float, ptr %w_packed, i64 %i21
  store float %l17, ptr %p22, align 4
  br label %end5
else5:
  %i23 = mul nsw i64 %p_ni.3, 4
  %i24 = add nsw i64 %i23, %p_nv.4
  %i25 = mul nsw i64 %p_w_1.1, 8
  %i26 = add nsw i64 %i24, %i25
  %p27 = getelementptr float, ptr %w_packed, i64 %i26
  store float 0x0000000000000000, ptr %p27, align 4
  br label %end5
end5:
  %p_nv.next.4 = add nuw nsw i64 %p_nv.4, 1
  %c28 = icmp slt i64 %p_nv.next.4, 4
  br i1 %c28, label %body4, label %after4
after4:
  %p_ni.next.3 = add nuw nsw i64 %p_ni.3, 1
  %c29 = icmp slt i64 %p_ni.next.3, 2
  br i1 %c29, label %body3, label %after3
after3:
  %p_w_1.next.1 = add nuw nsw i64 %p_w_1.1, 1
  %c30 = icmp slt i64 %p_w_1.next.1, %k
  br i1 %c30, label %body1, label %after1
after1:
  ret void
}

define i32 @anytile_pack_w(ptr %data, ptr %dims, ptr %workspace) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m = load i64, ptr %m.at, align 8
  %d1 = getelementptr ptr, ptr %data, i64 0
  %t2 = load ptr, ptr %d1, align 8
  %d3 = getelementptr ptr, ptr %data, i64 1
  %t4 = load ptr, ptr %d3, align 8
  %p5 = getelementptr i8, ptr %t4, i64 0
  call void @pack_w_0(ptr %t2, ptr %p5, i64 %k, i64 %m, ptr null)
  ret i32 0
}

define i64 @anytile_packed_w(ptr %dims) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m = load i64, ptr %m.at, align 8
  %i1 = mul nsw i64 %k, 32
  %i2 = add nsw i64 %i1, 63
  %i3 = ashr i64 %i2, 6
  %i4 = mul nsw i64 %i3, 64
  ret i64 %i4
}

define i64 @anytile_workspace(ptr %dims) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m = load i64, ptr %m.at, align 8
  ret i64 0
}

define i32 @anytile_kernel(ptr %data, ptr %dims, ptr %workspace) #0 {
start:
  %k.at = getelementptr i64, ptr %dims, i64 0
  %k = load i64, ptr %k.at, align 8
  %m.at = getelementptr i64, ptr %dims, i64 1
  %m = load i64, ptr %m.at, align 8
  %k.negative = icmp slt i64 %k, 0
  br i1 %k.negative, label %nothing, label %k.known
k.known:
  %m.negative = icmp slt i64 %m, 0
  br i1 %m.negative, label %nothing, label %m.known
m.known:
  %d1 = getelementptr ptr, ptr %data, i64 0
  %t2 = load ptr, ptr %d1, align 8
  %d3 = getelementptr ptr, ptr %data, i64 1
  %t4 = load ptr, ptr %d3, align 8
  %d5 = getelementptr ptr, ptr %data, i64 2
  %t6 = load ptr, ptr %d5, align 8
  br label %run0
run0:
  %r7 = urem i64 %m, 2
  switch i64 %r7, label %nothing [ i64 0, label %call0_1 i64 1, label %call0_1 ]
call0_1:
  call void @v0_r0_1(ptr %t2, ptr %t4, ptr %t6, i64 %k, i64 %m, ptr %workspace)
  ret i32 0
nothing:
  ret i32 1
}

declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
declare void @llvm.prefetch.p0(ptr, i32 immarg, i32 immarg, i32 immarg)
attributes #0 = { nounwind "prefer-vector-width"="512" "no-trapping-math"="true" }
