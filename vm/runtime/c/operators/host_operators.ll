; LLVM IR of host_operators.c, written by scripts/runtime: do not edit. 1f25606b185d1149
%struct.entry = type { i64, i64 }
%struct.line = type { ptr, i64, i64, i64, i64 }
%struct.box = type { [2 x double], [2 x double], double }
%struct.way = type { double, double, i64, i64, i64 }
%struct.tap = type { i64, double }
%struct.broadcast = type { i64, [8 x i64], [2 x [8 x i64]] }
%struct.lines = type { i64, i64, i64, i64, i64, i64, i8, [8 x i64], [8 x i64], ptr }
%struct.tensor = type { i64, i64, i64, i64, i64, [8 x i64] }
%struct.resizing = type { i64, i64, i64, i64, i64, i64, double, double, double, i8 }
%struct.joined = type { ptr, ptr, i64, i64, i64 }

@switch.table.begin_join = private constant [15 x i64] [i64 4, i64 4, i64 8, i64 1, i64 1, i64 8, i64 2, i64 1, i64 2, i64 2, i64 4, i64 8, i64 2, i64 1, i64 1], align 8

define internal noundef zeroext i1 @op_top_k(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  %8 = load i64, ptr %1, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %10 = load i64, ptr %9, align 8
  %11 = icmp ne i64 %10, 0
  %12 = tail call fastcc zeroext i1 @top(ptr noundef %3, ptr noundef %5, ptr noundef %7, i64 noundef %8, i1 noundef zeroext %11)
  ret i1 %12
}

define internal fastcc noundef zeroext i1 @top(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, i64 noundef %3, i1 noundef zeroext %4) #0 {
  %6 = alloca %struct.entry, align 8
  %7 = alloca [8 x i64], align 16
  %8 = alloca [8 x i64], align 16
  %9 = alloca %struct.line, align 8
  %10 = icmp slt i64 %3, 0
  br i1 %10, label %11, label %14

11:
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %13 = load i64, ptr %12, align 8
  br label %14

14:
  %15 = phi i64 [ %13, %11 ], [ 0, %5 ]
  %16 = add i64 %15, %3
  %17 = icmp slt i64 %16, 0
  br i1 %17, label %519, label %18

18:
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %20 = load i64, ptr %19, align 8
  %21 = icmp slt i64 %16, %20
  br i1 %21, label %22, label %519

22:
  %23 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %26 = load i64, ptr %25, align 8
  %27 = icmp eq i64 %24, %26
  br i1 %27, label %28, label %519

28:
  %29 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %30 = load i64, ptr %29, align 8
  %31 = icmp eq i64 %30, 2
  br i1 %31, label %32, label %519

32:
  %33 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, %20
  br i1 %35, label %36, label %519

36:
  %37 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %40 = load i64, ptr %39, align 8
  %41 = icmp eq i64 %38, %40
  br i1 %41, label %42, label %519

42:
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %44 = getelementptr inbounds nuw i64, ptr %43, i64 %16
  %45 = load i64, ptr %44, align 8
  %46 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %47 = getelementptr inbounds nuw i64, ptr %46, i64 %16
  %48 = load i64, ptr %47, align 8
  %49 = icmp eq i64 %16, 0
  br i1 %49, label %58, label %50

50:
  %51 = phi i64 [ %56, %50 ], [ 0, %42 ]
  %52 = phi i64 [ %55, %50 ], [ 1, %42 ]
  %53 = getelementptr inbounds nuw i64, ptr %43, i64 %51
  %54 = load i64, ptr %53, align 8
  %55 = mul i64 %54, %52
  %56 = add nuw nsw i64 %51, 1
  %57 = icmp eq i64 %56, %16
  br i1 %57, label %58, label %50

58:
  %59 = phi i64 [ 1, %42 ], [ %55, %50 ]
  %60 = add nuw nsw i64 %16, 1
  %61 = icmp samesign ult i64 %60, %20
  br i1 %61, label %62, label %70

62:
  %63 = phi i64 [ %68, %62 ], [ %60, %58 ]
  %64 = phi i64 [ %67, %62 ], [ 1, %58 ]
  %65 = getelementptr inbounds nuw i64, ptr %43, i64 %63
  %66 = load i64, ptr %65, align 8
  %67 = mul i64 %66, %64
  %68 = add nuw nsw i64 %63, 1
  %69 = icmp eq i64 %68, %20
  br i1 %69, label %70, label %62

70:
  %71 = phi i64 [ 1, %58 ], [ %67, %62 ]
  %72 = icmp sgt i64 %48, %45
  br i1 %72, label %519, label %73

73:
  %74 = mul i64 %59, %48
  %75 = mul i64 %74, %71
  %76 = icmp eq i64 %38, %75
  br i1 %76, label %77, label %519

77:
  %78 = icmp eq i64 %38, 0
  br i1 %78, label %519, label %79

79:
  %80 = icmp slt i64 %45, 33
  %81 = lshr i64 %45, 3
  %82 = icmp sgt i64 %48, %81
  %83 = or i1 %80, %82
  %84 = shl i64 %45, 1
  %85 = select i1 %83, i64 %84, i64 %48
  %86 = shl i64 %85, 4
  %87 = tail call ptr @malloc(i64 noundef %86)
  %88 = icmp eq ptr %87, null
  br i1 %88, label %519, label %89

89:
  %90 = load i64, ptr %25, align 8
  %91 = icmp ult i64 %90, 15
  br i1 %91, label %92, label %95

92:
  %93 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %90
  %94 = load i64, ptr %93, align 8
  br label %95

95:
  %96 = phi i64 [ %94, %92 ], [ 8, %89 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %9)
  %97 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %98 = mul i64 %96, %71
  store i64 %98, ptr %97, align 8
  %99 = getelementptr inbounds nuw i8, ptr %9, i64 16
  store i64 %45, ptr %99, align 8
  %100 = getelementptr inbounds nuw i8, ptr %9, i64 24
  store i64 %90, ptr %100, align 8
  %101 = getelementptr inbounds nuw i8, ptr %9, i64 32
  %102 = xor i1 %4, true
  %103 = sext i1 %102 to i64
  store i64 %103, ptr %101, align 8
  %104 = mul i64 %71, %59
  %105 = icmp sgt i64 %104, 0
  br i1 %105, label %106, label %127

106:
  %107 = mul i64 %71, %45
  %108 = icmp sgt i64 %48, 0
  %109 = icmp eq i64 %90, 13
  %110 = select i1 %109, i32 126, i32 124
  %111 = icmp eq i64 %90, 6
  %112 = select i1 %111, i32 31744, i32 32640
  %113 = icmp eq i64 %48, 1
  %114 = lshr i64 %48, 1
  %115 = icmp ne i64 %90, 0
  %116 = icmp ne i64 %98, 4
  %117 = select i1 %115, i1 true, i1 %116
  %118 = add nsw i64 %48, 64
  %119 = icmp sgt i64 %118, %45
  %120 = getelementptr inbounds nuw i8, ptr %87, i64 8
  %121 = add i64 %48, -1
  %122 = icmp sgt i64 %121, 0
  %123 = icmp sgt i64 %45, 0
  %124 = getelementptr inbounds %struct.entry, ptr %87, i64 %45
  %125 = select i1 %117, i1 true, i1 %119
  %126 = xor i64 %103, -1
  br label %128

127:
  tail call void @free(ptr noundef nonnull %87)
  call void @llvm.lifetime.end.p0(ptr nonnull %9)
  br label %519

128:
  %129 = phi i64 [ 0, %106 ], [ %484, %483 ]
  %130 = sdiv i64 %129, %71
  %131 = mul i64 %107, %130
  %132 = srem i64 %129, %71
  %133 = add i64 %131, %132
  %134 = mul i64 %130, %48
  %135 = load i64, ptr %0, align 8
  %136 = inttoptr i64 %135 to ptr
  %137 = mul i64 %133, %96
  %138 = getelementptr inbounds i8, ptr %136, i64 %137
  store ptr %138, ptr %9, align 8
  br i1 %83, label %140, label %139

139:
  br i1 %108, label %215, label %286

140:
  br i1 %123, label %143, label %141

141:
  %142 = tail call fastcc ptr @sorted(ptr noundef nonnull %87, ptr noundef %124, i64 noundef %45)
  br label %481

143:
  %144 = phi i64 [ %212, %208 ], [ 0, %140 ]
  %145 = getelementptr inbounds nuw %struct.entry, ptr %87, i64 %144
  %146 = mul i64 %144, %98
  %147 = getelementptr inbounds i8, ptr %138, i64 %146
  switch i64 %90, label %205 [
    i64 0, label %148
    i64 6, label %157
    i64 12, label %157
    i64 13, label %167
    i64 14, label %167
    i64 5, label %177
    i64 2, label %185
    i64 11, label %187
    i64 1, label %190
    i64 10, label %193
    i64 8, label %196
    i64 9, label %199
    i64 7, label %202
  ]

148:
  %149 = load i32, ptr %147, align 1
  %150 = and i32 %149, 2147483647
  %151 = icmp samesign ugt i32 %150, 2139095040
  %152 = icmp slt i32 %149, 0
  %153 = sub nsw i32 0, %150
  %154 = select i1 %152, i32 %153, i32 %150
  %155 = select i1 %151, i32 2147483647, i32 %154
  %156 = sext i32 %155 to i64
  br label %208

157:
  %158 = load i16, ptr %147, align 1
  %159 = and i16 %158, 32767
  %160 = zext nneg i16 %159 to i32
  %161 = icmp samesign ult i32 %112, %160
  %162 = icmp slt i16 %158, 0
  %163 = sub nsw i32 0, %160
  %164 = select i1 %162, i32 %163, i32 %160
  %165 = select i1 %161, i32 32767, i32 %164
  %166 = sext i32 %165 to i64
  br label %208

167:
  %168 = load i8, ptr %147, align 1
  %169 = and i8 %168, 127
  %170 = zext nneg i8 %169 to i32
  %171 = icmp samesign ult i32 %110, %170
  %172 = icmp slt i8 %168, 0
  %173 = sub nsw i32 0, %170
  %174 = select i1 %172, i32 %173, i32 %170
  %175 = select i1 %171, i32 127, i32 %174
  %176 = sext i32 %175 to i64
  br label %208

177:
  %178 = load i64, ptr %147, align 1
  %179 = and i64 %178, 9223372036854775807
  %180 = icmp samesign ugt i64 %179, 9218868437227405312
  %181 = icmp slt i64 %178, 0
  %182 = sub nsw i64 0, %179
  %183 = select i1 %181, i64 %182, i64 %179
  %184 = select i1 %180, i64 9223372036854775807, i64 %183
  br label %208

185:
  %186 = load i64, ptr %147, align 8
  br label %208

187:
  %188 = load i64, ptr %147, align 8
  %189 = xor i64 %188, -9223372036854775808
  br label %208

190:
  %191 = load i32, ptr %147, align 4
  %192 = sext i32 %191 to i64
  br label %208

193:
  %194 = load i32, ptr %147, align 4
  %195 = zext i32 %194 to i64
  br label %208

196:
  %197 = load i16, ptr %147, align 2
  %198 = sext i16 %197 to i64
  br label %208

199:
  %200 = load i16, ptr %147, align 2
  %201 = zext i16 %200 to i64
  br label %208

202:
  %203 = load i8, ptr %147, align 1
  %204 = sext i8 %203 to i64
  br label %208

205:
  %206 = load i8, ptr %147, align 1
  %207 = zext i8 %206 to i64
  br label %208

208:
  %209 = phi i64 [ %207, %205 ], [ %156, %148 ], [ %166, %157 ], [ %176, %167 ], [ %184, %177 ], [ %186, %185 ], [ %189, %187 ], [ %192, %190 ], [ %195, %193 ], [ %198, %196 ], [ %201, %199 ], [ %204, %202 ]
  %210 = xor i64 %209, %126
  store i64 %210, ptr %145, align 8
  %211 = getelementptr inbounds nuw i8, ptr %145, i64 8
  store i64 %144, ptr %211, align 8
  %212 = add nuw nsw i64 %144, 1
  %213 = icmp eq i64 %212, %45
  br i1 %213, label %141, label %143

214:
  br i1 %113, label %286, label %372

215:
  %216 = phi i64 [ %284, %280 ], [ 0, %139 ]
  %217 = getelementptr inbounds nuw %struct.entry, ptr %87, i64 %216
  %218 = mul i64 %216, %98
  %219 = getelementptr inbounds i8, ptr %138, i64 %218
  switch i64 %90, label %277 [
    i64 0, label %220
    i64 6, label %229
    i64 12, label %229
    i64 13, label %239
    i64 14, label %239
    i64 5, label %249
    i64 2, label %257
    i64 11, label %259
    i64 1, label %262
    i64 10, label %265
    i64 8, label %268
    i64 9, label %271
    i64 7, label %274
  ]

220:
  %221 = load i32, ptr %219, align 1
  %222 = and i32 %221, 2147483647
  %223 = icmp samesign ugt i32 %222, 2139095040
  %224 = icmp slt i32 %221, 0
  %225 = sub nsw i32 0, %222
  %226 = select i1 %224, i32 %225, i32 %222
  %227 = select i1 %223, i32 2147483647, i32 %226
  %228 = sext i32 %227 to i64
  br label %280

229:
  %230 = load i16, ptr %219, align 1
  %231 = and i16 %230, 32767
  %232 = zext nneg i16 %231 to i32
  %233 = icmp samesign ult i32 %112, %232
  %234 = icmp slt i16 %230, 0
  %235 = sub nsw i32 0, %232
  %236 = select i1 %234, i32 %235, i32 %232
  %237 = select i1 %233, i32 32767, i32 %236
  %238 = sext i32 %237 to i64
  br label %280

239:
  %240 = load i8, ptr %219, align 1
  %241 = and i8 %240, 127
  %242 = zext nneg i8 %241 to i32
  %243 = icmp samesign ult i32 %110, %242
  %244 = icmp slt i8 %240, 0
  %245 = sub nsw i32 0, %242
  %246 = select i1 %244, i32 %245, i32 %242
  %247 = select i1 %243, i32 127, i32 %246
  %248 = sext i32 %247 to i64
  br label %280

249:
  %250 = load i64, ptr %219, align 1
  %251 = and i64 %250, 9223372036854775807
  %252 = icmp samesign ugt i64 %251, 9218868437227405312
  %253 = icmp slt i64 %250, 0
  %254 = sub nsw i64 0, %251
  %255 = select i1 %253, i64 %254, i64 %251
  %256 = select i1 %252, i64 9223372036854775807, i64 %255
  br label %280

257:
  %258 = load i64, ptr %219, align 8
  br label %280

259:
  %260 = load i64, ptr %219, align 8
  %261 = xor i64 %260, -9223372036854775808
  br label %280

262:
  %263 = load i32, ptr %219, align 4
  %264 = sext i32 %263 to i64
  br label %280

265:
  %266 = load i32, ptr %219, align 4
  %267 = zext i32 %266 to i64
  br label %280

268:
  %269 = load i16, ptr %219, align 2
  %270 = sext i16 %269 to i64
  br label %280

271:
  %272 = load i16, ptr %219, align 2
  %273 = zext i16 %272 to i64
  br label %280

274:
  %275 = load i8, ptr %219, align 1
  %276 = sext i8 %275 to i64
  br label %280

277:
  %278 = load i8, ptr %219, align 1
  %279 = zext i8 %278 to i64
  br label %280

280:
  %281 = phi i64 [ %279, %277 ], [ %228, %220 ], [ %238, %229 ], [ %248, %239 ], [ %256, %249 ], [ %258, %257 ], [ %261, %259 ], [ %264, %262 ], [ %267, %265 ], [ %270, %268 ], [ %273, %271 ], [ %276, %274 ]
  %282 = xor i64 %281, %103
  store i64 %282, ptr %217, align 8
  %283 = getelementptr inbounds nuw i8, ptr %217, i64 8
  store i64 %216, ptr %283, align 8
  %284 = add nuw nsw i64 %216, 1
  %285 = icmp eq i64 %284, %48
  br i1 %285, label %214, label %215

286:
  br i1 %125, label %369, label %290

287:
  %288 = add i64 %291, 64
  %289 = icmp sgt i64 %288, %45
  br i1 %289, label %369, label %290

290:
  %291 = phi i64 [ %288, %287 ], [ %118, %286 ]
  %292 = phi i64 [ %291, %287 ], [ %48, %286 ]
  %293 = getelementptr inbounds float, ptr %138, i64 %292
  %294 = load i64, ptr %120, align 8
  %295 = getelementptr inbounds float, ptr %138, i64 %294
  %296 = load float, ptr %295, align 4
  %297 = fcmp uno float %296, 0.000000e+00
  br i1 %297, label %360, label %298

298:
  %299 = load <16 x float>, ptr %293, align 4
  %300 = insertelement <16 x float> poison, float %296, i64 0
  %301 = shufflevector <16 x float> %300, <16 x float> poison, <16 x i32> zeroinitializer
  %302 = getelementptr inbounds nuw i8, ptr %293, i64 64
  %303 = load <16 x float>, ptr %302, align 4
  br i1 %4, label %308, label %304

304:
  %305 = fcmp olt <16 x float> %299, %301
  %306 = select <16 x i1> %305, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %307 = fcmp olt <16 x float> %303, %301
  br label %312

308:
  %309 = fcmp ugt <16 x float> %299, %301
  %310 = select <16 x i1> %309, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %311 = fcmp ugt <16 x float> %303, %301
  br label %312

312:
  %313 = phi <16 x i32> [ %306, %304 ], [ %310, %308 ]
  %314 = phi <16 x i1> [ %307, %304 ], [ %311, %308 ]
  %315 = select <16 x i1> %314, <16 x i32> <i32 65536, i32 131072, i32 262144, i32 524288, i32 1048576, i32 2097152, i32 4194304, i32 8388608, i32 16777216, i32 33554432, i32 67108864, i32 134217728, i32 268435456, i32 536870912, i32 1073741824, i32 -2147483648>, <16 x i32> zeroinitializer
  %316 = or disjoint <16 x i32> %315, %313
  call void @llvm.lifetime.start.p0(ptr nonnull %8)
  store <16 x i32> %316, ptr %8, align 16
  br label %317

317:
  %318 = phi i64 [ 0, %312 ], [ %323, %317 ]
  %319 = phi i64 [ 0, %312 ], [ %322, %317 ]
  %320 = getelementptr inbounds nuw i64, ptr %8, i64 %318
  %321 = load i64, ptr %320, align 8
  %322 = or i64 %321, %319
  %323 = add nuw nsw i64 %318, 1
  %324 = icmp eq i64 %323, 8
  br i1 %324, label %325, label %317

325:
  %326 = lshr i64 %322, 32
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  %327 = and i64 %322, 4294967295
  %328 = getelementptr inbounds nuw i8, ptr %293, i64 128
  %329 = load <16 x float>, ptr %328, align 4
  %330 = getelementptr inbounds nuw i8, ptr %293, i64 192
  %331 = load <16 x float>, ptr %330, align 4
  br i1 %4, label %336, label %332

332:
  %333 = fcmp olt <16 x float> %329, %301
  %334 = select <16 x i1> %333, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %335 = fcmp olt <16 x float> %331, %301
  br label %340

336:
  %337 = fcmp ugt <16 x float> %329, %301
  %338 = select <16 x i1> %337, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %339 = fcmp ugt <16 x float> %331, %301
  br label %340

340:
  %341 = phi <16 x i32> [ %334, %332 ], [ %338, %336 ]
  %342 = phi <16 x i1> [ %335, %332 ], [ %339, %336 ]
  %343 = select <16 x i1> %342, <16 x i32> <i32 65536, i32 131072, i32 262144, i32 524288, i32 1048576, i32 2097152, i32 4194304, i32 8388608, i32 16777216, i32 33554432, i32 67108864, i32 134217728, i32 268435456, i32 536870912, i32 1073741824, i32 -2147483648>, <16 x i32> zeroinitializer
  %344 = or disjoint <16 x i32> %343, %341
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  store <16 x i32> %344, ptr %7, align 16
  br label %345

345:
  %346 = phi i64 [ 0, %340 ], [ %351, %345 ]
  %347 = phi i64 [ 0, %340 ], [ %350, %345 ]
  %348 = getelementptr inbounds nuw i64, ptr %7, i64 %346
  %349 = load i64, ptr %348, align 8
  %350 = or i64 %349, %347
  %351 = add nuw nsw i64 %346, 1
  %352 = icmp eq i64 %351, 8
  br i1 %352, label %353, label %345

353:
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  %354 = shl i64 %350, 32
  %355 = and i64 %350, -4294967296
  %356 = or i64 %326, %327
  %357 = or disjoint i64 %354, %356
  %358 = or i64 %357, %355
  %359 = icmp eq i64 %358, 0
  br i1 %359, label %287, label %360

360:
  %361 = phi i64 [ -1, %290 ], [ %358, %353 ]
  br label %362

362:
  %363 = phi i64 [ %367, %362 ], [ %361, %360 ]
  %364 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %363, i1 true)
  %365 = add i64 %364, %292
  call fastcc void @offer(ptr noundef nonnull %87, i64 noundef %48, ptr noundef nonnull readonly %9, i64 noundef %365)
  %366 = add i64 %363, -1
  %367 = and i64 %366, %363
  %368 = icmp eq i64 %367, 0
  br i1 %368, label %287, label %362

369:
  %370 = phi i64 [ %48, %286 ], [ %291, %287 ]
  %371 = icmp slt i64 %370, %45
  br i1 %371, label %477, label %425

372:
  %373 = phi i64 [ %374, %420 ], [ %114, %214 ]
  %374 = add nsw i64 %373, -1
  %375 = getelementptr inbounds nuw %struct.entry, ptr %87, i64 %374
  %376 = load i64, ptr %375, align 8
  %377 = getelementptr inbounds nuw i8, ptr %375, i64 8
  %378 = load i64, ptr %377, align 8
  %379 = shl nuw i64 %374, 1
  %380 = or disjoint i64 %379, 1
  %381 = icmp slt i64 %380, %48
  br i1 %381, label %382, label %420

382:
  %383 = phi i64 [ %418, %415 ], [ %380, %372 ]
  %384 = phi i64 [ %417, %415 ], [ %379, %372 ]
  %385 = phi i64 [ %405, %415 ], [ %374, %372 ]
  %386 = add i64 %384, 2
  %387 = icmp slt i64 %386, %48
  br i1 %387, label %388, label %404

388:
  %389 = getelementptr inbounds %struct.entry, ptr %87, i64 %383
  %390 = getelementptr inbounds %struct.entry, ptr %87, i64 %386
  %391 = load i64, ptr %389, align 8
  %392 = load i64, ptr %390, align 8
  %393 = icmp sgt i64 %391, %392
  br i1 %393, label %403, label %394

394:
  %395 = getelementptr inbounds nuw i8, ptr %390, i64 8
  %396 = load i64, ptr %395, align 8
  %397 = getelementptr inbounds nuw i8, ptr %389, i64 8
  %398 = load i64, ptr %397, align 8
  %399 = icmp eq i64 %391, %392
  %400 = icmp slt i64 %398, %396
  %401 = select i1 %399, i1 %400, i1 false
  %402 = freeze i1 %401
  br i1 %402, label %403, label %404

403:
  br label %404

404:
  %405 = phi i64 [ %383, %382 ], [ %386, %403 ], [ %383, %394 ]
  %406 = getelementptr inbounds %struct.entry, ptr %87, i64 %405
  %407 = load i64, ptr %406, align 8
  %408 = icmp sgt i64 %376, %407
  br i1 %408, label %415, label %409

409:
  %410 = getelementptr inbounds nuw i8, ptr %406, i64 8
  %411 = load i64, ptr %410, align 8
  %412 = icmp eq i64 %376, %407
  %413 = icmp slt i64 %378, %411
  %414 = select i1 %412, i1 %413, i1 false
  br i1 %414, label %415, label %420

415:
  %416 = getelementptr inbounds %struct.entry, ptr %87, i64 %385
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %416, ptr noundef nonnull align 8 dereferenceable(16) %406, i64 16, i1 false)
  %417 = shl i64 %405, 1
  %418 = or disjoint i64 %417, 1
  %419 = icmp slt i64 %418, %48
  br i1 %419, label %382, label %420

420:
  %421 = phi i64 [ %374, %372 ], [ %385, %409 ], [ %405, %415 ]
  %422 = getelementptr inbounds %struct.entry, ptr %87, i64 %421
  store i64 %376, ptr %422, align 8
  %423 = getelementptr inbounds nuw i8, ptr %422, i64 8
  store i64 %378, ptr %423, align 8
  %424 = icmp sgt i64 %373, 1
  br i1 %424, label %372, label %286

425:
  br i1 %122, label %426, label %481

426:
  %427 = phi i64 [ %475, %471 ], [ %121, %425 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %6, ptr noundef nonnull align 8 dereferenceable(16) %87, i64 16, i1 false)
  %428 = getelementptr inbounds nuw %struct.entry, ptr %87, i64 %427
  %429 = load i64, ptr %428, align 8
  %430 = getelementptr inbounds nuw i8, ptr %428, i64 8
  %431 = load i64, ptr %430, align 8
  %432 = icmp eq i64 %427, 1
  br i1 %432, label %471, label %433

433:
  %434 = phi i64 [ %469, %466 ], [ 1, %426 ]
  %435 = phi i64 [ %468, %466 ], [ 0, %426 ]
  %436 = phi i64 [ %456, %466 ], [ 0, %426 ]
  %437 = add i64 %435, 2
  %438 = icmp slt i64 %437, %427
  br i1 %438, label %439, label %455

439:
  %440 = getelementptr inbounds %struct.entry, ptr %87, i64 %434
  %441 = getelementptr inbounds %struct.entry, ptr %87, i64 %437
  %442 = load i64, ptr %440, align 8
  %443 = load i64, ptr %441, align 8
  %444 = icmp sgt i64 %442, %443
  br i1 %444, label %454, label %445

445:
  %446 = getelementptr inbounds nuw i8, ptr %441, i64 8
  %447 = load i64, ptr %446, align 8
  %448 = getelementptr inbounds nuw i8, ptr %440, i64 8
  %449 = load i64, ptr %448, align 8
  %450 = icmp eq i64 %442, %443
  %451 = icmp slt i64 %449, %447
  %452 = select i1 %450, i1 %451, i1 false
  %453 = freeze i1 %452
  br i1 %453, label %454, label %455

454:
  br label %455

455:
  %456 = phi i64 [ %434, %433 ], [ %437, %454 ], [ %434, %445 ]
  %457 = getelementptr inbounds %struct.entry, ptr %87, i64 %456
  %458 = load i64, ptr %457, align 8
  %459 = icmp sgt i64 %429, %458
  br i1 %459, label %466, label %460

460:
  %461 = getelementptr inbounds nuw i8, ptr %457, i64 8
  %462 = load i64, ptr %461, align 8
  %463 = icmp eq i64 %429, %458
  %464 = icmp slt i64 %431, %462
  %465 = select i1 %463, i1 %464, i1 false
  br i1 %465, label %466, label %471

466:
  %467 = getelementptr inbounds %struct.entry, ptr %87, i64 %436
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %467, ptr noundef nonnull align 8 dereferenceable(16) %457, i64 16, i1 false)
  %468 = shl i64 %456, 1
  %469 = or disjoint i64 %468, 1
  %470 = icmp slt i64 %469, %427
  br i1 %470, label %433, label %471

471:
  %472 = phi i64 [ 0, %426 ], [ %456, %466 ], [ %436, %460 ]
  %473 = getelementptr inbounds %struct.entry, ptr %87, i64 %472
  store i64 %429, ptr %473, align 8
  %474 = getelementptr inbounds nuw i8, ptr %473, i64 8
  store i64 %431, ptr %474, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %428, ptr noundef nonnull align 8 dereferenceable(16) %6, i64 16, i1 false)
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  %475 = add nsw i64 %427, -1
  %476 = icmp sgt i64 %427, 1
  br i1 %476, label %426, label %481

477:
  %478 = phi i64 [ %479, %477 ], [ %370, %369 ]
  call fastcc void @offer(ptr noundef nonnull %87, i64 noundef %48, ptr noundef nonnull readonly %9, i64 noundef %478)
  %479 = add i64 %478, 1
  %480 = icmp eq i64 %479, %45
  br i1 %480, label %425, label %477

481:
  %482 = phi ptr [ %142, %141 ], [ %87, %425 ], [ %87, %471 ]
  br i1 %108, label %486, label %483

483:
  %484 = add nuw nsw i64 %129, 1
  %485 = icmp eq i64 %484, %104
  br i1 %485, label %127, label %128

486:
  %487 = phi i64 [ %517, %512 ], [ 0, %481 ]
  %488 = add i64 %487, %134
  %489 = mul i64 %488, %71
  %490 = add i64 %489, %132
  %491 = load i64, ptr %1, align 8
  %492 = inttoptr i64 %491 to ptr
  %493 = mul i64 %490, %96
  %494 = getelementptr inbounds i8, ptr %492, i64 %493
  %495 = load i64, ptr %0, align 8
  %496 = inttoptr i64 %495 to ptr
  %497 = getelementptr inbounds nuw %struct.entry, ptr %482, i64 %487
  %498 = getelementptr inbounds nuw i8, ptr %497, i64 8
  %499 = load i64, ptr %498, align 8
  %500 = mul i64 %499, %71
  %501 = add i64 %500, %133
  %502 = mul i64 %501, %96
  %503 = getelementptr inbounds i8, ptr %496, i64 %502
  switch i64 %96, label %510 [
    i64 1, label %504
    i64 2, label %506
    i64 4, label %508
  ]

504:
  %505 = load i8, ptr %503, align 1
  store i8 %505, ptr %494, align 1
  br label %512

506:
  %507 = load i16, ptr %503, align 1
  store i16 %507, ptr %494, align 1
  br label %512

508:
  %509 = load i32, ptr %503, align 1
  store i32 %509, ptr %494, align 1
  br label %512

510:
  %511 = load i64, ptr %503, align 1
  store i64 %511, ptr %494, align 1
  br label %512

512:
  %513 = load i64, ptr %498, align 8
  %514 = load i64, ptr %2, align 8
  %515 = inttoptr i64 %514 to ptr
  %516 = getelementptr inbounds i64, ptr %515, i64 %490
  store i64 %513, ptr %516, align 8
  %517 = add nuw nsw i64 %487, 1
  %518 = icmp eq i64 %517, %48
  br i1 %518, label %483, label %486

519:
  %520 = phi i1 [ false, %14 ], [ false, %36 ], [ false, %32 ], [ false, %28 ], [ false, %22 ], [ false, %18 ], [ false, %70 ], [ true, %77 ], [ false, %73 ], [ false, %79 ], [ true, %127 ]
  ret i1 %520
}

define internal noundef zeroext i1 @sizes_top_k_by(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = load i64, ptr %1, align 8
  %7 = icmp slt i64 %6, 0
  br i1 %7, label %8, label %11

8:
  %9 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %10 = load i64, ptr %9, align 8
  br label %11

11:
  %12 = phi i64 [ %10, %8 ], [ 0, %2 ]
  %13 = add i64 %12, %6
  %14 = icmp slt i64 %13, 0
  br i1 %14, label %76, label %15

15:
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %17 = load i64, ptr %16, align 8
  %18 = icmp slt i64 %13, %17
  br i1 %18, label %19, label %76

19:
  %20 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %21 = load i64, ptr %20, align 8
  %22 = icmp eq i64 %21, 2
  br i1 %22, label %23, label %76

23:
  %24 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %25 = load i64, ptr %24, align 8
  %26 = icmp eq i64 %25, 1
  br i1 %26, label %27, label %76

27:
  %28 = load i64, ptr %5, align 8
  %29 = inttoptr i64 %28 to ptr
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %32 = getelementptr inbounds nuw i64, ptr %31, i64 %13
  %33 = load i64, ptr %32, align 8
  %34 = icmp slt i64 %30, 0
  br i1 %34, label %76, label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %37 = load i64, ptr %36, align 8
  %38 = icmp ne i64 %37, 0
  %39 = icmp sgt i64 %30, %33
  %40 = select i1 %38, i1 %39, i1 false
  br i1 %40, label %76, label %41

41:
  %42 = icmp slt i64 %30, %33
  br label %43

43:
  %44 = phi i64 [ %17, %41 ], [ %59, %58 ]
  %45 = phi i1 [ false, %41 ], [ true, %58 ]
  %46 = phi i64 [ 2, %41 ], [ 3, %58 ]
  %47 = getelementptr inbounds nuw ptr, ptr %0, i64 %46
  %48 = load ptr, ptr %47, align 8
  %49 = getelementptr inbounds nuw i8, ptr %48, i64 16
  %50 = load i64, ptr %49, align 8
  %51 = icmp eq i64 %50, 2
  br i1 %51, label %52, label %76

52:
  %53 = getelementptr inbounds nuw i8, ptr %48, i64 8
  %54 = load i64, ptr %53, align 8
  %55 = icmp eq i64 %54, %44
  br i1 %55, label %56, label %76

56:
  %57 = icmp sgt i64 %44, 0
  br i1 %57, label %60, label %58

58:
  %59 = phi i64 [ %44, %56 ], [ %74, %67 ]
  br i1 %45, label %76, label %43

60:
  %61 = phi i64 [ %73, %67 ], [ 0, %56 ]
  %62 = icmp eq i64 %61, %13
  %63 = select i1 %62, i1 %42, i1 false
  br i1 %63, label %67, label %64

64:
  %65 = getelementptr inbounds nuw i64, ptr %31, i64 %61
  %66 = load i64, ptr %65, align 8
  br label %67

67:
  %68 = phi i64 [ %66, %64 ], [ %30, %60 ]
  %69 = load ptr, ptr %47, align 8
  %70 = load i64, ptr %69, align 8
  %71 = inttoptr i64 %70 to ptr
  %72 = getelementptr inbounds nuw i64, ptr %71, i64 %61
  store i64 %68, ptr %72, align 8
  %73 = add nuw nsw i64 %61, 1
  %74 = load i64, ptr %16, align 8
  %75 = icmp slt i64 %73, %74
  br i1 %75, label %60, label %58

76:
  %77 = phi i1 [ false, %11 ], [ false, %23 ], [ false, %19 ], [ false, %15 ], [ false, %35 ], [ false, %27 ], [ true, %58 ], [ false, %52 ], [ false, %43 ]
  ret i1 %77
}

define internal noundef zeroext i1 @op_top_k_by(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %7 = load ptr, ptr %6, align 8
  %8 = load i64, ptr %1, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %10 = load i64, ptr %9, align 8
  %11 = icmp ne i64 %10, 0
  %12 = tail call fastcc zeroext i1 @top(ptr noundef %3, ptr noundef %5, ptr noundef %7, i64 noundef %8, i1 noundef zeroext %11)
  ret i1 %12
}

define internal noundef zeroext i1 @bounded_non_max_suppression(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = tail call fastcc zeroext i1 @suppress(ptr noundef %0, ptr noundef %1, i1 noundef zeroext false)
  ret i1 %3
}

define internal fastcc noundef zeroext i1 @suppress(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i1 noundef zeroext %2) #0 {
  %4 = alloca double, align 16
  %5 = alloca double, align 8
  %6 = load ptr, ptr %0, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %12 = load ptr, ptr %11, align 8
  %13 = select i1 %2, i64 3, i64 2
  %14 = load i64, ptr %1, align 8
  %15 = select i1 %2, i64 3, i64 1
  %16 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %17 = getelementptr i64, ptr %16, i64 %13
  %18 = getelementptr i8, ptr %17, i64 -16
  %19 = load i64, ptr %18, align 8
  br i1 %2, label %20, label %24

20:
  %21 = load i64, ptr %16, align 8
  %22 = getelementptr inbounds nuw i8, ptr %8, i64 48
  %23 = load i64, ptr %22, align 8
  br label %24

24:
  %25 = phi i64 [ %21, %20 ], [ 1, %3 ]
  %26 = phi i64 [ %23, %20 ], [ 1, %3 ]
  %27 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %28 = load i64, ptr %27, align 8
  switch i64 %28, label %431 [
    i64 5, label %29
    i64 0, label %29
  ]

29:
  %30 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %31 = load i64, ptr %30, align 8
  switch i64 %31, label %431 [
    i64 5, label %32
    i64 0, label %32
  ]

32:
  %33 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, %13
  br i1 %35, label %36, label %431

36:
  %37 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %38 = load i64, ptr %37, align 8
  %39 = icmp eq i64 %38, %15
  br i1 %39, label %40, label %431

40:
  %41 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %42 = load i64, ptr %41, align 8
  %43 = shl i64 %19, 2
  %44 = mul i64 %43, %25
  %45 = icmp eq i64 %42, %44
  br i1 %45, label %46, label %431

46:
  %47 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %48 = load i64, ptr %47, align 8
  %49 = mul i64 %26, %25
  %50 = mul i64 %49, %19
  %51 = icmp ne i64 %48, %50
  %52 = icmp slt i64 %14, 0
  %53 = select i1 %51, i1 true, i1 %52
  br i1 %53, label %431, label %54

54:
  %55 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %56, 2
  br i1 %57, label %58, label %431

58:
  %59 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %60 = load i64, ptr %59, align 8
  %61 = icmp eq i64 %60, 2
  br i1 %61, label %62, label %431

62:
  %63 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %64 = load i64, ptr %63, align 8
  %65 = select i1 %2, i64 2, i64 1
  %66 = icmp eq i64 %64, %65
  br i1 %66, label %67, label %431

67:
  %68 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %69 = load i64, ptr %68, align 8
  %70 = tail call i64 @llvm.smin.i64(i64 %14, i64 %19)
  %71 = mul i64 %70, %15
  %72 = mul i64 %71, %49
  %73 = icmp slt i64 %69, %72
  br i1 %73, label %431, label %74

74:
  %75 = shl i64 %19, 6
  %76 = add i64 %75, 64
  %77 = tail call ptr @malloc(i64 noundef %76)
  %78 = icmp eq ptr %77, null
  br i1 %78, label %431, label %79

79:
  %80 = getelementptr inbounds %struct.box, ptr %77, i64 %19
  %81 = getelementptr inbounds %struct.entry, ptr %80, i64 %19
  %82 = load i64, ptr %10, align 8
  %83 = inttoptr i64 %82 to ptr
  %84 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %85 = load double, ptr %84, align 8
  %86 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %87 = load double, ptr %86, align 8
  br i1 %2, label %88, label %92

88:
  %89 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %90 = load i64, ptr %89, align 8
  %91 = icmp ne i64 %90, 0
  br label %92

92:
  %93 = phi i1 [ false, %79 ], [ %91, %88 ]
  %94 = icmp eq i64 %19, 0
  %95 = icmp eq i64 %14, 0
  %96 = icmp slt i64 %25, 1
  %97 = select i1 %96, i1 true, i1 %94
  %98 = select i1 %97, i1 true, i1 %95
  br i1 %98, label %422, label %99

99:
  %100 = icmp sgt i64 %26, 0
  %101 = icmp sgt i64 %19, 0
  %102 = getelementptr inbounds nuw i8, ptr %80, i64 8
  br label %103

103:
  %104 = phi ptr [ %83, %99 ], [ %114, %113 ]
  %105 = phi i64 [ 0, %99 ], [ %115, %113 ]
  %106 = mul i64 %105, %19
  %107 = shl i64 %106, 2
  %108 = tail call fastcc zeroext i1 @are_finite(ptr noundef %6, i64 noundef %107, i64 noundef %43)
  br i1 %108, label %109, label %112

109:
  br i1 %100, label %110, label %113

110:
  %111 = mul i64 %105, %26
  br label %117

112:
  tail call void @free(ptr noundef nonnull %77)
  br label %431

113:
  %114 = phi ptr [ %104, %109 ], [ %404, %403 ]
  %115 = add nuw nsw i64 %105, 1
  %116 = icmp slt i64 %115, %25
  br i1 %116, label %103, label %420

117:
  %118 = phi ptr [ %104, %110 ], [ %404, %403 ]
  %119 = phi i64 [ 0, %110 ], [ %405, %403 ]
  %120 = add i64 %119, %111
  %121 = mul i64 %120, %19
  %122 = load i64, ptr %8, align 8
  %123 = inttoptr i64 %122 to ptr
  %124 = load i64, ptr %30, align 8
  switch i64 %124, label %127 [
    i64 3, label %128
    i64 4, label %128
    i64 7, label %128
    i64 13, label %128
    i64 14, label %128
    i64 6, label %125
    i64 12, label %125
    i64 8, label %125
    i64 9, label %125
    i64 0, label %131
    i64 1, label %131
    i64 10, label %131
  ]

125:
  %126 = shl i64 %121, 1
  br label %128

127:
  br label %131

128:
  %129 = phi i64 [ %121, %117 ], [ %121, %117 ], [ %121, %117 ], [ %121, %117 ], [ %121, %117 ], [ %126, %125 ]
  %130 = getelementptr inbounds i8, ptr %123, i64 %129
  br label %162

131:
  %132 = phi i64 [ 8, %127 ], [ 4, %117 ], [ 4, %117 ], [ 4, %117 ]
  %133 = mul i64 %132, %121
  %134 = getelementptr inbounds i8, ptr %123, i64 %133
  %135 = icmp eq i64 %124, 0
  br i1 %135, label %136, label %162

136:
  br i1 %101, label %137, label %403

137:
  %138 = phi ptr [ %160, %137 ], [ %134, %136 ]
  %139 = phi i64 [ %158, %137 ], [ 0, %136 ]
  %140 = phi i64 [ %159, %137 ], [ 0, %136 ]
  %141 = load float, ptr %138, align 4
  %142 = fpext float %141 to double
  %143 = getelementptr inbounds %struct.entry, ptr %80, i64 %139
  %144 = bitcast float %141 to i32
  %145 = tail call float @llvm.fabs.f32(float %141)
  %146 = bitcast float %145 to i32
  %147 = icmp samesign ugt i32 %146, 2139095040
  %148 = icmp slt i32 %144, 0
  %149 = sub nsw i32 0, %146
  %150 = select i1 %148, i32 %149, i32 %146
  %151 = xor i32 %150, -1
  %152 = select i1 %147, i32 -2147483648, i32 %151
  %153 = sext i32 %152 to i64
  %154 = sub nsw i64 0, %140
  store i64 %153, ptr %143, align 8
  %155 = getelementptr inbounds nuw i8, ptr %143, i64 8
  store i64 %154, ptr %155, align 8
  %156 = fcmp olt double %87, %142
  %157 = zext i1 %156 to i64
  %158 = add i64 %139, %157
  %159 = add nuw nsw i64 %140, 1
  %160 = getelementptr inbounds nuw i8, ptr %138, i64 4
  %161 = icmp eq i64 %159, %19
  br i1 %161, label %187, label %137

162:
  %163 = phi ptr [ %130, %128 ], [ %134, %131 ]
  br i1 %101, label %164, label %403

164:
  %165 = phi ptr [ %185, %164 ], [ %163, %162 ]
  %166 = phi i64 [ %183, %164 ], [ 0, %162 ]
  %167 = phi i64 [ %184, %164 ], [ 0, %162 ]
  %168 = load double, ptr %165, align 8
  %169 = getelementptr inbounds %struct.entry, ptr %80, i64 %166
  %170 = bitcast double %168 to i64
  %171 = tail call double @llvm.fabs.f64(double %168)
  %172 = bitcast double %171 to i64
  %173 = icmp samesign ugt i64 %172, 9218868437227405312
  %174 = icmp slt i64 %170, 0
  %175 = sub nsw i64 0, %172
  %176 = select i1 %174, i64 %175, i64 %172
  %177 = xor i64 %176, -1
  %178 = select i1 %173, i64 -9223372036854775808, i64 %177
  %179 = sub nsw i64 0, %167
  store i64 %178, ptr %169, align 8
  %180 = getelementptr inbounds nuw i8, ptr %169, i64 8
  store i64 %179, ptr %180, align 8
  %181 = fcmp ogt double %168, %87
  %182 = zext i1 %181 to i64
  %183 = add i64 %166, %182
  %184 = add nuw nsw i64 %167, 1
  %185 = getelementptr inbounds nuw i8, ptr %165, i64 8
  %186 = icmp eq i64 %184, %19
  br i1 %186, label %187, label %164

187:
  %188 = phi i64 [ %158, %137 ], [ %183, %164 ]
  %189 = icmp sgt i64 %188, 1
  br i1 %189, label %190, label %192

190:
  %191 = lshr i64 %188, 1
  br label %194

192:
  %193 = icmp eq i64 %188, 0
  br i1 %193, label %403, label %247

194:
  %195 = phi i64 [ %196, %242 ], [ %191, %190 ]
  %196 = add nsw i64 %195, -1
  %197 = getelementptr inbounds nuw %struct.entry, ptr %80, i64 %196
  %198 = load i64, ptr %197, align 8
  %199 = getelementptr inbounds nuw i8, ptr %197, i64 8
  %200 = load i64, ptr %199, align 8
  %201 = shl nuw i64 %196, 1
  %202 = or disjoint i64 %201, 1
  %203 = icmp slt i64 %202, %188
  br i1 %203, label %204, label %242

204:
  %205 = phi i64 [ %240, %237 ], [ %202, %194 ]
  %206 = phi i64 [ %239, %237 ], [ %201, %194 ]
  %207 = phi i64 [ %227, %237 ], [ %196, %194 ]
  %208 = add i64 %206, 2
  %209 = icmp slt i64 %208, %188
  br i1 %209, label %210, label %226

210:
  %211 = getelementptr inbounds %struct.entry, ptr %80, i64 %205
  %212 = getelementptr inbounds %struct.entry, ptr %80, i64 %208
  %213 = load i64, ptr %211, align 8
  %214 = load i64, ptr %212, align 8
  %215 = icmp sgt i64 %213, %214
  br i1 %215, label %225, label %216

216:
  %217 = getelementptr inbounds nuw i8, ptr %212, i64 8
  %218 = load i64, ptr %217, align 8
  %219 = getelementptr inbounds nuw i8, ptr %211, i64 8
  %220 = load i64, ptr %219, align 8
  %221 = icmp eq i64 %213, %214
  %222 = icmp slt i64 %220, %218
  %223 = select i1 %221, i1 %222, i1 false
  %224 = freeze i1 %223
  br i1 %224, label %225, label %226

225:
  br label %226

226:
  %227 = phi i64 [ %205, %204 ], [ %208, %225 ], [ %205, %216 ]
  %228 = getelementptr inbounds %struct.entry, ptr %80, i64 %227
  %229 = load i64, ptr %228, align 8
  %230 = icmp sgt i64 %198, %229
  br i1 %230, label %237, label %231

231:
  %232 = getelementptr inbounds nuw i8, ptr %228, i64 8
  %233 = load i64, ptr %232, align 8
  %234 = icmp eq i64 %198, %229
  %235 = icmp slt i64 %200, %233
  %236 = select i1 %234, i1 %235, i1 false
  br i1 %236, label %237, label %242

237:
  %238 = getelementptr inbounds %struct.entry, ptr %80, i64 %207
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %238, ptr noundef nonnull align 8 dereferenceable(16) %228, i64 16, i1 false)
  %239 = shl i64 %227, 1
  %240 = or disjoint i64 %239, 1
  %241 = icmp slt i64 %240, %188
  br i1 %241, label %204, label %242

242:
  %243 = phi i64 [ %196, %194 ], [ %207, %231 ], [ %227, %237 ]
  %244 = getelementptr inbounds %struct.entry, ptr %80, i64 %243
  store i64 %198, ptr %244, align 8
  %245 = getelementptr inbounds nuw i8, ptr %244, i64 8
  store i64 %200, ptr %245, align 8
  %246 = icmp sgt i64 %195, 1
  br i1 %246, label %194, label %192

247:
  %248 = phi i64 [ %398, %397 ], [ 0, %192 ]
  %249 = phi i64 [ %302, %397 ], [ %188, %192 ]
  %250 = icmp slt i64 %248, %14
  br i1 %250, label %251, label %400

251:
  %252 = load i64, ptr %102, align 8
  %253 = getelementptr inbounds %struct.box, ptr %77, i64 %248
  %254 = sub i64 %106, %252
  %255 = shl i64 %254, 2
  %256 = getelementptr inbounds nuw i8, ptr %253, i64 16
  br label %257

257:
  %258 = phi i1 [ true, %251 ], [ false, %277 ]
  %259 = phi i64 [ 0, %251 ], [ 1, %277 ]
  %260 = or disjoint i64 %259, %255
  %261 = load i64, ptr %27, align 8
  %262 = icmp eq i64 %261, 0
  %263 = load i64, ptr %6, align 8
  %264 = inttoptr i64 %263 to ptr
  br i1 %262, label %265, label %272

265:
  %266 = getelementptr float, ptr %264, i64 %260
  %267 = load float, ptr %266, align 4
  %268 = fpext float %267 to double
  %269 = getelementptr i8, ptr %266, i64 8
  %270 = load float, ptr %269, align 4
  %271 = fpext float %270 to double
  br label %277

272:
  %273 = getelementptr double, ptr %264, i64 %260
  %274 = load double, ptr %273, align 8
  %275 = getelementptr i8, ptr %273, i64 16
  %276 = load double, ptr %275, align 8
  br label %277

277:
  %278 = phi double [ %268, %265 ], [ %274, %272 ]
  %279 = phi double [ %271, %265 ], [ %276, %272 ]
  %280 = fmul double %279, 5.000000e-01
  %281 = fsub double %278, %280
  %282 = fadd double %278, %280
  %283 = select i1 %93, double %282, double %279
  %284 = select i1 %93, double %281, double %278
  %285 = fcmp olt double %284, %283
  %286 = select i1 %285, double %284, double %283
  %287 = getelementptr inbounds nuw double, ptr %253, i64 %259
  store double %286, ptr %287, align 8
  %288 = select i1 %285, double %283, double %284
  %289 = getelementptr inbounds nuw double, ptr %256, i64 %259
  store double %288, ptr %289, align 8
  br i1 %258, label %257, label %290

290:
  %291 = sub i64 0, %252
  %292 = load double, ptr %256, align 8
  %293 = load double, ptr %253, align 8
  %294 = fsub double %292, %293
  %295 = getelementptr inbounds nuw i8, ptr %253, i64 24
  %296 = load double, ptr %295, align 8
  %297 = getelementptr inbounds nuw i8, ptr %253, i64 8
  %298 = load double, ptr %297, align 8
  %299 = fsub double %296, %298
  %300 = fmul double %294, %299
  %301 = getelementptr inbounds nuw i8, ptr %253, i64 32
  store double %300, ptr %301, align 8
  %302 = add i64 %249, -1
  %303 = getelementptr inbounds %struct.entry, ptr %80, i64 %302
  %304 = load i64, ptr %303, align 8
  %305 = getelementptr inbounds nuw i8, ptr %303, i64 8
  %306 = load i64, ptr %305, align 8
  %307 = icmp sgt i64 %302, 1
  br i1 %307, label %308, label %346

308:
  %309 = phi i64 [ %344, %341 ], [ 1, %290 ]
  %310 = phi i64 [ %343, %341 ], [ 0, %290 ]
  %311 = phi i64 [ %331, %341 ], [ 0, %290 ]
  %312 = add i64 %310, 2
  %313 = icmp slt i64 %312, %302
  br i1 %313, label %314, label %330

314:
  %315 = getelementptr inbounds %struct.entry, ptr %80, i64 %309
  %316 = getelementptr inbounds %struct.entry, ptr %80, i64 %312
  %317 = load i64, ptr %315, align 8
  %318 = load i64, ptr %316, align 8
  %319 = icmp sgt i64 %317, %318
  br i1 %319, label %329, label %320

320:
  %321 = getelementptr inbounds nuw i8, ptr %316, i64 8
  %322 = load i64, ptr %321, align 8
  %323 = getelementptr inbounds nuw i8, ptr %315, i64 8
  %324 = load i64, ptr %323, align 8
  %325 = icmp eq i64 %317, %318
  %326 = icmp slt i64 %324, %322
  %327 = select i1 %325, i1 %326, i1 false
  %328 = freeze i1 %327
  br i1 %328, label %329, label %330

329:
  br label %330

330:
  %331 = phi i64 [ %309, %308 ], [ %312, %329 ], [ %309, %320 ]
  %332 = getelementptr inbounds %struct.entry, ptr %80, i64 %331
  %333 = load i64, ptr %332, align 8
  %334 = icmp sgt i64 %304, %333
  br i1 %334, label %341, label %335

335:
  %336 = getelementptr inbounds nuw i8, ptr %332, i64 8
  %337 = load i64, ptr %336, align 8
  %338 = icmp eq i64 %304, %333
  %339 = icmp slt i64 %306, %337
  %340 = select i1 %338, i1 %339, i1 false
  br i1 %340, label %341, label %346

341:
  %342 = getelementptr inbounds %struct.entry, ptr %80, i64 %311
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %342, ptr noundef nonnull align 8 dereferenceable(16) %332, i64 16, i1 false)
  %343 = shl i64 %331, 1
  %344 = or disjoint i64 %343, 1
  %345 = icmp slt i64 %344, %302
  br i1 %345, label %308, label %346

346:
  %347 = phi i64 [ 0, %290 ], [ %311, %335 ], [ %331, %341 ]
  %348 = getelementptr inbounds %struct.entry, ptr %80, i64 %347
  store i64 %304, ptr %348, align 8
  %349 = getelementptr inbounds nuw i8, ptr %348, i64 8
  store i64 %306, ptr %349, align 8
  %350 = icmp sgt i64 %248, 0
  br i1 %350, label %351, label %391

351:
  %352 = load double, ptr %301, align 8
  br label %353

353:
  %354 = phi i64 [ 0, %351 ], [ %389, %388 ]
  %355 = getelementptr inbounds nuw %struct.box, ptr %77, i64 %354
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %356 = getelementptr inbounds nuw i8, ptr %355, i64 16
  br label %357

357:
  %358 = phi i1 [ true, %353 ], [ false, %357 ]
  %359 = phi ptr [ %4, %353 ], [ %5, %357 ]
  %360 = phi i64 [ 0, %353 ], [ 1, %357 ]
  %361 = getelementptr inbounds nuw double, ptr %355, i64 %360
  %362 = load double, ptr %361, align 8
  %363 = getelementptr inbounds nuw double, ptr %253, i64 %360
  %364 = load double, ptr %363, align 8
  %365 = fcmp ogt double %362, %364
  %366 = select i1 %365, double %362, double %364
  %367 = getelementptr inbounds nuw double, ptr %356, i64 %360
  %368 = load double, ptr %367, align 8
  %369 = getelementptr inbounds nuw double, ptr %256, i64 %360
  %370 = load double, ptr %369, align 8
  %371 = fcmp olt double %368, %370
  %372 = select i1 %371, double %368, double %370
  %373 = fcmp ogt double %372, %366
  %374 = fsub double %372, %366
  %375 = select i1 %373, double %374, double 0.000000e+00
  store double %375, ptr %359, align 8
  br i1 %358, label %357, label %376

376:
  %377 = load double, ptr %4, align 16
  %378 = load double, ptr %5, align 8
  %379 = fmul double %377, %378
  %380 = getelementptr inbounds nuw i8, ptr %355, i64 32
  %381 = load double, ptr %380, align 8
  %382 = fadd double %352, %381
  %383 = fsub double %382, %379
  %384 = fcmp ogt double %383, 0.000000e+00
  %385 = fdiv double %379, %383
  %386 = select i1 %384, double %385, double 0.000000e+00
  %387 = fcmp ogt double %386, %85
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  br i1 %387, label %391, label %388

388:
  %389 = add nuw nsw i64 %354, 1
  %390 = icmp eq i64 %389, %248
  br i1 %390, label %394, label %353

391:
  %392 = phi i64 [ 0, %346 ], [ %354, %376 ]
  %393 = icmp eq i64 %392, %248
  br i1 %393, label %394, label %397

394:
  %395 = add nsw i64 %248, 1
  %396 = getelementptr inbounds i64, ptr %81, i64 %248
  store i64 %291, ptr %396, align 8
  br label %397

397:
  %398 = phi i64 [ %395, %394 ], [ %248, %391 ]
  %399 = icmp eq i64 %302, 0
  br i1 %399, label %400, label %247

400:
  %401 = phi i64 [ %398, %397 ], [ %248, %247 ]
  %402 = icmp sgt i64 %401, 0
  br i1 %402, label %407, label %403

403:
  %404 = phi ptr [ %118, %400 ], [ %118, %136 ], [ %118, %192 ], [ %118, %162 ], [ %417, %413 ]
  %405 = add nuw nsw i64 %119, 1
  %406 = icmp eq i64 %405, %26
  br i1 %406, label %113, label %117

407:
  %408 = phi i64 [ %418, %413 ], [ 0, %400 ]
  %409 = phi ptr [ %417, %413 ], [ %118, %400 ]
  br i1 %2, label %410, label %413

410:
  %411 = getelementptr inbounds nuw i8, ptr %409, i64 8
  store i64 %105, ptr %409, align 8
  %412 = getelementptr inbounds nuw i8, ptr %409, i64 16
  store i64 %119, ptr %411, align 8
  br label %413

413:
  %414 = phi ptr [ %412, %410 ], [ %409, %407 ]
  %415 = getelementptr inbounds nuw i64, ptr %81, i64 %408
  %416 = load i64, ptr %415, align 8
  %417 = getelementptr inbounds nuw i8, ptr %414, i64 8
  store i64 %416, ptr %414, align 8
  %418 = add nuw nsw i64 %408, 1
  %419 = icmp eq i64 %418, %401
  br i1 %419, label %403, label %407

420:
  %421 = ptrtoint ptr %114 to i64
  br label %422

422:
  %423 = phi i64 [ %82, %92 ], [ %421, %420 ]
  tail call void @free(ptr noundef nonnull %77)
  %424 = load i64, ptr %12, align 8
  %425 = inttoptr i64 %424 to ptr
  %426 = sub i64 %423, %82
  %427 = ashr exact i64 %426, 3
  %428 = sdiv i64 %427, %15
  store i64 %428, ptr %425, align 8
  br i1 %2, label %429, label %431

429:
  %430 = getelementptr inbounds nuw i8, ptr %425, i64 8
  store i64 3, ptr %430, align 8
  br label %431

431:
  %432 = phi i1 [ false, %24 ], [ false, %67 ], [ false, %62 ], [ false, %58 ], [ false, %54 ], [ false, %46 ], [ false, %40 ], [ false, %36 ], [ false, %32 ], [ false, %29 ], [ false, %74 ], [ false, %112 ], [ true, %422 ], [ true, %429 ]
  ret i1 %432
}

define internal noundef zeroext i1 @bounded_non_max_suppression_of_classes(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = tail call fastcc zeroext i1 @suppress(ptr noundef %0, ptr noundef %1, i1 noundef zeroext true)
  ret i1 %3
}

define internal noundef zeroext i1 @op_roi_align(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca [2 x %struct.way], align 16
  %4 = alloca double, align 16
  %5 = alloca double, align 8
  %6 = load ptr, ptr %0, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %12 = load ptr, ptr %11, align 8
  %13 = load i64, ptr %1, align 8
  %14 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %15 = load i64, ptr %14, align 8
  %16 = mul i64 %15, %13
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %18 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 56
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %23 = load i64, ptr %22, align 8
  %24 = mul i64 %23, %21
  %25 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %26 = load i64, ptr %25, align 8
  %27 = icmp eq i64 %26, 0
  %28 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %29 = load i64, ptr %28, align 8
  %30 = icmp eq i64 %29, 0
  %31 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %32 = load double, ptr %31, align 8
  %33 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, 0
  %36 = getelementptr inbounds nuw i8, ptr %3, i64 40
  br i1 %35, label %37, label %335

37:
  %38 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %39 = load i64, ptr %38, align 8
  %40 = icmp eq i64 %39, 0
  br i1 %40, label %41, label %335

41:
  %42 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %43 = load i64, ptr %42, align 8
  %44 = icmp eq i64 %43, 0
  br i1 %44, label %45, label %335

45:
  %46 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %47 = load i64, ptr %46, align 8
  %48 = icmp eq i64 %47, 4
  br i1 %48, label %49, label %335

49:
  %50 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %51 = load i64, ptr %50, align 8
  %52 = icmp eq i64 %51, 2
  br i1 %52, label %53, label %335

53:
  %54 = getelementptr inbounds nuw i8, ptr %8, i64 40
  %55 = getelementptr inbounds nuw i8, ptr %8, i64 48
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %56, 4
  br i1 %57, label %58, label %335

58:
  %59 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %60 = load i64, ptr %59, align 8
  %61 = icmp eq i64 %60, 2
  br i1 %61, label %62, label %335

62:
  %63 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %64 = load i64, ptr %63, align 8
  %65 = load i64, ptr %54, align 8
  %66 = icmp ne i64 %64, %65
  %67 = icmp eq i64 %24, 0
  %68 = select i1 %66, i1 true, i1 %67
  %69 = icmp slt i64 %16, 1
  %70 = select i1 %68, i1 true, i1 %69
  br i1 %70, label %335, label %71

71:
  %72 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %73 = load i64, ptr %72, align 8
  %74 = mul i64 %16, %19
  %75 = mul i64 %74, %64
  %76 = icmp eq i64 %73, %75
  br i1 %76, label %77, label %335

77:
  %78 = select i1 %27, double 0.000000e+00, double 5.000000e-01
  %79 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %80 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %81 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %82 = mul i64 %24, %19
  %83 = icmp sgt i64 %19, 3
  %84 = select i1 %30, i1 %83, i1 false
  %85 = shl i64 %24, 3
  %86 = mul i64 %24, 12
  %87 = shl i64 %24, 4
  %88 = shl i64 %16, 4
  %89 = icmp sgt i64 %74, 0
  %90 = load i64, ptr %54, align 8
  %91 = icmp slt i64 %90, 1
  br i1 %91, label %332, label %92

92:
  %93 = load i64, ptr %12, align 8
  %94 = inttoptr i64 %93 to ptr
  br label %95

95:
  %96 = phi i64 [ 0, %92 ], [ %329, %325 ]
  %97 = phi ptr [ %94, %92 ], [ %326, %325 ]
  %98 = phi i64 [ 0, %92 ], [ %327, %325 ]
  %99 = phi ptr [ null, %92 ], [ %328, %325 ]
  %100 = load i64, ptr %10, align 8
  %101 = inttoptr i64 %100 to ptr
  %102 = getelementptr inbounds i64, ptr %101, i64 %96
  %103 = load i64, ptr %102, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %104 = icmp sgt i64 %103, -1
  br i1 %104, label %105, label %108

105:
  %106 = load i64, ptr %17, align 8
  %107 = icmp slt i64 %103, %106
  br label %108

108:
  %109 = phi i1 [ false, %95 ], [ %107, %105 ]
  %110 = shl i64 %96, 2
  %111 = or disjoint i64 %110, 1
  %112 = load i64, ptr %38, align 8
  %113 = icmp eq i64 %112, 0
  %114 = load i64, ptr %8, align 8
  %115 = inttoptr i64 %114 to ptr
  %116 = load i64, ptr %79, align 8
  %117 = icmp slt i64 %116, 1048576
  %118 = icmp eq i64 %116, 0
  br label %123

119:
  %120 = load i64, ptr %80, align 8
  %121 = load i64, ptr %81, align 16
  %122 = mul i64 %121, %120
  br i1 %142, label %181, label %323

123:
  %124 = phi i1 [ %109, %108 ], [ %142, %172 ]
  %125 = phi i1 [ true, %108 ], [ false, %172 ]
  %126 = phi ptr [ %3, %108 ], [ %36, %172 ]
  %127 = phi i64 [ 0, %108 ], [ 1, %172 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %128 = sub nuw nsw i64 %111, %127
  br label %146

129:
  %130 = load double, ptr %5, align 8
  %131 = load double, ptr %4, align 16
  %132 = fsub double %130, %131
  %133 = fcmp olt double %132, 1.000000e+00
  %134 = select i1 %27, i1 %133, i1 false
  %135 = select i1 %134, double 1.000000e+00, double %132
  %136 = getelementptr inbounds nuw i64, ptr %1, i64 %127
  %137 = load i64, ptr %136, align 8
  %138 = sitofp i64 %137 to double
  %139 = fdiv double %135, %138
  %140 = select i1 %165, i1 %117, i1 false
  %141 = fcmp olt double %139, 0x4130000000000000
  %142 = select i1 %140, i1 %141, i1 false
  %143 = select i1 %142, i1 %118, i1 false
  %144 = fcmp ogt double %139, 0.000000e+00
  %145 = select i1 %143, i1 %144, i1 false
  br i1 %145, label %166, label %172

146:
  %147 = phi i1 [ %124, %123 ], [ %165, %159 ]
  %148 = phi i1 [ true, %123 ], [ false, %159 ]
  %149 = phi ptr [ %4, %123 ], [ %5, %159 ]
  %150 = phi i64 [ 0, %123 ], [ 2, %159 ]
  %151 = or disjoint i64 %150, %128
  br i1 %113, label %152, label %156

152:
  %153 = getelementptr inbounds float, ptr %115, i64 %151
  %154 = load float, ptr %153, align 4
  %155 = fpext float %154 to double
  br label %159

156:
  %157 = getelementptr inbounds double, ptr %115, i64 %151
  %158 = load double, ptr %157, align 8
  br label %159

159:
  %160 = phi double [ %155, %152 ], [ %158, %156 ]
  %161 = fmul double %32, %160
  %162 = fsub double %161, %78
  store double %162, ptr %149, align 8
  %163 = fsub double %162, %162
  %164 = fcmp oeq double %163, 0.000000e+00
  %165 = select i1 %147, i1 %164, i1 false
  br i1 %148, label %146, label %129

166:
  %167 = fptosi double %139 to i64
  %168 = sitofp i64 %167 to double
  %169 = fcmp ogt double %139, %168
  %170 = zext i1 %169 to i64
  %171 = add i64 %170, %167
  br label %172

172:
  %173 = phi i64 [ %171, %166 ], [ %116, %129 ]
  %174 = getelementptr inbounds nuw i64, ptr %17, i64 %127
  %175 = getelementptr inbounds nuw i8, ptr %174, i64 16
  %176 = load i64, ptr %175, align 8
  store double %131, ptr %126, align 8
  %177 = getelementptr inbounds nuw i8, ptr %126, i64 8
  store double %139, ptr %177, align 8
  %178 = getelementptr inbounds nuw i8, ptr %126, i64 16
  store i64 %137, ptr %178, align 8
  %179 = getelementptr inbounds nuw i8, ptr %126, i64 24
  store i64 %173, ptr %179, align 8
  %180 = getelementptr inbounds nuw i8, ptr %126, i64 32
  store i64 %176, ptr %180, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  br i1 %125, label %123, label %119

181:
  %182 = udiv i64 262144, %16
  %183 = icmp sgt i64 %122, %182
  br i1 %183, label %323, label %184

184:
  %185 = icmp eq i64 %122, 0
  br i1 %185, label %186, label %193

186:
  br i1 %89, label %187, label %325

187:
  %188 = phi i64 [ %191, %187 ], [ 0, %186 ]
  %189 = phi ptr [ %190, %187 ], [ %97, %186 ]
  %190 = getelementptr inbounds nuw i8, ptr %189, i64 4
  store float 0.000000e+00, ptr %189, align 4
  %191 = add nuw nsw i64 %188, 1
  %192 = icmp eq i64 %191, %74
  br i1 %192, label %325, label %187

193:
  %194 = shl i64 %122, 2
  %195 = mul i64 %194, %16
  %196 = icmp sgt i64 %195, %98
  br i1 %196, label %197, label %201

197:
  tail call void @free(ptr noundef %99)
  %198 = shl i64 %195, 4
  %199 = tail call ptr @malloc(i64 noundef %198)
  %200 = icmp eq ptr %199, null
  br i1 %200, label %323, label %201

201:
  %202 = phi i64 [ %195, %197 ], [ %98, %193 ]
  %203 = phi ptr [ %199, %197 ], [ %99, %193 ]
  call fastcc void @taps_of(ptr noundef %203, ptr noundef %3)
  %204 = load i64, ptr %6, align 8
  %205 = inttoptr i64 %204 to ptr
  %206 = mul i64 %82, %103
  %207 = getelementptr inbounds float, ptr %205, i64 %206
  br i1 %84, label %208, label %212

208:
  %209 = icmp sgt i64 %194, 0
  %210 = sitofp i64 %122 to double
  %211 = shl i64 %122, 6
  br label %220

212:
  %213 = phi ptr [ %97, %201 ], [ %274, %272 ]
  %214 = phi ptr [ %207, %201 ], [ %273, %272 ]
  %215 = phi i64 [ 0, %201 ], [ %221, %272 ]
  %216 = icmp slt i64 %215, %19
  br i1 %216, label %217, label %325

217:
  %218 = icmp sgt i64 %194, 0
  %219 = sitofp i64 %122 to double
  br label %277

220:
  %221 = phi i64 [ 4, %208 ], [ %275, %272 ]
  %222 = phi ptr [ %207, %208 ], [ %273, %272 ]
  %223 = phi ptr [ %97, %208 ], [ %274, %272 ]
  br label %224

224:
  %225 = phi ptr [ %203, %220 ], [ %231, %260 ]
  %226 = phi i64 [ 0, %220 ], [ %261, %260 ]
  br i1 %209, label %233, label %229

227:
  %228 = getelementptr i8, ptr %225, i64 %211
  br label %229

229:
  %230 = phi <4 x double> [ zeroinitializer, %224 ], [ %256, %227 ]
  %231 = phi ptr [ %225, %224 ], [ %228, %227 ]
  %232 = getelementptr float, ptr %223, i64 %226
  br label %263

233:
  %234 = phi ptr [ %258, %233 ], [ %225, %224 ]
  %235 = phi i64 [ %257, %233 ], [ 0, %224 ]
  %236 = phi <4 x double> [ %256, %233 ], [ zeroinitializer, %224 ]
  %237 = load i64, ptr %234, align 8
  %238 = getelementptr inbounds float, ptr %222, i64 %237
  %239 = load float, ptr %238, align 4
  %240 = insertelement <4 x float> poison, float %239, i64 0
  %241 = getelementptr inbounds float, ptr %238, i64 %24
  %242 = load float, ptr %241, align 4
  %243 = insertelement <4 x float> %240, float %242, i64 1
  %244 = getelementptr inbounds i8, ptr %238, i64 %85
  %245 = load float, ptr %244, align 4
  %246 = insertelement <4 x float> %243, float %245, i64 2
  %247 = getelementptr inbounds i8, ptr %238, i64 %86
  %248 = load float, ptr %247, align 4
  %249 = insertelement <4 x float> %246, float %248, i64 3
  %250 = fpext <4 x float> %249 to <4 x double>
  %251 = getelementptr inbounds nuw i8, ptr %234, i64 8
  %252 = load double, ptr %251, align 8
  %253 = insertelement <4 x double> poison, double %252, i64 0
  %254 = shufflevector <4 x double> %253, <4 x double> poison, <4 x i32> zeroinitializer
  %255 = fmul <4 x double> %254, %250
  %256 = fadd <4 x double> %236, %255
  %257 = add nuw nsw i64 %235, 1
  %258 = getelementptr inbounds nuw i8, ptr %234, i64 16
  %259 = icmp eq i64 %257, %194
  br i1 %259, label %227, label %233

260:
  %261 = add nuw nsw i64 %226, 1
  %262 = icmp eq i64 %261, %16
  br i1 %262, label %272, label %224

263:
  %264 = phi i64 [ 0, %229 ], [ %270, %263 ]
  %265 = extractelement <4 x double> %230, i64 %264
  %266 = fdiv double %265, %210
  %267 = fptrunc double %266 to float
  %268 = mul i64 %264, %16
  %269 = getelementptr float, ptr %232, i64 %268
  store float %267, ptr %269, align 4
  %270 = add nuw nsw i64 %264, 1
  %271 = icmp eq i64 %270, 4
  br i1 %271, label %260, label %263

272:
  %273 = getelementptr inbounds i8, ptr %222, i64 %87
  %274 = getelementptr inbounds i8, ptr %223, i64 %88
  %275 = add i64 %221, 4
  %276 = icmp sgt i64 %275, %19
  br i1 %276, label %212, label %220

277:
  %278 = phi i64 [ %215, %217 ], [ %286, %285 ]
  %279 = phi ptr [ %214, %217 ], [ %287, %285 ]
  %280 = phi ptr [ %213, %217 ], [ %295, %285 ]
  br label %281

281:
  %282 = phi i64 [ %296, %289 ], [ 0, %277 ]
  %283 = phi ptr [ %290, %289 ], [ %203, %277 ]
  %284 = phi ptr [ %295, %289 ], [ %280, %277 ]
  br i1 %218, label %298, label %289

285:
  %286 = add nsw i64 %278, 1
  %287 = getelementptr inbounds float, ptr %279, i64 %24
  %288 = icmp eq i64 %286, %19
  br i1 %288, label %325, label %277

289:
  %290 = phi ptr [ %283, %281 ], [ %321, %318 ]
  %291 = phi double [ 0.000000e+00, %281 ], [ %319, %318 ]
  %292 = fdiv double %291, %219
  %293 = select i1 %30, double %292, double %291
  %294 = fptrunc double %293 to float
  %295 = getelementptr inbounds nuw i8, ptr %284, i64 4
  store float %294, ptr %284, align 4
  %296 = add nuw nsw i64 %282, 1
  %297 = icmp eq i64 %296, %16
  br i1 %297, label %285, label %281

298:
  %299 = phi i64 [ %320, %318 ], [ 0, %281 ]
  %300 = phi double [ %319, %318 ], [ 0.000000e+00, %281 ]
  %301 = phi ptr [ %321, %318 ], [ %283, %281 ]
  %302 = load i64, ptr %301, align 8
  %303 = getelementptr inbounds float, ptr %279, i64 %302
  %304 = load float, ptr %303, align 4
  %305 = fpext float %304 to double
  %306 = getelementptr inbounds nuw i8, ptr %301, i64 8
  %307 = load double, ptr %306, align 8
  %308 = fmul double %307, %305
  br i1 %30, label %309, label %311

309:
  %310 = fadd double %300, %308
  br label %318

311:
  %312 = icmp eq i64 %299, 0
  %313 = fcmp ogt double %308, %300
  %314 = fcmp uno double %308, 0.000000e+00
  %315 = or i1 %313, %314
  %316 = select i1 %312, i1 true, i1 %315
  br i1 %316, label %318, label %317

317:
  br label %318

318:
  %319 = phi double [ %310, %309 ], [ %300, %317 ], [ %308, %311 ]
  %320 = add nuw nsw i64 %299, 1
  %321 = getelementptr inbounds nuw i8, ptr %301, i64 16
  %322 = icmp eq i64 %320, %194
  br i1 %322, label %289, label %298

323:
  %324 = phi ptr [ %99, %181 ], [ null, %197 ], [ %99, %119 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  br label %332

325:
  %326 = phi ptr [ %190, %187 ], [ %97, %186 ], [ %213, %212 ], [ %295, %285 ]
  %327 = phi i64 [ %98, %187 ], [ %98, %186 ], [ %202, %212 ], [ %202, %285 ]
  %328 = phi ptr [ %99, %187 ], [ %99, %186 ], [ %203, %212 ], [ %203, %285 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  %329 = add nuw i64 %96, 1
  %330 = load i64, ptr %54, align 8
  %331 = icmp slt i64 %329, %330
  br i1 %331, label %95, label %332

332:
  %333 = phi i1 [ false, %323 ], [ true, %77 ], [ true, %325 ]
  %334 = phi ptr [ %324, %323 ], [ null, %77 ], [ %328, %325 ]
  tail call void @free(ptr noundef %334)
  br label %335

335:
  %336 = phi i1 [ %333, %332 ], [ false, %71 ], [ false, %62 ], [ false, %58 ], [ false, %53 ], [ false, %49 ], [ false, %45 ], [ false, %41 ], [ false, %37 ], [ false, %2 ]
  ret i1 %336
}

declare void @free(ptr noundef) nonlazybind

declare ptr @malloc(i64 noundef) nonlazybind

define internal fastcc void @taps_of(ptr noundef writeonly captures(none) %0, ptr noundef nonnull readonly captures(none) %1) #0 {
  %3 = alloca [2 x %struct.tap], align 16
  %4 = alloca [2 x %struct.tap], align 16
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %6 = load i64, ptr %5, align 8
  %7 = icmp sgt i64 %6, 0
  br i1 %7, label %8, label %34

8:
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %11 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %12 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %13 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %14 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %15 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %18 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %19 = getelementptr inbounds nuw i8, ptr %1, i64 72
  %20 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %21 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %22 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %23 = load i64, ptr %10, align 8
  br label %24

24:
  %25 = phi i64 [ %6, %8 ], [ %48, %47 ]
  %26 = phi i64 [ %23, %8 ], [ %49, %47 ]
  %27 = phi i64 [ %23, %8 ], [ %50, %47 ]
  %28 = phi ptr [ %0, %8 ], [ %51, %47 ]
  %29 = phi i64 [ 0, %8 ], [ %52, %47 ]
  %30 = icmp sgt i64 %27, 0
  br i1 %30, label %31, label %47

31:
  %32 = uitofp nneg i64 %29 to double
  %33 = load i64, ptr %11, align 8
  br label %35

34:
  ret void

35:
  %36 = phi i64 [ %26, %31 ], [ %66, %65 ]
  %37 = phi i64 [ %33, %31 ], [ %67, %65 ]
  %38 = phi i64 [ %33, %31 ], [ %68, %65 ]
  %39 = phi ptr [ %28, %31 ], [ %69, %65 ]
  %40 = phi i64 [ 0, %31 ], [ %70, %65 ]
  %41 = icmp sgt i64 %38, 0
  br i1 %41, label %42, label %65

42:
  %43 = uitofp nneg i64 %40 to double
  %44 = load i64, ptr %12, align 8
  br label %54

45:
  %46 = load i64, ptr %5, align 8
  br label %47

47:
  %48 = phi i64 [ %25, %24 ], [ %46, %45 ]
  %49 = phi i64 [ %26, %24 ], [ %66, %45 ]
  %50 = phi i64 [ %27, %24 ], [ %66, %45 ]
  %51 = phi ptr [ %28, %24 ], [ %69, %45 ]
  %52 = add nuw nsw i64 %29, 1
  %53 = icmp slt i64 %52, %48
  br i1 %53, label %24, label %34

54:
  %55 = phi i64 [ %37, %42 ], [ %75, %74 ]
  %56 = phi i64 [ %44, %42 ], [ %76, %74 ]
  %57 = phi ptr [ %39, %42 ], [ %77, %74 ]
  %58 = phi i64 [ 0, %42 ], [ %78, %74 ]
  %59 = icmp sgt i64 %56, 0
  br i1 %59, label %60, label %74

60:
  %61 = uitofp nneg i64 %58 to double
  %62 = fadd double %61, 5.000000e-01
  br label %80

63:
  %64 = load i64, ptr %10, align 8
  br label %65

65:
  %66 = phi i64 [ %36, %35 ], [ %64, %63 ]
  %67 = phi i64 [ %37, %35 ], [ %75, %63 ]
  %68 = phi i64 [ %38, %35 ], [ %75, %63 ]
  %69 = phi ptr [ %39, %35 ], [ %77, %63 ]
  %70 = add nuw nsw i64 %40, 1
  %71 = icmp slt i64 %70, %66
  br i1 %71, label %35, label %45

72:
  %73 = load i64, ptr %11, align 8
  br label %74

74:
  %75 = phi i64 [ %55, %54 ], [ %73, %72 ]
  %76 = phi i64 [ %56, %54 ], [ %143, %72 ]
  %77 = phi ptr [ %57, %54 ], [ %152, %72 ]
  %78 = add nuw nsw i64 %58, 1
  %79 = icmp slt i64 %78, %75
  br i1 %79, label %54, label %63

80:
  %81 = phi i64 [ %56, %60 ], [ %143, %141 ]
  %82 = phi ptr [ %57, %60 ], [ %152, %141 ]
  %83 = phi i64 [ 0, %60 ], [ %142, %141 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %84 = load i64, ptr %11, align 8
  %85 = sitofp i64 %84 to double
  %86 = fdiv double %62, %85
  %87 = fadd double %86, %32
  %88 = load double, ptr %13, align 8
  %89 = fmul double %88, %87
  %90 = load double, ptr %1, align 8
  %91 = fadd double %90, %89
  %92 = load i64, ptr %14, align 8
  %93 = add i64 %92, -1
  %94 = sitofp i64 %93 to double
  %95 = fcmp oge double %91, -1.000000e+00
  %96 = sitofp i64 %92 to double
  %97 = fcmp ole double %91, %96
  %98 = select i1 %95, i1 %97, i1 false
  %99 = fcmp olt double %91, 0.000000e+00
  %100 = fcmp ogt double %91, %94
  %101 = select i1 %100, double %94, double %91
  %102 = select i1 %99, double 0.000000e+00, double %101
  %103 = fptosi double %102 to i64
  %104 = sitofp i64 %103 to double
  %105 = fsub double %102, %104
  %106 = fsub double 1.000000e+00, %105
  %107 = select i1 %98, double %106, double 0.000000e+00
  store i64 %103, ptr %3, align 16
  store double %107, ptr %15, align 8
  %108 = add i64 %103, 1
  %109 = icmp slt i64 %108, %92
  %110 = select i1 %109, i64 %108, i64 %93
  %111 = select i1 %98, double %105, double 0.000000e+00
  store i64 %110, ptr %16, align 16
  store double %111, ptr %17, align 8
  %112 = uitofp nneg i64 %83 to double
  %113 = fadd double %112, 5.000000e-01
  %114 = sitofp i64 %81 to double
  %115 = fdiv double %113, %114
  %116 = fadd double %115, %43
  %117 = load double, ptr %18, align 8
  %118 = fmul double %117, %116
  %119 = load double, ptr %9, align 8
  %120 = fadd double %119, %118
  %121 = load i64, ptr %19, align 8
  %122 = add i64 %121, -1
  %123 = sitofp i64 %122 to double
  %124 = fcmp oge double %120, -1.000000e+00
  %125 = sitofp i64 %121 to double
  %126 = fcmp ole double %120, %125
  %127 = select i1 %124, i1 %126, i1 false
  %128 = fcmp olt double %120, 0.000000e+00
  %129 = fcmp ogt double %120, %123
  %130 = select i1 %129, double %123, double %120
  %131 = select i1 %128, double 0.000000e+00, double %130
  %132 = fptosi double %131 to i64
  %133 = sitofp i64 %132 to double
  %134 = fsub double %131, %133
  %135 = fsub double 1.000000e+00, %134
  %136 = select i1 %127, double %135, double 0.000000e+00
  store i64 %132, ptr %4, align 16
  store double %136, ptr %20, align 8
  %137 = add i64 %132, 1
  %138 = icmp slt i64 %137, %121
  %139 = select i1 %138, i64 %137, i64 %122
  %140 = select i1 %127, double %134, double 0.000000e+00
  store i64 %139, ptr %21, align 16
  store double %140, ptr %22, align 8
  br label %145

141:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  %142 = add nuw nsw i64 %83, 1
  %143 = load i64, ptr %12, align 8
  %144 = icmp slt i64 %142, %143
  br i1 %144, label %80, label %72

145:
  %146 = phi ptr [ %82, %80 ], [ %152, %145 ]
  %147 = phi i64 [ 0, %80 ], [ %164, %145 ]
  %148 = lshr i64 %147, 1
  %149 = getelementptr inbounds nuw %struct.tap, ptr %3, i64 %148
  %150 = and i64 %147, 1
  %151 = getelementptr inbounds nuw %struct.tap, ptr %4, i64 %150
  %152 = getelementptr inbounds nuw i8, ptr %146, i64 16
  %153 = load i64, ptr %149, align 16
  %154 = load i64, ptr %19, align 8
  %155 = mul i64 %154, %153
  %156 = load i64, ptr %151, align 16
  %157 = add i64 %155, %156
  %158 = getelementptr inbounds nuw i8, ptr %149, i64 8
  %159 = load double, ptr %158, align 8
  %160 = getelementptr inbounds nuw i8, ptr %151, i64 8
  %161 = load double, ptr %160, align 8
  %162 = fmul double %159, %161
  store i64 %157, ptr %146, align 8
  %163 = getelementptr inbounds nuw i8, ptr %146, i64 8
  store double %162, ptr %163, align 8
  %164 = add nuw nsw i64 %147, 1
  %165 = icmp eq i64 %164, 4
  br i1 %165, label %141, label %145
}

define internal noundef zeroext i1 @op_add(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca %struct.broadcast, align 8
  %4 = alloca [8 x i64], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %5 = call fastcc zeroext i1 @broadcast_of(ptr noundef %3, ptr noundef %0)
  br i1 %5, label %6, label %160

6:
  %7 = load ptr, ptr %0, align 8
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = load i64, ptr %13, align 8
  %15 = load i64, ptr %3, align 8
  %16 = icmp eq i64 %15, 0
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = select i1 %16, i64 1, i64 %18
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(64) %4, i8 0, i64 64, i1 false)
  %20 = icmp ne i64 %15, 0
  %21 = getelementptr inbounds nuw i8, ptr %3, i64 72
  %22 = load i64, ptr %21, align 8
  %23 = icmp ne i64 %22, 0
  %24 = select i1 %20, i1 %23, i1 false
  %25 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %26 = load i64, ptr %25, align 8
  %27 = icmp sgt i64 %26, 0
  br i1 %27, label %28, label %38

28:
  %29 = inttoptr i64 %11 to ptr
  %30 = inttoptr i64 %8 to ptr
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 136
  %32 = load i64, ptr %31, align 8
  %33 = icmp ne i64 %32, 0
  %34 = inttoptr i64 %14 to ptr
  %35 = select i1 %24, i1 %33, i1 false
  %36 = icmp slt i64 %19, 16
  %37 = icmp sgt i64 %15, 1
  br label %39

38:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  br label %160

39:
  %40 = phi ptr [ %29, %28 ], [ %155, %154 ]
  %41 = phi ptr [ %30, %28 ], [ %156, %154 ]
  %42 = phi i64 [ %26, %28 ], [ %157, %154 ]
  %43 = phi ptr [ %34, %28 ], [ %158, %154 ]
  br i1 %35, label %44, label %69

44:
  br i1 %36, label %45, label %48

45:
  %46 = phi i64 [ 0, %44 ], [ %49, %48 ]
  %47 = icmp slt i64 %46, %18
  br i1 %47, label %59, label %130

48:
  %49 = phi i64 [ %57, %48 ], [ 16, %44 ]
  %50 = phi i64 [ %49, %48 ], [ 0, %44 ]
  %51 = getelementptr inbounds float, ptr %41, i64 %50
  %52 = load <16 x float>, ptr %51, align 4
  %53 = getelementptr inbounds float, ptr %40, i64 %50
  %54 = load <16 x float>, ptr %53, align 4
  %55 = fadd <16 x float> %52, %54
  %56 = getelementptr inbounds float, ptr %43, i64 %50
  store <16 x float> %55, ptr %56, align 4
  %57 = add i64 %49, 16
  %58 = icmp sgt i64 %57, %18
  br i1 %58, label %45, label %48

59:
  %60 = phi i64 [ %67, %59 ], [ %46, %45 ]
  %61 = getelementptr inbounds float, ptr %41, i64 %60
  %62 = load float, ptr %61, align 4
  %63 = getelementptr inbounds float, ptr %40, i64 %60
  %64 = load float, ptr %63, align 4
  %65 = fadd float %62, %64
  %66 = getelementptr inbounds float, ptr %43, i64 %60
  store float %65, ptr %66, align 4
  %67 = add nsw i64 %60, 1
  %68 = icmp eq i64 %67, %18
  br i1 %68, label %130, label %59

69:
  br i1 %24, label %70, label %100

70:
  %71 = load float, ptr %40, align 4
  br label %73

72:
  br i1 %36, label %79, label %82

73:
  %74 = phi <16 x float> [ undef, %70 ], [ %76, %73 ]
  %75 = phi i64 [ 0, %70 ], [ %77, %73 ]
  %76 = insertelement <16 x float> %74, float %71, i64 %75
  %77 = add nuw nsw i64 %75, 1
  %78 = icmp eq i64 %77, 16
  br i1 %78, label %72, label %73

79:
  %80 = phi i64 [ 0, %72 ], [ %83, %82 ]
  %81 = icmp slt i64 %80, %18
  br i1 %81, label %91, label %130

82:
  %83 = phi i64 [ %89, %82 ], [ 16, %72 ]
  %84 = phi i64 [ %83, %82 ], [ 0, %72 ]
  %85 = getelementptr inbounds float, ptr %41, i64 %84
  %86 = load <16 x float>, ptr %85, align 4
  %87 = fadd <16 x float> %76, %86
  %88 = getelementptr inbounds float, ptr %43, i64 %84
  store <16 x float> %87, ptr %88, align 4
  %89 = add i64 %83, 16
  %90 = icmp sgt i64 %89, %18
  br i1 %90, label %79, label %82

91:
  %92 = phi i64 [ %98, %91 ], [ %80, %79 ]
  %93 = getelementptr inbounds float, ptr %41, i64 %92
  %94 = load float, ptr %93, align 4
  %95 = load float, ptr %40, align 4
  %96 = fadd float %94, %95
  %97 = getelementptr inbounds float, ptr %43, i64 %92
  store float %96, ptr %97, align 4
  %98 = add nsw i64 %92, 1
  %99 = icmp eq i64 %98, %18
  br i1 %99, label %130, label %91

100:
  %101 = load float, ptr %41, align 4
  br label %103

102:
  br i1 %36, label %109, label %112

103:
  %104 = phi <16 x float> [ undef, %100 ], [ %106, %103 ]
  %105 = phi i64 [ 0, %100 ], [ %107, %103 ]
  %106 = insertelement <16 x float> %104, float %101, i64 %105
  %107 = add nuw nsw i64 %105, 1
  %108 = icmp eq i64 %107, 16
  br i1 %108, label %102, label %103

109:
  %110 = phi i64 [ 0, %102 ], [ %113, %112 ]
  %111 = icmp slt i64 %110, %19
  br i1 %111, label %121, label %130

112:
  %113 = phi i64 [ %119, %112 ], [ 16, %102 ]
  %114 = phi i64 [ %113, %112 ], [ 0, %102 ]
  %115 = getelementptr inbounds float, ptr %40, i64 %114
  %116 = load <16 x float>, ptr %115, align 4
  %117 = fadd <16 x float> %106, %116
  %118 = getelementptr inbounds float, ptr %43, i64 %114
  store <16 x float> %117, ptr %118, align 4
  %119 = add i64 %113, 16
  %120 = icmp sgt i64 %119, %19
  br i1 %120, label %109, label %112

121:
  %122 = phi i64 [ %128, %121 ], [ %110, %109 ]
  %123 = load float, ptr %41, align 4
  %124 = getelementptr inbounds float, ptr %40, i64 %122
  %125 = load float, ptr %124, align 4
  %126 = fadd float %123, %125
  %127 = getelementptr inbounds float, ptr %43, i64 %122
  store float %126, ptr %127, align 4
  %128 = add nsw i64 %122, 1
  %129 = icmp eq i64 %128, %19
  br i1 %129, label %130, label %121

130:
  br i1 %37, label %131, label %154

131:
  %132 = phi ptr [ %150, %151 ], [ %40, %130 ]
  %133 = phi ptr [ %146, %151 ], [ %41, %130 ]
  %134 = phi i64 [ %152, %151 ], [ 1, %130 ]
  %135 = getelementptr inbounds nuw i64, ptr %4, i64 %134
  %136 = load i64, ptr %135, align 8
  %137 = add i64 %136, 1
  store i64 %137, ptr %135, align 8
  %138 = getelementptr inbounds nuw i64, ptr %17, i64 %134
  %139 = load i64, ptr %138, align 8
  %140 = icmp slt i64 %137, %139
  %141 = getelementptr i64, ptr %21, i64 %134
  %142 = sub i64 1, %139
  %143 = select i1 %140, i64 1, i64 %142
  %144 = load i64, ptr %141, align 8
  %145 = mul i64 %144, %143
  %146 = getelementptr inbounds float, ptr %133, i64 %145
  %147 = getelementptr i8, ptr %141, i64 64
  %148 = load i64, ptr %147, align 8
  %149 = mul i64 %148, %143
  %150 = getelementptr inbounds float, ptr %132, i64 %149
  br i1 %140, label %154, label %151

151:
  store i64 0, ptr %135, align 8
  %152 = add nuw nsw i64 %134, 1
  %153 = icmp eq i64 %152, %15
  br i1 %153, label %154, label %131

154:
  %155 = phi ptr [ %40, %130 ], [ %150, %131 ], [ %150, %151 ]
  %156 = phi ptr [ %41, %130 ], [ %146, %131 ], [ %146, %151 ]
  %157 = sub i64 %42, %19
  %158 = getelementptr inbounds float, ptr %43, i64 %19
  %159 = icmp sgt i64 %157, 0
  br i1 %159, label %39, label %38

160:
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %5
}

define internal noundef zeroext i1 @op_subtract(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca %struct.broadcast, align 8
  %4 = alloca [8 x i64], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %5 = call fastcc zeroext i1 @broadcast_of(ptr noundef %3, ptr noundef %0)
  br i1 %5, label %6, label %160

6:
  %7 = load ptr, ptr %0, align 8
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = load i64, ptr %13, align 8
  %15 = load i64, ptr %3, align 8
  %16 = icmp eq i64 %15, 0
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = select i1 %16, i64 1, i64 %18
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(64) %4, i8 0, i64 64, i1 false)
  %20 = icmp ne i64 %15, 0
  %21 = getelementptr inbounds nuw i8, ptr %3, i64 72
  %22 = load i64, ptr %21, align 8
  %23 = icmp ne i64 %22, 0
  %24 = select i1 %20, i1 %23, i1 false
  %25 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %26 = load i64, ptr %25, align 8
  %27 = icmp sgt i64 %26, 0
  br i1 %27, label %28, label %38

28:
  %29 = inttoptr i64 %11 to ptr
  %30 = inttoptr i64 %8 to ptr
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 136
  %32 = load i64, ptr %31, align 8
  %33 = icmp ne i64 %32, 0
  %34 = inttoptr i64 %14 to ptr
  %35 = select i1 %24, i1 %33, i1 false
  %36 = icmp slt i64 %19, 16
  %37 = icmp sgt i64 %15, 1
  br label %39

38:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  br label %160

39:
  %40 = phi ptr [ %29, %28 ], [ %155, %154 ]
  %41 = phi ptr [ %30, %28 ], [ %156, %154 ]
  %42 = phi i64 [ %26, %28 ], [ %157, %154 ]
  %43 = phi ptr [ %34, %28 ], [ %158, %154 ]
  br i1 %35, label %44, label %69

44:
  br i1 %36, label %45, label %48

45:
  %46 = phi i64 [ 0, %44 ], [ %49, %48 ]
  %47 = icmp slt i64 %46, %18
  br i1 %47, label %59, label %130

48:
  %49 = phi i64 [ %57, %48 ], [ 16, %44 ]
  %50 = phi i64 [ %49, %48 ], [ 0, %44 ]
  %51 = getelementptr inbounds float, ptr %41, i64 %50
  %52 = load <16 x float>, ptr %51, align 4
  %53 = getelementptr inbounds float, ptr %40, i64 %50
  %54 = load <16 x float>, ptr %53, align 4
  %55 = fsub <16 x float> %52, %54
  %56 = getelementptr inbounds float, ptr %43, i64 %50
  store <16 x float> %55, ptr %56, align 4
  %57 = add i64 %49, 16
  %58 = icmp sgt i64 %57, %18
  br i1 %58, label %45, label %48

59:
  %60 = phi i64 [ %67, %59 ], [ %46, %45 ]
  %61 = getelementptr inbounds float, ptr %41, i64 %60
  %62 = load float, ptr %61, align 4
  %63 = getelementptr inbounds float, ptr %40, i64 %60
  %64 = load float, ptr %63, align 4
  %65 = fsub float %62, %64
  %66 = getelementptr inbounds float, ptr %43, i64 %60
  store float %65, ptr %66, align 4
  %67 = add nsw i64 %60, 1
  %68 = icmp eq i64 %67, %18
  br i1 %68, label %130, label %59

69:
  br i1 %24, label %70, label %100

70:
  %71 = load float, ptr %40, align 4
  br label %73

72:
  br i1 %36, label %79, label %82

73:
  %74 = phi <16 x float> [ undef, %70 ], [ %76, %73 ]
  %75 = phi i64 [ 0, %70 ], [ %77, %73 ]
  %76 = insertelement <16 x float> %74, float %71, i64 %75
  %77 = add nuw nsw i64 %75, 1
  %78 = icmp eq i64 %77, 16
  br i1 %78, label %72, label %73

79:
  %80 = phi i64 [ 0, %72 ], [ %83, %82 ]
  %81 = icmp slt i64 %80, %18
  br i1 %81, label %91, label %130

82:
  %83 = phi i64 [ %89, %82 ], [ 16, %72 ]
  %84 = phi i64 [ %83, %82 ], [ 0, %72 ]
  %85 = getelementptr inbounds float, ptr %41, i64 %84
  %86 = load <16 x float>, ptr %85, align 4
  %87 = fsub <16 x float> %86, %76
  %88 = getelementptr inbounds float, ptr %43, i64 %84
  store <16 x float> %87, ptr %88, align 4
  %89 = add i64 %83, 16
  %90 = icmp sgt i64 %89, %18
  br i1 %90, label %79, label %82

91:
  %92 = phi i64 [ %98, %91 ], [ %80, %79 ]
  %93 = getelementptr inbounds float, ptr %41, i64 %92
  %94 = load float, ptr %93, align 4
  %95 = load float, ptr %40, align 4
  %96 = fsub float %94, %95
  %97 = getelementptr inbounds float, ptr %43, i64 %92
  store float %96, ptr %97, align 4
  %98 = add nsw i64 %92, 1
  %99 = icmp eq i64 %98, %18
  br i1 %99, label %130, label %91

100:
  %101 = load float, ptr %41, align 4
  br label %103

102:
  br i1 %36, label %109, label %112

103:
  %104 = phi <16 x float> [ undef, %100 ], [ %106, %103 ]
  %105 = phi i64 [ 0, %100 ], [ %107, %103 ]
  %106 = insertelement <16 x float> %104, float %101, i64 %105
  %107 = add nuw nsw i64 %105, 1
  %108 = icmp eq i64 %107, 16
  br i1 %108, label %102, label %103

109:
  %110 = phi i64 [ 0, %102 ], [ %113, %112 ]
  %111 = icmp slt i64 %110, %19
  br i1 %111, label %121, label %130

112:
  %113 = phi i64 [ %119, %112 ], [ 16, %102 ]
  %114 = phi i64 [ %113, %112 ], [ 0, %102 ]
  %115 = getelementptr inbounds float, ptr %40, i64 %114
  %116 = load <16 x float>, ptr %115, align 4
  %117 = fsub <16 x float> %106, %116
  %118 = getelementptr inbounds float, ptr %43, i64 %114
  store <16 x float> %117, ptr %118, align 4
  %119 = add i64 %113, 16
  %120 = icmp sgt i64 %119, %19
  br i1 %120, label %109, label %112

121:
  %122 = phi i64 [ %128, %121 ], [ %110, %109 ]
  %123 = load float, ptr %41, align 4
  %124 = getelementptr inbounds float, ptr %40, i64 %122
  %125 = load float, ptr %124, align 4
  %126 = fsub float %123, %125
  %127 = getelementptr inbounds float, ptr %43, i64 %122
  store float %126, ptr %127, align 4
  %128 = add nsw i64 %122, 1
  %129 = icmp eq i64 %128, %19
  br i1 %129, label %130, label %121

130:
  br i1 %37, label %131, label %154

131:
  %132 = phi ptr [ %150, %151 ], [ %40, %130 ]
  %133 = phi ptr [ %146, %151 ], [ %41, %130 ]
  %134 = phi i64 [ %152, %151 ], [ 1, %130 ]
  %135 = getelementptr inbounds nuw i64, ptr %4, i64 %134
  %136 = load i64, ptr %135, align 8
  %137 = add i64 %136, 1
  store i64 %137, ptr %135, align 8
  %138 = getelementptr inbounds nuw i64, ptr %17, i64 %134
  %139 = load i64, ptr %138, align 8
  %140 = icmp slt i64 %137, %139
  %141 = getelementptr i64, ptr %21, i64 %134
  %142 = sub i64 1, %139
  %143 = select i1 %140, i64 1, i64 %142
  %144 = load i64, ptr %141, align 8
  %145 = mul i64 %144, %143
  %146 = getelementptr inbounds float, ptr %133, i64 %145
  %147 = getelementptr i8, ptr %141, i64 64
  %148 = load i64, ptr %147, align 8
  %149 = mul i64 %148, %143
  %150 = getelementptr inbounds float, ptr %132, i64 %149
  br i1 %140, label %154, label %151

151:
  store i64 0, ptr %135, align 8
  %152 = add nuw nsw i64 %134, 1
  %153 = icmp eq i64 %152, %15
  br i1 %153, label %154, label %131

154:
  %155 = phi ptr [ %40, %130 ], [ %150, %131 ], [ %150, %151 ]
  %156 = phi ptr [ %41, %130 ], [ %146, %131 ], [ %146, %151 ]
  %157 = sub i64 %42, %19
  %158 = getelementptr inbounds float, ptr %43, i64 %19
  %159 = icmp sgt i64 %157, 0
  br i1 %159, label %39, label %38

160:
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %5
}

define internal noundef zeroext i1 @op_multiply(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca %struct.broadcast, align 8
  %4 = alloca [8 x i64], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %5 = call fastcc zeroext i1 @broadcast_of(ptr noundef %3, ptr noundef %0)
  br i1 %5, label %6, label %160

6:
  %7 = load ptr, ptr %0, align 8
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = load i64, ptr %13, align 8
  %15 = load i64, ptr %3, align 8
  %16 = icmp eq i64 %15, 0
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = select i1 %16, i64 1, i64 %18
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(64) %4, i8 0, i64 64, i1 false)
  %20 = icmp ne i64 %15, 0
  %21 = getelementptr inbounds nuw i8, ptr %3, i64 72
  %22 = load i64, ptr %21, align 8
  %23 = icmp ne i64 %22, 0
  %24 = select i1 %20, i1 %23, i1 false
  %25 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %26 = load i64, ptr %25, align 8
  %27 = icmp sgt i64 %26, 0
  br i1 %27, label %28, label %38

28:
  %29 = inttoptr i64 %11 to ptr
  %30 = inttoptr i64 %8 to ptr
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 136
  %32 = load i64, ptr %31, align 8
  %33 = icmp ne i64 %32, 0
  %34 = inttoptr i64 %14 to ptr
  %35 = select i1 %24, i1 %33, i1 false
  %36 = icmp slt i64 %19, 16
  %37 = icmp sgt i64 %15, 1
  br label %39

38:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  br label %160

39:
  %40 = phi ptr [ %29, %28 ], [ %155, %154 ]
  %41 = phi ptr [ %30, %28 ], [ %156, %154 ]
  %42 = phi i64 [ %26, %28 ], [ %157, %154 ]
  %43 = phi ptr [ %34, %28 ], [ %158, %154 ]
  br i1 %35, label %44, label %69

44:
  br i1 %36, label %45, label %48

45:
  %46 = phi i64 [ 0, %44 ], [ %49, %48 ]
  %47 = icmp slt i64 %46, %18
  br i1 %47, label %59, label %130

48:
  %49 = phi i64 [ %57, %48 ], [ 16, %44 ]
  %50 = phi i64 [ %49, %48 ], [ 0, %44 ]
  %51 = getelementptr inbounds float, ptr %41, i64 %50
  %52 = load <16 x float>, ptr %51, align 4
  %53 = getelementptr inbounds float, ptr %40, i64 %50
  %54 = load <16 x float>, ptr %53, align 4
  %55 = fmul <16 x float> %52, %54
  %56 = getelementptr inbounds float, ptr %43, i64 %50
  store <16 x float> %55, ptr %56, align 4
  %57 = add i64 %49, 16
  %58 = icmp sgt i64 %57, %18
  br i1 %58, label %45, label %48

59:
  %60 = phi i64 [ %67, %59 ], [ %46, %45 ]
  %61 = getelementptr inbounds float, ptr %41, i64 %60
  %62 = load float, ptr %61, align 4
  %63 = getelementptr inbounds float, ptr %40, i64 %60
  %64 = load float, ptr %63, align 4
  %65 = fmul float %62, %64
  %66 = getelementptr inbounds float, ptr %43, i64 %60
  store float %65, ptr %66, align 4
  %67 = add nsw i64 %60, 1
  %68 = icmp eq i64 %67, %18
  br i1 %68, label %130, label %59

69:
  br i1 %24, label %70, label %100

70:
  %71 = load float, ptr %40, align 4
  br label %73

72:
  br i1 %36, label %79, label %82

73:
  %74 = phi <16 x float> [ undef, %70 ], [ %76, %73 ]
  %75 = phi i64 [ 0, %70 ], [ %77, %73 ]
  %76 = insertelement <16 x float> %74, float %71, i64 %75
  %77 = add nuw nsw i64 %75, 1
  %78 = icmp eq i64 %77, 16
  br i1 %78, label %72, label %73

79:
  %80 = phi i64 [ 0, %72 ], [ %83, %82 ]
  %81 = icmp slt i64 %80, %18
  br i1 %81, label %91, label %130

82:
  %83 = phi i64 [ %89, %82 ], [ 16, %72 ]
  %84 = phi i64 [ %83, %82 ], [ 0, %72 ]
  %85 = getelementptr inbounds float, ptr %41, i64 %84
  %86 = load <16 x float>, ptr %85, align 4
  %87 = fmul <16 x float> %76, %86
  %88 = getelementptr inbounds float, ptr %43, i64 %84
  store <16 x float> %87, ptr %88, align 4
  %89 = add i64 %83, 16
  %90 = icmp sgt i64 %89, %18
  br i1 %90, label %79, label %82

91:
  %92 = phi i64 [ %98, %91 ], [ %80, %79 ]
  %93 = getelementptr inbounds float, ptr %41, i64 %92
  %94 = load float, ptr %93, align 4
  %95 = load float, ptr %40, align 4
  %96 = fmul float %94, %95
  %97 = getelementptr inbounds float, ptr %43, i64 %92
  store float %96, ptr %97, align 4
  %98 = add nsw i64 %92, 1
  %99 = icmp eq i64 %98, %18
  br i1 %99, label %130, label %91

100:
  %101 = load float, ptr %41, align 4
  br label %103

102:
  br i1 %36, label %109, label %112

103:
  %104 = phi <16 x float> [ undef, %100 ], [ %106, %103 ]
  %105 = phi i64 [ 0, %100 ], [ %107, %103 ]
  %106 = insertelement <16 x float> %104, float %101, i64 %105
  %107 = add nuw nsw i64 %105, 1
  %108 = icmp eq i64 %107, 16
  br i1 %108, label %102, label %103

109:
  %110 = phi i64 [ 0, %102 ], [ %113, %112 ]
  %111 = icmp slt i64 %110, %19
  br i1 %111, label %121, label %130

112:
  %113 = phi i64 [ %119, %112 ], [ 16, %102 ]
  %114 = phi i64 [ %113, %112 ], [ 0, %102 ]
  %115 = getelementptr inbounds float, ptr %40, i64 %114
  %116 = load <16 x float>, ptr %115, align 4
  %117 = fmul <16 x float> %106, %116
  %118 = getelementptr inbounds float, ptr %43, i64 %114
  store <16 x float> %117, ptr %118, align 4
  %119 = add i64 %113, 16
  %120 = icmp sgt i64 %119, %19
  br i1 %120, label %109, label %112

121:
  %122 = phi i64 [ %128, %121 ], [ %110, %109 ]
  %123 = load float, ptr %41, align 4
  %124 = getelementptr inbounds float, ptr %40, i64 %122
  %125 = load float, ptr %124, align 4
  %126 = fmul float %123, %125
  %127 = getelementptr inbounds float, ptr %43, i64 %122
  store float %126, ptr %127, align 4
  %128 = add nsw i64 %122, 1
  %129 = icmp eq i64 %128, %19
  br i1 %129, label %130, label %121

130:
  br i1 %37, label %131, label %154

131:
  %132 = phi ptr [ %150, %151 ], [ %40, %130 ]
  %133 = phi ptr [ %146, %151 ], [ %41, %130 ]
  %134 = phi i64 [ %152, %151 ], [ 1, %130 ]
  %135 = getelementptr inbounds nuw i64, ptr %4, i64 %134
  %136 = load i64, ptr %135, align 8
  %137 = add i64 %136, 1
  store i64 %137, ptr %135, align 8
  %138 = getelementptr inbounds nuw i64, ptr %17, i64 %134
  %139 = load i64, ptr %138, align 8
  %140 = icmp slt i64 %137, %139
  %141 = getelementptr i64, ptr %21, i64 %134
  %142 = sub i64 1, %139
  %143 = select i1 %140, i64 1, i64 %142
  %144 = load i64, ptr %141, align 8
  %145 = mul i64 %144, %143
  %146 = getelementptr inbounds float, ptr %133, i64 %145
  %147 = getelementptr i8, ptr %141, i64 64
  %148 = load i64, ptr %147, align 8
  %149 = mul i64 %148, %143
  %150 = getelementptr inbounds float, ptr %132, i64 %149
  br i1 %140, label %154, label %151

151:
  store i64 0, ptr %135, align 8
  %152 = add nuw nsw i64 %134, 1
  %153 = icmp eq i64 %152, %15
  br i1 %153, label %154, label %131

154:
  %155 = phi ptr [ %40, %130 ], [ %150, %131 ], [ %150, %151 ]
  %156 = phi ptr [ %41, %130 ], [ %146, %131 ], [ %146, %151 ]
  %157 = sub i64 %42, %19
  %158 = getelementptr inbounds float, ptr %43, i64 %19
  %159 = icmp sgt i64 %157, 0
  br i1 %159, label %39, label %38

160:
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %5
}

define internal noundef zeroext i1 @op_divide(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca %struct.broadcast, align 8
  %4 = alloca [8 x i64], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %5 = call fastcc zeroext i1 @broadcast_of(ptr noundef %3, ptr noundef %0)
  br i1 %5, label %6, label %160

6:
  %7 = load ptr, ptr %0, align 8
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = load i64, ptr %13, align 8
  %15 = load i64, ptr %3, align 8
  %16 = icmp eq i64 %15, 0
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = select i1 %16, i64 1, i64 %18
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(64) %4, i8 0, i64 64, i1 false)
  %20 = icmp ne i64 %15, 0
  %21 = getelementptr inbounds nuw i8, ptr %3, i64 72
  %22 = load i64, ptr %21, align 8
  %23 = icmp ne i64 %22, 0
  %24 = select i1 %20, i1 %23, i1 false
  %25 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %26 = load i64, ptr %25, align 8
  %27 = icmp sgt i64 %26, 0
  br i1 %27, label %28, label %38

28:
  %29 = inttoptr i64 %11 to ptr
  %30 = inttoptr i64 %8 to ptr
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 136
  %32 = load i64, ptr %31, align 8
  %33 = icmp ne i64 %32, 0
  %34 = inttoptr i64 %14 to ptr
  %35 = select i1 %24, i1 %33, i1 false
  %36 = icmp slt i64 %19, 16
  %37 = icmp sgt i64 %15, 1
  br label %39

38:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  br label %160

39:
  %40 = phi ptr [ %29, %28 ], [ %155, %154 ]
  %41 = phi ptr [ %30, %28 ], [ %156, %154 ]
  %42 = phi i64 [ %26, %28 ], [ %157, %154 ]
  %43 = phi ptr [ %34, %28 ], [ %158, %154 ]
  br i1 %35, label %44, label %69

44:
  br i1 %36, label %45, label %48

45:
  %46 = phi i64 [ 0, %44 ], [ %49, %48 ]
  %47 = icmp slt i64 %46, %18
  br i1 %47, label %59, label %130

48:
  %49 = phi i64 [ %57, %48 ], [ 16, %44 ]
  %50 = phi i64 [ %49, %48 ], [ 0, %44 ]
  %51 = getelementptr inbounds float, ptr %41, i64 %50
  %52 = load <16 x float>, ptr %51, align 4
  %53 = getelementptr inbounds float, ptr %40, i64 %50
  %54 = load <16 x float>, ptr %53, align 4
  %55 = fdiv <16 x float> %52, %54
  %56 = getelementptr inbounds float, ptr %43, i64 %50
  store <16 x float> %55, ptr %56, align 4
  %57 = add i64 %49, 16
  %58 = icmp sgt i64 %57, %18
  br i1 %58, label %45, label %48

59:
  %60 = phi i64 [ %67, %59 ], [ %46, %45 ]
  %61 = getelementptr inbounds float, ptr %41, i64 %60
  %62 = load float, ptr %61, align 4
  %63 = getelementptr inbounds float, ptr %40, i64 %60
  %64 = load float, ptr %63, align 4
  %65 = fdiv float %62, %64
  %66 = getelementptr inbounds float, ptr %43, i64 %60
  store float %65, ptr %66, align 4
  %67 = add nsw i64 %60, 1
  %68 = icmp eq i64 %67, %18
  br i1 %68, label %130, label %59

69:
  br i1 %24, label %70, label %100

70:
  %71 = load float, ptr %40, align 4
  br label %73

72:
  br i1 %36, label %79, label %82

73:
  %74 = phi <16 x float> [ undef, %70 ], [ %76, %73 ]
  %75 = phi i64 [ 0, %70 ], [ %77, %73 ]
  %76 = insertelement <16 x float> %74, float %71, i64 %75
  %77 = add nuw nsw i64 %75, 1
  %78 = icmp eq i64 %77, 16
  br i1 %78, label %72, label %73

79:
  %80 = phi i64 [ 0, %72 ], [ %83, %82 ]
  %81 = icmp slt i64 %80, %18
  br i1 %81, label %91, label %130

82:
  %83 = phi i64 [ %89, %82 ], [ 16, %72 ]
  %84 = phi i64 [ %83, %82 ], [ 0, %72 ]
  %85 = getelementptr inbounds float, ptr %41, i64 %84
  %86 = load <16 x float>, ptr %85, align 4
  %87 = fdiv <16 x float> %86, %76
  %88 = getelementptr inbounds float, ptr %43, i64 %84
  store <16 x float> %87, ptr %88, align 4
  %89 = add i64 %83, 16
  %90 = icmp sgt i64 %89, %18
  br i1 %90, label %79, label %82

91:
  %92 = phi i64 [ %98, %91 ], [ %80, %79 ]
  %93 = getelementptr inbounds float, ptr %41, i64 %92
  %94 = load float, ptr %93, align 4
  %95 = load float, ptr %40, align 4
  %96 = fdiv float %94, %95
  %97 = getelementptr inbounds float, ptr %43, i64 %92
  store float %96, ptr %97, align 4
  %98 = add nsw i64 %92, 1
  %99 = icmp eq i64 %98, %18
  br i1 %99, label %130, label %91

100:
  %101 = load float, ptr %41, align 4
  br label %103

102:
  br i1 %36, label %109, label %112

103:
  %104 = phi <16 x float> [ undef, %100 ], [ %106, %103 ]
  %105 = phi i64 [ 0, %100 ], [ %107, %103 ]
  %106 = insertelement <16 x float> %104, float %101, i64 %105
  %107 = add nuw nsw i64 %105, 1
  %108 = icmp eq i64 %107, 16
  br i1 %108, label %102, label %103

109:
  %110 = phi i64 [ 0, %102 ], [ %113, %112 ]
  %111 = icmp slt i64 %110, %19
  br i1 %111, label %121, label %130

112:
  %113 = phi i64 [ %119, %112 ], [ 16, %102 ]
  %114 = phi i64 [ %113, %112 ], [ 0, %102 ]
  %115 = getelementptr inbounds float, ptr %40, i64 %114
  %116 = load <16 x float>, ptr %115, align 4
  %117 = fdiv <16 x float> %106, %116
  %118 = getelementptr inbounds float, ptr %43, i64 %114
  store <16 x float> %117, ptr %118, align 4
  %119 = add i64 %113, 16
  %120 = icmp sgt i64 %119, %19
  br i1 %120, label %109, label %112

121:
  %122 = phi i64 [ %128, %121 ], [ %110, %109 ]
  %123 = load float, ptr %41, align 4
  %124 = getelementptr inbounds float, ptr %40, i64 %122
  %125 = load float, ptr %124, align 4
  %126 = fdiv float %123, %125
  %127 = getelementptr inbounds float, ptr %43, i64 %122
  store float %126, ptr %127, align 4
  %128 = add nsw i64 %122, 1
  %129 = icmp eq i64 %128, %19
  br i1 %129, label %130, label %121

130:
  br i1 %37, label %131, label %154

131:
  %132 = phi ptr [ %150, %151 ], [ %40, %130 ]
  %133 = phi ptr [ %146, %151 ], [ %41, %130 ]
  %134 = phi i64 [ %152, %151 ], [ 1, %130 ]
  %135 = getelementptr inbounds nuw i64, ptr %4, i64 %134
  %136 = load i64, ptr %135, align 8
  %137 = add i64 %136, 1
  store i64 %137, ptr %135, align 8
  %138 = getelementptr inbounds nuw i64, ptr %17, i64 %134
  %139 = load i64, ptr %138, align 8
  %140 = icmp slt i64 %137, %139
  %141 = getelementptr i64, ptr %21, i64 %134
  %142 = sub i64 1, %139
  %143 = select i1 %140, i64 1, i64 %142
  %144 = load i64, ptr %141, align 8
  %145 = mul i64 %144, %143
  %146 = getelementptr inbounds float, ptr %133, i64 %145
  %147 = getelementptr i8, ptr %141, i64 64
  %148 = load i64, ptr %147, align 8
  %149 = mul i64 %148, %143
  %150 = getelementptr inbounds float, ptr %132, i64 %149
  br i1 %140, label %154, label %151

151:
  store i64 0, ptr %135, align 8
  %152 = add nuw nsw i64 %134, 1
  %153 = icmp eq i64 %152, %15
  br i1 %153, label %154, label %131

154:
  %155 = phi ptr [ %40, %130 ], [ %150, %131 ], [ %150, %151 ]
  %156 = phi ptr [ %41, %130 ], [ %146, %131 ], [ %146, %151 ]
  %157 = sub i64 %42, %19
  %158 = getelementptr inbounds float, ptr %43, i64 %19
  %159 = icmp sgt i64 %157, 0
  br i1 %159, label %39, label %38

160:
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %5
}

define internal noundef zeroext i1 @op_take_along(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca %struct.lines, align 8
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %8 = load ptr, ptr %7, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %10, %12
  br i1 %13, label %14, label %1146

14:
  %15 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %16, %18
  br i1 %19, label %20, label %1146

20:
  %21 = load i64, ptr %1, align 8
  %22 = call fastcc zeroext i1 @lines_of(ptr noundef %3, ptr noundef nonnull %4, ptr noundef nonnull %6, i64 noundef %21)
  br i1 %22, label %23, label %1146

23:
  %24 = load i64, ptr %11, align 8
  %25 = load i64, ptr %4, align 8
  %26 = inttoptr i64 %25 to ptr
  %27 = load i64, ptr %8, align 8
  %28 = inttoptr i64 %27 to ptr
  %29 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %30 = load i64, ptr %29, align 8
  %31 = icmp eq i64 %30, 2
  %32 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %33 = load i8, ptr %32, align 8
  %34 = trunc nuw i8 %33 to i1
  %35 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %36 = load i64, ptr %35, align 8
  %37 = icmp slt i64 %36, 1
  switch i64 %24, label %869 [
    i64 3, label %38
    i64 4, label %38
    i64 7, label %38
    i64 13, label %38
    i64 14, label %38
    i64 6, label %315
    i64 12, label %315
    i64 8, label %315
    i64 9, label %315
    i64 0, label %592
    i64 1, label %592
    i64 10, label %592
  ]

38:
  br i1 %31, label %39, label %176

39:
  br i1 %34, label %49, label %40

40:
  br i1 %37, label %1146, label %41

41:
  %42 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %43 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %44 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %45 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %46 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %47 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %48 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %115

49:
  br i1 %37, label %1146, label %50

50:
  %51 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %52 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %53 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %54 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %55 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %56 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %57

57:
  %58 = phi ptr [ %28, %50 ], [ %87, %112 ]
  %59 = phi i64 [ 0, %50 ], [ %88, %112 ]
  %60 = load i64, ptr %6, align 8
  %61 = inttoptr i64 %60 to ptr
  %62 = load i64, ptr %51, align 8
  %63 = shl i64 %59, 3
  %64 = mul i64 %63, %62
  %65 = getelementptr inbounds i8, ptr %61, i64 %64
  %66 = load i64, ptr %52, align 8
  %67 = icmp sgt i64 %62, 0
  br i1 %67, label %68, label %86

68:
  %69 = load i64, ptr %53, align 8
  %70 = getelementptr i8, ptr %26, i64 %69
  br label %71

71:
  %72 = phi i64 [ 0, %68 ], [ %84, %80 ]
  %73 = phi ptr [ %58, %68 ], [ %83, %80 ]
  %74 = getelementptr inbounds nuw i64, ptr %65, i64 %72
  %75 = load i64, ptr %74, align 8
  %76 = icmp slt i64 %75, 0
  %77 = select i1 %76, i64 %66, i64 0
  %78 = add i64 %77, %75
  %79 = icmp ult i64 %78, %66
  br i1 %79, label %80, label %1146

80:
  %81 = getelementptr i8, ptr %70, i64 %78
  %82 = load i8, ptr %81, align 1
  store i8 %82, ptr %73, align 1
  %83 = getelementptr inbounds nuw i8, ptr %73, i64 1
  %84 = add nuw nsw i64 %72, 1
  %85 = icmp eq i64 %84, %62
  br i1 %85, label %86, label %71

86:
  %87 = phi ptr [ %58, %57 ], [ %83, %80 ]
  %88 = add nuw nsw i64 %59, 1
  %89 = load i64, ptr %3, align 8
  %90 = add i64 %89, -2
  %91 = icmp sgt i64 %90, -1
  br i1 %91, label %92, label %112

92:
  %93 = load i64, ptr %53, align 8
  br label %94

94:
  %95 = phi i64 [ %93, %92 ], [ %109, %107 ]
  %96 = phi i64 [ %90, %92 ], [ %110, %107 ]
  %97 = getelementptr inbounds nuw i64, ptr %54, i64 %96
  %98 = load i64, ptr %97, align 8
  %99 = add i64 %98, %95
  store i64 %99, ptr %53, align 8
  %100 = getelementptr inbounds nuw i64, ptr %55, i64 %96
  %101 = load i64, ptr %100, align 8
  %102 = add i64 %101, 1
  store i64 %102, ptr %100, align 8
  %103 = load ptr, ptr %56, align 8
  %104 = getelementptr inbounds nuw i64, ptr %103, i64 %96
  %105 = load i64, ptr %104, align 8
  %106 = icmp slt i64 %102, %105
  br i1 %106, label %112, label %107

107:
  %108 = mul i64 %105, %98
  %109 = sub i64 %99, %108
  store i64 %109, ptr %53, align 8
  store i64 0, ptr %100, align 8
  %110 = add nsw i64 %96, -1
  %111 = icmp sgt i64 %96, 0
  br i1 %111, label %94, label %112

112:
  %113 = load i64, ptr %35, align 8
  %114 = icmp slt i64 %88, %113
  br i1 %114, label %57, label %1146

115:
  %116 = phi ptr [ %28, %41 ], [ %148, %173 ]
  %117 = phi i64 [ 0, %41 ], [ %149, %173 ]
  %118 = load i64, ptr %6, align 8
  %119 = inttoptr i64 %118 to ptr
  %120 = load i64, ptr %42, align 8
  %121 = shl i64 %117, 3
  %122 = mul i64 %121, %120
  %123 = getelementptr inbounds i8, ptr %119, i64 %122
  %124 = load i64, ptr %43, align 8
  %125 = load i64, ptr %44, align 8
  %126 = icmp sgt i64 %120, 0
  br i1 %126, label %127, label %147

127:
  %128 = load i64, ptr %45, align 8
  %129 = getelementptr i8, ptr %26, i64 %128
  br label %130

130:
  %131 = phi i64 [ 0, %127 ], [ %145, %139 ]
  %132 = phi ptr [ %116, %127 ], [ %144, %139 ]
  %133 = getelementptr inbounds nuw i64, ptr %123, i64 %131
  %134 = load i64, ptr %133, align 8
  %135 = icmp slt i64 %134, 0
  %136 = select i1 %135, i64 %124, i64 0
  %137 = add i64 %136, %134
  %138 = icmp ult i64 %137, %124
  br i1 %138, label %139, label %1146

139:
  %140 = mul i64 %137, %125
  %141 = getelementptr i8, ptr %129, i64 %140
  %142 = getelementptr i8, ptr %141, i64 %131
  %143 = load i8, ptr %142, align 1
  store i8 %143, ptr %132, align 1
  %144 = getelementptr inbounds nuw i8, ptr %132, i64 1
  %145 = add nuw nsw i64 %131, 1
  %146 = icmp eq i64 %145, %120
  br i1 %146, label %147, label %130

147:
  %148 = phi ptr [ %116, %115 ], [ %144, %139 ]
  %149 = add nuw nsw i64 %117, 1
  %150 = load i64, ptr %3, align 8
  %151 = add i64 %150, -2
  %152 = icmp sgt i64 %151, -1
  br i1 %152, label %153, label %173

153:
  %154 = load i64, ptr %45, align 8
  br label %155

155:
  %156 = phi i64 [ %154, %153 ], [ %170, %168 ]
  %157 = phi i64 [ %151, %153 ], [ %171, %168 ]
  %158 = getelementptr inbounds nuw i64, ptr %46, i64 %157
  %159 = load i64, ptr %158, align 8
  %160 = add i64 %159, %156
  store i64 %160, ptr %45, align 8
  %161 = getelementptr inbounds nuw i64, ptr %47, i64 %157
  %162 = load i64, ptr %161, align 8
  %163 = add i64 %162, 1
  store i64 %163, ptr %161, align 8
  %164 = load ptr, ptr %48, align 8
  %165 = getelementptr inbounds nuw i64, ptr %164, i64 %157
  %166 = load i64, ptr %165, align 8
  %167 = icmp slt i64 %163, %166
  br i1 %167, label %173, label %168

168:
  %169 = mul i64 %166, %159
  %170 = sub i64 %160, %169
  store i64 %170, ptr %45, align 8
  store i64 0, ptr %161, align 8
  %171 = add nsw i64 %157, -1
  %172 = icmp sgt i64 %157, 0
  br i1 %172, label %155, label %173

173:
  %174 = load i64, ptr %35, align 8
  %175 = icmp slt i64 %149, %174
  br i1 %175, label %115, label %1146

176:
  br i1 %34, label %186, label %177

177:
  br i1 %37, label %1146, label %178

178:
  %179 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %180 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %181 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %182 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %183 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %184 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %185 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %253

186:
  br i1 %37, label %1146, label %187

187:
  %188 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %189 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %190 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %191 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %192 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %193 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %194

194:
  %195 = phi ptr [ %28, %187 ], [ %225, %250 ]
  %196 = phi i64 [ 0, %187 ], [ %226, %250 ]
  %197 = load i64, ptr %6, align 8
  %198 = inttoptr i64 %197 to ptr
  %199 = load i64, ptr %188, align 8
  %200 = shl i64 %196, 2
  %201 = mul i64 %200, %199
  %202 = getelementptr inbounds i8, ptr %198, i64 %201
  %203 = load i64, ptr %189, align 8
  %204 = icmp sgt i64 %199, 0
  br i1 %204, label %205, label %224

205:
  %206 = load i64, ptr %190, align 8
  %207 = getelementptr i8, ptr %26, i64 %206
  br label %208

208:
  %209 = phi i64 [ 0, %205 ], [ %222, %218 ]
  %210 = phi ptr [ %195, %205 ], [ %221, %218 ]
  %211 = getelementptr inbounds nuw i32, ptr %202, i64 %209
  %212 = load i32, ptr %211, align 4
  %213 = sext i32 %212 to i64
  %214 = icmp slt i32 %212, 0
  %215 = select i1 %214, i64 %203, i64 0
  %216 = add i64 %215, %213
  %217 = icmp ult i64 %216, %203
  br i1 %217, label %218, label %1146

218:
  %219 = getelementptr i8, ptr %207, i64 %216
  %220 = load i8, ptr %219, align 1
  store i8 %220, ptr %210, align 1
  %221 = getelementptr inbounds nuw i8, ptr %210, i64 1
  %222 = add nuw nsw i64 %209, 1
  %223 = icmp eq i64 %222, %199
  br i1 %223, label %224, label %208

224:
  %225 = phi ptr [ %195, %194 ], [ %221, %218 ]
  %226 = add nuw nsw i64 %196, 1
  %227 = load i64, ptr %3, align 8
  %228 = add i64 %227, -2
  %229 = icmp sgt i64 %228, -1
  br i1 %229, label %230, label %250

230:
  %231 = load i64, ptr %190, align 8
  br label %232

232:
  %233 = phi i64 [ %231, %230 ], [ %247, %245 ]
  %234 = phi i64 [ %228, %230 ], [ %248, %245 ]
  %235 = getelementptr inbounds nuw i64, ptr %191, i64 %234
  %236 = load i64, ptr %235, align 8
  %237 = add i64 %236, %233
  store i64 %237, ptr %190, align 8
  %238 = getelementptr inbounds nuw i64, ptr %192, i64 %234
  %239 = load i64, ptr %238, align 8
  %240 = add i64 %239, 1
  store i64 %240, ptr %238, align 8
  %241 = load ptr, ptr %193, align 8
  %242 = getelementptr inbounds nuw i64, ptr %241, i64 %234
  %243 = load i64, ptr %242, align 8
  %244 = icmp slt i64 %240, %243
  br i1 %244, label %250, label %245

245:
  %246 = mul i64 %243, %236
  %247 = sub i64 %237, %246
  store i64 %247, ptr %190, align 8
  store i64 0, ptr %238, align 8
  %248 = add nsw i64 %234, -1
  %249 = icmp sgt i64 %234, 0
  br i1 %249, label %232, label %250

250:
  %251 = load i64, ptr %35, align 8
  %252 = icmp slt i64 %226, %251
  br i1 %252, label %194, label %1146

253:
  %254 = phi ptr [ %28, %178 ], [ %287, %312 ]
  %255 = phi i64 [ 0, %178 ], [ %288, %312 ]
  %256 = load i64, ptr %6, align 8
  %257 = inttoptr i64 %256 to ptr
  %258 = load i64, ptr %179, align 8
  %259 = shl i64 %255, 2
  %260 = mul i64 %259, %258
  %261 = getelementptr inbounds i8, ptr %257, i64 %260
  %262 = load i64, ptr %180, align 8
  %263 = load i64, ptr %181, align 8
  %264 = icmp sgt i64 %258, 0
  br i1 %264, label %265, label %286

265:
  %266 = load i64, ptr %182, align 8
  %267 = getelementptr i8, ptr %26, i64 %266
  br label %268

268:
  %269 = phi i64 [ 0, %265 ], [ %284, %278 ]
  %270 = phi ptr [ %254, %265 ], [ %283, %278 ]
  %271 = getelementptr inbounds nuw i32, ptr %261, i64 %269
  %272 = load i32, ptr %271, align 4
  %273 = sext i32 %272 to i64
  %274 = icmp slt i32 %272, 0
  %275 = select i1 %274, i64 %262, i64 0
  %276 = add i64 %275, %273
  %277 = icmp ult i64 %276, %262
  br i1 %277, label %278, label %1146

278:
  %279 = mul i64 %276, %263
  %280 = getelementptr i8, ptr %267, i64 %279
  %281 = getelementptr i8, ptr %280, i64 %269
  %282 = load i8, ptr %281, align 1
  store i8 %282, ptr %270, align 1
  %283 = getelementptr inbounds nuw i8, ptr %270, i64 1
  %284 = add nuw nsw i64 %269, 1
  %285 = icmp eq i64 %284, %258
  br i1 %285, label %286, label %268

286:
  %287 = phi ptr [ %254, %253 ], [ %283, %278 ]
  %288 = add nuw nsw i64 %255, 1
  %289 = load i64, ptr %3, align 8
  %290 = add i64 %289, -2
  %291 = icmp sgt i64 %290, -1
  br i1 %291, label %292, label %312

292:
  %293 = load i64, ptr %182, align 8
  br label %294

294:
  %295 = phi i64 [ %293, %292 ], [ %309, %307 ]
  %296 = phi i64 [ %290, %292 ], [ %310, %307 ]
  %297 = getelementptr inbounds nuw i64, ptr %183, i64 %296
  %298 = load i64, ptr %297, align 8
  %299 = add i64 %298, %295
  store i64 %299, ptr %182, align 8
  %300 = getelementptr inbounds nuw i64, ptr %184, i64 %296
  %301 = load i64, ptr %300, align 8
  %302 = add i64 %301, 1
  store i64 %302, ptr %300, align 8
  %303 = load ptr, ptr %185, align 8
  %304 = getelementptr inbounds nuw i64, ptr %303, i64 %296
  %305 = load i64, ptr %304, align 8
  %306 = icmp slt i64 %302, %305
  br i1 %306, label %312, label %307

307:
  %308 = mul i64 %305, %298
  %309 = sub i64 %299, %308
  store i64 %309, ptr %182, align 8
  store i64 0, ptr %300, align 8
  %310 = add nsw i64 %296, -1
  %311 = icmp sgt i64 %296, 0
  br i1 %311, label %294, label %312

312:
  %313 = load i64, ptr %35, align 8
  %314 = icmp slt i64 %288, %313
  br i1 %314, label %253, label %1146

315:
  br i1 %31, label %316, label %453

316:
  br i1 %34, label %326, label %317

317:
  br i1 %37, label %1146, label %318

318:
  %319 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %320 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %321 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %322 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %323 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %324 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %325 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %392

326:
  br i1 %37, label %1146, label %327

327:
  %328 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %329 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %330 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %331 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %332 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %333 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %334

334:
  %335 = phi ptr [ %28, %327 ], [ %364, %389 ]
  %336 = phi i64 [ 0, %327 ], [ %365, %389 ]
  %337 = load i64, ptr %6, align 8
  %338 = inttoptr i64 %337 to ptr
  %339 = load i64, ptr %328, align 8
  %340 = shl i64 %336, 3
  %341 = mul i64 %340, %339
  %342 = getelementptr inbounds i8, ptr %338, i64 %341
  %343 = load i64, ptr %329, align 8
  %344 = load i64, ptr %330, align 8
  %345 = icmp sgt i64 %339, 0
  br i1 %345, label %346, label %363

346:
  %347 = phi i64 [ %361, %355 ], [ 0, %334 ]
  %348 = phi ptr [ %360, %355 ], [ %335, %334 ]
  %349 = getelementptr inbounds nuw i64, ptr %342, i64 %347
  %350 = load i64, ptr %349, align 8
  %351 = icmp slt i64 %350, 0
  %352 = select i1 %351, i64 %343, i64 0
  %353 = add i64 %352, %350
  %354 = icmp ult i64 %353, %343
  br i1 %354, label %355, label %1146

355:
  %356 = add i64 %353, %344
  %357 = shl i64 %356, 1
  %358 = getelementptr inbounds i8, ptr %26, i64 %357
  %359 = load i16, ptr %358, align 1
  store i16 %359, ptr %348, align 1
  %360 = getelementptr inbounds nuw i8, ptr %348, i64 2
  %361 = add nuw nsw i64 %347, 1
  %362 = icmp eq i64 %361, %339
  br i1 %362, label %363, label %346

363:
  %364 = phi ptr [ %335, %334 ], [ %360, %355 ]
  %365 = add nuw nsw i64 %336, 1
  %366 = load i64, ptr %3, align 8
  %367 = add i64 %366, -2
  %368 = icmp sgt i64 %367, -1
  br i1 %368, label %369, label %389

369:
  %370 = load i64, ptr %330, align 8
  br label %371

371:
  %372 = phi i64 [ %370, %369 ], [ %386, %384 ]
  %373 = phi i64 [ %367, %369 ], [ %387, %384 ]
  %374 = getelementptr inbounds nuw i64, ptr %331, i64 %373
  %375 = load i64, ptr %374, align 8
  %376 = add i64 %375, %372
  store i64 %376, ptr %330, align 8
  %377 = getelementptr inbounds nuw i64, ptr %332, i64 %373
  %378 = load i64, ptr %377, align 8
  %379 = add i64 %378, 1
  store i64 %379, ptr %377, align 8
  %380 = load ptr, ptr %333, align 8
  %381 = getelementptr inbounds nuw i64, ptr %380, i64 %373
  %382 = load i64, ptr %381, align 8
  %383 = icmp slt i64 %379, %382
  br i1 %383, label %389, label %384

384:
  %385 = mul i64 %382, %375
  %386 = sub i64 %376, %385
  store i64 %386, ptr %330, align 8
  store i64 0, ptr %377, align 8
  %387 = add nsw i64 %373, -1
  %388 = icmp sgt i64 %373, 0
  br i1 %388, label %371, label %389

389:
  %390 = load i64, ptr %35, align 8
  %391 = icmp slt i64 %365, %390
  br i1 %391, label %334, label %1146

392:
  %393 = phi ptr [ %28, %318 ], [ %425, %450 ]
  %394 = phi i64 [ 0, %318 ], [ %426, %450 ]
  %395 = load i64, ptr %6, align 8
  %396 = inttoptr i64 %395 to ptr
  %397 = load i64, ptr %319, align 8
  %398 = shl i64 %394, 3
  %399 = mul i64 %398, %397
  %400 = getelementptr inbounds i8, ptr %396, i64 %399
  %401 = load i64, ptr %320, align 8
  %402 = load i64, ptr %321, align 8
  %403 = load i64, ptr %322, align 8
  %404 = icmp sgt i64 %397, 0
  br i1 %404, label %405, label %424

405:
  %406 = phi i64 [ %422, %414 ], [ 0, %392 ]
  %407 = phi ptr [ %421, %414 ], [ %393, %392 ]
  %408 = getelementptr inbounds nuw i64, ptr %400, i64 %406
  %409 = load i64, ptr %408, align 8
  %410 = icmp slt i64 %409, 0
  %411 = select i1 %410, i64 %401, i64 0
  %412 = add i64 %411, %409
  %413 = icmp ult i64 %412, %401
  br i1 %413, label %414, label %1146

414:
  %415 = mul i64 %412, %402
  %416 = add i64 %406, %403
  %417 = add i64 %416, %415
  %418 = shl i64 %417, 1
  %419 = getelementptr inbounds i8, ptr %26, i64 %418
  %420 = load i16, ptr %419, align 1
  store i16 %420, ptr %407, align 1
  %421 = getelementptr inbounds nuw i8, ptr %407, i64 2
  %422 = add nuw nsw i64 %406, 1
  %423 = icmp eq i64 %422, %397
  br i1 %423, label %424, label %405

424:
  %425 = phi ptr [ %393, %392 ], [ %421, %414 ]
  %426 = add nuw nsw i64 %394, 1
  %427 = load i64, ptr %3, align 8
  %428 = add i64 %427, -2
  %429 = icmp sgt i64 %428, -1
  br i1 %429, label %430, label %450

430:
  %431 = load i64, ptr %322, align 8
  br label %432

432:
  %433 = phi i64 [ %431, %430 ], [ %447, %445 ]
  %434 = phi i64 [ %428, %430 ], [ %448, %445 ]
  %435 = getelementptr inbounds nuw i64, ptr %323, i64 %434
  %436 = load i64, ptr %435, align 8
  %437 = add i64 %436, %433
  store i64 %437, ptr %322, align 8
  %438 = getelementptr inbounds nuw i64, ptr %324, i64 %434
  %439 = load i64, ptr %438, align 8
  %440 = add i64 %439, 1
  store i64 %440, ptr %438, align 8
  %441 = load ptr, ptr %325, align 8
  %442 = getelementptr inbounds nuw i64, ptr %441, i64 %434
  %443 = load i64, ptr %442, align 8
  %444 = icmp slt i64 %440, %443
  br i1 %444, label %450, label %445

445:
  %446 = mul i64 %443, %436
  %447 = sub i64 %437, %446
  store i64 %447, ptr %322, align 8
  store i64 0, ptr %438, align 8
  %448 = add nsw i64 %434, -1
  %449 = icmp sgt i64 %434, 0
  br i1 %449, label %432, label %450

450:
  %451 = load i64, ptr %35, align 8
  %452 = icmp slt i64 %426, %451
  br i1 %452, label %392, label %1146

453:
  br i1 %34, label %463, label %454

454:
  br i1 %37, label %1146, label %455

455:
  %456 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %457 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %458 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %459 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %460 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %461 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %462 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %530

463:
  br i1 %37, label %1146, label %464

464:
  %465 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %466 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %467 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %468 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %469 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %470 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %471

471:
  %472 = phi ptr [ %28, %464 ], [ %502, %527 ]
  %473 = phi i64 [ 0, %464 ], [ %503, %527 ]
  %474 = load i64, ptr %6, align 8
  %475 = inttoptr i64 %474 to ptr
  %476 = load i64, ptr %465, align 8
  %477 = shl i64 %473, 2
  %478 = mul i64 %477, %476
  %479 = getelementptr inbounds i8, ptr %475, i64 %478
  %480 = load i64, ptr %466, align 8
  %481 = load i64, ptr %467, align 8
  %482 = icmp sgt i64 %476, 0
  br i1 %482, label %483, label %501

483:
  %484 = phi i64 [ %499, %493 ], [ 0, %471 ]
  %485 = phi ptr [ %498, %493 ], [ %472, %471 ]
  %486 = getelementptr inbounds nuw i32, ptr %479, i64 %484
  %487 = load i32, ptr %486, align 4
  %488 = sext i32 %487 to i64
  %489 = icmp slt i32 %487, 0
  %490 = select i1 %489, i64 %480, i64 0
  %491 = add i64 %490, %488
  %492 = icmp ult i64 %491, %480
  br i1 %492, label %493, label %1146

493:
  %494 = add i64 %491, %481
  %495 = shl i64 %494, 1
  %496 = getelementptr inbounds i8, ptr %26, i64 %495
  %497 = load i16, ptr %496, align 1
  store i16 %497, ptr %485, align 1
  %498 = getelementptr inbounds nuw i8, ptr %485, i64 2
  %499 = add nuw nsw i64 %484, 1
  %500 = icmp eq i64 %499, %476
  br i1 %500, label %501, label %483

501:
  %502 = phi ptr [ %472, %471 ], [ %498, %493 ]
  %503 = add nuw nsw i64 %473, 1
  %504 = load i64, ptr %3, align 8
  %505 = add i64 %504, -2
  %506 = icmp sgt i64 %505, -1
  br i1 %506, label %507, label %527

507:
  %508 = load i64, ptr %467, align 8
  br label %509

509:
  %510 = phi i64 [ %508, %507 ], [ %524, %522 ]
  %511 = phi i64 [ %505, %507 ], [ %525, %522 ]
  %512 = getelementptr inbounds nuw i64, ptr %468, i64 %511
  %513 = load i64, ptr %512, align 8
  %514 = add i64 %513, %510
  store i64 %514, ptr %467, align 8
  %515 = getelementptr inbounds nuw i64, ptr %469, i64 %511
  %516 = load i64, ptr %515, align 8
  %517 = add i64 %516, 1
  store i64 %517, ptr %515, align 8
  %518 = load ptr, ptr %470, align 8
  %519 = getelementptr inbounds nuw i64, ptr %518, i64 %511
  %520 = load i64, ptr %519, align 8
  %521 = icmp slt i64 %517, %520
  br i1 %521, label %527, label %522

522:
  %523 = mul i64 %520, %513
  %524 = sub i64 %514, %523
  store i64 %524, ptr %467, align 8
  store i64 0, ptr %515, align 8
  %525 = add nsw i64 %511, -1
  %526 = icmp sgt i64 %511, 0
  br i1 %526, label %509, label %527

527:
  %528 = load i64, ptr %35, align 8
  %529 = icmp slt i64 %503, %528
  br i1 %529, label %471, label %1146

530:
  %531 = phi ptr [ %28, %455 ], [ %564, %589 ]
  %532 = phi i64 [ 0, %455 ], [ %565, %589 ]
  %533 = load i64, ptr %6, align 8
  %534 = inttoptr i64 %533 to ptr
  %535 = load i64, ptr %456, align 8
  %536 = shl i64 %532, 2
  %537 = mul i64 %536, %535
  %538 = getelementptr inbounds i8, ptr %534, i64 %537
  %539 = load i64, ptr %457, align 8
  %540 = load i64, ptr %458, align 8
  %541 = load i64, ptr %459, align 8
  %542 = icmp sgt i64 %535, 0
  br i1 %542, label %543, label %563

543:
  %544 = phi i64 [ %561, %553 ], [ 0, %530 ]
  %545 = phi ptr [ %560, %553 ], [ %531, %530 ]
  %546 = getelementptr inbounds nuw i32, ptr %538, i64 %544
  %547 = load i32, ptr %546, align 4
  %548 = sext i32 %547 to i64
  %549 = icmp slt i32 %547, 0
  %550 = select i1 %549, i64 %539, i64 0
  %551 = add i64 %550, %548
  %552 = icmp ult i64 %551, %539
  br i1 %552, label %553, label %1146

553:
  %554 = mul i64 %551, %540
  %555 = add i64 %544, %541
  %556 = add i64 %555, %554
  %557 = shl i64 %556, 1
  %558 = getelementptr inbounds i8, ptr %26, i64 %557
  %559 = load i16, ptr %558, align 1
  store i16 %559, ptr %545, align 1
  %560 = getelementptr inbounds nuw i8, ptr %545, i64 2
  %561 = add nuw nsw i64 %544, 1
  %562 = icmp eq i64 %561, %535
  br i1 %562, label %563, label %543

563:
  %564 = phi ptr [ %531, %530 ], [ %560, %553 ]
  %565 = add nuw nsw i64 %532, 1
  %566 = load i64, ptr %3, align 8
  %567 = add i64 %566, -2
  %568 = icmp sgt i64 %567, -1
  br i1 %568, label %569, label %589

569:
  %570 = load i64, ptr %459, align 8
  br label %571

571:
  %572 = phi i64 [ %570, %569 ], [ %586, %584 ]
  %573 = phi i64 [ %567, %569 ], [ %587, %584 ]
  %574 = getelementptr inbounds nuw i64, ptr %460, i64 %573
  %575 = load i64, ptr %574, align 8
  %576 = add i64 %575, %572
  store i64 %576, ptr %459, align 8
  %577 = getelementptr inbounds nuw i64, ptr %461, i64 %573
  %578 = load i64, ptr %577, align 8
  %579 = add i64 %578, 1
  store i64 %579, ptr %577, align 8
  %580 = load ptr, ptr %462, align 8
  %581 = getelementptr inbounds nuw i64, ptr %580, i64 %573
  %582 = load i64, ptr %581, align 8
  %583 = icmp slt i64 %579, %582
  br i1 %583, label %589, label %584

584:
  %585 = mul i64 %582, %575
  %586 = sub i64 %576, %585
  store i64 %586, ptr %459, align 8
  store i64 0, ptr %577, align 8
  %587 = add nsw i64 %573, -1
  %588 = icmp sgt i64 %573, 0
  br i1 %588, label %571, label %589

589:
  %590 = load i64, ptr %35, align 8
  %591 = icmp slt i64 %565, %590
  br i1 %591, label %530, label %1146

592:
  br i1 %31, label %593, label %730

593:
  br i1 %34, label %603, label %594

594:
  br i1 %37, label %1146, label %595

595:
  %596 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %597 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %598 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %599 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %600 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %601 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %602 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %669

603:
  br i1 %37, label %1146, label %604

604:
  %605 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %606 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %607 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %608 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %609 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %610 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %611

611:
  %612 = phi ptr [ %28, %604 ], [ %641, %666 ]
  %613 = phi i64 [ 0, %604 ], [ %642, %666 ]
  %614 = load i64, ptr %6, align 8
  %615 = inttoptr i64 %614 to ptr
  %616 = load i64, ptr %605, align 8
  %617 = shl i64 %613, 3
  %618 = mul i64 %617, %616
  %619 = getelementptr inbounds i8, ptr %615, i64 %618
  %620 = load i64, ptr %606, align 8
  %621 = load i64, ptr %607, align 8
  %622 = icmp sgt i64 %616, 0
  br i1 %622, label %623, label %640

623:
  %624 = phi i64 [ %638, %632 ], [ 0, %611 ]
  %625 = phi ptr [ %637, %632 ], [ %612, %611 ]
  %626 = getelementptr inbounds nuw i64, ptr %619, i64 %624
  %627 = load i64, ptr %626, align 8
  %628 = icmp slt i64 %627, 0
  %629 = select i1 %628, i64 %620, i64 0
  %630 = add i64 %629, %627
  %631 = icmp ult i64 %630, %620
  br i1 %631, label %632, label %1146

632:
  %633 = add i64 %630, %621
  %634 = shl i64 %633, 2
  %635 = getelementptr inbounds i8, ptr %26, i64 %634
  %636 = load i32, ptr %635, align 1
  store i32 %636, ptr %625, align 1
  %637 = getelementptr inbounds nuw i8, ptr %625, i64 4
  %638 = add nuw nsw i64 %624, 1
  %639 = icmp eq i64 %638, %616
  br i1 %639, label %640, label %623

640:
  %641 = phi ptr [ %612, %611 ], [ %637, %632 ]
  %642 = add nuw nsw i64 %613, 1
  %643 = load i64, ptr %3, align 8
  %644 = add i64 %643, -2
  %645 = icmp sgt i64 %644, -1
  br i1 %645, label %646, label %666

646:
  %647 = load i64, ptr %607, align 8
  br label %648

648:
  %649 = phi i64 [ %647, %646 ], [ %663, %661 ]
  %650 = phi i64 [ %644, %646 ], [ %664, %661 ]
  %651 = getelementptr inbounds nuw i64, ptr %608, i64 %650
  %652 = load i64, ptr %651, align 8
  %653 = add i64 %652, %649
  store i64 %653, ptr %607, align 8
  %654 = getelementptr inbounds nuw i64, ptr %609, i64 %650
  %655 = load i64, ptr %654, align 8
  %656 = add i64 %655, 1
  store i64 %656, ptr %654, align 8
  %657 = load ptr, ptr %610, align 8
  %658 = getelementptr inbounds nuw i64, ptr %657, i64 %650
  %659 = load i64, ptr %658, align 8
  %660 = icmp slt i64 %656, %659
  br i1 %660, label %666, label %661

661:
  %662 = mul i64 %659, %652
  %663 = sub i64 %653, %662
  store i64 %663, ptr %607, align 8
  store i64 0, ptr %654, align 8
  %664 = add nsw i64 %650, -1
  %665 = icmp sgt i64 %650, 0
  br i1 %665, label %648, label %666

666:
  %667 = load i64, ptr %35, align 8
  %668 = icmp slt i64 %642, %667
  br i1 %668, label %611, label %1146

669:
  %670 = phi ptr [ %28, %595 ], [ %702, %727 ]
  %671 = phi i64 [ 0, %595 ], [ %703, %727 ]
  %672 = load i64, ptr %6, align 8
  %673 = inttoptr i64 %672 to ptr
  %674 = load i64, ptr %596, align 8
  %675 = shl i64 %671, 3
  %676 = mul i64 %675, %674
  %677 = getelementptr inbounds i8, ptr %673, i64 %676
  %678 = load i64, ptr %597, align 8
  %679 = load i64, ptr %598, align 8
  %680 = load i64, ptr %599, align 8
  %681 = icmp sgt i64 %674, 0
  br i1 %681, label %682, label %701

682:
  %683 = phi i64 [ %699, %691 ], [ 0, %669 ]
  %684 = phi ptr [ %698, %691 ], [ %670, %669 ]
  %685 = getelementptr inbounds nuw i64, ptr %677, i64 %683
  %686 = load i64, ptr %685, align 8
  %687 = icmp slt i64 %686, 0
  %688 = select i1 %687, i64 %678, i64 0
  %689 = add i64 %688, %686
  %690 = icmp ult i64 %689, %678
  br i1 %690, label %691, label %1146

691:
  %692 = mul i64 %689, %679
  %693 = add i64 %683, %680
  %694 = add i64 %693, %692
  %695 = shl i64 %694, 2
  %696 = getelementptr inbounds i8, ptr %26, i64 %695
  %697 = load i32, ptr %696, align 1
  store i32 %697, ptr %684, align 1
  %698 = getelementptr inbounds nuw i8, ptr %684, i64 4
  %699 = add nuw nsw i64 %683, 1
  %700 = icmp eq i64 %699, %674
  br i1 %700, label %701, label %682

701:
  %702 = phi ptr [ %670, %669 ], [ %698, %691 ]
  %703 = add nuw nsw i64 %671, 1
  %704 = load i64, ptr %3, align 8
  %705 = add i64 %704, -2
  %706 = icmp sgt i64 %705, -1
  br i1 %706, label %707, label %727

707:
  %708 = load i64, ptr %599, align 8
  br label %709

709:
  %710 = phi i64 [ %708, %707 ], [ %724, %722 ]
  %711 = phi i64 [ %705, %707 ], [ %725, %722 ]
  %712 = getelementptr inbounds nuw i64, ptr %600, i64 %711
  %713 = load i64, ptr %712, align 8
  %714 = add i64 %713, %710
  store i64 %714, ptr %599, align 8
  %715 = getelementptr inbounds nuw i64, ptr %601, i64 %711
  %716 = load i64, ptr %715, align 8
  %717 = add i64 %716, 1
  store i64 %717, ptr %715, align 8
  %718 = load ptr, ptr %602, align 8
  %719 = getelementptr inbounds nuw i64, ptr %718, i64 %711
  %720 = load i64, ptr %719, align 8
  %721 = icmp slt i64 %717, %720
  br i1 %721, label %727, label %722

722:
  %723 = mul i64 %720, %713
  %724 = sub i64 %714, %723
  store i64 %724, ptr %599, align 8
  store i64 0, ptr %715, align 8
  %725 = add nsw i64 %711, -1
  %726 = icmp sgt i64 %711, 0
  br i1 %726, label %709, label %727

727:
  %728 = load i64, ptr %35, align 8
  %729 = icmp slt i64 %703, %728
  br i1 %729, label %669, label %1146

730:
  br i1 %34, label %740, label %731

731:
  br i1 %37, label %1146, label %732

732:
  %733 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %734 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %735 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %736 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %737 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %738 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %739 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %807

740:
  br i1 %37, label %1146, label %741

741:
  %742 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %743 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %744 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %745 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %746 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %747 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %748

748:
  %749 = phi ptr [ %28, %741 ], [ %779, %804 ]
  %750 = phi i64 [ 0, %741 ], [ %780, %804 ]
  %751 = load i64, ptr %6, align 8
  %752 = inttoptr i64 %751 to ptr
  %753 = load i64, ptr %742, align 8
  %754 = shl i64 %750, 2
  %755 = mul i64 %754, %753
  %756 = getelementptr inbounds i8, ptr %752, i64 %755
  %757 = load i64, ptr %743, align 8
  %758 = load i64, ptr %744, align 8
  %759 = icmp sgt i64 %753, 0
  br i1 %759, label %760, label %778

760:
  %761 = phi i64 [ %776, %770 ], [ 0, %748 ]
  %762 = phi ptr [ %775, %770 ], [ %749, %748 ]
  %763 = getelementptr inbounds nuw i32, ptr %756, i64 %761
  %764 = load i32, ptr %763, align 4
  %765 = sext i32 %764 to i64
  %766 = icmp slt i32 %764, 0
  %767 = select i1 %766, i64 %757, i64 0
  %768 = add i64 %767, %765
  %769 = icmp ult i64 %768, %757
  br i1 %769, label %770, label %1146

770:
  %771 = add i64 %768, %758
  %772 = shl i64 %771, 2
  %773 = getelementptr inbounds i8, ptr %26, i64 %772
  %774 = load i32, ptr %773, align 1
  store i32 %774, ptr %762, align 1
  %775 = getelementptr inbounds nuw i8, ptr %762, i64 4
  %776 = add nuw nsw i64 %761, 1
  %777 = icmp eq i64 %776, %753
  br i1 %777, label %778, label %760

778:
  %779 = phi ptr [ %749, %748 ], [ %775, %770 ]
  %780 = add nuw nsw i64 %750, 1
  %781 = load i64, ptr %3, align 8
  %782 = add i64 %781, -2
  %783 = icmp sgt i64 %782, -1
  br i1 %783, label %784, label %804

784:
  %785 = load i64, ptr %744, align 8
  br label %786

786:
  %787 = phi i64 [ %785, %784 ], [ %801, %799 ]
  %788 = phi i64 [ %782, %784 ], [ %802, %799 ]
  %789 = getelementptr inbounds nuw i64, ptr %745, i64 %788
  %790 = load i64, ptr %789, align 8
  %791 = add i64 %790, %787
  store i64 %791, ptr %744, align 8
  %792 = getelementptr inbounds nuw i64, ptr %746, i64 %788
  %793 = load i64, ptr %792, align 8
  %794 = add i64 %793, 1
  store i64 %794, ptr %792, align 8
  %795 = load ptr, ptr %747, align 8
  %796 = getelementptr inbounds nuw i64, ptr %795, i64 %788
  %797 = load i64, ptr %796, align 8
  %798 = icmp slt i64 %794, %797
  br i1 %798, label %804, label %799

799:
  %800 = mul i64 %797, %790
  %801 = sub i64 %791, %800
  store i64 %801, ptr %744, align 8
  store i64 0, ptr %792, align 8
  %802 = add nsw i64 %788, -1
  %803 = icmp sgt i64 %788, 0
  br i1 %803, label %786, label %804

804:
  %805 = load i64, ptr %35, align 8
  %806 = icmp slt i64 %780, %805
  br i1 %806, label %748, label %1146

807:
  %808 = phi ptr [ %28, %732 ], [ %841, %866 ]
  %809 = phi i64 [ 0, %732 ], [ %842, %866 ]
  %810 = load i64, ptr %6, align 8
  %811 = inttoptr i64 %810 to ptr
  %812 = load i64, ptr %733, align 8
  %813 = shl i64 %809, 2
  %814 = mul i64 %813, %812
  %815 = getelementptr inbounds i8, ptr %811, i64 %814
  %816 = load i64, ptr %734, align 8
  %817 = load i64, ptr %735, align 8
  %818 = load i64, ptr %736, align 8
  %819 = icmp sgt i64 %812, 0
  br i1 %819, label %820, label %840

820:
  %821 = phi i64 [ %838, %830 ], [ 0, %807 ]
  %822 = phi ptr [ %837, %830 ], [ %808, %807 ]
  %823 = getelementptr inbounds nuw i32, ptr %815, i64 %821
  %824 = load i32, ptr %823, align 4
  %825 = sext i32 %824 to i64
  %826 = icmp slt i32 %824, 0
  %827 = select i1 %826, i64 %816, i64 0
  %828 = add i64 %827, %825
  %829 = icmp ult i64 %828, %816
  br i1 %829, label %830, label %1146

830:
  %831 = mul i64 %828, %817
  %832 = add i64 %821, %818
  %833 = add i64 %832, %831
  %834 = shl i64 %833, 2
  %835 = getelementptr inbounds i8, ptr %26, i64 %834
  %836 = load i32, ptr %835, align 1
  store i32 %836, ptr %822, align 1
  %837 = getelementptr inbounds nuw i8, ptr %822, i64 4
  %838 = add nuw nsw i64 %821, 1
  %839 = icmp eq i64 %838, %812
  br i1 %839, label %840, label %820

840:
  %841 = phi ptr [ %808, %807 ], [ %837, %830 ]
  %842 = add nuw nsw i64 %809, 1
  %843 = load i64, ptr %3, align 8
  %844 = add i64 %843, -2
  %845 = icmp sgt i64 %844, -1
  br i1 %845, label %846, label %866

846:
  %847 = load i64, ptr %736, align 8
  br label %848

848:
  %849 = phi i64 [ %847, %846 ], [ %863, %861 ]
  %850 = phi i64 [ %844, %846 ], [ %864, %861 ]
  %851 = getelementptr inbounds nuw i64, ptr %737, i64 %850
  %852 = load i64, ptr %851, align 8
  %853 = add i64 %852, %849
  store i64 %853, ptr %736, align 8
  %854 = getelementptr inbounds nuw i64, ptr %738, i64 %850
  %855 = load i64, ptr %854, align 8
  %856 = add i64 %855, 1
  store i64 %856, ptr %854, align 8
  %857 = load ptr, ptr %739, align 8
  %858 = getelementptr inbounds nuw i64, ptr %857, i64 %850
  %859 = load i64, ptr %858, align 8
  %860 = icmp slt i64 %856, %859
  br i1 %860, label %866, label %861

861:
  %862 = mul i64 %859, %852
  %863 = sub i64 %853, %862
  store i64 %863, ptr %736, align 8
  store i64 0, ptr %854, align 8
  %864 = add nsw i64 %850, -1
  %865 = icmp sgt i64 %850, 0
  br i1 %865, label %848, label %866

866:
  %867 = load i64, ptr %35, align 8
  %868 = icmp slt i64 %842, %867
  br i1 %868, label %807, label %1146

869:
  br i1 %31, label %870, label %1007

870:
  br i1 %34, label %880, label %871

871:
  br i1 %37, label %1146, label %872

872:
  %873 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %874 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %875 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %876 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %877 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %878 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %879 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %946

880:
  br i1 %37, label %1146, label %881

881:
  %882 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %883 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %884 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %885 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %886 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %887 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %888

888:
  %889 = phi ptr [ %28, %881 ], [ %918, %943 ]
  %890 = phi i64 [ 0, %881 ], [ %919, %943 ]
  %891 = load i64, ptr %6, align 8
  %892 = inttoptr i64 %891 to ptr
  %893 = load i64, ptr %882, align 8
  %894 = shl i64 %890, 3
  %895 = mul i64 %894, %893
  %896 = getelementptr inbounds i8, ptr %892, i64 %895
  %897 = load i64, ptr %883, align 8
  %898 = load i64, ptr %884, align 8
  %899 = icmp sgt i64 %893, 0
  br i1 %899, label %900, label %917

900:
  %901 = phi i64 [ %915, %909 ], [ 0, %888 ]
  %902 = phi ptr [ %914, %909 ], [ %889, %888 ]
  %903 = getelementptr inbounds nuw i64, ptr %896, i64 %901
  %904 = load i64, ptr %903, align 8
  %905 = icmp slt i64 %904, 0
  %906 = select i1 %905, i64 %897, i64 0
  %907 = add i64 %906, %904
  %908 = icmp ult i64 %907, %897
  br i1 %908, label %909, label %1146

909:
  %910 = add i64 %907, %898
  %911 = shl i64 %910, 3
  %912 = getelementptr inbounds i8, ptr %26, i64 %911
  %913 = load i64, ptr %912, align 1
  store i64 %913, ptr %902, align 1
  %914 = getelementptr inbounds nuw i8, ptr %902, i64 8
  %915 = add nuw nsw i64 %901, 1
  %916 = icmp eq i64 %915, %893
  br i1 %916, label %917, label %900

917:
  %918 = phi ptr [ %889, %888 ], [ %914, %909 ]
  %919 = add nuw nsw i64 %890, 1
  %920 = load i64, ptr %3, align 8
  %921 = add i64 %920, -2
  %922 = icmp sgt i64 %921, -1
  br i1 %922, label %923, label %943

923:
  %924 = load i64, ptr %884, align 8
  br label %925

925:
  %926 = phi i64 [ %924, %923 ], [ %940, %938 ]
  %927 = phi i64 [ %921, %923 ], [ %941, %938 ]
  %928 = getelementptr inbounds nuw i64, ptr %885, i64 %927
  %929 = load i64, ptr %928, align 8
  %930 = add i64 %929, %926
  store i64 %930, ptr %884, align 8
  %931 = getelementptr inbounds nuw i64, ptr %886, i64 %927
  %932 = load i64, ptr %931, align 8
  %933 = add i64 %932, 1
  store i64 %933, ptr %931, align 8
  %934 = load ptr, ptr %887, align 8
  %935 = getelementptr inbounds nuw i64, ptr %934, i64 %927
  %936 = load i64, ptr %935, align 8
  %937 = icmp slt i64 %933, %936
  br i1 %937, label %943, label %938

938:
  %939 = mul i64 %936, %929
  %940 = sub i64 %930, %939
  store i64 %940, ptr %884, align 8
  store i64 0, ptr %931, align 8
  %941 = add nsw i64 %927, -1
  %942 = icmp sgt i64 %927, 0
  br i1 %942, label %925, label %943

943:
  %944 = load i64, ptr %35, align 8
  %945 = icmp slt i64 %919, %944
  br i1 %945, label %888, label %1146

946:
  %947 = phi ptr [ %28, %872 ], [ %979, %1004 ]
  %948 = phi i64 [ 0, %872 ], [ %980, %1004 ]
  %949 = load i64, ptr %6, align 8
  %950 = inttoptr i64 %949 to ptr
  %951 = load i64, ptr %873, align 8
  %952 = shl i64 %948, 3
  %953 = mul i64 %952, %951
  %954 = getelementptr inbounds i8, ptr %950, i64 %953
  %955 = load i64, ptr %874, align 8
  %956 = load i64, ptr %875, align 8
  %957 = load i64, ptr %876, align 8
  %958 = icmp sgt i64 %951, 0
  br i1 %958, label %959, label %978

959:
  %960 = phi i64 [ %976, %968 ], [ 0, %946 ]
  %961 = phi ptr [ %975, %968 ], [ %947, %946 ]
  %962 = getelementptr inbounds nuw i64, ptr %954, i64 %960
  %963 = load i64, ptr %962, align 8
  %964 = icmp slt i64 %963, 0
  %965 = select i1 %964, i64 %955, i64 0
  %966 = add i64 %965, %963
  %967 = icmp ult i64 %966, %955
  br i1 %967, label %968, label %1146

968:
  %969 = mul i64 %966, %956
  %970 = add i64 %960, %957
  %971 = add i64 %970, %969
  %972 = shl i64 %971, 3
  %973 = getelementptr inbounds i8, ptr %26, i64 %972
  %974 = load i64, ptr %973, align 1
  store i64 %974, ptr %961, align 1
  %975 = getelementptr inbounds nuw i8, ptr %961, i64 8
  %976 = add nuw nsw i64 %960, 1
  %977 = icmp eq i64 %976, %951
  br i1 %977, label %978, label %959

978:
  %979 = phi ptr [ %947, %946 ], [ %975, %968 ]
  %980 = add nuw nsw i64 %948, 1
  %981 = load i64, ptr %3, align 8
  %982 = add i64 %981, -2
  %983 = icmp sgt i64 %982, -1
  br i1 %983, label %984, label %1004

984:
  %985 = load i64, ptr %876, align 8
  br label %986

986:
  %987 = phi i64 [ %985, %984 ], [ %1001, %999 ]
  %988 = phi i64 [ %982, %984 ], [ %1002, %999 ]
  %989 = getelementptr inbounds nuw i64, ptr %877, i64 %988
  %990 = load i64, ptr %989, align 8
  %991 = add i64 %990, %987
  store i64 %991, ptr %876, align 8
  %992 = getelementptr inbounds nuw i64, ptr %878, i64 %988
  %993 = load i64, ptr %992, align 8
  %994 = add i64 %993, 1
  store i64 %994, ptr %992, align 8
  %995 = load ptr, ptr %879, align 8
  %996 = getelementptr inbounds nuw i64, ptr %995, i64 %988
  %997 = load i64, ptr %996, align 8
  %998 = icmp slt i64 %994, %997
  br i1 %998, label %1004, label %999

999:
  %1000 = mul i64 %997, %990
  %1001 = sub i64 %991, %1000
  store i64 %1001, ptr %876, align 8
  store i64 0, ptr %992, align 8
  %1002 = add nsw i64 %988, -1
  %1003 = icmp sgt i64 %988, 0
  br i1 %1003, label %986, label %1004

1004:
  %1005 = load i64, ptr %35, align 8
  %1006 = icmp slt i64 %980, %1005
  br i1 %1006, label %946, label %1146

1007:
  br i1 %34, label %1017, label %1008

1008:
  br i1 %37, label %1146, label %1009

1009:
  %1010 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %1011 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %1012 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %1013 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %1014 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %1015 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %1016 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %1084

1017:
  br i1 %37, label %1146, label %1018

1018:
  %1019 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %1020 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %1021 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %1022 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %1023 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %1024 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %1025

1025:
  %1026 = phi ptr [ %28, %1018 ], [ %1056, %1081 ]
  %1027 = phi i64 [ 0, %1018 ], [ %1057, %1081 ]
  %1028 = load i64, ptr %6, align 8
  %1029 = inttoptr i64 %1028 to ptr
  %1030 = load i64, ptr %1019, align 8
  %1031 = shl i64 %1027, 2
  %1032 = mul i64 %1031, %1030
  %1033 = getelementptr inbounds i8, ptr %1029, i64 %1032
  %1034 = load i64, ptr %1020, align 8
  %1035 = load i64, ptr %1021, align 8
  %1036 = icmp sgt i64 %1030, 0
  br i1 %1036, label %1037, label %1055

1037:
  %1038 = phi i64 [ %1053, %1047 ], [ 0, %1025 ]
  %1039 = phi ptr [ %1052, %1047 ], [ %1026, %1025 ]
  %1040 = getelementptr inbounds nuw i32, ptr %1033, i64 %1038
  %1041 = load i32, ptr %1040, align 4
  %1042 = sext i32 %1041 to i64
  %1043 = icmp slt i32 %1041, 0
  %1044 = select i1 %1043, i64 %1034, i64 0
  %1045 = add i64 %1044, %1042
  %1046 = icmp ult i64 %1045, %1034
  br i1 %1046, label %1047, label %1146

1047:
  %1048 = add i64 %1045, %1035
  %1049 = shl i64 %1048, 3
  %1050 = getelementptr inbounds i8, ptr %26, i64 %1049
  %1051 = load i64, ptr %1050, align 1
  store i64 %1051, ptr %1039, align 1
  %1052 = getelementptr inbounds nuw i8, ptr %1039, i64 8
  %1053 = add nuw nsw i64 %1038, 1
  %1054 = icmp eq i64 %1053, %1030
  br i1 %1054, label %1055, label %1037

1055:
  %1056 = phi ptr [ %1026, %1025 ], [ %1052, %1047 ]
  %1057 = add nuw nsw i64 %1027, 1
  %1058 = load i64, ptr %3, align 8
  %1059 = add i64 %1058, -2
  %1060 = icmp sgt i64 %1059, -1
  br i1 %1060, label %1061, label %1081

1061:
  %1062 = load i64, ptr %1021, align 8
  br label %1063

1063:
  %1064 = phi i64 [ %1062, %1061 ], [ %1078, %1076 ]
  %1065 = phi i64 [ %1059, %1061 ], [ %1079, %1076 ]
  %1066 = getelementptr inbounds nuw i64, ptr %1022, i64 %1065
  %1067 = load i64, ptr %1066, align 8
  %1068 = add i64 %1067, %1064
  store i64 %1068, ptr %1021, align 8
  %1069 = getelementptr inbounds nuw i64, ptr %1023, i64 %1065
  %1070 = load i64, ptr %1069, align 8
  %1071 = add i64 %1070, 1
  store i64 %1071, ptr %1069, align 8
  %1072 = load ptr, ptr %1024, align 8
  %1073 = getelementptr inbounds nuw i64, ptr %1072, i64 %1065
  %1074 = load i64, ptr %1073, align 8
  %1075 = icmp slt i64 %1071, %1074
  br i1 %1075, label %1081, label %1076

1076:
  %1077 = mul i64 %1074, %1067
  %1078 = sub i64 %1068, %1077
  store i64 %1078, ptr %1021, align 8
  store i64 0, ptr %1069, align 8
  %1079 = add nsw i64 %1065, -1
  %1080 = icmp sgt i64 %1065, 0
  br i1 %1080, label %1063, label %1081

1081:
  %1082 = load i64, ptr %35, align 8
  %1083 = icmp slt i64 %1057, %1082
  br i1 %1083, label %1025, label %1146

1084:
  %1085 = phi ptr [ %28, %1009 ], [ %1118, %1143 ]
  %1086 = phi i64 [ 0, %1009 ], [ %1119, %1143 ]
  %1087 = load i64, ptr %6, align 8
  %1088 = inttoptr i64 %1087 to ptr
  %1089 = load i64, ptr %1010, align 8
  %1090 = shl i64 %1086, 2
  %1091 = mul i64 %1090, %1089
  %1092 = getelementptr inbounds i8, ptr %1088, i64 %1091
  %1093 = load i64, ptr %1011, align 8
  %1094 = load i64, ptr %1012, align 8
  %1095 = load i64, ptr %1013, align 8
  %1096 = icmp sgt i64 %1089, 0
  br i1 %1096, label %1097, label %1117

1097:
  %1098 = phi i64 [ %1115, %1107 ], [ 0, %1084 ]
  %1099 = phi ptr [ %1114, %1107 ], [ %1085, %1084 ]
  %1100 = getelementptr inbounds nuw i32, ptr %1092, i64 %1098
  %1101 = load i32, ptr %1100, align 4
  %1102 = sext i32 %1101 to i64
  %1103 = icmp slt i32 %1101, 0
  %1104 = select i1 %1103, i64 %1093, i64 0
  %1105 = add i64 %1104, %1102
  %1106 = icmp ult i64 %1105, %1093
  br i1 %1106, label %1107, label %1146

1107:
  %1108 = mul i64 %1105, %1094
  %1109 = add i64 %1098, %1095
  %1110 = add i64 %1109, %1108
  %1111 = shl i64 %1110, 3
  %1112 = getelementptr inbounds i8, ptr %26, i64 %1111
  %1113 = load i64, ptr %1112, align 1
  store i64 %1113, ptr %1099, align 1
  %1114 = getelementptr inbounds nuw i8, ptr %1099, i64 8
  %1115 = add nuw nsw i64 %1098, 1
  %1116 = icmp eq i64 %1115, %1089
  br i1 %1116, label %1117, label %1097

1117:
  %1118 = phi ptr [ %1085, %1084 ], [ %1114, %1107 ]
  %1119 = add nuw nsw i64 %1086, 1
  %1120 = load i64, ptr %3, align 8
  %1121 = add i64 %1120, -2
  %1122 = icmp sgt i64 %1121, -1
  br i1 %1122, label %1123, label %1143

1123:
  %1124 = load i64, ptr %1013, align 8
  br label %1125

1125:
  %1126 = phi i64 [ %1124, %1123 ], [ %1140, %1138 ]
  %1127 = phi i64 [ %1121, %1123 ], [ %1141, %1138 ]
  %1128 = getelementptr inbounds nuw i64, ptr %1014, i64 %1127
  %1129 = load i64, ptr %1128, align 8
  %1130 = add i64 %1129, %1126
  store i64 %1130, ptr %1013, align 8
  %1131 = getelementptr inbounds nuw i64, ptr %1015, i64 %1127
  %1132 = load i64, ptr %1131, align 8
  %1133 = add i64 %1132, 1
  store i64 %1133, ptr %1131, align 8
  %1134 = load ptr, ptr %1016, align 8
  %1135 = getelementptr inbounds nuw i64, ptr %1134, i64 %1127
  %1136 = load i64, ptr %1135, align 8
  %1137 = icmp slt i64 %1133, %1136
  br i1 %1137, label %1143, label %1138

1138:
  %1139 = mul i64 %1136, %1129
  %1140 = sub i64 %1130, %1139
  store i64 %1140, ptr %1013, align 8
  store i64 0, ptr %1131, align 8
  %1141 = add nsw i64 %1127, -1
  %1142 = icmp sgt i64 %1127, 0
  br i1 %1142, label %1125, label %1143

1143:
  %1144 = load i64, ptr %35, align 8
  %1145 = icmp slt i64 %1119, %1144
  br i1 %1145, label %1084, label %1146

1146:
  %1147 = phi i1 [ true, %173 ], [ true, %450 ], [ false, %2 ], [ true, %1004 ], [ false, %20 ], [ false, %14 ], [ false, %820 ], [ false, %682 ], [ true, %943 ], [ true, %1143 ], [ true, %1081 ], [ true, %112 ], [ true, %312 ], [ true, %250 ], [ true, %389 ], [ false, %543 ], [ true, %527 ], [ false, %623 ], [ true, %804 ], [ false, %900 ], [ false, %959 ], [ false, %1037 ], [ false, %1097 ], [ false, %71 ], [ false, %130 ], [ false, %208 ], [ false, %268 ], [ false, %346 ], [ false, %405 ], [ false, %483 ], [ false, %760 ], [ true, %589 ], [ true, %666 ], [ true, %727 ], [ true, %880 ], [ true, %871 ], [ true, %1017 ], [ true, %1008 ], [ true, %49 ], [ true, %40 ], [ true, %186 ], [ true, %177 ], [ true, %326 ], [ true, %317 ], [ true, %463 ], [ true, %454 ], [ true, %603 ], [ true, %594 ], [ true, %740 ], [ true, %731 ], [ true, %866 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %1147
}

define internal fastcc zeroext i1 @lines_of(ptr noundef nonnull writeonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef %2, i64 noundef %3) #0 {
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %6 = load i64, ptr %5, align 8
  %7 = icmp slt i64 %3, 0
  %8 = select i1 %7, i64 %6, i64 0
  %9 = add i64 %8, %3
  %10 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %11 = load i64, ptr %10, align 8
  %12 = add i64 %11, -1
  %13 = icmp ult i64 %12, 2
  %14 = icmp sgt i64 %6, 0
  %15 = select i1 %13, i1 %14, i1 false
  br i1 %15, label %16, label %98

16:
  %17 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %18, %6
  %20 = icmp sgt i64 %9, -1
  %21 = select i1 %19, i1 %20, i1 false
  %22 = icmp slt i64 %9, %6
  %23 = select i1 %21, i1 %22, i1 false
  br i1 %23, label %24, label %98

24:
  %25 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %26 = add nsw i64 %6, -1
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %36, label %28

28:
  %29 = phi i64 [ %34, %28 ], [ 0, %24 ]
  %30 = phi i64 [ %33, %28 ], [ 1, %24 ]
  %31 = getelementptr inbounds nuw i64, ptr %25, i64 %29
  %32 = load i64, ptr %31, align 8
  %33 = mul i64 %32, %30
  %34 = add nuw nsw i64 %29, 1
  %35 = icmp eq i64 %34, %26
  br i1 %35, label %36, label %28

36:
  %37 = phi i64 [ 1, %24 ], [ %33, %28 ]
  %38 = getelementptr inbounds nuw i64, ptr %25, i64 %26
  %39 = load i64, ptr %38, align 8
  %40 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %41 = getelementptr inbounds nuw i64, ptr %40, i64 %9
  %42 = load i64, ptr %41, align 8
  store i64 %6, ptr %0, align 8
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store i64 %37, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 %39, ptr %44, align 8
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 0, ptr %45, align 8
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i64 %42, ptr %46, align 8
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 40
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(144) %47, i8 0, i64 144, i1 false)
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 184
  store ptr %25, ptr %48, align 8
  %49 = add nuw nsw i64 %9, 1
  %50 = icmp samesign ult i64 %49, %6
  br i1 %50, label %51, label %59

51:
  %52 = phi i64 [ %57, %51 ], [ %49, %36 ]
  %53 = phi i64 [ %56, %51 ], [ 1, %36 ]
  %54 = getelementptr inbounds nuw i64, ptr %40, i64 %52
  %55 = load i64, ptr %54, align 8
  %56 = mul i64 %55, %53
  %57 = add nuw nsw i64 %52, 1
  %58 = icmp eq i64 %57, %6
  br i1 %58, label %59, label %51

59:
  %60 = phi i64 [ 1, %36 ], [ %56, %51 ]
  store i64 %60, ptr %47, align 8
  %61 = icmp eq i64 %9, %26
  %62 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %63 = zext i1 %61 to i8
  store i8 %63, ptr %62, align 8
  %64 = getelementptr inbounds nuw i8, ptr %0, i64 120
  %65 = getelementptr inbounds nuw i64, ptr %64, i64 %9
  br label %66

66:
  %67 = phi i64 [ 0, %59 ], [ %91, %90 ]
  %68 = icmp eq i64 %67, %9
  br i1 %68, label %80, label %69

69:
  %70 = add nuw nsw i64 %67, 1
  %71 = icmp slt i64 %70, %6
  br i1 %71, label %72, label %82

72:
  %73 = phi i64 [ %78, %72 ], [ %70, %69 ]
  %74 = phi i64 [ %77, %72 ], [ 1, %69 ]
  %75 = getelementptr inbounds nuw i64, ptr %40, i64 %73
  %76 = load i64, ptr %75, align 8
  %77 = mul i64 %76, %74
  %78 = add nuw nsw i64 %73, 1
  %79 = icmp eq i64 %78, %6
  br i1 %79, label %82, label %72

80:
  store i64 0, ptr %65, align 8
  %81 = add nuw nsw i64 %67, 1
  br label %90

82:
  %83 = phi i64 [ 1, %69 ], [ %77, %72 ]
  %84 = getelementptr inbounds nuw i64, ptr %64, i64 %67
  store i64 %83, ptr %84, align 8
  %85 = getelementptr inbounds nuw i64, ptr %25, i64 %67
  %86 = load i64, ptr %85, align 8
  %87 = getelementptr inbounds nuw i64, ptr %40, i64 %67
  %88 = load i64, ptr %87, align 8
  %89 = icmp sgt i64 %86, %88
  br i1 %89, label %98, label %90

90:
  %91 = phi i64 [ %81, %80 ], [ %70, %82 ]
  %92 = icmp eq i64 %91, %6
  br i1 %92, label %93, label %66

93:
  %94 = mul i64 %39, %37
  %95 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %96 = load i64, ptr %95, align 8
  %97 = icmp eq i64 %94, %96
  br label %98

98:
  %99 = phi i1 [ false, %4 ], [ %97, %93 ], [ false, %16 ], [ false, %82 ]
  ret i1 %99
}

define internal noundef zeroext i1 @op_gather_nd(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %9 = load i64, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %9, %11
  br i1 %12, label %13, label %170

13:
  %14 = load i64, ptr %1, align 8
  %15 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %16 = load i64, ptr %15, align 8
  %17 = add i64 %16, -1
  %18 = icmp ult i64 %17, 2
  br i1 %18, label %19, label %170

19:
  %20 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %21 = load i64, ptr %20, align 8
  %22 = icmp sgt i64 %21, 0
  %23 = icmp sgt i64 %14, -1
  %24 = and i1 %23, %22
  %25 = icmp slt i64 %14, %21
  %26 = and i1 %25, %24
  br i1 %26, label %27, label %170

27:
  %28 = getelementptr inbounds nuw i8, ptr %5, i64 40
  %29 = getelementptr i64, ptr %28, i64 %21
  %30 = getelementptr i8, ptr %29, i64 -8
  %31 = load i64, ptr %30, align 8
  %32 = add i64 %31, %14
  %33 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %34 = load i64, ptr %33, align 8
  %35 = icmp sgt i64 %32, %34
  br i1 %35, label %170, label %36

36:
  %37 = icmp eq i64 %14, 0
  br i1 %37, label %50, label %38

38:
  %39 = getelementptr inbounds nuw i8, ptr %3, i64 40
  br label %43

40:
  %41 = add nuw nsw i64 %44, 1
  %42 = icmp eq i64 %41, %14
  br i1 %42, label %50, label %43

43:
  %44 = phi i64 [ 0, %38 ], [ %41, %40 ]
  %45 = getelementptr inbounds nuw i64, ptr %39, i64 %44
  %46 = load i64, ptr %45, align 8
  %47 = getelementptr inbounds nuw i64, ptr %28, i64 %44
  %48 = load i64, ptr %47, align 8
  %49 = icmp eq i64 %46, %48
  br i1 %49, label %40, label %170

50:
  %51 = add nsw i64 %21, -1
  %52 = icmp slt i64 %14, %51
  br i1 %52, label %53, label %61

53:
  %54 = phi i64 [ %59, %53 ], [ %14, %50 ]
  %55 = phi i64 [ %58, %53 ], [ 1, %50 ]
  %56 = getelementptr inbounds nuw i64, ptr %28, i64 %54
  %57 = load i64, ptr %56, align 8
  %58 = mul i64 %57, %55
  %59 = add nuw nsw i64 %54, 1
  %60 = icmp eq i64 %59, %51
  br i1 %60, label %61, label %53

61:
  %62 = phi i64 [ 1, %50 ], [ %58, %53 ]
  br i1 %37, label %73, label %63

63:
  %64 = phi i64 [ %69, %63 ], [ 0, %61 ]
  %65 = phi i64 [ %68, %63 ], [ 1, %61 ]
  %66 = getelementptr inbounds nuw i64, ptr %28, i64 %64
  %67 = load i64, ptr %66, align 8
  %68 = mul i64 %67, %65
  %69 = add nuw nsw i64 %64, 1
  %70 = icmp eq i64 %69, %14
  br i1 %70, label %71, label %63

71:
  %72 = mul i64 %68, %62
  br label %73

73:
  %74 = phi i64 [ %62, %61 ], [ %72, %71 ]
  %75 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %76 = icmp slt i64 %32, %34
  br i1 %76, label %77, label %85

77:
  %78 = phi i64 [ %83, %77 ], [ %32, %73 ]
  %79 = phi i64 [ %82, %77 ], [ 1, %73 ]
  %80 = getelementptr inbounds i64, ptr %75, i64 %78
  %81 = load i64, ptr %80, align 8
  %82 = mul i64 %81, %79
  %83 = add nsw i64 %78, 1
  %84 = icmp eq i64 %83, %34
  br i1 %84, label %85, label %77

85:
  %86 = phi i64 [ 1, %73 ], [ %82, %77 ]
  %87 = mul i64 %74, %31
  %88 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %89 = load i64, ptr %88, align 8
  %90 = icmp eq i64 %87, %89
  br i1 %90, label %91, label %170

91:
  %92 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %93 = load i64, ptr %92, align 8
  %94 = mul i64 %86, %74
  %95 = icmp eq i64 %93, %94
  br i1 %95, label %96, label %170

96:
  %97 = icmp ult i64 %9, 15
  br i1 %97, label %98, label %101

98:
  %99 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %9
  %100 = load i64, ptr %99, align 8
  br label %101

101:
  %102 = phi i64 [ %100, %98 ], [ 8, %96 ]
  %103 = mul i64 %102, %86
  %104 = icmp sgt i64 %74, 0
  br i1 %104, label %105, label %170

105:
  %106 = load i64, ptr %7, align 8
  %107 = inttoptr i64 %106 to ptr
  %108 = icmp slt i64 %31, 1
  %109 = getelementptr i64, ptr %75, i64 %14
  %110 = icmp eq i64 %86, 1
  br label %111

111:
  %112 = phi i64 [ 0, %105 ], [ %167, %166 ]
  %113 = phi ptr [ %107, %105 ], [ %168, %166 ]
  br i1 %37, label %116, label %114

114:
  %115 = sdiv i64 %112, %62
  br label %116

116:
  %117 = phi i64 [ %115, %114 ], [ 0, %111 ]
  br i1 %108, label %148, label %118

118:
  %119 = mul i64 %112, %31
  %120 = load i64, ptr %5, align 8
  %121 = inttoptr i64 %120 to ptr
  %122 = load i64, ptr %15, align 8
  %123 = icmp eq i64 %122, 2
  br label %124

124:
  %125 = phi i64 [ 0, %118 ], [ %146, %143 ]
  %126 = phi i64 [ %117, %118 ], [ %145, %143 ]
  %127 = getelementptr i64, ptr %109, i64 %125
  %128 = load i64, ptr %127, align 8
  %129 = add i64 %125, %119
  br i1 %123, label %130, label %133

130:
  %131 = getelementptr inbounds i64, ptr %121, i64 %129
  %132 = load i64, ptr %131, align 8
  br label %137

133:
  %134 = getelementptr inbounds i32, ptr %121, i64 %129
  %135 = load i32, ptr %134, align 4
  %136 = sext i32 %135 to i64
  br label %137

137:
  %138 = phi i64 [ %132, %130 ], [ %136, %133 ]
  %139 = icmp slt i64 %138, 0
  %140 = select i1 %139, i64 %128, i64 0
  %141 = add i64 %140, %138
  %142 = icmp ult i64 %141, %128
  br i1 %142, label %143, label %170

143:
  %144 = mul i64 %128, %126
  %145 = add i64 %141, %144
  %146 = add nuw nsw i64 %125, 1
  %147 = icmp eq i64 %146, %31
  br i1 %147, label %148, label %124

148:
  %149 = phi i64 [ %117, %116 ], [ %145, %143 ]
  %150 = load i64, ptr %3, align 8
  %151 = inttoptr i64 %150 to ptr
  br i1 %110, label %152, label %163

152:
  %153 = mul i64 %149, %102
  %154 = getelementptr inbounds i8, ptr %151, i64 %153
  switch i64 %102, label %161 [
    i64 1, label %155
    i64 2, label %157
    i64 4, label %159
  ]

155:
  %156 = load i8, ptr %154, align 1
  store i8 %156, ptr %113, align 1
  br label %166

157:
  %158 = load i16, ptr %154, align 1
  store i16 %158, ptr %113, align 1
  br label %166

159:
  %160 = load i32, ptr %154, align 1
  store i32 %160, ptr %113, align 1
  br label %166

161:
  %162 = load i64, ptr %154, align 1
  store i64 %162, ptr %113, align 1
  br label %166

163:
  %164 = mul i64 %149, %103
  %165 = getelementptr inbounds i8, ptr %151, i64 %164
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %113, ptr align 1 %165, i64 %103, i1 false)
  br label %166

166:
  %167 = add nuw nsw i64 %112, 1
  %168 = getelementptr inbounds i8, ptr %113, i64 %103
  %169 = icmp eq i64 %167, %74
  br i1 %169, label %170, label %111

170:
  %171 = phi i1 [ true, %101 ], [ false, %91 ], [ false, %85 ], [ false, %2 ], [ false, %137 ], [ false, %13 ], [ false, %19 ], [ false, %27 ], [ true, %166 ], [ false, %43 ]
  ret i1 %171
}

define internal noundef zeroext i1 @sizes_unique(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca ptr, align 8
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %6 = load i64, ptr %5, align 8
  %7 = icmp eq i64 %6, 1
  br label %9

8:
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  br i1 %23, label %26, label %65

9:
  %10 = phi i64 [ 1, %2 ], [ %24, %22 ]
  %11 = phi i1 [ %7, %2 ], [ %23, %22 ]
  br i1 %11, label %12, label %22

12:
  %13 = getelementptr inbounds nuw ptr, ptr %0, i64 %10
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 16
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %16, 2
  br i1 %17, label %18, label %22

18:
  %19 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %20 = load i64, ptr %19, align 8
  %21 = icmp eq i64 %20, 1
  br label %22

22:
  %23 = phi i1 [ false, %12 ], [ false, %9 ], [ %21, %18 ]
  %24 = add nuw nsw i64 %10, 1
  %25 = icmp eq i64 %24, 4
  br i1 %25, label %8, label %9

26:
  %27 = call fastcc ptr @entries_of(ptr noundef %4, ptr noundef %3)
  %28 = icmp eq ptr %27, null
  br i1 %28, label %65, label %29

29:
  %30 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %31 = load i64, ptr %30, align 8
  %32 = icmp sgt i64 %31, 0
  br i1 %32, label %36, label %33

33:
  %34 = phi i64 [ 0, %29 ], [ %49, %47 ]
  %35 = load ptr, ptr %3, align 8
  tail call void @free(ptr noundef %35)
  br label %52

36:
  %37 = phi i64 [ %50, %47 ], [ 0, %29 ]
  %38 = phi i64 [ %49, %47 ], [ 0, %29 ]
  %39 = icmp eq i64 %37, 0
  br i1 %39, label %47, label %40

40:
  %41 = getelementptr inbounds nuw %struct.entry, ptr %27, i64 %37
  %42 = load i64, ptr %41, align 8
  %43 = getelementptr i8, ptr %41, i64 -16
  %44 = load i64, ptr %43, align 8
  %45 = icmp ne i64 %42, %44
  %46 = zext i1 %45 to i64
  br label %47

47:
  %48 = phi i64 [ 1, %36 ], [ %46, %40 ]
  %49 = add i64 %48, %38
  %50 = add nuw nsw i64 %37, 1
  %51 = icmp eq i64 %50, %31
  br i1 %51, label %33, label %36

52:
  %53 = phi i64 [ 1, %33 ], [ %63, %57 ]
  %54 = icmp eq i64 %53, 2
  br i1 %54, label %55, label %57

55:
  %56 = load i64, ptr %30, align 8
  br label %57

57:
  %58 = phi i64 [ %56, %55 ], [ %34, %52 ]
  %59 = getelementptr inbounds nuw ptr, ptr %0, i64 %53
  %60 = load ptr, ptr %59, align 8
  %61 = load i64, ptr %60, align 8
  %62 = inttoptr i64 %61 to ptr
  store i64 %58, ptr %62, align 8
  %63 = add nuw nsw i64 %53, 1
  %64 = icmp eq i64 %63, 4
  br i1 %64, label %65, label %52

65:
  %66 = phi i1 [ false, %26 ], [ false, %8 ], [ true, %57 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %66
}

define internal fastcc ptr @entries_of(ptr noundef readonly captures(none) %0, ptr noundef nonnull writeonly captures(none) initializes((0, 8)) %1) #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %4 = load i64, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %6 = load i64, ptr %5, align 8
  %7 = icmp ult i64 %6, 15
  br i1 %7, label %8, label %11

8:
  %9 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %6
  %10 = load i64, ptr %9, align 8
  br label %11

11:
  %12 = phi i64 [ %10, %8 ], [ 8, %2 ]
  %13 = shl i64 %4, 5
  %14 = or disjoint i64 %13, 1
  %15 = tail call ptr @malloc(i64 noundef %14)
  store ptr %15, ptr %1, align 8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %104, label %17

17:
  %18 = icmp sgt i64 %4, 0
  br i1 %18, label %19, label %22

19:
  %20 = load i64, ptr %0, align 8
  %21 = inttoptr i64 %20 to ptr
  br label %25

22:
  %23 = getelementptr inbounds %struct.entry, ptr %15, i64 %4
  %24 = tail call fastcc ptr @sorted(ptr noundef %15, ptr noundef %23, i64 noundef %4)
  br label %104

25:
  %26 = phi ptr [ %102, %93 ], [ %21, %19 ]
  %27 = phi i64 [ %101, %93 ], [ 0, %19 ]
  %28 = load i64, ptr %5, align 8
  switch i64 %28, label %90 [
    i64 0, label %29
    i64 6, label %38
    i64 12, label %38
    i64 13, label %50
    i64 14, label %50
    i64 5, label %62
    i64 2, label %70
    i64 11, label %72
    i64 1, label %75
    i64 10, label %78
    i64 8, label %81
    i64 9, label %84
    i64 7, label %87
  ]

29:
  %30 = load i32, ptr %26, align 1
  %31 = and i32 %30, 2147483647
  %32 = icmp samesign ugt i32 %31, 2139095040
  %33 = icmp slt i32 %30, 0
  %34 = sub nsw i32 0, %31
  %35 = select i1 %33, i32 %34, i32 %31
  %36 = select i1 %32, i32 2147483647, i32 %35
  %37 = sext i32 %36 to i64
  br label %93

38:
  %39 = load i16, ptr %26, align 1
  %40 = and i16 %39, 32767
  %41 = zext nneg i16 %40 to i32
  %42 = icmp eq i64 %28, 6
  %43 = select i1 %42, i32 31744, i32 32640
  %44 = icmp samesign ult i32 %43, %41
  %45 = icmp slt i16 %39, 0
  %46 = sub nsw i32 0, %41
  %47 = select i1 %45, i32 %46, i32 %41
  %48 = select i1 %44, i32 32767, i32 %47
  %49 = sext i32 %48 to i64
  br label %93

50:
  %51 = load i8, ptr %26, align 1
  %52 = and i8 %51, 127
  %53 = zext nneg i8 %52 to i32
  %54 = icmp eq i64 %28, 13
  %55 = select i1 %54, i32 126, i32 124
  %56 = icmp samesign ult i32 %55, %53
  %57 = icmp slt i8 %51, 0
  %58 = sub nsw i32 0, %53
  %59 = select i1 %57, i32 %58, i32 %53
  %60 = select i1 %56, i32 127, i32 %59
  %61 = sext i32 %60 to i64
  br label %93

62:
  %63 = load i64, ptr %26, align 1
  %64 = and i64 %63, 9223372036854775807
  %65 = icmp samesign ugt i64 %64, 9218868437227405312
  %66 = icmp slt i64 %63, 0
  %67 = sub nsw i64 0, %64
  %68 = select i1 %66, i64 %67, i64 %64
  %69 = select i1 %65, i64 9223372036854775807, i64 %68
  br label %93

70:
  %71 = load i64, ptr %26, align 8
  br label %93

72:
  %73 = load i64, ptr %26, align 8
  %74 = xor i64 %73, -9223372036854775808
  br label %93

75:
  %76 = load i32, ptr %26, align 4
  %77 = sext i32 %76 to i64
  br label %93

78:
  %79 = load i32, ptr %26, align 4
  %80 = zext i32 %79 to i64
  br label %93

81:
  %82 = load i16, ptr %26, align 2
  %83 = sext i16 %82 to i64
  br label %93

84:
  %85 = load i16, ptr %26, align 2
  %86 = zext i16 %85 to i64
  br label %93

87:
  %88 = load i8, ptr %26, align 1
  %89 = sext i8 %88 to i64
  br label %93

90:
  %91 = load i8, ptr %26, align 1
  %92 = zext i8 %91 to i64
  br label %93

93:
  %94 = phi i64 [ %92, %90 ], [ %37, %29 ], [ %49, %38 ], [ %61, %50 ], [ %69, %62 ], [ %71, %70 ], [ %74, %72 ], [ %77, %75 ], [ %80, %78 ], [ %83, %81 ], [ %86, %84 ], [ %89, %87 ]
  %95 = getelementptr inbounds nuw %struct.entry, ptr %15, i64 %27
  %96 = icmp eq i64 %28, 3
  %97 = icmp ne i64 %94, 0
  %98 = zext i1 %97 to i64
  %99 = select i1 %96, i64 %98, i64 %94
  store i64 %99, ptr %95, align 8
  %100 = getelementptr inbounds nuw i8, ptr %95, i64 8
  store i64 %27, ptr %100, align 8
  %101 = add nuw nsw i64 %27, 1
  %102 = getelementptr inbounds nuw i8, ptr %26, i64 %12
  %103 = icmp eq i64 %101, %4
  br i1 %103, label %22, label %25

104:
  %105 = phi ptr [ %24, %22 ], [ null, %11 ]
  ret ptr %105
}

define internal zeroext i1 @op_unique(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca ptr, align 8
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %12, 1
  br i1 %13, label %14, label %118

14:
  %15 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %16, %18
  br i1 %19, label %20, label %118

20:
  %21 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %22 = load i64, ptr %21, align 8
  %23 = icmp eq i64 %22, 2
  br i1 %23, label %24, label %118

24:
  %25 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %26 = load i64, ptr %25, align 8
  %27 = icmp eq i64 %26, 2
  br i1 %27, label %28, label %118

28:
  %29 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %32 = load i64, ptr %31, align 8
  %33 = icmp eq i64 %30, %32
  br i1 %33, label %34, label %118

34:
  %35 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %36 = load i64, ptr %35, align 8
  %37 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %38 = load i64, ptr %37, align 8
  %39 = icmp eq i64 %36, %38
  br i1 %39, label %40, label %118

40:
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %41 = call fastcc ptr @entries_of(ptr noundef nonnull %4, ptr noundef %3)
  %42 = icmp eq ptr %41, null
  br i1 %42, label %116, label %43

43:
  %44 = load i64, ptr %17, align 8
  %45 = icmp ult i64 %44, 15
  br i1 %45, label %46, label %49

46:
  %47 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %44
  %48 = load i64, ptr %47, align 8
  br label %49

49:
  %50 = phi i64 [ %48, %46 ], [ 8, %43 ]
  %51 = load i64, ptr %8, align 8
  %52 = inttoptr i64 %51 to ptr
  %53 = load i64, ptr %10, align 8
  %54 = inttoptr i64 %53 to ptr
  %55 = load i64, ptr %31, align 8
  %56 = icmp sgt i64 %55, 0
  br i1 %56, label %57, label %111

57:
  %58 = phi i64 [ %105, %97 ], [ 0, %49 ]
  %59 = phi i64 [ %99, %97 ], [ -1, %49 ]
  %60 = icmp eq i64 %58, 0
  br i1 %60, label %71, label %61

61:
  %62 = getelementptr inbounds nuw %struct.entry, ptr %41, i64 %58
  %63 = load i64, ptr %62, align 8
  %64 = getelementptr i8, ptr %62, i64 -16
  %65 = load i64, ptr %64, align 8
  %66 = icmp eq i64 %63, %65
  br i1 %66, label %67, label %71

67:
  %68 = getelementptr inbounds i64, ptr %54, i64 %59
  %69 = load i64, ptr %68, align 8
  %70 = add i64 %69, 1
  br label %97

71:
  %72 = add i64 %59, 1
  %73 = load i64, ptr %37, align 8
  %74 = icmp eq i64 %72, %73
  br i1 %74, label %108, label %75

75:
  %76 = load i64, ptr %6, align 8
  %77 = inttoptr i64 %76 to ptr
  %78 = mul i64 %72, %50
  %79 = getelementptr inbounds i8, ptr %77, i64 %78
  %80 = load i64, ptr %4, align 8
  %81 = inttoptr i64 %80 to ptr
  %82 = getelementptr inbounds nuw %struct.entry, ptr %41, i64 %58
  %83 = getelementptr inbounds nuw i8, ptr %82, i64 8
  %84 = load i64, ptr %83, align 8
  %85 = mul i64 %84, %50
  %86 = getelementptr inbounds i8, ptr %81, i64 %85
  switch i64 %50, label %93 [
    i64 1, label %87
    i64 2, label %89
    i64 4, label %91
  ]

87:
  %88 = load i8, ptr %86, align 1
  store i8 %88, ptr %79, align 1
  br label %95

89:
  %90 = load i16, ptr %86, align 1
  store i16 %90, ptr %79, align 1
  br label %95

91:
  %92 = load i32, ptr %86, align 1
  store i32 %92, ptr %79, align 1
  br label %95

93:
  %94 = load i64, ptr %86, align 1
  store i64 %94, ptr %79, align 1
  br label %95

95:
  %96 = getelementptr inbounds i64, ptr %54, i64 %72
  store i64 0, ptr %96, align 8
  br label %97

97:
  %98 = phi i64 [ 1, %95 ], [ %70, %67 ]
  %99 = phi i64 [ %72, %95 ], [ %59, %67 ]
  %100 = getelementptr inbounds i64, ptr %54, i64 %99
  store i64 %98, ptr %100, align 8
  %101 = getelementptr inbounds nuw %struct.entry, ptr %41, i64 %58
  %102 = getelementptr inbounds nuw i8, ptr %101, i64 8
  %103 = load i64, ptr %102, align 8
  %104 = getelementptr inbounds i64, ptr %52, i64 %103
  store i64 %99, ptr %104, align 8
  %105 = add nuw nsw i64 %58, 1
  %106 = load i64, ptr %31, align 8
  %107 = icmp slt i64 %105, %106
  br i1 %107, label %57, label %108

108:
  %109 = phi i64 [ %99, %97 ], [ %72, %71 ]
  %110 = add i64 %109, 1
  br label %111

111:
  %112 = phi i64 [ 0, %49 ], [ %110, %108 ]
  %113 = load ptr, ptr %3, align 8
  tail call void @free(ptr noundef %113)
  %114 = load i64, ptr %37, align 8
  %115 = icmp eq i64 %112, %114
  br label %116

116:
  %117 = phi i1 [ %115, %111 ], [ false, %40 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  br label %118

118:
  %119 = phi i1 [ %117, %116 ], [ false, %34 ], [ false, %28 ], [ false, %24 ], [ false, %20 ], [ false, %14 ], [ false, %2 ]
  ret i1 %119
}

define internal noundef zeroext i1 @op_scatter_keys(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca %struct.tensor, align 8
  %4 = alloca %struct.lines, align 8
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 2
  br i1 %12, label %13, label %177

13:
  %14 = getelementptr inbounds nuw i8, ptr %9, i64 24
  %15 = load i64, ptr %14, align 8
  %16 = icmp eq i64 %15, 1
  br i1 %16, label %17, label %177

17:
  %18 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %19 = load i64, ptr %18, align 8
  %20 = icmp sgt i64 %19, 8
  br i1 %20, label %177, label %21

21:
  store i64 0, ptr %3, align 8
  %22 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i64 1, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i64 3, ptr %23, align 8
  %24 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store i64 %19, ptr %24, align 8
  %25 = getelementptr inbounds nuw i8, ptr %3, i64 32
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(72) %25, i8 0, i64 72, i1 false)
  %26 = icmp slt i64 %19, 1
  br i1 %26, label %48, label %27

27:
  %28 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %29 = load i64, ptr %9, align 8
  %30 = inttoptr i64 %29 to ptr
  %31 = load i64, ptr %30, align 8
  store i64 %31, ptr %28, align 8
  %32 = icmp ult i64 %31, 2147483648
  br i1 %32, label %41, label %177

33:
  %34 = add nuw nsw i64 %43, 1
  %35 = icmp eq i64 %34, %19
  br i1 %35, label %47, label %36

36:
  %37 = getelementptr inbounds nuw i64, ptr %30, i64 %34
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds nuw i64, ptr %28, i64 %34
  store i64 %38, ptr %39, align 8
  %40 = icmp ult i64 %38, 2147483648
  br i1 %40, label %41, label %177

41:
  %42 = phi i64 [ %38, %36 ], [ %31, %27 ]
  %43 = phi i64 [ %34, %36 ], [ 0, %27 ]
  %44 = phi i64 [ %45, %36 ], [ 1, %27 ]
  %45 = mul nuw nsw i64 %42, %44
  %46 = icmp samesign ult i64 %45, 2147483648
  br i1 %46, label %33, label %177

47:
  store i64 %45, ptr %22, align 8
  br label %48

48:
  %49 = load i64, ptr %1, align 8
  %50 = call fastcc zeroext i1 @lines_of(ptr noundef %4, ptr noundef nonnull %3, ptr noundef %5, i64 noundef %49)
  br i1 %50, label %51, label %177

51:
  %52 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %53 = load i64, ptr %52, align 8
  %54 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %55 = load i64, ptr %54, align 8
  %56 = icmp eq i64 %55, 2
  br i1 %56, label %57, label %177

57:
  %58 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %59 = load i64, ptr %58, align 8
  %60 = icmp eq i64 %59, %53
  %61 = icmp ult i64 %53, 4294967296
  %62 = and i1 %61, %60
  br i1 %62, label %63, label %177

63:
  %64 = shl nuw nsw i64 %53, 5
  %65 = or disjoint i64 %64, 1
  %66 = tail call ptr @malloc(i64 noundef %65)
  %67 = icmp eq ptr %66, null
  br i1 %67, label %177, label %68

68:
  %69 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %70 = load i64, ptr %69, align 8
  %71 = icmp eq i64 %70, 2
  %72 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %73 = load i64, ptr %72, align 8
  %74 = icmp slt i64 %73, 1
  br i1 %74, label %155, label %75

75:
  %76 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %77 = select i1 %71, i64 3, i64 2
  %78 = getelementptr inbounds nuw i8, ptr %4, i64 32
  %79 = getelementptr inbounds nuw i8, ptr %4, i64 40
  %80 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %81 = getelementptr inbounds nuw i8, ptr %4, i64 48
  %82 = getelementptr inbounds nuw i8, ptr %4, i64 120
  %83 = getelementptr inbounds nuw i8, ptr %4, i64 56
  %84 = getelementptr inbounds nuw i8, ptr %4, i64 184
  %85 = load i64, ptr %76, align 8
  %86 = load i64, ptr %78, align 8
  %87 = load i64, ptr %79, align 8
  %88 = icmp sgt i64 %85, 0
  %89 = load i64, ptr %80, align 8
  %90 = load i8, ptr %81, align 8
  %91 = trunc nuw i8 %90 to i1
  %92 = load i64, ptr %4, align 8
  %93 = add i64 %92, -2
  %94 = icmp sgt i64 %93, -1
  br label %95

95:
  %96 = phi i64 [ %89, %75 ], [ %152, %151 ]
  %97 = phi i64 [ 0, %75 ], [ %131, %151 ]
  %98 = phi i64 [ 0, %75 ], [ %132, %151 ]
  %99 = load i64, ptr %5, align 8
  %100 = inttoptr i64 %99 to ptr
  %101 = mul i64 %85, %98
  %102 = shl i64 %101, %77
  %103 = getelementptr inbounds i8, ptr %100, i64 %102
  br i1 %88, label %104, label %130

104:
  %105 = phi i64 [ %128, %120 ], [ 0, %95 ]
  %106 = phi i64 [ %127, %120 ], [ %97, %95 ]
  br i1 %71, label %107, label %110

107:
  %108 = getelementptr inbounds nuw i64, ptr %103, i64 %105
  %109 = load i64, ptr %108, align 8
  br label %114

110:
  %111 = getelementptr inbounds nuw i32, ptr %103, i64 %105
  %112 = load i32, ptr %111, align 4
  %113 = sext i32 %112 to i64
  br label %114

114:
  %115 = phi i64 [ %109, %107 ], [ %113, %110 ]
  %116 = icmp slt i64 %115, 0
  %117 = select i1 %116, i64 %86, i64 0
  %118 = add i64 %117, %115
  %119 = icmp ult i64 %118, %86
  br i1 %119, label %120, label %175

120:
  %121 = mul i64 %118, %87
  %122 = add i64 %121, %105
  %123 = select i1 %91, i64 %118, i64 %122
  %124 = add i64 %123, %96
  %125 = getelementptr inbounds %struct.entry, ptr %66, i64 %106
  store i64 %124, ptr %125, align 8
  %126 = getelementptr inbounds nuw i8, ptr %125, i64 8
  store i64 %106, ptr %126, align 8
  %127 = add i64 %106, 1
  %128 = add nuw nsw i64 %105, 1
  %129 = icmp eq i64 %128, %85
  br i1 %129, label %130, label %104

130:
  %131 = phi i64 [ %97, %95 ], [ %127, %120 ]
  %132 = add nuw nsw i64 %98, 1
  br i1 %94, label %133, label %151

133:
  %134 = phi i64 [ %148, %146 ], [ %96, %130 ]
  %135 = phi i64 [ %149, %146 ], [ %93, %130 ]
  %136 = getelementptr inbounds nuw i64, ptr %82, i64 %135
  %137 = load i64, ptr %136, align 8
  %138 = add i64 %137, %134
  %139 = getelementptr inbounds nuw i64, ptr %83, i64 %135
  %140 = load i64, ptr %139, align 8
  %141 = add i64 %140, 1
  store i64 %141, ptr %139, align 8
  %142 = load ptr, ptr %84, align 8
  %143 = getelementptr inbounds nuw i64, ptr %142, i64 %135
  %144 = load i64, ptr %143, align 8
  %145 = icmp slt i64 %141, %144
  br i1 %145, label %151, label %146

146:
  %147 = mul i64 %144, %137
  %148 = sub i64 %138, %147
  store i64 0, ptr %139, align 8
  %149 = add nsw i64 %135, -1
  %150 = icmp sgt i64 %135, 0
  br i1 %150, label %133, label %151

151:
  %152 = phi i64 [ %96, %130 ], [ %138, %133 ], [ %148, %146 ]
  %153 = icmp eq i64 %132, %73
  br i1 %153, label %154, label %95

154:
  store i64 %152, ptr %80, align 8
  br label %155

155:
  %156 = load i64, ptr %58, align 8
  %157 = getelementptr inbounds %struct.entry, ptr %66, i64 %156
  %158 = tail call fastcc ptr @sorted(ptr noundef nonnull %66, ptr noundef %157, i64 noundef %156)
  %159 = load i64, ptr %58, align 8
  %160 = icmp sgt i64 %159, 0
  br i1 %160, label %161, label %175

161:
  %162 = phi i64 [ %172, %161 ], [ 0, %155 ]
  %163 = getelementptr inbounds nuw %struct.entry, ptr %158, i64 %162
  %164 = load i64, ptr %163, align 8
  %165 = shl i64 %164, 32
  %166 = getelementptr inbounds nuw i8, ptr %163, i64 8
  %167 = load i64, ptr %166, align 8
  %168 = add i64 %165, %167
  %169 = load i64, ptr %7, align 8
  %170 = inttoptr i64 %169 to ptr
  %171 = getelementptr inbounds nuw i64, ptr %170, i64 %162
  store i64 %168, ptr %171, align 8
  %172 = add nuw nsw i64 %162, 1
  %173 = load i64, ptr %58, align 8
  %174 = icmp slt i64 %172, %173
  br i1 %174, label %161, label %175

175:
  %176 = phi i1 [ true, %161 ], [ true, %155 ], [ false, %114 ]
  tail call void @free(ptr noundef nonnull %66)
  br label %177

177:
  %178 = phi i1 [ false, %57 ], [ false, %48 ], [ false, %63 ], [ %176, %175 ], [ false, %13 ], [ false, %2 ], [ false, %17 ], [ false, %51 ], [ false, %27 ], [ false, %41 ], [ false, %36 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %178
}

define internal noundef zeroext i1 @op_scatter_nd_keys(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca %struct.tensor, align 8
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %6 = load ptr, ptr %5, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %10 = load i64, ptr %9, align 8
  %11 = icmp eq i64 %10, 2
  br i1 %11, label %12, label %159

12:
  %13 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %14 = load i64, ptr %13, align 8
  %15 = icmp eq i64 %14, 1
  br i1 %15, label %16, label %159

16:
  %17 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = icmp sgt i64 %18, 8
  br i1 %19, label %159, label %20

20:
  store i64 0, ptr %3, align 8
  %21 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i64 1, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i64 3, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store i64 %18, ptr %23, align 8
  %24 = getelementptr inbounds nuw i8, ptr %3, i64 32
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(72) %24, i8 0, i64 72, i1 false)
  %25 = icmp slt i64 %18, 1
  br i1 %25, label %47, label %26

26:
  %27 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %28 = load i64, ptr %8, align 8
  %29 = inttoptr i64 %28 to ptr
  %30 = load i64, ptr %29, align 8
  store i64 %30, ptr %27, align 8
  %31 = icmp ult i64 %30, 2147483648
  br i1 %31, label %40, label %159

32:
  %33 = add nuw nsw i64 %42, 1
  %34 = icmp eq i64 %33, %18
  br i1 %34, label %46, label %35

35:
  %36 = getelementptr inbounds nuw i64, ptr %29, i64 %33
  %37 = load i64, ptr %36, align 8
  %38 = getelementptr inbounds nuw i64, ptr %27, i64 %33
  store i64 %37, ptr %38, align 8
  %39 = icmp ult i64 %37, 2147483648
  br i1 %39, label %40, label %159

40:
  %41 = phi i64 [ %37, %35 ], [ %30, %26 ]
  %42 = phi i64 [ %33, %35 ], [ 0, %26 ]
  %43 = phi i64 [ %44, %35 ], [ 1, %26 ]
  %44 = mul nuw nsw i64 %41, %43
  %45 = icmp samesign ult i64 %44, 2147483648
  br i1 %45, label %32, label %159

46:
  store i64 %44, ptr %21, align 8
  br label %47

47:
  %48 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %49 = load i64, ptr %48, align 8
  %50 = add i64 %49, -1
  %51 = icmp ult i64 %50, 2
  br i1 %51, label %52, label %159

52:
  %53 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %54 = load i64, ptr %53, align 8
  %55 = icmp sgt i64 %54, 0
  br i1 %55, label %56, label %159

56:
  %57 = getelementptr inbounds nuw i8, ptr %4, i64 40
  %58 = getelementptr i64, ptr %57, i64 %54
  %59 = getelementptr i8, ptr %58, i64 -8
  %60 = load i64, ptr %59, align 8
  %61 = icmp sgt i64 %60, %18
  br i1 %61, label %159, label %62

62:
  %63 = add nsw i64 %54, -1
  %64 = icmp eq i64 %63, 0
  br i1 %64, label %73, label %65

65:
  %66 = phi i64 [ %71, %65 ], [ 0, %62 ]
  %67 = phi i64 [ %70, %65 ], [ 1, %62 ]
  %68 = getelementptr inbounds nuw i64, ptr %57, i64 %66
  %69 = load i64, ptr %68, align 8
  %70 = mul i64 %69, %67
  %71 = add nuw nsw i64 %66, 1
  %72 = icmp eq i64 %71, %63
  br i1 %72, label %73, label %65

73:
  %74 = phi i64 [ 1, %62 ], [ %70, %65 ]
  %75 = mul i64 %74, %60
  %76 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %77 = load i64, ptr %76, align 8
  %78 = icmp eq i64 %75, %77
  br i1 %78, label %79, label %159

79:
  %80 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %81 = load i64, ptr %80, align 8
  %82 = icmp eq i64 %81, 2
  br i1 %82, label %83, label %159

83:
  %84 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %85 = load i64, ptr %84, align 8
  %86 = icmp eq i64 %85, %74
  %87 = icmp ult i64 %74, 4294967296
  %88 = and i1 %87, %86
  br i1 %88, label %89, label %159

89:
  %90 = shl nuw nsw i64 %74, 5
  %91 = or disjoint i64 %90, 1
  %92 = tail call ptr @malloc(i64 noundef %91)
  %93 = icmp eq ptr %92, null
  br i1 %93, label %159, label %94

94:
  %95 = icmp eq i64 %74, 0
  br i1 %95, label %131, label %96

96:
  %97 = icmp slt i64 %60, 1
  %98 = getelementptr inbounds nuw i8, ptr %3, i64 40
  br label %99

99:
  %100 = phi i64 [ 0, %96 ], [ %157, %153 ]
  br i1 %97, label %153, label %101

101:
  %102 = mul i64 %100, %60
  %103 = load i64, ptr %4, align 8
  %104 = inttoptr i64 %103 to ptr
  %105 = load i64, ptr %48, align 8
  %106 = icmp eq i64 %105, 2
  br label %107

107:
  %108 = phi i64 [ 0, %101 ], [ %129, %126 ]
  %109 = phi i64 [ 0, %101 ], [ %128, %126 ]
  %110 = getelementptr i64, ptr %98, i64 %108
  %111 = load i64, ptr %110, align 8
  %112 = add i64 %108, %102
  br i1 %106, label %113, label %116

113:
  %114 = getelementptr inbounds i64, ptr %104, i64 %112
  %115 = load i64, ptr %114, align 8
  br label %120

116:
  %117 = getelementptr inbounds i32, ptr %104, i64 %112
  %118 = load i32, ptr %117, align 4
  %119 = sext i32 %118 to i64
  br label %120

120:
  %121 = phi i64 [ %115, %113 ], [ %119, %116 ]
  %122 = icmp slt i64 %121, 0
  %123 = select i1 %122, i64 %111, i64 0
  %124 = add i64 %123, %121
  %125 = icmp ult i64 %124, %111
  br i1 %125, label %126, label %151

126:
  %127 = mul i64 %111, %109
  %128 = add i64 %124, %127
  %129 = add nuw nsw i64 %108, 1
  %130 = icmp eq i64 %129, %60
  br i1 %130, label %153, label %107

131:
  %132 = load i64, ptr %84, align 8
  %133 = getelementptr inbounds %struct.entry, ptr %92, i64 %132
  %134 = tail call fastcc ptr @sorted(ptr noundef nonnull %92, ptr noundef %133, i64 noundef %132)
  %135 = load i64, ptr %84, align 8
  %136 = icmp sgt i64 %135, 0
  br i1 %136, label %137, label %151

137:
  %138 = phi i64 [ %148, %137 ], [ 0, %131 ]
  %139 = getelementptr inbounds nuw %struct.entry, ptr %134, i64 %138
  %140 = load i64, ptr %139, align 8
  %141 = shl i64 %140, 32
  %142 = getelementptr inbounds nuw i8, ptr %139, i64 8
  %143 = load i64, ptr %142, align 8
  %144 = add i64 %141, %143
  %145 = load i64, ptr %6, align 8
  %146 = inttoptr i64 %145 to ptr
  %147 = getelementptr inbounds nuw i64, ptr %146, i64 %138
  store i64 %144, ptr %147, align 8
  %148 = add nuw nsw i64 %138, 1
  %149 = load i64, ptr %84, align 8
  %150 = icmp slt i64 %148, %149
  br i1 %150, label %137, label %151

151:
  %152 = phi i1 [ true, %137 ], [ true, %131 ], [ false, %120 ]
  tail call void @free(ptr noundef nonnull %92)
  br label %159

153:
  %154 = phi i64 [ 0, %99 ], [ %128, %126 ]
  %155 = getelementptr inbounds nuw %struct.entry, ptr %92, i64 %100
  store i64 %154, ptr %155, align 8
  %156 = getelementptr inbounds nuw i8, ptr %155, i64 8
  store i64 %100, ptr %156, align 8
  %157 = add nuw nsw i64 %100, 1
  %158 = icmp eq i64 %157, %74
  br i1 %158, label %131, label %99

159:
  %160 = phi i1 [ false, %56 ], [ false, %73 ], [ %152, %151 ], [ false, %89 ], [ false, %83 ], [ false, %12 ], [ false, %2 ], [ false, %16 ], [ false, %79 ], [ false, %47 ], [ false, %52 ], [ false, %26 ], [ false, %40 ], [ false, %35 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %160
}

define internal noundef zeroext i1 @sizes_nonzero(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 2
  br i1 %8, label %9, label %92

9:
  %10 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 2
  br i1 %12, label %13, label %92

13:
  %14 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %15 = load i64, ptr %14, align 8
  %16 = icmp eq i64 %15, 3
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %18 = load i64, ptr %17, align 8
  %19 = load i64, ptr %5, align 8
  %20 = inttoptr i64 %19 to ptr
  store i64 %18, ptr %20, align 8
  %21 = load i64, ptr %3, align 8
  %22 = inttoptr i64 %21 to ptr
  br i1 %16, label %23, label %37

23:
  %24 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %25 = load i64, ptr %24, align 8
  %26 = icmp sgt i64 %25, 0
  br i1 %26, label %27, label %87

27:
  %28 = phi i64 [ %35, %27 ], [ 0, %23 ]
  %29 = phi i64 [ %34, %27 ], [ 0, %23 ]
  %30 = getelementptr inbounds nuw i8, ptr %22, i64 %28
  %31 = load i8, ptr %30, align 1
  %32 = icmp ne i8 %31, 0
  %33 = zext i1 %32 to i64
  %34 = add i64 %29, %33
  %35 = add nuw nsw i64 %28, 1
  %36 = icmp eq i64 %35, %25
  br i1 %36, label %87, label %27

37:
  %38 = load i64, ptr %14, align 8
  %39 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %40 = load i64, ptr %39, align 8
  %41 = icmp sgt i64 %40, 0
  br i1 %41, label %42, label %87

42:
  %43 = phi i64 [ %85, %81 ], [ 0, %37 ]
  %44 = phi i64 [ %84, %81 ], [ 0, %37 ]
  switch i64 %38, label %77 [
    i64 0, label %45
    i64 5, label %50
    i64 6, label %55
    i64 12, label %55
    i64 13, label %60
    i64 14, label %60
    i64 3, label %65
    i64 4, label %65
    i64 7, label %65
    i64 8, label %69
    i64 9, label %69
    i64 10, label %73
    i64 1, label %73
  ]

45:
  %46 = getelementptr inbounds nuw i32, ptr %22, i64 %43
  %47 = load i32, ptr %46, align 4
  %48 = and i32 %47, 2147483647
  %49 = icmp ne i32 %48, 0
  br label %81

50:
  %51 = getelementptr inbounds nuw i64, ptr %22, i64 %43
  %52 = load i64, ptr %51, align 8
  %53 = and i64 %52, 9223372036854775807
  %54 = icmp ne i64 %53, 0
  br label %81

55:
  %56 = getelementptr inbounds nuw i16, ptr %22, i64 %43
  %57 = load i16, ptr %56, align 2
  %58 = and i16 %57, 32767
  %59 = icmp ne i16 %58, 0
  br label %81

60:
  %61 = getelementptr inbounds nuw i8, ptr %22, i64 %43
  %62 = load i8, ptr %61, align 1
  %63 = and i8 %62, 127
  %64 = icmp ne i8 %63, 0
  br label %81

65:
  %66 = getelementptr inbounds nuw i8, ptr %22, i64 %43
  %67 = load i8, ptr %66, align 1
  %68 = icmp ne i8 %67, 0
  br label %81

69:
  %70 = getelementptr inbounds nuw i16, ptr %22, i64 %43
  %71 = load i16, ptr %70, align 2
  %72 = icmp ne i16 %71, 0
  br label %81

73:
  %74 = getelementptr inbounds nuw i32, ptr %22, i64 %43
  %75 = load i32, ptr %74, align 4
  %76 = icmp ne i32 %75, 0
  br label %81

77:
  %78 = getelementptr inbounds nuw i64, ptr %22, i64 %43
  %79 = load i64, ptr %78, align 8
  %80 = icmp ne i64 %79, 0
  br label %81

81:
  %82 = phi i1 [ %80, %77 ], [ %68, %65 ], [ %72, %69 ], [ %76, %73 ], [ %49, %45 ], [ %54, %50 ], [ %59, %55 ], [ %64, %60 ]
  %83 = zext i1 %82 to i64
  %84 = add i64 %44, %83
  %85 = add nuw nsw i64 %43, 1
  %86 = icmp eq i64 %85, %40
  br i1 %86, label %87, label %42

87:
  %88 = phi i64 [ %34, %27 ], [ 0, %23 ], [ 0, %37 ], [ %84, %81 ]
  %89 = load i64, ptr %5, align 8
  %90 = inttoptr i64 %89 to ptr
  %91 = getelementptr inbounds nuw i8, ptr %90, i64 8
  store i64 %88, ptr %91, align 8
  br label %92

92:
  %93 = phi i1 [ true, %87 ], [ false, %9 ], [ false, %2 ]
  ret i1 %93
}

define internal zeroext i1 @op_nonzero(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca [8 x i64], align 16
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, 2
  br i1 %9, label %10, label %263

10:
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %12, 2
  br i1 %13, label %14, label %263

14:
  %15 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %16, 1
  br i1 %17, label %263, label %18

18:
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %20 = load i64, ptr %19, align 8
  %21 = icmp eq i64 %20, %16
  br i1 %21, label %22, label %263

22:
  %23 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %24 = load i64, ptr %23, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(64) %3, i8 0, i64 64, i1 false)
  %25 = load i64, ptr %6, align 8
  %26 = inttoptr i64 %25 to ptr
  %27 = icmp eq i64 %16, 1
  br i1 %27, label %35, label %28

28:
  %29 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %30 = load i64, ptr %29, align 8
  %31 = icmp slt i64 %30, 1
  br i1 %31, label %256, label %32

32:
  %33 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %34 = getelementptr inbounds nuw i8, ptr %4, i64 40
  br label %176

35:
  %36 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %37 = load i64, ptr %36, align 8
  %38 = icmp eq i64 %37, 3
  %39 = load i64, ptr %4, align 8
  %40 = inttoptr i64 %39 to ptr
  %41 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %42 = load i64, ptr %41, align 8
  %43 = icmp sgt i64 %24, 0
  %44 = icmp sgt i64 %42, 0
  %45 = select i1 %43, i1 %44, i1 false
  br i1 %38, label %46, label %77

46:
  br i1 %45, label %51, label %47

47:
  %48 = phi i64 [ 0, %46 ], [ %59, %51 ]
  %49 = phi i64 [ 0, %46 ], [ %60, %51 ]
  %50 = icmp slt i64 %49, %42
  br i1 %50, label %64, label %72

51:
  %52 = phi i64 [ %60, %51 ], [ 0, %46 ]
  %53 = phi i64 [ %59, %51 ], [ 0, %46 ]
  %54 = getelementptr inbounds nuw i64, ptr %26, i64 %53
  store i64 %52, ptr %54, align 8
  %55 = getelementptr inbounds nuw i8, ptr %40, i64 %52
  %56 = load i8, ptr %55, align 1
  %57 = icmp ne i8 %56, 0
  %58 = zext i1 %57 to i64
  %59 = add nuw nsw i64 %53, %58
  %60 = add nuw nsw i64 %52, 1
  %61 = icmp slt i64 %59, %24
  %62 = icmp slt i64 %60, %42
  %63 = select i1 %61, i1 %62, i1 false
  br i1 %63, label %51, label %47

64:
  %65 = phi i64 [ %70, %69 ], [ %49, %47 ]
  %66 = getelementptr inbounds nuw i8, ptr %40, i64 %65
  %67 = load i8, ptr %66, align 1
  %68 = icmp eq i8 %67, 0
  br i1 %68, label %69, label %72

69:
  %70 = add nuw i64 %65, 1
  %71 = icmp eq i64 %70, %42
  br i1 %71, label %72, label %64

72:
  %73 = phi i64 [ %49, %47 ], [ %42, %69 ], [ %65, %64 ]
  %74 = icmp eq i64 %48, %24
  %75 = icmp eq i64 %73, %42
  %76 = and i1 %74, %75
  br label %261

77:
  br i1 %45, label %82, label %78

78:
  %79 = phi i64 [ 0, %77 ], [ %125, %122 ]
  %80 = phi i64 [ 0, %77 ], [ %126, %122 ]
  %81 = icmp slt i64 %80, %42
  br i1 %81, label %130, label %171

82:
  %83 = phi i64 [ %126, %122 ], [ 0, %77 ]
  %84 = phi i64 [ %125, %122 ], [ 0, %77 ]
  %85 = getelementptr inbounds nuw i64, ptr %26, i64 %84
  store i64 %83, ptr %85, align 8
  switch i64 %37, label %118 [
    i64 0, label %86
    i64 5, label %91
    i64 6, label %96
    i64 12, label %96
    i64 13, label %101
    i64 14, label %101
    i64 3, label %106
    i64 4, label %106
    i64 7, label %106
    i64 8, label %110
    i64 9, label %110
    i64 10, label %114
    i64 1, label %114
  ]

86:
  %87 = getelementptr inbounds nuw i32, ptr %40, i64 %83
  %88 = load i32, ptr %87, align 4
  %89 = and i32 %88, 2147483647
  %90 = icmp ne i32 %89, 0
  br label %122

91:
  %92 = getelementptr inbounds nuw i64, ptr %40, i64 %83
  %93 = load i64, ptr %92, align 8
  %94 = and i64 %93, 9223372036854775807
  %95 = icmp ne i64 %94, 0
  br label %122

96:
  %97 = getelementptr inbounds nuw i16, ptr %40, i64 %83
  %98 = load i16, ptr %97, align 2
  %99 = and i16 %98, 32767
  %100 = icmp ne i16 %99, 0
  br label %122

101:
  %102 = getelementptr inbounds nuw i8, ptr %40, i64 %83
  %103 = load i8, ptr %102, align 1
  %104 = and i8 %103, 127
  %105 = icmp ne i8 %104, 0
  br label %122

106:
  %107 = getelementptr inbounds nuw i8, ptr %40, i64 %83
  %108 = load i8, ptr %107, align 1
  %109 = icmp ne i8 %108, 0
  br label %122

110:
  %111 = getelementptr inbounds nuw i16, ptr %40, i64 %83
  %112 = load i16, ptr %111, align 2
  %113 = icmp ne i16 %112, 0
  br label %122

114:
  %115 = getelementptr inbounds nuw i32, ptr %40, i64 %83
  %116 = load i32, ptr %115, align 4
  %117 = icmp ne i32 %116, 0
  br label %122

118:
  %119 = getelementptr inbounds nuw i64, ptr %40, i64 %83
  %120 = load i64, ptr %119, align 8
  %121 = icmp ne i64 %120, 0
  br label %122

122:
  %123 = phi i1 [ %121, %118 ], [ %109, %106 ], [ %113, %110 ], [ %117, %114 ], [ %90, %86 ], [ %95, %91 ], [ %100, %96 ], [ %105, %101 ]
  %124 = zext i1 %123 to i64
  %125 = add nuw nsw i64 %84, %124
  %126 = add nuw nsw i64 %83, 1
  %127 = icmp slt i64 %125, %24
  %128 = icmp slt i64 %126, %42
  %129 = select i1 %127, i1 %128, i1 false
  br i1 %129, label %82, label %78

130:
  %131 = phi i64 [ %169, %168 ], [ %80, %78 ]
  switch i64 %37, label %160 [
    i64 0, label %132
    i64 5, label %137
    i64 6, label %142
    i64 12, label %142
    i64 13, label %147
    i64 14, label %147
    i64 3, label %164
    i64 4, label %164
    i64 7, label %164
    i64 8, label %152
    i64 9, label %152
    i64 10, label %156
    i64 1, label %156
  ]

132:
  %133 = getelementptr inbounds nuw i32, ptr %40, i64 %131
  %134 = load i32, ptr %133, align 4
  %135 = and i32 %134, 2147483647
  %136 = icmp eq i32 %135, 0
  br i1 %136, label %168, label %171

137:
  %138 = getelementptr inbounds nuw i64, ptr %40, i64 %131
  %139 = load i64, ptr %138, align 8
  %140 = and i64 %139, 9223372036854775807
  %141 = icmp eq i64 %140, 0
  br i1 %141, label %168, label %171

142:
  %143 = getelementptr inbounds nuw i16, ptr %40, i64 %131
  %144 = load i16, ptr %143, align 2
  %145 = and i16 %144, 32767
  %146 = icmp eq i16 %145, 0
  br i1 %146, label %168, label %171

147:
  %148 = getelementptr inbounds nuw i8, ptr %40, i64 %131
  %149 = load i8, ptr %148, align 1
  %150 = and i8 %149, 127
  %151 = icmp eq i8 %150, 0
  br i1 %151, label %168, label %171

152:
  %153 = getelementptr inbounds nuw i16, ptr %40, i64 %131
  %154 = load i16, ptr %153, align 2
  %155 = icmp eq i16 %154, 0
  br i1 %155, label %168, label %171

156:
  %157 = getelementptr inbounds nuw i32, ptr %40, i64 %131
  %158 = load i32, ptr %157, align 4
  %159 = icmp eq i32 %158, 0
  br i1 %159, label %168, label %171

160:
  %161 = getelementptr inbounds nuw i64, ptr %40, i64 %131
  %162 = load i64, ptr %161, align 8
  %163 = icmp eq i64 %162, 0
  br i1 %163, label %168, label %171

164:
  %165 = getelementptr inbounds nuw i8, ptr %40, i64 %131
  %166 = load i8, ptr %165, align 1
  %167 = icmp eq i8 %166, 0
  br i1 %167, label %168, label %171

168:
  %169 = add nuw i64 %131, 1
  %170 = icmp eq i64 %169, %42
  br i1 %170, label %171, label %130

171:
  %172 = phi i64 [ %80, %78 ], [ %131, %152 ], [ %131, %156 ], [ %131, %132 ], [ %131, %137 ], [ %131, %142 ], [ %131, %147 ], [ %131, %160 ], [ %42, %168 ], [ %131, %164 ]
  %173 = icmp eq i64 %79, %24
  %174 = icmp eq i64 %172, %42
  %175 = and i1 %173, %174
  br label %261

176:
  %177 = phi i64 [ %16, %32 ], [ %237, %249 ]
  %178 = phi i64 [ 0, %32 ], [ %250, %249 ]
  %179 = phi i64 [ 0, %32 ], [ %238, %249 ]
  %180 = load i64, ptr %4, align 8
  %181 = inttoptr i64 %180 to ptr
  %182 = load i64, ptr %33, align 8
  switch i64 %182, label %211 [
    i64 0, label %183
    i64 5, label %188
    i64 6, label %193
    i64 12, label %193
    i64 13, label %198
    i64 14, label %198
    i64 3, label %215
    i64 4, label %215
    i64 7, label %215
    i64 8, label %203
    i64 9, label %203
    i64 10, label %207
    i64 1, label %207
  ]

183:
  %184 = getelementptr inbounds nuw i32, ptr %181, i64 %178
  %185 = load i32, ptr %184, align 4
  %186 = and i32 %185, 2147483647
  %187 = icmp eq i32 %186, 0
  br i1 %187, label %236, label %219

188:
  %189 = getelementptr inbounds nuw i64, ptr %181, i64 %178
  %190 = load i64, ptr %189, align 8
  %191 = and i64 %190, 9223372036854775807
  %192 = icmp eq i64 %191, 0
  br i1 %192, label %236, label %219

193:
  %194 = getelementptr inbounds nuw i16, ptr %181, i64 %178
  %195 = load i16, ptr %194, align 2
  %196 = and i16 %195, 32767
  %197 = icmp eq i16 %196, 0
  br i1 %197, label %236, label %219

198:
  %199 = getelementptr inbounds nuw i8, ptr %181, i64 %178
  %200 = load i8, ptr %199, align 1
  %201 = and i8 %200, 127
  %202 = icmp eq i8 %201, 0
  br i1 %202, label %236, label %219

203:
  %204 = getelementptr inbounds nuw i16, ptr %181, i64 %178
  %205 = load i16, ptr %204, align 2
  %206 = icmp eq i16 %205, 0
  br i1 %206, label %236, label %219

207:
  %208 = getelementptr inbounds nuw i32, ptr %181, i64 %178
  %209 = load i32, ptr %208, align 4
  %210 = icmp eq i32 %209, 0
  br i1 %210, label %236, label %219

211:
  %212 = getelementptr inbounds nuw i64, ptr %181, i64 %178
  %213 = load i64, ptr %212, align 8
  %214 = icmp eq i64 %213, 0
  br i1 %214, label %236, label %219

215:
  %216 = getelementptr inbounds nuw i8, ptr %181, i64 %178
  %217 = load i8, ptr %216, align 1
  %218 = icmp eq i8 %217, 0
  br i1 %218, label %236, label %219

219:
  %220 = icmp eq i64 %179, %24
  br i1 %220, label %256, label %221

221:
  %222 = getelementptr i64, ptr %26, i64 %179
  %223 = icmp sgt i64 %177, 0
  br i1 %223, label %227, label %224

224:
  %225 = phi i64 [ %177, %221 ], [ %234, %227 ]
  %226 = add i64 %179, 1
  br label %236

227:
  %228 = phi i64 [ %233, %227 ], [ 0, %221 ]
  %229 = getelementptr inbounds nuw i64, ptr %3, i64 %228
  %230 = load i64, ptr %229, align 8
  %231 = mul i64 %228, %24
  %232 = getelementptr i64, ptr %222, i64 %231
  store i64 %230, ptr %232, align 8
  %233 = add nuw nsw i64 %228, 1
  %234 = load i64, ptr %15, align 8
  %235 = icmp slt i64 %233, %234
  br i1 %235, label %227, label %224

236:
  %237 = phi i64 [ %225, %224 ], [ %177, %215 ], [ %177, %211 ], [ %177, %198 ], [ %177, %193 ], [ %177, %188 ], [ %177, %183 ], [ %177, %207 ], [ %177, %203 ]
  %238 = phi i64 [ %226, %224 ], [ %179, %215 ], [ %179, %211 ], [ %179, %198 ], [ %179, %193 ], [ %179, %188 ], [ %179, %183 ], [ %179, %207 ], [ %179, %203 ]
  %239 = add i64 %237, -1
  %240 = icmp sgt i64 %239, -1
  br i1 %240, label %241, label %249

241:
  %242 = phi i64 [ %254, %253 ], [ %239, %236 ]
  %243 = getelementptr inbounds nuw i64, ptr %3, i64 %242
  %244 = load i64, ptr %243, align 8
  %245 = add i64 %244, 1
  store i64 %245, ptr %243, align 8
  %246 = getelementptr inbounds nuw i64, ptr %34, i64 %242
  %247 = load i64, ptr %246, align 8
  %248 = icmp eq i64 %245, %247
  br i1 %248, label %253, label %249

249:
  %250 = add nuw nsw i64 %178, 1
  %251 = load i64, ptr %29, align 8
  %252 = icmp slt i64 %250, %251
  br i1 %252, label %176, label %256

253:
  store i64 0, ptr %243, align 8
  %254 = add nsw i64 %242, -1
  %255 = icmp sgt i64 %242, 0
  br i1 %255, label %241, label %249

256:
  %257 = phi i64 [ 0, %28 ], [ %24, %219 ], [ %238, %249 ]
  %258 = phi i1 [ true, %28 ], [ false, %219 ], [ true, %249 ]
  %259 = icmp eq i64 %257, %24
  %260 = select i1 %258, i1 %259, i1 false
  br label %261

261:
  %262 = phi i1 [ %76, %72 ], [ %175, %171 ], [ %260, %256 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  br label %263

263:
  %264 = phi i1 [ %262, %261 ], [ false, %18 ], [ false, %14 ], [ false, %10 ], [ false, %2 ]
  ret i1 %264
}

define internal noundef zeroext i1 @sizes_resize_taps(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca %struct.resizing, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %4 = call fastcc zeroext i1 @resizing_of(ptr noundef %3, ptr noundef %0, ptr noundef %1)
  br i1 %4, label %5, label %26

5:
  %6 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %9 = load i64, ptr %8, align 8
  br label %10

10:
  %11 = phi i1 [ false, %5 ], [ true, %22 ]
  %12 = phi i64 [ 2, %5 ], [ 3, %22 ]
  %13 = getelementptr inbounds nuw ptr, ptr %0, i64 %12
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 16
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %16, 2
  br i1 %17, label %18, label %26

18:
  %19 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %20 = load i64, ptr %19, align 8
  %21 = icmp eq i64 %20, 2
  br i1 %21, label %22, label %26

22:
  %23 = load i64, ptr %14, align 8
  %24 = inttoptr i64 %23 to ptr
  store i64 %7, ptr %24, align 8
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 8
  store i64 %9, ptr %25, align 8
  br i1 %11, label %26, label %10

26:
  %27 = phi i1 [ false, %2 ], [ true, %22 ], [ false, %18 ], [ false, %10 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %27
}

define internal fastcc zeroext i1 @resizing_of(ptr noundef nonnull writeonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %10 = load i64, ptr %9, align 8
  %11 = icmp eq i64 %10, 2
  br i1 %11, label %12, label %120

12:
  %13 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %14 = load i64, ptr %13, align 8
  %15 = icmp ne i64 %14, 1
  %16 = icmp slt i64 %8, 0
  %17 = select i1 %15, i1 true, i1 %16
  br i1 %17, label %120, label %18

18:
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %20 = load i64, ptr %19, align 8
  %21 = icmp slt i64 %8, %20
  br i1 %21, label %22, label %120

22:
  %23 = load i64, ptr %4, align 8
  %24 = inttoptr i64 %23 to ptr
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %29 = load i64, ptr %28, align 8
  %30 = getelementptr inbounds nuw i8, ptr %2, i64 32
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds nuw i8, ptr %2, i64 48
  %33 = load i64, ptr %32, align 8
  %34 = icmp ne i64 %33, 0
  %35 = zext i1 %34 to i8
  store i64 %25, ptr %0, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store i64 0, ptr %36, align 8
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 0, ptr %37, align 8
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 %27, ptr %38, align 8
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i64 %29, ptr %39, align 8
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store i64 %31, ptr %40, align 8
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store double 0.000000e+00, ptr %41, align 8
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store double 0.000000e+00, ptr %42, align 8
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store double 0.000000e+00, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 72
  store i8 %35, ptr %44, align 8
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 73
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(7) %45, i8 0, i64 7, i1 false)
  %46 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %47 = load i64, ptr %46, align 8
  store i64 %47, ptr %42, align 8
  %48 = add i64 %25, -2147483649
  %49 = icmp ult i64 %48, -2147483648
  br i1 %49, label %120, label %50

50:
  %51 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %52 = load i64, ptr %51, align 8
  switch i64 %52, label %120 [
    i64 2, label %53
    i64 0, label %61
  ]

53:
  %54 = load i64, ptr %6, align 8
  %55 = inttoptr i64 %54 to ptr
  %56 = getelementptr inbounds nuw i64, ptr %55, i64 %8
  %57 = load i64, ptr %56, align 8
  store i64 %57, ptr %36, align 8
  %58 = sitofp i64 %57 to double
  %59 = uitofp nneg i64 %25 to double
  %60 = fdiv double %58, %59
  store double %60, ptr %41, align 8
  br label %83

61:
  %62 = load i64, ptr %6, align 8
  %63 = inttoptr i64 %62 to ptr
  %64 = getelementptr inbounds nuw float, ptr %63, i64 %8
  %65 = load float, ptr %64, align 4
  %66 = fpext float %65 to double
  store double %66, ptr %41, align 8
  %67 = fcmp ogt float %65, 0.000000e+00
  %68 = fcmp olt float %65, 0x41E0000000000000
  %69 = and i1 %67, %68
  br i1 %69, label %70, label %120

70:
  %71 = uitofp nneg i64 %25 to double
  %72 = fmul double %71, %66
  %73 = fcmp olt double %72, 0x43D0000000000000
  br i1 %73, label %74, label %80

74:
  %75 = fptosi double %72 to i64
  %76 = sitofp i64 %75 to double
  %77 = fcmp olt double %72, %76
  %78 = fadd double %76, -1.000000e+00
  %79 = select i1 %77, double %78, double %76
  br label %80

80:
  %81 = phi double [ %79, %74 ], [ %72, %70 ]
  %82 = fptosi double %81 to i64
  store i64 %82, ptr %36, align 8
  br label %83

83:
  %84 = phi double [ %66, %80 ], [ %60, %53 ]
  %85 = phi i64 [ %82, %80 ], [ %57, %53 ]
  %86 = icmp ugt i64 %85, 2147483648
  br i1 %86, label %120, label %87

87:
  %88 = getelementptr inbounds nuw i8, ptr %2, i64 56
  %89 = load i64, ptr %88, align 8
  %90 = icmp eq i64 %89, 0
  br i1 %90, label %96, label %91

91:
  %92 = fcmp ogt double %84, 0.000000e+00
  %93 = fcmp olt double %84, 1.000000e+00
  %94 = and i1 %92, %93
  br i1 %94, label %95, label %96

95:
  br label %96

96:
  %97 = phi double [ %84, %95 ], [ 1.000000e+00, %87 ], [ 1.000000e+00, %91 ]
  store double %97, ptr %43, align 8
  %98 = icmp eq i64 %27, 1
  %99 = select i1 %98, double 1.000000e+00, double 2.000000e+00
  %100 = fdiv double %99, %97
  %101 = icmp eq i64 %27, 0
  br i1 %101, label %114, label %102

102:
  %103 = fcmp ugt double %100, 7.000000e+00
  br i1 %103, label %114, label %104

104:
  %105 = fneg double %100
  %106 = fptosi double %105 to i64
  %107 = sitofp i64 %106 to double
  %108 = fcmp olt double %105, %107
  %109 = fadd double %107, -1.000000e+00
  %110 = select i1 %108, double %109, double %107
  %111 = fneg double %110
  %112 = fptosi double %111 to i64
  %113 = shl i64 %112, 1
  br label %114

114:
  %115 = phi i64 [ 1, %96 ], [ %113, %104 ], [ 8, %102 ]
  store i64 %115, ptr %37, align 8
  %116 = load i64, ptr %2, align 8
  %117 = icmp eq i64 %115, %116
  %118 = icmp slt i64 %115, 8
  %119 = and i1 %118, %117
  br label %120

120:
  %121 = phi i1 [ false, %61 ], [ false, %3 ], [ false, %50 ], [ %119, %114 ], [ false, %22 ], [ false, %18 ], [ false, %12 ], [ false, %83 ]
  ret i1 %121
}

define internal noundef zeroext i1 @op_resize_taps(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca [7 x double], align 16
  %4 = alloca %struct.resizing, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %8 = load ptr, ptr %7, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %9 = call fastcc zeroext i1 @resizing_of(ptr noundef %4, ptr noundef %0, ptr noundef %1)
  br i1 %9, label %10, label %241

10:
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %12, 2
  br i1 %13, label %14, label %241

14:
  %15 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %18, label %241

18:
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %20 = load i64, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %24 = load i64, ptr %23, align 8
  %25 = mul i64 %24, %22
  %26 = icmp eq i64 %20, %25
  br i1 %26, label %27, label %241

27:
  %28 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %29 = load i64, ptr %28, align 8
  %30 = icmp eq i64 %29, %20
  br i1 %30, label %31, label %241

31:
  %32 = icmp sgt i64 %22, 0
  br i1 %32, label %33, label %241

33:
  %34 = load i64, ptr %8, align 8
  %35 = inttoptr i64 %34 to ptr
  %36 = load i64, ptr %6, align 8
  %37 = inttoptr i64 %36 to ptr
  %38 = load i64, ptr %4, align 8
  %39 = sitofp i64 %38 to double
  %40 = getelementptr inbounds nuw i8, ptr %4, i64 48
  %41 = getelementptr inbounds nuw i8, ptr %4, i64 32
  %42 = icmp eq i64 %22, 1
  %43 = fadd double %39, -1.000000e+00
  %44 = uitofp nneg i64 %22 to double
  %45 = fmul double %39, 5.000000e-01
  %46 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %47 = sdiv i64 %24, -2
  %48 = add nsw i64 %47, 1
  %49 = sitofp i64 %48 to double
  %50 = icmp sgt i64 %24, 0
  %51 = getelementptr inbounds nuw i8, ptr %4, i64 72
  %52 = getelementptr inbounds nuw i8, ptr %4, i64 64
  %53 = getelementptr inbounds nuw i8, ptr %4, i64 56
  %54 = add i64 %38, -1
  %55 = sitofp i64 %54 to double
  %56 = getelementptr inbounds nuw i8, ptr %4, i64 40
  %57 = load double, ptr %40, align 8
  %58 = load i64, ptr %41, align 8
  %59 = fmul double %57, %39
  %60 = fadd double %59, -1.000000e+00
  %61 = fdiv double %43, %60
  %62 = fmul double %57, %39
  %63 = fdiv double %44, %62
  %64 = fsub double 1.000000e+00, %63
  %65 = fmul double %45, %64
  %66 = load i64, ptr %46, align 8
  %67 = icmp eq i64 %66, 0
  %68 = load i8, ptr %51, align 8
  %69 = trunc nuw i8 %68 to i1
  %70 = load double, ptr %52, align 8
  %71 = load double, ptr %53, align 8
  %72 = icmp eq i64 %66, 1
  %73 = fadd double %71, 2.000000e+00
  %74 = fadd double %71, 3.000000e+00
  %75 = fmul double %71, 5.000000e+00
  %76 = fmul double %71, 8.000000e+00
  %77 = fmul double %71, 4.000000e+00
  %78 = load i64, ptr %56, align 8
  br label %79

79:
  %80 = phi i64 [ 0, %33 ], [ %237, %236 ]
  %81 = phi ptr [ %35, %33 ], [ %239, %236 ]
  %82 = phi ptr [ %37, %33 ], [ %238, %236 ]
  %83 = uitofp nneg i64 %80 to double
  switch i64 %58, label %102 [
    i64 1, label %84
    i64 2, label %89
    i64 3, label %94
    i64 4, label %97
    i64 5, label %99
  ]

84:
  %85 = fadd double %83, 5.000000e-01
  %86 = fdiv double %85, %57
  %87 = fadd double %86, %65
  %88 = fadd double %87, -5.000000e-01
  br label %106

89:
  %90 = fadd double %83, 5.000000e-01
  %91 = fdiv double %90, %57
  %92 = fadd double %91, -5.000000e-01
  %93 = select i1 %42, double 0.000000e+00, double %92
  br label %106

94:
  br i1 %42, label %106, label %95

95:
  %96 = fmul double %61, %83
  br label %106

97:
  %98 = fdiv double %83, %57
  br label %106

99:
  %100 = fadd double %83, 5.000000e-01
  %101 = fdiv double %100, %57
  br label %106

102:
  %103 = fadd double %83, 5.000000e-01
  %104 = fdiv double %103, %57
  %105 = fadd double %104, -5.000000e-01
  br label %106

106:
  %107 = phi double [ %105, %102 ], [ %88, %84 ], [ %93, %89 ], [ %101, %99 ], [ %98, %97 ], [ %96, %95 ], [ 0.000000e+00, %94 ]
  br i1 %67, label %180, label %108

108:
  %109 = tail call double @llvm.fabs.f64(double %107)
  %110 = fcmp olt double %109, 0x43D0000000000000
  br i1 %110, label %111, label %117

111:
  %112 = fptosi double %107 to i64
  %113 = sitofp i64 %112 to double
  %114 = fcmp olt double %107, %113
  %115 = fadd double %113, -1.000000e+00
  %116 = select i1 %114, double %115, double %113
  br label %117

117:
  %118 = phi double [ %116, %111 ], [ %107, %108 ]
  %119 = fadd double %118, %49
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  br i1 %50, label %120, label %179

120:
  %121 = phi double [ %159, %165 ], [ 0.000000e+00, %117 ]
  %122 = phi i64 [ %168, %165 ], [ 0, %117 ]
  %123 = uitofp nneg i64 %122 to double
  %124 = fadd double %119, %123
  %125 = fcmp olt double %124, 0.000000e+00
  %126 = fcmp oge double %124, %39
  %127 = select i1 %125, i1 true, i1 %126
  %128 = select i1 %69, i1 %127, i1 false
  br i1 %128, label %156, label %129

129:
  %130 = fsub double %124, %107
  %131 = fmul double %130, %70
  %132 = fcmp olt double %131, 0.000000e+00
  %133 = fneg double %131
  %134 = select i1 %132, double %133, double %131
  br i1 %72, label %135, label %139

135:
  %136 = fcmp olt double %134, 1.000000e+00
  %137 = fsub double 1.000000e+00, %134
  %138 = select i1 %136, double %137, double 0.000000e+00
  br label %156

139:
  %140 = fcmp ugt double %134, 1.000000e+00
  br i1 %140, label %147, label %141

141:
  %142 = fmul double %73, %134
  %143 = fsub double %142, %74
  %144 = fmul double %134, %143
  %145 = fmul double %134, %144
  %146 = fadd double %145, 1.000000e+00
  br label %156

147:
  %148 = fcmp olt double %134, 2.000000e+00
  br i1 %148, label %149, label %156

149:
  %150 = fmul double %71, %134
  %151 = fsub double %150, %75
  %152 = fmul double %134, %151
  %153 = fadd double %76, %152
  %154 = fmul double %134, %153
  %155 = fsub double %154, %77
  br label %156

156:
  %157 = phi double [ 0.000000e+00, %120 ], [ %138, %135 ], [ %146, %141 ], [ %155, %149 ], [ 0.000000e+00, %147 ]
  %158 = getelementptr inbounds nuw double, ptr %3, i64 %122
  store double %157, ptr %158, align 8
  %159 = fadd double %121, %157
  %160 = fcmp ugt double %124, 0.000000e+00
  br i1 %160, label %161, label %165

161:
  %162 = fcmp ult double %124, %55
  br i1 %162, label %163, label %165

163:
  %164 = fptosi double %124 to i64
  br label %165

165:
  %166 = phi i64 [ 0, %156 ], [ %164, %163 ], [ %54, %161 ]
  %167 = getelementptr inbounds nuw i64, ptr %82, i64 %122
  store i64 %166, ptr %167, align 8
  %168 = add nuw nsw i64 %122, 1
  %169 = icmp eq i64 %168, %24
  br i1 %169, label %170, label %120

170:
  %171 = phi i64 [ %177, %170 ], [ 0, %165 ]
  %172 = getelementptr inbounds nuw double, ptr %3, i64 %171
  %173 = load double, ptr %172, align 8
  %174 = fdiv double %173, %159
  %175 = fptrunc double %174 to float
  %176 = getelementptr inbounds nuw float, ptr %81, i64 %171
  store float %175, ptr %176, align 4
  %177 = add nuw nsw i64 %171, 1
  %178 = icmp eq i64 %177, %24
  br i1 %178, label %179, label %170

179:
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  br label %236

180:
  switch i64 %78, label %214 [
    i64 0, label %181
    i64 1, label %195
    i64 2, label %205
  ]

181:
  %182 = fadd double %107, -5.000000e-01
  %183 = fneg double %182
  %184 = tail call double @llvm.fabs.f64(double %182)
  %185 = fcmp olt double %184, 0x43D0000000000000
  br i1 %185, label %186, label %192

186:
  %187 = fptosi double %183 to i64
  %188 = sitofp i64 %187 to double
  %189 = fcmp olt double %183, %188
  %190 = fadd double %188, -1.000000e+00
  %191 = select i1 %189, double %190, double %188
  br label %192

192:
  %193 = phi double [ %191, %186 ], [ %183, %181 ]
  %194 = fneg double %193
  br label %227

195:
  %196 = fadd double %107, 5.000000e-01
  %197 = tail call double @llvm.fabs.f64(double %196)
  %198 = fcmp olt double %197, 0x43D0000000000000
  br i1 %198, label %199, label %227

199:
  %200 = fptosi double %196 to i64
  %201 = sitofp i64 %200 to double
  %202 = fcmp olt double %196, %201
  %203 = fadd double %201, -1.000000e+00
  %204 = select i1 %202, double %203, double %201
  br label %227

205:
  %206 = tail call double @llvm.fabs.f64(double %107)
  %207 = fcmp olt double %206, 0x43D0000000000000
  br i1 %207, label %208, label %227

208:
  %209 = fptosi double %107 to i64
  %210 = sitofp i64 %209 to double
  %211 = fcmp olt double %107, %210
  %212 = fadd double %210, -1.000000e+00
  %213 = select i1 %211, double %212, double %210
  br label %227

214:
  %215 = fneg double %107
  %216 = tail call double @llvm.fabs.f64(double %107)
  %217 = fcmp olt double %216, 0x43D0000000000000
  br i1 %217, label %218, label %224

218:
  %219 = fptosi double %215 to i64
  %220 = sitofp i64 %219 to double
  %221 = fcmp olt double %215, %220
  %222 = fadd double %220, -1.000000e+00
  %223 = select i1 %221, double %222, double %220
  br label %224

224:
  %225 = phi double [ %223, %218 ], [ %215, %214 ]
  %226 = fneg double %225
  br label %227

227:
  %228 = phi double [ %226, %224 ], [ %194, %192 ], [ %196, %195 ], [ %204, %199 ], [ %213, %208 ], [ %107, %205 ]
  %229 = fcmp ugt double %228, 0.000000e+00
  br i1 %229, label %230, label %234

230:
  %231 = fcmp ult double %228, %55
  br i1 %231, label %232, label %234

232:
  %233 = fptosi double %228 to i64
  br label %234

234:
  %235 = phi i64 [ 0, %227 ], [ %233, %232 ], [ %54, %230 ]
  store i64 %235, ptr %82, align 8
  store float 1.000000e+00, ptr %81, align 4
  br label %236

236:
  %237 = add nuw nsw i64 %80, 1
  %238 = getelementptr inbounds i64, ptr %82, i64 %24
  %239 = getelementptr inbounds float, ptr %81, i64 %24
  %240 = icmp eq i64 %237, %22
  br i1 %240, label %241, label %79

241:
  %242 = phi i1 [ false, %2 ], [ false, %27 ], [ false, %18 ], [ false, %14 ], [ false, %10 ], [ true, %31 ], [ true, %236 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  ret i1 %242
}

define internal noundef zeroext i1 @op_scatter(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca %struct.lines, align 8
  %4 = alloca %struct.joined, align 8
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %11 = load ptr, ptr %10, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %12 = load i64, ptr %1, align 8
  %13 = call fastcc zeroext i1 @lines_of(ptr noundef %3, ptr noundef %5, ptr noundef %7, i64 noundef %12)
  br i1 %13, label %14, label %777

14:
  %15 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %16, %18
  br i1 %19, label %20, label %777

20:
  %21 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %22 = load i64, ptr %21, align 8
  %23 = call fastcc zeroext i1 @begin_join(ptr noundef %4, ptr noundef %5, ptr noundef nonnull %9, ptr noundef %11, i64 noundef %22)
  br i1 %23, label %24, label %777

24:
  %25 = load i64, ptr %9, align 8
  %26 = inttoptr i64 %25 to ptr
  %27 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %28 = load i64, ptr %27, align 8
  %29 = icmp eq i64 %28, 2
  %30 = getelementptr inbounds nuw i8, ptr %4, i64 32
  %31 = load i64, ptr %30, align 8
  %32 = icmp eq i64 %31, 0
  br i1 %32, label %33, label %506

33:
  %34 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %35 = load i64, ptr %34, align 8
  %36 = load ptr, ptr %4, align 8
  %37 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %38 = load i64, ptr %37, align 8
  %39 = icmp slt i64 %38, 1
  switch i64 %35, label %340 [
    i64 4, label %40
    i64 8, label %190
  ]

40:
  br i1 %29, label %51, label %41

41:
  br i1 %39, label %755, label %42

42:
  %43 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %44 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %45 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %46 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %47 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %48 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %49 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %50 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %125

51:
  br i1 %39, label %755, label %52

52:
  %53 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %54 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %55 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %56 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %57 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %58 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %59 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %60 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %61

61:
  %62 = phi ptr [ %26, %52 ], [ %97, %122 ]
  %63 = phi i64 [ 0, %52 ], [ %98, %122 ]
  %64 = load i64, ptr %7, align 8
  %65 = inttoptr i64 %64 to ptr
  %66 = load i64, ptr %53, align 8
  %67 = shl i64 %63, 3
  %68 = mul i64 %67, %66
  %69 = getelementptr inbounds i8, ptr %65, i64 %68
  %70 = load i64, ptr %54, align 8
  %71 = load i64, ptr %55, align 8
  %72 = load i64, ptr %56, align 8
  %73 = icmp sgt i64 %66, 0
  br i1 %73, label %74, label %96

74:
  %75 = phi i64 [ %94, %83 ], [ 0, %61 ]
  %76 = phi ptr [ %93, %83 ], [ %62, %61 ]
  %77 = getelementptr inbounds nuw i64, ptr %69, i64 %75
  %78 = load i64, ptr %77, align 8
  %79 = icmp slt i64 %78, 0
  %80 = select i1 %79, i64 %70, i64 0
  %81 = add i64 %80, %78
  %82 = icmp ult i64 %81, %70
  br i1 %82, label %83, label %752

83:
  %84 = load i8, ptr %57, align 8
  %85 = trunc nuw i8 %84 to i1
  %86 = mul i64 %81, %71
  %87 = add i64 %86, %75
  %88 = select i1 %85, i64 %81, i64 %87
  %89 = add i64 %88, %72
  %90 = shl i64 %89, 2
  %91 = getelementptr inbounds i8, ptr %36, i64 %90
  %92 = load i32, ptr %76, align 1
  store i32 %92, ptr %91, align 1
  %93 = getelementptr inbounds nuw i8, ptr %76, i64 4
  %94 = add nuw nsw i64 %75, 1
  %95 = icmp eq i64 %94, %66
  br i1 %95, label %96, label %74

96:
  %97 = phi ptr [ %62, %61 ], [ %93, %83 ]
  %98 = add nuw nsw i64 %63, 1
  %99 = load i64, ptr %3, align 8
  %100 = add i64 %99, -2
  %101 = icmp sgt i64 %100, -1
  br i1 %101, label %102, label %122

102:
  %103 = load i64, ptr %56, align 8
  br label %104

104:
  %105 = phi i64 [ %103, %102 ], [ %119, %117 ]
  %106 = phi i64 [ %100, %102 ], [ %120, %117 ]
  %107 = getelementptr inbounds nuw i64, ptr %58, i64 %106
  %108 = load i64, ptr %107, align 8
  %109 = add i64 %108, %105
  store i64 %109, ptr %56, align 8
  %110 = getelementptr inbounds nuw i64, ptr %59, i64 %106
  %111 = load i64, ptr %110, align 8
  %112 = add i64 %111, 1
  store i64 %112, ptr %110, align 8
  %113 = load ptr, ptr %60, align 8
  %114 = getelementptr inbounds nuw i64, ptr %113, i64 %106
  %115 = load i64, ptr %114, align 8
  %116 = icmp slt i64 %112, %115
  br i1 %116, label %122, label %117

117:
  %118 = mul i64 %115, %108
  %119 = sub i64 %109, %118
  store i64 %119, ptr %56, align 8
  store i64 0, ptr %110, align 8
  %120 = add nsw i64 %106, -1
  %121 = icmp sgt i64 %106, 0
  br i1 %121, label %104, label %122

122:
  %123 = load i64, ptr %37, align 8
  %124 = icmp slt i64 %98, %123
  br i1 %124, label %61, label %755

125:
  %126 = phi ptr [ %26, %42 ], [ %162, %187 ]
  %127 = phi i64 [ 0, %42 ], [ %163, %187 ]
  %128 = load i64, ptr %7, align 8
  %129 = inttoptr i64 %128 to ptr
  %130 = load i64, ptr %43, align 8
  %131 = shl i64 %127, 2
  %132 = mul i64 %131, %130
  %133 = getelementptr inbounds i8, ptr %129, i64 %132
  %134 = load i64, ptr %44, align 8
  %135 = load i64, ptr %45, align 8
  %136 = load i64, ptr %46, align 8
  %137 = icmp sgt i64 %130, 0
  br i1 %137, label %138, label %161

138:
  %139 = phi i64 [ %159, %148 ], [ 0, %125 ]
  %140 = phi ptr [ %158, %148 ], [ %126, %125 ]
  %141 = getelementptr inbounds nuw i32, ptr %133, i64 %139
  %142 = load i32, ptr %141, align 4
  %143 = sext i32 %142 to i64
  %144 = icmp slt i32 %142, 0
  %145 = select i1 %144, i64 %134, i64 0
  %146 = add i64 %145, %143
  %147 = icmp ult i64 %146, %134
  br i1 %147, label %148, label %752

148:
  %149 = load i8, ptr %47, align 8
  %150 = trunc nuw i8 %149 to i1
  %151 = mul i64 %146, %135
  %152 = add i64 %151, %139
  %153 = select i1 %150, i64 %146, i64 %152
  %154 = add i64 %153, %136
  %155 = shl i64 %154, 2
  %156 = getelementptr inbounds i8, ptr %36, i64 %155
  %157 = load i32, ptr %140, align 1
  store i32 %157, ptr %156, align 1
  %158 = getelementptr inbounds nuw i8, ptr %140, i64 4
  %159 = add nuw nsw i64 %139, 1
  %160 = icmp eq i64 %159, %130
  br i1 %160, label %161, label %138

161:
  %162 = phi ptr [ %126, %125 ], [ %158, %148 ]
  %163 = add nuw nsw i64 %127, 1
  %164 = load i64, ptr %3, align 8
  %165 = add i64 %164, -2
  %166 = icmp sgt i64 %165, -1
  br i1 %166, label %167, label %187

167:
  %168 = load i64, ptr %46, align 8
  br label %169

169:
  %170 = phi i64 [ %168, %167 ], [ %184, %182 ]
  %171 = phi i64 [ %165, %167 ], [ %185, %182 ]
  %172 = getelementptr inbounds nuw i64, ptr %48, i64 %171
  %173 = load i64, ptr %172, align 8
  %174 = add i64 %173, %170
  store i64 %174, ptr %46, align 8
  %175 = getelementptr inbounds nuw i64, ptr %49, i64 %171
  %176 = load i64, ptr %175, align 8
  %177 = add i64 %176, 1
  store i64 %177, ptr %175, align 8
  %178 = load ptr, ptr %50, align 8
  %179 = getelementptr inbounds nuw i64, ptr %178, i64 %171
  %180 = load i64, ptr %179, align 8
  %181 = icmp slt i64 %177, %180
  br i1 %181, label %187, label %182

182:
  %183 = mul i64 %180, %173
  %184 = sub i64 %174, %183
  store i64 %184, ptr %46, align 8
  store i64 0, ptr %175, align 8
  %185 = add nsw i64 %171, -1
  %186 = icmp sgt i64 %171, 0
  br i1 %186, label %169, label %187

187:
  %188 = load i64, ptr %37, align 8
  %189 = icmp slt i64 %163, %188
  br i1 %189, label %125, label %755

190:
  br i1 %29, label %201, label %191

191:
  br i1 %39, label %755, label %192

192:
  %193 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %194 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %195 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %196 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %197 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %198 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %199 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %200 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %275

201:
  br i1 %39, label %755, label %202

202:
  %203 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %204 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %205 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %206 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %207 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %208 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %209 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %210 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %211

211:
  %212 = phi ptr [ %26, %202 ], [ %247, %272 ]
  %213 = phi i64 [ 0, %202 ], [ %248, %272 ]
  %214 = load i64, ptr %7, align 8
  %215 = inttoptr i64 %214 to ptr
  %216 = load i64, ptr %203, align 8
  %217 = shl i64 %213, 3
  %218 = mul i64 %217, %216
  %219 = getelementptr inbounds i8, ptr %215, i64 %218
  %220 = load i64, ptr %204, align 8
  %221 = load i64, ptr %205, align 8
  %222 = load i64, ptr %206, align 8
  %223 = icmp sgt i64 %216, 0
  br i1 %223, label %224, label %246

224:
  %225 = phi i64 [ %244, %233 ], [ 0, %211 ]
  %226 = phi ptr [ %243, %233 ], [ %212, %211 ]
  %227 = getelementptr inbounds nuw i64, ptr %219, i64 %225
  %228 = load i64, ptr %227, align 8
  %229 = icmp slt i64 %228, 0
  %230 = select i1 %229, i64 %220, i64 0
  %231 = add i64 %230, %228
  %232 = icmp ult i64 %231, %220
  br i1 %232, label %233, label %752

233:
  %234 = load i8, ptr %207, align 8
  %235 = trunc nuw i8 %234 to i1
  %236 = mul i64 %231, %221
  %237 = add i64 %236, %225
  %238 = select i1 %235, i64 %231, i64 %237
  %239 = add i64 %238, %222
  %240 = shl i64 %239, 3
  %241 = getelementptr inbounds i8, ptr %36, i64 %240
  %242 = load i64, ptr %226, align 1
  store i64 %242, ptr %241, align 1
  %243 = getelementptr inbounds nuw i8, ptr %226, i64 8
  %244 = add nuw nsw i64 %225, 1
  %245 = icmp eq i64 %244, %216
  br i1 %245, label %246, label %224

246:
  %247 = phi ptr [ %212, %211 ], [ %243, %233 ]
  %248 = add nuw nsw i64 %213, 1
  %249 = load i64, ptr %3, align 8
  %250 = add i64 %249, -2
  %251 = icmp sgt i64 %250, -1
  br i1 %251, label %252, label %272

252:
  %253 = load i64, ptr %206, align 8
  br label %254

254:
  %255 = phi i64 [ %253, %252 ], [ %269, %267 ]
  %256 = phi i64 [ %250, %252 ], [ %270, %267 ]
  %257 = getelementptr inbounds nuw i64, ptr %208, i64 %256
  %258 = load i64, ptr %257, align 8
  %259 = add i64 %258, %255
  store i64 %259, ptr %206, align 8
  %260 = getelementptr inbounds nuw i64, ptr %209, i64 %256
  %261 = load i64, ptr %260, align 8
  %262 = add i64 %261, 1
  store i64 %262, ptr %260, align 8
  %263 = load ptr, ptr %210, align 8
  %264 = getelementptr inbounds nuw i64, ptr %263, i64 %256
  %265 = load i64, ptr %264, align 8
  %266 = icmp slt i64 %262, %265
  br i1 %266, label %272, label %267

267:
  %268 = mul i64 %265, %258
  %269 = sub i64 %259, %268
  store i64 %269, ptr %206, align 8
  store i64 0, ptr %260, align 8
  %270 = add nsw i64 %256, -1
  %271 = icmp sgt i64 %256, 0
  br i1 %271, label %254, label %272

272:
  %273 = load i64, ptr %37, align 8
  %274 = icmp slt i64 %248, %273
  br i1 %274, label %211, label %755

275:
  %276 = phi ptr [ %26, %192 ], [ %312, %337 ]
  %277 = phi i64 [ 0, %192 ], [ %313, %337 ]
  %278 = load i64, ptr %7, align 8
  %279 = inttoptr i64 %278 to ptr
  %280 = load i64, ptr %193, align 8
  %281 = shl i64 %277, 2
  %282 = mul i64 %281, %280
  %283 = getelementptr inbounds i8, ptr %279, i64 %282
  %284 = load i64, ptr %194, align 8
  %285 = load i64, ptr %195, align 8
  %286 = load i64, ptr %196, align 8
  %287 = icmp sgt i64 %280, 0
  br i1 %287, label %288, label %311

288:
  %289 = phi i64 [ %309, %298 ], [ 0, %275 ]
  %290 = phi ptr [ %308, %298 ], [ %276, %275 ]
  %291 = getelementptr inbounds nuw i32, ptr %283, i64 %289
  %292 = load i32, ptr %291, align 4
  %293 = sext i32 %292 to i64
  %294 = icmp slt i32 %292, 0
  %295 = select i1 %294, i64 %284, i64 0
  %296 = add i64 %295, %293
  %297 = icmp ult i64 %296, %284
  br i1 %297, label %298, label %752

298:
  %299 = load i8, ptr %197, align 8
  %300 = trunc nuw i8 %299 to i1
  %301 = mul i64 %296, %285
  %302 = add i64 %301, %289
  %303 = select i1 %300, i64 %296, i64 %302
  %304 = add i64 %303, %286
  %305 = shl i64 %304, 3
  %306 = getelementptr inbounds i8, ptr %36, i64 %305
  %307 = load i64, ptr %290, align 1
  store i64 %307, ptr %306, align 1
  %308 = getelementptr inbounds nuw i8, ptr %290, i64 8
  %309 = add nuw nsw i64 %289, 1
  %310 = icmp eq i64 %309, %280
  br i1 %310, label %311, label %288

311:
  %312 = phi ptr [ %276, %275 ], [ %308, %298 ]
  %313 = add nuw nsw i64 %277, 1
  %314 = load i64, ptr %3, align 8
  %315 = add i64 %314, -2
  %316 = icmp sgt i64 %315, -1
  br i1 %316, label %317, label %337

317:
  %318 = load i64, ptr %196, align 8
  br label %319

319:
  %320 = phi i64 [ %318, %317 ], [ %334, %332 ]
  %321 = phi i64 [ %315, %317 ], [ %335, %332 ]
  %322 = getelementptr inbounds nuw i64, ptr %198, i64 %321
  %323 = load i64, ptr %322, align 8
  %324 = add i64 %323, %320
  store i64 %324, ptr %196, align 8
  %325 = getelementptr inbounds nuw i64, ptr %199, i64 %321
  %326 = load i64, ptr %325, align 8
  %327 = add i64 %326, 1
  store i64 %327, ptr %325, align 8
  %328 = load ptr, ptr %200, align 8
  %329 = getelementptr inbounds nuw i64, ptr %328, i64 %321
  %330 = load i64, ptr %329, align 8
  %331 = icmp slt i64 %327, %330
  br i1 %331, label %337, label %332

332:
  %333 = mul i64 %330, %323
  %334 = sub i64 %324, %333
  store i64 %334, ptr %196, align 8
  store i64 0, ptr %325, align 8
  %335 = add nsw i64 %321, -1
  %336 = icmp sgt i64 %321, 0
  br i1 %336, label %319, label %337

337:
  %338 = load i64, ptr %37, align 8
  %339 = icmp slt i64 %313, %338
  br i1 %339, label %275, label %755

340:
  br i1 %29, label %351, label %341

341:
  br i1 %39, label %755, label %342

342:
  %343 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %344 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %345 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %346 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %347 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %348 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %349 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %350 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %433

351:
  br i1 %39, label %755, label %352

352:
  %353 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %354 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %355 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %356 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %357 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %358 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %359 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %360 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %361

361:
  %362 = phi ptr [ %26, %352 ], [ %405, %430 ]
  %363 = phi i64 [ 0, %352 ], [ %406, %430 ]
  %364 = load i64, ptr %7, align 8
  %365 = inttoptr i64 %364 to ptr
  %366 = load i64, ptr %353, align 8
  %367 = shl i64 %363, 3
  %368 = mul i64 %367, %366
  %369 = getelementptr inbounds i8, ptr %365, i64 %368
  %370 = load i64, ptr %354, align 8
  %371 = load i64, ptr %355, align 8
  %372 = load i64, ptr %356, align 8
  %373 = icmp sgt i64 %366, 0
  br i1 %373, label %374, label %404

374:
  %375 = phi i64 [ %402, %400 ], [ 0, %361 ]
  %376 = phi ptr [ %401, %400 ], [ %362, %361 ]
  %377 = getelementptr inbounds nuw i64, ptr %369, i64 %375
  %378 = load i64, ptr %377, align 8
  %379 = icmp slt i64 %378, 0
  %380 = select i1 %379, i64 %370, i64 0
  %381 = add i64 %380, %378
  %382 = icmp ult i64 %381, %370
  br i1 %382, label %383, label %752

383:
  %384 = load i8, ptr %357, align 8
  %385 = trunc nuw i8 %384 to i1
  %386 = mul i64 %381, %371
  %387 = add i64 %386, %375
  %388 = select i1 %385, i64 %381, i64 %387
  %389 = add i64 %388, %372
  %390 = mul i64 %389, %35
  %391 = getelementptr inbounds i8, ptr %36, i64 %390
  switch i64 %35, label %398 [
    i64 1, label %392
    i64 2, label %394
    i64 4, label %396
  ]

392:
  %393 = load i8, ptr %376, align 1
  store i8 %393, ptr %391, align 1
  br label %400

394:
  %395 = load i16, ptr %376, align 1
  store i16 %395, ptr %391, align 1
  br label %400

396:
  %397 = load i32, ptr %376, align 1
  store i32 %397, ptr %391, align 1
  br label %400

398:
  %399 = load i64, ptr %376, align 1
  store i64 %399, ptr %391, align 1
  br label %400

400:
  %401 = getelementptr inbounds i8, ptr %376, i64 %35
  %402 = add nuw nsw i64 %375, 1
  %403 = icmp eq i64 %402, %366
  br i1 %403, label %404, label %374

404:
  %405 = phi ptr [ %362, %361 ], [ %401, %400 ]
  %406 = add nuw nsw i64 %363, 1
  %407 = load i64, ptr %3, align 8
  %408 = add i64 %407, -2
  %409 = icmp sgt i64 %408, -1
  br i1 %409, label %410, label %430

410:
  %411 = load i64, ptr %356, align 8
  br label %412

412:
  %413 = phi i64 [ %411, %410 ], [ %427, %425 ]
  %414 = phi i64 [ %408, %410 ], [ %428, %425 ]
  %415 = getelementptr inbounds nuw i64, ptr %358, i64 %414
  %416 = load i64, ptr %415, align 8
  %417 = add i64 %416, %413
  store i64 %417, ptr %356, align 8
  %418 = getelementptr inbounds nuw i64, ptr %359, i64 %414
  %419 = load i64, ptr %418, align 8
  %420 = add i64 %419, 1
  store i64 %420, ptr %418, align 8
  %421 = load ptr, ptr %360, align 8
  %422 = getelementptr inbounds nuw i64, ptr %421, i64 %414
  %423 = load i64, ptr %422, align 8
  %424 = icmp slt i64 %420, %423
  br i1 %424, label %430, label %425

425:
  %426 = mul i64 %423, %416
  %427 = sub i64 %417, %426
  store i64 %427, ptr %356, align 8
  store i64 0, ptr %418, align 8
  %428 = add nsw i64 %414, -1
  %429 = icmp sgt i64 %414, 0
  br i1 %429, label %412, label %430

430:
  %431 = load i64, ptr %37, align 8
  %432 = icmp slt i64 %406, %431
  br i1 %432, label %361, label %755

433:
  %434 = phi ptr [ %26, %342 ], [ %478, %503 ]
  %435 = phi i64 [ 0, %342 ], [ %479, %503 ]
  %436 = load i64, ptr %7, align 8
  %437 = inttoptr i64 %436 to ptr
  %438 = load i64, ptr %343, align 8
  %439 = shl i64 %435, 2
  %440 = mul i64 %439, %438
  %441 = getelementptr inbounds i8, ptr %437, i64 %440
  %442 = load i64, ptr %344, align 8
  %443 = load i64, ptr %345, align 8
  %444 = load i64, ptr %346, align 8
  %445 = icmp sgt i64 %438, 0
  br i1 %445, label %446, label %477

446:
  %447 = phi i64 [ %475, %473 ], [ 0, %433 ]
  %448 = phi ptr [ %474, %473 ], [ %434, %433 ]
  %449 = getelementptr inbounds nuw i32, ptr %441, i64 %447
  %450 = load i32, ptr %449, align 4
  %451 = sext i32 %450 to i64
  %452 = icmp slt i32 %450, 0
  %453 = select i1 %452, i64 %442, i64 0
  %454 = add i64 %453, %451
  %455 = icmp ult i64 %454, %442
  br i1 %455, label %456, label %752

456:
  %457 = load i8, ptr %347, align 8
  %458 = trunc nuw i8 %457 to i1
  %459 = mul i64 %454, %443
  %460 = add i64 %459, %447
  %461 = select i1 %458, i64 %454, i64 %460
  %462 = add i64 %461, %444
  %463 = mul i64 %462, %35
  %464 = getelementptr inbounds i8, ptr %36, i64 %463
  switch i64 %35, label %471 [
    i64 1, label %465
    i64 2, label %467
    i64 4, label %469
  ]

465:
  %466 = load i8, ptr %448, align 1
  store i8 %466, ptr %464, align 1
  br label %473

467:
  %468 = load i16, ptr %448, align 1
  store i16 %468, ptr %464, align 1
  br label %473

469:
  %470 = load i32, ptr %448, align 1
  store i32 %470, ptr %464, align 1
  br label %473

471:
  %472 = load i64, ptr %448, align 1
  store i64 %472, ptr %464, align 1
  br label %473

473:
  %474 = getelementptr inbounds i8, ptr %448, i64 %35
  %475 = add nuw nsw i64 %447, 1
  %476 = icmp eq i64 %475, %438
  br i1 %476, label %477, label %446

477:
  %478 = phi ptr [ %434, %433 ], [ %474, %473 ]
  %479 = add nuw nsw i64 %435, 1
  %480 = load i64, ptr %3, align 8
  %481 = add i64 %480, -2
  %482 = icmp sgt i64 %481, -1
  br i1 %482, label %483, label %503

483:
  %484 = load i64, ptr %346, align 8
  br label %485

485:
  %486 = phi i64 [ %484, %483 ], [ %500, %498 ]
  %487 = phi i64 [ %481, %483 ], [ %501, %498 ]
  %488 = getelementptr inbounds nuw i64, ptr %348, i64 %487
  %489 = load i64, ptr %488, align 8
  %490 = add i64 %489, %486
  store i64 %490, ptr %346, align 8
  %491 = getelementptr inbounds nuw i64, ptr %349, i64 %487
  %492 = load i64, ptr %491, align 8
  %493 = add i64 %492, 1
  store i64 %493, ptr %491, align 8
  %494 = load ptr, ptr %350, align 8
  %495 = getelementptr inbounds nuw i64, ptr %494, i64 %487
  %496 = load i64, ptr %495, align 8
  %497 = icmp slt i64 %493, %496
  br i1 %497, label %503, label %498

498:
  %499 = mul i64 %496, %489
  %500 = sub i64 %490, %499
  store i64 %500, ptr %346, align 8
  store i64 0, ptr %491, align 8
  %501 = add nsw i64 %487, -1
  %502 = icmp sgt i64 %487, 0
  br i1 %502, label %485, label %503

503:
  %504 = load i64, ptr %37, align 8
  %505 = icmp slt i64 %479, %504
  br i1 %505, label %433, label %755

506:
  %507 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %508 = load ptr, ptr %507, align 8
  %509 = icmp ne ptr %508, null
  %510 = icmp eq i64 %31, 1
  %511 = and i1 %510, %509
  %512 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %513 = load i64, ptr %512, align 8
  %514 = icmp slt i64 %513, 1
  br i1 %511, label %528, label %515

515:
  br i1 %514, label %755, label %516

516:
  %517 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %518 = select i1 %29, i64 3, i64 2
  %519 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %520 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %521 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %522 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %523 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %524 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %525 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %526 = getelementptr inbounds nuw i8, ptr %3, i64 184
  %527 = load i64, ptr %523, align 8
  br label %684

528:
  br i1 %29, label %539, label %529

529:
  br i1 %514, label %755, label %530

530:
  %531 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %532 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %533 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %534 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %535 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %536 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %537 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %538 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %616

539:
  br i1 %514, label %755, label %540

540:
  %541 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %542 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %543 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %544 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %545 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %546 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %547 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %548 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %549

549:
  %550 = phi ptr [ %26, %540 ], [ %588, %613 ]
  %551 = phi i64 [ 0, %540 ], [ %589, %613 ]
  %552 = load i64, ptr %7, align 8
  %553 = inttoptr i64 %552 to ptr
  %554 = load i64, ptr %541, align 8
  %555 = shl i64 %551, 3
  %556 = mul i64 %555, %554
  %557 = getelementptr inbounds i8, ptr %553, i64 %556
  %558 = load i64, ptr %542, align 8
  %559 = load i64, ptr %543, align 8
  %560 = icmp sgt i64 %554, 0
  br i1 %560, label %561, label %587

561:
  %562 = load i64, ptr %544, align 8
  %563 = getelementptr double, ptr %508, i64 %562
  br label %564

564:
  %565 = phi i64 [ 0, %561 ], [ %585, %573 ]
  %566 = phi ptr [ %550, %561 ], [ %579, %573 ]
  %567 = getelementptr inbounds nuw i64, ptr %557, i64 %565
  %568 = load i64, ptr %567, align 8
  %569 = icmp slt i64 %568, 0
  %570 = select i1 %569, i64 %558, i64 0
  %571 = add i64 %570, %568
  %572 = icmp ult i64 %571, %558
  br i1 %572, label %573, label %752

573:
  %574 = load i8, ptr %545, align 8
  %575 = trunc nuw i8 %574 to i1
  %576 = mul i64 %571, %559
  %577 = add i64 %576, %565
  %578 = select i1 %575, i64 %571, i64 %577
  %579 = getelementptr inbounds nuw i8, ptr %566, i64 4
  %580 = load float, ptr %566, align 4
  %581 = fpext float %580 to double
  %582 = getelementptr double, ptr %563, i64 %578
  %583 = load double, ptr %582, align 8
  %584 = fadd double %583, %581
  store double %584, ptr %582, align 8
  %585 = add nuw nsw i64 %565, 1
  %586 = icmp eq i64 %585, %554
  br i1 %586, label %587, label %564

587:
  %588 = phi ptr [ %550, %549 ], [ %579, %573 ]
  %589 = add nuw nsw i64 %551, 1
  %590 = load i64, ptr %3, align 8
  %591 = add i64 %590, -2
  %592 = icmp sgt i64 %591, -1
  br i1 %592, label %593, label %613

593:
  %594 = load i64, ptr %544, align 8
  br label %595

595:
  %596 = phi i64 [ %594, %593 ], [ %610, %608 ]
  %597 = phi i64 [ %591, %593 ], [ %611, %608 ]
  %598 = getelementptr inbounds nuw i64, ptr %546, i64 %597
  %599 = load i64, ptr %598, align 8
  %600 = add i64 %599, %596
  store i64 %600, ptr %544, align 8
  %601 = getelementptr inbounds nuw i64, ptr %547, i64 %597
  %602 = load i64, ptr %601, align 8
  %603 = add i64 %602, 1
  store i64 %603, ptr %601, align 8
  %604 = load ptr, ptr %548, align 8
  %605 = getelementptr inbounds nuw i64, ptr %604, i64 %597
  %606 = load i64, ptr %605, align 8
  %607 = icmp slt i64 %603, %606
  br i1 %607, label %613, label %608

608:
  %609 = mul i64 %606, %599
  %610 = sub i64 %600, %609
  store i64 %610, ptr %544, align 8
  store i64 0, ptr %601, align 8
  %611 = add nsw i64 %597, -1
  %612 = icmp sgt i64 %597, 0
  br i1 %612, label %595, label %613

613:
  %614 = load i64, ptr %512, align 8
  %615 = icmp slt i64 %589, %614
  br i1 %615, label %549, label %755

616:
  %617 = phi ptr [ %26, %530 ], [ %656, %681 ]
  %618 = phi i64 [ 0, %530 ], [ %657, %681 ]
  %619 = load i64, ptr %7, align 8
  %620 = inttoptr i64 %619 to ptr
  %621 = load i64, ptr %531, align 8
  %622 = shl i64 %618, 2
  %623 = mul i64 %622, %621
  %624 = getelementptr inbounds i8, ptr %620, i64 %623
  %625 = load i64, ptr %532, align 8
  %626 = load i64, ptr %533, align 8
  %627 = icmp sgt i64 %621, 0
  br i1 %627, label %628, label %655

628:
  %629 = load i64, ptr %534, align 8
  %630 = getelementptr double, ptr %508, i64 %629
  br label %631

631:
  %632 = phi i64 [ 0, %628 ], [ %653, %641 ]
  %633 = phi ptr [ %617, %628 ], [ %647, %641 ]
  %634 = getelementptr inbounds nuw i32, ptr %624, i64 %632
  %635 = load i32, ptr %634, align 4
  %636 = sext i32 %635 to i64
  %637 = icmp slt i32 %635, 0
  %638 = select i1 %637, i64 %625, i64 0
  %639 = add i64 %638, %636
  %640 = icmp ult i64 %639, %625
  br i1 %640, label %641, label %752

641:
  %642 = load i8, ptr %535, align 8
  %643 = trunc nuw i8 %642 to i1
  %644 = mul i64 %639, %626
  %645 = add i64 %644, %632
  %646 = select i1 %643, i64 %639, i64 %645
  %647 = getelementptr inbounds nuw i8, ptr %633, i64 4
  %648 = load float, ptr %633, align 4
  %649 = fpext float %648 to double
  %650 = getelementptr double, ptr %630, i64 %646
  %651 = load double, ptr %650, align 8
  %652 = fadd double %651, %649
  store double %652, ptr %650, align 8
  %653 = add nuw nsw i64 %632, 1
  %654 = icmp eq i64 %653, %621
  br i1 %654, label %655, label %631

655:
  %656 = phi ptr [ %617, %616 ], [ %647, %641 ]
  %657 = add nuw nsw i64 %618, 1
  %658 = load i64, ptr %3, align 8
  %659 = add i64 %658, -2
  %660 = icmp sgt i64 %659, -1
  br i1 %660, label %661, label %681

661:
  %662 = load i64, ptr %534, align 8
  br label %663

663:
  %664 = phi i64 [ %662, %661 ], [ %678, %676 ]
  %665 = phi i64 [ %659, %661 ], [ %679, %676 ]
  %666 = getelementptr inbounds nuw i64, ptr %536, i64 %665
  %667 = load i64, ptr %666, align 8
  %668 = add i64 %667, %664
  store i64 %668, ptr %534, align 8
  %669 = getelementptr inbounds nuw i64, ptr %537, i64 %665
  %670 = load i64, ptr %669, align 8
  %671 = add i64 %670, 1
  store i64 %671, ptr %669, align 8
  %672 = load ptr, ptr %538, align 8
  %673 = getelementptr inbounds nuw i64, ptr %672, i64 %665
  %674 = load i64, ptr %673, align 8
  %675 = icmp slt i64 %671, %674
  br i1 %675, label %681, label %676

676:
  %677 = mul i64 %674, %667
  %678 = sub i64 %668, %677
  store i64 %678, ptr %534, align 8
  store i64 0, ptr %669, align 8
  %679 = add nsw i64 %665, -1
  %680 = icmp sgt i64 %665, 0
  br i1 %680, label %663, label %681

681:
  %682 = load i64, ptr %512, align 8
  %683 = icmp slt i64 %657, %682
  br i1 %683, label %616, label %755

684:
  %685 = phi ptr [ %26, %516 ], [ %724, %749 ]
  %686 = phi i64 [ 0, %516 ], [ %725, %749 ]
  %687 = load i64, ptr %7, align 8
  %688 = inttoptr i64 %687 to ptr
  %689 = load i64, ptr %517, align 8
  %690 = mul i64 %689, %686
  %691 = shl i64 %690, %518
  %692 = getelementptr inbounds i8, ptr %688, i64 %691
  %693 = load i64, ptr %519, align 8
  %694 = load i64, ptr %520, align 8
  %695 = load i64, ptr %521, align 8
  %696 = icmp sgt i64 %689, 0
  br i1 %696, label %697, label %723

697:
  %698 = phi i64 [ %721, %713 ], [ 0, %684 ]
  %699 = phi ptr [ %720, %713 ], [ %685, %684 ]
  br i1 %29, label %700, label %703

700:
  %701 = getelementptr inbounds nuw i64, ptr %692, i64 %698
  %702 = load i64, ptr %701, align 8
  br label %707

703:
  %704 = getelementptr inbounds nuw i32, ptr %692, i64 %698
  %705 = load i32, ptr %704, align 4
  %706 = sext i32 %705 to i64
  br label %707

707:
  %708 = phi i64 [ %702, %700 ], [ %706, %703 ]
  %709 = icmp slt i64 %708, 0
  %710 = select i1 %709, i64 %693, i64 0
  %711 = add i64 %710, %708
  %712 = icmp ult i64 %711, %693
  br i1 %712, label %713, label %752

713:
  %714 = load i8, ptr %522, align 8
  %715 = trunc nuw i8 %714 to i1
  %716 = mul i64 %711, %694
  %717 = add i64 %716, %698
  %718 = select i1 %715, i64 %711, i64 %717
  %719 = add i64 %718, %695
  call fastcc void @join(ptr noundef nonnull readonly %4, i64 noundef %719, ptr noundef %699, i64 noundef 1)
  %720 = getelementptr inbounds i8, ptr %699, i64 %527
  %721 = add nuw nsw i64 %698, 1
  %722 = icmp eq i64 %721, %689
  br i1 %722, label %723, label %697

723:
  %724 = phi ptr [ %685, %684 ], [ %720, %713 ]
  %725 = add nuw nsw i64 %686, 1
  %726 = load i64, ptr %3, align 8
  %727 = add i64 %726, -2
  %728 = icmp sgt i64 %727, -1
  br i1 %728, label %729, label %749

729:
  %730 = load i64, ptr %521, align 8
  br label %731

731:
  %732 = phi i64 [ %730, %729 ], [ %746, %744 ]
  %733 = phi i64 [ %727, %729 ], [ %747, %744 ]
  %734 = getelementptr inbounds nuw i64, ptr %524, i64 %733
  %735 = load i64, ptr %734, align 8
  %736 = add i64 %735, %732
  store i64 %736, ptr %521, align 8
  %737 = getelementptr inbounds nuw i64, ptr %525, i64 %733
  %738 = load i64, ptr %737, align 8
  %739 = add i64 %738, 1
  store i64 %739, ptr %737, align 8
  %740 = load ptr, ptr %526, align 8
  %741 = getelementptr inbounds nuw i64, ptr %740, i64 %733
  %742 = load i64, ptr %741, align 8
  %743 = icmp slt i64 %739, %742
  br i1 %743, label %749, label %744

744:
  %745 = mul i64 %742, %735
  %746 = sub i64 %736, %745
  store i64 %746, ptr %521, align 8
  store i64 0, ptr %737, align 8
  %747 = add nsw i64 %733, -1
  %748 = icmp sgt i64 %733, 0
  br i1 %748, label %731, label %749

749:
  %750 = load i64, ptr %512, align 8
  %751 = icmp slt i64 %725, %750
  br i1 %751, label %684, label %755

752:
  %753 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %754 = load ptr, ptr %753, align 8
  br label %774

755:
  %756 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %757 = load ptr, ptr %756, align 8
  %758 = icmp eq ptr %757, null
  br i1 %758, label %774, label %759

759:
  %760 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %761 = load i64, ptr %760, align 8
  %762 = icmp sgt i64 %761, 0
  br i1 %762, label %763, label %774

763:
  %764 = load ptr, ptr %4, align 8
  br label %765

765:
  %766 = phi i64 [ %771, %765 ], [ 0, %763 ]
  %767 = getelementptr inbounds nuw double, ptr %757, i64 %766
  %768 = load double, ptr %767, align 8
  %769 = fptrunc double %768 to float
  %770 = getelementptr inbounds nuw float, ptr %764, i64 %766
  store float %769, ptr %770, align 4
  %771 = add nuw nsw i64 %766, 1
  %772 = load i64, ptr %760, align 8
  %773 = icmp slt i64 %771, %772
  br i1 %773, label %765, label %774

774:
  %775 = phi ptr [ %754, %752 ], [ null, %755 ], [ %757, %759 ], [ %757, %765 ]
  %776 = phi i1 [ false, %752 ], [ true, %755 ], [ true, %759 ], [ true, %765 ]
  tail call void @free(ptr noundef %775)
  br label %777

777:
  %778 = phi i1 [ %776, %774 ], [ false, %20 ], [ false, %14 ], [ false, %2 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %778
}

define internal fastcc noundef zeroext i1 @begin_join(ptr noundef nonnull captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(none) %3, i64 noundef %4) #0 {
  %6 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %9 = load i64, ptr %8, align 8
  %10 = icmp eq i64 %7, %9
  br i1 %10, label %11, label %80

11:
  %12 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %13 = load i64, ptr %12, align 8
  %14 = icmp eq i64 %13, %7
  br i1 %14, label %15, label %80

15:
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %17 = load i64, ptr %16, align 8
  %18 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %19 = load i64, ptr %18, align 8
  %20 = icmp ne i64 %17, %19
  %21 = icmp ugt i64 %4, 4
  %22 = or i1 %21, %20
  br i1 %22, label %80, label %23

23:
  %24 = icmp eq i64 %4, 0
  br i1 %24, label %32, label %25

25:
  %26 = add i64 %7, -3
  %27 = icmp ult i64 %26, 12
  %28 = trunc i64 %26 to i16
  %29 = lshr i16 3593, %28
  %30 = trunc i16 %29 to i1
  %31 = select i1 %27, i1 %30, i1 false
  br i1 %31, label %80, label %32

32:
  %33 = load i64, ptr %3, align 8
  %34 = inttoptr i64 %33 to ptr
  %35 = icmp ult i64 %7, 15
  br i1 %35, label %36, label %39

36:
  %37 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %7
  %38 = load i64, ptr %37, align 8
  br label %39

39:
  %40 = phi i64 [ %38, %36 ], [ 8, %32 ]
  store ptr %34, ptr %0, align 8
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr null, ptr %41, align 8
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 %7, ptr %42, align 8
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 %40, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i64 %4, ptr %44, align 8
  %45 = load i64, ptr %8, align 8
  %46 = icmp eq i64 %45, 0
  %47 = add nsw i64 %4, -1
  %48 = icmp ult i64 %47, 2
  %49 = select i1 %46, i1 %48, i1 false
  br i1 %49, label %50, label %71

50:
  %51 = load i64, ptr %18, align 8
  %52 = shl i64 %51, 3
  %53 = add i64 %52, 8
  %54 = tail call ptr @malloc(i64 noundef %53)
  store ptr %54, ptr %41, align 8
  %55 = icmp eq ptr %54, null
  br i1 %55, label %80, label %56

56:
  %57 = load i64, ptr %18, align 8
  %58 = icmp sgt i64 %57, 0
  br i1 %58, label %59, label %80

59:
  %60 = phi i64 [ %68, %59 ], [ 0, %56 ]
  %61 = load i64, ptr %1, align 8
  %62 = inttoptr i64 %61 to ptr
  %63 = getelementptr inbounds nuw float, ptr %62, i64 %60
  %64 = load float, ptr %63, align 4
  %65 = fpext float %64 to double
  %66 = load ptr, ptr %41, align 8
  %67 = getelementptr inbounds nuw double, ptr %66, i64 %60
  store double %65, ptr %67, align 8
  %68 = add nuw nsw i64 %60, 1
  %69 = load i64, ptr %18, align 8
  %70 = icmp slt i64 %68, %69
  br i1 %70, label %59, label %80

71:
  %72 = load i64, ptr %3, align 8
  %73 = load i64, ptr %1, align 8
  %74 = icmp eq i64 %72, %73
  br i1 %74, label %80, label %75

75:
  %76 = inttoptr i64 %72 to ptr
  %77 = inttoptr i64 %73 to ptr
  %78 = load i64, ptr %18, align 8
  %79 = mul i64 %78, %40
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %76, ptr align 1 %77, i64 %79, i1 false)
  br label %80

80:
  %81 = phi i1 [ false, %5 ], [ false, %50 ], [ false, %25 ], [ false, %11 ], [ true, %56 ], [ true, %71 ], [ true, %75 ], [ false, %15 ], [ true, %59 ]
  ret i1 %81
}

define internal noundef zeroext i1 @op_scatter_nd(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca %struct.joined, align 8
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %10 = load ptr, ptr %9, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %12 = load i64, ptr %11, align 8
  %13 = add i64 %12, -1
  %14 = icmp ult i64 %13, 2
  br i1 %14, label %15, label %138

15:
  %16 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %17 = load i64, ptr %16, align 8
  %18 = icmp sgt i64 %17, 0
  br i1 %18, label %19, label %138

19:
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %21 = getelementptr i64, ptr %20, i64 %17
  %22 = getelementptr i8, ptr %21, i64 -8
  %23 = load i64, ptr %22, align 8
  %24 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %25 = load i64, ptr %24, align 8
  %26 = icmp sgt i64 %23, %25
  br i1 %26, label %138, label %27

27:
  %28 = add nsw i64 %17, -1
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %38, label %30

30:
  %31 = phi i64 [ %36, %30 ], [ 0, %27 ]
  %32 = phi i64 [ %35, %30 ], [ 1, %27 ]
  %33 = getelementptr inbounds nuw i64, ptr %20, i64 %31
  %34 = load i64, ptr %33, align 8
  %35 = mul i64 %34, %32
  %36 = add nuw nsw i64 %31, 1
  %37 = icmp eq i64 %36, %28
  br i1 %37, label %38, label %30

38:
  %39 = phi i64 [ 1, %27 ], [ %35, %30 ]
  %40 = getelementptr inbounds nuw i8, ptr %4, i64 40
  %41 = icmp slt i64 %23, %25
  br i1 %41, label %42, label %50

42:
  %43 = phi i64 [ %48, %42 ], [ %23, %38 ]
  %44 = phi i64 [ %47, %42 ], [ 1, %38 ]
  %45 = getelementptr inbounds i64, ptr %40, i64 %43
  %46 = load i64, ptr %45, align 8
  %47 = mul i64 %46, %44
  %48 = add nsw i64 %43, 1
  %49 = icmp eq i64 %48, %25
  br i1 %49, label %50, label %42

50:
  %51 = phi i64 [ 1, %38 ], [ %47, %42 ]
  %52 = mul i64 %39, %23
  %53 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %54 = load i64, ptr %53, align 8
  %55 = icmp eq i64 %52, %54
  br i1 %55, label %56, label %138

56:
  %57 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %58 = load i64, ptr %57, align 8
  %59 = mul i64 %51, %39
  %60 = icmp eq i64 %58, %59
  br i1 %60, label %61, label %138

61:
  %62 = load i64, ptr %1, align 8
  %63 = call fastcc zeroext i1 @begin_join(ptr noundef %3, ptr noundef nonnull %4, ptr noundef nonnull %8, ptr noundef %10, i64 noundef %62)
  br i1 %63, label %64, label %138

64:
  %65 = icmp slt i64 %39, 1
  br i1 %65, label %109, label %66

66:
  %67 = load i64, ptr %8, align 8
  %68 = inttoptr i64 %67 to ptr
  %69 = icmp slt i64 %23, 1
  %70 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %71 = load i64, ptr %70, align 8
  %72 = mul i64 %71, %51
  br label %73

73:
  %74 = phi i64 [ 0, %66 ], [ %136, %133 ]
  %75 = phi ptr [ %68, %66 ], [ %135, %133 ]
  br i1 %69, label %133, label %76

76:
  %77 = mul i64 %74, %23
  %78 = load i64, ptr %6, align 8
  %79 = inttoptr i64 %78 to ptr
  %80 = load i64, ptr %11, align 8
  %81 = icmp eq i64 %80, 2
  br label %82

82:
  %83 = phi i64 [ 0, %76 ], [ %107, %104 ]
  %84 = phi i64 [ 0, %76 ], [ %106, %104 ]
  %85 = getelementptr i64, ptr %40, i64 %83
  %86 = load i64, ptr %85, align 8
  %87 = add i64 %83, %77
  br i1 %81, label %88, label %91

88:
  %89 = getelementptr inbounds i64, ptr %79, i64 %87
  %90 = load i64, ptr %89, align 8
  br label %95

91:
  %92 = getelementptr inbounds i32, ptr %79, i64 %87
  %93 = load i32, ptr %92, align 4
  %94 = sext i32 %93 to i64
  br label %95

95:
  %96 = phi i64 [ %90, %88 ], [ %94, %91 ]
  %97 = icmp slt i64 %96, 0
  %98 = select i1 %97, i64 %86, i64 0
  %99 = add i64 %98, %96
  %100 = icmp ult i64 %99, %86
  br i1 %100, label %104, label %101

101:
  %102 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %103 = load ptr, ptr %102, align 8
  br label %128

104:
  %105 = mul i64 %86, %84
  %106 = add i64 %99, %105
  %107 = add nuw nsw i64 %83, 1
  %108 = icmp eq i64 %107, %23
  br i1 %108, label %131, label %82

109:
  %110 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %111 = load ptr, ptr %110, align 8
  %112 = icmp eq ptr %111, null
  br i1 %112, label %128, label %113

113:
  %114 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %115 = load i64, ptr %114, align 8
  %116 = icmp sgt i64 %115, 0
  br i1 %116, label %117, label %128

117:
  %118 = load ptr, ptr %3, align 8
  br label %119

119:
  %120 = phi i64 [ %125, %119 ], [ 0, %117 ]
  %121 = getelementptr inbounds nuw double, ptr %111, i64 %120
  %122 = load double, ptr %121, align 8
  %123 = fptrunc double %122 to float
  %124 = getelementptr inbounds nuw float, ptr %118, i64 %120
  store float %123, ptr %124, align 4
  %125 = add nuw nsw i64 %120, 1
  %126 = load i64, ptr %114, align 8
  %127 = icmp slt i64 %125, %126
  br i1 %127, label %119, label %128

128:
  %129 = phi i1 [ false, %101 ], [ true, %109 ], [ true, %113 ], [ true, %119 ]
  %130 = phi ptr [ %103, %101 ], [ null, %109 ], [ %111, %113 ], [ %111, %119 ]
  tail call void @free(ptr noundef %130)
  br label %138

131:
  %132 = mul i64 %106, %51
  br label %133

133:
  %134 = phi i64 [ 0, %73 ], [ %132, %131 ]
  call fastcc void @join(ptr noundef %3, i64 noundef %134, ptr noundef %75, i64 noundef %51)
  %135 = getelementptr inbounds i8, ptr %75, i64 %72
  %136 = add nuw nsw i64 %74, 1
  %137 = icmp eq i64 %136, %39
  br i1 %137, label %109, label %73

138:
  %139 = phi i1 [ %129, %128 ], [ false, %61 ], [ false, %56 ], [ false, %50 ], [ false, %2 ], [ false, %15 ], [ false, %19 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %139
}

define internal fastcc void @join(ptr noundef nonnull readonly captures(none) %0, i64 noundef %1, ptr noundef readonly captures(none) %2, i64 noundef %3) #0 {
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %9, label %26

9:
  %10 = icmp eq i64 %3, 1
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = mul i64 %12, %1
  %14 = getelementptr inbounds i8, ptr %5, i64 %13
  br i1 %10, label %15, label %24

15:
  switch i64 %12, label %22 [
    i64 1, label %16
    i64 2, label %18
    i64 4, label %20
  ]

16:
  %17 = load i8, ptr %2, align 1
  store i8 %17, ptr %14, align 1
  br label %273

18:
  %19 = load i16, ptr %2, align 1
  store i16 %19, ptr %14, align 1
  br label %273

20:
  %21 = load i32, ptr %2, align 1
  store i32 %21, ptr %14, align 1
  br label %273

22:
  %23 = load i64, ptr %2, align 1
  store i64 %23, ptr %14, align 1
  br label %273

24:
  %25 = mul i64 %12, %3
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %14, ptr align 1 %2, i64 %25, i1 false)
  br label %273

26:
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, null
  br i1 %29, label %48, label %30

30:
  %31 = getelementptr inbounds double, ptr %28, i64 %1
  %32 = icmp sgt i64 %3, 0
  br i1 %32, label %33, label %273

33:
  %34 = icmp eq i64 %7, 1
  br label %35

35:
  %36 = phi i64 [ 0, %33 ], [ %46, %35 ]
  %37 = getelementptr inbounds nuw float, ptr %2, i64 %36
  %38 = load float, ptr %37, align 4
  %39 = fpext float %38 to double
  %40 = getelementptr inbounds nuw double, ptr %31, i64 %36
  %41 = load double, ptr %40, align 8
  %42 = fadd double %41, %39
  %43 = fmul double %41, %39
  %44 = select i1 %34, double %42, double %43
  %45 = getelementptr inbounds nuw double, ptr %31, i64 %36
  store double %44, ptr %45, align 8
  %46 = add nuw nsw i64 %36, 1
  %47 = icmp eq i64 %46, %3
  br i1 %47, label %273, label %35

48:
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %50 = load i64, ptr %49, align 8
  switch i64 %50, label %273 [
    i64 0, label %51
    i64 5, label %78
    i64 7, label %105
    i64 8, label %126
    i64 1, label %147
    i64 2, label %168
    i64 4, label %189
    i64 9, label %210
    i64 10, label %231
    i64 11, label %252
  ]

51:
  %52 = getelementptr inbounds float, ptr %5, i64 %1
  %53 = icmp sgt i64 %3, 0
  br i1 %53, label %54, label %273

54:
  %55 = phi i64 [ %76, %74 ], [ 0, %51 ]
  %56 = getelementptr inbounds nuw float, ptr %2, i64 %55
  %57 = load float, ptr %56, align 4
  %58 = getelementptr inbounds nuw float, ptr %52, i64 %55
  %59 = load float, ptr %58, align 4
  switch i64 %7, label %69 [
    i64 1, label %60
    i64 2, label %62
    i64 4, label %64
  ]

60:
  %61 = fadd float %57, %59
  br label %74

62:
  %63 = fmul float %57, %59
  br label %74

64:
  %65 = fcmp ogt float %57, %59
  %66 = fcmp uno float %57, 0.000000e+00
  %67 = or i1 %66, %65
  br i1 %67, label %74, label %68

68:
  br label %74

69:
  %70 = fcmp olt float %57, %59
  %71 = fcmp uno float %57, 0.000000e+00
  %72 = or i1 %71, %70
  br i1 %72, label %74, label %73

73:
  br label %74

74:
  %75 = phi float [ %61, %60 ], [ %63, %62 ], [ %59, %68 ], [ %59, %73 ], [ %57, %64 ], [ %57, %69 ]
  store float %75, ptr %58, align 4
  %76 = add nuw nsw i64 %55, 1
  %77 = icmp eq i64 %76, %3
  br i1 %77, label %273, label %54

78:
  %79 = getelementptr inbounds double, ptr %5, i64 %1
  %80 = icmp sgt i64 %3, 0
  br i1 %80, label %81, label %273

81:
  %82 = phi i64 [ %103, %101 ], [ 0, %78 ]
  %83 = getelementptr inbounds nuw double, ptr %2, i64 %82
  %84 = load double, ptr %83, align 8
  %85 = getelementptr inbounds nuw double, ptr %79, i64 %82
  %86 = load double, ptr %85, align 8
  switch i64 %7, label %96 [
    i64 1, label %87
    i64 2, label %89
    i64 4, label %91
  ]

87:
  %88 = fadd double %84, %86
  br label %101

89:
  %90 = fmul double %84, %86
  br label %101

91:
  %92 = fcmp ogt double %84, %86
  %93 = fcmp uno double %84, 0.000000e+00
  %94 = or i1 %93, %92
  br i1 %94, label %101, label %95

95:
  br label %101

96:
  %97 = fcmp olt double %84, %86
  %98 = fcmp uno double %84, 0.000000e+00
  %99 = or i1 %98, %97
  br i1 %99, label %101, label %100

100:
  br label %101

101:
  %102 = phi double [ %88, %87 ], [ %90, %89 ], [ %86, %95 ], [ %86, %100 ], [ %84, %91 ], [ %84, %96 ]
  store double %102, ptr %85, align 8
  %103 = add nuw nsw i64 %82, 1
  %104 = icmp eq i64 %103, %3
  br i1 %104, label %273, label %81

105:
  %106 = getelementptr inbounds i8, ptr %5, i64 %1
  %107 = icmp sgt i64 %3, 0
  br i1 %107, label %108, label %273

108:
  %109 = phi i64 [ %124, %122 ], [ 0, %105 ]
  %110 = getelementptr inbounds nuw i8, ptr %2, i64 %109
  %111 = load i8, ptr %110, align 1
  %112 = getelementptr inbounds nuw i8, ptr %106, i64 %109
  %113 = load i8, ptr %112, align 1
  switch i64 %7, label %120 [
    i64 1, label %114
    i64 2, label %116
    i64 4, label %118
  ]

114:
  %115 = add i8 %113, %111
  br label %122

116:
  %117 = mul i8 %113, %111
  br label %122

118:
  %119 = tail call i8 @llvm.smax.i8(i8 %111, i8 %113)
  br label %122

120:
  %121 = tail call i8 @llvm.smin.i8(i8 %111, i8 %113)
  br label %122

122:
  %123 = phi i8 [ %115, %114 ], [ %117, %116 ], [ %119, %118 ], [ %121, %120 ]
  store i8 %123, ptr %112, align 1
  %124 = add nuw nsw i64 %109, 1
  %125 = icmp eq i64 %124, %3
  br i1 %125, label %273, label %108

126:
  %127 = getelementptr inbounds i16, ptr %5, i64 %1
  %128 = icmp sgt i64 %3, 0
  br i1 %128, label %129, label %273

129:
  %130 = phi i64 [ %145, %143 ], [ 0, %126 ]
  %131 = getelementptr inbounds nuw i16, ptr %2, i64 %130
  %132 = load i16, ptr %131, align 2
  %133 = getelementptr inbounds nuw i16, ptr %127, i64 %130
  %134 = load i16, ptr %133, align 2
  switch i64 %7, label %141 [
    i64 1, label %135
    i64 2, label %137
    i64 4, label %139
  ]

135:
  %136 = add i16 %134, %132
  br label %143

137:
  %138 = mul i16 %134, %132
  br label %143

139:
  %140 = tail call i16 @llvm.smax.i16(i16 %132, i16 %134)
  br label %143

141:
  %142 = tail call i16 @llvm.smin.i16(i16 %132, i16 %134)
  br label %143

143:
  %144 = phi i16 [ %136, %135 ], [ %138, %137 ], [ %140, %139 ], [ %142, %141 ]
  store i16 %144, ptr %133, align 2
  %145 = add nuw nsw i64 %130, 1
  %146 = icmp eq i64 %145, %3
  br i1 %146, label %273, label %129

147:
  %148 = getelementptr inbounds i32, ptr %5, i64 %1
  %149 = icmp sgt i64 %3, 0
  br i1 %149, label %150, label %273

150:
  %151 = phi i64 [ %166, %164 ], [ 0, %147 ]
  %152 = getelementptr inbounds nuw i32, ptr %2, i64 %151
  %153 = load i32, ptr %152, align 4
  %154 = getelementptr inbounds nuw i32, ptr %148, i64 %151
  %155 = load i32, ptr %154, align 4
  switch i64 %7, label %162 [
    i64 1, label %156
    i64 2, label %158
    i64 4, label %160
  ]

156:
  %157 = add i32 %155, %153
  br label %164

158:
  %159 = mul i32 %155, %153
  br label %164

160:
  %161 = tail call i32 @llvm.smax.i32(i32 %153, i32 %155)
  br label %164

162:
  %163 = tail call i32 @llvm.smin.i32(i32 %153, i32 %155)
  br label %164

164:
  %165 = phi i32 [ %157, %156 ], [ %159, %158 ], [ %161, %160 ], [ %163, %162 ]
  store i32 %165, ptr %154, align 4
  %166 = add nuw nsw i64 %151, 1
  %167 = icmp eq i64 %166, %3
  br i1 %167, label %273, label %150

168:
  %169 = getelementptr inbounds i64, ptr %5, i64 %1
  %170 = icmp sgt i64 %3, 0
  br i1 %170, label %171, label %273

171:
  %172 = phi i64 [ %187, %185 ], [ 0, %168 ]
  %173 = getelementptr inbounds nuw i64, ptr %2, i64 %172
  %174 = load i64, ptr %173, align 8
  %175 = getelementptr inbounds nuw i64, ptr %169, i64 %172
  %176 = load i64, ptr %175, align 8
  switch i64 %7, label %183 [
    i64 1, label %177
    i64 2, label %179
    i64 4, label %181
  ]

177:
  %178 = add i64 %176, %174
  br label %185

179:
  %180 = mul i64 %176, %174
  br label %185

181:
  %182 = tail call i64 @llvm.smax.i64(i64 %174, i64 %176)
  br label %185

183:
  %184 = tail call i64 @llvm.smin.i64(i64 %174, i64 %176)
  br label %185

185:
  %186 = phi i64 [ %178, %177 ], [ %180, %179 ], [ %182, %181 ], [ %184, %183 ]
  store i64 %186, ptr %175, align 8
  %187 = add nuw nsw i64 %172, 1
  %188 = icmp eq i64 %187, %3
  br i1 %188, label %273, label %171

189:
  %190 = getelementptr inbounds i8, ptr %5, i64 %1
  %191 = icmp sgt i64 %3, 0
  br i1 %191, label %192, label %273

192:
  %193 = phi i64 [ %208, %206 ], [ 0, %189 ]
  %194 = getelementptr inbounds nuw i8, ptr %2, i64 %193
  %195 = load i8, ptr %194, align 1
  %196 = getelementptr inbounds nuw i8, ptr %190, i64 %193
  %197 = load i8, ptr %196, align 1
  switch i64 %7, label %204 [
    i64 1, label %198
    i64 2, label %200
    i64 4, label %202
  ]

198:
  %199 = add i8 %197, %195
  br label %206

200:
  %201 = mul i8 %197, %195
  br label %206

202:
  %203 = tail call i8 @llvm.umax.i8(i8 %195, i8 %197)
  br label %206

204:
  %205 = tail call i8 @llvm.umin.i8(i8 %195, i8 %197)
  br label %206

206:
  %207 = phi i8 [ %199, %198 ], [ %201, %200 ], [ %203, %202 ], [ %205, %204 ]
  store i8 %207, ptr %196, align 1
  %208 = add nuw nsw i64 %193, 1
  %209 = icmp eq i64 %208, %3
  br i1 %209, label %273, label %192

210:
  %211 = getelementptr inbounds i16, ptr %5, i64 %1
  %212 = icmp sgt i64 %3, 0
  br i1 %212, label %213, label %273

213:
  %214 = phi i64 [ %229, %227 ], [ 0, %210 ]
  %215 = getelementptr inbounds nuw i16, ptr %2, i64 %214
  %216 = load i16, ptr %215, align 2
  %217 = getelementptr inbounds nuw i16, ptr %211, i64 %214
  %218 = load i16, ptr %217, align 2
  switch i64 %7, label %225 [
    i64 1, label %219
    i64 2, label %221
    i64 4, label %223
  ]

219:
  %220 = add i16 %218, %216
  br label %227

221:
  %222 = mul i16 %218, %216
  br label %227

223:
  %224 = tail call i16 @llvm.umax.i16(i16 %216, i16 %218)
  br label %227

225:
  %226 = tail call i16 @llvm.umin.i16(i16 %216, i16 %218)
  br label %227

227:
  %228 = phi i16 [ %220, %219 ], [ %222, %221 ], [ %224, %223 ], [ %226, %225 ]
  store i16 %228, ptr %217, align 2
  %229 = add nuw nsw i64 %214, 1
  %230 = icmp eq i64 %229, %3
  br i1 %230, label %273, label %213

231:
  %232 = getelementptr inbounds i32, ptr %5, i64 %1
  %233 = icmp sgt i64 %3, 0
  br i1 %233, label %234, label %273

234:
  %235 = phi i64 [ %250, %248 ], [ 0, %231 ]
  %236 = getelementptr inbounds nuw i32, ptr %2, i64 %235
  %237 = load i32, ptr %236, align 4
  %238 = getelementptr inbounds nuw i32, ptr %232, i64 %235
  %239 = load i32, ptr %238, align 4
  switch i64 %7, label %246 [
    i64 1, label %240
    i64 2, label %242
    i64 4, label %244
  ]

240:
  %241 = add i32 %239, %237
  br label %248

242:
  %243 = mul i32 %239, %237
  br label %248

244:
  %245 = tail call i32 @llvm.umax.i32(i32 %237, i32 %239)
  br label %248

246:
  %247 = tail call i32 @llvm.umin.i32(i32 %237, i32 %239)
  br label %248

248:
  %249 = phi i32 [ %241, %240 ], [ %243, %242 ], [ %245, %244 ], [ %247, %246 ]
  store i32 %249, ptr %238, align 4
  %250 = add nuw nsw i64 %235, 1
  %251 = icmp eq i64 %250, %3
  br i1 %251, label %273, label %234

252:
  %253 = getelementptr inbounds i64, ptr %5, i64 %1
  %254 = icmp sgt i64 %3, 0
  br i1 %254, label %255, label %273

255:
  %256 = phi i64 [ %271, %269 ], [ 0, %252 ]
  %257 = getelementptr inbounds nuw i64, ptr %2, i64 %256
  %258 = load i64, ptr %257, align 8
  %259 = getelementptr inbounds nuw i64, ptr %253, i64 %256
  %260 = load i64, ptr %259, align 8
  switch i64 %7, label %267 [
    i64 1, label %261
    i64 2, label %263
    i64 4, label %265
  ]

261:
  %262 = add i64 %260, %258
  br label %269

263:
  %264 = mul i64 %260, %258
  br label %269

265:
  %266 = tail call i64 @llvm.umax.i64(i64 %258, i64 %260)
  br label %269

267:
  %268 = tail call i64 @llvm.umin.i64(i64 %258, i64 %260)
  br label %269

269:
  %270 = phi i64 [ %262, %261 ], [ %264, %263 ], [ %266, %265 ], [ %268, %267 ]
  store i64 %270, ptr %259, align 8
  %271 = add nuw nsw i64 %256, 1
  %272 = icmp eq i64 %271, %3
  br i1 %272, label %273, label %255

273:
  ret void
}

define internal fastcc nonnull ptr @sorted(ptr noundef nonnull captures(ret: address, provenance) %0, ptr noundef nonnull captures(ret: address, provenance) %1, i64 noundef %2) #0 {
  %4 = alloca [256 x i64], align 16
  %5 = icmp slt i64 %2, 33
  br i1 %5, label %6, label %29

6:
  %7 = icmp sgt i64 %2, 1
  br i1 %7, label %8, label %87

8:
  %9 = phi i64 [ %27, %23 ], [ 1, %6 ]
  %10 = getelementptr inbounds nuw %struct.entry, ptr %0, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %13 = load i64, ptr %12, align 8
  br label %14

14:
  %15 = phi i64 [ %9, %8 ], [ %21, %20 ]
  %16 = getelementptr %struct.entry, ptr %0, i64 %15
  %17 = getelementptr i8, ptr %16, i64 -16
  %18 = load i64, ptr %17, align 8
  %19 = icmp sgt i64 %18, %11
  br i1 %19, label %20, label %23

20:
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %16, ptr noundef nonnull align 8 dereferenceable(16) %17, i64 16, i1 false)
  %21 = add nsw i64 %15, -1
  %22 = icmp sgt i64 %15, 1
  br i1 %22, label %14, label %23

23:
  %24 = phi i64 [ 0, %20 ], [ %15, %14 ]
  %25 = getelementptr inbounds %struct.entry, ptr %0, i64 %24
  store i64 %11, ptr %25, align 8
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 8
  store i64 %13, ptr %26, align 8
  %27 = add nuw nsw i64 %9, 1
  %28 = icmp eq i64 %27, %2
  br i1 %28, label %87, label %8

29:
  %30 = load i64, ptr %0, align 8
  br label %34

31:
  %32 = sub i64 %41, %40
  %33 = icmp eq i64 %41, %40
  br i1 %33, label %87, label %44

34:
  %35 = phi i64 [ %30, %29 ], [ %40, %34 ]
  %36 = phi i64 [ 1, %29 ], [ %42, %34 ]
  %37 = phi i64 [ %30, %29 ], [ %41, %34 ]
  %38 = getelementptr inbounds nuw %struct.entry, ptr %0, i64 %36
  %39 = load i64, ptr %38, align 8
  %40 = tail call i64 @llvm.smin.i64(i64 %39, i64 %35)
  %41 = tail call i64 @llvm.smax.i64(i64 %39, i64 %37)
  %42 = add nuw nsw i64 %36, 1
  %43 = icmp eq i64 %42, %2
  br i1 %43, label %31, label %34

44:
  %45 = phi ptr [ %47, %68 ], [ %0, %31 ]
  %46 = phi i64 [ %69, %68 ], [ 0, %31 ]
  %47 = phi ptr [ %45, %68 ], [ %1, %31 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(2048) %4, i8 0, i64 2048, i1 false)
  br label %48

48:
  %49 = phi i64 [ %58, %48 ], [ 0, %44 ]
  %50 = getelementptr inbounds nuw %struct.entry, ptr %45, i64 %49
  %51 = load i64, ptr %50, align 8
  %52 = sub i64 %51, %40
  %53 = lshr i64 %52, %46
  %54 = and i64 %53, 255
  %55 = getelementptr inbounds nuw i64, ptr %4, i64 %54
  %56 = load i64, ptr %55, align 8
  %57 = add i64 %56, 1
  store i64 %57, ptr %55, align 8
  %58 = add nuw nsw i64 %49, 1
  %59 = icmp eq i64 %58, %2
  br i1 %59, label %60, label %48

60:
  %61 = phi i64 [ %66, %60 ], [ 0, %48 ]
  %62 = phi i64 [ %65, %60 ], [ 0, %48 ]
  %63 = getelementptr inbounds nuw i64, ptr %4, i64 %61
  %64 = load i64, ptr %63, align 8
  store i64 %62, ptr %63, align 8
  %65 = add i64 %64, %62
  %66 = add nuw nsw i64 %61, 1
  %67 = icmp eq i64 %66, 256
  br i1 %67, label %74, label %60

68:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %69 = add nuw nsw i64 %46, 8
  %70 = icmp samesign ult i64 %46, 56
  %71 = lshr i64 %32, %69
  %72 = icmp ne i64 %71, 0
  %73 = select i1 %70, i1 %72, i1 false
  br i1 %73, label %44, label %87

74:
  %75 = phi i64 [ %85, %74 ], [ 0, %60 ]
  %76 = getelementptr inbounds nuw %struct.entry, ptr %45, i64 %75
  %77 = load i64, ptr %76, align 8
  %78 = sub i64 %77, %40
  %79 = lshr i64 %78, %46
  %80 = and i64 %79, 255
  %81 = getelementptr inbounds nuw i64, ptr %4, i64 %80
  %82 = load i64, ptr %81, align 8
  %83 = add i64 %82, 1
  store i64 %83, ptr %81, align 8
  %84 = getelementptr inbounds %struct.entry, ptr %47, i64 %82
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %84, ptr noundef nonnull align 8 dereferenceable(16) %76, i64 16, i1 false)
  %85 = add nuw nsw i64 %75, 1
  %86 = icmp eq i64 %85, %2
  br i1 %86, label %68, label %74

87:
  %88 = phi ptr [ %0, %23 ], [ %0, %6 ], [ %0, %31 ], [ %47, %68 ]
  ret ptr %88
}

define internal fastcc void @offer(ptr noundef nonnull captures(none) %0, i64 noundef %1, ptr noundef nonnull readonly captures(none) %2, i64 noundef %3) #0 {
  %5 = load ptr, ptr %2, align 8
  %6 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %7 = load i64, ptr %6, align 8
  %8 = mul i64 %7, %3
  %9 = getelementptr inbounds i8, ptr %5, i64 %8
  %10 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %11 = load i64, ptr %10, align 8
  switch i64 %11, label %73 [
    i64 0, label %12
    i64 6, label %21
    i64 12, label %21
    i64 13, label %33
    i64 14, label %33
    i64 5, label %45
    i64 2, label %53
    i64 11, label %55
    i64 1, label %58
    i64 10, label %61
    i64 8, label %64
    i64 9, label %67
    i64 7, label %70
  ]

12:
  %13 = load i32, ptr %9, align 1
  %14 = and i32 %13, 2147483647
  %15 = icmp samesign ugt i32 %14, 2139095040
  %16 = icmp slt i32 %13, 0
  %17 = sub nsw i32 0, %14
  %18 = select i1 %16, i32 %17, i32 %14
  %19 = select i1 %15, i32 2147483647, i32 %18
  %20 = sext i32 %19 to i64
  br label %76

21:
  %22 = load i16, ptr %9, align 1
  %23 = and i16 %22, 32767
  %24 = zext nneg i16 %23 to i32
  %25 = icmp eq i64 %11, 6
  %26 = select i1 %25, i32 31744, i32 32640
  %27 = icmp samesign ult i32 %26, %24
  %28 = icmp slt i16 %22, 0
  %29 = sub nsw i32 0, %24
  %30 = select i1 %28, i32 %29, i32 %24
  %31 = select i1 %27, i32 32767, i32 %30
  %32 = sext i32 %31 to i64
  br label %76

33:
  %34 = load i8, ptr %9, align 1
  %35 = and i8 %34, 127
  %36 = zext nneg i8 %35 to i32
  %37 = icmp eq i64 %11, 13
  %38 = select i1 %37, i32 126, i32 124
  %39 = icmp samesign ult i32 %38, %36
  %40 = icmp slt i8 %34, 0
  %41 = sub nsw i32 0, %36
  %42 = select i1 %40, i32 %41, i32 %36
  %43 = select i1 %39, i32 127, i32 %42
  %44 = sext i32 %43 to i64
  br label %76

45:
  %46 = load i64, ptr %9, align 1
  %47 = and i64 %46, 9223372036854775807
  %48 = icmp samesign ugt i64 %47, 9218868437227405312
  %49 = icmp slt i64 %46, 0
  %50 = sub nsw i64 0, %47
  %51 = select i1 %49, i64 %50, i64 %47
  %52 = select i1 %48, i64 9223372036854775807, i64 %51
  br label %76

53:
  %54 = load i64, ptr %9, align 8
  br label %76

55:
  %56 = load i64, ptr %9, align 8
  %57 = xor i64 %56, -9223372036854775808
  br label %76

58:
  %59 = load i32, ptr %9, align 4
  %60 = sext i32 %59 to i64
  br label %76

61:
  %62 = load i32, ptr %9, align 4
  %63 = zext i32 %62 to i64
  br label %76

64:
  %65 = load i16, ptr %9, align 2
  %66 = sext i16 %65 to i64
  br label %76

67:
  %68 = load i16, ptr %9, align 2
  %69 = zext i16 %68 to i64
  br label %76

70:
  %71 = load i8, ptr %9, align 1
  %72 = sext i8 %71 to i64
  br label %76

73:
  %74 = load i8, ptr %9, align 1
  %75 = zext i8 %74 to i64
  br label %76

76:
  %77 = phi i64 [ %75, %73 ], [ %20, %12 ], [ %32, %21 ], [ %44, %33 ], [ %52, %45 ], [ %54, %53 ], [ %57, %55 ], [ %60, %58 ], [ %63, %61 ], [ %66, %64 ], [ %69, %67 ], [ %72, %70 ]
  %78 = getelementptr inbounds nuw i8, ptr %2, i64 32
  %79 = load i64, ptr %78, align 8
  %80 = xor i64 %79, %77
  %81 = load i64, ptr %0, align 8
  %82 = icmp sgt i64 %80, %81
  br i1 %82, label %83, label %127

83:
  %84 = icmp sgt i64 %1, 1
  br i1 %84, label %85, label %123

85:
  %86 = phi i64 [ %121, %118 ], [ 1, %83 ]
  %87 = phi i64 [ %120, %118 ], [ 0, %83 ]
  %88 = phi i64 [ %108, %118 ], [ 0, %83 ]
  %89 = add i64 %87, 2
  %90 = icmp slt i64 %89, %1
  br i1 %90, label %91, label %107

91:
  %92 = getelementptr inbounds %struct.entry, ptr %0, i64 %86
  %93 = getelementptr inbounds %struct.entry, ptr %0, i64 %89
  %94 = load i64, ptr %92, align 8
  %95 = load i64, ptr %93, align 8
  %96 = icmp sgt i64 %94, %95
  br i1 %96, label %106, label %97

97:
  %98 = getelementptr inbounds nuw i8, ptr %93, i64 8
  %99 = load i64, ptr %98, align 8
  %100 = getelementptr inbounds nuw i8, ptr %92, i64 8
  %101 = load i64, ptr %100, align 8
  %102 = icmp eq i64 %94, %95
  %103 = icmp slt i64 %101, %99
  %104 = select i1 %102, i1 %103, i1 false
  %105 = freeze i1 %104
  br i1 %105, label %106, label %107

106:
  br label %107

107:
  %108 = phi i64 [ %86, %85 ], [ %89, %106 ], [ %86, %97 ]
  %109 = getelementptr inbounds %struct.entry, ptr %0, i64 %108
  %110 = load i64, ptr %109, align 8
  %111 = icmp sgt i64 %80, %110
  br i1 %111, label %118, label %112

112:
  %113 = getelementptr inbounds nuw i8, ptr %109, i64 8
  %114 = load i64, ptr %113, align 8
  %115 = icmp eq i64 %80, %110
  %116 = icmp slt i64 %3, %114
  %117 = select i1 %115, i1 %116, i1 false
  br i1 %117, label %118, label %123

118:
  %119 = getelementptr inbounds %struct.entry, ptr %0, i64 %88
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %119, ptr noundef nonnull align 8 dereferenceable(16) %109, i64 16, i1 false)
  %120 = shl i64 %108, 1
  %121 = or disjoint i64 %120, 1
  %122 = icmp slt i64 %121, %1
  br i1 %122, label %85, label %123

123:
  %124 = phi i64 [ 0, %83 ], [ %108, %118 ], [ %88, %112 ]
  %125 = getelementptr inbounds %struct.entry, ptr %0, i64 %124
  store i64 %80, ptr %125, align 8
  %126 = getelementptr inbounds nuw i8, ptr %125, i64 8
  store i64 %3, ptr %126, align 8
  br label %127

127:
  ret void
}

define internal fastcc zeroext i1 @are_finite(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = alloca [8 x i64], align 16
  %5 = add i64 %2, %1
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %9, label %42

9:
  %10 = add i64 %1, 16
  %11 = icmp sgt i64 %10, %5
  br i1 %11, label %26, label %12

12:
  %13 = load i64, ptr %0, align 8
  %14 = inttoptr i64 %13 to ptr
  br label %15

15:
  %16 = phi i64 [ %10, %12 ], [ %24, %15 ]
  %17 = phi <16 x i32> [ zeroinitializer, %12 ], [ %23, %15 ]
  %18 = phi i64 [ %1, %12 ], [ %16, %15 ]
  %19 = getelementptr inbounds float, ptr %14, i64 %18
  %20 = load <16 x float>, ptr %19, align 4
  %21 = fsub <16 x float> %20, %20
  %22 = fcmp une <16 x float> %21, zeroinitializer
  %23 = select <16 x i1> %22, <16 x i32> splat (i32 -1), <16 x i32> %17
  %24 = add i64 %16, 16
  %25 = icmp sgt i64 %24, %5
  br i1 %25, label %26, label %15

26:
  %27 = phi i64 [ %1, %9 ], [ %16, %15 ]
  %28 = phi <16 x i32> [ zeroinitializer, %9 ], [ %23, %15 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  store <16 x i32> %28, ptr %4, align 16
  br label %29

29:
  %30 = phi i64 [ 0, %26 ], [ %35, %29 ]
  %31 = phi i64 [ 0, %26 ], [ %34, %29 ]
  %32 = getelementptr inbounds nuw i64, ptr %4, i64 %30
  %33 = load i64, ptr %32, align 8
  %34 = or i64 %33, %31
  %35 = add nuw nsw i64 %30, 1
  %36 = icmp eq i64 %35, 8
  br i1 %36, label %37, label %29

37:
  %38 = lshr i64 %34, 32
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %39 = and i64 %34, 4294967295
  %40 = or i64 %38, %39
  %41 = icmp eq i64 %40, 0
  br i1 %41, label %42, label %67

42:
  %43 = phi i64 [ %27, %37 ], [ %1, %3 ]
  %44 = icmp slt i64 %43, %5
  br i1 %44, label %45, label %64

45:
  %46 = load i64, ptr %0, align 8
  %47 = inttoptr i64 %46 to ptr
  br label %48

48:
  %49 = phi i64 [ %43, %45 ], [ %62, %61 ]
  br i1 %8, label %50, label %54

50:
  %51 = getelementptr inbounds float, ptr %47, i64 %49
  %52 = load float, ptr %51, align 4
  %53 = fpext float %52 to double
  br label %57

54:
  %55 = getelementptr inbounds double, ptr %47, i64 %49
  %56 = load double, ptr %55, align 8
  br label %57

57:
  %58 = phi double [ %53, %50 ], [ %56, %54 ]
  %59 = fsub double %58, %58
  %60 = fcmp oeq double %59, 0.000000e+00
  br i1 %60, label %61, label %64

61:
  %62 = add nsw i64 %49, 1
  %63 = icmp slt i64 %62, %5
  br i1 %63, label %48, label %64

64:
  %65 = phi i64 [ %43, %42 ], [ %5, %61 ], [ %49, %57 ]
  %66 = icmp eq i64 %65, %5
  br label %67

67:
  %68 = phi i1 [ %66, %64 ], [ false, %37 ]
  ret i1 %68
}

define internal fastcc noundef zeroext i1 @broadcast_of(ptr noundef nonnull captures(none) initializes((0, 8)) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca i64, align 16
  %4 = alloca i64, align 8
  %5 = alloca i64, align 16
  %6 = alloca i64, align 8
  %7 = alloca i64, align 16
  %8 = alloca i64, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  store i64 1, ptr %3, align 16
  store i64 1, ptr %4, align 8
  store i64 0, ptr %0, align 8
  %11 = getelementptr inbounds nuw i8, ptr %10, i64 24
  br label %21

12:
  %13 = add nuw nsw i64 %22, 1
  %14 = icmp eq i64 %13, 3
  br i1 %14, label %15, label %21

15:
  %16 = icmp slt i64 %31, 1
  br i1 %16, label %105, label %17

17:
  %18 = getelementptr inbounds nuw i8, ptr %10, i64 40
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 72
  br label %33

21:
  %22 = phi i64 [ 0, %2 ], [ %13, %12 ]
  %23 = getelementptr inbounds nuw ptr, ptr %1, i64 %22
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 16
  %26 = load i64, ptr %25, align 8
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %28, label %105

28:
  %29 = getelementptr inbounds nuw i8, ptr %24, i64 24
  %30 = load i64, ptr %29, align 8
  %31 = load i64, ptr %11, align 8
  %32 = icmp sgt i64 %30, %31
  br i1 %32, label %105, label %12

33:
  %34 = phi i64 [ %31, %17 ], [ %103, %101 ]
  %35 = phi i64 [ 1, %17 ], [ %102, %101 ]
  %36 = sub i64 %34, %35
  %37 = getelementptr inbounds i64, ptr %18, i64 %36
  %38 = load i64, ptr %37, align 8
  %39 = load i64, ptr %0, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  call void @llvm.lifetime.start.p0(ptr nonnull %8)
  %40 = icmp sgt i64 %39, 0
  %41 = getelementptr i64, ptr %0, i64 %39
  br label %42

42:
  %43 = phi i1 [ true, %33 ], [ false, %76 ]
  %44 = phi ptr [ %7, %33 ], [ %8, %76 ]
  %45 = phi ptr [ %5, %33 ], [ %6, %76 ]
  %46 = phi ptr [ %3, %33 ], [ %4, %76 ]
  %47 = phi i64 [ 0, %33 ], [ 1, %76 ]
  %48 = phi i1 [ %40, %33 ], [ %77, %76 ]
  %49 = getelementptr inbounds nuw ptr, ptr %1, i64 %47
  %50 = load ptr, ptr %49, align 8
  %51 = getelementptr inbounds nuw i8, ptr %50, i64 24
  %52 = load i64, ptr %51, align 8
  %53 = icmp sgt i64 %35, %52
  br i1 %53, label %54, label %55

54:
  store i64 1, ptr %45, align 8
  br label %66

55:
  %56 = getelementptr inbounds nuw i8, ptr %50, i64 40
  %57 = sub i64 %52, %35
  %58 = getelementptr inbounds i64, ptr %56, i64 %57
  %59 = load i64, ptr %58, align 8
  store i64 %59, ptr %45, align 8
  %60 = icmp eq i64 %59, %38
  %61 = icmp eq i64 %59, 1
  %62 = or i1 %60, %61
  br i1 %62, label %63, label %100

63:
  br i1 %61, label %66, label %64

64:
  %65 = load i64, ptr %46, align 8
  br label %66

66:
  %67 = phi i64 [ %59, %64 ], [ 1, %63 ], [ 1, %54 ]
  %68 = phi i64 [ %65, %64 ], [ 0, %63 ], [ 0, %54 ]
  store i64 %68, ptr %44, align 8
  br i1 %48, label %69, label %76

69:
  %70 = getelementptr [8 x i64], ptr %41, i64 %47
  %71 = getelementptr i8, ptr %70, i64 64
  %72 = load i64, ptr %71, align 8
  %73 = load i64, ptr %41, align 8
  %74 = mul i64 %73, %72
  %75 = icmp eq i64 %68, %74
  br label %76

76:
  %77 = phi i1 [ false, %66 ], [ %75, %69 ]
  %78 = load i64, ptr %46, align 8
  %79 = mul i64 %78, %67
  store i64 %79, ptr %46, align 8
  br i1 %43, label %42, label %80

80:
  %81 = icmp eq i64 %38, 1
  br i1 %81, label %101, label %82

82:
  %83 = load i64, ptr %5, align 16
  %84 = icmp eq i64 %83, 1
  %85 = load i64, ptr %6, align 8
  %86 = icmp eq i64 %85, 1
  %87 = select i1 %84, i1 %86, i1 false
  br i1 %87, label %100, label %88

88:
  br i1 %77, label %89, label %92

89:
  %90 = load i64, ptr %41, align 8
  %91 = mul i64 %90, %38
  store i64 %91, ptr %41, align 8
  br label %101

92:
  %93 = getelementptr inbounds i64, ptr %19, i64 %39
  store i64 %38, ptr %93, align 8
  %94 = getelementptr i64, ptr %20, i64 %39
  %95 = load i64, ptr %7, align 16
  store i64 %95, ptr %94, align 8
  %96 = load i64, ptr %8, align 8
  %97 = getelementptr i8, ptr %94, i64 64
  store i64 %96, ptr %97, align 8
  %98 = load i64, ptr %0, align 8
  %99 = add i64 %98, 1
  store i64 %99, ptr %0, align 8
  br label %101

100:
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  br label %105

101:
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  %102 = add i64 %35, 1
  %103 = load i64, ptr %11, align 8
  %104 = icmp sgt i64 %102, %103
  br i1 %104, label %105, label %33

105:
  %106 = phi i1 [ false, %100 ], [ true, %15 ], [ true, %101 ], [ false, %21 ], [ false, %28 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  ret i1 %106
}

