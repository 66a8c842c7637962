; LLVM IR of runtime.c, written by scripts/runtime: do not edit. 48167d26dc4ba742
%struct.anon.0 = type { %struct.python }
%struct.python = type { i64, i64, ptr }
%struct.type = type opaque
%struct.action = type { ptr, [128 x i8], i32, ptr }
%struct.function = type { i64, i64, ptr }
%struct.place = type { ptr, ptr }
%struct.item = type { ptr, ptr, ptr }
%struct.intake = type { ptr, ptr, ptr, ptr, i64 }
%struct.member = type { ptr, i64, ptr }
%struct.cell = type { %union.anon, ptr, %union.anon.1, i64, [8 x i64] }
%union.anon = type { i64 }
%union.anon.1 = type { %struct.tensor }
%struct.tensor = type { i64, i64, i64, i64, i64, [8 x i64] }
%struct.span = type { i64, i64, i64 }

@anytile_facts = global %struct.anon.0 zeroinitializer, align 8
@PyTuple_Type = external global %struct.type, align 1
@__const.watch.ours = private constant { ptr, [128 x i8], i32, [4 x i8], ptr } { ptr @on_bus, [128 x i8] zeroinitializer, i32 134217732, [4 x i8] zeroinitializer, ptr null }, align 8
@mapped_files = internal global ptr null, align 8
@bus_before = internal global %struct.action zeroinitializer, align 8

define ptr @anytile_begin(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = tail call i64 @PyLong_AsSsize_t(ptr noundef %4)
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i64 @PyLong_AsSsize_t(ptr noundef %8)
  %10 = tail call ptr @PyEval_SaveThread()
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 152
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds %struct.function, ptr %12, i64 %9
  %14 = load i64, ptr %13, align 8
  %15 = add i64 %14, 4
  %16 = getelementptr inbounds nuw i8, ptr %6, i64 80
  %17 = load i64, ptr %16, align 8
  %18 = icmp sgt i64 %15, %17
  br i1 %18, label %22, label %19

19:
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 72
  %21 = load ptr, ptr %20, align 8
  br label %24

22:
  %23 = tail call fastcc ptr @grow_stack(ptr noundef nonnull %6, i64 noundef %15)
  br label %24

24:
  %25 = phi ptr [ %21, %19 ], [ %23, %22 ]
  %26 = icmp eq ptr %25, null
  br i1 %26, label %72, label %27

27:
  %28 = getelementptr inbounds nuw i8, ptr %25, i64 32
  %29 = load i64, ptr %13, align 8
  %30 = shl i64 %29, 3
  tail call void @llvm.memset.p0.i64(ptr nonnull align 8 %28, i8 0, i64 %30, i1 false)
  %31 = getelementptr inbounds nuw i8, ptr %6, i64 160
  %32 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %33 = load i64, ptr %32, align 8
  %34 = icmp sgt i64 %33, 0
  br i1 %34, label %35, label %52

35:
  %36 = load ptr, ptr %31, align 8
  %37 = getelementptr inbounds nuw i8, ptr %36, i64 40
  br label %38

38:
  %39 = phi i64 [ 0, %35 ], [ %50, %47 ]
  %40 = getelementptr inbounds nuw ptr, ptr %37, i64 %39
  %41 = load ptr, ptr %40, align 8
  %42 = load i64, ptr %41, align 8
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %47, label %44

44:
  %45 = add i64 %42, 1
  store i64 %45, ptr %41, align 8
  %46 = load ptr, ptr %40, align 8
  br label %47

47:
  %48 = phi ptr [ %41, %38 ], [ %46, %44 ]
  %49 = getelementptr inbounds nuw ptr, ptr %28, i64 %39
  store ptr %48, ptr %49, align 8
  %50 = add nuw nsw i64 %39, 1
  %51 = icmp eq i64 %50, %33
  br i1 %51, label %52, label %38

52:
  %53 = load i64, ptr %13, align 8
  %54 = getelementptr inbounds nuw i8, ptr %25, i64 24
  store i64 %53, ptr %54, align 8
  %55 = getelementptr inbounds nuw i8, ptr %6, i64 88
  store i64 4, ptr %55, align 8
  %56 = getelementptr inbounds nuw i8, ptr %13, i64 16
  %57 = load ptr, ptr %56, align 8
  %58 = getelementptr inbounds nuw i8, ptr %6, i64 96
  store ptr %57, ptr %58, align 8
  %59 = load ptr, ptr %31, align 8
  store ptr null, ptr %31, align 8
  %60 = icmp eq ptr %59, null
  br i1 %60, label %68, label %61

61:
  %62 = load i64, ptr %59, align 8
  %63 = icmp eq i64 %62, 0
  br i1 %63, label %68, label %64

64:
  %65 = add i64 %62, -1
  store i64 %65, ptr %59, align 8
  %66 = icmp eq i64 %65, 0
  br i1 %66, label %67, label %68

67:
  store ptr null, ptr %59, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %6, ptr noundef %59)
  br label %68

68:
  %69 = getelementptr inbounds nuw i8, ptr %6, i64 104
  store i64 0, ptr %69, align 8
  %70 = getelementptr inbounds nuw i8, ptr %6, i64 112
  store i64 67108864, ptr %70, align 8
  %71 = getelementptr inbounds nuw i8, ptr %6, i64 144
  store i64 0, ptr %71, align 8
  br label %72

72:
  %73 = phi i64 [ 0, %68 ], [ 1, %24 ]
  tail call void @PyEval_RestoreThread(ptr noundef %10)
  %74 = tail call ptr @PyLong_FromLong(i64 noundef %73)
  ret ptr %74
}

declare i64 @PyLong_AsSsize_t(ptr noundef) nonlazybind

declare ptr @PyEval_SaveThread() nonlazybind

declare void @PyEval_RestoreThread(ptr noundef) nonlazybind

declare ptr @PyLong_FromLong(i64 noundef) nonlazybind

define ptr @anytile_drive(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = alloca %struct.place, align 8
  %5 = load ptr, ptr %1, align 8
  %6 = tail call i64 @PyLong_AsSsize_t(ptr noundef %5)
  %7 = inttoptr i64 %6 to ptr
  %8 = tail call ptr @PyEval_SaveThread()
  %9 = load ptr, ptr %7, align 8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 64
  %11 = atomicrmw xchg ptr %10, i64 0 acquire, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %43, label %13

13:
  %14 = inttoptr i64 %11 to ptr
  %15 = getelementptr inbounds nuw i8, ptr %9, i64 72
  %16 = getelementptr inbounds nuw i8, ptr %9, i64 8
  br label %17

17:
  %18 = phi ptr [ %14, %13 ], [ %19, %17 ]
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %18, i64 8
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr inbounds nuw i8, ptr %18, i64 16
  %23 = load i64, ptr %22, align 8
  %24 = add i64 %23, 63
  %25 = ashr i64 %24, 6
  %26 = tail call noundef i64 @llvm.smax.i64(i64 %25, i64 1)
  %27 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %26, i1 true)
  %28 = sub nsw i64 59, %27
  %29 = tail call noundef i64 @llvm.smax.i64(i64 %28, i64 0)
  %30 = add nsw i64 %26, -1
  %31 = lshr i64 %30, %29
  %32 = add nuw nsw i64 %31, 1
  %33 = shl i64 %32, %29
  %34 = shl i64 %33, 6
  %35 = inttoptr i64 %21 to ptr
  %36 = getelementptr ptr, ptr %15, i64 %32
  %37 = shl nuw nsw i64 %29, 7
  %38 = getelementptr i8, ptr %36, i64 %37
  %39 = load ptr, ptr %38, align 8
  store ptr %39, ptr %35, align 8
  store ptr %35, ptr %38, align 8
  %40 = load i64, ptr %16, align 8
  %41 = sub i64 %40, %34
  store i64 %41, ptr %16, align 8
  tail call void @free(ptr noundef nonnull %18)
  %42 = icmp eq ptr %19, null
  br i1 %42, label %43, label %17

43:
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %44 = getelementptr inbounds nuw i8, ptr %7, i64 96
  %45 = load ptr, ptr %44, align 8
  store ptr %45, ptr %4, align 8
  %46 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %47 = getelementptr inbounds nuw i8, ptr %7, i64 72
  %48 = load ptr, ptr %47, align 8
  %49 = getelementptr inbounds nuw i8, ptr %7, i64 88
  %50 = load i64, ptr %49, align 8
  %51 = getelementptr inbounds ptr, ptr %48, i64 %50
  store ptr %51, ptr %46, align 8
  %52 = getelementptr inbounds nuw i8, ptr %7, i64 128
  %53 = load i64, ptr %52, align 8
  %54 = getelementptr inbounds nuw i8, ptr %7, i64 48
  %55 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %56 = getelementptr inbounds nuw i8, ptr %7, i64 144
  %57 = getelementptr inbounds nuw i8, ptr %7, i64 104
  %58 = getelementptr inbounds nuw i8, ptr %7, i64 112
  %59 = getelementptr inbounds nuw i8, ptr %7, i64 152
  %60 = getelementptr inbounds nuw i8, ptr %7, i64 32
  br label %61

61:
  %62 = phi i64 [ %53, %43 ], [ %63, %820 ]
  %63 = add i64 %62, -1
  %64 = icmp slt i64 %62, 1
  br i1 %64, label %823, label %65

65:
  %66 = load i64, ptr %54, align 8
  br label %67

67:
  %68 = load i64, ptr %55, align 8
  %69 = icmp slt i64 %68, %66
  br i1 %69, label %70, label %72

70:
  %71 = tail call fastcc zeroext i1 @more_cells(ptr noundef nonnull %7)
  br i1 %71, label %67, label %826

72:
  %73 = load ptr, ptr %4, align 8
  %74 = load ptr, ptr %46, align 8
  %75 = getelementptr inbounds nuw i8, ptr %73, i64 64
  %76 = getelementptr inbounds nuw i8, ptr %73, i64 16
  %77 = load i64, ptr %76, align 8
  %78 = load i64, ptr %73, align 8
  switch i64 %78, label %823 [
    i64 0, label %79
    i64 1, label %89
    i64 2, label %124
    i64 3, label %166
    i64 4, label %183
    i64 5, label %270
    i64 6, label %272
    i64 12, label %354
    i64 7, label %680
    i64 8, label %680
    i64 9, label %685
    i64 10, label %711
    i64 11, label %789
  ]

79:
  %80 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %81 = load i64, ptr %80, align 8
  %82 = inttoptr i64 %81 to ptr
  %83 = tail call i32 %82(ptr noundef %74, ptr noundef nonnull %7)
  %84 = icmp ugt i32 %83, 15
  br i1 %84, label %823, label %85

85:
  %86 = zext nneg i32 %83 to i64
  %87 = getelementptr inbounds nuw i64, ptr %75, i64 %86
  %88 = load i64, ptr %87, align 8
  br label %793

89:
  %90 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %91 = load i64, ptr %90, align 8
  %92 = getelementptr inbounds ptr, ptr %74, i64 %91
  %93 = load ptr, ptr %92, align 8
  %94 = getelementptr inbounds nuw i8, ptr %93, i64 32
  %95 = load i64, ptr %94, align 8
  %96 = icmp eq i64 %95, -2
  br i1 %96, label %97, label %823

97:
  %98 = getelementptr inbounds nuw i8, ptr %73, i64 40
  %99 = load i64, ptr %98, align 8
  %100 = getelementptr inbounds nuw i8, ptr %93, i64 24
  %101 = load i64, ptr %100, align 8
  %102 = icmp ult i64 %99, %101
  br i1 %102, label %103, label %823

103:
  %104 = getelementptr inbounds nuw i8, ptr %93, i64 40
  %105 = getelementptr inbounds ptr, ptr %104, i64 %99
  %106 = load ptr, ptr %105, align 8
  %107 = load i64, ptr %106, align 8
  %108 = icmp eq i64 %107, 0
  br i1 %108, label %111, label %109

109:
  %110 = add i64 %107, 1
  store i64 %110, ptr %106, align 8
  br label %111

111:
  %112 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %113 = load i64, ptr %112, align 8
  %114 = getelementptr inbounds ptr, ptr %74, i64 %113
  %115 = load ptr, ptr %114, align 8
  store ptr %106, ptr %114, align 8
  %116 = icmp eq ptr %115, null
  br i1 %116, label %793, label %117

117:
  %118 = load i64, ptr %115, align 8
  %119 = icmp eq i64 %118, 0
  br i1 %119, label %793, label %120

120:
  %121 = add i64 %118, -1
  store i64 %121, ptr %115, align 8
  %122 = icmp eq i64 %121, 0
  br i1 %122, label %123, label %793

123:
  store ptr null, ptr %115, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %7, ptr noundef %115)
  br label %793

124:
  %125 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %126 = load i64, ptr %125, align 8
  %127 = getelementptr inbounds ptr, ptr %74, i64 %126
  %128 = load ptr, ptr %127, align 8
  %129 = getelementptr inbounds nuw i8, ptr %128, i64 32
  %130 = load i64, ptr %129, align 8
  %131 = icmp eq i64 %130, -2
  br i1 %131, label %132, label %823

132:
  %133 = load ptr, ptr %60, align 8
  %134 = load ptr, ptr %133, align 8
  store ptr %134, ptr %60, align 8
  %135 = add i64 %68, -1
  store i64 %135, ptr %55, align 8
  store i64 1, ptr %133, align 8
  %136 = getelementptr inbounds nuw i8, ptr %133, i64 8
  store ptr null, ptr %136, align 8
  %137 = getelementptr inbounds nuw i8, ptr %133, i64 16
  %138 = getelementptr inbounds nuw i8, ptr %133, i64 128
  %139 = ptrtoint ptr %138 to i64
  store i64 %139, ptr %137, align 8
  %140 = getelementptr inbounds nuw i8, ptr %133, i64 24
  store i64 1, ptr %140, align 8
  %141 = getelementptr inbounds nuw i8, ptr %133, i64 32
  store i64 2, ptr %141, align 8
  %142 = getelementptr inbounds nuw i8, ptr %133, i64 40
  store i64 0, ptr %142, align 8
  %143 = getelementptr inbounds nuw i8, ptr %133, i64 48
  store i64 1, ptr %143, align 8
  %144 = getelementptr inbounds nuw i8, ptr %133, i64 56
  store i64 1, ptr %144, align 8
  %145 = getelementptr inbounds nuw i8, ptr %133, i64 64
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %145, i8 0, i64 56, i1 false)
  br label %146

146:
  %147 = phi i64 [ 1, %132 ], [ %149, %146 ]
  %148 = getelementptr inbounds nuw i64, ptr %144, i64 %147
  store i64 1, ptr %148, align 8
  %149 = add nuw nsw i64 %147, 1
  %150 = icmp eq i64 %149, 8
  br i1 %150, label %151, label %146

151:
  %152 = getelementptr inbounds nuw i8, ptr %128, i64 16
  %153 = load i64, ptr %152, align 8
  store i64 %153, ptr %138, align 8
  %154 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %155 = load i64, ptr %154, align 8
  %156 = getelementptr inbounds ptr, ptr %74, i64 %155
  %157 = load ptr, ptr %156, align 8
  store ptr %133, ptr %156, align 8
  %158 = icmp eq ptr %157, null
  br i1 %158, label %793, label %159

159:
  %160 = load i64, ptr %157, align 8
  %161 = icmp eq i64 %160, 0
  br i1 %161, label %793, label %162

162:
  %163 = add i64 %160, -1
  store i64 %163, ptr %157, align 8
  %164 = icmp eq i64 %163, 0
  br i1 %164, label %165, label %793

165:
  store ptr null, ptr %157, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %7, ptr noundef %157)
  br label %793

166:
  %167 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %168 = load i64, ptr %167, align 8
  %169 = getelementptr inbounds ptr, ptr %74, i64 %168
  %170 = load ptr, ptr %169, align 8
  %171 = getelementptr inbounds nuw i8, ptr %170, i64 16
  %172 = getelementptr inbounds nuw i8, ptr %170, i64 32
  %173 = load i64, ptr %172, align 8
  %174 = freeze i64 %173
  %175 = icmp eq i64 %174, -2
  %176 = load i64, ptr %171, align 8
  %177 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %178 = load i64, ptr %177, align 8
  %179 = icmp ne i64 %176, %178
  %180 = zext i1 %179 to i64
  %181 = getelementptr inbounds nuw i64, ptr %75, i64 %180
  %182 = load i64, ptr %181, align 8
  br i1 %175, label %793, label %823

183:
  %184 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %185 = load i64, ptr %184, align 8
  %186 = getelementptr inbounds ptr, ptr %74, i64 %185
  %187 = load ptr, ptr %186, align 8
  %188 = getelementptr inbounds nuw i8, ptr %187, i64 16
  %189 = load i64, ptr %188, align 8
  %190 = inttoptr i64 %189 to ptr
  %191 = getelementptr inbounds nuw i8, ptr %187, i64 32
  %192 = load i64, ptr %191, align 8
  %193 = icmp slt i64 %192, 0
  br i1 %193, label %823, label %194

194:
  %195 = getelementptr inbounds nuw i8, ptr %187, i64 24
  %196 = load i64, ptr %195, align 8
  %197 = icmp eq i64 %196, 1
  br i1 %197, label %198, label %823

198:
  switch i64 %192, label %823 [
    i64 2, label %199
    i64 1, label %201
    i64 3, label %204
    i64 4, label %208
    i64 0, label %211
  ]

199:
  %200 = load i64, ptr %190, align 1
  br label %220

201:
  %202 = load i32, ptr %190, align 1
  %203 = sext i32 %202 to i64
  br label %220

204:
  %205 = load i8, ptr %190, align 1
  %206 = icmp ne i8 %205, 0
  %207 = zext i1 %206 to i64
  br label %220

208:
  %209 = load i8, ptr %190, align 1
  %210 = zext i8 %209 to i64
  br label %220

211:
  %212 = load float, ptr %190, align 1
  %213 = fcmp oge float %212, 0xC3E0000000000000
  %214 = fcmp olt float %212, 0x43E0000000000000
  %215 = and i1 %213, %214
  br i1 %215, label %216, label %823

216:
  %217 = fptosi float %212 to i64
  %218 = sitofp i64 %217 to float
  %219 = fcmp oeq float %212, %218
  br i1 %219, label %220, label %823

220:
  %221 = phi i64 [ %217, %216 ], [ %210, %208 ], [ %207, %204 ], [ %203, %201 ], [ %200, %199 ]
  %222 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %223 = load i64, ptr %222, align 8
  %224 = getelementptr inbounds ptr, ptr %74, i64 %223
  %225 = load ptr, ptr %224, align 8
  %226 = getelementptr inbounds nuw i8, ptr %225, i64 16
  %227 = load i64, ptr %226, align 8
  %228 = inttoptr i64 %227 to ptr
  %229 = getelementptr inbounds nuw i8, ptr %225, i64 32
  %230 = load i64, ptr %229, align 8
  %231 = icmp slt i64 %230, 0
  br i1 %231, label %823, label %232

232:
  %233 = getelementptr inbounds nuw i8, ptr %225, i64 24
  %234 = load i64, ptr %233, align 8
  %235 = icmp eq i64 %234, 1
  br i1 %235, label %236, label %823

236:
  switch i64 %230, label %823 [
    i64 2, label %237
    i64 1, label %239
    i64 3, label %242
    i64 4, label %246
    i64 0, label %249
  ]

237:
  %238 = load i64, ptr %228, align 1
  br label %254

239:
  %240 = load i32, ptr %228, align 1
  %241 = sext i32 %240 to i64
  br label %254

242:
  %243 = load i8, ptr %228, align 1
  %244 = icmp ne i8 %243, 0
  %245 = zext i1 %244 to i64
  br label %254

246:
  %247 = load i8, ptr %228, align 1
  %248 = zext i8 %247 to i64
  br label %254

249:
  %250 = load float, ptr %228, align 1
  %251 = fcmp oge float %250, 0xC3E0000000000000
  %252 = fcmp olt float %250, 0x43E0000000000000
  %253 = and i1 %251, %252
  br i1 %253, label %260, label %823

254:
  %255 = phi i64 [ %238, %237 ], [ %248, %246 ], [ %245, %242 ], [ %241, %239 ]
  %256 = icmp ne i64 %221, %255
  %257 = zext i1 %256 to i64
  %258 = getelementptr inbounds nuw i64, ptr %75, i64 %257
  %259 = load i64, ptr %258, align 8
  br label %793

260:
  %261 = fptosi float %250 to i64
  %262 = sitofp i64 %261 to float
  %263 = fcmp oeq float %250, %262
  %264 = freeze i1 %263
  %265 = icmp ne i64 %221, %261
  %266 = select i1 %264, i1 %265, i1 false
  %267 = zext i1 %266 to i64
  %268 = getelementptr inbounds nuw i64, ptr %75, i64 %267
  %269 = load i64, ptr %268, align 8
  br i1 %264, label %793, label %823

270:
  %271 = load i64, ptr %75, align 8
  br label %793

272:
  %273 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %274 = load i64, ptr %273, align 8
  %275 = getelementptr inbounds nuw i8, ptr %73, i64 48
  %276 = load i64, ptr %275, align 8
  %277 = getelementptr inbounds nuw i8, ptr %73, i64 40
  %278 = load i64, ptr %277, align 8
  %279 = icmp slt i64 %276, 20
  br i1 %279, label %280, label %284

280:
  %281 = load ptr, ptr %60, align 8
  %282 = load ptr, ptr %281, align 8
  store ptr %282, ptr %60, align 8
  %283 = add i64 %68, -1
  store i64 %283, ptr %55, align 8
  br label %315

284:
  %285 = shl i64 %276, 3
  %286 = add i64 %285, 40
  %287 = load ptr, ptr %7, align 8
  %288 = load i64, ptr %287, align 8
  %289 = getelementptr inbounds nuw i8, ptr %287, i64 48
  %290 = load i64, ptr %289, align 8
  %291 = sub i64 %288, %290
  %292 = getelementptr inbounds nuw i8, ptr %287, i64 24
  %293 = load i64, ptr %292, align 8
  %294 = add i64 %293, %286
  %295 = icmp sgt i64 %294, %291
  br i1 %295, label %296, label %297

296:
  tail call fastcc void @trim(ptr noundef nonnull %287)
  br label %297

297:
  %298 = getelementptr inbounds nuw i8, ptr %287, i64 8
  %299 = load i64, ptr %298, align 8
  %300 = add i64 %299, %286
  %301 = icmp sgt i64 %300, %291
  br i1 %301, label %302, label %304

302:
  %303 = getelementptr inbounds nuw i8, ptr %287, i64 56
  store i64 %286, ptr %303, align 8
  br label %826

304:
  %305 = load i64, ptr %289, align 8
  %306 = add i64 %305, %286
  store i64 %306, ptr %289, align 8
  %307 = getelementptr inbounds nuw i8, ptr %287, i64 56
  store i64 0, ptr %307, align 8
  %308 = tail call ptr @malloc(i64 noundef %286)
  %309 = icmp eq ptr %308, null
  br i1 %309, label %310, label %315

310:
  %311 = load ptr, ptr %7, align 8
  %312 = getelementptr inbounds nuw i8, ptr %311, i64 48
  %313 = load i64, ptr %312, align 8
  %314 = sub i64 %313, %286
  store i64 %314, ptr %312, align 8
  br label %826

315:
  %316 = phi ptr [ %281, %280 ], [ %308, %304 ]
  store i64 1, ptr %316, align 8
  %317 = getelementptr inbounds nuw i8, ptr %316, i64 16
  store i64 %274, ptr %317, align 8
  %318 = getelementptr inbounds nuw i8, ptr %316, i64 24
  store i64 %276, ptr %318, align 8
  %319 = getelementptr inbounds nuw i8, ptr %316, i64 32
  store i64 %278, ptr %319, align 8
  %320 = getelementptr inbounds nuw i8, ptr %316, i64 40
  %321 = load i64, ptr %275, align 8
  %322 = icmp sgt i64 %321, 0
  br i1 %322, label %323, label %341

323:
  %324 = phi i64 [ %339, %336 ], [ 0, %315 ]
  %325 = getelementptr inbounds nuw i64, ptr %75, i64 %324
  %326 = load i64, ptr %325, align 8
  %327 = getelementptr inbounds ptr, ptr %74, i64 %326
  %328 = load ptr, ptr %327, align 8
  %329 = load i64, ptr %328, align 8
  %330 = icmp eq i64 %329, 0
  br i1 %330, label %336, label %331

331:
  %332 = add i64 %329, 1
  store i64 %332, ptr %328, align 8
  %333 = load i64, ptr %325, align 8
  %334 = getelementptr inbounds ptr, ptr %74, i64 %333
  %335 = load ptr, ptr %334, align 8
  br label %336

336:
  %337 = phi ptr [ %328, %323 ], [ %335, %331 ]
  %338 = getelementptr inbounds nuw ptr, ptr %320, i64 %324
  store ptr %337, ptr %338, align 8
  %339 = add nuw nsw i64 %324, 1
  %340 = icmp eq i64 %339, %321
  br i1 %340, label %341, label %323

341:
  %342 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %343 = load i64, ptr %342, align 8
  %344 = getelementptr inbounds ptr, ptr %74, i64 %343
  %345 = load ptr, ptr %344, align 8
  store ptr %316, ptr %344, align 8
  %346 = icmp eq ptr %345, null
  br i1 %346, label %793, label %347

347:
  %348 = load i64, ptr %345, align 8
  %349 = icmp eq i64 %348, 0
  br i1 %349, label %793, label %350

350:
  %351 = add i64 %348, -1
  store i64 %351, ptr %345, align 8
  %352 = icmp eq i64 %351, 0
  br i1 %352, label %353, label %793

353:
  store ptr null, ptr %345, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %7, ptr noundef %345)
  br label %793

354:
  %355 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %356 = load i64, ptr %355, align 8
  %357 = getelementptr inbounds ptr, ptr %74, i64 %356
  %358 = load ptr, ptr %357, align 8
  %359 = getelementptr inbounds nuw i8, ptr %73, i64 40
  %360 = load i64, ptr %359, align 8
  %361 = getelementptr inbounds ptr, ptr %74, i64 %360
  %362 = load ptr, ptr %361, align 8
  %363 = getelementptr inbounds nuw i8, ptr %358, i64 32
  %364 = load i64, ptr %363, align 8
  %365 = getelementptr inbounds nuw i8, ptr %73, i64 72
  %366 = load i64, ptr %365, align 8
  %367 = icmp eq i64 %364, %366
  br i1 %367, label %368, label %823

368:
  %369 = getelementptr inbounds nuw i8, ptr %362, i64 32
  %370 = load i64, ptr %369, align 8
  %371 = icmp eq i64 %370, %364
  br i1 %371, label %372, label %823

372:
  %373 = getelementptr inbounds nuw i8, ptr %358, i64 40
  %374 = load i64, ptr %373, align 8
  %375 = getelementptr inbounds nuw i8, ptr %362, i64 40
  %376 = load i64, ptr %375, align 8
  %377 = icmp eq i64 %374, %376
  br i1 %377, label %378, label %823

378:
  %379 = load i64, ptr %75, align 8
  %380 = icmp slt i64 %379, %374
  br i1 %380, label %381, label %823

381:
  %382 = icmp sgt i64 %374, 0
  br i1 %382, label %383, label %408

383:
  %384 = getelementptr inbounds nuw i8, ptr %358, i64 56
  %385 = getelementptr inbounds nuw i8, ptr %362, i64 56
  br label %386

386:
  %387 = phi i64 [ 0, %383 ], [ %406, %405 ]
  %388 = icmp slt i64 %387, %379
  br i1 %388, label %389, label %397

389:
  %390 = getelementptr inbounds nuw i64, ptr %384, i64 %387
  %391 = load i64, ptr %390, align 8
  %392 = icmp eq i64 %391, 1
  br i1 %392, label %393, label %826

393:
  %394 = getelementptr inbounds nuw i64, ptr %385, i64 %387
  %395 = load i64, ptr %394, align 8
  %396 = icmp eq i64 %395, 1
  br i1 %396, label %405, label %826

397:
  %398 = icmp sgt i64 %387, %379
  br i1 %398, label %399, label %405

399:
  %400 = getelementptr inbounds nuw i64, ptr %384, i64 %387
  %401 = load i64, ptr %400, align 8
  %402 = getelementptr inbounds nuw i64, ptr %385, i64 %387
  %403 = load i64, ptr %402, align 8
  %404 = icmp eq i64 %401, %403
  br i1 %404, label %405, label %826

405:
  %406 = add nuw nsw i64 %387, 1
  %407 = icmp eq i64 %406, %374
  br i1 %407, label %408, label %386

408:
  %409 = getelementptr inbounds nuw i8, ptr %358, i64 48
  %410 = load i64, ptr %409, align 8
  %411 = getelementptr inbounds nuw i8, ptr %362, i64 48
  %412 = load i64, ptr %411, align 8
  %413 = or i64 %412, %410
  %414 = and i64 %413, 2
  %415 = icmp eq i64 %414, 0
  br i1 %415, label %416, label %823

416:
  %417 = getelementptr inbounds nuw i8, ptr %358, i64 56
  %418 = getelementptr inbounds i64, ptr %417, i64 %379
  %419 = load i64, ptr %418, align 8
  %420 = getelementptr inbounds nuw i8, ptr %362, i64 56
  %421 = getelementptr inbounds i64, ptr %420, i64 %379
  %422 = load i64, ptr %421, align 8
  %423 = add i64 %422, %419
  %424 = icmp slt i64 %423, 2147483648
  br i1 %424, label %425, label %823

425:
  %426 = getelementptr inbounds nuw i8, ptr %358, i64 24
  %427 = load i64, ptr %426, align 8
  %428 = getelementptr inbounds nuw i8, ptr %362, i64 24
  %429 = load i64, ptr %428, align 8
  %430 = add i64 %429, %427
  %431 = getelementptr inbounds nuw i8, ptr %73, i64 80
  %432 = load i64, ptr %431, align 8
  %433 = mul i64 %430, %432
  %434 = icmp slt i64 %433, 281474976710657
  br i1 %434, label %435, label %823

435:
  %436 = getelementptr inbounds nuw i8, ptr %358, i64 16
  %437 = mul i64 %432, %427
  %438 = getelementptr inbounds nuw i8, ptr %362, i64 16
  %439 = mul i64 %432, %429
  %440 = getelementptr inbounds nuw i8, ptr %358, i64 8
  %441 = load ptr, ptr %440, align 8
  %442 = icmp eq ptr %441, null
  br i1 %442, label %468, label %443

443:
  %444 = getelementptr inbounds nuw i8, ptr %441, i64 16
  %445 = getelementptr inbounds nuw i8, ptr %441, i64 32
  %446 = load i64, ptr %445, align 8
  %447 = icmp eq i64 %446, -1
  %448 = icmp ne i64 %437, 0
  %449 = and i1 %448, %447
  br i1 %449, label %450, label %468

450:
  %451 = getelementptr inbounds nuw i8, ptr %441, i64 120
  %452 = load i64, ptr %451, align 8
  %453 = icmp eq i64 %452, %437
  br i1 %453, label %454, label %468

454:
  %455 = load i64, ptr %444, align 8
  %456 = load i64, ptr %436, align 8
  %457 = icmp eq i64 %455, %456
  br i1 %457, label %458, label %468

458:
  %459 = add i64 %439, %437
  %460 = getelementptr inbounds nuw i8, ptr %441, i64 24
  %461 = load i64, ptr %460, align 8
  %462 = icmp sgt i64 %459, %461
  br i1 %462, label %468, label %463

463:
  %464 = load i64, ptr %441, align 8
  %465 = icmp eq i64 %464, 0
  br i1 %465, label %639, label %466

466:
  %467 = add i64 %464, 1
  store i64 %467, ptr %441, align 8
  br label %639

468:
  %469 = add i64 %439, %437
  %470 = sdiv i64 %469, 2
  %471 = add i64 %470, %469
  %472 = load ptr, ptr %7, align 8
  %473 = icmp ugt i64 %471, 281474976710656
  br i1 %473, label %527, label %474

474:
  %475 = add nuw nsw i64 %471, 63
  %476 = lshr i64 %475, 6
  %477 = tail call i64 @llvm.umax.i64(i64 %476, i64 1)
  %478 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %477, i1 true)
  %479 = sub nsw i64 59, %478
  %480 = tail call noundef i64 @llvm.smax.i64(i64 %479, i64 0)
  %481 = add nsw i64 %477, -1
  %482 = lshr i64 %481, %480
  %483 = add nuw nsw i64 %482, 1
  %484 = shl i64 %483, %480
  %485 = shl i64 %484, 6
  %486 = getelementptr inbounds nuw i8, ptr %472, i64 72
  %487 = getelementptr ptr, ptr %486, i64 %483
  %488 = shl nuw nsw i64 %480, 7
  %489 = getelementptr i8, ptr %487, i64 %488
  %490 = load ptr, ptr %489, align 8
  %491 = icmp eq ptr %490, null
  br i1 %491, label %495, label %492

492:
  %493 = load ptr, ptr %490, align 8
  store ptr %493, ptr %489, align 8
  store ptr null, ptr %490, align 8
  %494 = ptrtoint ptr %490 to i64
  br label %613

495:
  %496 = load i64, ptr %472, align 8
  %497 = getelementptr inbounds nuw i8, ptr %472, i64 48
  %498 = load i64, ptr %497, align 8
  %499 = sub i64 %496, %498
  %500 = getelementptr inbounds nuw i8, ptr %472, i64 24
  %501 = load i64, ptr %500, align 8
  %502 = add i64 %501, %485
  %503 = icmp sgt i64 %502, %499
  br i1 %503, label %504, label %505

504:
  tail call fastcc void @trim(ptr noundef nonnull %472)
  br label %505

505:
  %506 = getelementptr inbounds nuw i8, ptr %472, i64 8
  %507 = load i64, ptr %506, align 8
  %508 = add i64 %507, %485
  %509 = icmp sgt i64 %508, %499
  br i1 %509, label %527, label %510

510:
  %511 = add i64 %485, 64
  %512 = tail call ptr @calloc(i64 noundef 1, i64 noundef %511)
  %513 = icmp eq ptr %512, null
  br i1 %513, label %527, label %514

514:
  %515 = ptrtoint ptr %512 to i64
  %516 = and i64 %515, -64
  %517 = add i64 %516, 64
  %518 = inttoptr i64 %517 to ptr
  %519 = getelementptr inbounds i8, ptr %518, i64 -8
  store ptr %512, ptr %519, align 8
  %520 = icmp eq i64 %517, 0
  br i1 %520, label %527, label %521

521:
  %522 = load i64, ptr %500, align 8
  %523 = add i64 %522, %485
  store i64 %523, ptr %500, align 8
  %524 = getelementptr inbounds nuw i8, ptr %472, i64 40
  %525 = load i64, ptr %524, align 8
  %526 = add i64 %525, 1
  store i64 %526, ptr %524, align 8
  br label %613

527:
  %528 = load ptr, ptr %7, align 8
  %529 = icmp ugt i64 %469, 281474976710656
  %530 = add i64 %469, 63
  br i1 %529, label %583, label %531

531:
  %532 = lshr i64 %530, 6
  %533 = tail call i64 @llvm.umax.i64(i64 %532, i64 1)
  %534 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %533, i1 true)
  %535 = sub nsw i64 59, %534
  %536 = tail call noundef i64 @llvm.smax.i64(i64 %535, i64 0)
  %537 = add nsw i64 %533, -1
  %538 = lshr i64 %537, %536
  %539 = add nuw nsw i64 %538, 1
  %540 = shl i64 %539, %536
  %541 = shl i64 %540, 6
  %542 = getelementptr inbounds nuw i8, ptr %528, i64 72
  %543 = getelementptr ptr, ptr %542, i64 %539
  %544 = shl nuw nsw i64 %536, 7
  %545 = getelementptr i8, ptr %543, i64 %544
  %546 = load ptr, ptr %545, align 8
  %547 = icmp eq ptr %546, null
  br i1 %547, label %551, label %548

548:
  %549 = load ptr, ptr %546, align 8
  store ptr %549, ptr %545, align 8
  store ptr null, ptr %546, align 8
  %550 = ptrtoint ptr %546 to i64
  br label %613

551:
  %552 = load i64, ptr %528, align 8
  %553 = getelementptr inbounds nuw i8, ptr %528, i64 48
  %554 = load i64, ptr %553, align 8
  %555 = sub i64 %552, %554
  %556 = getelementptr inbounds nuw i8, ptr %528, i64 24
  %557 = load i64, ptr %556, align 8
  %558 = add i64 %557, %541
  %559 = icmp sgt i64 %558, %555
  br i1 %559, label %560, label %561

560:
  tail call fastcc void @trim(ptr noundef nonnull %528)
  br label %561

561:
  %562 = getelementptr inbounds nuw i8, ptr %528, i64 8
  %563 = load i64, ptr %562, align 8
  %564 = add i64 %563, %541
  %565 = icmp sgt i64 %564, %555
  br i1 %565, label %583, label %566

566:
  %567 = add i64 %541, 64
  %568 = tail call ptr @calloc(i64 noundef 1, i64 noundef %567)
  %569 = icmp eq ptr %568, null
  br i1 %569, label %583, label %570

570:
  %571 = ptrtoint ptr %568 to i64
  %572 = and i64 %571, -64
  %573 = add i64 %572, 64
  %574 = inttoptr i64 %573 to ptr
  %575 = getelementptr inbounds i8, ptr %574, i64 -8
  store ptr %568, ptr %575, align 8
  %576 = icmp eq i64 %573, 0
  br i1 %576, label %583, label %577

577:
  %578 = load i64, ptr %556, align 8
  %579 = add i64 %578, %541
  store i64 %579, ptr %556, align 8
  %580 = getelementptr inbounds nuw i8, ptr %528, i64 40
  %581 = load i64, ptr %580, align 8
  %582 = add i64 %581, 1
  store i64 %582, ptr %580, align 8
  br label %613

583:
  %584 = ashr i64 %530, 6
  %585 = tail call noundef i64 @llvm.smax.i64(i64 %584, i64 1)
  %586 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %585, i1 true)
  %587 = sub nsw i64 59, %586
  %588 = tail call noundef i64 @llvm.smax.i64(i64 %587, i64 0)
  %589 = add nsw i64 %585, -1
  %590 = lshr i64 %589, %588
  %591 = add nuw nsw i64 %590, 1
  %592 = shl i64 %591, %588
  %593 = shl i64 %592, 6
  %594 = load ptr, ptr %7, align 8
  %595 = load i64, ptr %594, align 8
  %596 = getelementptr inbounds nuw i8, ptr %594, i64 48
  %597 = load i64, ptr %596, align 8
  %598 = sub i64 %595, %597
  %599 = getelementptr inbounds nuw i8, ptr %594, i64 24
  %600 = load i64, ptr %599, align 8
  %601 = add i64 %600, %593
  %602 = icmp sgt i64 %601, %598
  br i1 %602, label %603, label %605

603:
  tail call fastcc void @trim(ptr noundef nonnull %594)
  %604 = load ptr, ptr %7, align 8
  br label %605

605:
  %606 = phi ptr [ %594, %583 ], [ %604, %603 ]
  %607 = getelementptr inbounds nuw i8, ptr %594, i64 8
  %608 = load i64, ptr %607, align 8
  %609 = add i64 %608, %593
  %610 = icmp sgt i64 %609, %598
  %611 = select i1 %610, i64 %593, i64 0
  %612 = getelementptr inbounds nuw i8, ptr %606, i64 56
  store i64 %611, ptr %612, align 8
  br label %826

613:
  %614 = phi ptr [ %472, %521 ], [ %472, %492 ], [ %528, %577 ], [ %528, %548 ]
  %615 = phi i64 [ %485, %521 ], [ %485, %492 ], [ %541, %577 ], [ %541, %548 ]
  %616 = phi i64 [ %517, %521 ], [ %494, %492 ], [ %573, %577 ], [ %550, %548 ]
  %617 = phi i64 [ %471, %521 ], [ %471, %492 ], [ %469, %577 ], [ %469, %548 ]
  %618 = getelementptr inbounds nuw i8, ptr %614, i64 8
  %619 = load i64, ptr %618, align 8
  %620 = add i64 %619, %615
  store i64 %620, ptr %618, align 8
  %621 = getelementptr inbounds nuw i8, ptr %614, i64 16
  %622 = load i64, ptr %621, align 8
  %623 = tail call noundef i64 @llvm.smax.i64(i64 %622, i64 %620)
  store i64 %623, ptr %621, align 8
  %624 = getelementptr inbounds nuw i8, ptr %614, i64 32
  %625 = load i64, ptr %624, align 8
  %626 = add i64 %625, 1
  store i64 %626, ptr %624, align 8
  %627 = load ptr, ptr %60, align 8
  %628 = load ptr, ptr %627, align 8
  store ptr %628, ptr %60, align 8
  %629 = load i64, ptr %55, align 8
  %630 = add i64 %629, -1
  store i64 %630, ptr %55, align 8
  store i64 1, ptr %627, align 8
  %631 = getelementptr inbounds nuw i8, ptr %627, i64 16
  store i64 %616, ptr %631, align 8
  %632 = getelementptr inbounds nuw i8, ptr %627, i64 24
  store i64 %617, ptr %632, align 8
  %633 = getelementptr inbounds nuw i8, ptr %627, i64 32
  store i64 -1, ptr %633, align 8
  %634 = getelementptr inbounds nuw i8, ptr %627, i64 48
  store i64 0, ptr %634, align 8
  %635 = inttoptr i64 %616 to ptr
  %636 = load i64, ptr %436, align 8
  %637 = inttoptr i64 %636 to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %635, ptr align 1 %637, i64 %437, i1 false)
  %638 = load i64, ptr %631, align 8
  br label %639

639:
  %640 = phi i64 [ %459, %466 ], [ %459, %463 ], [ %469, %613 ]
  %641 = phi i64 [ %455, %466 ], [ %455, %463 ], [ %638, %613 ]
  %642 = phi ptr [ %441, %466 ], [ %441, %463 ], [ %627, %613 ]
  %643 = getelementptr inbounds nuw i8, ptr %642, i64 16
  %644 = add i64 %641, %437
  %645 = inttoptr i64 %644 to ptr
  %646 = load i64, ptr %438, align 8
  %647 = inttoptr i64 %646 to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %645, ptr align 1 %647, i64 %439, i1 false)
  %648 = getelementptr inbounds nuw i8, ptr %642, i64 120
  store i64 %640, ptr %648, align 8
  %649 = load ptr, ptr %60, align 8
  %650 = load ptr, ptr %649, align 8
  store ptr %650, ptr %60, align 8
  %651 = load i64, ptr %55, align 8
  %652 = add i64 %651, -1
  store i64 %652, ptr %55, align 8
  store i64 1, ptr %649, align 8
  %653 = getelementptr inbounds nuw i8, ptr %649, i64 8
  store ptr %642, ptr %653, align 8
  %654 = getelementptr inbounds nuw i8, ptr %649, i64 16
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %654, ptr noundef nonnull readonly align 8 dereferenceable(104) %436, i64 104, i1 false)
  %655 = load i64, ptr %643, align 8
  store i64 %655, ptr %654, align 8
  %656 = load i64, ptr %426, align 8
  %657 = load i64, ptr %428, align 8
  %658 = add i64 %657, %656
  %659 = getelementptr inbounds nuw i8, ptr %649, i64 24
  store i64 %658, ptr %659, align 8
  %660 = getelementptr inbounds nuw i8, ptr %649, i64 48
  store i64 0, ptr %660, align 8
  %661 = load i64, ptr %75, align 8
  %662 = getelementptr inbounds i64, ptr %420, i64 %661
  %663 = load i64, ptr %662, align 8
  %664 = getelementptr inbounds nuw i8, ptr %649, i64 56
  %665 = getelementptr inbounds i64, ptr %664, i64 %661
  %666 = load i64, ptr %665, align 8
  %667 = add i64 %666, %663
  store i64 %667, ptr %665, align 8
  %668 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %669 = load i64, ptr %668, align 8
  %670 = getelementptr inbounds ptr, ptr %74, i64 %669
  %671 = load ptr, ptr %670, align 8
  store ptr %649, ptr %670, align 8
  %672 = icmp eq ptr %671, null
  br i1 %672, label %793, label %673

673:
  %674 = load i64, ptr %671, align 8
  %675 = icmp eq i64 %674, 0
  br i1 %675, label %793, label %676

676:
  %677 = add i64 %674, -1
  store i64 %677, ptr %671, align 8
  %678 = icmp eq i64 %677, 0
  br i1 %678, label %679, label %793

679:
  store ptr null, ptr %671, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %7, ptr noundef %671)
  br label %793

680:
  %681 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %682 = load i64, ptr %681, align 8
  %683 = icmp eq i64 %78, 8
  %684 = call fastcc i32 @call(ptr noundef nonnull %7, ptr noundef %4, i64 noundef %682, ptr noundef null, i1 noundef zeroext %683)
  br label %820

685:
  %686 = getelementptr inbounds nuw i8, ptr %73, i64 32
  %687 = load i64, ptr %686, align 8
  %688 = getelementptr inbounds ptr, ptr %74, i64 %687
  %689 = load ptr, ptr %688, align 8
  %690 = getelementptr inbounds nuw i8, ptr %689, i64 32
  %691 = load i64, ptr %690, align 8
  %692 = icmp eq i64 %691, -3
  br i1 %692, label %693, label %823

693:
  %694 = getelementptr inbounds nuw i8, ptr %689, i64 16
  %695 = load ptr, ptr %59, align 8
  %696 = load i64, ptr %694, align 8
  %697 = getelementptr inbounds %struct.function, ptr %695, i64 %696
  %698 = getelementptr inbounds nuw i8, ptr %697, i64 8
  %699 = load i64, ptr %698, align 8
  %700 = getelementptr inbounds nuw i8, ptr %689, i64 24
  %701 = load i64, ptr %700, align 8
  %702 = getelementptr inbounds nuw i8, ptr %73, i64 48
  %703 = load i64, ptr %702, align 8
  %704 = add i64 %703, %701
  %705 = icmp eq i64 %699, %704
  br i1 %705, label %706, label %823

706:
  %707 = getelementptr inbounds nuw i8, ptr %73, i64 40
  %708 = load i64, ptr %707, align 8
  %709 = icmp ne i64 %708, 0
  %710 = call fastcc i32 @call(ptr noundef nonnull %7, ptr noundef %4, i64 noundef %696, ptr noundef nonnull %689, i1 noundef zeroext %709)
  br label %820

711:
  %712 = getelementptr inbounds nuw i8, ptr %73, i64 24
  %713 = load i64, ptr %712, align 8
  %714 = getelementptr inbounds ptr, ptr %74, i64 %713
  %715 = load ptr, ptr %714, align 8
  store ptr null, ptr %714, align 8
  %716 = getelementptr inbounds i8, ptr %74, i64 -8
  %717 = load i64, ptr %716, align 8
  %718 = icmp sgt i64 %717, 0
  br i1 %718, label %719, label %734

719:
  %720 = phi i64 [ %732, %731 ], [ 0, %711 ]
  %721 = getelementptr inbounds nuw ptr, ptr %74, i64 %720
  %722 = load ptr, ptr %721, align 8
  %723 = icmp eq ptr %722, null
  br i1 %723, label %731, label %724

724:
  store ptr null, ptr %721, align 8
  %725 = load i64, ptr %722, align 8
  %726 = icmp eq i64 %725, 0
  br i1 %726, label %731, label %727

727:
  %728 = add i64 %725, -1
  store i64 %728, ptr %722, align 8
  %729 = icmp eq i64 %728, 0
  br i1 %729, label %730, label %731

730:
  store ptr null, ptr %722, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %7, ptr noundef %722)
  br label %731

731:
  %732 = add nuw nsw i64 %720, 1
  %733 = icmp eq i64 %732, %717
  br i1 %733, label %734, label %719

734:
  %735 = load i64, ptr %57, align 8
  %736 = icmp eq i64 %735, 0
  br i1 %736, label %737, label %765

737:
  %738 = getelementptr inbounds nuw i8, ptr %715, i64 8
  %739 = load ptr, ptr %738, align 8
  %740 = getelementptr inbounds nuw i8, ptr %7, i64 136
  store ptr %715, ptr %740, align 8
  store ptr null, ptr %44, align 8
  %741 = getelementptr inbounds nuw i8, ptr %715, i64 16
  %742 = getelementptr inbounds nuw i8, ptr %715, i64 32
  %743 = load i64, ptr %742, align 8
  %744 = icmp slt i64 %743, 0
  br i1 %744, label %829, label %745

745:
  %746 = load i64, ptr %715, align 8
  %747 = icmp eq i64 %746, 1
  %748 = icmp ne ptr %739, null
  %749 = select i1 %747, i1 %748, i1 false
  br i1 %749, label %750, label %829

750:
  %751 = getelementptr inbounds nuw i8, ptr %739, i64 16
  %752 = getelementptr inbounds nuw i8, ptr %739, i64 32
  %753 = load i64, ptr %752, align 8
  %754 = icmp eq i64 %753, -1
  br i1 %754, label %755, label %829

755:
  %756 = load i64, ptr %739, align 8
  %757 = icmp eq i64 %756, 1
  br i1 %757, label %758, label %829

758:
  %759 = getelementptr inbounds nuw i8, ptr %7, i64 168
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %759, ptr noundef nonnull align 8 dereferenceable(104) %741, i64 104, i1 false)
  %760 = load i64, ptr %751, align 8
  %761 = getelementptr inbounds nuw i8, ptr %7, i64 272
  store i64 %760, ptr %761, align 8
  %762 = getelementptr inbounds nuw i8, ptr %739, i64 24
  %763 = load i64, ptr %762, align 8
  %764 = getelementptr inbounds nuw i8, ptr %7, i64 280
  store i64 %763, ptr %764, align 8
  store i64 0, ptr %751, align 8
  tail call fastcc void @let_go(ptr noundef nonnull %7)
  br label %829

765:
  %766 = getelementptr inbounds i8, ptr %74, i64 -32
  %767 = load ptr, ptr %766, align 8
  %768 = getelementptr inbounds i8, ptr %74, i64 -24
  %769 = load i64, ptr %768, align 8
  %770 = getelementptr inbounds i8, ptr %74, i64 -16
  %771 = load i64, ptr %770, align 8
  %772 = load ptr, ptr %47, align 8
  %773 = getelementptr inbounds ptr, ptr %772, i64 %769
  store i64 %769, ptr %49, align 8
  %774 = add i64 %735, -1
  store i64 %774, ptr %57, align 8
  %775 = getelementptr inbounds i8, ptr %773, i64 -8
  %776 = load i64, ptr %775, align 8
  %777 = load i64, ptr %58, align 8
  %778 = add i64 %777, %776
  store i64 %778, ptr %58, align 8
  store ptr %767, ptr %4, align 8
  store ptr %773, ptr %46, align 8
  %779 = getelementptr inbounds ptr, ptr %773, i64 %771
  %780 = load ptr, ptr %779, align 8
  store ptr %715, ptr %779, align 8
  %781 = icmp eq ptr %780, null
  br i1 %781, label %820, label %782

782:
  %783 = load i64, ptr %780, align 8
  %784 = icmp eq i64 %783, 0
  br i1 %784, label %820, label %785

785:
  %786 = add i64 %783, -1
  store i64 %786, ptr %780, align 8
  %787 = icmp eq i64 %786, 0
  br i1 %787, label %788, label %820

788:
  store ptr null, ptr %780, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %7, ptr noundef %780)
  br label %820

789:
  %790 = load i64, ptr %56, align 8
  %791 = freeze i64 %790
  %792 = icmp eq i64 %791, 0
  store i64 0, ptr %56, align 8
  br i1 %792, label %823, label %793

793:
  %794 = phi i64 [ %259, %254 ], [ %77, %789 ], [ %269, %260 ], [ %182, %166 ], [ %77, %679 ], [ %77, %676 ], [ %77, %673 ], [ %77, %639 ], [ %77, %353 ], [ %77, %350 ], [ %77, %347 ], [ %77, %341 ], [ %77, %162 ], [ %77, %159 ], [ %77, %151 ], [ %77, %120 ], [ %77, %117 ], [ %77, %111 ], [ %271, %270 ], [ %77, %165 ], [ %88, %85 ], [ %77, %123 ]
  %795 = getelementptr inbounds nuw i8, ptr %73, i64 48
  %796 = load i64, ptr %795, align 8
  %797 = getelementptr inbounds i64, ptr %75, i64 %796
  %798 = getelementptr inbounds nuw i8, ptr %73, i64 56
  %799 = load i64, ptr %798, align 8
  %800 = icmp sgt i64 %799, 0
  br i1 %800, label %801, label %818

801:
  %802 = phi i64 [ %816, %815 ], [ 0, %793 ]
  %803 = getelementptr inbounds nuw i64, ptr %797, i64 %802
  %804 = load i64, ptr %803, align 8
  %805 = getelementptr inbounds ptr, ptr %74, i64 %804
  %806 = load ptr, ptr %805, align 8
  store ptr null, ptr %805, align 8
  %807 = icmp eq ptr %806, null
  br i1 %807, label %815, label %808

808:
  %809 = load i64, ptr %806, align 8
  %810 = icmp eq i64 %809, 0
  br i1 %810, label %815, label %811

811:
  %812 = add i64 %809, -1
  store i64 %812, ptr %806, align 8
  %813 = icmp eq i64 %812, 0
  br i1 %813, label %814, label %815

814:
  store ptr null, ptr %806, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %7, ptr noundef %806)
  br label %815

815:
  %816 = add nuw nsw i64 %802, 1
  %817 = icmp eq i64 %816, %799
  br i1 %817, label %818, label %801

818:
  %819 = getelementptr inbounds i64, ptr %73, i64 %794
  store ptr %819, ptr %4, align 8
  br label %820

820:
  %821 = phi i32 [ 0, %765 ], [ %684, %680 ], [ %710, %706 ], [ 0, %788 ], [ 0, %818 ], [ 0, %782 ], [ 0, %785 ]
  %822 = icmp eq i32 %821, 0
  br i1 %822, label %61, label %823

823:
  %824 = phi i32 [ 3, %166 ], [ 3, %194 ], [ 3, %425 ], [ 3, %97 ], [ 3, %124 ], [ 3, %693 ], [ 3, %72 ], [ 3, %89 ], [ 3, %354 ], [ 3, %378 ], [ 3, %372 ], [ 3, %368 ], [ 3, %416 ], [ 3, %408 ], [ %83, %79 ], [ 3, %685 ], [ 3, %216 ], [ 3, %236 ], [ 3, %220 ], [ 3, %249 ], [ 3, %232 ], [ 3, %183 ], [ 3, %211 ], [ 3, %198 ], [ 3, %789 ], [ 3, %260 ], [ %821, %820 ], [ 2, %61 ]
  %825 = sext i32 %824 to i64
  br label %826

826:
  %827 = phi i64 [ %825, %823 ], [ 5, %605 ], [ 3, %399 ], [ 5, %302 ], [ 5, %310 ], [ 3, %389 ], [ 3, %393 ], [ 5, %70 ]
  %828 = load ptr, ptr %4, align 8
  store ptr %828, ptr %44, align 8
  br label %829

829:
  %830 = phi i64 [ %827, %826 ], [ 0, %745 ], [ 0, %750 ], [ 0, %755 ], [ 1, %758 ], [ 0, %737 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  tail call void @PyEval_RestoreThread(ptr noundef %8)
  %831 = tail call ptr @PyLong_FromLong(i64 noundef %830)
  ret ptr %831
}

define ptr @anytile_unwind(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = tail call i64 @PyLong_AsSsize_t(ptr noundef %4)
  %6 = inttoptr i64 %5 to ptr
  %7 = tail call ptr @PyEval_SaveThread()
  %8 = getelementptr inbounds nuw i8, ptr %6, i64 272
  %9 = load i64, ptr %8, align 8
  %10 = icmp eq i64 %9, 0
  br i1 %10, label %35, label %11

11:
  %12 = load ptr, ptr %6, align 8
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 280
  %14 = load i64, ptr %13, align 8
  %15 = add i64 %14, 63
  %16 = ashr i64 %15, 6
  %17 = tail call noundef i64 @llvm.smax.i64(i64 %16, i64 1)
  %18 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %17, i1 true)
  %19 = sub nsw i64 59, %18
  %20 = tail call noundef i64 @llvm.smax.i64(i64 %19, i64 0)
  %21 = add nsw i64 %17, -1
  %22 = lshr i64 %21, %20
  %23 = add nuw nsw i64 %22, 1
  %24 = shl i64 %23, %20
  %25 = shl i64 %24, 6
  %26 = inttoptr i64 %9 to ptr
  %27 = getelementptr inbounds nuw i8, ptr %12, i64 72
  %28 = getelementptr ptr, ptr %27, i64 %23
  %29 = shl nuw nsw i64 %20, 7
  %30 = getelementptr i8, ptr %28, i64 %29
  %31 = load ptr, ptr %30, align 8
  store ptr %31, ptr %26, align 8
  store ptr %26, ptr %30, align 8
  %32 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %33 = load i64, ptr %32, align 8
  %34 = sub i64 %33, %25
  store i64 %34, ptr %32, align 8
  store i64 0, ptr %8, align 8
  br label %35

35:
  tail call fastcc void @let_go(ptr noundef nonnull %6)
  tail call void @PyEval_RestoreThread(ptr noundef %7)
  %36 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  ret ptr %36
}

define ptr @anytile_intake(ptr noundef %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = alloca %struct.item, align 8
  %5 = alloca %struct.intake, align 8
  %6 = load ptr, ptr %1, align 8
  %7 = tail call i64 @PyLong_AsSsize_t(ptr noundef %6)
  %8 = inttoptr i64 %7 to ptr
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  store ptr @anytile_facts, ptr %5, align 8
  %9 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %10 = tail call i64 @PyLong_AsSsize_t(ptr noundef %0)
  %11 = inttoptr i64 %10 to ptr
  store ptr %11, ptr %9, align 8
  %12 = getelementptr inbounds nuw i8, ptr %5, i64 16
  store ptr %8, ptr %12, align 8
  %13 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %14 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %15 = load ptr, ptr %14, align 8
  store ptr %15, ptr %13, align 8
  %16 = getelementptr inbounds nuw i8, ptr %5, i64 32
  store i64 0, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %8, i64 272
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %18, 0
  br i1 %19, label %44, label %20

20:
  %21 = load ptr, ptr %8, align 8
  %22 = getelementptr inbounds nuw i8, ptr %8, i64 280
  %23 = load i64, ptr %22, align 8
  %24 = add i64 %23, 63
  %25 = ashr i64 %24, 6
  %26 = tail call noundef i64 @llvm.smax.i64(i64 %25, i64 1)
  %27 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %26, i1 true)
  %28 = sub nsw i64 59, %27
  %29 = tail call noundef i64 @llvm.smax.i64(i64 %28, i64 0)
  %30 = add nsw i64 %26, -1
  %31 = lshr i64 %30, %29
  %32 = add nuw nsw i64 %31, 1
  %33 = shl i64 %32, %29
  %34 = shl i64 %33, 6
  %35 = inttoptr i64 %18 to ptr
  %36 = getelementptr inbounds nuw i8, ptr %21, i64 72
  %37 = getelementptr ptr, ptr %36, i64 %32
  %38 = shl nuw nsw i64 %29, 7
  %39 = getelementptr i8, ptr %37, i64 %38
  %40 = load ptr, ptr %39, align 8
  store ptr %40, ptr %35, align 8
  store ptr %35, ptr %39, align 8
  %41 = getelementptr inbounds nuw i8, ptr %21, i64 8
  %42 = load i64, ptr %41, align 8
  %43 = sub i64 %42, %34
  store i64 %43, ptr %41, align 8
  store i64 0, ptr %17, align 8
  br label %44

44:
  tail call fastcc void @let_go(ptr noundef nonnull %8)
  %45 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %46 = add i64 %2, -2
  %47 = load i64, ptr %11, align 8
  %48 = icmp eq i64 %46, %47
  br i1 %48, label %49, label %294

49:
  %50 = getelementptr inbounds nuw i8, ptr %8, i64 40
  br label %51

51:
  %52 = load i64, ptr %50, align 8
  %53 = icmp sgt i64 %52, 0
  br i1 %53, label %56, label %54

54:
  %55 = tail call fastcc zeroext i1 @more_cells(ptr noundef nonnull %8)
  br i1 %55, label %51, label %294

56:
  %57 = icmp slt i64 %46, 20
  br i1 %57, label %58, label %64

58:
  %59 = getelementptr inbounds nuw i8, ptr %8, i64 32
  %60 = load ptr, ptr %59, align 8
  %61 = load ptr, ptr %60, align 8
  store ptr %61, ptr %59, align 8
  %62 = add nsw i64 %52, -1
  store i64 %62, ptr %50, align 8
  %63 = shl i64 %46, 3
  br label %97

64:
  %65 = shl i64 %46, 3
  %66 = add i64 %65, 40
  %67 = load ptr, ptr %8, align 8
  %68 = load i64, ptr %67, align 8
  %69 = getelementptr inbounds nuw i8, ptr %67, i64 48
  %70 = load i64, ptr %69, align 8
  %71 = sub i64 %68, %70
  %72 = getelementptr inbounds nuw i8, ptr %67, i64 24
  %73 = load i64, ptr %72, align 8
  %74 = add i64 %73, %66
  %75 = icmp sgt i64 %74, %71
  br i1 %75, label %76, label %77

76:
  tail call fastcc void @trim(ptr noundef nonnull %67)
  br label %77

77:
  %78 = getelementptr inbounds nuw i8, ptr %67, i64 8
  %79 = load i64, ptr %78, align 8
  %80 = add i64 %79, %66
  %81 = icmp sgt i64 %80, %71
  br i1 %81, label %82, label %84

82:
  %83 = getelementptr inbounds nuw i8, ptr %67, i64 56
  store i64 %66, ptr %83, align 8
  br label %95

84:
  %85 = load i64, ptr %69, align 8
  %86 = add i64 %85, %66
  store i64 %86, ptr %69, align 8
  %87 = getelementptr inbounds nuw i8, ptr %67, i64 56
  store i64 0, ptr %87, align 8
  %88 = tail call ptr @malloc(i64 noundef %66)
  %89 = icmp eq ptr %88, null
  br i1 %89, label %90, label %97

90:
  %91 = load ptr, ptr %8, align 8
  %92 = getelementptr inbounds nuw i8, ptr %91, i64 48
  %93 = load i64, ptr %92, align 8
  %94 = sub i64 %93, %66
  store i64 %94, ptr %92, align 8
  br label %95

95:
  %96 = getelementptr inbounds nuw i8, ptr %8, i64 160
  store ptr null, ptr %96, align 8
  br label %294

97:
  %98 = phi i64 [ %65, %84 ], [ %63, %58 ]
  %99 = phi ptr [ %88, %84 ], [ %60, %58 ]
  store i64 1, ptr %99, align 8
  %100 = getelementptr inbounds nuw i8, ptr %99, i64 16
  store i64 0, ptr %100, align 8
  %101 = getelementptr inbounds nuw i8, ptr %99, i64 24
  store i64 %46, ptr %101, align 8
  %102 = getelementptr inbounds nuw i8, ptr %99, i64 32
  store i64 -2, ptr %102, align 8
  %103 = getelementptr inbounds nuw i8, ptr %99, i64 40
  tail call void @llvm.memset.p0.i64(ptr nonnull align 8 %103, i8 0, i64 %98, i1 false)
  %104 = getelementptr inbounds nuw i8, ptr %8, i64 160
  store ptr %99, ptr %104, align 8
  %105 = icmp sgt i64 %46, 0
  br i1 %105, label %106, label %322

106:
  %107 = getelementptr inbounds nuw i8, ptr %11, i64 32
  %108 = getelementptr inbounds nuw i8, ptr %8, i64 80
  %109 = getelementptr inbounds nuw i8, ptr %8, i64 72
  br label %116

110:
  %111 = icmp eq i64 %138, 0
  br i1 %111, label %322, label %112

112:
  %113 = getelementptr inbounds nuw i8, ptr %8, i64 72
  %114 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %115 = getelementptr inbounds nuw i8, ptr %4, i64 16
  br label %144

116:
  %117 = phi i64 [ %138, %137 ], [ 0, %106 ]
  %118 = phi i64 [ %142, %137 ], [ 0, %106 ]
  %119 = getelementptr inbounds nuw ptr, ptr %45, i64 %118
  %120 = load ptr, ptr %119, align 8
  %121 = load ptr, ptr %107, align 8
  %122 = getelementptr inbounds nuw ptr, ptr %121, i64 %118
  %123 = load ptr, ptr %122, align 8
  %124 = getelementptr inbounds nuw ptr, ptr %103, i64 %118
  %125 = mul i64 %117, 24
  %126 = add i64 %125, 24
  %127 = ashr exact i64 %126, 3
  %128 = load i64, ptr %108, align 8
  %129 = icmp sgt i64 %127, %128
  br i1 %129, label %132, label %130

130:
  %131 = load ptr, ptr %109, align 8
  br label %134

132:
  %133 = tail call fastcc ptr @grow_stack(ptr noundef nonnull %8, i64 noundef %127)
  br label %134

134:
  %135 = phi ptr [ %131, %130 ], [ %133, %132 ]
  %136 = icmp eq ptr %135, null
  br i1 %136, label %294, label %137

137:
  %138 = add i64 %117, 1
  %139 = getelementptr inbounds %struct.item, ptr %135, i64 %117
  store ptr %120, ptr %139, align 8
  %140 = getelementptr inbounds nuw i8, ptr %139, i64 8
  store ptr %123, ptr %140, align 8
  %141 = getelementptr inbounds nuw i8, ptr %139, i64 16
  store ptr %124, ptr %141, align 8
  %142 = add nuw nsw i64 %118, 1
  %143 = icmp eq i64 %142, %46
  br i1 %143, label %110, label %116

144:
  %145 = phi i64 [ %138, %112 ], [ %291, %289 ]
  %146 = phi i64 [ 4194304, %112 ], [ %290, %289 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %147 = load ptr, ptr %113, align 8
  %148 = add i64 %145, -1
  store i64 %148, ptr %16, align 8
  %149 = getelementptr inbounds %struct.item, ptr %147, i64 %148
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %4, ptr noundef nonnull align 8 dereferenceable(24) %149, i64 24, i1 false)
  %150 = icmp slt i64 %146, 0
  br i1 %150, label %293, label %151

151:
  %152 = load i64, ptr %50, align 8
  %153 = icmp sgt i64 %152, 0
  br i1 %153, label %156, label %154

154:
  %155 = tail call fastcc zeroext i1 @more_cells(ptr noundef nonnull %8)
  br i1 %155, label %151, label %293

156:
  %157 = load ptr, ptr %114, align 8
  %158 = load i64, ptr %157, align 8
  switch i64 %158, label %293 [
    i64 0, label %159
    i64 1, label %250
    i64 2, label %284
  ]

159:
  %160 = load ptr, ptr %5, align 8
  %161 = load ptr, ptr %4, align 8
  %162 = load i64, ptr %160, align 8
  %163 = getelementptr inbounds i8, ptr %161, i64 %162
  %164 = getelementptr inbounds i8, ptr %163, i64 -8
  %165 = load ptr, ptr %164, align 8
  %166 = getelementptr inbounds nuw i8, ptr %160, i64 16
  %167 = load ptr, ptr %166, align 8
  %168 = icmp eq ptr %165, %167
  br i1 %168, label %169, label %293

169:
  %170 = getelementptr inbounds nuw i8, ptr %163, i64 40
  %171 = load ptr, ptr %170, align 8
  %172 = getelementptr inbounds nuw i8, ptr %157, i64 8
  %173 = load ptr, ptr %172, align 8
  %174 = icmp eq ptr %171, %173
  br i1 %174, label %175, label %293

175:
  %176 = getelementptr inbounds nuw i8, ptr %163, i64 48
  %177 = load i32, ptr %176, align 8
  %178 = and i32 %177, 257
  %179 = icmp eq i32 %178, 257
  br i1 %179, label %180, label %293

180:
  %181 = getelementptr inbounds nuw i8, ptr %163, i64 8
  %182 = load i32, ptr %181, align 8
  %183 = sext i32 %182 to i64
  %184 = getelementptr inbounds nuw i8, ptr %157, i64 24
  %185 = load i64, ptr %184, align 8
  %186 = icmp eq i64 %185, %183
  br i1 %186, label %187, label %293

187:
  %188 = icmp sgt i32 %182, 0
  br i1 %188, label %189, label %208

189:
  %190 = getelementptr inbounds nuw i8, ptr %157, i64 32
  %191 = getelementptr inbounds nuw i8, ptr %163, i64 16
  %192 = load ptr, ptr %191, align 8
  br label %193

193:
  %194 = phi i64 [ 1, %189 ], [ %205, %203 ]
  %195 = phi i64 [ 0, %189 ], [ %206, %203 ]
  %196 = getelementptr inbounds nuw i64, ptr %190, i64 %195
  %197 = load i64, ptr %196, align 8
  %198 = icmp sgt i64 %197, -1
  %199 = getelementptr inbounds nuw i64, ptr %192, i64 %195
  %200 = load i64, ptr %199, align 8
  br i1 %198, label %201, label %203

201:
  %202 = icmp eq i64 %197, %200
  br i1 %202, label %203, label %293

203:
  %204 = phi i64 [ %197, %201 ], [ %200, %193 ]
  %205 = mul i64 %204, %194
  %206 = add nuw nsw i64 %195, 1
  %207 = icmp eq i64 %206, %183
  br i1 %207, label %208, label %193

208:
  %209 = phi i64 [ 1, %187 ], [ %205, %203 ]
  %210 = load ptr, ptr %13, align 8
  %211 = tail call i32 @PyList_Append(ptr noundef %210, ptr noundef nonnull %161)
  %212 = icmp eq i32 %211, 0
  br i1 %212, label %214, label %213

213:
  tail call void @PyErr_Clear()
  br label %293

214:
  %215 = load ptr, ptr %12, align 8
  %216 = getelementptr inbounds nuw i8, ptr %215, i64 32
  %217 = load ptr, ptr %216, align 8
  %218 = load ptr, ptr %217, align 8
  store ptr %218, ptr %216, align 8
  %219 = getelementptr inbounds nuw i8, ptr %215, i64 40
  %220 = load i64, ptr %219, align 8
  %221 = add i64 %220, -1
  store i64 %221, ptr %219, align 8
  store i64 1, ptr %217, align 8
  %222 = getelementptr inbounds nuw i8, ptr %217, i64 8
  store ptr null, ptr %222, align 8
  %223 = getelementptr inbounds nuw i8, ptr %217, i64 16
  %224 = load ptr, ptr %163, align 8
  %225 = ptrtoint ptr %224 to i64
  %226 = getelementptr inbounds nuw i8, ptr %157, i64 16
  %227 = load i64, ptr %226, align 8
  %228 = load i64, ptr %184, align 8
  store i64 %225, ptr %223, align 8
  %229 = getelementptr inbounds nuw i8, ptr %217, i64 24
  store i64 %209, ptr %229, align 8
  %230 = getelementptr inbounds nuw i8, ptr %217, i64 32
  store i64 %227, ptr %230, align 8
  %231 = getelementptr inbounds nuw i8, ptr %217, i64 40
  store i64 %228, ptr %231, align 8
  %232 = getelementptr inbounds nuw i8, ptr %217, i64 48
  store i64 1, ptr %232, align 8
  %233 = getelementptr inbounds nuw i8, ptr %217, i64 56
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(64) %233, i8 0, i64 64, i1 false)
  %234 = getelementptr inbounds nuw i8, ptr %163, i64 16
  br label %237

235:
  %236 = load ptr, ptr %115, align 8
  store ptr %217, ptr %236, align 8
  br label %289

237:
  %238 = phi i64 [ 0, %214 ], [ %248, %245 ]
  %239 = load i64, ptr %184, align 8
  %240 = icmp slt i64 %238, %239
  br i1 %240, label %241, label %245

241:
  %242 = load ptr, ptr %234, align 8
  %243 = getelementptr inbounds nuw i64, ptr %242, i64 %238
  %244 = load i64, ptr %243, align 8
  br label %245

245:
  %246 = phi i64 [ %244, %241 ], [ 1, %237 ]
  %247 = getelementptr inbounds nuw i64, ptr %233, i64 %238
  store i64 %246, ptr %247, align 8
  %248 = add nuw nsw i64 %238, 1
  %249 = icmp eq i64 %248, 8
  br i1 %249, label %235, label %237

250:
  %251 = load ptr, ptr %5, align 8
  %252 = load ptr, ptr %4, align 8
  %253 = load i64, ptr %251, align 8
  %254 = getelementptr inbounds i8, ptr %252, i64 %253
  %255 = getelementptr inbounds i8, ptr %254, i64 -8
  %256 = load ptr, ptr %255, align 8
  %257 = load ptr, ptr %9, align 8
  %258 = getelementptr inbounds nuw i8, ptr %257, i64 8
  %259 = load ptr, ptr %258, align 8
  %260 = icmp eq ptr %256, %259
  br i1 %260, label %261, label %293

261:
  %262 = getelementptr inbounds nuw i8, ptr %257, i64 16
  %263 = load i64, ptr %262, align 8
  %264 = getelementptr inbounds i8, ptr %252, i64 %263
  %265 = load ptr, ptr %264, align 8
  %266 = getelementptr inbounds nuw i8, ptr %257, i64 24
  %267 = load i64, ptr %266, align 8
  %268 = getelementptr inbounds i8, ptr %252, i64 %267
  %269 = load ptr, ptr %268, align 8
  %270 = icmp eq ptr %269, null
  br i1 %270, label %293, label %271

271:
  %272 = getelementptr inbounds nuw i8, ptr %157, i64 8
  %273 = load i64, ptr %272, align 8
  %274 = getelementptr inbounds nuw i8, ptr %157, i64 16
  %275 = icmp slt i64 %273, 1
  br i1 %275, label %293, label %276

276:
  %277 = phi i64 [ %282, %281 ], [ 0, %271 ]
  %278 = getelementptr inbounds nuw %struct.member, ptr %274, i64 %277
  %279 = load ptr, ptr %278, align 8
  %280 = icmp eq ptr %279, %265
  br i1 %280, label %287, label %281

281:
  %282 = add nuw nsw i64 %277, 1
  %283 = icmp eq i64 %273, %282
  br i1 %283, label %293, label %276

284:
  %285 = load ptr, ptr %4, align 8
  %286 = call fastcc zeroext i1 @take_fields(ptr noundef nonnull %5, ptr noundef nonnull readonly %4, ptr noundef %285, i64 noundef 0)
  br i1 %286, label %289, label %293

287:
  %288 = call fastcc zeroext i1 @take_fields(ptr noundef nonnull %5, ptr noundef nonnull readonly %4, ptr noundef nonnull %269, i64 noundef %277)
  br i1 %288, label %289, label %293

289:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %290 = add nsw i64 %146, -1
  %291 = load i64, ptr %16, align 8
  %292 = icmp eq i64 %291, 0
  br i1 %292, label %322, label %144

293:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  br label %294

294:
  %295 = load i64, ptr %17, align 8
  %296 = icmp eq i64 %295, 0
  br i1 %296, label %321, label %297

297:
  %298 = load ptr, ptr %8, align 8
  %299 = getelementptr inbounds nuw i8, ptr %8, i64 280
  %300 = load i64, ptr %299, align 8
  %301 = add i64 %300, 63
  %302 = ashr i64 %301, 6
  %303 = tail call noundef i64 @llvm.smax.i64(i64 %302, i64 1)
  %304 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %303, i1 true)
  %305 = sub nsw i64 59, %304
  %306 = tail call noundef i64 @llvm.smax.i64(i64 %305, i64 0)
  %307 = add nsw i64 %303, -1
  %308 = lshr i64 %307, %306
  %309 = add nuw nsw i64 %308, 1
  %310 = shl i64 %309, %306
  %311 = shl i64 %310, 6
  %312 = inttoptr i64 %295 to ptr
  %313 = getelementptr inbounds nuw i8, ptr %298, i64 72
  %314 = getelementptr ptr, ptr %313, i64 %309
  %315 = shl nuw nsw i64 %306, 7
  %316 = getelementptr i8, ptr %314, i64 %315
  %317 = load ptr, ptr %316, align 8
  store ptr %317, ptr %312, align 8
  store ptr %312, ptr %316, align 8
  %318 = getelementptr inbounds nuw i8, ptr %298, i64 8
  %319 = load i64, ptr %318, align 8
  %320 = sub i64 %319, %311
  store i64 %320, ptr %318, align 8
  store i64 0, ptr %17, align 8
  br label %321

321:
  tail call fastcc void @let_go(ptr noundef nonnull %8)
  br label %322

322:
  %323 = phi i64 [ 0, %321 ], [ 1, %110 ], [ 1, %97 ], [ 1, %289 ]
  %324 = tail call ptr @PyLong_FromLong(i64 noundef %323)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  ret ptr %324
}

define ptr @anytile_outlet(ptr noundef %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i64 @PyLong_AsSsize_t(ptr noundef %5)
  %7 = inttoptr i64 %6 to ptr
  %8 = tail call i64 @PyLong_AsSsize_t(ptr noundef %0)
  %9 = inttoptr i64 %8 to ptr
  %10 = load ptr, ptr %1, align 8
  %11 = load ptr, ptr %7, align 8
  %12 = getelementptr inbounds nuw i8, ptr %7, i64 272
  %13 = load i64, ptr %12, align 8
  %14 = icmp eq i64 %13, 0
  br i1 %14, label %28, label %15

15:
  %16 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %17 = load i64, ptr %16, align 8
  %18 = icmp slt i64 %17, 0
  br i1 %18, label %19, label %136

19:
  %20 = getelementptr inbounds nuw i8, ptr %7, i64 168
  %21 = getelementptr inbounds nuw i8, ptr %7, i64 184
  %22 = load i64, ptr %21, align 8
  %23 = icmp sgt i64 %22, -1
  br i1 %23, label %24, label %136

24:
  %25 = getelementptr inbounds nuw i8, ptr %7, i64 200
  %26 = load i64, ptr %25, align 8
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %104, label %136

28:
  %29 = getelementptr inbounds nuw i8, ptr %7, i64 136
  %30 = load ptr, ptr %29, align 8
  %31 = icmp eq ptr %30, null
  br i1 %31, label %136, label %32

32:
  %33 = getelementptr inbounds nuw i8, ptr %30, i64 32
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, -2
  br i1 %35, label %36, label %136

36:
  %37 = load i64, ptr %30, align 8
  %38 = icmp eq i64 %37, 1
  br i1 %38, label %39, label %136

39:
  %40 = getelementptr inbounds nuw i8, ptr %30, i64 24
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %43 = load i64, ptr %42, align 8
  %44 = icmp eq i64 %41, %43
  br i1 %44, label %45, label %136

45:
  %46 = getelementptr inbounds nuw i8, ptr %30, i64 40
  %47 = icmp sgt i64 %41, 0
  br i1 %47, label %51, label %80

48:
  %49 = add nuw nsw i64 %52, 1
  %50 = icmp eq i64 %49, %41
  br i1 %50, label %80, label %51

51:
  %52 = phi i64 [ %49, %48 ], [ 0, %45 ]
  %53 = getelementptr inbounds nuw ptr, ptr %46, i64 %52
  %54 = load ptr, ptr %53, align 8
  %55 = getelementptr inbounds nuw i8, ptr %54, i64 8
  %56 = load ptr, ptr %55, align 8
  %57 = getelementptr inbounds nuw i8, ptr %54, i64 32
  %58 = load i64, ptr %57, align 8
  %59 = icmp sgt i64 %58, -1
  br i1 %59, label %60, label %136

60:
  %61 = getelementptr inbounds nuw i8, ptr %54, i64 48
  %62 = load i64, ptr %61, align 8
  %63 = icmp eq i64 %62, 0
  br i1 %63, label %64, label %136

64:
  %65 = load i64, ptr %54, align 8
  %66 = icmp eq i64 %65, 1
  %67 = icmp ne ptr %56, null
  %68 = select i1 %66, i1 %67, i1 false
  br i1 %68, label %69, label %136

69:
  %70 = getelementptr inbounds nuw i8, ptr %56, i64 32
  %71 = load i64, ptr %70, align 8
  %72 = icmp eq i64 %71, -1
  br i1 %72, label %73, label %136

73:
  %74 = load i64, ptr %56, align 8
  %75 = icmp eq i64 %74, 1
  br i1 %75, label %76, label %136

76:
  %77 = getelementptr inbounds nuw i8, ptr %56, i64 120
  %78 = load i64, ptr %77, align 8
  %79 = icmp eq i64 %78, 0
  br i1 %79, label %48, label %136

80:
  %81 = tail call ptr @PyTuple_New(i64 noundef %41)
  %82 = icmp eq ptr %81, null
  br i1 %82, label %136, label %83

83:
  %84 = load i64, ptr %40, align 8
  %85 = icmp sgt i64 %84, 0
  br i1 %85, label %90, label %107

86:
  %87 = add nuw nsw i64 %91, 1
  %88 = load i64, ptr %40, align 8
  %89 = icmp slt i64 %87, %88
  br i1 %89, label %90, label %107

90:
  %91 = phi i64 [ %87, %86 ], [ 0, %83 ]
  %92 = getelementptr inbounds nuw ptr, ptr %46, i64 %91
  %93 = load ptr, ptr %92, align 8
  %94 = getelementptr inbounds nuw i8, ptr %93, i64 8
  %95 = load ptr, ptr %94, align 8
  %96 = getelementptr inbounds nuw i8, ptr %95, i64 16
  %97 = getelementptr inbounds nuw i8, ptr %93, i64 16
  %98 = tail call fastcc ptr @array_of(ptr noundef readonly %9, ptr noundef %10, ptr noundef %11, ptr noundef nonnull %97, ptr noundef nonnull %96)
  %99 = icmp eq ptr %98, null
  br i1 %99, label %103, label %100

100:
  %101 = tail call i32 @PyTuple_SetItem(ptr noundef nonnull %81, i64 noundef %91, ptr noundef nonnull %98)
  %102 = icmp eq i32 %101, 0
  br i1 %102, label %86, label %103

103:
  tail call void @Py_DecRef(ptr noundef nonnull %81)
  br label %136

104:
  %105 = tail call fastcc ptr @array_of(ptr noundef nonnull readonly %9, ptr noundef %10, ptr noundef %11, ptr noundef nonnull %20, ptr noundef nonnull %12)
  %106 = icmp eq ptr %105, null
  br i1 %106, label %136, label %107

107:
  %108 = phi ptr [ %105, %104 ], [ %81, %83 ], [ %81, %86 ]
  %109 = load i64, ptr %12, align 8
  %110 = icmp eq i64 %109, 0
  br i1 %110, label %135, label %111

111:
  %112 = load ptr, ptr %7, align 8
  %113 = getelementptr inbounds nuw i8, ptr %7, i64 280
  %114 = load i64, ptr %113, align 8
  %115 = add i64 %114, 63
  %116 = ashr i64 %115, 6
  %117 = tail call noundef i64 @llvm.smax.i64(i64 %116, i64 1)
  %118 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %117, i1 true)
  %119 = sub nsw i64 59, %118
  %120 = tail call noundef i64 @llvm.smax.i64(i64 %119, i64 0)
  %121 = add nsw i64 %117, -1
  %122 = lshr i64 %121, %120
  %123 = add nuw nsw i64 %122, 1
  %124 = shl i64 %123, %120
  %125 = shl i64 %124, 6
  %126 = inttoptr i64 %109 to ptr
  %127 = getelementptr inbounds nuw i8, ptr %112, i64 72
  %128 = getelementptr ptr, ptr %127, i64 %123
  %129 = shl nuw nsw i64 %120, 7
  %130 = getelementptr i8, ptr %128, i64 %129
  %131 = load ptr, ptr %130, align 8
  store ptr %131, ptr %126, align 8
  store ptr %126, ptr %130, align 8
  %132 = getelementptr inbounds nuw i8, ptr %112, i64 8
  %133 = load i64, ptr %132, align 8
  %134 = sub i64 %133, %125
  store i64 %134, ptr %132, align 8
  store i64 0, ptr %12, align 8
  br label %135

135:
  tail call fastcc void @let_go(ptr noundef nonnull %7)
  br label %141

136:
  %137 = tail call ptr @PyErr_Occurred()
  %138 = icmp eq ptr %137, null
  br i1 %138, label %139, label %141

139:
  %140 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  br label %141

141:
  %142 = phi ptr [ %140, %139 ], [ null, %136 ], [ %108, %135 ]
  ret ptr %142
}

declare ptr @PyErr_Occurred() nonlazybind

define ptr @anytile_own(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i64 @PyLong_AsSsize_t(ptr noundef %5)
  %7 = inttoptr i64 %6 to ptr
  %8 = load ptr, ptr %1, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i64 @PyLong_AsSsize_t(ptr noundef %10)
  %12 = load i64, ptr %7, align 8
  %13 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %14 = load i64, ptr %13, align 8
  %15 = tail call ptr @malloc(i64 noundef 40)
  %16 = icmp eq ptr %15, null
  br i1 %16, label %27, label %17

17:
  %18 = inttoptr i64 %11 to ptr
  store ptr null, ptr %15, align 8
  %19 = getelementptr inbounds nuw i8, ptr %15, i64 8
  store i64 %12, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %15, i64 16
  store i64 %14, ptr %20, align 8
  %21 = getelementptr inbounds nuw i8, ptr %15, i64 24
  store ptr %18, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %15, i64 32
  store ptr %8, ptr %22, align 8
  %23 = tail call ptr @PyCapsule_New(ptr noundef nonnull %15, ptr noundef null, ptr noundef nonnull @give_up)
  %24 = icmp eq ptr %23, null
  br i1 %24, label %25, label %26

25:
  tail call void @free(ptr noundef nonnull %15)
  br label %32

26:
  tail call void @Py_IncRef(ptr noundef %8)
  br label %30

27:
  %28 = tail call ptr @PyErr_NoMemory()
  %29 = icmp eq ptr %28, null
  br i1 %29, label %32, label %30

30:
  %31 = phi ptr [ %23, %26 ], [ %28, %27 ]
  store i64 0, ptr %7, align 8
  br label %32

32:
  %33 = phi ptr [ null, %25 ], [ %31, %30 ], [ null, %27 ]
  ret ptr %33
}

define ptr @anytile_allocate(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i64 @PyLong_AsSsize_t(ptr noundef %5)
  %7 = inttoptr i64 %6 to ptr
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 64
  %9 = atomicrmw xchg ptr %8, i64 0 acquire, align 8
  %10 = icmp eq i64 %9, 0
  br i1 %10, label %41, label %11

11:
  %12 = inttoptr i64 %9 to ptr
  %13 = getelementptr inbounds nuw i8, ptr %7, i64 72
  %14 = getelementptr inbounds nuw i8, ptr %7, i64 8
  br label %15

15:
  %16 = phi ptr [ %12, %11 ], [ %17, %15 ]
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr inbounds nuw i8, ptr %16, i64 8
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %16, i64 16
  %21 = load i64, ptr %20, align 8
  %22 = add i64 %21, 63
  %23 = ashr i64 %22, 6
  %24 = tail call noundef i64 @llvm.smax.i64(i64 %23, i64 1)
  %25 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %24, i1 true)
  %26 = sub nsw i64 59, %25
  %27 = tail call noundef i64 @llvm.smax.i64(i64 %26, i64 0)
  %28 = add nsw i64 %24, -1
  %29 = lshr i64 %28, %27
  %30 = add nuw nsw i64 %29, 1
  %31 = shl i64 %30, %27
  %32 = shl i64 %31, 6
  %33 = inttoptr i64 %19 to ptr
  %34 = getelementptr ptr, ptr %13, i64 %30
  %35 = shl nuw nsw i64 %27, 7
  %36 = getelementptr i8, ptr %34, i64 %35
  %37 = load ptr, ptr %36, align 8
  store ptr %37, ptr %33, align 8
  store ptr %33, ptr %36, align 8
  %38 = load i64, ptr %14, align 8
  %39 = sub i64 %38, %32
  store i64 %39, ptr %14, align 8
  tail call void @free(ptr noundef nonnull %16)
  %40 = icmp eq ptr %17, null
  br i1 %40, label %41, label %15

41:
  %42 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %43 = load ptr, ptr %42, align 8
  %44 = tail call i64 @PyLong_AsSsize_t(ptr noundef %43)
  %45 = icmp ugt i64 %44, 281474976710656
  br i1 %45, label %113, label %46

46:
  %47 = add nuw nsw i64 %44, 63
  %48 = lshr i64 %47, 6
  %49 = tail call i64 @llvm.umax.i64(i64 %48, i64 1)
  %50 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %49, i1 true)
  %51 = sub nsw i64 59, %50
  %52 = tail call noundef i64 @llvm.smax.i64(i64 %51, i64 0)
  %53 = add nsw i64 %49, -1
  %54 = lshr i64 %53, %52
  %55 = add nuw nsw i64 %54, 1
  %56 = shl i64 %55, %52
  %57 = shl i64 %56, 6
  %58 = getelementptr inbounds nuw i8, ptr %7, i64 72
  %59 = getelementptr ptr, ptr %58, i64 %55
  %60 = shl nuw nsw i64 %52, 7
  %61 = getelementptr i8, ptr %59, i64 %60
  %62 = load ptr, ptr %61, align 8
  %63 = icmp eq ptr %62, null
  br i1 %63, label %67, label %64

64:
  %65 = load ptr, ptr %62, align 8
  store ptr %65, ptr %61, align 8
  store ptr null, ptr %62, align 8
  %66 = ptrtoint ptr %62 to i64
  br label %99

67:
  %68 = load i64, ptr %7, align 8
  %69 = getelementptr inbounds nuw i8, ptr %7, i64 48
  %70 = load i64, ptr %69, align 8
  %71 = sub i64 %68, %70
  %72 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %73 = load i64, ptr %72, align 8
  %74 = add i64 %73, %57
  %75 = icmp sgt i64 %74, %71
  br i1 %75, label %76, label %77

76:
  tail call fastcc void @trim(ptr noundef nonnull %7)
  br label %77

77:
  %78 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %79 = load i64, ptr %78, align 8
  %80 = add i64 %79, %57
  %81 = icmp sgt i64 %80, %71
  br i1 %81, label %113, label %82

82:
  %83 = add i64 %57, 64
  %84 = tail call ptr @calloc(i64 noundef 1, i64 noundef %83)
  %85 = icmp eq ptr %84, null
  br i1 %85, label %113, label %86

86:
  %87 = ptrtoint ptr %84 to i64
  %88 = and i64 %87, -64
  %89 = add i64 %88, 64
  %90 = inttoptr i64 %89 to ptr
  %91 = getelementptr inbounds i8, ptr %90, i64 -8
  store ptr %84, ptr %91, align 8
  %92 = icmp eq i64 %89, 0
  br i1 %92, label %113, label %93

93:
  %94 = load i64, ptr %72, align 8
  %95 = add i64 %94, %57
  store i64 %95, ptr %72, align 8
  %96 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %97 = load i64, ptr %96, align 8
  %98 = add i64 %97, 1
  store i64 %98, ptr %96, align 8
  br label %99

99:
  %100 = phi i64 [ %66, %64 ], [ %89, %93 ]
  %101 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %102 = load i64, ptr %101, align 8
  %103 = add i64 %102, %57
  store i64 %103, ptr %101, align 8
  %104 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %105 = load i64, ptr %104, align 8
  %106 = tail call noundef i64 @llvm.smax.i64(i64 %105, i64 %103)
  store i64 %106, ptr %104, align 8
  %107 = getelementptr inbounds nuw i8, ptr %7, i64 32
  %108 = load i64, ptr %107, align 8
  %109 = add i64 %108, 1
  store i64 %109, ptr %107, align 8
  %110 = load ptr, ptr %1, align 8
  %111 = tail call ptr @malloc(i64 noundef 40)
  %112 = icmp eq ptr %111, null
  br i1 %112, label %124, label %115

113:
  %114 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  br label %138

115:
  store ptr null, ptr %111, align 8
  %116 = getelementptr inbounds nuw i8, ptr %111, i64 8
  store i64 %100, ptr %116, align 8
  %117 = getelementptr inbounds nuw i8, ptr %111, i64 16
  store i64 %44, ptr %117, align 8
  %118 = getelementptr inbounds nuw i8, ptr %111, i64 24
  store ptr %7, ptr %118, align 8
  %119 = getelementptr inbounds nuw i8, ptr %111, i64 32
  store ptr %110, ptr %119, align 8
  %120 = tail call ptr @PyCapsule_New(ptr noundef nonnull %111, ptr noundef null, ptr noundef nonnull @give_up)
  %121 = icmp eq ptr %120, null
  br i1 %121, label %122, label %123

122:
  tail call void @free(ptr noundef nonnull %111)
  br label %133

123:
  tail call void @Py_IncRef(ptr noundef %110)
  br label %127

124:
  %125 = tail call ptr @PyErr_NoMemory()
  %126 = icmp eq ptr %125, null
  br i1 %126, label %133, label %127

127:
  %128 = phi ptr [ %120, %123 ], [ %125, %124 ]
  %129 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %130 = load ptr, ptr %129, align 8
  %131 = tail call ptr @PyByteArray_AsString(ptr noundef %130)
  store i64 %100, ptr %131, align 1
  %132 = getelementptr inbounds nuw i8, ptr %131, i64 8
  store i64 %44, ptr %132, align 1
  br label %138

133:
  %134 = inttoptr i64 %100 to ptr
  %135 = load ptr, ptr %61, align 8
  store ptr %135, ptr %134, align 8
  store ptr %134, ptr %61, align 8
  %136 = load i64, ptr %101, align 8
  %137 = sub i64 %136, %57
  store i64 %137, ptr %101, align 8
  br label %138

138:
  %139 = phi ptr [ %114, %113 ], [ null, %133 ], [ %128, %127 ]
  ret ptr %139
}

declare ptr @PyByteArray_AsString(ptr noundef) nonlazybind

define ptr @anytile_settle(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = tail call i64 @PyLong_AsSsize_t(ptr noundef %4)
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %8 = atomicrmw xchg ptr %7, i64 0 acquire, align 8
  %9 = icmp eq i64 %8, 0
  br i1 %9, label %40, label %10

10:
  %11 = inttoptr i64 %8 to ptr
  %12 = getelementptr inbounds nuw i8, ptr %6, i64 72
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 8
  br label %14

14:
  %15 = phi ptr [ %11, %10 ], [ %16, %14 ]
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %15, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = getelementptr inbounds nuw i8, ptr %15, i64 16
  %20 = load i64, ptr %19, align 8
  %21 = add i64 %20, 63
  %22 = ashr i64 %21, 6
  %23 = tail call noundef i64 @llvm.smax.i64(i64 %22, i64 1)
  %24 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %23, i1 true)
  %25 = sub nsw i64 59, %24
  %26 = tail call noundef i64 @llvm.smax.i64(i64 %25, i64 0)
  %27 = add nsw i64 %23, -1
  %28 = lshr i64 %27, %26
  %29 = add nuw nsw i64 %28, 1
  %30 = shl i64 %29, %26
  %31 = shl i64 %30, 6
  %32 = inttoptr i64 %18 to ptr
  %33 = getelementptr ptr, ptr %12, i64 %29
  %34 = shl nuw nsw i64 %26, 7
  %35 = getelementptr i8, ptr %33, i64 %34
  %36 = load ptr, ptr %35, align 8
  store ptr %36, ptr %32, align 8
  store ptr %32, ptr %35, align 8
  %37 = load i64, ptr %13, align 8
  %38 = sub i64 %37, %31
  store i64 %38, ptr %13, align 8
  tail call void @free(ptr noundef nonnull %15)
  %39 = icmp eq ptr %16, null
  br i1 %39, label %40, label %14

40:
  %41 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  ret ptr %41
}

define ptr @anytile_drain(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = tail call i64 @PyLong_AsSsize_t(ptr noundef %4)
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %8 = atomicrmw xchg ptr %7, i64 0 acquire, align 8
  %9 = icmp eq i64 %8, 0
  br i1 %9, label %40, label %10

10:
  %11 = inttoptr i64 %8 to ptr
  %12 = getelementptr inbounds nuw i8, ptr %6, i64 72
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 8
  br label %14

14:
  %15 = phi ptr [ %11, %10 ], [ %16, %14 ]
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %15, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = getelementptr inbounds nuw i8, ptr %15, i64 16
  %20 = load i64, ptr %19, align 8
  %21 = add i64 %20, 63
  %22 = ashr i64 %21, 6
  %23 = tail call noundef i64 @llvm.smax.i64(i64 %22, i64 1)
  %24 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %23, i1 true)
  %25 = sub nsw i64 59, %24
  %26 = tail call noundef i64 @llvm.smax.i64(i64 %25, i64 0)
  %27 = add nsw i64 %23, -1
  %28 = lshr i64 %27, %26
  %29 = add nuw nsw i64 %28, 1
  %30 = shl i64 %29, %26
  %31 = shl i64 %30, 6
  %32 = inttoptr i64 %18 to ptr
  %33 = getelementptr ptr, ptr %12, i64 %29
  %34 = shl nuw nsw i64 %26, 7
  %35 = getelementptr i8, ptr %33, i64 %34
  %36 = load ptr, ptr %35, align 8
  store ptr %36, ptr %32, align 8
  store ptr %32, ptr %35, align 8
  %37 = load i64, ptr %13, align 8
  %38 = sub i64 %37, %31
  store i64 %38, ptr %13, align 8
  tail call void @free(ptr noundef nonnull %15)
  %39 = icmp eq ptr %16, null
  br i1 %39, label %40, label %14

40:
  tail call fastcc void @trim(ptr noundef %6)
  %41 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  ret ptr %41
}

define internal fastcc void @trim(ptr noundef captures(none) %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 24
  br label %4

4:
  %5 = phi i64 [ 0, %1 ], [ %27, %26 ]
  %6 = getelementptr inbounds nuw ptr, ptr %2, i64 %5
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %26, label %9

9:
  %10 = lshr i64 %5, 4
  %11 = tail call i64 @llvm.usub.sat.i64(i64 %10, i64 1)
  %12 = shl nuw nsw i64 %11, 4
  %13 = sub nsw i64 %12, %5
  %14 = shl i64 %13, %11
  %15 = shl i64 %14, 6
  br label %17

16:
  ret void

17:
  %18 = phi ptr [ %7, %9 ], [ %24, %17 ]
  %19 = load ptr, ptr %18, align 8
  store ptr %19, ptr %6, align 8
  %20 = load i64, ptr %3, align 8
  %21 = add i64 %20, %15
  store i64 %21, ptr %3, align 8
  %22 = getelementptr inbounds i8, ptr %18, i64 -8
  %23 = load ptr, ptr %22, align 8
  tail call void @free(ptr noundef %23)
  %24 = load ptr, ptr %6, align 8
  %25 = icmp eq ptr %24, null
  br i1 %25, label %26, label %17

26:
  %27 = add nuw nsw i64 %5, 1
  %28 = icmp eq i64 %27, 768
  br i1 %28, label %16, label %4
}

define ptr @anytile_watch(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = alloca %struct.action, align 8
  %5 = load ptr, ptr %1, align 8
  %6 = tail call i64 @PyLong_AsSsize_t(ptr noundef %5)
  %7 = inttoptr i64 %6 to ptr
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(152) %4, ptr noundef nonnull align 8 dereferenceable(152) @__const.watch.ours, i64 152, i1 false)
  store ptr %7, ptr @mapped_files, align 8
  %8 = call i32 @sigaction(i32 noundef 7, ptr noundef nonnull %4, ptr noundef nonnull @bus_before)
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %9 = call ptr @PyLong_FromLong(i64 noundef 0)
  ret ptr %9
}

define internal fastcc ptr @grow_stack(ptr noundef captures(none) %0, i64 noundef %1) #0 {
  %3 = shl i64 %1, 1
  %4 = tail call noundef i64 @llvm.smax.i64(i64 %3, i64 1024)
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %6 = load i64, ptr %5, align 8
  %7 = tail call noundef i64 @llvm.smax.i64(i64 %6, i64 1024)
  %8 = sub nsw i64 %4, %7
  %9 = shl i64 %8, 3
  %10 = load ptr, ptr %0, align 8
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %10, i64 48
  %13 = load i64, ptr %12, align 8
  %14 = sub i64 %11, %13
  %15 = getelementptr inbounds nuw i8, ptr %10, i64 24
  %16 = load i64, ptr %15, align 8
  %17 = add i64 %16, %9
  %18 = icmp sgt i64 %17, %14
  br i1 %18, label %19, label %20

19:
  tail call fastcc void @trim(ptr noundef nonnull %10)
  br label %20

20:
  %21 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %22 = load i64, ptr %21, align 8
  %23 = add i64 %22, %9
  %24 = icmp sgt i64 %23, %14
  br i1 %24, label %25, label %27

25:
  %26 = getelementptr inbounds nuw i8, ptr %10, i64 56
  store i64 %9, ptr %26, align 8
  br label %42

27:
  %28 = load i64, ptr %12, align 8
  %29 = add i64 %28, %9
  store i64 %29, ptr %12, align 8
  %30 = getelementptr inbounds nuw i8, ptr %10, i64 56
  store i64 0, ptr %30, align 8
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %32 = load ptr, ptr %31, align 8
  %33 = shl i64 %4, 3
  %34 = tail call ptr @realloc(ptr noundef %32, i64 noundef %33)
  %35 = icmp eq ptr %34, null
  br i1 %35, label %36, label %41

36:
  %37 = load ptr, ptr %0, align 8
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 48
  %39 = load i64, ptr %38, align 8
  %40 = sub i64 %39, %9
  store i64 %40, ptr %38, align 8
  br label %42

41:
  store ptr %34, ptr %31, align 8
  store i64 %4, ptr %5, align 8
  br label %42

42:
  %43 = phi ptr [ null, %25 ], [ %34, %41 ], [ null, %36 ]
  ret ptr %43
}

declare ptr @realloc(ptr noundef, i64 noundef) nonlazybind

define internal fastcc void @destroy(ptr noundef captures(none) %0, ptr noundef nonnull %1) #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 40
  br label %5

5:
  %6 = phi ptr [ %1, %2 ], [ %90, %89 ]
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %9 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %10 = load i64, ptr %9, align 8
  %11 = icmp sgt i64 %10, -1
  br i1 %11, label %12, label %23

12:
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %14, null
  br i1 %15, label %84, label %16

16:
  %17 = load i64, ptr %14, align 8
  %18 = icmp eq i64 %17, 0
  br i1 %18, label %84, label %19

19:
  %20 = add i64 %17, -1
  store i64 %20, ptr %14, align 8
  %21 = icmp eq i64 %20, 0
  br i1 %21, label %22, label %84

22:
  store ptr %7, ptr %14, align 8
  br label %84

23:
  %24 = icmp eq i64 %10, -1
  br i1 %24, label %25, label %52

25:
  %26 = load i64, ptr %8, align 8
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %84, label %28

28:
  %29 = load ptr, ptr %0, align 8
  %30 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %31 = load i64, ptr %30, align 8
  %32 = add i64 %31, 63
  %33 = ashr i64 %32, 6
  %34 = tail call noundef i64 @llvm.smax.i64(i64 %33, i64 1)
  %35 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %34, i1 true)
  %36 = sub nsw i64 59, %35
  %37 = tail call noundef i64 @llvm.smax.i64(i64 %36, i64 0)
  %38 = add nsw i64 %34, -1
  %39 = lshr i64 %38, %37
  %40 = add nuw nsw i64 %39, 1
  %41 = shl i64 %40, %37
  %42 = shl i64 %41, 6
  %43 = inttoptr i64 %26 to ptr
  %44 = getelementptr inbounds nuw i8, ptr %29, i64 72
  %45 = getelementptr ptr, ptr %44, i64 %40
  %46 = shl nuw nsw i64 %37, 7
  %47 = getelementptr i8, ptr %45, i64 %46
  %48 = load ptr, ptr %47, align 8
  store ptr %48, ptr %43, align 8
  store ptr %43, ptr %47, align 8
  %49 = getelementptr inbounds nuw i8, ptr %29, i64 8
  %50 = load i64, ptr %49, align 8
  %51 = sub i64 %50, %42
  store i64 %51, ptr %49, align 8
  br label %84

52:
  %53 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %54 = load i64, ptr %53, align 8
  %55 = icmp sgt i64 %54, 0
  br i1 %55, label %56, label %84

56:
  %57 = getelementptr inbounds nuw i8, ptr %6, i64 40
  br label %58

58:
  %59 = phi i64 [ 0, %56 ], [ %73, %71 ]
  %60 = phi ptr [ %7, %56 ], [ %72, %71 ]
  %61 = getelementptr inbounds nuw ptr, ptr %57, i64 %59
  %62 = load ptr, ptr %61, align 8
  %63 = icmp eq ptr %62, null
  br i1 %63, label %71, label %64

64:
  %65 = load i64, ptr %62, align 8
  %66 = icmp eq i64 %65, 0
  br i1 %66, label %71, label %67

67:
  %68 = add i64 %65, -1
  store i64 %68, ptr %62, align 8
  %69 = icmp eq i64 %68, 0
  br i1 %69, label %70, label %71

70:
  store ptr %60, ptr %62, align 8
  br label %71

71:
  %72 = phi ptr [ %62, %70 ], [ %60, %67 ], [ %60, %64 ], [ %60, %58 ]
  %73 = add nuw nsw i64 %59, 1
  %74 = icmp eq i64 %73, %54
  br i1 %74, label %75, label %58

75:
  %76 = icmp sgt i64 %54, 19
  br i1 %76, label %77, label %84

77:
  %78 = load ptr, ptr %0, align 8
  %79 = getelementptr inbounds nuw i8, ptr %78, i64 48
  %80 = load i64, ptr %79, align 8
  %81 = shl i64 %54, 3
  %82 = sub i64 %80, %81
  %83 = add i64 %82, -40
  store i64 %83, ptr %79, align 8
  tail call void @free(ptr noundef nonnull %6)
  br label %89

84:
  %85 = phi ptr [ %72, %75 ], [ %7, %12 ], [ %7, %16 ], [ %7, %19 ], [ %14, %22 ], [ %7, %25 ], [ %7, %28 ], [ %7, %52 ]
  %86 = load ptr, ptr %3, align 8
  store ptr %86, ptr %6, align 8
  store ptr %6, ptr %3, align 8
  %87 = load i64, ptr %4, align 8
  %88 = add i64 %87, 1
  store i64 %88, ptr %4, align 8
  br label %89

89:
  %90 = phi ptr [ %85, %84 ], [ %72, %77 ]
  %91 = icmp eq ptr %90, null
  br i1 %91, label %92, label %5

92:
  ret void
}

declare void @free(ptr noundef) nonlazybind

define internal fastcc range(i32 0, 6) i32 @call(ptr noundef captures(none) %0, ptr noundef nonnull captures(none) %1, i64 noundef %2, ptr noundef readonly captures(address_is_null) %3, i1 noundef zeroext %4) #0 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds %struct.function, ptr %7, i64 %2
  %9 = load ptr, ptr %1, align 8
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds i8, ptr %11, i64 -8
  %13 = load i64, ptr %12, align 8
  %14 = icmp ne ptr %3, null
  br i1 %14, label %15, label %18

15:
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %17 = load i64, ptr %16, align 8
  br label %18

18:
  %19 = phi i64 [ %17, %15 ], [ 0, %5 ]
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %21 = load i64, ptr %20, align 8
  %22 = add i64 %13, 4
  %23 = add i64 %22, %21
  %24 = getelementptr inbounds nuw i8, ptr %9, i64 48
  %25 = load i64, ptr %24, align 8
  %26 = add i64 %25, %19
  br i1 %4, label %37, label %27

27:
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %29 = load i64, ptr %28, align 8
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 120
  %31 = load i64, ptr %30, align 8
  %32 = icmp slt i64 %29, %31
  br i1 %32, label %33, label %169

33:
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %35 = load i64, ptr %34, align 8
  %36 = icmp slt i64 %35, %13
  br i1 %36, label %169, label %37

37:
  %38 = load i64, ptr %8, align 8
  %39 = add i64 %38, %23
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %41 = load i64, ptr %40, align 8
  %42 = icmp sgt i64 %39, %41
  br i1 %42, label %46, label %43

43:
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %45 = load ptr, ptr %44, align 8
  br label %48

46:
  %47 = tail call fastcc ptr @grow_stack(ptr noundef nonnull %0, i64 noundef %39)
  br label %48

48:
  %49 = phi ptr [ %45, %43 ], [ %47, %46 ]
  %50 = icmp eq ptr %49, null
  br i1 %50, label %169, label %51

51:
  %52 = load i64, ptr %20, align 8
  %53 = getelementptr inbounds ptr, ptr %49, i64 %52
  %54 = getelementptr inbounds ptr, ptr %49, i64 %23
  %55 = icmp sgt i64 %19, 0
  %56 = select i1 %14, i1 %55, i1 false
  br i1 %56, label %57, label %73

57:
  %58 = getelementptr inbounds nuw i8, ptr %3, i64 40
  br label %59

59:
  %60 = phi i64 [ 0, %57 ], [ %71, %68 ]
  %61 = getelementptr inbounds nuw ptr, ptr %58, i64 %60
  %62 = load ptr, ptr %61, align 8
  %63 = load i64, ptr %62, align 8
  %64 = icmp eq i64 %63, 0
  br i1 %64, label %68, label %65

65:
  %66 = add i64 %63, 1
  store i64 %66, ptr %62, align 8
  %67 = load ptr, ptr %61, align 8
  br label %68

68:
  %69 = phi ptr [ %62, %59 ], [ %67, %65 ]
  %70 = getelementptr inbounds nuw ptr, ptr %54, i64 %60
  store ptr %69, ptr %70, align 8
  %71 = add nuw nsw i64 %60, 1
  %72 = icmp eq i64 %71, %19
  br i1 %72, label %73, label %59

73:
  %74 = getelementptr inbounds ptr, ptr %54, i64 %19
  %75 = getelementptr inbounds nuw i8, ptr %9, i64 64
  %76 = load i64, ptr %24, align 8
  %77 = icmp sgt i64 %76, 0
  br i1 %77, label %78, label %96

78:
  %79 = phi i64 [ %94, %91 ], [ 0, %73 ]
  %80 = getelementptr inbounds nuw i64, ptr %75, i64 %79
  %81 = load i64, ptr %80, align 8
  %82 = getelementptr inbounds ptr, ptr %53, i64 %81
  %83 = load ptr, ptr %82, align 8
  %84 = load i64, ptr %83, align 8
  %85 = icmp eq i64 %84, 0
  br i1 %85, label %91, label %86

86:
  %87 = add i64 %84, 1
  store i64 %87, ptr %83, align 8
  %88 = load i64, ptr %80, align 8
  %89 = getelementptr inbounds ptr, ptr %53, i64 %88
  %90 = load ptr, ptr %89, align 8
  br label %91

91:
  %92 = phi ptr [ %83, %78 ], [ %90, %86 ]
  %93 = getelementptr inbounds nuw ptr, ptr %74, i64 %79
  store ptr %92, ptr %93, align 8
  %94 = add nuw nsw i64 %79, 1
  %95 = icmp eq i64 %94, %76
  br i1 %95, label %96, label %78

96:
  %97 = getelementptr inbounds ptr, ptr %54, i64 %26
  %98 = load i64, ptr %8, align 8
  %99 = sub i64 %98, %26
  %100 = shl i64 %99, 3
  tail call void @llvm.memset.p0.i64(ptr nonnull align 8 %97, i8 0, i64 %100, i1 false)
  br i1 %4, label %101, label %124

101:
  %102 = getelementptr inbounds i8, ptr %53, i64 -8
  %103 = load i64, ptr %102, align 8
  %104 = icmp sgt i64 %103, 0
  br i1 %104, label %105, label %120

105:
  %106 = phi i64 [ %118, %117 ], [ 0, %101 ]
  %107 = getelementptr inbounds nuw ptr, ptr %53, i64 %106
  %108 = load ptr, ptr %107, align 8
  %109 = icmp eq ptr %108, null
  br i1 %109, label %117, label %110

110:
  store ptr null, ptr %107, align 8
  %111 = load i64, ptr %108, align 8
  %112 = icmp eq i64 %111, 0
  br i1 %112, label %117, label %113

113:
  %114 = add i64 %111, -1
  store i64 %114, ptr %108, align 8
  %115 = icmp eq i64 %114, 0
  br i1 %115, label %116, label %117

116:
  store ptr null, ptr %108, align 8
  tail call fastcc void @destroy(ptr noundef %0, ptr noundef %108)
  br label %117

117:
  %118 = add nuw nsw i64 %106, 1
  %119 = icmp eq i64 %118, %103
  br i1 %119, label %120, label %105

120:
  %121 = load i64, ptr %8, align 8
  %122 = shl i64 %121, 3
  tail call void @llvm.memmove.p0.p0.i64(ptr nonnull align 8 %53, ptr nonnull align 8 %54, i64 %122, i1 false)
  %123 = load i64, ptr %8, align 8
  store i64 %123, ptr %102, align 8
  br label %165

124:
  %125 = load i64, ptr %24, align 8
  %126 = getelementptr inbounds i64, ptr %75, i64 %125
  %127 = getelementptr inbounds nuw i8, ptr %9, i64 56
  %128 = load i64, ptr %127, align 8
  %129 = icmp sgt i64 %128, 0
  br i1 %129, label %130, label %147

130:
  %131 = phi i64 [ %145, %144 ], [ 0, %124 ]
  %132 = getelementptr inbounds nuw i64, ptr %126, i64 %131
  %133 = load i64, ptr %132, align 8
  %134 = getelementptr inbounds ptr, ptr %53, i64 %133
  %135 = load ptr, ptr %134, align 8
  store ptr null, ptr %134, align 8
  %136 = icmp eq ptr %135, null
  br i1 %136, label %144, label %137

137:
  %138 = load i64, ptr %135, align 8
  %139 = icmp eq i64 %138, 0
  br i1 %139, label %144, label %140

140:
  %141 = add i64 %138, -1
  store i64 %141, ptr %135, align 8
  %142 = icmp eq i64 %141, 0
  br i1 %142, label %143, label %144

143:
  store ptr null, ptr %135, align 8
  tail call fastcc void @destroy(ptr noundef %0, ptr noundef %135)
  br label %144

144:
  %145 = add nuw nsw i64 %131, 1
  %146 = icmp eq i64 %145, %128
  br i1 %146, label %147, label %130

147:
  %148 = getelementptr inbounds i8, ptr %54, i64 -32
  %149 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %150 = load i64, ptr %149, align 8
  %151 = getelementptr inbounds i64, ptr %9, i64 %150
  %152 = load i64, ptr %20, align 8
  %153 = getelementptr inbounds nuw i8, ptr %9, i64 24
  %154 = load i64, ptr %153, align 8
  %155 = load i64, ptr %8, align 8
  store ptr %151, ptr %148, align 8
  %156 = getelementptr inbounds i8, ptr %54, i64 -24
  store i64 %152, ptr %156, align 8
  %157 = getelementptr inbounds i8, ptr %54, i64 -16
  store i64 %154, ptr %157, align 8
  %158 = getelementptr inbounds i8, ptr %54, i64 -8
  store i64 %155, ptr %158, align 8
  store i64 %23, ptr %20, align 8
  %159 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %160 = load i64, ptr %159, align 8
  %161 = add i64 %160, 1
  store i64 %161, ptr %159, align 8
  %162 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %163 = load i64, ptr %162, align 8
  %164 = sub i64 %163, %13
  store i64 %164, ptr %162, align 8
  br label %165

165:
  %166 = phi ptr [ %54, %147 ], [ %53, %120 ]
  %167 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %168 = load ptr, ptr %167, align 8
  store ptr %168, ptr %1, align 8
  store ptr %166, ptr %10, align 8
  br label %169

169:
  %170 = phi i32 [ 4, %27 ], [ 4, %33 ], [ 0, %165 ], [ 5, %48 ]
  ret i32 %170
}

define internal fastcc noundef zeroext i1 @more_cells(ptr noundef captures(none) %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %3 = load i64, ptr %2, align 8
  %4 = icmp eq i64 %3, 0
  %5 = select i1 %4, i64 0, i64 65536
  %6 = load ptr, ptr %0, align 8
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %9 = load i64, ptr %8, align 8
  %10 = sub i64 %7, %9
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = add i64 %12, %5
  %14 = icmp sgt i64 %13, %10
  br i1 %14, label %15, label %16

15:
  tail call fastcc void @trim(ptr noundef nonnull %6)
  br label %16

16:
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = add i64 %18, %5
  %20 = icmp sgt i64 %19, %10
  br i1 %20, label %21, label %23

21:
  %22 = getelementptr inbounds nuw i8, ptr %6, i64 56
  store i64 %5, ptr %22, align 8
  br label %51

23:
  %24 = load i64, ptr %8, align 8
  %25 = add i64 %24, %5
  store i64 %25, ptr %8, align 8
  %26 = getelementptr inbounds nuw i8, ptr %6, i64 56
  store i64 0, ptr %26, align 8
  %27 = tail call ptr @aligned_alloc(i64 noundef 64, i64 noundef 65536)
  %28 = icmp eq ptr %27, null
  br i1 %28, label %29, label %34

29:
  %30 = load ptr, ptr %0, align 8
  %31 = getelementptr inbounds nuw i8, ptr %30, i64 48
  %32 = load i64, ptr %31, align 8
  %33 = sub i64 %32, %5
  store i64 %33, ptr %31, align 8
  br label %51

34:
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %36 = load ptr, ptr %35, align 8
  store ptr %36, ptr %27, align 8
  store ptr %27, ptr %35, align 8
  %37 = load i64, ptr %2, align 8
  %38 = add i64 %37, 341
  store i64 %38, ptr %2, align 8
  %39 = getelementptr inbounds nuw i8, ptr %27, i64 64
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %42 = load ptr, ptr %40, align 8
  br label %43

43:
  %44 = phi ptr [ %42, %34 ], [ %46, %43 ]
  %45 = phi i64 [ 0, %34 ], [ %49, %43 ]
  %46 = getelementptr inbounds nuw %struct.cell, ptr %39, i64 %45
  store ptr %44, ptr %46, align 8
  store ptr %46, ptr %40, align 8
  %47 = load i64, ptr %41, align 8
  %48 = add i64 %47, 1
  store i64 %48, ptr %41, align 8
  %49 = add nuw nsw i64 %45, 1
  %50 = icmp eq i64 %49, 341
  br i1 %50, label %51, label %43

51:
  %52 = phi i1 [ false, %21 ], [ false, %29 ], [ true, %43 ]
  ret i1 %52
}

declare ptr @aligned_alloc(i64 noundef, i64 noundef) nonlazybind

declare ptr @malloc(i64 noundef) nonlazybind

define internal fastcc void @let_go(ptr noundef captures(none) %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 136
  %3 = load ptr, ptr %2, align 8
  store ptr null, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %12, label %5

5:
  %6 = load i64, ptr %3, align 8
  %7 = icmp eq i64 %6, 0
  br i1 %7, label %12, label %8

8:
  %9 = add i64 %6, -1
  store i64 %9, ptr %3, align 8
  %10 = icmp eq i64 %9, 0
  br i1 %10, label %11, label %12

11:
  store ptr null, ptr %3, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %0, ptr noundef %3)
  br label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 160
  %14 = load ptr, ptr %13, align 8
  store ptr null, ptr %13, align 8
  %15 = icmp eq ptr %14, null
  br i1 %15, label %23, label %16

16:
  %17 = load i64, ptr %14, align 8
  %18 = icmp eq i64 %17, 0
  br i1 %18, label %23, label %19

19:
  %20 = add i64 %17, -1
  store i64 %20, ptr %14, align 8
  %21 = icmp eq i64 %20, 0
  br i1 %21, label %22, label %23

22:
  store ptr null, ptr %14, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %0, ptr noundef %14)
  br label %23

23:
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %25 = load ptr, ptr %24, align 8
  %26 = icmp eq ptr %25, null
  br i1 %26, label %83, label %27

27:
  store ptr null, ptr %24, align 8
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %29 = load ptr, ptr %28, align 8
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds ptr, ptr %29, i64 %31
  %33 = getelementptr inbounds i8, ptr %32, i64 -8
  %34 = load i64, ptr %33, align 8
  %35 = icmp sgt i64 %34, 0
  br i1 %35, label %36, label %51

36:
  %37 = phi i64 [ %49, %48 ], [ 0, %27 ]
  %38 = getelementptr inbounds nuw ptr, ptr %32, i64 %37
  %39 = load ptr, ptr %38, align 8
  %40 = icmp eq ptr %39, null
  br i1 %40, label %48, label %41

41:
  store ptr null, ptr %38, align 8
  %42 = load i64, ptr %39, align 8
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %48, label %44

44:
  %45 = add i64 %42, -1
  store i64 %45, ptr %39, align 8
  %46 = icmp eq i64 %45, 0
  br i1 %46, label %47, label %48

47:
  store ptr null, ptr %39, align 8
  tail call fastcc void @destroy(ptr noundef %0, ptr noundef %39)
  br label %48

48:
  %49 = add nuw nsw i64 %37, 1
  %50 = icmp eq i64 %49, %34
  br i1 %50, label %51, label %36

51:
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %53 = load i64, ptr %52, align 8
  %54 = icmp sgt i64 %53, 0
  br i1 %54, label %55, label %83

55:
  %56 = phi ptr [ %61, %80 ], [ %32, %51 ]
  %57 = phi i64 [ %81, %80 ], [ %53, %51 ]
  %58 = load ptr, ptr %28, align 8
  %59 = getelementptr inbounds i8, ptr %56, i64 -24
  %60 = load i64, ptr %59, align 8
  %61 = getelementptr inbounds ptr, ptr %58, i64 %60
  %62 = getelementptr inbounds i8, ptr %61, i64 -8
  %63 = load i64, ptr %62, align 8
  %64 = icmp sgt i64 %63, 0
  br i1 %64, label %65, label %80

65:
  %66 = phi i64 [ %78, %77 ], [ 0, %55 ]
  %67 = getelementptr inbounds nuw ptr, ptr %61, i64 %66
  %68 = load ptr, ptr %67, align 8
  %69 = icmp eq ptr %68, null
  br i1 %69, label %77, label %70

70:
  store ptr null, ptr %67, align 8
  %71 = load i64, ptr %68, align 8
  %72 = icmp eq i64 %71, 0
  br i1 %72, label %77, label %73

73:
  %74 = add i64 %71, -1
  store i64 %74, ptr %68, align 8
  %75 = icmp eq i64 %74, 0
  br i1 %75, label %76, label %77

76:
  store ptr null, ptr %68, align 8
  tail call fastcc void @destroy(ptr noundef %0, ptr noundef %68)
  br label %77

77:
  %78 = add nuw nsw i64 %66, 1
  %79 = icmp eq i64 %78, %63
  br i1 %79, label %80, label %65

80:
  %81 = add nsw i64 %57, -1
  %82 = icmp sgt i64 %57, 1
  br i1 %82, label %55, label %83

83:
  %84 = load ptr, ptr %0, align 8
  %85 = getelementptr inbounds nuw i8, ptr %84, i64 48
  %86 = load i64, ptr %85, align 8
  %87 = load i64, ptr %84, align 8
  %88 = sdiv i64 %87, 4
  %89 = icmp sgt i64 %86, %88
  %90 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %91 = load i64, ptr %90, align 8
  %92 = icmp sgt i64 %91, 262144
  %93 = or i1 %89, %92
  br i1 %93, label %94, label %101

94:
  %95 = tail call noundef i64 @llvm.smax.i64(i64 %91, i64 1024)
  %96 = add i64 %86, 8192
  %97 = shl i64 %95, 3
  %98 = sub i64 %96, %97
  store i64 %98, ptr %85, align 8
  %99 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %100 = load ptr, ptr %99, align 8
  tail call void @free(ptr noundef %100)
  store ptr null, ptr %99, align 8
  store i64 0, ptr %90, align 8
  br label %101

101:
  %102 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %103 = load i64, ptr %102, align 8
  %104 = icmp sgt i64 %103, 65536
  %105 = icmp sgt i64 %103, 341
  %106 = and i1 %89, %105
  %107 = or i1 %104, %106
  br i1 %107, label %108, label %130

108:
  %109 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %110 = load i64, ptr %109, align 8
  %111 = icmp eq i64 %110, %103
  br i1 %111, label %112, label %130

112:
  %113 = load ptr, ptr %0, align 8
  %114 = udiv i64 %103, 341
  %115 = getelementptr inbounds nuw i8, ptr %113, i64 48
  %116 = load i64, ptr %115, align 8
  %117 = shl i64 %114, 16
  %118 = sub i64 %116, %117
  %119 = add i64 %118, 65536
  store i64 %119, ptr %115, align 8
  %120 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %121 = load ptr, ptr %120, align 8
  %122 = icmp eq ptr %121, null
  br i1 %122, label %128, label %123

123:
  %124 = phi ptr [ %126, %123 ], [ %121, %112 ]
  %125 = load ptr, ptr %124, align 8
  store ptr %125, ptr %120, align 8
  tail call void @free(ptr noundef nonnull %124)
  %126 = load ptr, ptr %120, align 8
  %127 = icmp eq ptr %126, null
  br i1 %127, label %128, label %123

128:
  %129 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store ptr null, ptr %129, align 8
  store i64 0, ptr %109, align 8
  store i64 0, ptr %102, align 8
  br label %130

130:
  ret void
}

define internal fastcc noundef zeroext i1 @take_fields(ptr noundef nonnull captures(none) %0, ptr noundef nonnull readonly captures(none) %1, ptr noundef readonly captures(none) %2, i64 noundef %3) #0 {
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %8 = getelementptr inbounds %struct.member, ptr %7, i64 %3
  %9 = load ptr, ptr %0, align 8
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds i8, ptr %2, i64 %10
  %12 = getelementptr inbounds i8, ptr %11, i64 -8
  %13 = load ptr, ptr %12, align 8
  %14 = icmp eq ptr %13, @PyTuple_Type
  br i1 %14, label %15, label %114

15:
  %16 = load i64, ptr %11, align 8
  %17 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %16, %18
  br i1 %19, label %20, label %114

20:
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %22 = load ptr, ptr %21, align 8
  %23 = icmp slt i64 %16, 20
  br i1 %23, label %24, label %32

24:
  %25 = getelementptr inbounds nuw i8, ptr %22, i64 32
  %26 = load ptr, ptr %25, align 8
  %27 = load ptr, ptr %26, align 8
  store ptr %27, ptr %25, align 8
  %28 = getelementptr inbounds nuw i8, ptr %22, i64 40
  %29 = load i64, ptr %28, align 8
  %30 = add i64 %29, -1
  store i64 %30, ptr %28, align 8
  %31 = shl i64 %16, 3
  br label %63

32:
  %33 = shl i64 %16, 3
  %34 = add i64 %33, 40
  %35 = load ptr, ptr %22, align 8
  %36 = load i64, ptr %35, align 8
  %37 = getelementptr inbounds nuw i8, ptr %35, i64 48
  %38 = load i64, ptr %37, align 8
  %39 = sub i64 %36, %38
  %40 = getelementptr inbounds nuw i8, ptr %35, i64 24
  %41 = load i64, ptr %40, align 8
  %42 = add i64 %41, %34
  %43 = icmp sgt i64 %42, %39
  br i1 %43, label %44, label %45

44:
  tail call fastcc void @trim(ptr noundef nonnull %35)
  br label %45

45:
  %46 = getelementptr inbounds nuw i8, ptr %35, i64 8
  %47 = load i64, ptr %46, align 8
  %48 = add i64 %47, %34
  %49 = icmp sgt i64 %48, %39
  br i1 %49, label %50, label %52

50:
  %51 = getelementptr inbounds nuw i8, ptr %35, i64 56
  store i64 %34, ptr %51, align 8
  br label %114

52:
  %53 = load i64, ptr %37, align 8
  %54 = add i64 %53, %34
  store i64 %54, ptr %37, align 8
  %55 = getelementptr inbounds nuw i8, ptr %35, i64 56
  store i64 0, ptr %55, align 8
  %56 = tail call ptr @malloc(i64 noundef %34)
  %57 = icmp eq ptr %56, null
  br i1 %57, label %58, label %63

58:
  %59 = load ptr, ptr %22, align 8
  %60 = getelementptr inbounds nuw i8, ptr %59, i64 48
  %61 = load i64, ptr %60, align 8
  %62 = sub i64 %61, %34
  store i64 %62, ptr %60, align 8
  br label %114

63:
  %64 = phi i64 [ %33, %52 ], [ %31, %24 ]
  %65 = phi ptr [ %56, %52 ], [ %26, %24 ]
  store i64 1, ptr %65, align 8
  %66 = getelementptr inbounds nuw i8, ptr %65, i64 16
  store i64 %3, ptr %66, align 8
  %67 = getelementptr inbounds nuw i8, ptr %65, i64 24
  store i64 %16, ptr %67, align 8
  %68 = getelementptr inbounds nuw i8, ptr %65, i64 32
  store i64 -2, ptr %68, align 8
  %69 = getelementptr inbounds nuw i8, ptr %65, i64 40
  tail call void @llvm.memset.p0.i64(ptr nonnull align 8 %69, i8 0, i64 %64, i1 false)
  %70 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %71 = load ptr, ptr %70, align 8
  store ptr %65, ptr %71, align 8
  %72 = load ptr, ptr %0, align 8
  %73 = getelementptr inbounds nuw i8, ptr %72, i64 8
  %74 = load i64, ptr %73, align 8
  %75 = getelementptr inbounds i8, ptr %2, i64 %74
  %76 = load i64, ptr %17, align 8
  %77 = icmp sgt i64 %76, 0
  br i1 %77, label %78, label %114

78:
  %79 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %80 = getelementptr inbounds nuw i8, ptr %0, i64 32
  br label %81

81:
  %82 = phi i64 [ 0, %78 ], [ %111, %105 ]
  %83 = getelementptr inbounds nuw ptr, ptr %75, i64 %82
  %84 = load ptr, ptr %83, align 8
  %85 = load ptr, ptr %79, align 8
  %86 = getelementptr inbounds nuw ptr, ptr %85, i64 %82
  %87 = load ptr, ptr %86, align 8
  %88 = getelementptr inbounds nuw ptr, ptr %69, i64 %82
  %89 = load ptr, ptr %21, align 8
  %90 = load i64, ptr %80, align 8
  %91 = mul i64 %90, 24
  %92 = add i64 %91, 24
  %93 = ashr exact i64 %92, 3
  %94 = getelementptr inbounds nuw i8, ptr %89, i64 80
  %95 = load i64, ptr %94, align 8
  %96 = icmp sgt i64 %93, %95
  br i1 %96, label %100, label %97

97:
  %98 = getelementptr inbounds nuw i8, ptr %89, i64 72
  %99 = load ptr, ptr %98, align 8
  br label %102

100:
  %101 = tail call fastcc ptr @grow_stack(ptr noundef nonnull %89, i64 noundef %93)
  br label %102

102:
  %103 = phi ptr [ %99, %97 ], [ %101, %100 ]
  %104 = icmp ne ptr %103, null
  br i1 %104, label %105, label %114

105:
  %106 = load i64, ptr %80, align 8
  %107 = add i64 %106, 1
  store i64 %107, ptr %80, align 8
  %108 = getelementptr inbounds %struct.item, ptr %103, i64 %106
  store ptr %84, ptr %108, align 8
  %109 = getelementptr inbounds nuw i8, ptr %108, i64 8
  store ptr %87, ptr %109, align 8
  %110 = getelementptr inbounds nuw i8, ptr %108, i64 16
  store ptr %88, ptr %110, align 8
  %111 = add nuw nsw i64 %82, 1
  %112 = load i64, ptr %17, align 8
  %113 = icmp slt i64 %111, %112
  br i1 %113, label %81, label %114

114:
  %115 = phi i1 [ false, %4 ], [ false, %15 ], [ false, %50 ], [ false, %58 ], [ true, %63 ], [ %104, %102 ], [ %104, %105 ]
  ret i1 %115
}

declare i32 @PyList_Append(ptr noundef, ptr noundef) nonlazybind

declare void @PyErr_Clear() nonlazybind

define internal fastcc ptr @array_of(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef captures(none) %4) #0 {
  %6 = load i64, ptr %4, align 8
  %7 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %8 = load i64, ptr %7, align 8
  %9 = tail call ptr @malloc(i64 noundef 40)
  %10 = icmp eq ptr %9, null
  br i1 %10, label %20, label %11

11:
  store ptr null, ptr %9, align 8
  %12 = getelementptr inbounds nuw i8, ptr %9, i64 8
  store i64 %6, ptr %12, align 8
  %13 = getelementptr inbounds nuw i8, ptr %9, i64 16
  store i64 %8, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %9, i64 24
  store ptr %2, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %9, i64 32
  store ptr %1, ptr %15, align 8
  %16 = tail call ptr @PyCapsule_New(ptr noundef nonnull %9, ptr noundef null, ptr noundef nonnull @give_up)
  %17 = icmp eq ptr %16, null
  br i1 %17, label %18, label %19

18:
  tail call void @free(ptr noundef nonnull %9)
  br label %47

19:
  tail call void @Py_IncRef(ptr noundef %1)
  br label %23

20:
  %21 = tail call ptr @PyErr_NoMemory()
  %22 = icmp eq ptr %21, null
  br i1 %22, label %47, label %23

23:
  %24 = phi ptr [ %16, %19 ], [ %21, %20 ]
  store i64 0, ptr %4, align 8
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %26 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds ptr, ptr %25, i64 %27
  %29 = load ptr, ptr %28, align 8
  tail call void @Py_IncRef(ptr noundef %29)
  %30 = load ptr, ptr %0, align 8
  %31 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 16), align 8
  %32 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %33 = load i64, ptr %32, align 8
  %34 = trunc i64 %33 to i32
  %35 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %36 = load i64, ptr %3, align 8
  %37 = inttoptr i64 %36 to ptr
  %38 = tail call ptr %30(ptr noundef %31, ptr noundef %29, i32 noundef %34, ptr noundef nonnull %35, ptr noundef null, ptr noundef %37, i32 noundef 1281, ptr noundef null)
  %39 = icmp eq ptr %38, null
  br i1 %39, label %40, label %41

40:
  tail call void @Py_DecRef(ptr noundef nonnull %24)
  br label %47

41:
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %43 = load ptr, ptr %42, align 8
  %44 = tail call i32 %43(ptr noundef nonnull %38, ptr noundef nonnull %24)
  %45 = icmp eq i32 %44, 0
  br i1 %45, label %47, label %46

46:
  tail call void @Py_DecRef(ptr noundef nonnull %38)
  br label %47

47:
  %48 = phi ptr [ null, %20 ], [ null, %46 ], [ %38, %41 ], [ null, %40 ], [ null, %18 ]
  ret ptr %48
}

declare ptr @PyTuple_New(i64 noundef) nonlazybind

declare i32 @PyTuple_SetItem(ptr noundef, i64 noundef, ptr noundef) nonlazybind

declare void @Py_DecRef(ptr noundef) nonlazybind

declare void @Py_IncRef(ptr noundef) nonlazybind

declare ptr @PyErr_NoMemory() nonlazybind

declare ptr @PyCapsule_New(ptr noundef, ptr noundef, ptr noundef) nonlazybind

define internal void @give_up(ptr noundef %0) #0 {
  %2 = tail call ptr @PyCapsule_GetPointer(ptr noundef %0, ptr noundef null)
  %3 = getelementptr inbounds nuw i8, ptr %2, i64 32
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %8 = load atomic i64, ptr %7 monotonic, align 8
  %9 = ptrtoint ptr %2 to i64
  %10 = inttoptr i64 %8 to ptr
  store ptr %10, ptr %2, align 8
  %11 = cmpxchg ptr %7, i64 %8, i64 %9 release monotonic, align 8
  %12 = extractvalue { i64, i1 } %11, 1
  br i1 %12, label %19, label %13

13:
  %14 = phi { i64, i1 } [ %17, %13 ], [ %11, %1 ]
  %15 = extractvalue { i64, i1 } %14, 0
  %16 = inttoptr i64 %15 to ptr
  store ptr %16, ptr %2, align 8
  %17 = cmpxchg ptr %7, i64 %15, i64 %9 release monotonic, align 8
  %18 = extractvalue { i64, i1 } %17, 1
  br i1 %18, label %19, label %13

19:
  tail call void @Py_DecRef(ptr noundef %4)
  ret void
}

declare ptr @PyCapsule_GetPointer(ptr noundef, ptr noundef) nonlazybind

declare ptr @calloc(i64 noundef, i64 noundef) nonlazybind

define internal void @on_bus(i32 noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %5 = load i32, ptr %4, align 8
  %6 = icmp sgt i32 %5, 0
  br i1 %6, label %7, label %34

7:
  %8 = load ptr, ptr @mapped_files, align 8
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %11 = load i64, ptr %10, align 8
  br label %12

12:
  %13 = phi i64 [ 0, %7 ], [ %30, %29 ]
  %14 = getelementptr inbounds nuw %struct.span, ptr %9, i64 %13
  %15 = load i64, ptr %14, align 8
  %16 = icmp slt i64 %11, %15
  br i1 %16, label %29, label %17

17:
  %18 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %19 = load i64, ptr %18, align 8
  %20 = icmp slt i64 %11, %19
  br i1 %20, label %21, label %29

21:
  %22 = load i64, ptr %8, align 8
  %23 = sub i64 0, %22
  %24 = and i64 %11, %23
  %25 = inttoptr i64 %24 to ptr
  %26 = sub i64 %19, %24
  %27 = tail call ptr @mmap(ptr noundef %25, i64 noundef %26, i32 noundef 1, i32 noundef 50, i32 noundef -1, i64 noundef 0)
  %28 = icmp eq ptr %27, %25
  br i1 %28, label %32, label %34

29:
  %30 = add nuw nsw i64 %13, 1
  %31 = icmp eq i64 %30, 64
  br i1 %31, label %34, label %12

32:
  %33 = getelementptr inbounds nuw i8, ptr %14, i64 16
  store i64 1, ptr %33, align 8
  br label %44

34:
  %35 = load ptr, ptr @bus_before, align 8
  %36 = icmp sgt ptr %35, inttoptr (i64 1 to ptr)
  br i1 %36, label %37, label %42

37:
  %38 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bus_before, i64 136), align 8
  %39 = and i32 %38, 4
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %42, label %41

41:
  tail call void %35(i32 noundef %0, ptr noundef nonnull %1, ptr noundef %2)
  br label %44

42:
  %43 = tail call i32 @sigaction(i32 noundef %0, ptr noundef nonnull @bus_before, ptr noundef null)
  br label %44

44:
  ret void
}

declare i32 @sigaction(i32 noundef, ptr noundef, ptr noundef) nonlazybind

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) nonlazybind

