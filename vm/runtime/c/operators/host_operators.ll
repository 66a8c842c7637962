; LLVM IR of host_operators.c, written by scripts/runtime: do not edit. f54c46b5d407b502
%struct.entry = type { i64, i64 }
%struct.line = type { ptr, i64, i64, i64, i64 }
%struct.box = type { [2 x double], [2 x double], double }
%struct.way = type { double, double, i64, i64, i64 }
%struct.tap = type { i64, double }
%struct.lines = type { i64, i64, i64, i64, i64, i64, i8, [8 x i64], [8 x i64], ptr }
%struct.resizing = type { i64, i64, i64, i64, i64, i64, double, double, double, i8 }
%struct.joined = type { ptr, ptr, i64, i64, i64 }

@switch.table.op_unique = private constant [11 x i64] [i64 4, i64 4, i64 8, i64 1, i64 1, i64 8, i64 2, i64 1, i64 2, i64 2, i64 4], align 8

define internal noundef zeroext i1 @op_top_k(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca %struct.entry, align 8
  %4 = alloca [8 x i64], align 16
  %5 = alloca [8 x i64], align 16
  %6 = alloca %struct.line, align 8
  %7 = load ptr, ptr %0, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = load i64, ptr %1, align 8
  %13 = icmp slt i64 %12, 0
  br i1 %13, label %14, label %17

14:
  %15 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %16 = load i64, ptr %15, align 8
  br label %17

17:
  %18 = phi i64 [ %16, %14 ], [ 0, %2 ]
  %19 = add i64 %18, %12
  %20 = icmp slt i64 %19, 0
  br i1 %20, label %424, label %21

21:
  %22 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %23 = load i64, ptr %22, align 8
  %24 = icmp slt i64 %19, %23
  br i1 %24, label %25, label %424

25:
  %26 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %29 = load i64, ptr %28, align 8
  %30 = icmp eq i64 %27, %29
  br i1 %30, label %31, label %424

31:
  %32 = getelementptr inbounds nuw i8, ptr %11, i64 16
  %33 = load i64, ptr %32, align 8
  %34 = icmp eq i64 %33, 2
  br i1 %34, label %35, label %424

35:
  %36 = getelementptr inbounds nuw i8, ptr %9, i64 24
  %37 = load i64, ptr %36, align 8
  %38 = icmp eq i64 %37, %23
  br i1 %38, label %39, label %424

39:
  %40 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %43 = load i64, ptr %42, align 8
  %44 = icmp eq i64 %41, %43
  br i1 %44, label %45, label %424

45:
  %46 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %47 = getelementptr inbounds nuw i64, ptr %46, i64 %19
  %48 = load i64, ptr %47, align 8
  %49 = getelementptr inbounds nuw i8, ptr %9, i64 40
  %50 = getelementptr inbounds nuw i64, ptr %49, i64 %19
  %51 = load i64, ptr %50, align 8
  %52 = icmp eq i64 %19, 0
  br i1 %52, label %61, label %53

53:
  %54 = phi i64 [ %59, %53 ], [ 0, %45 ]
  %55 = phi i64 [ %58, %53 ], [ 1, %45 ]
  %56 = getelementptr inbounds nuw i64, ptr %46, i64 %54
  %57 = load i64, ptr %56, align 8
  %58 = mul i64 %57, %55
  %59 = add nuw nsw i64 %54, 1
  %60 = icmp eq i64 %59, %19
  br i1 %60, label %61, label %53

61:
  %62 = phi i64 [ 1, %45 ], [ %58, %53 ]
  %63 = add nuw nsw i64 %19, 1
  %64 = icmp samesign ult i64 %63, %23
  br i1 %64, label %65, label %73

65:
  %66 = phi i64 [ %71, %65 ], [ %63, %61 ]
  %67 = phi i64 [ %70, %65 ], [ 1, %61 ]
  %68 = getelementptr inbounds nuw i64, ptr %46, i64 %66
  %69 = load i64, ptr %68, align 8
  %70 = mul i64 %69, %67
  %71 = add nuw nsw i64 %66, 1
  %72 = icmp eq i64 %71, %23
  br i1 %72, label %73, label %65

73:
  %74 = phi i64 [ 1, %61 ], [ %70, %65 ]
  %75 = icmp sgt i64 %51, %48
  br i1 %75, label %424, label %76

76:
  %77 = mul i64 %62, %51
  %78 = mul i64 %77, %74
  %79 = icmp eq i64 %41, %78
  br i1 %79, label %80, label %424

80:
  %81 = icmp eq i64 %41, 0
  br i1 %81, label %424, label %82

82:
  %83 = shl i64 %51, 4
  %84 = tail call ptr @malloc(i64 noundef %83)
  %85 = icmp eq ptr %84, null
  br i1 %85, label %424, label %86

86:
  %87 = load i64, ptr %28, align 8
  %88 = icmp ult i64 %87, 11
  br i1 %88, label %89, label %92

89:
  %90 = getelementptr inbounds nuw i64, ptr @switch.table.op_unique, i64 %87
  %91 = load i64, ptr %90, align 8
  br label %92

92:
  %93 = phi i64 [ %91, %89 ], [ 8, %86 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  %94 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %95 = mul i64 %93, %74
  store i64 %95, ptr %94, align 8
  %96 = getelementptr inbounds nuw i8, ptr %6, i64 16
  store i64 %48, ptr %96, align 8
  %97 = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 %87, ptr %97, align 8
  %98 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %99 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %100 = load i64, ptr %99, align 8
  %101 = icmp eq i64 %100, 0
  %102 = sext i1 %101 to i64
  store i64 %102, ptr %98, align 8
  %103 = mul i64 %74, %62
  %104 = icmp sgt i64 %103, 0
  br i1 %104, label %105, label %119

105:
  %106 = mul i64 %74, %48
  %107 = icmp sgt i64 %51, 0
  %108 = icmp eq i64 %51, 1
  %109 = lshr i64 %51, 1
  %110 = icmp ne i64 %87, 0
  %111 = icmp ne i64 %95, 4
  %112 = select i1 %110, i1 true, i1 %111
  %113 = add i64 %51, 64
  %114 = icmp sgt i64 %113, %48
  %115 = getelementptr inbounds nuw i8, ptr %84, i64 8
  %116 = add i64 %51, -1
  %117 = icmp sgt i64 %116, 0
  %118 = select i1 %112, i1 true, i1 %114
  br label %120

119:
  tail call void @free(ptr noundef nonnull %84)
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  br label %424

120:
  %121 = phi i64 [ 0, %105 ], [ %389, %388 ]
  %122 = sdiv i64 %121, %74
  %123 = mul i64 %106, %122
  %124 = srem i64 %121, %74
  %125 = add i64 %123, %124
  %126 = mul i64 %122, %51
  %127 = load i64, ptr %7, align 8
  %128 = inttoptr i64 %127 to ptr
  %129 = mul i64 %125, %93
  %130 = getelementptr inbounds i8, ptr %128, i64 %129
  store ptr %130, ptr %6, align 8
  br i1 %107, label %132, label %192

131:
  br i1 %108, label %192, label %278

132:
  %133 = phi i64 [ %190, %186 ], [ 0, %120 ]
  %134 = getelementptr inbounds nuw %struct.entry, ptr %84, i64 %133
  %135 = mul i64 %133, %95
  %136 = getelementptr inbounds i8, ptr %130, i64 %135
  switch i64 %87, label %183 [
    i64 0, label %137
    i64 6, label %146
    i64 5, label %155
    i64 2, label %163
    i64 11, label %165
    i64 1, label %168
    i64 10, label %171
    i64 8, label %174
    i64 9, label %177
    i64 7, label %180
  ]

137:
  %138 = load i32, ptr %136, align 1
  %139 = and i32 %138, 2147483647
  %140 = icmp samesign ugt i32 %139, 2139095040
  %141 = icmp slt i32 %138, 0
  %142 = sub nsw i32 0, %139
  %143 = select i1 %141, i32 %142, i32 %139
  %144 = select i1 %140, i32 2147483647, i32 %143
  %145 = sext i32 %144 to i64
  br label %186

146:
  %147 = load i16, ptr %136, align 1
  %148 = and i16 %147, 32767
  %149 = icmp samesign ugt i16 %148, 31744
  %150 = zext nneg i16 %148 to i64
  %151 = icmp slt i16 %147, 0
  %152 = sub nsw i64 0, %150
  %153 = select i1 %151, i64 %152, i64 %150
  %154 = select i1 %149, i64 32767, i64 %153
  br label %186

155:
  %156 = load i64, ptr %136, align 1
  %157 = and i64 %156, 9223372036854775807
  %158 = icmp samesign ugt i64 %157, 9218868437227405312
  %159 = icmp slt i64 %156, 0
  %160 = sub nsw i64 0, %157
  %161 = select i1 %159, i64 %160, i64 %157
  %162 = select i1 %158, i64 9223372036854775807, i64 %161
  br label %186

163:
  %164 = load i64, ptr %136, align 8
  br label %186

165:
  %166 = load i64, ptr %136, align 8
  %167 = xor i64 %166, -9223372036854775808
  br label %186

168:
  %169 = load i32, ptr %136, align 4
  %170 = sext i32 %169 to i64
  br label %186

171:
  %172 = load i32, ptr %136, align 4
  %173 = zext i32 %172 to i64
  br label %186

174:
  %175 = load i16, ptr %136, align 2
  %176 = sext i16 %175 to i64
  br label %186

177:
  %178 = load i16, ptr %136, align 2
  %179 = zext i16 %178 to i64
  br label %186

180:
  %181 = load i8, ptr %136, align 1
  %182 = sext i8 %181 to i64
  br label %186

183:
  %184 = load i8, ptr %136, align 1
  %185 = zext i8 %184 to i64
  br label %186

186:
  %187 = phi i64 [ %185, %183 ], [ %145, %137 ], [ %154, %146 ], [ %162, %155 ], [ %164, %163 ], [ %167, %165 ], [ %170, %168 ], [ %173, %171 ], [ %176, %174 ], [ %179, %177 ], [ %182, %180 ]
  %188 = xor i64 %187, %102
  store i64 %188, ptr %134, align 8
  %189 = getelementptr inbounds nuw i8, ptr %134, i64 8
  store i64 %133, ptr %189, align 8
  %190 = add nuw nsw i64 %133, 1
  %191 = icmp eq i64 %190, %51
  br i1 %191, label %131, label %132

192:
  br i1 %118, label %275, label %196

193:
  %194 = add i64 %197, 64
  %195 = icmp sgt i64 %194, %48
  br i1 %195, label %275, label %196

196:
  %197 = phi i64 [ %194, %193 ], [ %113, %192 ]
  %198 = phi i64 [ %197, %193 ], [ %51, %192 ]
  %199 = getelementptr inbounds float, ptr %130, i64 %198
  %200 = load i64, ptr %115, align 8
  %201 = getelementptr inbounds float, ptr %130, i64 %200
  %202 = load float, ptr %201, align 4
  %203 = fcmp uno float %202, 0.000000e+00
  br i1 %203, label %266, label %204

204:
  %205 = load <16 x float>, ptr %199, align 4
  %206 = insertelement <16 x float> poison, float %202, i64 0
  %207 = shufflevector <16 x float> %206, <16 x float> poison, <16 x i32> zeroinitializer
  %208 = getelementptr inbounds nuw i8, ptr %199, i64 64
  %209 = load <16 x float>, ptr %208, align 4
  br i1 %101, label %210, label %214

210:
  %211 = fcmp olt <16 x float> %205, %207
  %212 = select <16 x i1> %211, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %213 = fcmp olt <16 x float> %209, %207
  br label %218

214:
  %215 = fcmp ugt <16 x float> %205, %207
  %216 = select <16 x i1> %215, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %217 = fcmp ugt <16 x float> %209, %207
  br label %218

218:
  %219 = phi <16 x i32> [ %212, %210 ], [ %216, %214 ]
  %220 = phi <16 x i1> [ %213, %210 ], [ %217, %214 ]
  %221 = select <16 x i1> %220, <16 x i32> <i32 65536, i32 131072, i32 262144, i32 524288, i32 1048576, i32 2097152, i32 4194304, i32 8388608, i32 16777216, i32 33554432, i32 67108864, i32 134217728, i32 268435456, i32 536870912, i32 1073741824, i32 -2147483648>, <16 x i32> zeroinitializer
  %222 = or disjoint <16 x i32> %221, %219
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  store <16 x i32> %222, ptr %5, align 16
  br label %223

223:
  %224 = phi i64 [ 0, %218 ], [ %229, %223 ]
  %225 = phi i64 [ 0, %218 ], [ %228, %223 ]
  %226 = getelementptr inbounds nuw i64, ptr %5, i64 %224
  %227 = load i64, ptr %226, align 8
  %228 = or i64 %227, %225
  %229 = add nuw nsw i64 %224, 1
  %230 = icmp eq i64 %229, 8
  br i1 %230, label %231, label %223

231:
  %232 = lshr i64 %228, 32
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  %233 = and i64 %228, 4294967295
  %234 = getelementptr inbounds nuw i8, ptr %199, i64 128
  %235 = load <16 x float>, ptr %234, align 4
  %236 = getelementptr inbounds nuw i8, ptr %199, i64 192
  %237 = load <16 x float>, ptr %236, align 4
  br i1 %101, label %238, label %242

238:
  %239 = fcmp olt <16 x float> %235, %207
  %240 = select <16 x i1> %239, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %241 = fcmp olt <16 x float> %237, %207
  br label %246

242:
  %243 = fcmp ugt <16 x float> %235, %207
  %244 = select <16 x i1> %243, <16 x i32> <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128, i32 256, i32 512, i32 1024, i32 2048, i32 4096, i32 8192, i32 16384, i32 32768>, <16 x i32> zeroinitializer
  %245 = fcmp ugt <16 x float> %237, %207
  br label %246

246:
  %247 = phi <16 x i32> [ %240, %238 ], [ %244, %242 ]
  %248 = phi <16 x i1> [ %241, %238 ], [ %245, %242 ]
  %249 = select <16 x i1> %248, <16 x i32> <i32 65536, i32 131072, i32 262144, i32 524288, i32 1048576, i32 2097152, i32 4194304, i32 8388608, i32 16777216, i32 33554432, i32 67108864, i32 134217728, i32 268435456, i32 536870912, i32 1073741824, i32 -2147483648>, <16 x i32> zeroinitializer
  %250 = or disjoint <16 x i32> %249, %247
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  store <16 x i32> %250, ptr %4, align 16
  br label %251

251:
  %252 = phi i64 [ 0, %246 ], [ %257, %251 ]
  %253 = phi i64 [ 0, %246 ], [ %256, %251 ]
  %254 = getelementptr inbounds nuw i64, ptr %4, i64 %252
  %255 = load i64, ptr %254, align 8
  %256 = or i64 %255, %253
  %257 = add nuw nsw i64 %252, 1
  %258 = icmp eq i64 %257, 8
  br i1 %258, label %259, label %251

259:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %260 = shl i64 %256, 32
  %261 = and i64 %256, -4294967296
  %262 = or i64 %232, %233
  %263 = or disjoint i64 %260, %262
  %264 = or i64 %263, %261
  %265 = icmp eq i64 %264, 0
  br i1 %265, label %193, label %266

266:
  %267 = phi i64 [ -1, %196 ], [ %264, %259 ]
  br label %268

268:
  %269 = phi i64 [ %273, %268 ], [ %267, %266 ]
  %270 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %269, i1 true)
  %271 = add i64 %270, %198
  call fastcc void @offer(ptr noundef nonnull %84, i64 noundef %51, ptr noundef nonnull readonly %6, i64 noundef %271)
  %272 = add i64 %269, -1
  %273 = and i64 %272, %269
  %274 = icmp eq i64 %273, 0
  br i1 %274, label %193, label %268

275:
  %276 = phi i64 [ %51, %192 ], [ %197, %193 ]
  %277 = icmp slt i64 %276, %48
  br i1 %277, label %383, label %331

278:
  %279 = phi i64 [ %280, %326 ], [ %109, %131 ]
  %280 = add nsw i64 %279, -1
  %281 = getelementptr inbounds nuw %struct.entry, ptr %84, i64 %280
  %282 = load i64, ptr %281, align 8
  %283 = getelementptr inbounds nuw i8, ptr %281, i64 8
  %284 = load i64, ptr %283, align 8
  %285 = shl nuw i64 %280, 1
  %286 = or disjoint i64 %285, 1
  %287 = icmp slt i64 %286, %51
  br i1 %287, label %288, label %326

288:
  %289 = phi i64 [ %324, %321 ], [ %286, %278 ]
  %290 = phi i64 [ %323, %321 ], [ %285, %278 ]
  %291 = phi i64 [ %311, %321 ], [ %280, %278 ]
  %292 = add i64 %290, 2
  %293 = icmp slt i64 %292, %51
  br i1 %293, label %294, label %310

294:
  %295 = getelementptr inbounds %struct.entry, ptr %84, i64 %289
  %296 = getelementptr inbounds %struct.entry, ptr %84, i64 %292
  %297 = load i64, ptr %295, align 8
  %298 = load i64, ptr %296, align 8
  %299 = icmp sgt i64 %297, %298
  br i1 %299, label %309, label %300

300:
  %301 = getelementptr inbounds nuw i8, ptr %296, i64 8
  %302 = load i64, ptr %301, align 8
  %303 = getelementptr inbounds nuw i8, ptr %295, i64 8
  %304 = load i64, ptr %303, align 8
  %305 = icmp eq i64 %297, %298
  %306 = icmp slt i64 %304, %302
  %307 = select i1 %305, i1 %306, i1 false
  %308 = freeze i1 %307
  br i1 %308, label %309, label %310

309:
  br label %310

310:
  %311 = phi i64 [ %289, %288 ], [ %292, %309 ], [ %289, %300 ]
  %312 = getelementptr inbounds %struct.entry, ptr %84, i64 %311
  %313 = load i64, ptr %312, align 8
  %314 = icmp sgt i64 %282, %313
  br i1 %314, label %321, label %315

315:
  %316 = getelementptr inbounds nuw i8, ptr %312, i64 8
  %317 = load i64, ptr %316, align 8
  %318 = icmp eq i64 %282, %313
  %319 = icmp slt i64 %284, %317
  %320 = select i1 %318, i1 %319, i1 false
  br i1 %320, label %321, label %326

321:
  %322 = getelementptr inbounds %struct.entry, ptr %84, i64 %291
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %322, ptr noundef nonnull align 8 dereferenceable(16) %312, i64 16, i1 false)
  %323 = shl i64 %311, 1
  %324 = or disjoint i64 %323, 1
  %325 = icmp slt i64 %324, %51
  br i1 %325, label %288, label %326

326:
  %327 = phi i64 [ %280, %278 ], [ %291, %315 ], [ %311, %321 ]
  %328 = getelementptr inbounds %struct.entry, ptr %84, i64 %327
  store i64 %282, ptr %328, align 8
  %329 = getelementptr inbounds nuw i8, ptr %328, i64 8
  store i64 %284, ptr %329, align 8
  %330 = icmp sgt i64 %279, 1
  br i1 %330, label %278, label %192

331:
  br i1 %117, label %332, label %387

332:
  %333 = phi i64 [ %381, %377 ], [ %116, %331 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %3, ptr noundef nonnull align 8 dereferenceable(16) %84, i64 16, i1 false)
  %334 = getelementptr inbounds nuw %struct.entry, ptr %84, i64 %333
  %335 = load i64, ptr %334, align 8
  %336 = getelementptr inbounds nuw i8, ptr %334, i64 8
  %337 = load i64, ptr %336, align 8
  %338 = icmp eq i64 %333, 1
  br i1 %338, label %377, label %339

339:
  %340 = phi i64 [ %375, %372 ], [ 1, %332 ]
  %341 = phi i64 [ %374, %372 ], [ 0, %332 ]
  %342 = phi i64 [ %362, %372 ], [ 0, %332 ]
  %343 = add i64 %341, 2
  %344 = icmp slt i64 %343, %333
  br i1 %344, label %345, label %361

345:
  %346 = getelementptr inbounds %struct.entry, ptr %84, i64 %340
  %347 = getelementptr inbounds %struct.entry, ptr %84, i64 %343
  %348 = load i64, ptr %346, align 8
  %349 = load i64, ptr %347, align 8
  %350 = icmp sgt i64 %348, %349
  br i1 %350, label %360, label %351

351:
  %352 = getelementptr inbounds nuw i8, ptr %347, i64 8
  %353 = load i64, ptr %352, align 8
  %354 = getelementptr inbounds nuw i8, ptr %346, i64 8
  %355 = load i64, ptr %354, align 8
  %356 = icmp eq i64 %348, %349
  %357 = icmp slt i64 %355, %353
  %358 = select i1 %356, i1 %357, i1 false
  %359 = freeze i1 %358
  br i1 %359, label %360, label %361

360:
  br label %361

361:
  %362 = phi i64 [ %340, %339 ], [ %343, %360 ], [ %340, %351 ]
  %363 = getelementptr inbounds %struct.entry, ptr %84, i64 %362
  %364 = load i64, ptr %363, align 8
  %365 = icmp sgt i64 %335, %364
  br i1 %365, label %372, label %366

366:
  %367 = getelementptr inbounds nuw i8, ptr %363, i64 8
  %368 = load i64, ptr %367, align 8
  %369 = icmp eq i64 %335, %364
  %370 = icmp slt i64 %337, %368
  %371 = select i1 %369, i1 %370, i1 false
  br i1 %371, label %372, label %377

372:
  %373 = getelementptr inbounds %struct.entry, ptr %84, i64 %342
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %373, ptr noundef nonnull align 8 dereferenceable(16) %363, i64 16, i1 false)
  %374 = shl i64 %362, 1
  %375 = or disjoint i64 %374, 1
  %376 = icmp slt i64 %375, %333
  br i1 %376, label %339, label %377

377:
  %378 = phi i64 [ 0, %332 ], [ %362, %372 ], [ %342, %366 ]
  %379 = getelementptr inbounds %struct.entry, ptr %84, i64 %378
  store i64 %335, ptr %379, align 8
  %380 = getelementptr inbounds nuw i8, ptr %379, i64 8
  store i64 %337, ptr %380, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %334, ptr noundef nonnull align 8 dereferenceable(16) %3, i64 16, i1 false)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  %381 = add nsw i64 %333, -1
  %382 = icmp sgt i64 %333, 1
  br i1 %382, label %332, label %387

383:
  %384 = phi i64 [ %385, %383 ], [ %276, %275 ]
  call fastcc void @offer(ptr noundef nonnull %84, i64 noundef %51, ptr noundef nonnull readonly %6, i64 noundef %384)
  %385 = add i64 %384, 1
  %386 = icmp eq i64 %385, %48
  br i1 %386, label %331, label %383

387:
  br i1 %107, label %391, label %388

388:
  %389 = add nuw nsw i64 %121, 1
  %390 = icmp eq i64 %389, %103
  br i1 %390, label %119, label %120

391:
  %392 = phi i64 [ %422, %417 ], [ 0, %387 ]
  %393 = add i64 %392, %126
  %394 = mul i64 %393, %74
  %395 = add i64 %394, %124
  %396 = load i64, ptr %9, align 8
  %397 = inttoptr i64 %396 to ptr
  %398 = mul i64 %395, %93
  %399 = getelementptr inbounds i8, ptr %397, i64 %398
  %400 = load i64, ptr %7, align 8
  %401 = inttoptr i64 %400 to ptr
  %402 = getelementptr inbounds nuw %struct.entry, ptr %84, i64 %392
  %403 = getelementptr inbounds nuw i8, ptr %402, i64 8
  %404 = load i64, ptr %403, align 8
  %405 = mul i64 %404, %74
  %406 = add i64 %405, %125
  %407 = mul i64 %406, %93
  %408 = getelementptr inbounds i8, ptr %401, i64 %407
  switch i64 %93, label %415 [
    i64 1, label %409
    i64 2, label %411
    i64 4, label %413
  ]

409:
  %410 = load i8, ptr %408, align 1
  store i8 %410, ptr %399, align 1
  br label %417

411:
  %412 = load i16, ptr %408, align 1
  store i16 %412, ptr %399, align 1
  br label %417

413:
  %414 = load i32, ptr %408, align 1
  store i32 %414, ptr %399, align 1
  br label %417

415:
  %416 = load i64, ptr %408, align 1
  store i64 %416, ptr %399, align 1
  br label %417

417:
  %418 = load i64, ptr %403, align 8
  %419 = load i64, ptr %11, align 8
  %420 = inttoptr i64 %419 to ptr
  %421 = getelementptr inbounds i64, ptr %420, i64 %395
  store i64 %418, ptr %421, align 8
  %422 = add nuw nsw i64 %392, 1
  %423 = icmp eq i64 %422, %51
  br i1 %423, label %388, label %391

424:
  %425 = phi i1 [ false, %17 ], [ false, %39 ], [ false, %35 ], [ false, %31 ], [ false, %25 ], [ false, %21 ], [ false, %73 ], [ true, %80 ], [ false, %76 ], [ false, %82 ], [ true, %119 ]
  ret i1 %425
}

declare ptr @malloc(i64 noundef) nonlazybind

declare void @free(ptr noundef) nonlazybind

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
    i64 6, label %125
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
  %129 = phi i64 [ %121, %117 ], [ %121, %117 ], [ %121, %117 ], [ %126, %125 ]
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
  br i1 %35, label %37, label %253

37:
  %38 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %39 = load i64, ptr %38, align 8
  %40 = icmp eq i64 %39, 0
  br i1 %40, label %41, label %253

41:
  %42 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %43 = load i64, ptr %42, align 8
  %44 = icmp eq i64 %43, 0
  br i1 %44, label %45, label %253

45:
  %46 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %47 = load i64, ptr %46, align 8
  %48 = icmp eq i64 %47, 4
  br i1 %48, label %49, label %253

49:
  %50 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %51 = load i64, ptr %50, align 8
  %52 = icmp eq i64 %51, 2
  br i1 %52, label %53, label %253

53:
  %54 = getelementptr inbounds nuw i8, ptr %8, i64 40
  %55 = getelementptr inbounds nuw i8, ptr %8, i64 48
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %56, 4
  br i1 %57, label %58, label %253

58:
  %59 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %60 = load i64, ptr %59, align 8
  %61 = icmp eq i64 %60, 2
  br i1 %61, label %62, label %253

62:
  %63 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %64 = load i64, ptr %63, align 8
  %65 = load i64, ptr %54, align 8
  %66 = icmp ne i64 %64, %65
  %67 = icmp eq i64 %24, 0
  %68 = select i1 %66, i1 true, i1 %67
  %69 = icmp slt i64 %16, 1
  %70 = select i1 %68, i1 true, i1 %69
  br i1 %70, label %253, label %71

71:
  %72 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %73 = load i64, ptr %72, align 8
  %74 = mul i64 %16, %19
  %75 = mul i64 %74, %64
  %76 = icmp eq i64 %73, %75
  br i1 %76, label %77, label %253

77:
  %78 = select i1 %27, double 0.000000e+00, double 5.000000e-01
  %79 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %80 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %81 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %82 = mul i64 %24, %19
  %83 = icmp sgt i64 %19, 0
  %84 = load i64, ptr %54, align 8
  %85 = icmp slt i64 %84, 1
  br i1 %85, label %250, label %86

86:
  %87 = load i64, ptr %12, align 8
  %88 = inttoptr i64 %87 to ptr
  br label %89

89:
  %90 = phi i64 [ 0, %86 ], [ %247, %245 ]
  %91 = phi ptr [ %88, %86 ], [ %246, %245 ]
  %92 = phi i64 [ 0, %86 ], [ %188, %245 ]
  %93 = phi ptr [ null, %86 ], [ %189, %245 ]
  %94 = load i64, ptr %10, align 8
  %95 = inttoptr i64 %94 to ptr
  %96 = getelementptr inbounds i64, ptr %95, i64 %90
  %97 = load i64, ptr %96, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %98 = icmp sgt i64 %97, -1
  br i1 %98, label %99, label %102

99:
  %100 = load i64, ptr %17, align 8
  %101 = icmp slt i64 %97, %100
  br label %102

102:
  %103 = phi i1 [ false, %89 ], [ %101, %99 ]
  %104 = shl i64 %90, 2
  %105 = or disjoint i64 %104, 1
  %106 = load i64, ptr %38, align 8
  %107 = icmp eq i64 %106, 0
  %108 = load i64, ptr %8, align 8
  %109 = inttoptr i64 %108 to ptr
  %110 = load i64, ptr %79, align 8
  %111 = icmp slt i64 %110, 1048576
  %112 = icmp eq i64 %110, 0
  br label %117

113:
  %114 = load i64, ptr %80, align 8
  %115 = load i64, ptr %81, align 16
  %116 = mul i64 %115, %114
  br i1 %136, label %176, label %243

117:
  %118 = phi i1 [ %103, %102 ], [ %136, %166 ]
  %119 = phi i1 [ true, %102 ], [ false, %166 ]
  %120 = phi ptr [ %3, %102 ], [ %36, %166 ]
  %121 = phi i64 [ 0, %102 ], [ 1, %166 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %122 = sub nuw nsw i64 %105, %121
  br label %140

123:
  %124 = load double, ptr %5, align 8
  %125 = load double, ptr %4, align 16
  %126 = fsub double %124, %125
  %127 = fcmp olt double %126, 1.000000e+00
  %128 = select i1 %27, i1 %127, i1 false
  %129 = select i1 %128, double 1.000000e+00, double %126
  %130 = getelementptr inbounds nuw i64, ptr %1, i64 %121
  %131 = load i64, ptr %130, align 8
  %132 = sitofp i64 %131 to double
  %133 = fdiv double %129, %132
  %134 = select i1 %159, i1 %111, i1 false
  %135 = fcmp olt double %133, 0x4130000000000000
  %136 = select i1 %134, i1 %135, i1 false
  %137 = select i1 %136, i1 %112, i1 false
  %138 = fcmp ogt double %133, 0.000000e+00
  %139 = select i1 %137, i1 %138, i1 false
  br i1 %139, label %160, label %166

140:
  %141 = phi i1 [ %118, %117 ], [ %159, %153 ]
  %142 = phi i1 [ true, %117 ], [ false, %153 ]
  %143 = phi ptr [ %4, %117 ], [ %5, %153 ]
  %144 = phi i64 [ 0, %117 ], [ 2, %153 ]
  %145 = or disjoint i64 %144, %122
  br i1 %107, label %146, label %150

146:
  %147 = getelementptr inbounds float, ptr %109, i64 %145
  %148 = load float, ptr %147, align 4
  %149 = fpext float %148 to double
  br label %153

150:
  %151 = getelementptr inbounds double, ptr %109, i64 %145
  %152 = load double, ptr %151, align 8
  br label %153

153:
  %154 = phi double [ %149, %146 ], [ %152, %150 ]
  %155 = fmul double %32, %154
  %156 = fsub double %155, %78
  store double %156, ptr %143, align 8
  %157 = fsub double %156, %156
  %158 = fcmp oeq double %157, 0.000000e+00
  %159 = select i1 %141, i1 %158, i1 false
  br i1 %142, label %140, label %123

160:
  %161 = fptosi double %133 to i64
  %162 = sitofp i64 %161 to double
  %163 = fcmp ogt double %133, %162
  %164 = zext i1 %163 to i64
  %165 = add i64 %164, %161
  br label %166

166:
  %167 = phi i64 [ %165, %160 ], [ %110, %123 ]
  %168 = tail call i64 @llvm.smax.i64(i64 %167, i64 1)
  %169 = getelementptr inbounds nuw i64, ptr %17, i64 %121
  %170 = getelementptr inbounds nuw i8, ptr %169, i64 16
  %171 = load i64, ptr %170, align 8
  store double %125, ptr %120, align 8
  %172 = getelementptr inbounds nuw i8, ptr %120, i64 8
  store double %133, ptr %172, align 8
  %173 = getelementptr inbounds nuw i8, ptr %120, i64 16
  store i64 %131, ptr %173, align 8
  %174 = getelementptr inbounds nuw i8, ptr %120, i64 24
  store i64 %168, ptr %174, align 8
  %175 = getelementptr inbounds nuw i8, ptr %120, i64 32
  store i64 %171, ptr %175, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  br i1 %119, label %117, label %113

176:
  %177 = udiv i64 262144, %16
  %178 = icmp sgt i64 %116, %177
  br i1 %178, label %243, label %179

179:
  %180 = shl i64 %116, 2
  %181 = mul i64 %180, %16
  %182 = icmp sgt i64 %181, %92
  br i1 %182, label %183, label %187

183:
  tail call void @free(ptr noundef %93)
  %184 = shl i64 %181, 4
  %185 = tail call ptr @malloc(i64 noundef %184)
  %186 = icmp eq ptr %185, null
  br i1 %186, label %243, label %187

187:
  %188 = phi i64 [ %181, %183 ], [ %92, %179 ]
  %189 = phi ptr [ %185, %183 ], [ %93, %179 ]
  call fastcc void @taps_of(ptr noundef %189, ptr noundef %3)
  br i1 %83, label %190, label %245

190:
  %191 = load i64, ptr %6, align 8
  %192 = inttoptr i64 %191 to ptr
  %193 = mul i64 %82, %97
  %194 = getelementptr inbounds float, ptr %192, i64 %193
  %195 = icmp sgt i64 %180, 0
  %196 = sitofp i64 %116 to double
  br label %197

197:
  %198 = phi i64 [ 0, %190 ], [ %206, %205 ]
  %199 = phi ptr [ %194, %190 ], [ %207, %205 ]
  %200 = phi ptr [ %91, %190 ], [ %215, %205 ]
  br label %201

201:
  %202 = phi i64 [ %216, %209 ], [ 0, %197 ]
  %203 = phi ptr [ %210, %209 ], [ %189, %197 ]
  %204 = phi ptr [ %215, %209 ], [ %200, %197 ]
  br i1 %195, label %218, label %209

205:
  %206 = add nuw nsw i64 %198, 1
  %207 = getelementptr inbounds float, ptr %199, i64 %24
  %208 = icmp eq i64 %206, %19
  br i1 %208, label %245, label %197

209:
  %210 = phi ptr [ %203, %201 ], [ %241, %238 ]
  %211 = phi double [ 0.000000e+00, %201 ], [ %239, %238 ]
  %212 = fdiv double %211, %196
  %213 = select i1 %30, double %212, double %211
  %214 = fptrunc double %213 to float
  %215 = getelementptr inbounds nuw i8, ptr %204, i64 4
  store float %214, ptr %204, align 4
  %216 = add nuw nsw i64 %202, 1
  %217 = icmp eq i64 %216, %16
  br i1 %217, label %205, label %201

218:
  %219 = phi i64 [ %240, %238 ], [ 0, %201 ]
  %220 = phi double [ %239, %238 ], [ 0.000000e+00, %201 ]
  %221 = phi ptr [ %241, %238 ], [ %203, %201 ]
  %222 = load i64, ptr %221, align 8
  %223 = getelementptr inbounds float, ptr %199, i64 %222
  %224 = load float, ptr %223, align 4
  %225 = fpext float %224 to double
  %226 = getelementptr inbounds nuw i8, ptr %221, i64 8
  %227 = load double, ptr %226, align 8
  %228 = fmul double %227, %225
  br i1 %30, label %229, label %231

229:
  %230 = fadd double %220, %228
  br label %238

231:
  %232 = icmp eq i64 %219, 0
  %233 = fcmp ogt double %228, %220
  %234 = fcmp uno double %228, 0.000000e+00
  %235 = or i1 %233, %234
  %236 = select i1 %232, i1 true, i1 %235
  br i1 %236, label %238, label %237

237:
  br label %238

238:
  %239 = phi double [ %230, %229 ], [ %220, %237 ], [ %228, %231 ]
  %240 = add nuw nsw i64 %219, 1
  %241 = getelementptr inbounds nuw i8, ptr %221, i64 16
  %242 = icmp eq i64 %240, %180
  br i1 %242, label %209, label %218

243:
  %244 = phi ptr [ %93, %176 ], [ null, %183 ], [ %93, %113 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  br label %250

245:
  %246 = phi ptr [ %91, %187 ], [ %215, %205 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  %247 = add nuw i64 %90, 1
  %248 = load i64, ptr %54, align 8
  %249 = icmp slt i64 %247, %248
  br i1 %249, label %89, label %250

250:
  %251 = phi i1 [ false, %243 ], [ true, %77 ], [ true, %245 ]
  %252 = phi ptr [ %244, %243 ], [ null, %77 ], [ %189, %245 ]
  tail call void @free(ptr noundef %252)
  br label %253

253:
  %254 = phi i1 [ %251, %250 ], [ false, %71 ], [ false, %62 ], [ false, %58 ], [ false, %53 ], [ false, %49 ], [ false, %45 ], [ false, %41 ], [ false, %37 ], [ false, %2 ]
  ret i1 %254
}

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
  br i1 %13, label %14, label %1188

14:
  %15 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %16, %18
  br i1 %19, label %20, label %1188

20:
  %21 = load i64, ptr %1, align 8
  %22 = call fastcc zeroext i1 @lines_of(ptr noundef %3, ptr noundef nonnull %4, ptr noundef nonnull %6, i64 noundef %21)
  br i1 %22, label %23, label %1188

23:
  %24 = load i64, ptr %11, align 8
  %25 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %26 = load i64, ptr %25, align 8
  %27 = icmp eq i64 %26, 2
  %28 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %29 = load i8, ptr %28, align 8
  %30 = trunc nuw i8 %29 to i1
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %32 = load i64, ptr %31, align 8
  %33 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %34 = load i64, ptr %33, align 8
  %35 = icmp sgt i64 %34, 0
  switch i64 %24, label %897 [
    i64 3, label %36
    i64 4, label %36
    i64 7, label %36
    i64 6, label %313
    i64 8, label %313
    i64 9, label %313
    i64 0, label %606
    i64 1, label %606
    i64 10, label %606
  ]

36:
  br i1 %27, label %37, label %174

37:
  br i1 %30, label %38, label %104

38:
  br i1 %35, label %39, label %1188

39:
  %40 = load i64, ptr %8, align 8
  %41 = inttoptr i64 %40 to ptr
  %42 = load i64, ptr %6, align 8
  %43 = inttoptr i64 %42 to ptr
  %44 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %45 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %46 = icmp sgt i64 %32, 0
  %47 = shl i64 %32, 3
  %48 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %49 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %50 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %51

51:
  %52 = phi i64 [ 0, %39 ], [ %77, %101 ]
  %53 = phi ptr [ %41, %39 ], [ %76, %101 ]
  %54 = phi ptr [ %43, %39 ], [ %75, %101 ]
  %55 = load i64, ptr %4, align 8
  %56 = inttoptr i64 %55 to ptr
  %57 = load i64, ptr %44, align 8
  %58 = getelementptr inbounds i8, ptr %56, i64 %57
  %59 = load i64, ptr %45, align 8
  br i1 %46, label %60, label %74

60:
  %61 = phi i64 [ %72, %68 ], [ 0, %51 ]
  %62 = getelementptr inbounds nuw i64, ptr %54, i64 %61
  %63 = load i64, ptr %62, align 8
  %64 = icmp slt i64 %63, 0
  %65 = select i1 %64, i64 %59, i64 0
  %66 = add i64 %65, %63
  %67 = icmp ult i64 %66, %59
  br i1 %67, label %68, label %1188

68:
  %69 = getelementptr inbounds nuw i8, ptr %53, i64 %61
  %70 = getelementptr inbounds i8, ptr %58, i64 %66
  %71 = load i8, ptr %70, align 1
  store i8 %71, ptr %69, align 1
  %72 = add nuw nsw i64 %61, 1
  %73 = icmp eq i64 %72, %32
  br i1 %73, label %74, label %60

74:
  %75 = getelementptr inbounds i8, ptr %54, i64 %47
  %76 = getelementptr inbounds i8, ptr %53, i64 %32
  %77 = add nuw nsw i64 %52, 1
  %78 = load i64, ptr %3, align 8
  %79 = add i64 %78, -2
  %80 = icmp sgt i64 %79, -1
  br i1 %80, label %81, label %101

81:
  %82 = load i64, ptr %44, align 8
  br label %83

83:
  %84 = phi i64 [ %82, %81 ], [ %98, %96 ]
  %85 = phi i64 [ %79, %81 ], [ %99, %96 ]
  %86 = getelementptr inbounds nuw i64, ptr %48, i64 %85
  %87 = load i64, ptr %86, align 8
  %88 = add i64 %87, %84
  store i64 %88, ptr %44, align 8
  %89 = getelementptr inbounds nuw i64, ptr %49, i64 %85
  %90 = load i64, ptr %89, align 8
  %91 = add i64 %90, 1
  store i64 %91, ptr %89, align 8
  %92 = load ptr, ptr %50, align 8
  %93 = getelementptr inbounds nuw i64, ptr %92, i64 %85
  %94 = load i64, ptr %93, align 8
  %95 = icmp slt i64 %91, %94
  br i1 %95, label %101, label %96

96:
  %97 = mul i64 %94, %87
  %98 = sub i64 %88, %97
  store i64 %98, ptr %44, align 8
  store i64 0, ptr %89, align 8
  %99 = add nsw i64 %85, -1
  %100 = icmp sgt i64 %85, 0
  br i1 %100, label %83, label %101

101:
  %102 = load i64, ptr %33, align 8
  %103 = icmp slt i64 %77, %102
  br i1 %103, label %51, label %1188

104:
  br i1 %35, label %105, label %1188

105:
  %106 = load i64, ptr %8, align 8
  %107 = inttoptr i64 %106 to ptr
  %108 = load i64, ptr %6, align 8
  %109 = inttoptr i64 %108 to ptr
  %110 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %111 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %112 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %113 = icmp sgt i64 %32, 0
  %114 = shl i64 %32, 3
  %115 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %116 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %117 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %118

118:
  %119 = phi i64 [ 0, %105 ], [ %147, %171 ]
  %120 = phi ptr [ %107, %105 ], [ %146, %171 ]
  %121 = phi ptr [ %109, %105 ], [ %145, %171 ]
  %122 = load i64, ptr %4, align 8
  %123 = inttoptr i64 %122 to ptr
  %124 = load i64, ptr %110, align 8
  %125 = getelementptr inbounds i8, ptr %123, i64 %124
  %126 = load i64, ptr %111, align 8
  %127 = load i64, ptr %112, align 8
  br i1 %113, label %128, label %144

128:
  %129 = phi i64 [ %142, %136 ], [ 0, %118 ]
  %130 = getelementptr inbounds nuw i64, ptr %121, i64 %129
  %131 = load i64, ptr %130, align 8
  %132 = icmp slt i64 %131, 0
  %133 = select i1 %132, i64 %126, i64 0
  %134 = add i64 %133, %131
  %135 = icmp ult i64 %134, %126
  br i1 %135, label %136, label %1188

136:
  %137 = getelementptr inbounds nuw i8, ptr %120, i64 %129
  %138 = mul i64 %134, %127
  %139 = getelementptr i8, ptr %125, i64 %138
  %140 = getelementptr i8, ptr %139, i64 %129
  %141 = load i8, ptr %140, align 1
  store i8 %141, ptr %137, align 1
  %142 = add nuw nsw i64 %129, 1
  %143 = icmp eq i64 %142, %32
  br i1 %143, label %144, label %128

144:
  %145 = getelementptr inbounds i8, ptr %121, i64 %114
  %146 = getelementptr inbounds i8, ptr %120, i64 %32
  %147 = add nuw nsw i64 %119, 1
  %148 = load i64, ptr %3, align 8
  %149 = add i64 %148, -2
  %150 = icmp sgt i64 %149, -1
  br i1 %150, label %151, label %171

151:
  %152 = load i64, ptr %110, align 8
  br label %153

153:
  %154 = phi i64 [ %152, %151 ], [ %168, %166 ]
  %155 = phi i64 [ %149, %151 ], [ %169, %166 ]
  %156 = getelementptr inbounds nuw i64, ptr %115, i64 %155
  %157 = load i64, ptr %156, align 8
  %158 = add i64 %157, %154
  store i64 %158, ptr %110, align 8
  %159 = getelementptr inbounds nuw i64, ptr %116, i64 %155
  %160 = load i64, ptr %159, align 8
  %161 = add i64 %160, 1
  store i64 %161, ptr %159, align 8
  %162 = load ptr, ptr %117, align 8
  %163 = getelementptr inbounds nuw i64, ptr %162, i64 %155
  %164 = load i64, ptr %163, align 8
  %165 = icmp slt i64 %161, %164
  br i1 %165, label %171, label %166

166:
  %167 = mul i64 %164, %157
  %168 = sub i64 %158, %167
  store i64 %168, ptr %110, align 8
  store i64 0, ptr %159, align 8
  %169 = add nsw i64 %155, -1
  %170 = icmp sgt i64 %155, 0
  br i1 %170, label %153, label %171

171:
  %172 = load i64, ptr %33, align 8
  %173 = icmp slt i64 %147, %172
  br i1 %173, label %118, label %1188

174:
  br i1 %30, label %175, label %242

175:
  br i1 %35, label %176, label %1188

176:
  %177 = load i64, ptr %8, align 8
  %178 = inttoptr i64 %177 to ptr
  %179 = load i64, ptr %6, align 8
  %180 = inttoptr i64 %179 to ptr
  %181 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %182 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %183 = icmp sgt i64 %32, 0
  %184 = shl i64 %32, 2
  %185 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %186 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %187 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %188

188:
  %189 = phi i64 [ 0, %176 ], [ %215, %239 ]
  %190 = phi ptr [ %178, %176 ], [ %214, %239 ]
  %191 = phi ptr [ %180, %176 ], [ %213, %239 ]
  %192 = load i64, ptr %4, align 8
  %193 = inttoptr i64 %192 to ptr
  %194 = load i64, ptr %181, align 8
  %195 = getelementptr inbounds i8, ptr %193, i64 %194
  %196 = load i64, ptr %182, align 8
  br i1 %183, label %197, label %212

197:
  %198 = phi i64 [ %210, %206 ], [ 0, %188 ]
  %199 = getelementptr inbounds nuw i32, ptr %191, i64 %198
  %200 = load i32, ptr %199, align 4
  %201 = sext i32 %200 to i64
  %202 = icmp slt i32 %200, 0
  %203 = select i1 %202, i64 %196, i64 0
  %204 = add i64 %203, %201
  %205 = icmp ult i64 %204, %196
  br i1 %205, label %206, label %1188

206:
  %207 = getelementptr inbounds nuw i8, ptr %190, i64 %198
  %208 = getelementptr inbounds i8, ptr %195, i64 %204
  %209 = load i8, ptr %208, align 1
  store i8 %209, ptr %207, align 1
  %210 = add nuw nsw i64 %198, 1
  %211 = icmp eq i64 %210, %32
  br i1 %211, label %212, label %197

212:
  %213 = getelementptr inbounds i8, ptr %191, i64 %184
  %214 = getelementptr inbounds i8, ptr %190, i64 %32
  %215 = add nuw nsw i64 %189, 1
  %216 = load i64, ptr %3, align 8
  %217 = add i64 %216, -2
  %218 = icmp sgt i64 %217, -1
  br i1 %218, label %219, label %239

219:
  %220 = load i64, ptr %181, align 8
  br label %221

221:
  %222 = phi i64 [ %220, %219 ], [ %236, %234 ]
  %223 = phi i64 [ %217, %219 ], [ %237, %234 ]
  %224 = getelementptr inbounds nuw i64, ptr %185, i64 %223
  %225 = load i64, ptr %224, align 8
  %226 = add i64 %225, %222
  store i64 %226, ptr %181, align 8
  %227 = getelementptr inbounds nuw i64, ptr %186, i64 %223
  %228 = load i64, ptr %227, align 8
  %229 = add i64 %228, 1
  store i64 %229, ptr %227, align 8
  %230 = load ptr, ptr %187, align 8
  %231 = getelementptr inbounds nuw i64, ptr %230, i64 %223
  %232 = load i64, ptr %231, align 8
  %233 = icmp slt i64 %229, %232
  br i1 %233, label %239, label %234

234:
  %235 = mul i64 %232, %225
  %236 = sub i64 %226, %235
  store i64 %236, ptr %181, align 8
  store i64 0, ptr %227, align 8
  %237 = add nsw i64 %223, -1
  %238 = icmp sgt i64 %223, 0
  br i1 %238, label %221, label %239

239:
  %240 = load i64, ptr %33, align 8
  %241 = icmp slt i64 %215, %240
  br i1 %241, label %188, label %1188

242:
  br i1 %35, label %243, label %1188

243:
  %244 = load i64, ptr %8, align 8
  %245 = inttoptr i64 %244 to ptr
  %246 = load i64, ptr %6, align 8
  %247 = inttoptr i64 %246 to ptr
  %248 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %249 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %250 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %251 = icmp sgt i64 %32, 0
  %252 = shl i64 %32, 2
  %253 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %254 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %255 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %256

256:
  %257 = phi i64 [ 0, %243 ], [ %286, %310 ]
  %258 = phi ptr [ %245, %243 ], [ %285, %310 ]
  %259 = phi ptr [ %247, %243 ], [ %284, %310 ]
  %260 = load i64, ptr %4, align 8
  %261 = inttoptr i64 %260 to ptr
  %262 = load i64, ptr %248, align 8
  %263 = getelementptr inbounds i8, ptr %261, i64 %262
  %264 = load i64, ptr %249, align 8
  %265 = load i64, ptr %250, align 8
  br i1 %251, label %266, label %283

266:
  %267 = phi i64 [ %281, %275 ], [ 0, %256 ]
  %268 = getelementptr inbounds nuw i32, ptr %259, i64 %267
  %269 = load i32, ptr %268, align 4
  %270 = sext i32 %269 to i64
  %271 = icmp slt i32 %269, 0
  %272 = select i1 %271, i64 %264, i64 0
  %273 = add i64 %272, %270
  %274 = icmp ult i64 %273, %264
  br i1 %274, label %275, label %1188

275:
  %276 = getelementptr inbounds nuw i8, ptr %258, i64 %267
  %277 = mul i64 %273, %265
  %278 = getelementptr i8, ptr %263, i64 %277
  %279 = getelementptr i8, ptr %278, i64 %267
  %280 = load i8, ptr %279, align 1
  store i8 %280, ptr %276, align 1
  %281 = add nuw nsw i64 %267, 1
  %282 = icmp eq i64 %281, %32
  br i1 %282, label %283, label %266

283:
  %284 = getelementptr inbounds i8, ptr %259, i64 %252
  %285 = getelementptr inbounds i8, ptr %258, i64 %32
  %286 = add nuw nsw i64 %257, 1
  %287 = load i64, ptr %3, align 8
  %288 = add i64 %287, -2
  %289 = icmp sgt i64 %288, -1
  br i1 %289, label %290, label %310

290:
  %291 = load i64, ptr %248, align 8
  br label %292

292:
  %293 = phi i64 [ %291, %290 ], [ %307, %305 ]
  %294 = phi i64 [ %288, %290 ], [ %308, %305 ]
  %295 = getelementptr inbounds nuw i64, ptr %253, i64 %294
  %296 = load i64, ptr %295, align 8
  %297 = add i64 %296, %293
  store i64 %297, ptr %248, align 8
  %298 = getelementptr inbounds nuw i64, ptr %254, i64 %294
  %299 = load i64, ptr %298, align 8
  %300 = add i64 %299, 1
  store i64 %300, ptr %298, align 8
  %301 = load ptr, ptr %255, align 8
  %302 = getelementptr inbounds nuw i64, ptr %301, i64 %294
  %303 = load i64, ptr %302, align 8
  %304 = icmp slt i64 %300, %303
  br i1 %304, label %310, label %305

305:
  %306 = mul i64 %303, %296
  %307 = sub i64 %297, %306
  store i64 %307, ptr %248, align 8
  store i64 0, ptr %298, align 8
  %308 = add nsw i64 %294, -1
  %309 = icmp sgt i64 %294, 0
  br i1 %309, label %292, label %310

310:
  %311 = load i64, ptr %33, align 8
  %312 = icmp slt i64 %286, %311
  br i1 %312, label %256, label %1188

313:
  br i1 %27, label %314, label %459

314:
  br i1 %30, label %315, label %385

315:
  br i1 %35, label %316, label %1188

316:
  %317 = load i64, ptr %8, align 8
  %318 = inttoptr i64 %317 to ptr
  %319 = load i64, ptr %6, align 8
  %320 = inttoptr i64 %319 to ptr
  %321 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %322 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %323 = icmp sgt i64 %32, 0
  %324 = shl i64 %32, 3
  %325 = shl i64 %32, 1
  %326 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %327 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %328 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %329

329:
  %330 = phi i64 [ 0, %316 ], [ %358, %382 ]
  %331 = phi ptr [ %318, %316 ], [ %357, %382 ]
  %332 = phi ptr [ %320, %316 ], [ %356, %382 ]
  %333 = load i64, ptr %4, align 8
  %334 = inttoptr i64 %333 to ptr
  %335 = load i64, ptr %321, align 8
  %336 = shl i64 %335, 1
  %337 = getelementptr inbounds i8, ptr %334, i64 %336
  %338 = load i64, ptr %322, align 8
  br i1 %323, label %339, label %355

339:
  %340 = phi i64 [ %353, %347 ], [ 0, %329 ]
  %341 = getelementptr inbounds nuw i64, ptr %332, i64 %340
  %342 = load i64, ptr %341, align 8
  %343 = icmp slt i64 %342, 0
  %344 = select i1 %343, i64 %338, i64 0
  %345 = add i64 %344, %342
  %346 = icmp ult i64 %345, %338
  br i1 %346, label %347, label %1188

347:
  %348 = shl nuw i64 %340, 1
  %349 = getelementptr inbounds i8, ptr %331, i64 %348
  %350 = shl i64 %345, 1
  %351 = getelementptr inbounds i8, ptr %337, i64 %350
  %352 = load i16, ptr %351, align 1
  store i16 %352, ptr %349, align 1
  %353 = add nuw nsw i64 %340, 1
  %354 = icmp eq i64 %353, %32
  br i1 %354, label %355, label %339

355:
  %356 = getelementptr inbounds i8, ptr %332, i64 %324
  %357 = getelementptr inbounds i8, ptr %331, i64 %325
  %358 = add nuw nsw i64 %330, 1
  %359 = load i64, ptr %3, align 8
  %360 = add i64 %359, -2
  %361 = icmp sgt i64 %360, -1
  br i1 %361, label %362, label %382

362:
  %363 = load i64, ptr %321, align 8
  br label %364

364:
  %365 = phi i64 [ %363, %362 ], [ %379, %377 ]
  %366 = phi i64 [ %360, %362 ], [ %380, %377 ]
  %367 = getelementptr inbounds nuw i64, ptr %326, i64 %366
  %368 = load i64, ptr %367, align 8
  %369 = add i64 %368, %365
  store i64 %369, ptr %321, align 8
  %370 = getelementptr inbounds nuw i64, ptr %327, i64 %366
  %371 = load i64, ptr %370, align 8
  %372 = add i64 %371, 1
  store i64 %372, ptr %370, align 8
  %373 = load ptr, ptr %328, align 8
  %374 = getelementptr inbounds nuw i64, ptr %373, i64 %366
  %375 = load i64, ptr %374, align 8
  %376 = icmp slt i64 %372, %375
  br i1 %376, label %382, label %377

377:
  %378 = mul i64 %375, %368
  %379 = sub i64 %369, %378
  store i64 %379, ptr %321, align 8
  store i64 0, ptr %370, align 8
  %380 = add nsw i64 %366, -1
  %381 = icmp sgt i64 %366, 0
  br i1 %381, label %364, label %382

382:
  %383 = load i64, ptr %33, align 8
  %384 = icmp slt i64 %358, %383
  br i1 %384, label %329, label %1188

385:
  br i1 %35, label %386, label %1188

386:
  %387 = load i64, ptr %8, align 8
  %388 = inttoptr i64 %387 to ptr
  %389 = load i64, ptr %6, align 8
  %390 = inttoptr i64 %389 to ptr
  %391 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %392 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %393 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %394 = icmp sgt i64 %32, 0
  %395 = shl i64 %32, 3
  %396 = shl i64 %32, 1
  %397 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %398 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %399 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %400

400:
  %401 = phi i64 [ 0, %386 ], [ %432, %456 ]
  %402 = phi ptr [ %388, %386 ], [ %431, %456 ]
  %403 = phi ptr [ %390, %386 ], [ %430, %456 ]
  %404 = load i64, ptr %4, align 8
  %405 = inttoptr i64 %404 to ptr
  %406 = load i64, ptr %391, align 8
  %407 = shl i64 %406, 1
  %408 = getelementptr inbounds i8, ptr %405, i64 %407
  %409 = load i64, ptr %392, align 8
  %410 = load i64, ptr %393, align 8
  br i1 %394, label %411, label %429

411:
  %412 = phi i64 [ %427, %419 ], [ 0, %400 ]
  %413 = getelementptr inbounds nuw i64, ptr %403, i64 %412
  %414 = load i64, ptr %413, align 8
  %415 = icmp slt i64 %414, 0
  %416 = select i1 %415, i64 %409, i64 0
  %417 = add i64 %416, %414
  %418 = icmp ult i64 %417, %409
  br i1 %418, label %419, label %1188

419:
  %420 = shl nuw i64 %412, 1
  %421 = getelementptr inbounds i8, ptr %402, i64 %420
  %422 = mul i64 %417, %410
  %423 = add i64 %422, %412
  %424 = shl i64 %423, 1
  %425 = getelementptr inbounds i8, ptr %408, i64 %424
  %426 = load i16, ptr %425, align 1
  store i16 %426, ptr %421, align 1
  %427 = add nuw nsw i64 %412, 1
  %428 = icmp eq i64 %427, %32
  br i1 %428, label %429, label %411

429:
  %430 = getelementptr inbounds i8, ptr %403, i64 %395
  %431 = getelementptr inbounds i8, ptr %402, i64 %396
  %432 = add nuw nsw i64 %401, 1
  %433 = load i64, ptr %3, align 8
  %434 = add i64 %433, -2
  %435 = icmp sgt i64 %434, -1
  br i1 %435, label %436, label %456

436:
  %437 = load i64, ptr %391, align 8
  br label %438

438:
  %439 = phi i64 [ %437, %436 ], [ %453, %451 ]
  %440 = phi i64 [ %434, %436 ], [ %454, %451 ]
  %441 = getelementptr inbounds nuw i64, ptr %397, i64 %440
  %442 = load i64, ptr %441, align 8
  %443 = add i64 %442, %439
  store i64 %443, ptr %391, align 8
  %444 = getelementptr inbounds nuw i64, ptr %398, i64 %440
  %445 = load i64, ptr %444, align 8
  %446 = add i64 %445, 1
  store i64 %446, ptr %444, align 8
  %447 = load ptr, ptr %399, align 8
  %448 = getelementptr inbounds nuw i64, ptr %447, i64 %440
  %449 = load i64, ptr %448, align 8
  %450 = icmp slt i64 %446, %449
  br i1 %450, label %456, label %451

451:
  %452 = mul i64 %449, %442
  %453 = sub i64 %443, %452
  store i64 %453, ptr %391, align 8
  store i64 0, ptr %444, align 8
  %454 = add nsw i64 %440, -1
  %455 = icmp sgt i64 %440, 0
  br i1 %455, label %438, label %456

456:
  %457 = load i64, ptr %33, align 8
  %458 = icmp slt i64 %432, %457
  br i1 %458, label %400, label %1188

459:
  br i1 %30, label %460, label %531

460:
  br i1 %35, label %461, label %1188

461:
  %462 = load i64, ptr %8, align 8
  %463 = inttoptr i64 %462 to ptr
  %464 = load i64, ptr %6, align 8
  %465 = inttoptr i64 %464 to ptr
  %466 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %467 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %468 = icmp sgt i64 %32, 0
  %469 = shl i64 %32, 2
  %470 = shl i64 %32, 1
  %471 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %472 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %473 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %474

474:
  %475 = phi i64 [ 0, %461 ], [ %504, %528 ]
  %476 = phi ptr [ %463, %461 ], [ %503, %528 ]
  %477 = phi ptr [ %465, %461 ], [ %502, %528 ]
  %478 = load i64, ptr %4, align 8
  %479 = inttoptr i64 %478 to ptr
  %480 = load i64, ptr %466, align 8
  %481 = shl i64 %480, 1
  %482 = getelementptr inbounds i8, ptr %479, i64 %481
  %483 = load i64, ptr %467, align 8
  br i1 %468, label %484, label %501

484:
  %485 = phi i64 [ %499, %493 ], [ 0, %474 ]
  %486 = getelementptr inbounds nuw i32, ptr %477, i64 %485
  %487 = load i32, ptr %486, align 4
  %488 = sext i32 %487 to i64
  %489 = icmp slt i32 %487, 0
  %490 = select i1 %489, i64 %483, i64 0
  %491 = add i64 %490, %488
  %492 = icmp ult i64 %491, %483
  br i1 %492, label %493, label %1188

493:
  %494 = shl nuw i64 %485, 1
  %495 = getelementptr inbounds i8, ptr %476, i64 %494
  %496 = shl i64 %491, 1
  %497 = getelementptr inbounds i8, ptr %482, i64 %496
  %498 = load i16, ptr %497, align 1
  store i16 %498, ptr %495, align 1
  %499 = add nuw nsw i64 %485, 1
  %500 = icmp eq i64 %499, %32
  br i1 %500, label %501, label %484

501:
  %502 = getelementptr inbounds i8, ptr %477, i64 %469
  %503 = getelementptr inbounds i8, ptr %476, i64 %470
  %504 = add nuw nsw i64 %475, 1
  %505 = load i64, ptr %3, align 8
  %506 = add i64 %505, -2
  %507 = icmp sgt i64 %506, -1
  br i1 %507, label %508, label %528

508:
  %509 = load i64, ptr %466, align 8
  br label %510

510:
  %511 = phi i64 [ %509, %508 ], [ %525, %523 ]
  %512 = phi i64 [ %506, %508 ], [ %526, %523 ]
  %513 = getelementptr inbounds nuw i64, ptr %471, i64 %512
  %514 = load i64, ptr %513, align 8
  %515 = add i64 %514, %511
  store i64 %515, ptr %466, align 8
  %516 = getelementptr inbounds nuw i64, ptr %472, i64 %512
  %517 = load i64, ptr %516, align 8
  %518 = add i64 %517, 1
  store i64 %518, ptr %516, align 8
  %519 = load ptr, ptr %473, align 8
  %520 = getelementptr inbounds nuw i64, ptr %519, i64 %512
  %521 = load i64, ptr %520, align 8
  %522 = icmp slt i64 %518, %521
  br i1 %522, label %528, label %523

523:
  %524 = mul i64 %521, %514
  %525 = sub i64 %515, %524
  store i64 %525, ptr %466, align 8
  store i64 0, ptr %516, align 8
  %526 = add nsw i64 %512, -1
  %527 = icmp sgt i64 %512, 0
  br i1 %527, label %510, label %528

528:
  %529 = load i64, ptr %33, align 8
  %530 = icmp slt i64 %504, %529
  br i1 %530, label %474, label %1188

531:
  br i1 %35, label %532, label %1188

532:
  %533 = load i64, ptr %8, align 8
  %534 = inttoptr i64 %533 to ptr
  %535 = load i64, ptr %6, align 8
  %536 = inttoptr i64 %535 to ptr
  %537 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %538 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %539 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %540 = icmp sgt i64 %32, 0
  %541 = shl i64 %32, 2
  %542 = shl i64 %32, 1
  %543 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %544 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %545 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %546

546:
  %547 = phi i64 [ 0, %532 ], [ %579, %603 ]
  %548 = phi ptr [ %534, %532 ], [ %578, %603 ]
  %549 = phi ptr [ %536, %532 ], [ %577, %603 ]
  %550 = load i64, ptr %4, align 8
  %551 = inttoptr i64 %550 to ptr
  %552 = load i64, ptr %537, align 8
  %553 = shl i64 %552, 1
  %554 = getelementptr inbounds i8, ptr %551, i64 %553
  %555 = load i64, ptr %538, align 8
  %556 = load i64, ptr %539, align 8
  br i1 %540, label %557, label %576

557:
  %558 = phi i64 [ %574, %566 ], [ 0, %546 ]
  %559 = getelementptr inbounds nuw i32, ptr %549, i64 %558
  %560 = load i32, ptr %559, align 4
  %561 = sext i32 %560 to i64
  %562 = icmp slt i32 %560, 0
  %563 = select i1 %562, i64 %555, i64 0
  %564 = add i64 %563, %561
  %565 = icmp ult i64 %564, %555
  br i1 %565, label %566, label %1188

566:
  %567 = shl nuw i64 %558, 1
  %568 = getelementptr inbounds i8, ptr %548, i64 %567
  %569 = mul i64 %564, %556
  %570 = add i64 %569, %558
  %571 = shl i64 %570, 1
  %572 = getelementptr inbounds i8, ptr %554, i64 %571
  %573 = load i16, ptr %572, align 1
  store i16 %573, ptr %568, align 1
  %574 = add nuw nsw i64 %558, 1
  %575 = icmp eq i64 %574, %32
  br i1 %575, label %576, label %557

576:
  %577 = getelementptr inbounds i8, ptr %549, i64 %541
  %578 = getelementptr inbounds i8, ptr %548, i64 %542
  %579 = add nuw nsw i64 %547, 1
  %580 = load i64, ptr %3, align 8
  %581 = add i64 %580, -2
  %582 = icmp sgt i64 %581, -1
  br i1 %582, label %583, label %603

583:
  %584 = load i64, ptr %537, align 8
  br label %585

585:
  %586 = phi i64 [ %584, %583 ], [ %600, %598 ]
  %587 = phi i64 [ %581, %583 ], [ %601, %598 ]
  %588 = getelementptr inbounds nuw i64, ptr %543, i64 %587
  %589 = load i64, ptr %588, align 8
  %590 = add i64 %589, %586
  store i64 %590, ptr %537, align 8
  %591 = getelementptr inbounds nuw i64, ptr %544, i64 %587
  %592 = load i64, ptr %591, align 8
  %593 = add i64 %592, 1
  store i64 %593, ptr %591, align 8
  %594 = load ptr, ptr %545, align 8
  %595 = getelementptr inbounds nuw i64, ptr %594, i64 %587
  %596 = load i64, ptr %595, align 8
  %597 = icmp slt i64 %593, %596
  br i1 %597, label %603, label %598

598:
  %599 = mul i64 %596, %589
  %600 = sub i64 %590, %599
  store i64 %600, ptr %537, align 8
  store i64 0, ptr %591, align 8
  %601 = add nsw i64 %587, -1
  %602 = icmp sgt i64 %587, 0
  br i1 %602, label %585, label %603

603:
  %604 = load i64, ptr %33, align 8
  %605 = icmp slt i64 %579, %604
  br i1 %605, label %546, label %1188

606:
  br i1 %27, label %607, label %752

607:
  br i1 %30, label %608, label %678

608:
  br i1 %35, label %609, label %1188

609:
  %610 = load i64, ptr %8, align 8
  %611 = inttoptr i64 %610 to ptr
  %612 = load i64, ptr %6, align 8
  %613 = inttoptr i64 %612 to ptr
  %614 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %615 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %616 = icmp sgt i64 %32, 0
  %617 = shl i64 %32, 3
  %618 = shl i64 %32, 2
  %619 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %620 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %621 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %622

622:
  %623 = phi i64 [ 0, %609 ], [ %651, %675 ]
  %624 = phi ptr [ %611, %609 ], [ %650, %675 ]
  %625 = phi ptr [ %613, %609 ], [ %649, %675 ]
  %626 = load i64, ptr %4, align 8
  %627 = inttoptr i64 %626 to ptr
  %628 = load i64, ptr %614, align 8
  %629 = shl i64 %628, 2
  %630 = getelementptr inbounds i8, ptr %627, i64 %629
  %631 = load i64, ptr %615, align 8
  br i1 %616, label %632, label %648

632:
  %633 = phi i64 [ %646, %640 ], [ 0, %622 ]
  %634 = getelementptr inbounds nuw i64, ptr %625, i64 %633
  %635 = load i64, ptr %634, align 8
  %636 = icmp slt i64 %635, 0
  %637 = select i1 %636, i64 %631, i64 0
  %638 = add i64 %637, %635
  %639 = icmp ult i64 %638, %631
  br i1 %639, label %640, label %1188

640:
  %641 = shl i64 %633, 2
  %642 = getelementptr inbounds i8, ptr %624, i64 %641
  %643 = shl i64 %638, 2
  %644 = getelementptr inbounds i8, ptr %630, i64 %643
  %645 = load i32, ptr %644, align 1
  store i32 %645, ptr %642, align 1
  %646 = add nuw nsw i64 %633, 1
  %647 = icmp eq i64 %646, %32
  br i1 %647, label %648, label %632

648:
  %649 = getelementptr inbounds i8, ptr %625, i64 %617
  %650 = getelementptr inbounds i8, ptr %624, i64 %618
  %651 = add nuw nsw i64 %623, 1
  %652 = load i64, ptr %3, align 8
  %653 = add i64 %652, -2
  %654 = icmp sgt i64 %653, -1
  br i1 %654, label %655, label %675

655:
  %656 = load i64, ptr %614, align 8
  br label %657

657:
  %658 = phi i64 [ %656, %655 ], [ %672, %670 ]
  %659 = phi i64 [ %653, %655 ], [ %673, %670 ]
  %660 = getelementptr inbounds nuw i64, ptr %619, i64 %659
  %661 = load i64, ptr %660, align 8
  %662 = add i64 %661, %658
  store i64 %662, ptr %614, align 8
  %663 = getelementptr inbounds nuw i64, ptr %620, i64 %659
  %664 = load i64, ptr %663, align 8
  %665 = add i64 %664, 1
  store i64 %665, ptr %663, align 8
  %666 = load ptr, ptr %621, align 8
  %667 = getelementptr inbounds nuw i64, ptr %666, i64 %659
  %668 = load i64, ptr %667, align 8
  %669 = icmp slt i64 %665, %668
  br i1 %669, label %675, label %670

670:
  %671 = mul i64 %668, %661
  %672 = sub i64 %662, %671
  store i64 %672, ptr %614, align 8
  store i64 0, ptr %663, align 8
  %673 = add nsw i64 %659, -1
  %674 = icmp sgt i64 %659, 0
  br i1 %674, label %657, label %675

675:
  %676 = load i64, ptr %33, align 8
  %677 = icmp slt i64 %651, %676
  br i1 %677, label %622, label %1188

678:
  br i1 %35, label %679, label %1188

679:
  %680 = load i64, ptr %8, align 8
  %681 = inttoptr i64 %680 to ptr
  %682 = load i64, ptr %6, align 8
  %683 = inttoptr i64 %682 to ptr
  %684 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %685 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %686 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %687 = icmp sgt i64 %32, 0
  %688 = shl i64 %32, 3
  %689 = shl i64 %32, 2
  %690 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %691 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %692 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %693

693:
  %694 = phi i64 [ 0, %679 ], [ %725, %749 ]
  %695 = phi ptr [ %681, %679 ], [ %724, %749 ]
  %696 = phi ptr [ %683, %679 ], [ %723, %749 ]
  %697 = load i64, ptr %4, align 8
  %698 = inttoptr i64 %697 to ptr
  %699 = load i64, ptr %684, align 8
  %700 = shl i64 %699, 2
  %701 = getelementptr inbounds i8, ptr %698, i64 %700
  %702 = load i64, ptr %685, align 8
  %703 = load i64, ptr %686, align 8
  br i1 %687, label %704, label %722

704:
  %705 = phi i64 [ %720, %712 ], [ 0, %693 ]
  %706 = getelementptr inbounds nuw i64, ptr %696, i64 %705
  %707 = load i64, ptr %706, align 8
  %708 = icmp slt i64 %707, 0
  %709 = select i1 %708, i64 %702, i64 0
  %710 = add i64 %709, %707
  %711 = icmp ult i64 %710, %702
  br i1 %711, label %712, label %1188

712:
  %713 = shl i64 %705, 2
  %714 = getelementptr inbounds i8, ptr %695, i64 %713
  %715 = mul i64 %710, %703
  %716 = add i64 %715, %705
  %717 = shl i64 %716, 2
  %718 = getelementptr inbounds i8, ptr %701, i64 %717
  %719 = load i32, ptr %718, align 1
  store i32 %719, ptr %714, align 1
  %720 = add nuw nsw i64 %705, 1
  %721 = icmp eq i64 %720, %32
  br i1 %721, label %722, label %704

722:
  %723 = getelementptr inbounds i8, ptr %696, i64 %688
  %724 = getelementptr inbounds i8, ptr %695, i64 %689
  %725 = add nuw nsw i64 %694, 1
  %726 = load i64, ptr %3, align 8
  %727 = add i64 %726, -2
  %728 = icmp sgt i64 %727, -1
  br i1 %728, label %729, label %749

729:
  %730 = load i64, ptr %684, align 8
  br label %731

731:
  %732 = phi i64 [ %730, %729 ], [ %746, %744 ]
  %733 = phi i64 [ %727, %729 ], [ %747, %744 ]
  %734 = getelementptr inbounds nuw i64, ptr %690, i64 %733
  %735 = load i64, ptr %734, align 8
  %736 = add i64 %735, %732
  store i64 %736, ptr %684, align 8
  %737 = getelementptr inbounds nuw i64, ptr %691, i64 %733
  %738 = load i64, ptr %737, align 8
  %739 = add i64 %738, 1
  store i64 %739, ptr %737, align 8
  %740 = load ptr, ptr %692, align 8
  %741 = getelementptr inbounds nuw i64, ptr %740, i64 %733
  %742 = load i64, ptr %741, align 8
  %743 = icmp slt i64 %739, %742
  br i1 %743, label %749, label %744

744:
  %745 = mul i64 %742, %735
  %746 = sub i64 %736, %745
  store i64 %746, ptr %684, align 8
  store i64 0, ptr %737, align 8
  %747 = add nsw i64 %733, -1
  %748 = icmp sgt i64 %733, 0
  br i1 %748, label %731, label %749

749:
  %750 = load i64, ptr %33, align 8
  %751 = icmp slt i64 %725, %750
  br i1 %751, label %693, label %1188

752:
  br i1 %30, label %753, label %823

753:
  br i1 %35, label %754, label %1188

754:
  %755 = load i64, ptr %8, align 8
  %756 = inttoptr i64 %755 to ptr
  %757 = load i64, ptr %6, align 8
  %758 = inttoptr i64 %757 to ptr
  %759 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %760 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %761 = icmp sgt i64 %32, 0
  %762 = shl i64 %32, 2
  %763 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %764 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %765 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %766

766:
  %767 = phi i64 [ 0, %754 ], [ %796, %820 ]
  %768 = phi ptr [ %756, %754 ], [ %795, %820 ]
  %769 = phi ptr [ %758, %754 ], [ %794, %820 ]
  %770 = load i64, ptr %4, align 8
  %771 = inttoptr i64 %770 to ptr
  %772 = load i64, ptr %759, align 8
  %773 = shl i64 %772, 2
  %774 = getelementptr inbounds i8, ptr %771, i64 %773
  %775 = load i64, ptr %760, align 8
  br i1 %761, label %776, label %793

776:
  %777 = phi i64 [ %791, %785 ], [ 0, %766 ]
  %778 = getelementptr inbounds nuw i32, ptr %769, i64 %777
  %779 = load i32, ptr %778, align 4
  %780 = sext i32 %779 to i64
  %781 = icmp slt i32 %779, 0
  %782 = select i1 %781, i64 %775, i64 0
  %783 = add i64 %782, %780
  %784 = icmp ult i64 %783, %775
  br i1 %784, label %785, label %1188

785:
  %786 = shl i64 %777, 2
  %787 = getelementptr inbounds i8, ptr %768, i64 %786
  %788 = shl i64 %783, 2
  %789 = getelementptr inbounds i8, ptr %774, i64 %788
  %790 = load i32, ptr %789, align 1
  store i32 %790, ptr %787, align 1
  %791 = add nuw nsw i64 %777, 1
  %792 = icmp eq i64 %791, %32
  br i1 %792, label %793, label %776

793:
  %794 = getelementptr inbounds i8, ptr %769, i64 %762
  %795 = getelementptr inbounds i8, ptr %768, i64 %762
  %796 = add nuw nsw i64 %767, 1
  %797 = load i64, ptr %3, align 8
  %798 = add i64 %797, -2
  %799 = icmp sgt i64 %798, -1
  br i1 %799, label %800, label %820

800:
  %801 = load i64, ptr %759, align 8
  br label %802

802:
  %803 = phi i64 [ %801, %800 ], [ %817, %815 ]
  %804 = phi i64 [ %798, %800 ], [ %818, %815 ]
  %805 = getelementptr inbounds nuw i64, ptr %763, i64 %804
  %806 = load i64, ptr %805, align 8
  %807 = add i64 %806, %803
  store i64 %807, ptr %759, align 8
  %808 = getelementptr inbounds nuw i64, ptr %764, i64 %804
  %809 = load i64, ptr %808, align 8
  %810 = add i64 %809, 1
  store i64 %810, ptr %808, align 8
  %811 = load ptr, ptr %765, align 8
  %812 = getelementptr inbounds nuw i64, ptr %811, i64 %804
  %813 = load i64, ptr %812, align 8
  %814 = icmp slt i64 %810, %813
  br i1 %814, label %820, label %815

815:
  %816 = mul i64 %813, %806
  %817 = sub i64 %807, %816
  store i64 %817, ptr %759, align 8
  store i64 0, ptr %808, align 8
  %818 = add nsw i64 %804, -1
  %819 = icmp sgt i64 %804, 0
  br i1 %819, label %802, label %820

820:
  %821 = load i64, ptr %33, align 8
  %822 = icmp slt i64 %796, %821
  br i1 %822, label %766, label %1188

823:
  br i1 %35, label %824, label %1188

824:
  %825 = load i64, ptr %8, align 8
  %826 = inttoptr i64 %825 to ptr
  %827 = load i64, ptr %6, align 8
  %828 = inttoptr i64 %827 to ptr
  %829 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %830 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %831 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %832 = icmp sgt i64 %32, 0
  %833 = shl i64 %32, 2
  %834 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %835 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %836 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %837

837:
  %838 = phi i64 [ 0, %824 ], [ %870, %894 ]
  %839 = phi ptr [ %826, %824 ], [ %869, %894 ]
  %840 = phi ptr [ %828, %824 ], [ %868, %894 ]
  %841 = load i64, ptr %4, align 8
  %842 = inttoptr i64 %841 to ptr
  %843 = load i64, ptr %829, align 8
  %844 = shl i64 %843, 2
  %845 = getelementptr inbounds i8, ptr %842, i64 %844
  %846 = load i64, ptr %830, align 8
  %847 = load i64, ptr %831, align 8
  br i1 %832, label %848, label %867

848:
  %849 = phi i64 [ %865, %857 ], [ 0, %837 ]
  %850 = getelementptr inbounds nuw i32, ptr %840, i64 %849
  %851 = load i32, ptr %850, align 4
  %852 = sext i32 %851 to i64
  %853 = icmp slt i32 %851, 0
  %854 = select i1 %853, i64 %846, i64 0
  %855 = add i64 %854, %852
  %856 = icmp ult i64 %855, %846
  br i1 %856, label %857, label %1188

857:
  %858 = shl i64 %849, 2
  %859 = getelementptr inbounds i8, ptr %839, i64 %858
  %860 = mul i64 %855, %847
  %861 = add i64 %860, %849
  %862 = shl i64 %861, 2
  %863 = getelementptr inbounds i8, ptr %845, i64 %862
  %864 = load i32, ptr %863, align 1
  store i32 %864, ptr %859, align 1
  %865 = add nuw nsw i64 %849, 1
  %866 = icmp eq i64 %865, %32
  br i1 %866, label %867, label %848

867:
  %868 = getelementptr inbounds i8, ptr %840, i64 %833
  %869 = getelementptr inbounds i8, ptr %839, i64 %833
  %870 = add nuw nsw i64 %838, 1
  %871 = load i64, ptr %3, align 8
  %872 = add i64 %871, -2
  %873 = icmp sgt i64 %872, -1
  br i1 %873, label %874, label %894

874:
  %875 = load i64, ptr %829, align 8
  br label %876

876:
  %877 = phi i64 [ %875, %874 ], [ %891, %889 ]
  %878 = phi i64 [ %872, %874 ], [ %892, %889 ]
  %879 = getelementptr inbounds nuw i64, ptr %834, i64 %878
  %880 = load i64, ptr %879, align 8
  %881 = add i64 %880, %877
  store i64 %881, ptr %829, align 8
  %882 = getelementptr inbounds nuw i64, ptr %835, i64 %878
  %883 = load i64, ptr %882, align 8
  %884 = add i64 %883, 1
  store i64 %884, ptr %882, align 8
  %885 = load ptr, ptr %836, align 8
  %886 = getelementptr inbounds nuw i64, ptr %885, i64 %878
  %887 = load i64, ptr %886, align 8
  %888 = icmp slt i64 %884, %887
  br i1 %888, label %894, label %889

889:
  %890 = mul i64 %887, %880
  %891 = sub i64 %881, %890
  store i64 %891, ptr %829, align 8
  store i64 0, ptr %882, align 8
  %892 = add nsw i64 %878, -1
  %893 = icmp sgt i64 %878, 0
  br i1 %893, label %876, label %894

894:
  %895 = load i64, ptr %33, align 8
  %896 = icmp slt i64 %870, %895
  br i1 %896, label %837, label %1188

897:
  br i1 %27, label %898, label %1041

898:
  br i1 %30, label %899, label %968

899:
  br i1 %35, label %900, label %1188

900:
  %901 = load i64, ptr %8, align 8
  %902 = inttoptr i64 %901 to ptr
  %903 = load i64, ptr %6, align 8
  %904 = inttoptr i64 %903 to ptr
  %905 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %906 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %907 = icmp sgt i64 %32, 0
  %908 = shl i64 %32, 3
  %909 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %910 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %911 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %912

912:
  %913 = phi i64 [ 0, %900 ], [ %941, %965 ]
  %914 = phi ptr [ %902, %900 ], [ %940, %965 ]
  %915 = phi ptr [ %904, %900 ], [ %939, %965 ]
  %916 = load i64, ptr %4, align 8
  %917 = inttoptr i64 %916 to ptr
  %918 = load i64, ptr %905, align 8
  %919 = shl i64 %918, 3
  %920 = getelementptr inbounds i8, ptr %917, i64 %919
  %921 = load i64, ptr %906, align 8
  br i1 %907, label %922, label %938

922:
  %923 = phi i64 [ %936, %930 ], [ 0, %912 ]
  %924 = getelementptr inbounds nuw i64, ptr %915, i64 %923
  %925 = load i64, ptr %924, align 8
  %926 = icmp slt i64 %925, 0
  %927 = select i1 %926, i64 %921, i64 0
  %928 = add i64 %927, %925
  %929 = icmp ult i64 %928, %921
  br i1 %929, label %930, label %1188

930:
  %931 = shl i64 %923, 3
  %932 = getelementptr inbounds i8, ptr %914, i64 %931
  %933 = shl i64 %928, 3
  %934 = getelementptr inbounds i8, ptr %920, i64 %933
  %935 = load i64, ptr %934, align 1
  store i64 %935, ptr %932, align 1
  %936 = add nuw nsw i64 %923, 1
  %937 = icmp eq i64 %936, %32
  br i1 %937, label %938, label %922

938:
  %939 = getelementptr inbounds i8, ptr %915, i64 %908
  %940 = getelementptr inbounds i8, ptr %914, i64 %908
  %941 = add nuw nsw i64 %913, 1
  %942 = load i64, ptr %3, align 8
  %943 = add i64 %942, -2
  %944 = icmp sgt i64 %943, -1
  br i1 %944, label %945, label %965

945:
  %946 = load i64, ptr %905, align 8
  br label %947

947:
  %948 = phi i64 [ %946, %945 ], [ %962, %960 ]
  %949 = phi i64 [ %943, %945 ], [ %963, %960 ]
  %950 = getelementptr inbounds nuw i64, ptr %909, i64 %949
  %951 = load i64, ptr %950, align 8
  %952 = add i64 %951, %948
  store i64 %952, ptr %905, align 8
  %953 = getelementptr inbounds nuw i64, ptr %910, i64 %949
  %954 = load i64, ptr %953, align 8
  %955 = add i64 %954, 1
  store i64 %955, ptr %953, align 8
  %956 = load ptr, ptr %911, align 8
  %957 = getelementptr inbounds nuw i64, ptr %956, i64 %949
  %958 = load i64, ptr %957, align 8
  %959 = icmp slt i64 %955, %958
  br i1 %959, label %965, label %960

960:
  %961 = mul i64 %958, %951
  %962 = sub i64 %952, %961
  store i64 %962, ptr %905, align 8
  store i64 0, ptr %953, align 8
  %963 = add nsw i64 %949, -1
  %964 = icmp sgt i64 %949, 0
  br i1 %964, label %947, label %965

965:
  %966 = load i64, ptr %33, align 8
  %967 = icmp slt i64 %941, %966
  br i1 %967, label %912, label %1188

968:
  br i1 %35, label %969, label %1188

969:
  %970 = load i64, ptr %8, align 8
  %971 = inttoptr i64 %970 to ptr
  %972 = load i64, ptr %6, align 8
  %973 = inttoptr i64 %972 to ptr
  %974 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %975 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %976 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %977 = icmp sgt i64 %32, 0
  %978 = shl i64 %32, 3
  %979 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %980 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %981 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %982

982:
  %983 = phi i64 [ 0, %969 ], [ %1014, %1038 ]
  %984 = phi ptr [ %971, %969 ], [ %1013, %1038 ]
  %985 = phi ptr [ %973, %969 ], [ %1012, %1038 ]
  %986 = load i64, ptr %4, align 8
  %987 = inttoptr i64 %986 to ptr
  %988 = load i64, ptr %974, align 8
  %989 = shl i64 %988, 3
  %990 = getelementptr inbounds i8, ptr %987, i64 %989
  %991 = load i64, ptr %975, align 8
  %992 = load i64, ptr %976, align 8
  br i1 %977, label %993, label %1011

993:
  %994 = phi i64 [ %1009, %1001 ], [ 0, %982 ]
  %995 = getelementptr inbounds nuw i64, ptr %985, i64 %994
  %996 = load i64, ptr %995, align 8
  %997 = icmp slt i64 %996, 0
  %998 = select i1 %997, i64 %991, i64 0
  %999 = add i64 %998, %996
  %1000 = icmp ult i64 %999, %991
  br i1 %1000, label %1001, label %1188

1001:
  %1002 = shl i64 %994, 3
  %1003 = getelementptr inbounds i8, ptr %984, i64 %1002
  %1004 = mul i64 %999, %992
  %1005 = add i64 %1004, %994
  %1006 = shl i64 %1005, 3
  %1007 = getelementptr inbounds i8, ptr %990, i64 %1006
  %1008 = load i64, ptr %1007, align 1
  store i64 %1008, ptr %1003, align 1
  %1009 = add nuw nsw i64 %994, 1
  %1010 = icmp eq i64 %1009, %32
  br i1 %1010, label %1011, label %993

1011:
  %1012 = getelementptr inbounds i8, ptr %985, i64 %978
  %1013 = getelementptr inbounds i8, ptr %984, i64 %978
  %1014 = add nuw nsw i64 %983, 1
  %1015 = load i64, ptr %3, align 8
  %1016 = add i64 %1015, -2
  %1017 = icmp sgt i64 %1016, -1
  br i1 %1017, label %1018, label %1038

1018:
  %1019 = load i64, ptr %974, align 8
  br label %1020

1020:
  %1021 = phi i64 [ %1019, %1018 ], [ %1035, %1033 ]
  %1022 = phi i64 [ %1016, %1018 ], [ %1036, %1033 ]
  %1023 = getelementptr inbounds nuw i64, ptr %979, i64 %1022
  %1024 = load i64, ptr %1023, align 8
  %1025 = add i64 %1024, %1021
  store i64 %1025, ptr %974, align 8
  %1026 = getelementptr inbounds nuw i64, ptr %980, i64 %1022
  %1027 = load i64, ptr %1026, align 8
  %1028 = add i64 %1027, 1
  store i64 %1028, ptr %1026, align 8
  %1029 = load ptr, ptr %981, align 8
  %1030 = getelementptr inbounds nuw i64, ptr %1029, i64 %1022
  %1031 = load i64, ptr %1030, align 8
  %1032 = icmp slt i64 %1028, %1031
  br i1 %1032, label %1038, label %1033

1033:
  %1034 = mul i64 %1031, %1024
  %1035 = sub i64 %1025, %1034
  store i64 %1035, ptr %974, align 8
  store i64 0, ptr %1026, align 8
  %1036 = add nsw i64 %1022, -1
  %1037 = icmp sgt i64 %1022, 0
  br i1 %1037, label %1020, label %1038

1038:
  %1039 = load i64, ptr %33, align 8
  %1040 = icmp slt i64 %1014, %1039
  br i1 %1040, label %982, label %1188

1041:
  br i1 %30, label %1042, label %1113

1042:
  br i1 %35, label %1043, label %1188

1043:
  %1044 = load i64, ptr %8, align 8
  %1045 = inttoptr i64 %1044 to ptr
  %1046 = load i64, ptr %6, align 8
  %1047 = inttoptr i64 %1046 to ptr
  %1048 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %1049 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %1050 = icmp sgt i64 %32, 0
  %1051 = shl i64 %32, 2
  %1052 = shl i64 %32, 3
  %1053 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %1054 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %1055 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %1056

1056:
  %1057 = phi i64 [ 0, %1043 ], [ %1086, %1110 ]
  %1058 = phi ptr [ %1045, %1043 ], [ %1085, %1110 ]
  %1059 = phi ptr [ %1047, %1043 ], [ %1084, %1110 ]
  %1060 = load i64, ptr %4, align 8
  %1061 = inttoptr i64 %1060 to ptr
  %1062 = load i64, ptr %1048, align 8
  %1063 = shl i64 %1062, 3
  %1064 = getelementptr inbounds i8, ptr %1061, i64 %1063
  %1065 = load i64, ptr %1049, align 8
  br i1 %1050, label %1066, label %1083

1066:
  %1067 = phi i64 [ %1081, %1075 ], [ 0, %1056 ]
  %1068 = getelementptr inbounds nuw i32, ptr %1059, i64 %1067
  %1069 = load i32, ptr %1068, align 4
  %1070 = sext i32 %1069 to i64
  %1071 = icmp slt i32 %1069, 0
  %1072 = select i1 %1071, i64 %1065, i64 0
  %1073 = add i64 %1072, %1070
  %1074 = icmp ult i64 %1073, %1065
  br i1 %1074, label %1075, label %1188

1075:
  %1076 = shl i64 %1067, 3
  %1077 = getelementptr inbounds i8, ptr %1058, i64 %1076
  %1078 = shl i64 %1073, 3
  %1079 = getelementptr inbounds i8, ptr %1064, i64 %1078
  %1080 = load i64, ptr %1079, align 1
  store i64 %1080, ptr %1077, align 1
  %1081 = add nuw nsw i64 %1067, 1
  %1082 = icmp eq i64 %1081, %32
  br i1 %1082, label %1083, label %1066

1083:
  %1084 = getelementptr inbounds i8, ptr %1059, i64 %1051
  %1085 = getelementptr inbounds i8, ptr %1058, i64 %1052
  %1086 = add nuw nsw i64 %1057, 1
  %1087 = load i64, ptr %3, align 8
  %1088 = add i64 %1087, -2
  %1089 = icmp sgt i64 %1088, -1
  br i1 %1089, label %1090, label %1110

1090:
  %1091 = load i64, ptr %1048, align 8
  br label %1092

1092:
  %1093 = phi i64 [ %1091, %1090 ], [ %1107, %1105 ]
  %1094 = phi i64 [ %1088, %1090 ], [ %1108, %1105 ]
  %1095 = getelementptr inbounds nuw i64, ptr %1053, i64 %1094
  %1096 = load i64, ptr %1095, align 8
  %1097 = add i64 %1096, %1093
  store i64 %1097, ptr %1048, align 8
  %1098 = getelementptr inbounds nuw i64, ptr %1054, i64 %1094
  %1099 = load i64, ptr %1098, align 8
  %1100 = add i64 %1099, 1
  store i64 %1100, ptr %1098, align 8
  %1101 = load ptr, ptr %1055, align 8
  %1102 = getelementptr inbounds nuw i64, ptr %1101, i64 %1094
  %1103 = load i64, ptr %1102, align 8
  %1104 = icmp slt i64 %1100, %1103
  br i1 %1104, label %1110, label %1105

1105:
  %1106 = mul i64 %1103, %1096
  %1107 = sub i64 %1097, %1106
  store i64 %1107, ptr %1048, align 8
  store i64 0, ptr %1098, align 8
  %1108 = add nsw i64 %1094, -1
  %1109 = icmp sgt i64 %1094, 0
  br i1 %1109, label %1092, label %1110

1110:
  %1111 = load i64, ptr %33, align 8
  %1112 = icmp slt i64 %1086, %1111
  br i1 %1112, label %1056, label %1188

1113:
  br i1 %35, label %1114, label %1188

1114:
  %1115 = load i64, ptr %8, align 8
  %1116 = inttoptr i64 %1115 to ptr
  %1117 = load i64, ptr %6, align 8
  %1118 = inttoptr i64 %1117 to ptr
  %1119 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %1120 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %1121 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %1122 = icmp sgt i64 %32, 0
  %1123 = shl i64 %32, 2
  %1124 = shl i64 %32, 3
  %1125 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %1126 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %1127 = getelementptr inbounds nuw i8, ptr %3, i64 184
  br label %1128

1128:
  %1129 = phi i64 [ 0, %1114 ], [ %1161, %1185 ]
  %1130 = phi ptr [ %1116, %1114 ], [ %1160, %1185 ]
  %1131 = phi ptr [ %1118, %1114 ], [ %1159, %1185 ]
  %1132 = load i64, ptr %4, align 8
  %1133 = inttoptr i64 %1132 to ptr
  %1134 = load i64, ptr %1119, align 8
  %1135 = shl i64 %1134, 3
  %1136 = getelementptr inbounds i8, ptr %1133, i64 %1135
  %1137 = load i64, ptr %1120, align 8
  %1138 = load i64, ptr %1121, align 8
  br i1 %1122, label %1139, label %1158

1139:
  %1140 = phi i64 [ %1156, %1148 ], [ 0, %1128 ]
  %1141 = getelementptr inbounds nuw i32, ptr %1131, i64 %1140
  %1142 = load i32, ptr %1141, align 4
  %1143 = sext i32 %1142 to i64
  %1144 = icmp slt i32 %1142, 0
  %1145 = select i1 %1144, i64 %1137, i64 0
  %1146 = add i64 %1145, %1143
  %1147 = icmp ult i64 %1146, %1137
  br i1 %1147, label %1148, label %1188

1148:
  %1149 = shl i64 %1140, 3
  %1150 = getelementptr inbounds i8, ptr %1130, i64 %1149
  %1151 = mul i64 %1146, %1138
  %1152 = add i64 %1151, %1140
  %1153 = shl i64 %1152, 3
  %1154 = getelementptr inbounds i8, ptr %1136, i64 %1153
  %1155 = load i64, ptr %1154, align 1
  store i64 %1155, ptr %1150, align 1
  %1156 = add nuw nsw i64 %1140, 1
  %1157 = icmp eq i64 %1156, %32
  br i1 %1157, label %1158, label %1139

1158:
  %1159 = getelementptr inbounds i8, ptr %1131, i64 %1123
  %1160 = getelementptr inbounds i8, ptr %1130, i64 %1124
  %1161 = add nuw nsw i64 %1129, 1
  %1162 = load i64, ptr %3, align 8
  %1163 = add i64 %1162, -2
  %1164 = icmp sgt i64 %1163, -1
  br i1 %1164, label %1165, label %1185

1165:
  %1166 = load i64, ptr %1119, align 8
  br label %1167

1167:
  %1168 = phi i64 [ %1166, %1165 ], [ %1182, %1180 ]
  %1169 = phi i64 [ %1163, %1165 ], [ %1183, %1180 ]
  %1170 = getelementptr inbounds nuw i64, ptr %1125, i64 %1169
  %1171 = load i64, ptr %1170, align 8
  %1172 = add i64 %1171, %1168
  store i64 %1172, ptr %1119, align 8
  %1173 = getelementptr inbounds nuw i64, ptr %1126, i64 %1169
  %1174 = load i64, ptr %1173, align 8
  %1175 = add i64 %1174, 1
  store i64 %1175, ptr %1173, align 8
  %1176 = load ptr, ptr %1127, align 8
  %1177 = getelementptr inbounds nuw i64, ptr %1176, i64 %1169
  %1178 = load i64, ptr %1177, align 8
  %1179 = icmp slt i64 %1175, %1178
  br i1 %1179, label %1185, label %1180

1180:
  %1181 = mul i64 %1178, %1171
  %1182 = sub i64 %1172, %1181
  store i64 %1182, ptr %1119, align 8
  store i64 0, ptr %1173, align 8
  %1183 = add nsw i64 %1169, -1
  %1184 = icmp sgt i64 %1169, 0
  br i1 %1184, label %1167, label %1185

1185:
  %1186 = load i64, ptr %33, align 8
  %1187 = icmp slt i64 %1161, %1186
  br i1 %1187, label %1128, label %1188

1188:
  %1189 = phi i1 [ true, %460 ], [ true, %753 ], [ false, %2 ], [ true, %175 ], [ false, %20 ], [ false, %14 ], [ true, %1113 ], [ true, %104 ], [ true, %38 ], [ true, %820 ], [ false, %922 ], [ false, %993 ], [ false, %1066 ], [ true, %242 ], [ true, %385 ], [ true, %315 ], [ false, %1139 ], [ false, %60 ], [ false, %128 ], [ false, %197 ], [ true, %531 ], [ true, %678 ], [ true, %608 ], [ false, %266 ], [ false, %339 ], [ false, %411 ], [ false, %484 ], [ false, %557 ], [ true, %968 ], [ true, %899 ], [ true, %1042 ], [ true, %823 ], [ true, %675 ], [ true, %749 ], [ false, %632 ], [ false, %704 ], [ false, %776 ], [ false, %848 ], [ true, %965 ], [ true, %1038 ], [ true, %1110 ], [ true, %1185 ], [ true, %101 ], [ true, %171 ], [ true, %239 ], [ true, %310 ], [ true, %382 ], [ true, %456 ], [ true, %528 ], [ true, %603 ], [ true, %894 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %1189
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
  %97 = icmp ult i64 %9, 11
  br i1 %97, label %98, label %101

98:
  %99 = getelementptr inbounds nuw i64, ptr @switch.table.op_unique, i64 %9
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
  %120 = load i64, ptr %15, align 8
  %121 = icmp eq i64 %120, 2
  %122 = load i64, ptr %5, align 8
  %123 = inttoptr i64 %122 to ptr
  br label %124

124:
  %125 = phi i64 [ 0, %118 ], [ %146, %143 ]
  %126 = phi i64 [ %117, %118 ], [ %145, %143 ]
  %127 = getelementptr i64, ptr %109, i64 %125
  %128 = load i64, ptr %127, align 8
  %129 = add i64 %125, %119
  br i1 %121, label %130, label %133

130:
  %131 = getelementptr inbounds i64, ptr %123, i64 %129
  %132 = load i64, ptr %131, align 8
  br label %137

133:
  %134 = getelementptr inbounds i32, ptr %123, i64 %129
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

define internal noundef zeroext i1 @sizes_nonzero(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 2
  br i1 %8, label %9, label %71

9:
  %10 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 2
  br i1 %12, label %13, label %71

13:
  %14 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %15 = load i64, ptr %14, align 8
  %16 = icmp sgt i64 %15, 0
  br i1 %16, label %17, label %22

17:
  %18 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %19 = load i64, ptr %18, align 8
  %20 = load i64, ptr %3, align 8
  %21 = inttoptr i64 %20 to ptr
  br label %31

22:
  %23 = phi i64 [ 0, %13 ], [ %68, %65 ]
  %24 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %25 = load i64, ptr %24, align 8
  %26 = load i64, ptr %5, align 8
  %27 = inttoptr i64 %26 to ptr
  store i64 %25, ptr %27, align 8
  %28 = load i64, ptr %5, align 8
  %29 = inttoptr i64 %28 to ptr
  %30 = getelementptr inbounds nuw i8, ptr %29, i64 8
  store i64 %23, ptr %30, align 8
  br label %71

31:
  %32 = phi i64 [ 0, %17 ], [ %69, %65 ]
  %33 = phi i64 [ 0, %17 ], [ %68, %65 ]
  switch i64 %19, label %61 [
    i64 0, label %34
    i64 5, label %39
    i64 6, label %44
    i64 3, label %49
    i64 4, label %49
    i64 7, label %49
    i64 10, label %57
    i64 8, label %53
    i64 9, label %53
    i64 1, label %57
  ]

34:
  %35 = getelementptr inbounds nuw i32, ptr %21, i64 %32
  %36 = load i32, ptr %35, align 4
  %37 = and i32 %36, 2147483647
  %38 = icmp ne i32 %37, 0
  br label %65

39:
  %40 = getelementptr inbounds nuw i64, ptr %21, i64 %32
  %41 = load i64, ptr %40, align 8
  %42 = and i64 %41, 9223372036854775807
  %43 = icmp ne i64 %42, 0
  br label %65

44:
  %45 = getelementptr inbounds nuw i16, ptr %21, i64 %32
  %46 = load i16, ptr %45, align 2
  %47 = and i16 %46, 32767
  %48 = icmp ne i16 %47, 0
  br label %65

49:
  %50 = getelementptr inbounds nuw i8, ptr %21, i64 %32
  %51 = load i8, ptr %50, align 1
  %52 = icmp ne i8 %51, 0
  br label %65

53:
  %54 = getelementptr inbounds nuw i16, ptr %21, i64 %32
  %55 = load i16, ptr %54, align 2
  %56 = icmp ne i16 %55, 0
  br label %65

57:
  %58 = getelementptr inbounds nuw i32, ptr %21, i64 %32
  %59 = load i32, ptr %58, align 4
  %60 = icmp ne i32 %59, 0
  br label %65

61:
  %62 = getelementptr inbounds nuw i64, ptr %21, i64 %32
  %63 = load i64, ptr %62, align 8
  %64 = icmp ne i64 %63, 0
  br label %65

65:
  %66 = phi i1 [ %64, %61 ], [ %52, %49 ], [ %56, %53 ], [ %60, %57 ], [ %38, %34 ], [ %43, %39 ], [ %48, %44 ]
  %67 = zext i1 %66 to i64
  %68 = add i64 %33, %67
  %69 = add nuw nsw i64 %32, 1
  %70 = icmp eq i64 %69, %15
  br i1 %70, label %22, label %31

71:
  %72 = phi i1 [ true, %22 ], [ false, %9 ], [ false, %2 ]
  ret i1 %72
}

define internal zeroext i1 @op_nonzero(ptr noundef readonly captures(none) %0, ptr noundef readnone captures(none) %1) #0 {
  %3 = alloca [8 x i64], align 16
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, 2
  br i1 %9, label %10, label %113

10:
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %12, 2
  br i1 %13, label %14, label %113

14:
  %15 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %16, 1
  br i1 %17, label %113, label %18

18:
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %20 = load i64, ptr %19, align 8
  %21 = icmp eq i64 %20, %16
  br i1 %21, label %22, label %113

22:
  %23 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %24 = load i64, ptr %23, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(64) %3, i8 0, i64 64, i1 false)
  %25 = load i64, ptr %6, align 8
  %26 = inttoptr i64 %25 to ptr
  %27 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %28 = load i64, ptr %27, align 8
  %29 = icmp slt i64 %28, 1
  br i1 %29, label %108, label %30

30:
  %31 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %32 = getelementptr inbounds nuw i8, ptr %4, i64 40
  br label %33

33:
  %34 = phi i64 [ %16, %30 ], [ %89, %101 ]
  %35 = phi i64 [ 0, %30 ], [ %102, %101 ]
  %36 = phi i64 [ 0, %30 ], [ %90, %101 ]
  %37 = load i64, ptr %31, align 8
  %38 = load i64, ptr %4, align 8
  %39 = inttoptr i64 %38 to ptr
  switch i64 %37, label %63 [
    i64 0, label %40
    i64 5, label %45
    i64 6, label %50
    i64 3, label %67
    i64 4, label %67
    i64 7, label %67
    i64 10, label %59
    i64 8, label %55
    i64 9, label %55
    i64 1, label %59
  ]

40:
  %41 = getelementptr inbounds nuw i32, ptr %39, i64 %35
  %42 = load i32, ptr %41, align 4
  %43 = and i32 %42, 2147483647
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %88, label %71

45:
  %46 = getelementptr inbounds nuw i64, ptr %39, i64 %35
  %47 = load i64, ptr %46, align 8
  %48 = and i64 %47, 9223372036854775807
  %49 = icmp eq i64 %48, 0
  br i1 %49, label %88, label %71

50:
  %51 = getelementptr inbounds nuw i16, ptr %39, i64 %35
  %52 = load i16, ptr %51, align 2
  %53 = and i16 %52, 32767
  %54 = icmp eq i16 %53, 0
  br i1 %54, label %88, label %71

55:
  %56 = getelementptr inbounds nuw i16, ptr %39, i64 %35
  %57 = load i16, ptr %56, align 2
  %58 = icmp eq i16 %57, 0
  br i1 %58, label %88, label %71

59:
  %60 = getelementptr inbounds nuw i32, ptr %39, i64 %35
  %61 = load i32, ptr %60, align 4
  %62 = icmp eq i32 %61, 0
  br i1 %62, label %88, label %71

63:
  %64 = getelementptr inbounds nuw i64, ptr %39, i64 %35
  %65 = load i64, ptr %64, align 8
  %66 = icmp eq i64 %65, 0
  br i1 %66, label %88, label %71

67:
  %68 = getelementptr inbounds nuw i8, ptr %39, i64 %35
  %69 = load i8, ptr %68, align 1
  %70 = icmp eq i8 %69, 0
  br i1 %70, label %88, label %71

71:
  %72 = icmp eq i64 %36, %24
  br i1 %72, label %108, label %73

73:
  %74 = getelementptr i64, ptr %26, i64 %36
  %75 = icmp sgt i64 %34, 0
  br i1 %75, label %79, label %76

76:
  %77 = phi i64 [ %34, %73 ], [ %86, %79 ]
  %78 = add i64 %36, 1
  br label %88

79:
  %80 = phi i64 [ %85, %79 ], [ 0, %73 ]
  %81 = getelementptr inbounds nuw i64, ptr %3, i64 %80
  %82 = load i64, ptr %81, align 8
  %83 = mul i64 %80, %24
  %84 = getelementptr i64, ptr %74, i64 %83
  store i64 %82, ptr %84, align 8
  %85 = add nuw nsw i64 %80, 1
  %86 = load i64, ptr %15, align 8
  %87 = icmp slt i64 %85, %86
  br i1 %87, label %79, label %76

88:
  %89 = phi i64 [ %77, %76 ], [ %34, %67 ], [ %34, %63 ], [ %34, %50 ], [ %34, %45 ], [ %34, %40 ], [ %34, %59 ], [ %34, %55 ]
  %90 = phi i64 [ %78, %76 ], [ %36, %67 ], [ %36, %63 ], [ %36, %50 ], [ %36, %45 ], [ %36, %40 ], [ %36, %59 ], [ %36, %55 ]
  %91 = add i64 %89, -1
  %92 = icmp sgt i64 %91, -1
  br i1 %92, label %93, label %101

93:
  %94 = phi i64 [ %106, %105 ], [ %91, %88 ]
  %95 = getelementptr inbounds nuw i64, ptr %3, i64 %94
  %96 = load i64, ptr %95, align 8
  %97 = add i64 %96, 1
  store i64 %97, ptr %95, align 8
  %98 = getelementptr inbounds nuw i64, ptr %32, i64 %94
  %99 = load i64, ptr %98, align 8
  %100 = icmp eq i64 %97, %99
  br i1 %100, label %105, label %101

101:
  %102 = add nuw nsw i64 %35, 1
  %103 = load i64, ptr %27, align 8
  %104 = icmp slt i64 %102, %103
  br i1 %104, label %33, label %108

105:
  store i64 0, ptr %95, align 8
  %106 = add nsw i64 %94, -1
  %107 = icmp sgt i64 %94, 0
  br i1 %107, label %93, label %101

108:
  %109 = phi i64 [ 0, %22 ], [ %24, %71 ], [ %90, %101 ]
  %110 = phi i1 [ true, %22 ], [ false, %71 ], [ true, %101 ]
  %111 = icmp eq i64 %109, %24
  %112 = select i1 %110, i1 %111, i1 false
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  br label %113

113:
  %114 = phi i1 [ %112, %108 ], [ false, %18 ], [ false, %14 ], [ false, %10 ], [ false, %2 ]
  ret i1 %114
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
  br i1 %13, label %14, label %137

14:
  %15 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %16, %18
  br i1 %19, label %20, label %137

20:
  %21 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %22 = load i64, ptr %21, align 8
  %23 = call fastcc zeroext i1 @begin_join(ptr noundef %4, ptr noundef %5, ptr noundef nonnull %9, ptr noundef %11, i64 noundef %22)
  br i1 %23, label %24, label %137

24:
  %25 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %26 = load i64, ptr %25, align 8
  %27 = icmp sgt i64 %26, 0
  br i1 %27, label %28, label %58

28:
  %29 = load i64, ptr %9, align 8
  %30 = inttoptr i64 %29 to ptr
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %32 = load i64, ptr %31, align 8
  %33 = icmp slt i64 %32, 1
  %34 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %35 = load i64, ptr %34, align 8
  %36 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %37 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %38 = load i8, ptr %37, align 8
  %39 = trunc nuw i8 %38 to i1
  %40 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %43 = load i64, ptr %42, align 8
  %44 = load i64, ptr %3, align 8
  %45 = add i64 %44, -2
  %46 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %47 = icmp sgt i64 %45, -1
  %48 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %49 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %50 = getelementptr inbounds nuw i8, ptr %3, i64 184
  %51 = load i64, ptr %48, align 8
  br label %52

52:
  %53 = phi i64 [ %51, %28 ], [ %126, %125 ]
  %54 = phi i64 [ 0, %28 ], [ %104, %125 ]
  %55 = phi ptr [ %30, %28 ], [ %102, %125 ]
  br i1 %33, label %101, label %56

56:
  %57 = mul i64 %32, %54
  br label %80

58:
  %59 = phi i1 [ true, %24 ], [ %103, %125 ]
  %60 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %61 = load ptr, ptr %60, align 8
  %62 = icmp ne ptr %61, null
  %63 = and i1 %59, %62
  br i1 %63, label %64, label %79

64:
  %65 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %66 = load i64, ptr %65, align 8
  %67 = icmp sgt i64 %66, 0
  br i1 %67, label %68, label %79

68:
  %69 = load ptr, ptr %4, align 8
  br label %70

70:
  %71 = phi i64 [ %76, %70 ], [ 0, %68 ]
  %72 = getelementptr inbounds nuw double, ptr %61, i64 %71
  %73 = load double, ptr %72, align 8
  %74 = fptrunc double %73 to float
  %75 = getelementptr inbounds nuw float, ptr %69, i64 %71
  store float %74, ptr %75, align 4
  %76 = add nuw nsw i64 %71, 1
  %77 = load i64, ptr %65, align 8
  %78 = icmp slt i64 %76, %77
  br i1 %78, label %70, label %79

79:
  tail call void @free(ptr noundef %61)
  br label %137

80:
  %81 = phi i64 [ 0, %56 ], [ %134, %129 ]
  %82 = phi ptr [ %55, %56 ], [ %135, %129 ]
  %83 = add i64 %57, %81
  %84 = load i64, ptr %36, align 8
  %85 = icmp eq i64 %84, 2
  %86 = load i64, ptr %7, align 8
  %87 = inttoptr i64 %86 to ptr
  br i1 %85, label %88, label %91

88:
  %89 = getelementptr inbounds i64, ptr %87, i64 %83
  %90 = load i64, ptr %89, align 8
  br label %95

91:
  %92 = getelementptr inbounds i32, ptr %87, i64 %83
  %93 = load i32, ptr %92, align 4
  %94 = sext i32 %93 to i64
  br label %95

95:
  %96 = phi i64 [ %90, %88 ], [ %94, %91 ]
  %97 = icmp slt i64 %96, 0
  %98 = select i1 %97, i64 %35, i64 0
  %99 = add i64 %98, %96
  %100 = icmp ult i64 %99, %35
  br i1 %100, label %129, label %101

101:
  %102 = phi ptr [ %55, %52 ], [ %135, %129 ], [ %82, %95 ]
  %103 = phi i1 [ true, %52 ], [ %100, %129 ], [ %100, %95 ]
  %104 = add nuw nsw i64 %54, 1
  br i1 %47, label %105, label %125

105:
  %106 = phi i64 [ %120, %118 ], [ %53, %101 ]
  %107 = phi i64 [ %121, %118 ], [ %45, %101 ]
  %108 = getelementptr inbounds nuw i64, ptr %46, i64 %107
  %109 = load i64, ptr %108, align 8
  %110 = add i64 %109, %106
  %111 = getelementptr inbounds nuw i64, ptr %49, i64 %107
  %112 = load i64, ptr %111, align 8
  %113 = add i64 %112, 1
  store i64 %113, ptr %111, align 8
  %114 = load ptr, ptr %50, align 8
  %115 = getelementptr inbounds nuw i64, ptr %114, i64 %107
  %116 = load i64, ptr %115, align 8
  %117 = icmp slt i64 %113, %116
  br i1 %117, label %123, label %118

118:
  %119 = mul i64 %116, %109
  %120 = sub i64 %110, %119
  store i64 0, ptr %111, align 8
  %121 = add nsw i64 %107, -1
  %122 = icmp sgt i64 %107, 0
  br i1 %122, label %105, label %123

123:
  %124 = phi i64 [ %120, %118 ], [ %110, %105 ]
  store i64 %124, ptr %48, align 8
  br label %125

125:
  %126 = phi i64 [ %124, %123 ], [ %53, %101 ]
  %127 = icmp slt i64 %104, %26
  %128 = select i1 %103, i1 %127, i1 false
  br i1 %128, label %52, label %58

129:
  %130 = mul i64 %41, %99
  %131 = add i64 %130, %81
  %132 = select i1 %39, i64 %99, i64 %131
  %133 = add i64 %132, %53
  call fastcc void @join(ptr noundef %4, i64 noundef %133, ptr noundef %82, i64 noundef 1)
  %134 = add nuw nsw i64 %81, 1
  %135 = getelementptr inbounds i8, ptr %82, i64 %43
  %136 = icmp eq i64 %134, %32
  br i1 %136, label %101, label %80

137:
  %138 = phi i1 [ %59, %79 ], [ false, %20 ], [ false, %14 ], [ false, %2 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %138
}

define internal fastcc noundef zeroext i1 @begin_join(ptr noundef nonnull captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(none) %3, i64 noundef %4) #0 {
  %6 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %9 = load i64, ptr %8, align 8
  %10 = icmp eq i64 %7, %9
  br i1 %10, label %11, label %74

11:
  %12 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %13 = load i64, ptr %12, align 8
  %14 = icmp eq i64 %13, %7
  br i1 %14, label %15, label %74

15:
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %17 = load i64, ptr %16, align 8
  %18 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %19 = load i64, ptr %18, align 8
  %20 = icmp ne i64 %17, %19
  %21 = icmp ugt i64 %4, 4
  %22 = or i1 %21, %20
  br i1 %22, label %74, label %23

23:
  %24 = icmp eq i64 %4, 0
  br i1 %24, label %26, label %25

25:
  switch i64 %7, label %26 [
    i64 3, label %74
    i64 6, label %74
  ]

26:
  %27 = load i64, ptr %3, align 8
  %28 = inttoptr i64 %27 to ptr
  %29 = icmp ult i64 %7, 11
  br i1 %29, label %30, label %33

30:
  %31 = getelementptr inbounds nuw i64, ptr @switch.table.op_unique, i64 %7
  %32 = load i64, ptr %31, align 8
  br label %33

33:
  %34 = phi i64 [ %32, %30 ], [ 8, %26 ]
  store ptr %28, ptr %0, align 8
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr null, ptr %35, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 %7, ptr %36, align 8
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 %34, ptr %37, align 8
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i64 %4, ptr %38, align 8
  %39 = load i64, ptr %8, align 8
  %40 = icmp eq i64 %39, 0
  %41 = add nsw i64 %4, -1
  %42 = icmp ult i64 %41, 2
  %43 = select i1 %40, i1 %42, i1 false
  br i1 %43, label %44, label %65

44:
  %45 = load i64, ptr %18, align 8
  %46 = shl i64 %45, 3
  %47 = add i64 %46, 8
  %48 = tail call ptr @malloc(i64 noundef %47)
  store ptr %48, ptr %35, align 8
  %49 = icmp eq ptr %48, null
  br i1 %49, label %74, label %50

50:
  %51 = load i64, ptr %18, align 8
  %52 = icmp sgt i64 %51, 0
  br i1 %52, label %53, label %74

53:
  %54 = phi i64 [ %62, %53 ], [ 0, %50 ]
  %55 = load i64, ptr %1, align 8
  %56 = inttoptr i64 %55 to ptr
  %57 = getelementptr inbounds nuw float, ptr %56, i64 %54
  %58 = load float, ptr %57, align 4
  %59 = fpext float %58 to double
  %60 = load ptr, ptr %35, align 8
  %61 = getelementptr inbounds nuw double, ptr %60, i64 %54
  store double %59, ptr %61, align 8
  %62 = add nuw nsw i64 %54, 1
  %63 = load i64, ptr %18, align 8
  %64 = icmp slt i64 %62, %63
  br i1 %64, label %53, label %74

65:
  %66 = load i64, ptr %3, align 8
  %67 = load i64, ptr %1, align 8
  %68 = icmp eq i64 %66, %67
  br i1 %68, label %74, label %69

69:
  %70 = inttoptr i64 %66 to ptr
  %71 = inttoptr i64 %67 to ptr
  %72 = load i64, ptr %18, align 8
  %73 = mul i64 %72, %34
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %70, ptr align 1 %71, i64 %73, i1 false)
  br label %74

74:
  %75 = phi i1 [ false, %5 ], [ false, %44 ], [ false, %25 ], [ false, %25 ], [ false, %15 ], [ false, %11 ], [ true, %69 ], [ true, %65 ], [ true, %50 ], [ true, %53 ]
  ret i1 %75
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
  %78 = load i64, ptr %11, align 8
  %79 = icmp eq i64 %78, 2
  %80 = load i64, ptr %6, align 8
  %81 = inttoptr i64 %80 to ptr
  br label %82

82:
  %83 = phi i64 [ 0, %76 ], [ %107, %104 ]
  %84 = phi i64 [ 0, %76 ], [ %106, %104 ]
  %85 = getelementptr i64, ptr %40, i64 %83
  %86 = load i64, ptr %85, align 8
  %87 = add i64 %83, %77
  br i1 %79, label %88, label %91

88:
  %89 = getelementptr inbounds i64, ptr %81, i64 %87
  %90 = load i64, ptr %89, align 8
  br label %95

91:
  %92 = getelementptr inbounds i32, ptr %81, i64 %87
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
  %3 = alloca [8 x [256 x i64]], align 16
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load i64, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load i64, ptr %6, align 8
  %8 = icmp ult i64 %7, 11
  br i1 %8, label %9, label %12

9:
  %10 = getelementptr inbounds nuw i64, ptr @switch.table.op_unique, i64 %7
  %11 = load i64, ptr %10, align 8
  br label %12

12:
  %13 = phi i64 [ %11, %9 ], [ 8, %2 ]
  %14 = shl i64 %5, 5
  %15 = or disjoint i64 %14, 1
  %16 = tail call ptr @malloc(i64 noundef %15)
  store ptr %16, ptr %1, align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %173, label %18

18:
  %19 = icmp sgt i64 %5, 0
  br i1 %19, label %20, label %173

20:
  %21 = load i64, ptr %0, align 8
  %22 = inttoptr i64 %21 to ptr
  br label %109

23:
  %24 = getelementptr inbounds nuw %struct.entry, ptr %16, i64 %5
  %25 = icmp slt i64 %5, 33
  br i1 %25, label %26, label %49

26:
  %27 = icmp eq i64 %5, 1
  br i1 %27, label %173, label %28

28:
  %29 = phi i64 [ %47, %43 ], [ 1, %26 ]
  %30 = getelementptr inbounds nuw %struct.entry, ptr %16, i64 %29
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds nuw i8, ptr %30, i64 8
  %33 = load i64, ptr %32, align 8
  br label %34

34:
  %35 = phi i64 [ %29, %28 ], [ %41, %40 ]
  %36 = getelementptr %struct.entry, ptr %16, i64 %35
  %37 = getelementptr i8, ptr %36, i64 -16
  %38 = load i64, ptr %37, align 8
  %39 = icmp sgt i64 %38, %31
  br i1 %39, label %40, label %43

40:
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %36, ptr noundef nonnull align 8 dereferenceable(16) %37, i64 16, i1 false)
  %41 = add nsw i64 %35, -1
  %42 = icmp sgt i64 %35, 1
  br i1 %42, label %34, label %43

43:
  %44 = phi i64 [ 0, %40 ], [ %35, %34 ]
  %45 = getelementptr inbounds %struct.entry, ptr %16, i64 %44
  store i64 %31, ptr %45, align 8
  %46 = getelementptr inbounds nuw i8, ptr %45, i64 8
  store i64 %33, ptr %46, align 8
  %47 = add nuw nsw i64 %29, 1
  %48 = icmp eq i64 %47, %5
  br i1 %48, label %173, label %28

49:
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16384) %3, i8 0, i64 16384, i1 false)
  br label %50

50:
  %51 = phi i64 [ 0, %49 ], [ %56, %55 ]
  %52 = getelementptr inbounds nuw %struct.entry, ptr %16, i64 %51
  %53 = load i64, ptr %52, align 8
  %54 = xor i64 %53, -9223372036854775808
  br label %58

55:
  %56 = add nuw nsw i64 %51, 1
  %57 = icmp eq i64 %56, %5
  br i1 %57, label %70, label %50

58:
  %59 = phi i64 [ 0, %50 ], [ %67, %58 ]
  %60 = getelementptr inbounds nuw [256 x i64], ptr %3, i64 %59
  %61 = shl nuw nsw i64 %59, 3
  %62 = lshr i64 %54, %61
  %63 = and i64 %62, 255
  %64 = getelementptr inbounds nuw i64, ptr %60, i64 %63
  %65 = load i64, ptr %64, align 8
  %66 = add i64 %65, 1
  store i64 %66, ptr %64, align 8
  %67 = add nuw nsw i64 %59, 1
  %68 = icmp eq i64 %67, 8
  br i1 %68, label %55, label %58

69:
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  br label %173

70:
  %71 = phi ptr [ %106, %104 ], [ %16, %55 ]
  %72 = phi ptr [ %105, %104 ], [ %24, %55 ]
  %73 = phi i64 [ %107, %104 ], [ 0, %55 ]
  %74 = getelementptr inbounds nuw [256 x i64], ptr %3, i64 %73
  %75 = load i64, ptr %71, align 8
  %76 = xor i64 %75, -9223372036854775808
  %77 = shl nuw nsw i64 %73, 3
  %78 = lshr i64 %76, %77
  %79 = and i64 %78, 255
  %80 = getelementptr inbounds nuw i64, ptr %74, i64 %79
  %81 = load i64, ptr %80, align 8
  %82 = icmp eq i64 %81, %5
  br i1 %82, label %104, label %83

83:
  %84 = phi i64 [ %89, %83 ], [ 0, %70 ]
  %85 = phi i64 [ %88, %83 ], [ 0, %70 ]
  %86 = getelementptr inbounds nuw i64, ptr %74, i64 %84
  %87 = load i64, ptr %86, align 8
  store i64 %85, ptr %86, align 8
  %88 = add i64 %87, %85
  %89 = add nuw nsw i64 %84, 1
  %90 = icmp eq i64 %89, 256
  br i1 %90, label %91, label %83

91:
  %92 = phi i64 [ %102, %91 ], [ 0, %83 ]
  %93 = getelementptr inbounds nuw %struct.entry, ptr %71, i64 %92
  %94 = load i64, ptr %93, align 8
  %95 = xor i64 %94, -9223372036854775808
  %96 = lshr i64 %95, %77
  %97 = and i64 %96, 255
  %98 = getelementptr inbounds nuw i64, ptr %74, i64 %97
  %99 = load i64, ptr %98, align 8
  %100 = add i64 %99, 1
  store i64 %100, ptr %98, align 8
  %101 = getelementptr inbounds %struct.entry, ptr %72, i64 %99
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %101, ptr noundef nonnull align 8 dereferenceable(16) %93, i64 16, i1 false)
  %102 = add nuw nsw i64 %92, 1
  %103 = icmp eq i64 %102, %5
  br i1 %103, label %104, label %91

104:
  %105 = phi ptr [ %72, %70 ], [ %71, %91 ]
  %106 = phi ptr [ %71, %70 ], [ %72, %91 ]
  %107 = add nuw nsw i64 %73, 1
  %108 = icmp eq i64 %107, 8
  br i1 %108, label %69, label %70

109:
  %110 = phi ptr [ %171, %162 ], [ %22, %20 ]
  %111 = phi i64 [ %170, %162 ], [ 0, %20 ]
  %112 = load i64, ptr %6, align 8
  switch i64 %112, label %159 [
    i64 0, label %113
    i64 6, label %122
    i64 5, label %131
    i64 2, label %139
    i64 11, label %141
    i64 1, label %144
    i64 10, label %147
    i64 8, label %150
    i64 9, label %153
    i64 7, label %156
  ]

113:
  %114 = load i32, ptr %110, align 1
  %115 = and i32 %114, 2147483647
  %116 = icmp samesign ugt i32 %115, 2139095040
  %117 = icmp slt i32 %114, 0
  %118 = sub nsw i32 0, %115
  %119 = select i1 %117, i32 %118, i32 %115
  %120 = select i1 %116, i32 2147483647, i32 %119
  %121 = sext i32 %120 to i64
  br label %162

122:
  %123 = load i16, ptr %110, align 1
  %124 = and i16 %123, 32767
  %125 = icmp samesign ugt i16 %124, 31744
  %126 = zext nneg i16 %124 to i64
  %127 = icmp slt i16 %123, 0
  %128 = sub nsw i64 0, %126
  %129 = select i1 %127, i64 %128, i64 %126
  %130 = select i1 %125, i64 32767, i64 %129
  br label %162

131:
  %132 = load i64, ptr %110, align 1
  %133 = and i64 %132, 9223372036854775807
  %134 = icmp samesign ugt i64 %133, 9218868437227405312
  %135 = icmp slt i64 %132, 0
  %136 = sub nsw i64 0, %133
  %137 = select i1 %135, i64 %136, i64 %133
  %138 = select i1 %134, i64 9223372036854775807, i64 %137
  br label %162

139:
  %140 = load i64, ptr %110, align 8
  br label %162

141:
  %142 = load i64, ptr %110, align 8
  %143 = xor i64 %142, -9223372036854775808
  br label %162

144:
  %145 = load i32, ptr %110, align 4
  %146 = sext i32 %145 to i64
  br label %162

147:
  %148 = load i32, ptr %110, align 4
  %149 = zext i32 %148 to i64
  br label %162

150:
  %151 = load i16, ptr %110, align 2
  %152 = sext i16 %151 to i64
  br label %162

153:
  %154 = load i16, ptr %110, align 2
  %155 = zext i16 %154 to i64
  br label %162

156:
  %157 = load i8, ptr %110, align 1
  %158 = sext i8 %157 to i64
  br label %162

159:
  %160 = load i8, ptr %110, align 1
  %161 = zext i8 %160 to i64
  br label %162

162:
  %163 = phi i64 [ %161, %159 ], [ %121, %113 ], [ %130, %122 ], [ %138, %131 ], [ %140, %139 ], [ %143, %141 ], [ %146, %144 ], [ %149, %147 ], [ %152, %150 ], [ %155, %153 ], [ %158, %156 ]
  %164 = getelementptr inbounds nuw %struct.entry, ptr %16, i64 %111
  %165 = icmp eq i64 %112, 3
  %166 = icmp ne i64 %163, 0
  %167 = zext i1 %166 to i64
  %168 = select i1 %165, i64 %167, i64 %163
  store i64 %168, ptr %164, align 8
  %169 = getelementptr inbounds nuw i8, ptr %164, i64 8
  store i64 %111, ptr %169, align 8
  %170 = add nuw nsw i64 %111, 1
  %171 = getelementptr inbounds nuw i8, ptr %110, i64 %13
  %172 = icmp eq i64 %170, %5
  br i1 %172, label %23, label %109

173:
  %174 = phi ptr [ null, %12 ], [ %106, %69 ], [ %16, %26 ], [ %16, %18 ], [ %16, %43 ]
  ret ptr %174
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
  %45 = icmp ult i64 %44, 11
  br i1 %45, label %46, label %49

46:
  %47 = getelementptr inbounds nuw i64, ptr @switch.table.op_unique, i64 %44
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

define internal fastcc void @offer(ptr noundef nonnull captures(none) %0, i64 noundef %1, ptr noundef nonnull readonly captures(none) %2, i64 noundef %3) #0 {
  %5 = load ptr, ptr %2, align 8
  %6 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %7 = load i64, ptr %6, align 8
  %8 = mul i64 %7, %3
  %9 = getelementptr inbounds i8, ptr %5, i64 %8
  %10 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %11 = load i64, ptr %10, align 8
  switch i64 %11, label %58 [
    i64 0, label %12
    i64 6, label %21
    i64 5, label %30
    i64 2, label %38
    i64 11, label %40
    i64 1, label %43
    i64 10, label %46
    i64 8, label %49
    i64 9, label %52
    i64 7, label %55
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
  br label %61

21:
  %22 = load i16, ptr %9, align 1
  %23 = and i16 %22, 32767
  %24 = icmp samesign ugt i16 %23, 31744
  %25 = zext nneg i16 %23 to i64
  %26 = icmp slt i16 %22, 0
  %27 = sub nsw i64 0, %25
  %28 = select i1 %26, i64 %27, i64 %25
  %29 = select i1 %24, i64 32767, i64 %28
  br label %61

30:
  %31 = load i64, ptr %9, align 1
  %32 = and i64 %31, 9223372036854775807
  %33 = icmp samesign ugt i64 %32, 9218868437227405312
  %34 = icmp slt i64 %31, 0
  %35 = sub nsw i64 0, %32
  %36 = select i1 %34, i64 %35, i64 %32
  %37 = select i1 %33, i64 9223372036854775807, i64 %36
  br label %61

38:
  %39 = load i64, ptr %9, align 8
  br label %61

40:
  %41 = load i64, ptr %9, align 8
  %42 = xor i64 %41, -9223372036854775808
  br label %61

43:
  %44 = load i32, ptr %9, align 4
  %45 = sext i32 %44 to i64
  br label %61

46:
  %47 = load i32, ptr %9, align 4
  %48 = zext i32 %47 to i64
  br label %61

49:
  %50 = load i16, ptr %9, align 2
  %51 = sext i16 %50 to i64
  br label %61

52:
  %53 = load i16, ptr %9, align 2
  %54 = zext i16 %53 to i64
  br label %61

55:
  %56 = load i8, ptr %9, align 1
  %57 = sext i8 %56 to i64
  br label %61

58:
  %59 = load i8, ptr %9, align 1
  %60 = zext i8 %59 to i64
  br label %61

61:
  %62 = phi i64 [ %60, %58 ], [ %20, %12 ], [ %29, %21 ], [ %37, %30 ], [ %39, %38 ], [ %42, %40 ], [ %45, %43 ], [ %48, %46 ], [ %51, %49 ], [ %54, %52 ], [ %57, %55 ]
  %63 = getelementptr inbounds nuw i8, ptr %2, i64 32
  %64 = load i64, ptr %63, align 8
  %65 = xor i64 %64, %62
  %66 = load i64, ptr %0, align 8
  %67 = icmp sgt i64 %65, %66
  br i1 %67, label %68, label %112

68:
  %69 = icmp sgt i64 %1, 1
  br i1 %69, label %70, label %108

70:
  %71 = phi i64 [ %106, %103 ], [ 1, %68 ]
  %72 = phi i64 [ %105, %103 ], [ 0, %68 ]
  %73 = phi i64 [ %93, %103 ], [ 0, %68 ]
  %74 = add i64 %72, 2
  %75 = icmp slt i64 %74, %1
  br i1 %75, label %76, label %92

76:
  %77 = getelementptr inbounds %struct.entry, ptr %0, i64 %71
  %78 = getelementptr inbounds %struct.entry, ptr %0, i64 %74
  %79 = load i64, ptr %77, align 8
  %80 = load i64, ptr %78, align 8
  %81 = icmp sgt i64 %79, %80
  br i1 %81, label %91, label %82

82:
  %83 = getelementptr inbounds nuw i8, ptr %78, i64 8
  %84 = load i64, ptr %83, align 8
  %85 = getelementptr inbounds nuw i8, ptr %77, i64 8
  %86 = load i64, ptr %85, align 8
  %87 = icmp eq i64 %79, %80
  %88 = icmp slt i64 %86, %84
  %89 = select i1 %87, i1 %88, i1 false
  %90 = freeze i1 %89
  br i1 %90, label %91, label %92

91:
  br label %92

92:
  %93 = phi i64 [ %71, %70 ], [ %74, %91 ], [ %71, %82 ]
  %94 = getelementptr inbounds %struct.entry, ptr %0, i64 %93
  %95 = load i64, ptr %94, align 8
  %96 = icmp sgt i64 %65, %95
  br i1 %96, label %103, label %97

97:
  %98 = getelementptr inbounds nuw i8, ptr %94, i64 8
  %99 = load i64, ptr %98, align 8
  %100 = icmp eq i64 %65, %95
  %101 = icmp slt i64 %3, %99
  %102 = select i1 %100, i1 %101, i1 false
  br i1 %102, label %103, label %108

103:
  %104 = getelementptr inbounds %struct.entry, ptr %0, i64 %73
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %104, ptr noundef nonnull align 8 dereferenceable(16) %94, i64 16, i1 false)
  %105 = shl i64 %93, 1
  %106 = or disjoint i64 %105, 1
  %107 = icmp slt i64 %106, %1
  br i1 %107, label %70, label %108

108:
  %109 = phi i64 [ 0, %68 ], [ %93, %103 ], [ %73, %97 ]
  %110 = getelementptr inbounds %struct.entry, ptr %0, i64 %109
  store i64 %65, ptr %110, align 8
  %111 = getelementptr inbounds nuw i8, ptr %110, i64 8
  store i64 %3, ptr %111, align 8
  br label %112

112:
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

