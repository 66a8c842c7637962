; LLVM IR of host_operators.c, written by scripts/runtime: do not edit. 46de3b1b79b276cc
%struct.entry = type { i64, i64 }
%struct.box = type { [2 x double], [2 x double], double }
%struct.way = type { double, double, i64, i64, i64 }
%struct.tap = type { i64, double }
%struct.lines = type { i64, i64, i64, i64, i64, i64, i8, [8 x i64], [8 x i64], ptr }
%struct.resizing = type { i64, i64, i64, i64, i64, i64, double, double, double, i8 }
%struct.joined = type { ptr, ptr, i64, i64, i64 }

@switch.table.begin_join = private constant [11 x i64] [i64 4, i64 4, i64 8, i64 1, i64 1, i64 8, i64 2, i64 1, i64 2, i64 2, i64 4], align 8

define internal noundef zeroext i1 @op_top_k(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) #0 {
  %3 = alloca %struct.entry, align 8
  %4 = alloca [8 x i64], align 16
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %9 = load ptr, ptr %8, align 8
  %10 = load i64, ptr %1, align 8
  %11 = icmp slt i64 %10, 0
  br i1 %11, label %12, label %15

12:
  %13 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %14 = load i64, ptr %13, align 8
  br label %15

15:
  %16 = phi i64 [ %14, %12 ], [ 0, %2 ]
  %17 = add i64 %16, %10
  %18 = icmp slt i64 %17, 0
  br i1 %18, label %479, label %19

19:
  %20 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %21 = load i64, ptr %20, align 8
  %22 = icmp slt i64 %17, %21
  br i1 %22, label %23, label %479

23:
  %24 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %27 = load i64, ptr %26, align 8
  %28 = icmp eq i64 %25, %27
  br i1 %28, label %29, label %479

29:
  %30 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %31 = load i64, ptr %30, align 8
  %32 = icmp eq i64 %31, 2
  br i1 %32, label %33, label %479

33:
  %34 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %35 = load i64, ptr %34, align 8
  %36 = icmp eq i64 %35, %21
  br i1 %36, label %37, label %479

37:
  %38 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %39 = load i64, ptr %38, align 8
  %40 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %41 = load i64, ptr %40, align 8
  %42 = icmp eq i64 %39, %41
  br i1 %42, label %43, label %479

43:
  %44 = getelementptr inbounds nuw i8, ptr %5, i64 40
  %45 = getelementptr inbounds nuw i64, ptr %44, i64 %17
  %46 = load i64, ptr %45, align 8
  %47 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %48 = getelementptr inbounds nuw i64, ptr %47, i64 %17
  %49 = load i64, ptr %48, align 8
  %50 = icmp eq i64 %17, 0
  br i1 %50, label %59, label %51

51:
  %52 = phi i64 [ %57, %51 ], [ 0, %43 ]
  %53 = phi i64 [ %56, %51 ], [ 1, %43 ]
  %54 = getelementptr inbounds nuw i64, ptr %44, i64 %52
  %55 = load i64, ptr %54, align 8
  %56 = mul i64 %55, %53
  %57 = add nuw nsw i64 %52, 1
  %58 = icmp eq i64 %57, %17
  br i1 %58, label %59, label %51

59:
  %60 = phi i64 [ 1, %43 ], [ %56, %51 ]
  %61 = add nuw nsw i64 %17, 1
  %62 = icmp samesign ult i64 %61, %21
  br i1 %62, label %63, label %71

63:
  %64 = phi i64 [ %69, %63 ], [ %61, %59 ]
  %65 = phi i64 [ %68, %63 ], [ 1, %59 ]
  %66 = getelementptr inbounds nuw i64, ptr %44, i64 %64
  %67 = load i64, ptr %66, align 8
  %68 = mul i64 %67, %65
  %69 = add nuw nsw i64 %64, 1
  %70 = icmp eq i64 %69, %21
  br i1 %70, label %71, label %63

71:
  %72 = phi i64 [ 1, %59 ], [ %68, %63 ]
  %73 = icmp sgt i64 %49, %46
  br i1 %73, label %479, label %74

74:
  %75 = mul i64 %60, %49
  %76 = mul i64 %75, %72
  %77 = icmp eq i64 %39, %76
  br i1 %77, label %78, label %479

78:
  %79 = icmp eq i64 %39, 0
  br i1 %79, label %479, label %80

80:
  %81 = shl i64 %49, 4
  %82 = tail call ptr @malloc(i64 noundef %81)
  %83 = icmp eq ptr %82, null
  br i1 %83, label %479, label %84

84:
  %85 = load i64, ptr %26, align 8
  %86 = icmp ult i64 %85, 11
  br i1 %86, label %87, label %90

87:
  %88 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %85
  %89 = load i64, ptr %88, align 8
  br label %90

90:
  %91 = phi i64 [ %89, %87 ], [ 8, %84 ]
  %92 = mul i64 %91, %72
  %93 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %94 = load i64, ptr %93, align 8
  %95 = icmp eq i64 %94, 0
  %96 = sext i1 %95 to i64
  %97 = mul i64 %72, %60
  %98 = icmp sgt i64 %97, 0
  br i1 %98, label %99, label %113

99:
  %100 = mul i64 %72, %46
  %101 = icmp sgt i64 %49, 0
  %102 = icmp eq i64 %49, 1
  %103 = lshr i64 %49, 1
  %104 = icmp slt i64 %49, %46
  %105 = icmp eq i64 %85, 0
  %106 = icmp eq i64 %92, 4
  %107 = select i1 %105, i1 %106, i1 false
  %108 = sext i1 %95 to i32
  %109 = insertelement <16 x i32> poison, i32 %108, i64 0
  %110 = shufflevector <16 x i32> %109, <16 x i32> poison, <16 x i32> zeroinitializer
  %111 = add i64 %49, -1
  %112 = icmp sgt i64 %111, 0
  br label %114

113:
  tail call void @free(ptr noundef nonnull %82)
  br label %479

114:
  %115 = phi i64 [ 0, %99 ], [ %444, %443 ]
  %116 = sdiv i64 %115, %72
  %117 = mul i64 %100, %116
  %118 = srem i64 %115, %72
  %119 = add i64 %117, %118
  %120 = mul i64 %116, %49
  %121 = load i64, ptr %5, align 8
  %122 = inttoptr i64 %121 to ptr
  %123 = mul i64 %119, %91
  %124 = getelementptr inbounds i8, ptr %122, i64 %123
  br i1 %101, label %126, label %186

125:
  br i1 %102, label %186, label %188

126:
  %127 = phi i64 [ %184, %180 ], [ 0, %114 ]
  %128 = getelementptr inbounds nuw %struct.entry, ptr %82, i64 %127
  %129 = mul i64 %127, %92
  %130 = getelementptr inbounds i8, ptr %124, i64 %129
  switch i64 %85, label %177 [
    i64 0, label %131
    i64 6, label %140
    i64 5, label %149
    i64 2, label %157
    i64 11, label %159
    i64 1, label %162
    i64 10, label %165
    i64 8, label %168
    i64 9, label %171
    i64 7, label %174
  ]

131:
  %132 = load i32, ptr %130, align 1
  %133 = and i32 %132, 2147483647
  %134 = icmp samesign ugt i32 %133, 2139095040
  %135 = icmp slt i32 %132, 0
  %136 = sub nsw i32 0, %133
  %137 = select i1 %135, i32 %136, i32 %133
  %138 = select i1 %134, i32 2147483647, i32 %137
  %139 = sext i32 %138 to i64
  br label %180

140:
  %141 = load i16, ptr %130, align 1
  %142 = and i16 %141, 32767
  %143 = icmp samesign ugt i16 %142, 31744
  %144 = zext nneg i16 %142 to i64
  %145 = icmp slt i16 %141, 0
  %146 = sub nsw i64 0, %144
  %147 = select i1 %145, i64 %146, i64 %144
  %148 = select i1 %143, i64 32767, i64 %147
  br label %180

149:
  %150 = load i64, ptr %130, align 1
  %151 = and i64 %150, 9223372036854775807
  %152 = icmp samesign ugt i64 %151, 9218868437227405312
  %153 = icmp slt i64 %150, 0
  %154 = sub nsw i64 0, %151
  %155 = select i1 %153, i64 %154, i64 %151
  %156 = select i1 %152, i64 9223372036854775807, i64 %155
  br label %180

157:
  %158 = load i64, ptr %130, align 8
  br label %180

159:
  %160 = load i64, ptr %130, align 8
  %161 = xor i64 %160, -9223372036854775808
  br label %180

162:
  %163 = load i32, ptr %130, align 4
  %164 = sext i32 %163 to i64
  br label %180

165:
  %166 = load i32, ptr %130, align 4
  %167 = zext i32 %166 to i64
  br label %180

168:
  %169 = load i16, ptr %130, align 2
  %170 = sext i16 %169 to i64
  br label %180

171:
  %172 = load i16, ptr %130, align 2
  %173 = zext i16 %172 to i64
  br label %180

174:
  %175 = load i8, ptr %130, align 1
  %176 = sext i8 %175 to i64
  br label %180

177:
  %178 = load i8, ptr %130, align 1
  %179 = zext i8 %178 to i64
  br label %180

180:
  %181 = phi i64 [ %179, %177 ], [ %139, %131 ], [ %148, %140 ], [ %156, %149 ], [ %158, %157 ], [ %161, %159 ], [ %164, %162 ], [ %167, %165 ], [ %170, %168 ], [ %173, %171 ], [ %176, %174 ]
  %182 = xor i64 %181, %96
  store i64 %182, ptr %128, align 8
  %183 = getelementptr inbounds nuw i8, ptr %128, i64 8
  store i64 %127, ptr %183, align 8
  %184 = add nuw nsw i64 %127, 1
  %185 = icmp eq i64 %184, %49
  br i1 %185, label %125, label %126

186:
  %187 = phi i1 [ false, %114 ], [ false, %125 ], [ true, %236 ]
  br i1 %104, label %241, label %390

188:
  %189 = phi i64 [ %190, %236 ], [ %103, %125 ]
  %190 = add nsw i64 %189, -1
  %191 = getelementptr inbounds nuw %struct.entry, ptr %82, i64 %190
  %192 = load i64, ptr %191, align 8
  %193 = getelementptr inbounds nuw i8, ptr %191, i64 8
  %194 = load i64, ptr %193, align 8
  %195 = shl nuw i64 %190, 1
  %196 = or disjoint i64 %195, 1
  %197 = icmp slt i64 %196, %49
  br i1 %197, label %198, label %236

198:
  %199 = phi i64 [ %234, %231 ], [ %196, %188 ]
  %200 = phi i64 [ %233, %231 ], [ %195, %188 ]
  %201 = phi i64 [ %221, %231 ], [ %190, %188 ]
  %202 = add i64 %200, 2
  %203 = icmp slt i64 %202, %49
  br i1 %203, label %204, label %220

204:
  %205 = getelementptr inbounds %struct.entry, ptr %82, i64 %199
  %206 = getelementptr inbounds %struct.entry, ptr %82, i64 %202
  %207 = load i64, ptr %205, align 8
  %208 = load i64, ptr %206, align 8
  %209 = icmp sgt i64 %207, %208
  br i1 %209, label %219, label %210

210:
  %211 = getelementptr inbounds nuw i8, ptr %206, i64 8
  %212 = load i64, ptr %211, align 8
  %213 = getelementptr inbounds nuw i8, ptr %205, i64 8
  %214 = load i64, ptr %213, align 8
  %215 = icmp eq i64 %207, %208
  %216 = icmp slt i64 %214, %212
  %217 = select i1 %215, i1 %216, i1 false
  %218 = freeze i1 %217
  br i1 %218, label %219, label %220

219:
  br label %220

220:
  %221 = phi i64 [ %199, %198 ], [ %202, %219 ], [ %199, %210 ]
  %222 = getelementptr inbounds %struct.entry, ptr %82, i64 %221
  %223 = load i64, ptr %222, align 8
  %224 = icmp sgt i64 %192, %223
  br i1 %224, label %231, label %225

225:
  %226 = getelementptr inbounds nuw i8, ptr %222, i64 8
  %227 = load i64, ptr %226, align 8
  %228 = icmp eq i64 %192, %223
  %229 = icmp slt i64 %194, %227
  %230 = select i1 %228, i1 %229, i1 false
  br i1 %230, label %231, label %236

231:
  %232 = getelementptr inbounds %struct.entry, ptr %82, i64 %201
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %232, ptr noundef nonnull align 8 dereferenceable(16) %222, i64 16, i1 false)
  %233 = shl i64 %221, 1
  %234 = or disjoint i64 %233, 1
  %235 = icmp slt i64 %234, %49
  br i1 %235, label %198, label %236

236:
  %237 = phi i64 [ %190, %188 ], [ %201, %225 ], [ %221, %231 ]
  %238 = getelementptr inbounds %struct.entry, ptr %82, i64 %237
  store i64 %192, ptr %238, align 8
  %239 = getelementptr inbounds nuw i8, ptr %238, i64 8
  store i64 %194, ptr %239, align 8
  %240 = icmp sgt i64 %189, 1
  br i1 %240, label %188, label %186

241:
  %242 = phi i64 [ %388, %387 ], [ %49, %186 ]
  %243 = phi i64 [ %286, %387 ], [ %49, %186 ]
  %244 = icmp eq i64 %242, %243
  br i1 %244, label %245, label %285

245:
  br i1 %107, label %246, label %280

246:
  %247 = load i64, ptr %82, align 8
  %248 = trunc i64 %247 to i32
  %249 = insertelement <16 x i32> poison, i32 %248, i64 0
  %250 = shufflevector <16 x i32> %249, <16 x i32> poison, <16 x i32> zeroinitializer
  br label %251

251:
  %252 = phi i64 [ %253, %268 ], [ %242, %246 ]
  %253 = add i64 %252, 16
  %254 = icmp sgt i64 %253, %46
  br i1 %254, label %278, label %255

255:
  %256 = shl i64 %252, 2
  %257 = getelementptr inbounds i8, ptr %124, i64 %256
  %258 = load <16 x i32>, ptr %257, align 4
  %259 = and <16 x i32> %258, splat (i32 2147483647)
  %260 = ashr <16 x i32> %258, splat (i32 31)
  %261 = icmp samesign ugt <16 x i32> %259, splat (i32 2139095040)
  %262 = xor <16 x i32> %259, %260
  %263 = sub <16 x i32> %262, %260
  %264 = select <16 x i1> %261, <16 x i32> splat (i32 2147483647), <16 x i32> %263
  %265 = xor <16 x i32> %264, %110
  %266 = icmp sgt <16 x i32> %265, %250
  %267 = sext <16 x i1> %266 to <16 x i32>
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  store <16 x i32> %267, ptr %4, align 16
  br label %270

268:
  %269 = icmp eq i64 %275, 0
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  br i1 %269, label %251, label %278

270:
  %271 = phi i64 [ 0, %255 ], [ %276, %270 ]
  %272 = phi i64 [ 0, %255 ], [ %275, %270 ]
  %273 = getelementptr inbounds nuw i64, ptr %4, i64 %271
  %274 = load i64, ptr %273, align 8
  %275 = or i64 %274, %272
  %276 = add nuw nsw i64 %271, 1
  %277 = icmp eq i64 %276, 8
  br i1 %277, label %268, label %270

278:
  %279 = sub i64 %252, %242
  br label %280

280:
  %281 = phi i64 [ %279, %278 ], [ 0, %245 ]
  %282 = add i64 %281, %242
  %283 = add i64 %282, 16
  %284 = icmp eq i64 %282, %46
  br i1 %284, label %390, label %285

285:
  %286 = phi i64 [ %283, %280 ], [ %243, %241 ]
  %287 = phi i64 [ %282, %280 ], [ %242, %241 ]
  %288 = mul i64 %287, %92
  %289 = getelementptr inbounds i8, ptr %124, i64 %288
  switch i64 %85, label %336 [
    i64 0, label %290
    i64 6, label %299
    i64 5, label %308
    i64 2, label %316
    i64 11, label %318
    i64 1, label %321
    i64 10, label %324
    i64 8, label %327
    i64 9, label %330
    i64 7, label %333
  ]

290:
  %291 = load i32, ptr %289, align 1
  %292 = and i32 %291, 2147483647
  %293 = icmp samesign ugt i32 %292, 2139095040
  %294 = icmp slt i32 %291, 0
  %295 = sub nsw i32 0, %292
  %296 = select i1 %294, i32 %295, i32 %292
  %297 = select i1 %293, i32 2147483647, i32 %296
  %298 = sext i32 %297 to i64
  br label %339

299:
  %300 = load i16, ptr %289, align 1
  %301 = and i16 %300, 32767
  %302 = icmp samesign ugt i16 %301, 31744
  %303 = zext nneg i16 %301 to i64
  %304 = icmp slt i16 %300, 0
  %305 = sub nsw i64 0, %303
  %306 = select i1 %304, i64 %305, i64 %303
  %307 = select i1 %302, i64 32767, i64 %306
  br label %339

308:
  %309 = load i64, ptr %289, align 1
  %310 = and i64 %309, 9223372036854775807
  %311 = icmp samesign ugt i64 %310, 9218868437227405312
  %312 = icmp slt i64 %309, 0
  %313 = sub nsw i64 0, %310
  %314 = select i1 %312, i64 %313, i64 %310
  %315 = select i1 %311, i64 9223372036854775807, i64 %314
  br label %339

316:
  %317 = load i64, ptr %289, align 8
  br label %339

318:
  %319 = load i64, ptr %289, align 8
  %320 = xor i64 %319, -9223372036854775808
  br label %339

321:
  %322 = load i32, ptr %289, align 4
  %323 = sext i32 %322 to i64
  br label %339

324:
  %325 = load i32, ptr %289, align 4
  %326 = zext i32 %325 to i64
  br label %339

327:
  %328 = load i16, ptr %289, align 2
  %329 = sext i16 %328 to i64
  br label %339

330:
  %331 = load i16, ptr %289, align 2
  %332 = zext i16 %331 to i64
  br label %339

333:
  %334 = load i8, ptr %289, align 1
  %335 = sext i8 %334 to i64
  br label %339

336:
  %337 = load i8, ptr %289, align 1
  %338 = zext i8 %337 to i64
  br label %339

339:
  %340 = phi i64 [ %338, %336 ], [ %298, %290 ], [ %307, %299 ], [ %315, %308 ], [ %317, %316 ], [ %320, %318 ], [ %323, %321 ], [ %326, %324 ], [ %329, %327 ], [ %332, %330 ], [ %335, %333 ]
  %341 = xor i64 %340, %96
  %342 = load i64, ptr %82, align 8
  %343 = icmp sgt i64 %341, %342
  br i1 %343, label %344, label %387

344:
  br i1 %187, label %345, label %383

345:
  %346 = phi i64 [ %381, %378 ], [ 1, %344 ]
  %347 = phi i64 [ %380, %378 ], [ 0, %344 ]
  %348 = phi i64 [ %368, %378 ], [ 0, %344 ]
  %349 = add i64 %347, 2
  %350 = icmp slt i64 %349, %49
  br i1 %350, label %351, label %367

351:
  %352 = getelementptr inbounds %struct.entry, ptr %82, i64 %346
  %353 = getelementptr inbounds %struct.entry, ptr %82, i64 %349
  %354 = load i64, ptr %352, align 8
  %355 = load i64, ptr %353, align 8
  %356 = icmp sgt i64 %354, %355
  br i1 %356, label %366, label %357

357:
  %358 = getelementptr inbounds nuw i8, ptr %353, i64 8
  %359 = load i64, ptr %358, align 8
  %360 = getelementptr inbounds nuw i8, ptr %352, i64 8
  %361 = load i64, ptr %360, align 8
  %362 = icmp eq i64 %354, %355
  %363 = icmp slt i64 %361, %359
  %364 = select i1 %362, i1 %363, i1 false
  %365 = freeze i1 %364
  br i1 %365, label %366, label %367

366:
  br label %367

367:
  %368 = phi i64 [ %346, %345 ], [ %349, %366 ], [ %346, %357 ]
  %369 = getelementptr inbounds %struct.entry, ptr %82, i64 %368
  %370 = load i64, ptr %369, align 8
  %371 = icmp sgt i64 %341, %370
  br i1 %371, label %378, label %372

372:
  %373 = getelementptr inbounds nuw i8, ptr %369, i64 8
  %374 = load i64, ptr %373, align 8
  %375 = icmp eq i64 %341, %370
  %376 = icmp slt i64 %287, %374
  %377 = select i1 %375, i1 %376, i1 false
  br i1 %377, label %378, label %383

378:
  %379 = getelementptr inbounds %struct.entry, ptr %82, i64 %348
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %379, ptr noundef nonnull align 8 dereferenceable(16) %369, i64 16, i1 false)
  %380 = shl i64 %368, 1
  %381 = or disjoint i64 %380, 1
  %382 = icmp slt i64 %381, %49
  br i1 %382, label %345, label %383

383:
  %384 = phi i64 [ 0, %344 ], [ %348, %372 ], [ %368, %378 ]
  %385 = getelementptr inbounds %struct.entry, ptr %82, i64 %384
  store i64 %341, ptr %385, align 8
  %386 = getelementptr inbounds nuw i8, ptr %385, i64 8
  store i64 %287, ptr %386, align 8
  br label %387

387:
  %388 = add i64 %287, 1
  %389 = icmp slt i64 %388, %46
  br i1 %389, label %241, label %390

390:
  br i1 %112, label %391, label %442

391:
  %392 = phi i64 [ %440, %436 ], [ %111, %390 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %3, ptr noundef nonnull align 8 dereferenceable(16) %82, i64 16, i1 false)
  %393 = getelementptr inbounds nuw %struct.entry, ptr %82, i64 %392
  %394 = load i64, ptr %393, align 8
  %395 = getelementptr inbounds nuw i8, ptr %393, i64 8
  %396 = load i64, ptr %395, align 8
  %397 = icmp eq i64 %392, 1
  br i1 %397, label %436, label %398

398:
  %399 = phi i64 [ %434, %431 ], [ 1, %391 ]
  %400 = phi i64 [ %433, %431 ], [ 0, %391 ]
  %401 = phi i64 [ %421, %431 ], [ 0, %391 ]
  %402 = add i64 %400, 2
  %403 = icmp slt i64 %402, %392
  br i1 %403, label %404, label %420

404:
  %405 = getelementptr inbounds %struct.entry, ptr %82, i64 %399
  %406 = getelementptr inbounds %struct.entry, ptr %82, i64 %402
  %407 = load i64, ptr %405, align 8
  %408 = load i64, ptr %406, align 8
  %409 = icmp sgt i64 %407, %408
  br i1 %409, label %419, label %410

410:
  %411 = getelementptr inbounds nuw i8, ptr %406, i64 8
  %412 = load i64, ptr %411, align 8
  %413 = getelementptr inbounds nuw i8, ptr %405, i64 8
  %414 = load i64, ptr %413, align 8
  %415 = icmp eq i64 %407, %408
  %416 = icmp slt i64 %414, %412
  %417 = select i1 %415, i1 %416, i1 false
  %418 = freeze i1 %417
  br i1 %418, label %419, label %420

419:
  br label %420

420:
  %421 = phi i64 [ %399, %398 ], [ %402, %419 ], [ %399, %410 ]
  %422 = getelementptr inbounds %struct.entry, ptr %82, i64 %421
  %423 = load i64, ptr %422, align 8
  %424 = icmp sgt i64 %394, %423
  br i1 %424, label %431, label %425

425:
  %426 = getelementptr inbounds nuw i8, ptr %422, i64 8
  %427 = load i64, ptr %426, align 8
  %428 = icmp eq i64 %394, %423
  %429 = icmp slt i64 %396, %427
  %430 = select i1 %428, i1 %429, i1 false
  br i1 %430, label %431, label %436

431:
  %432 = getelementptr inbounds %struct.entry, ptr %82, i64 %401
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %432, ptr noundef nonnull align 8 dereferenceable(16) %422, i64 16, i1 false)
  %433 = shl i64 %421, 1
  %434 = or disjoint i64 %433, 1
  %435 = icmp slt i64 %434, %392
  br i1 %435, label %398, label %436

436:
  %437 = phi i64 [ 0, %391 ], [ %421, %431 ], [ %401, %425 ]
  %438 = getelementptr inbounds %struct.entry, ptr %82, i64 %437
  store i64 %394, ptr %438, align 8
  %439 = getelementptr inbounds nuw i8, ptr %438, i64 8
  store i64 %396, ptr %439, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %393, ptr noundef nonnull align 8 dereferenceable(16) %3, i64 16, i1 false)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  %440 = add nsw i64 %392, -1
  %441 = icmp sgt i64 %392, 1
  br i1 %441, label %391, label %442

442:
  br i1 %101, label %446, label %443

443:
  %444 = add nuw nsw i64 %115, 1
  %445 = icmp eq i64 %444, %97
  br i1 %445, label %113, label %114

446:
  %447 = phi i64 [ %477, %472 ], [ 0, %442 ]
  %448 = add i64 %447, %120
  %449 = mul i64 %448, %72
  %450 = add i64 %449, %118
  %451 = load i64, ptr %7, align 8
  %452 = inttoptr i64 %451 to ptr
  %453 = mul i64 %450, %91
  %454 = getelementptr inbounds i8, ptr %452, i64 %453
  %455 = load i64, ptr %5, align 8
  %456 = inttoptr i64 %455 to ptr
  %457 = getelementptr inbounds nuw %struct.entry, ptr %82, i64 %447
  %458 = getelementptr inbounds nuw i8, ptr %457, i64 8
  %459 = load i64, ptr %458, align 8
  %460 = mul i64 %459, %72
  %461 = add i64 %460, %119
  %462 = mul i64 %461, %91
  %463 = getelementptr inbounds i8, ptr %456, i64 %462
  switch i64 %91, label %470 [
    i64 1, label %464
    i64 2, label %466
    i64 4, label %468
  ]

464:
  %465 = load i8, ptr %463, align 1
  store i8 %465, ptr %454, align 1
  br label %472

466:
  %467 = load i16, ptr %463, align 1
  store i16 %467, ptr %454, align 1
  br label %472

468:
  %469 = load i32, ptr %463, align 1
  store i32 %469, ptr %454, align 1
  br label %472

470:
  %471 = load i64, ptr %463, align 1
  store i64 %471, ptr %454, align 1
  br label %472

472:
  %473 = load i64, ptr %458, align 8
  %474 = load i64, ptr %9, align 8
  %475 = inttoptr i64 %474 to ptr
  %476 = getelementptr inbounds i64, ptr %475, i64 %450
  store i64 %473, ptr %476, align 8
  %477 = add nuw nsw i64 %447, 1
  %478 = icmp eq i64 %477, %49
  br i1 %478, label %443, label %446

479:
  %480 = phi i1 [ false, %15 ], [ false, %37 ], [ false, %33 ], [ false, %29 ], [ false, %23 ], [ false, %19 ], [ false, %71 ], [ true, %78 ], [ false, %74 ], [ false, %80 ], [ true, %113 ]
  ret i1 %480
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
  switch i64 %28, label %405 [
    i64 5, label %29
    i64 0, label %29
  ]

29:
  %30 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %31 = load i64, ptr %30, align 8
  switch i64 %31, label %405 [
    i64 5, label %32
    i64 0, label %32
  ]

32:
  %33 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, %13
  br i1 %35, label %36, label %405

36:
  %37 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %38 = load i64, ptr %37, align 8
  %39 = icmp eq i64 %38, %15
  br i1 %39, label %40, label %405

40:
  %41 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %42 = load i64, ptr %41, align 8
  %43 = shl i64 %19, 2
  %44 = mul i64 %43, %25
  %45 = icmp eq i64 %42, %44
  br i1 %45, label %46, label %405

46:
  %47 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %48 = load i64, ptr %47, align 8
  %49 = mul i64 %26, %25
  %50 = mul i64 %49, %19
  %51 = icmp ne i64 %48, %50
  %52 = icmp slt i64 %14, 0
  %53 = select i1 %51, i1 true, i1 %52
  br i1 %53, label %405, label %54

54:
  %55 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %56, 2
  br i1 %57, label %58, label %405

58:
  %59 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %60 = load i64, ptr %59, align 8
  %61 = icmp eq i64 %60, 2
  br i1 %61, label %62, label %405

62:
  %63 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %64 = load i64, ptr %63, align 8
  %65 = select i1 %2, i64 2, i64 1
  %66 = icmp eq i64 %64, %65
  br i1 %66, label %67, label %405

67:
  %68 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %69 = load i64, ptr %68, align 8
  %70 = tail call i64 @llvm.smin.i64(i64 %14, i64 %19)
  %71 = mul i64 %70, %15
  %72 = mul i64 %71, %49
  %73 = icmp slt i64 %69, %72
  br i1 %73, label %405, label %74

74:
  %75 = shl i64 %19, 6
  %76 = add i64 %75, 64
  %77 = tail call ptr @malloc(i64 noundef %76)
  %78 = icmp eq ptr %77, null
  br i1 %78, label %405, label %79

79:
  %80 = getelementptr inbounds %struct.box, ptr %77, i64 %19
  %81 = getelementptr inbounds %struct.entry, ptr %80, i64 %19
  %82 = load i64, ptr %10, align 8
  %83 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %84 = load double, ptr %83, align 8
  %85 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %86 = load double, ptr %85, align 8
  %87 = icmp sgt i64 %25, 0
  br i1 %87, label %88, label %396

88:
  %89 = inttoptr i64 %82 to ptr
  %90 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %91 = icmp sgt i64 %26, 0
  %92 = icmp sgt i64 %19, 0
  %93 = icmp ne i64 %14, 0
  %94 = getelementptr inbounds nuw i8, ptr %80, i64 8
  br label %95

95:
  %96 = phi ptr [ %89, %88 ], [ %110, %109 ]
  %97 = phi i64 [ 0, %88 ], [ %111, %109 ]
  %98 = mul i64 %97, %19
  br i1 %2, label %99, label %102

99:
  %100 = load i64, ptr %90, align 8
  %101 = icmp ne i64 %100, 0
  br label %102

102:
  %103 = phi i1 [ false, %95 ], [ %101, %99 ]
  %104 = tail call fastcc zeroext i1 @boxes_of(ptr noundef %77, ptr noundef %6, i64 noundef %98, i64 noundef %19, i1 noundef zeroext %103)
  br i1 %104, label %105, label %108

105:
  br i1 %91, label %106, label %109

106:
  %107 = mul i64 %97, %26
  br label %113

108:
  tail call void @free(ptr noundef nonnull %77)
  br label %405

109:
  %110 = phi ptr [ %96, %105 ], [ %378, %377 ]
  %111 = add nuw nsw i64 %97, 1
  %112 = icmp eq i64 %111, %25
  br i1 %112, label %394, label %95

113:
  %114 = phi ptr [ %96, %106 ], [ %378, %377 ]
  %115 = phi i64 [ 0, %106 ], [ %379, %377 ]
  %116 = add i64 %115, %107
  %117 = mul i64 %116, %19
  br i1 %92, label %122, label %377

118:
  %119 = icmp sgt i64 %206, 1
  br i1 %119, label %120, label %209

120:
  %121 = lshr i64 %206, 1
  br label %212

122:
  %123 = phi i64 [ %206, %205 ], [ 0, %113 ]
  %124 = phi i64 [ %207, %205 ], [ 0, %113 ]
  %125 = add i64 %124, %117
  %126 = load i64, ptr %30, align 8
  %127 = icmp eq i64 %126, 0
  %128 = load i64, ptr %8, align 8
  %129 = inttoptr i64 %128 to ptr
  br i1 %127, label %130, label %134

130:
  %131 = getelementptr inbounds float, ptr %129, i64 %125
  %132 = load float, ptr %131, align 4
  %133 = fpext float %132 to double
  br label %137

134:
  %135 = getelementptr inbounds double, ptr %129, i64 %125
  %136 = load double, ptr %135, align 8
  br label %137

137:
  %138 = phi double [ %133, %130 ], [ %136, %134 ]
  %139 = fcmp ogt double %138, %86
  br i1 %139, label %140, label %205

140:
  %141 = icmp ult i64 %126, 11
  br i1 %141, label %142, label %145

142:
  %143 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %126
  %144 = load i64, ptr %143, align 8
  br label %145

145:
  %146 = phi i64 [ %144, %142 ], [ 8, %140 ]
  %147 = mul i64 %146, %125
  %148 = getelementptr inbounds i8, ptr %129, i64 %147
  switch i64 %126, label %195 [
    i64 0, label %149
    i64 6, label %158
    i64 5, label %167
    i64 2, label %175
    i64 11, label %177
    i64 1, label %180
    i64 10, label %183
    i64 8, label %186
    i64 9, label %189
    i64 7, label %192
  ]

149:
  %150 = load i32, ptr %148, align 1
  %151 = and i32 %150, 2147483647
  %152 = icmp samesign ugt i32 %151, 2139095040
  %153 = icmp slt i32 %150, 0
  %154 = sub nsw i32 0, %151
  %155 = select i1 %153, i32 %154, i32 %151
  %156 = select i1 %152, i32 2147483647, i32 %155
  %157 = sext i32 %156 to i64
  br label %198

158:
  %159 = load i16, ptr %148, align 1
  %160 = and i16 %159, 32767
  %161 = icmp samesign ugt i16 %160, 31744
  %162 = zext nneg i16 %160 to i64
  %163 = icmp slt i16 %159, 0
  %164 = sub nsw i64 0, %162
  %165 = select i1 %163, i64 %164, i64 %162
  %166 = select i1 %161, i64 32767, i64 %165
  br label %198

167:
  %168 = load i64, ptr %148, align 1
  %169 = and i64 %168, 9223372036854775807
  %170 = icmp samesign ugt i64 %169, 9218868437227405312
  %171 = icmp slt i64 %168, 0
  %172 = sub nsw i64 0, %169
  %173 = select i1 %171, i64 %172, i64 %169
  %174 = select i1 %170, i64 9223372036854775807, i64 %173
  br label %198

175:
  %176 = load i64, ptr %148, align 8
  br label %198

177:
  %178 = load i64, ptr %148, align 8
  %179 = xor i64 %178, -9223372036854775808
  br label %198

180:
  %181 = load i32, ptr %148, align 4
  %182 = sext i32 %181 to i64
  br label %198

183:
  %184 = load i32, ptr %148, align 4
  %185 = zext i32 %184 to i64
  br label %198

186:
  %187 = load i16, ptr %148, align 2
  %188 = sext i16 %187 to i64
  br label %198

189:
  %190 = load i16, ptr %148, align 2
  %191 = zext i16 %190 to i64
  br label %198

192:
  %193 = load i8, ptr %148, align 1
  %194 = sext i8 %193 to i64
  br label %198

195:
  %196 = load i8, ptr %148, align 1
  %197 = zext i8 %196 to i64
  br label %198

198:
  %199 = phi i64 [ %197, %195 ], [ %157, %149 ], [ %166, %158 ], [ %174, %167 ], [ %176, %175 ], [ %179, %177 ], [ %182, %180 ], [ %185, %183 ], [ %188, %186 ], [ %191, %189 ], [ %194, %192 ]
  %200 = add i64 %123, 1
  %201 = getelementptr inbounds %struct.entry, ptr %80, i64 %123
  %202 = xor i64 %199, -1
  %203 = sub nsw i64 0, %124
  store i64 %202, ptr %201, align 8
  %204 = getelementptr inbounds nuw i8, ptr %201, i64 8
  store i64 %203, ptr %204, align 8
  br label %205

205:
  %206 = phi i64 [ %200, %198 ], [ %123, %137 ]
  %207 = add nuw nsw i64 %124, 1
  %208 = icmp eq i64 %207, %19
  br i1 %208, label %118, label %122

209:
  %210 = icmp ne i64 %206, 0
  %211 = and i1 %93, %210
  br i1 %211, label %265, label %377

212:
  %213 = phi i64 [ %214, %260 ], [ %121, %120 ]
  %214 = add nsw i64 %213, -1
  %215 = getelementptr inbounds nuw %struct.entry, ptr %80, i64 %214
  %216 = load i64, ptr %215, align 8
  %217 = getelementptr inbounds nuw i8, ptr %215, i64 8
  %218 = load i64, ptr %217, align 8
  %219 = shl nuw i64 %214, 1
  %220 = or disjoint i64 %219, 1
  %221 = icmp slt i64 %220, %206
  br i1 %221, label %222, label %260

222:
  %223 = phi i64 [ %258, %255 ], [ %220, %212 ]
  %224 = phi i64 [ %257, %255 ], [ %219, %212 ]
  %225 = phi i64 [ %245, %255 ], [ %214, %212 ]
  %226 = add i64 %224, 2
  %227 = icmp slt i64 %226, %206
  br i1 %227, label %228, label %244

228:
  %229 = getelementptr inbounds %struct.entry, ptr %80, i64 %223
  %230 = getelementptr inbounds %struct.entry, ptr %80, i64 %226
  %231 = load i64, ptr %229, align 8
  %232 = load i64, ptr %230, align 8
  %233 = icmp sgt i64 %231, %232
  br i1 %233, label %243, label %234

234:
  %235 = getelementptr inbounds nuw i8, ptr %230, i64 8
  %236 = load i64, ptr %235, align 8
  %237 = getelementptr inbounds nuw i8, ptr %229, i64 8
  %238 = load i64, ptr %237, align 8
  %239 = icmp eq i64 %231, %232
  %240 = icmp slt i64 %238, %236
  %241 = select i1 %239, i1 %240, i1 false
  %242 = freeze i1 %241
  br i1 %242, label %243, label %244

243:
  br label %244

244:
  %245 = phi i64 [ %223, %222 ], [ %226, %243 ], [ %223, %234 ]
  %246 = getelementptr inbounds %struct.entry, ptr %80, i64 %245
  %247 = load i64, ptr %246, align 8
  %248 = icmp sgt i64 %216, %247
  br i1 %248, label %255, label %249

249:
  %250 = getelementptr inbounds nuw i8, ptr %246, i64 8
  %251 = load i64, ptr %250, align 8
  %252 = icmp eq i64 %216, %247
  %253 = icmp slt i64 %218, %251
  %254 = select i1 %252, i1 %253, i1 false
  br i1 %254, label %255, label %260

255:
  %256 = getelementptr inbounds %struct.entry, ptr %80, i64 %225
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %256, ptr noundef nonnull align 8 dereferenceable(16) %246, i64 16, i1 false)
  %257 = shl i64 %245, 1
  %258 = or disjoint i64 %257, 1
  %259 = icmp slt i64 %258, %206
  br i1 %259, label %222, label %260

260:
  %261 = phi i64 [ %214, %212 ], [ %225, %249 ], [ %245, %255 ]
  %262 = getelementptr inbounds %struct.entry, ptr %80, i64 %261
  store i64 %216, ptr %262, align 8
  %263 = getelementptr inbounds nuw i8, ptr %262, i64 8
  store i64 %218, ptr %263, align 8
  %264 = icmp sgt i64 %213, 1
  br i1 %264, label %212, label %209

265:
  %266 = phi i64 [ %270, %370 ], [ %206, %209 ]
  %267 = phi i64 [ %371, %370 ], [ 0, %209 ]
  %268 = load i64, ptr %94, align 8
  %269 = sub i64 0, %268
  %270 = add i64 %266, -1
  %271 = getelementptr inbounds %struct.entry, ptr %80, i64 %270
  %272 = load i64, ptr %271, align 8
  %273 = getelementptr inbounds nuw i8, ptr %271, i64 8
  %274 = load i64, ptr %273, align 8
  %275 = icmp sgt i64 %270, 1
  br i1 %275, label %276, label %314

276:
  %277 = phi i64 [ %312, %309 ], [ 1, %265 ]
  %278 = phi i64 [ %311, %309 ], [ 0, %265 ]
  %279 = phi i64 [ %299, %309 ], [ 0, %265 ]
  %280 = add i64 %278, 2
  %281 = icmp slt i64 %280, %270
  br i1 %281, label %282, label %298

282:
  %283 = getelementptr inbounds %struct.entry, ptr %80, i64 %277
  %284 = getelementptr inbounds %struct.entry, ptr %80, i64 %280
  %285 = load i64, ptr %283, align 8
  %286 = load i64, ptr %284, align 8
  %287 = icmp sgt i64 %285, %286
  br i1 %287, label %297, label %288

288:
  %289 = getelementptr inbounds nuw i8, ptr %284, i64 8
  %290 = load i64, ptr %289, align 8
  %291 = getelementptr inbounds nuw i8, ptr %283, i64 8
  %292 = load i64, ptr %291, align 8
  %293 = icmp eq i64 %285, %286
  %294 = icmp slt i64 %292, %290
  %295 = select i1 %293, i1 %294, i1 false
  %296 = freeze i1 %295
  br i1 %296, label %297, label %298

297:
  br label %298

298:
  %299 = phi i64 [ %277, %276 ], [ %280, %297 ], [ %277, %288 ]
  %300 = getelementptr inbounds %struct.entry, ptr %80, i64 %299
  %301 = load i64, ptr %300, align 8
  %302 = icmp sgt i64 %272, %301
  br i1 %302, label %309, label %303

303:
  %304 = getelementptr inbounds nuw i8, ptr %300, i64 8
  %305 = load i64, ptr %304, align 8
  %306 = icmp eq i64 %272, %301
  %307 = icmp slt i64 %274, %305
  %308 = select i1 %306, i1 %307, i1 false
  br i1 %308, label %309, label %314

309:
  %310 = getelementptr inbounds %struct.entry, ptr %80, i64 %279
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %310, ptr noundef nonnull align 8 dereferenceable(16) %300, i64 16, i1 false)
  %311 = shl i64 %299, 1
  %312 = or disjoint i64 %311, 1
  %313 = icmp slt i64 %312, %270
  br i1 %313, label %276, label %314

314:
  %315 = phi i64 [ 0, %265 ], [ %279, %303 ], [ %299, %309 ]
  %316 = getelementptr inbounds %struct.entry, ptr %80, i64 %315
  store i64 %272, ptr %316, align 8
  %317 = getelementptr inbounds nuw i8, ptr %316, i64 8
  store i64 %274, ptr %317, align 8
  %318 = icmp sgt i64 %267, 0
  br i1 %318, label %319, label %364

319:
  %320 = getelementptr inbounds %struct.box, ptr %77, i64 %269
  %321 = getelementptr inbounds nuw i8, ptr %320, i64 16
  %322 = getelementptr inbounds nuw i8, ptr %320, i64 32
  %323 = load double, ptr %322, align 8
  br label %324

324:
  %325 = phi i64 [ 0, %319 ], [ %362, %361 ]
  %326 = getelementptr inbounds nuw i64, ptr %81, i64 %325
  %327 = load i64, ptr %326, align 8
  %328 = getelementptr inbounds %struct.box, ptr %77, i64 %327
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %329 = getelementptr inbounds nuw i8, ptr %328, i64 16
  br label %330

330:
  %331 = phi i1 [ true, %324 ], [ false, %330 ]
  %332 = phi ptr [ %4, %324 ], [ %5, %330 ]
  %333 = phi i64 [ 0, %324 ], [ 1, %330 ]
  %334 = getelementptr inbounds nuw double, ptr %328, i64 %333
  %335 = load double, ptr %334, align 8
  %336 = getelementptr inbounds nuw double, ptr %320, i64 %333
  %337 = load double, ptr %336, align 8
  %338 = fcmp ogt double %335, %337
  %339 = select i1 %338, double %335, double %337
  %340 = getelementptr inbounds nuw double, ptr %329, i64 %333
  %341 = load double, ptr %340, align 8
  %342 = getelementptr inbounds nuw double, ptr %321, i64 %333
  %343 = load double, ptr %342, align 8
  %344 = fcmp olt double %341, %343
  %345 = select i1 %344, double %341, double %343
  %346 = fcmp ogt double %345, %339
  %347 = fsub double %345, %339
  %348 = select i1 %346, double %347, double 0.000000e+00
  store double %348, ptr %332, align 8
  br i1 %331, label %330, label %349

349:
  %350 = load double, ptr %4, align 16
  %351 = load double, ptr %5, align 8
  %352 = fmul double %350, %351
  %353 = getelementptr inbounds nuw i8, ptr %328, i64 32
  %354 = load double, ptr %353, align 8
  %355 = fadd double %323, %354
  %356 = fsub double %355, %352
  %357 = fcmp ogt double %356, 0.000000e+00
  %358 = fdiv double %352, %356
  %359 = select i1 %357, double %358, double 0.000000e+00
  %360 = fcmp ogt double %359, %84
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  br i1 %360, label %364, label %361

361:
  %362 = add nuw nsw i64 %325, 1
  %363 = icmp eq i64 %362, %267
  br i1 %363, label %367, label %324

364:
  %365 = phi i64 [ 0, %314 ], [ %325, %349 ]
  %366 = icmp eq i64 %365, %267
  br i1 %366, label %367, label %370

367:
  %368 = add nsw i64 %267, 1
  %369 = getelementptr inbounds i64, ptr %81, i64 %267
  store i64 %269, ptr %369, align 8
  br label %370

370:
  %371 = phi i64 [ %368, %367 ], [ %267, %364 ]
  %372 = icmp ne i64 %270, 0
  %373 = icmp slt i64 %371, %14
  %374 = select i1 %372, i1 %373, i1 false
  br i1 %374, label %265, label %375

375:
  %376 = icmp sgt i64 %371, 0
  br i1 %376, label %381, label %377

377:
  %378 = phi ptr [ %114, %375 ], [ %114, %113 ], [ %114, %209 ], [ %391, %387 ]
  %379 = add nuw nsw i64 %115, 1
  %380 = icmp eq i64 %379, %26
  br i1 %380, label %109, label %113

381:
  %382 = phi i64 [ %392, %387 ], [ 0, %375 ]
  %383 = phi ptr [ %391, %387 ], [ %114, %375 ]
  br i1 %2, label %384, label %387

384:
  %385 = getelementptr inbounds nuw i8, ptr %383, i64 8
  store i64 %97, ptr %383, align 8
  %386 = getelementptr inbounds nuw i8, ptr %383, i64 16
  store i64 %115, ptr %385, align 8
  br label %387

387:
  %388 = phi ptr [ %386, %384 ], [ %383, %381 ]
  %389 = getelementptr inbounds nuw i64, ptr %81, i64 %382
  %390 = load i64, ptr %389, align 8
  %391 = getelementptr inbounds nuw i8, ptr %388, i64 8
  store i64 %390, ptr %388, align 8
  %392 = add nuw nsw i64 %382, 1
  %393 = icmp eq i64 %392, %371
  br i1 %393, label %377, label %381

394:
  %395 = ptrtoint ptr %110 to i64
  br label %396

396:
  %397 = phi i64 [ %82, %79 ], [ %395, %394 ]
  tail call void @free(ptr noundef nonnull %77)
  %398 = load i64, ptr %12, align 8
  %399 = inttoptr i64 %398 to ptr
  %400 = sub i64 %397, %82
  %401 = ashr exact i64 %400, 3
  %402 = sdiv i64 %401, %15
  store i64 %402, ptr %399, align 8
  br i1 %2, label %403, label %405

403:
  %404 = getelementptr inbounds nuw i8, ptr %399, i64 8
  store i64 3, ptr %404, align 8
  br label %405

405:
  %406 = phi i1 [ false, %24 ], [ false, %67 ], [ false, %62 ], [ false, %58 ], [ false, %54 ], [ false, %46 ], [ false, %40 ], [ false, %36 ], [ false, %32 ], [ false, %29 ], [ false, %74 ], [ true, %396 ], [ true, %403 ], [ false, %108 ]
  ret i1 %406
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
  br i1 %13, label %14, label %226

14:
  %15 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %16, %18
  br i1 %19, label %20, label %226

20:
  %21 = load i64, ptr %1, align 8
  %22 = call fastcc zeroext i1 @lines_of(ptr noundef %3, ptr noundef nonnull %4, ptr noundef nonnull %6, i64 noundef %21)
  br i1 %22, label %23, label %226

23:
  %24 = load i64, ptr %11, align 8
  switch i64 %24, label %26 [
    i64 3, label %123
    i64 4, label %123
    i64 7, label %123
    i64 6, label %25
    i64 8, label %25
    i64 9, label %25
    i64 0, label %27
    i64 1, label %27
    i64 10, label %27
  ]

25:
  br label %123

26:
  br label %123

27:
  %28 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %29 = load i64, ptr %28, align 8
  %30 = icmp sgt i64 %29, 0
  br i1 %30, label %31, label %226

31:
  %32 = load i64, ptr %8, align 8
  %33 = inttoptr i64 %32 to ptr
  %34 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %35 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %36 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %37 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %38 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %39 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %40 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %41 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %42 = getelementptr inbounds nuw i8, ptr %3, i64 184
  %43 = load i64, ptr %34, align 8
  br label %44

44:
  %45 = phi i64 [ %43, %31 ], [ %92, %120 ]
  %46 = phi i64 [ 0, %31 ], [ %94, %120 ]
  %47 = phi ptr [ %33, %31 ], [ %93, %120 ]
  %48 = icmp sgt i64 %45, 0
  br i1 %48, label %49, label %91

49:
  %50 = phi i64 [ %89, %73 ], [ %45, %44 ]
  %51 = phi i64 [ %87, %73 ], [ 0, %44 ]
  %52 = phi ptr [ %88, %73 ], [ %47, %44 ]
  %53 = mul i64 %50, %46
  %54 = add i64 %53, %51
  %55 = load i64, ptr %35, align 8
  %56 = load i64, ptr %36, align 8
  %57 = icmp eq i64 %56, 2
  %58 = load i64, ptr %6, align 8
  %59 = inttoptr i64 %58 to ptr
  br i1 %57, label %60, label %63

60:
  %61 = getelementptr inbounds i64, ptr %59, i64 %54
  %62 = load i64, ptr %61, align 8
  br label %67

63:
  %64 = getelementptr inbounds i32, ptr %59, i64 %54
  %65 = load i32, ptr %64, align 4
  %66 = sext i32 %65 to i64
  br label %67

67:
  %68 = phi i64 [ %62, %60 ], [ %66, %63 ]
  %69 = icmp slt i64 %68, 0
  %70 = select i1 %69, i64 %55, i64 0
  %71 = add i64 %70, %68
  %72 = icmp ult i64 %71, %55
  br i1 %72, label %73, label %226

73:
  %74 = load i8, ptr %37, align 8
  %75 = trunc nuw i8 %74 to i1
  %76 = load i64, ptr %38, align 8
  %77 = mul i64 %76, %71
  %78 = add i64 %77, %51
  %79 = select i1 %75, i64 %71, i64 %78
  %80 = load i64, ptr %39, align 8
  %81 = add i64 %79, %80
  %82 = load i64, ptr %4, align 8
  %83 = inttoptr i64 %82 to ptr
  %84 = shl i64 %81, 2
  %85 = getelementptr inbounds i8, ptr %83, i64 %84
  %86 = load i32, ptr %85, align 1
  store i32 %86, ptr %52, align 1
  %87 = add nuw nsw i64 %51, 1
  %88 = getelementptr inbounds nuw i8, ptr %52, i64 4
  %89 = load i64, ptr %34, align 8
  %90 = icmp slt i64 %87, %89
  br i1 %90, label %49, label %91

91:
  %92 = phi i64 [ %45, %44 ], [ %89, %73 ]
  %93 = phi ptr [ %47, %44 ], [ %88, %73 ]
  %94 = add nuw nsw i64 %46, 1
  %95 = load i64, ptr %3, align 8
  %96 = add i64 %95, -2
  %97 = icmp sgt i64 %96, -1
  br i1 %97, label %98, label %120

98:
  %99 = load i64, ptr %39, align 8
  br label %100

100:
  %101 = phi i64 [ %99, %98 ], [ %115, %113 ]
  %102 = phi i64 [ %96, %98 ], [ %116, %113 ]
  %103 = getelementptr inbounds nuw i64, ptr %40, i64 %102
  %104 = load i64, ptr %103, align 8
  %105 = add i64 %104, %101
  %106 = getelementptr inbounds nuw i64, ptr %41, i64 %102
  %107 = load i64, ptr %106, align 8
  %108 = add i64 %107, 1
  store i64 %108, ptr %106, align 8
  %109 = load ptr, ptr %42, align 8
  %110 = getelementptr inbounds nuw i64, ptr %109, i64 %102
  %111 = load i64, ptr %110, align 8
  %112 = icmp slt i64 %108, %111
  br i1 %112, label %118, label %113

113:
  %114 = mul i64 %111, %104
  %115 = sub i64 %105, %114
  store i64 0, ptr %106, align 8
  %116 = add nsw i64 %102, -1
  %117 = icmp sgt i64 %102, 0
  br i1 %117, label %100, label %118

118:
  %119 = phi i64 [ %115, %113 ], [ %105, %100 ]
  store i64 %119, ptr %39, align 8
  br label %120

120:
  %121 = load i64, ptr %28, align 8
  %122 = icmp slt i64 %94, %121
  br i1 %122, label %44, label %226

123:
  %124 = phi i64 [ 1, %23 ], [ 1, %23 ], [ 1, %23 ], [ 2, %25 ], [ 8, %26 ]
  %125 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %126 = load i64, ptr %125, align 8
  %127 = icmp sgt i64 %126, 0
  br i1 %127, label %128, label %226

128:
  %129 = load i64, ptr %8, align 8
  %130 = inttoptr i64 %129 to ptr
  %131 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %132 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %133 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %134 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %135 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %136 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %137 = getelementptr inbounds nuw i8, ptr %3, i64 120
  %138 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %139 = getelementptr inbounds nuw i8, ptr %3, i64 184
  %140 = load i64, ptr %131, align 8
  br label %141

141:
  %142 = phi i64 [ %140, %128 ], [ %195, %223 ]
  %143 = phi i64 [ 0, %128 ], [ %197, %223 ]
  %144 = phi ptr [ %130, %128 ], [ %196, %223 ]
  %145 = icmp sgt i64 %142, 0
  br i1 %145, label %146, label %194

146:
  %147 = phi i64 [ %192, %189 ], [ %142, %141 ]
  %148 = phi i64 [ %190, %189 ], [ 0, %141 ]
  %149 = phi ptr [ %191, %189 ], [ %144, %141 ]
  %150 = mul i64 %147, %143
  %151 = add i64 %150, %148
  %152 = load i64, ptr %132, align 8
  %153 = load i64, ptr %133, align 8
  %154 = icmp eq i64 %153, 2
  %155 = load i64, ptr %6, align 8
  %156 = inttoptr i64 %155 to ptr
  br i1 %154, label %157, label %160

157:
  %158 = getelementptr inbounds i64, ptr %156, i64 %151
  %159 = load i64, ptr %158, align 8
  br label %164

160:
  %161 = getelementptr inbounds i32, ptr %156, i64 %151
  %162 = load i32, ptr %161, align 4
  %163 = sext i32 %162 to i64
  br label %164

164:
  %165 = phi i64 [ %159, %157 ], [ %163, %160 ]
  %166 = icmp slt i64 %165, 0
  %167 = select i1 %166, i64 %152, i64 0
  %168 = add i64 %167, %165
  %169 = icmp ult i64 %168, %152
  br i1 %169, label %170, label %226

170:
  %171 = load i8, ptr %134, align 8
  %172 = trunc nuw i8 %171 to i1
  %173 = load i64, ptr %135, align 8
  %174 = mul i64 %173, %168
  %175 = add i64 %174, %148
  %176 = select i1 %172, i64 %168, i64 %175
  %177 = load i64, ptr %136, align 8
  %178 = add i64 %176, %177
  %179 = load i64, ptr %4, align 8
  %180 = inttoptr i64 %179 to ptr
  %181 = mul i64 %178, %124
  %182 = getelementptr inbounds i8, ptr %180, i64 %181
  switch i64 %124, label %187 [
    i64 1, label %183
    i64 2, label %185
  ]

183:
  %184 = load i8, ptr %182, align 1
  store i8 %184, ptr %149, align 1
  br label %189

185:
  %186 = load i16, ptr %182, align 1
  store i16 %186, ptr %149, align 1
  br label %189

187:
  %188 = load i64, ptr %182, align 1
  store i64 %188, ptr %149, align 1
  br label %189

189:
  %190 = add nuw nsw i64 %148, 1
  %191 = getelementptr inbounds nuw i8, ptr %149, i64 %124
  %192 = load i64, ptr %131, align 8
  %193 = icmp slt i64 %190, %192
  br i1 %193, label %146, label %194

194:
  %195 = phi i64 [ %142, %141 ], [ %192, %189 ]
  %196 = phi ptr [ %144, %141 ], [ %191, %189 ]
  %197 = add nuw nsw i64 %143, 1
  %198 = load i64, ptr %3, align 8
  %199 = add i64 %198, -2
  %200 = icmp sgt i64 %199, -1
  br i1 %200, label %201, label %223

201:
  %202 = load i64, ptr %136, align 8
  br label %203

203:
  %204 = phi i64 [ %202, %201 ], [ %218, %216 ]
  %205 = phi i64 [ %199, %201 ], [ %219, %216 ]
  %206 = getelementptr inbounds nuw i64, ptr %137, i64 %205
  %207 = load i64, ptr %206, align 8
  %208 = add i64 %207, %204
  %209 = getelementptr inbounds nuw i64, ptr %138, i64 %205
  %210 = load i64, ptr %209, align 8
  %211 = add i64 %210, 1
  store i64 %211, ptr %209, align 8
  %212 = load ptr, ptr %139, align 8
  %213 = getelementptr inbounds nuw i64, ptr %212, i64 %205
  %214 = load i64, ptr %213, align 8
  %215 = icmp slt i64 %211, %214
  br i1 %215, label %221, label %216

216:
  %217 = mul i64 %214, %207
  %218 = sub i64 %208, %217
  store i64 0, ptr %209, align 8
  %219 = add nsw i64 %205, -1
  %220 = icmp sgt i64 %205, 0
  br i1 %220, label %203, label %221

221:
  %222 = phi i64 [ %218, %216 ], [ %208, %203 ]
  store i64 %222, ptr %136, align 8
  br label %223

223:
  %224 = load i64, ptr %125, align 8
  %225 = icmp slt i64 %197, %224
  br i1 %225, label %141, label %226

226:
  %227 = phi i1 [ false, %2 ], [ false, %20 ], [ false, %14 ], [ true, %27 ], [ true, %123 ], [ false, %164 ], [ false, %67 ], [ true, %223 ], [ true, %120 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i1 %227
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
  %31 = getelementptr inbounds nuw i64, ptr @switch.table.begin_join, i64 %7
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

define internal fastcc noundef zeroext i1 @boxes_of(ptr noundef nonnull captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2, i64 noundef %3, i1 noundef zeroext %4) #0 {
  %6 = icmp slt i64 %3, 1
  br i1 %6, label %67, label %7

7:
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 16
  br label %9

9:
  %10 = phi i64 [ 0, %7 ], [ %65, %54 ]
  %11 = add i64 %10, %2
  %12 = shl i64 %11, 2
  %13 = getelementptr inbounds nuw %struct.box, ptr %0, i64 %10
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 16
  br label %15

15:
  %16 = phi i1 [ true, %9 ], [ false, %43 ]
  %17 = phi i64 [ 0, %9 ], [ 1, %43 ]
  %18 = or disjoint i64 %17, %12
  %19 = load i64, ptr %8, align 8
  %20 = icmp eq i64 %19, 0
  %21 = load i64, ptr %1, align 8
  %22 = inttoptr i64 %21 to ptr
  br i1 %20, label %23, label %30

23:
  %24 = getelementptr float, ptr %22, i64 %18
  %25 = load float, ptr %24, align 4
  %26 = fpext float %25 to double
  %27 = getelementptr i8, ptr %24, i64 8
  %28 = load float, ptr %27, align 4
  %29 = fpext float %28 to double
  br label %35

30:
  %31 = getelementptr double, ptr %22, i64 %18
  %32 = load double, ptr %31, align 8
  %33 = getelementptr i8, ptr %31, i64 16
  %34 = load double, ptr %33, align 8
  br label %35

35:
  %36 = phi double [ %26, %23 ], [ %32, %30 ]
  %37 = phi double [ %29, %23 ], [ %34, %30 ]
  %38 = fsub double %36, %36
  %39 = fcmp oeq double %38, 0.000000e+00
  %40 = fsub double %37, %37
  %41 = fcmp oeq double %40, 0.000000e+00
  %42 = select i1 %39, i1 %41, i1 false
  br i1 %42, label %43, label %67

43:
  %44 = fmul double %37, 5.000000e-01
  %45 = fsub double %36, %44
  %46 = fadd double %36, %44
  %47 = select i1 %4, double %45, double %36
  %48 = select i1 %4, double %46, double %37
  %49 = fcmp olt double %47, %48
  %50 = select i1 %49, double %47, double %48
  %51 = getelementptr inbounds nuw double, ptr %13, i64 %17
  store double %50, ptr %51, align 8
  %52 = select i1 %49, double %48, double %47
  %53 = getelementptr inbounds nuw double, ptr %14, i64 %17
  store double %52, ptr %53, align 8
  br i1 %16, label %15, label %54

54:
  %55 = load double, ptr %14, align 8
  %56 = load double, ptr %13, align 8
  %57 = fsub double %55, %56
  %58 = getelementptr inbounds nuw i8, ptr %13, i64 24
  %59 = load double, ptr %58, align 8
  %60 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %61 = load double, ptr %60, align 8
  %62 = fsub double %59, %61
  %63 = fmul double %57, %62
  %64 = getelementptr inbounds nuw i8, ptr %13, i64 32
  store double %63, ptr %64, align 8
  %65 = add nuw nsw i64 %10, 1
  %66 = icmp eq i64 %65, %3
  br i1 %66, label %67, label %9

67:
  %68 = phi i1 [ false, %35 ], [ true, %5 ], [ true, %54 ]
  ret i1 %68
}

