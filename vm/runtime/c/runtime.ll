; LLVM IR of runtime.c, written by scripts/runtime: do not edit. 31d2207931c6fe94
%struct.anon.0 = type { %struct.python }
%struct.python = type { i64, i64, ptr }
%struct.type = type opaque
%struct.action = type { ptr, [128 x i8], i32, ptr }
%struct.function = type { i64, i64, ptr }
%struct.timespec = type { i64, i64 }
%struct.place = type { ptr, ptr }
%struct.event = type { i64, i64, i64, [13 x i64] }
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
@switch.table.anytile_drive = private constant [11 x i64] [i64 4, i64 4, i64 8, i64 1, i64 1, i64 8, i64 2, i64 1, i64 2, i64 2, i64 4], align 8

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
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = alloca [4 x ptr], align 16
  %7 = alloca [13 x i64], align 16
  %8 = alloca %struct.place, align 8
  %9 = load ptr, ptr %1, align 8
  %10 = tail call i64 @PyLong_AsSsize_t(ptr noundef %9)
  %11 = inttoptr i64 %10 to ptr
  %12 = tail call ptr @PyEval_SaveThread()
  %13 = load ptr, ptr %11, align 8
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 64
  %15 = atomicrmw xchg ptr %14, i64 0 acquire, align 8
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %47, label %17

17:
  %18 = inttoptr i64 %15 to ptr
  %19 = getelementptr inbounds nuw i8, ptr %13, i64 72
  %20 = getelementptr inbounds nuw i8, ptr %13, i64 8
  br label %21

21:
  %22 = phi ptr [ %18, %17 ], [ %23, %21 ]
  %23 = load ptr, ptr %22, align 8
  %24 = getelementptr inbounds nuw i8, ptr %22, i64 8
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds nuw i8, ptr %22, i64 16
  %27 = load i64, ptr %26, align 8
  %28 = add i64 %27, 63
  %29 = ashr i64 %28, 6
  %30 = tail call noundef i64 @llvm.smax.i64(i64 %29, i64 1)
  %31 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %30, i1 true)
  %32 = sub nsw i64 59, %31
  %33 = tail call noundef i64 @llvm.smax.i64(i64 %32, i64 0)
  %34 = add nsw i64 %30, -1
  %35 = lshr i64 %34, %33
  %36 = add nuw nsw i64 %35, 1
  %37 = shl i64 %36, %33
  %38 = shl i64 %37, 6
  %39 = inttoptr i64 %25 to ptr
  %40 = getelementptr ptr, ptr %19, i64 %36
  %41 = shl nuw nsw i64 %33, 7
  %42 = getelementptr i8, ptr %40, i64 %41
  %43 = load ptr, ptr %42, align 8
  store ptr %43, ptr %39, align 8
  store ptr %39, ptr %42, align 8
  %44 = load i64, ptr %20, align 8
  %45 = sub i64 %44, %38
  store i64 %45, ptr %20, align 8
  tail call void @free(ptr noundef nonnull %22)
  %46 = icmp eq ptr %23, null
  br i1 %46, label %47, label %21

47:
  call void @llvm.lifetime.start.p0(ptr nonnull %8)
  %48 = getelementptr inbounds nuw i8, ptr %11, i64 96
  %49 = load ptr, ptr %48, align 8
  store ptr %49, ptr %8, align 8
  %50 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %51 = getelementptr inbounds nuw i8, ptr %11, i64 72
  %52 = load ptr, ptr %51, align 8
  %53 = getelementptr inbounds nuw i8, ptr %11, i64 88
  %54 = load i64, ptr %53, align 8
  %55 = getelementptr inbounds ptr, ptr %52, i64 %54
  store ptr %55, ptr %50, align 8
  %56 = getelementptr inbounds nuw i8, ptr %11, i64 128
  %57 = load i64, ptr %56, align 8
  %58 = getelementptr inbounds nuw i8, ptr %11, i64 48
  %59 = getelementptr inbounds nuw i8, ptr %11, i64 40
  %60 = getelementptr inbounds nuw i8, ptr %11, i64 144
  %61 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %62 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %63 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %64 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %65 = getelementptr inbounds nuw i8, ptr %11, i64 104
  %66 = getelementptr inbounds nuw i8, ptr %11, i64 112
  %67 = getelementptr inbounds nuw i8, ptr %11, i64 152
  %68 = getelementptr inbounds nuw i8, ptr %11, i64 32
  br label %69

69:
  %70 = phi i64 [ %57, %47 ], [ %71, %927 ]
  %71 = add i64 %70, -1
  %72 = icmp slt i64 %70, 1
  br i1 %72, label %930, label %73

73:
  %74 = load i64, ptr %58, align 8
  br label %75

75:
  %76 = load i64, ptr %59, align 8
  %77 = icmp slt i64 %76, %74
  br i1 %77, label %78, label %80

78:
  %79 = call fastcc zeroext i1 @more_cells(ptr noundef nonnull %11)
  br i1 %79, label %75, label %933

80:
  %81 = load ptr, ptr %8, align 8
  %82 = load ptr, ptr %50, align 8
  %83 = getelementptr inbounds nuw i8, ptr %81, i64 64
  %84 = getelementptr inbounds nuw i8, ptr %81, i64 16
  %85 = load i64, ptr %84, align 8
  %86 = load i64, ptr %81, align 8
  switch i64 %86, label %930 [
    i64 0, label %87
    i64 1, label %97
    i64 2, label %132
    i64 3, label %174
    i64 4, label %191
    i64 5, label %278
    i64 6, label %280
    i64 12, label %362
    i64 7, label %688
    i64 8, label %688
    i64 9, label %693
    i64 10, label %719
    i64 13, label %797
    i64 11, label %896
  ]

87:
  %88 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %89 = load i64, ptr %88, align 8
  %90 = inttoptr i64 %89 to ptr
  %91 = call i32 %90(ptr noundef %82, ptr noundef nonnull %11)
  %92 = icmp ugt i32 %91, 15
  br i1 %92, label %930, label %93

93:
  %94 = zext nneg i32 %91 to i64
  %95 = getelementptr inbounds nuw i64, ptr %83, i64 %94
  %96 = load i64, ptr %95, align 8
  br label %900

97:
  %98 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %99 = load i64, ptr %98, align 8
  %100 = getelementptr inbounds ptr, ptr %82, i64 %99
  %101 = load ptr, ptr %100, align 8
  %102 = getelementptr inbounds nuw i8, ptr %101, i64 32
  %103 = load i64, ptr %102, align 8
  %104 = icmp eq i64 %103, -2
  br i1 %104, label %105, label %930

105:
  %106 = getelementptr inbounds nuw i8, ptr %81, i64 40
  %107 = load i64, ptr %106, align 8
  %108 = getelementptr inbounds nuw i8, ptr %101, i64 24
  %109 = load i64, ptr %108, align 8
  %110 = icmp ult i64 %107, %109
  br i1 %110, label %111, label %930

111:
  %112 = getelementptr inbounds nuw i8, ptr %101, i64 40
  %113 = getelementptr inbounds ptr, ptr %112, i64 %107
  %114 = load ptr, ptr %113, align 8
  %115 = load i64, ptr %114, align 8
  %116 = icmp eq i64 %115, 0
  br i1 %116, label %119, label %117

117:
  %118 = add i64 %115, 1
  store i64 %118, ptr %114, align 8
  br label %119

119:
  %120 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %121 = load i64, ptr %120, align 8
  %122 = getelementptr inbounds ptr, ptr %82, i64 %121
  %123 = load ptr, ptr %122, align 8
  store ptr %114, ptr %122, align 8
  %124 = icmp eq ptr %123, null
  br i1 %124, label %900, label %125

125:
  %126 = load i64, ptr %123, align 8
  %127 = icmp eq i64 %126, 0
  br i1 %127, label %900, label %128

128:
  %129 = add i64 %126, -1
  store i64 %129, ptr %123, align 8
  %130 = icmp eq i64 %129, 0
  br i1 %130, label %131, label %900

131:
  store ptr null, ptr %123, align 8
  call fastcc void @destroy(ptr noundef nonnull %11, ptr noundef %123)
  br label %900

132:
  %133 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %134 = load i64, ptr %133, align 8
  %135 = getelementptr inbounds ptr, ptr %82, i64 %134
  %136 = load ptr, ptr %135, align 8
  %137 = getelementptr inbounds nuw i8, ptr %136, i64 32
  %138 = load i64, ptr %137, align 8
  %139 = icmp eq i64 %138, -2
  br i1 %139, label %140, label %930

140:
  %141 = load ptr, ptr %68, align 8
  %142 = load ptr, ptr %141, align 8
  store ptr %142, ptr %68, align 8
  %143 = add i64 %76, -1
  store i64 %143, ptr %59, align 8
  store i64 1, ptr %141, align 8
  %144 = getelementptr inbounds nuw i8, ptr %141, i64 8
  store ptr null, ptr %144, align 8
  %145 = getelementptr inbounds nuw i8, ptr %141, i64 16
  %146 = getelementptr inbounds nuw i8, ptr %141, i64 128
  %147 = ptrtoint ptr %146 to i64
  store i64 %147, ptr %145, align 8
  %148 = getelementptr inbounds nuw i8, ptr %141, i64 24
  store i64 1, ptr %148, align 8
  %149 = getelementptr inbounds nuw i8, ptr %141, i64 32
  store i64 2, ptr %149, align 8
  %150 = getelementptr inbounds nuw i8, ptr %141, i64 40
  store i64 0, ptr %150, align 8
  %151 = getelementptr inbounds nuw i8, ptr %141, i64 48
  store i64 1, ptr %151, align 8
  %152 = getelementptr inbounds nuw i8, ptr %141, i64 56
  store i64 1, ptr %152, align 8
  %153 = getelementptr inbounds nuw i8, ptr %141, i64 64
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %153, i8 0, i64 56, i1 false)
  br label %154

154:
  %155 = phi i64 [ 1, %140 ], [ %157, %154 ]
  %156 = getelementptr inbounds nuw i64, ptr %152, i64 %155
  store i64 1, ptr %156, align 8
  %157 = add nuw nsw i64 %155, 1
  %158 = icmp eq i64 %157, 8
  br i1 %158, label %159, label %154

159:
  %160 = getelementptr inbounds nuw i8, ptr %136, i64 16
  %161 = load i64, ptr %160, align 8
  store i64 %161, ptr %146, align 8
  %162 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %163 = load i64, ptr %162, align 8
  %164 = getelementptr inbounds ptr, ptr %82, i64 %163
  %165 = load ptr, ptr %164, align 8
  store ptr %141, ptr %164, align 8
  %166 = icmp eq ptr %165, null
  br i1 %166, label %900, label %167

167:
  %168 = load i64, ptr %165, align 8
  %169 = icmp eq i64 %168, 0
  br i1 %169, label %900, label %170

170:
  %171 = add i64 %168, -1
  store i64 %171, ptr %165, align 8
  %172 = icmp eq i64 %171, 0
  br i1 %172, label %173, label %900

173:
  store ptr null, ptr %165, align 8
  call fastcc void @destroy(ptr noundef nonnull %11, ptr noundef %165)
  br label %900

174:
  %175 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %176 = load i64, ptr %175, align 8
  %177 = getelementptr inbounds ptr, ptr %82, i64 %176
  %178 = load ptr, ptr %177, align 8
  %179 = getelementptr inbounds nuw i8, ptr %178, i64 16
  %180 = getelementptr inbounds nuw i8, ptr %178, i64 32
  %181 = load i64, ptr %180, align 8
  %182 = freeze i64 %181
  %183 = icmp eq i64 %182, -2
  %184 = load i64, ptr %179, align 8
  %185 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %186 = load i64, ptr %185, align 8
  %187 = icmp ne i64 %184, %186
  %188 = zext i1 %187 to i64
  %189 = getelementptr inbounds nuw i64, ptr %83, i64 %188
  %190 = load i64, ptr %189, align 8
  br i1 %183, label %900, label %930

191:
  %192 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %193 = load i64, ptr %192, align 8
  %194 = getelementptr inbounds ptr, ptr %82, i64 %193
  %195 = load ptr, ptr %194, align 8
  %196 = getelementptr inbounds nuw i8, ptr %195, i64 16
  %197 = load i64, ptr %196, align 8
  %198 = inttoptr i64 %197 to ptr
  %199 = getelementptr inbounds nuw i8, ptr %195, i64 32
  %200 = load i64, ptr %199, align 8
  %201 = icmp slt i64 %200, 0
  br i1 %201, label %930, label %202

202:
  %203 = getelementptr inbounds nuw i8, ptr %195, i64 24
  %204 = load i64, ptr %203, align 8
  %205 = icmp eq i64 %204, 1
  br i1 %205, label %206, label %930

206:
  switch i64 %200, label %930 [
    i64 2, label %207
    i64 1, label %209
    i64 3, label %212
    i64 4, label %216
    i64 0, label %219
  ]

207:
  %208 = load i64, ptr %198, align 1
  br label %228

209:
  %210 = load i32, ptr %198, align 1
  %211 = sext i32 %210 to i64
  br label %228

212:
  %213 = load i8, ptr %198, align 1
  %214 = icmp ne i8 %213, 0
  %215 = zext i1 %214 to i64
  br label %228

216:
  %217 = load i8, ptr %198, align 1
  %218 = zext i8 %217 to i64
  br label %228

219:
  %220 = load float, ptr %198, align 1
  %221 = fcmp oge float %220, 0xC3E0000000000000
  %222 = fcmp olt float %220, 0x43E0000000000000
  %223 = and i1 %221, %222
  br i1 %223, label %224, label %930

224:
  %225 = fptosi float %220 to i64
  %226 = sitofp i64 %225 to float
  %227 = fcmp oeq float %220, %226
  br i1 %227, label %228, label %930

228:
  %229 = phi i64 [ %225, %224 ], [ %218, %216 ], [ %215, %212 ], [ %211, %209 ], [ %208, %207 ]
  %230 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %231 = load i64, ptr %230, align 8
  %232 = getelementptr inbounds ptr, ptr %82, i64 %231
  %233 = load ptr, ptr %232, align 8
  %234 = getelementptr inbounds nuw i8, ptr %233, i64 16
  %235 = load i64, ptr %234, align 8
  %236 = inttoptr i64 %235 to ptr
  %237 = getelementptr inbounds nuw i8, ptr %233, i64 32
  %238 = load i64, ptr %237, align 8
  %239 = icmp slt i64 %238, 0
  br i1 %239, label %930, label %240

240:
  %241 = getelementptr inbounds nuw i8, ptr %233, i64 24
  %242 = load i64, ptr %241, align 8
  %243 = icmp eq i64 %242, 1
  br i1 %243, label %244, label %930

244:
  switch i64 %238, label %930 [
    i64 2, label %245
    i64 1, label %247
    i64 3, label %250
    i64 4, label %254
    i64 0, label %257
  ]

245:
  %246 = load i64, ptr %236, align 1
  br label %262

247:
  %248 = load i32, ptr %236, align 1
  %249 = sext i32 %248 to i64
  br label %262

250:
  %251 = load i8, ptr %236, align 1
  %252 = icmp ne i8 %251, 0
  %253 = zext i1 %252 to i64
  br label %262

254:
  %255 = load i8, ptr %236, align 1
  %256 = zext i8 %255 to i64
  br label %262

257:
  %258 = load float, ptr %236, align 1
  %259 = fcmp oge float %258, 0xC3E0000000000000
  %260 = fcmp olt float %258, 0x43E0000000000000
  %261 = and i1 %259, %260
  br i1 %261, label %268, label %930

262:
  %263 = phi i64 [ %246, %245 ], [ %256, %254 ], [ %253, %250 ], [ %249, %247 ]
  %264 = icmp ne i64 %229, %263
  %265 = zext i1 %264 to i64
  %266 = getelementptr inbounds nuw i64, ptr %83, i64 %265
  %267 = load i64, ptr %266, align 8
  br label %900

268:
  %269 = fptosi float %258 to i64
  %270 = sitofp i64 %269 to float
  %271 = fcmp oeq float %258, %270
  %272 = freeze i1 %271
  %273 = icmp ne i64 %229, %269
  %274 = select i1 %272, i1 %273, i1 false
  %275 = zext i1 %274 to i64
  %276 = getelementptr inbounds nuw i64, ptr %83, i64 %275
  %277 = load i64, ptr %276, align 8
  br i1 %272, label %900, label %930

278:
  %279 = load i64, ptr %83, align 8
  br label %900

280:
  %281 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %282 = load i64, ptr %281, align 8
  %283 = getelementptr inbounds nuw i8, ptr %81, i64 48
  %284 = load i64, ptr %283, align 8
  %285 = getelementptr inbounds nuw i8, ptr %81, i64 40
  %286 = load i64, ptr %285, align 8
  %287 = icmp slt i64 %284, 20
  br i1 %287, label %288, label %292

288:
  %289 = load ptr, ptr %68, align 8
  %290 = load ptr, ptr %289, align 8
  store ptr %290, ptr %68, align 8
  %291 = add i64 %76, -1
  store i64 %291, ptr %59, align 8
  br label %323

292:
  %293 = shl i64 %284, 3
  %294 = add i64 %293, 40
  %295 = load ptr, ptr %11, align 8
  %296 = load i64, ptr %295, align 8
  %297 = getelementptr inbounds nuw i8, ptr %295, i64 48
  %298 = load i64, ptr %297, align 8
  %299 = sub i64 %296, %298
  %300 = getelementptr inbounds nuw i8, ptr %295, i64 24
  %301 = load i64, ptr %300, align 8
  %302 = add i64 %301, %294
  %303 = icmp sgt i64 %302, %299
  br i1 %303, label %304, label %305

304:
  call fastcc void @trim(ptr noundef nonnull %295)
  br label %305

305:
  %306 = getelementptr inbounds nuw i8, ptr %295, i64 8
  %307 = load i64, ptr %306, align 8
  %308 = add i64 %307, %294
  %309 = icmp sgt i64 %308, %299
  br i1 %309, label %310, label %312

310:
  %311 = getelementptr inbounds nuw i8, ptr %295, i64 56
  store i64 %294, ptr %311, align 8
  br label %933

312:
  %313 = load i64, ptr %297, align 8
  %314 = add i64 %313, %294
  store i64 %314, ptr %297, align 8
  %315 = getelementptr inbounds nuw i8, ptr %295, i64 56
  store i64 0, ptr %315, align 8
  %316 = call ptr @malloc(i64 noundef %294)
  %317 = icmp eq ptr %316, null
  br i1 %317, label %318, label %323

318:
  %319 = load ptr, ptr %11, align 8
  %320 = getelementptr inbounds nuw i8, ptr %319, i64 48
  %321 = load i64, ptr %320, align 8
  %322 = sub i64 %321, %294
  store i64 %322, ptr %320, align 8
  br label %933

323:
  %324 = phi ptr [ %289, %288 ], [ %316, %312 ]
  store i64 1, ptr %324, align 8
  %325 = getelementptr inbounds nuw i8, ptr %324, i64 16
  store i64 %282, ptr %325, align 8
  %326 = getelementptr inbounds nuw i8, ptr %324, i64 24
  store i64 %284, ptr %326, align 8
  %327 = getelementptr inbounds nuw i8, ptr %324, i64 32
  store i64 %286, ptr %327, align 8
  %328 = getelementptr inbounds nuw i8, ptr %324, i64 40
  %329 = load i64, ptr %283, align 8
  %330 = icmp sgt i64 %329, 0
  br i1 %330, label %331, label %349

331:
  %332 = phi i64 [ %347, %344 ], [ 0, %323 ]
  %333 = getelementptr inbounds nuw i64, ptr %83, i64 %332
  %334 = load i64, ptr %333, align 8
  %335 = getelementptr inbounds ptr, ptr %82, i64 %334
  %336 = load ptr, ptr %335, align 8
  %337 = load i64, ptr %336, align 8
  %338 = icmp eq i64 %337, 0
  br i1 %338, label %344, label %339

339:
  %340 = add i64 %337, 1
  store i64 %340, ptr %336, align 8
  %341 = load i64, ptr %333, align 8
  %342 = getelementptr inbounds ptr, ptr %82, i64 %341
  %343 = load ptr, ptr %342, align 8
  br label %344

344:
  %345 = phi ptr [ %336, %331 ], [ %343, %339 ]
  %346 = getelementptr inbounds nuw ptr, ptr %328, i64 %332
  store ptr %345, ptr %346, align 8
  %347 = add nuw nsw i64 %332, 1
  %348 = icmp eq i64 %347, %329
  br i1 %348, label %349, label %331

349:
  %350 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %351 = load i64, ptr %350, align 8
  %352 = getelementptr inbounds ptr, ptr %82, i64 %351
  %353 = load ptr, ptr %352, align 8
  store ptr %324, ptr %352, align 8
  %354 = icmp eq ptr %353, null
  br i1 %354, label %900, label %355

355:
  %356 = load i64, ptr %353, align 8
  %357 = icmp eq i64 %356, 0
  br i1 %357, label %900, label %358

358:
  %359 = add i64 %356, -1
  store i64 %359, ptr %353, align 8
  %360 = icmp eq i64 %359, 0
  br i1 %360, label %361, label %900

361:
  store ptr null, ptr %353, align 8
  call fastcc void @destroy(ptr noundef nonnull %11, ptr noundef %353)
  br label %900

362:
  %363 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %364 = load i64, ptr %363, align 8
  %365 = getelementptr inbounds ptr, ptr %82, i64 %364
  %366 = load ptr, ptr %365, align 8
  %367 = getelementptr inbounds nuw i8, ptr %81, i64 40
  %368 = load i64, ptr %367, align 8
  %369 = getelementptr inbounds ptr, ptr %82, i64 %368
  %370 = load ptr, ptr %369, align 8
  %371 = getelementptr inbounds nuw i8, ptr %366, i64 32
  %372 = load i64, ptr %371, align 8
  %373 = getelementptr inbounds nuw i8, ptr %81, i64 72
  %374 = load i64, ptr %373, align 8
  %375 = icmp eq i64 %372, %374
  br i1 %375, label %376, label %930

376:
  %377 = getelementptr inbounds nuw i8, ptr %370, i64 32
  %378 = load i64, ptr %377, align 8
  %379 = icmp eq i64 %378, %372
  br i1 %379, label %380, label %930

380:
  %381 = getelementptr inbounds nuw i8, ptr %366, i64 40
  %382 = load i64, ptr %381, align 8
  %383 = getelementptr inbounds nuw i8, ptr %370, i64 40
  %384 = load i64, ptr %383, align 8
  %385 = icmp eq i64 %382, %384
  br i1 %385, label %386, label %930

386:
  %387 = load i64, ptr %83, align 8
  %388 = icmp slt i64 %387, %382
  br i1 %388, label %389, label %930

389:
  %390 = icmp sgt i64 %382, 0
  br i1 %390, label %391, label %416

391:
  %392 = getelementptr inbounds nuw i8, ptr %366, i64 56
  %393 = getelementptr inbounds nuw i8, ptr %370, i64 56
  br label %394

394:
  %395 = phi i64 [ 0, %391 ], [ %414, %413 ]
  %396 = icmp slt i64 %395, %387
  br i1 %396, label %397, label %405

397:
  %398 = getelementptr inbounds nuw i64, ptr %392, i64 %395
  %399 = load i64, ptr %398, align 8
  %400 = icmp eq i64 %399, 1
  br i1 %400, label %401, label %933

401:
  %402 = getelementptr inbounds nuw i64, ptr %393, i64 %395
  %403 = load i64, ptr %402, align 8
  %404 = icmp eq i64 %403, 1
  br i1 %404, label %413, label %933

405:
  %406 = icmp sgt i64 %395, %387
  br i1 %406, label %407, label %413

407:
  %408 = getelementptr inbounds nuw i64, ptr %392, i64 %395
  %409 = load i64, ptr %408, align 8
  %410 = getelementptr inbounds nuw i64, ptr %393, i64 %395
  %411 = load i64, ptr %410, align 8
  %412 = icmp eq i64 %409, %411
  br i1 %412, label %413, label %933

413:
  %414 = add nuw nsw i64 %395, 1
  %415 = icmp eq i64 %414, %382
  br i1 %415, label %416, label %394

416:
  %417 = getelementptr inbounds nuw i8, ptr %366, i64 48
  %418 = load i64, ptr %417, align 8
  %419 = getelementptr inbounds nuw i8, ptr %370, i64 48
  %420 = load i64, ptr %419, align 8
  %421 = or i64 %420, %418
  %422 = and i64 %421, 2
  %423 = icmp eq i64 %422, 0
  br i1 %423, label %424, label %930

424:
  %425 = getelementptr inbounds nuw i8, ptr %366, i64 56
  %426 = getelementptr inbounds i64, ptr %425, i64 %387
  %427 = load i64, ptr %426, align 8
  %428 = getelementptr inbounds nuw i8, ptr %370, i64 56
  %429 = getelementptr inbounds i64, ptr %428, i64 %387
  %430 = load i64, ptr %429, align 8
  %431 = add i64 %430, %427
  %432 = icmp slt i64 %431, 2147483648
  br i1 %432, label %433, label %930

433:
  %434 = getelementptr inbounds nuw i8, ptr %366, i64 24
  %435 = load i64, ptr %434, align 8
  %436 = getelementptr inbounds nuw i8, ptr %370, i64 24
  %437 = load i64, ptr %436, align 8
  %438 = add i64 %437, %435
  %439 = getelementptr inbounds nuw i8, ptr %81, i64 80
  %440 = load i64, ptr %439, align 8
  %441 = mul i64 %438, %440
  %442 = icmp slt i64 %441, 281474976710657
  br i1 %442, label %443, label %930

443:
  %444 = getelementptr inbounds nuw i8, ptr %366, i64 16
  %445 = mul i64 %440, %435
  %446 = getelementptr inbounds nuw i8, ptr %370, i64 16
  %447 = mul i64 %440, %437
  %448 = getelementptr inbounds nuw i8, ptr %366, i64 8
  %449 = load ptr, ptr %448, align 8
  %450 = icmp eq ptr %449, null
  br i1 %450, label %476, label %451

451:
  %452 = getelementptr inbounds nuw i8, ptr %449, i64 16
  %453 = getelementptr inbounds nuw i8, ptr %449, i64 32
  %454 = load i64, ptr %453, align 8
  %455 = icmp eq i64 %454, -1
  %456 = icmp ne i64 %445, 0
  %457 = and i1 %456, %455
  br i1 %457, label %458, label %476

458:
  %459 = getelementptr inbounds nuw i8, ptr %449, i64 120
  %460 = load i64, ptr %459, align 8
  %461 = icmp eq i64 %460, %445
  br i1 %461, label %462, label %476

462:
  %463 = load i64, ptr %452, align 8
  %464 = load i64, ptr %444, align 8
  %465 = icmp eq i64 %463, %464
  br i1 %465, label %466, label %476

466:
  %467 = add i64 %447, %445
  %468 = getelementptr inbounds nuw i8, ptr %449, i64 24
  %469 = load i64, ptr %468, align 8
  %470 = icmp sgt i64 %467, %469
  br i1 %470, label %476, label %471

471:
  %472 = load i64, ptr %449, align 8
  %473 = icmp eq i64 %472, 0
  br i1 %473, label %647, label %474

474:
  %475 = add i64 %472, 1
  store i64 %475, ptr %449, align 8
  br label %647

476:
  %477 = add i64 %447, %445
  %478 = sdiv i64 %477, 2
  %479 = add i64 %478, %477
  %480 = load ptr, ptr %11, align 8
  %481 = icmp ugt i64 %479, 281474976710656
  br i1 %481, label %535, label %482

482:
  %483 = add nuw nsw i64 %479, 63
  %484 = lshr i64 %483, 6
  %485 = call i64 @llvm.umax.i64(i64 %484, i64 1)
  %486 = call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %485, i1 true)
  %487 = sub nsw i64 59, %486
  %488 = call noundef i64 @llvm.smax.i64(i64 %487, i64 0)
  %489 = add nsw i64 %485, -1
  %490 = lshr i64 %489, %488
  %491 = add nuw nsw i64 %490, 1
  %492 = shl i64 %491, %488
  %493 = shl i64 %492, 6
  %494 = getelementptr inbounds nuw i8, ptr %480, i64 72
  %495 = getelementptr ptr, ptr %494, i64 %491
  %496 = shl nuw nsw i64 %488, 7
  %497 = getelementptr i8, ptr %495, i64 %496
  %498 = load ptr, ptr %497, align 8
  %499 = icmp eq ptr %498, null
  br i1 %499, label %503, label %500

500:
  %501 = load ptr, ptr %498, align 8
  store ptr %501, ptr %497, align 8
  store ptr null, ptr %498, align 8
  %502 = ptrtoint ptr %498 to i64
  br label %621

503:
  %504 = load i64, ptr %480, align 8
  %505 = getelementptr inbounds nuw i8, ptr %480, i64 48
  %506 = load i64, ptr %505, align 8
  %507 = sub i64 %504, %506
  %508 = getelementptr inbounds nuw i8, ptr %480, i64 24
  %509 = load i64, ptr %508, align 8
  %510 = add i64 %509, %493
  %511 = icmp sgt i64 %510, %507
  br i1 %511, label %512, label %513

512:
  call fastcc void @trim(ptr noundef nonnull %480)
  br label %513

513:
  %514 = getelementptr inbounds nuw i8, ptr %480, i64 8
  %515 = load i64, ptr %514, align 8
  %516 = add i64 %515, %493
  %517 = icmp sgt i64 %516, %507
  br i1 %517, label %535, label %518

518:
  %519 = add i64 %493, 64
  %520 = call ptr @calloc(i64 noundef 1, i64 noundef %519)
  %521 = icmp eq ptr %520, null
  br i1 %521, label %535, label %522

522:
  %523 = ptrtoint ptr %520 to i64
  %524 = and i64 %523, -64
  %525 = add i64 %524, 64
  %526 = inttoptr i64 %525 to ptr
  %527 = getelementptr inbounds i8, ptr %526, i64 -8
  store ptr %520, ptr %527, align 8
  %528 = icmp eq i64 %525, 0
  br i1 %528, label %535, label %529

529:
  %530 = load i64, ptr %508, align 8
  %531 = add i64 %530, %493
  store i64 %531, ptr %508, align 8
  %532 = getelementptr inbounds nuw i8, ptr %480, i64 40
  %533 = load i64, ptr %532, align 8
  %534 = add i64 %533, 1
  store i64 %534, ptr %532, align 8
  br label %621

535:
  %536 = load ptr, ptr %11, align 8
  %537 = icmp ugt i64 %477, 281474976710656
  %538 = add i64 %477, 63
  br i1 %537, label %591, label %539

539:
  %540 = lshr i64 %538, 6
  %541 = call i64 @llvm.umax.i64(i64 %540, i64 1)
  %542 = call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %541, i1 true)
  %543 = sub nsw i64 59, %542
  %544 = call noundef i64 @llvm.smax.i64(i64 %543, i64 0)
  %545 = add nsw i64 %541, -1
  %546 = lshr i64 %545, %544
  %547 = add nuw nsw i64 %546, 1
  %548 = shl i64 %547, %544
  %549 = shl i64 %548, 6
  %550 = getelementptr inbounds nuw i8, ptr %536, i64 72
  %551 = getelementptr ptr, ptr %550, i64 %547
  %552 = shl nuw nsw i64 %544, 7
  %553 = getelementptr i8, ptr %551, i64 %552
  %554 = load ptr, ptr %553, align 8
  %555 = icmp eq ptr %554, null
  br i1 %555, label %559, label %556

556:
  %557 = load ptr, ptr %554, align 8
  store ptr %557, ptr %553, align 8
  store ptr null, ptr %554, align 8
  %558 = ptrtoint ptr %554 to i64
  br label %621

559:
  %560 = load i64, ptr %536, align 8
  %561 = getelementptr inbounds nuw i8, ptr %536, i64 48
  %562 = load i64, ptr %561, align 8
  %563 = sub i64 %560, %562
  %564 = getelementptr inbounds nuw i8, ptr %536, i64 24
  %565 = load i64, ptr %564, align 8
  %566 = add i64 %565, %549
  %567 = icmp sgt i64 %566, %563
  br i1 %567, label %568, label %569

568:
  call fastcc void @trim(ptr noundef nonnull %536)
  br label %569

569:
  %570 = getelementptr inbounds nuw i8, ptr %536, i64 8
  %571 = load i64, ptr %570, align 8
  %572 = add i64 %571, %549
  %573 = icmp sgt i64 %572, %563
  br i1 %573, label %591, label %574

574:
  %575 = add i64 %549, 64
  %576 = call ptr @calloc(i64 noundef 1, i64 noundef %575)
  %577 = icmp eq ptr %576, null
  br i1 %577, label %591, label %578

578:
  %579 = ptrtoint ptr %576 to i64
  %580 = and i64 %579, -64
  %581 = add i64 %580, 64
  %582 = inttoptr i64 %581 to ptr
  %583 = getelementptr inbounds i8, ptr %582, i64 -8
  store ptr %576, ptr %583, align 8
  %584 = icmp eq i64 %581, 0
  br i1 %584, label %591, label %585

585:
  %586 = load i64, ptr %564, align 8
  %587 = add i64 %586, %549
  store i64 %587, ptr %564, align 8
  %588 = getelementptr inbounds nuw i8, ptr %536, i64 40
  %589 = load i64, ptr %588, align 8
  %590 = add i64 %589, 1
  store i64 %590, ptr %588, align 8
  br label %621

591:
  %592 = ashr i64 %538, 6
  %593 = call noundef i64 @llvm.smax.i64(i64 %592, i64 1)
  %594 = call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %593, i1 true)
  %595 = sub nsw i64 59, %594
  %596 = call noundef i64 @llvm.smax.i64(i64 %595, i64 0)
  %597 = add nsw i64 %593, -1
  %598 = lshr i64 %597, %596
  %599 = add nuw nsw i64 %598, 1
  %600 = shl i64 %599, %596
  %601 = shl i64 %600, 6
  %602 = load ptr, ptr %11, align 8
  %603 = load i64, ptr %602, align 8
  %604 = getelementptr inbounds nuw i8, ptr %602, i64 48
  %605 = load i64, ptr %604, align 8
  %606 = sub i64 %603, %605
  %607 = getelementptr inbounds nuw i8, ptr %602, i64 24
  %608 = load i64, ptr %607, align 8
  %609 = add i64 %608, %601
  %610 = icmp sgt i64 %609, %606
  br i1 %610, label %611, label %613

611:
  call fastcc void @trim(ptr noundef nonnull %602)
  %612 = load ptr, ptr %11, align 8
  br label %613

613:
  %614 = phi ptr [ %602, %591 ], [ %612, %611 ]
  %615 = getelementptr inbounds nuw i8, ptr %602, i64 8
  %616 = load i64, ptr %615, align 8
  %617 = add i64 %616, %601
  %618 = icmp sgt i64 %617, %606
  %619 = select i1 %618, i64 %601, i64 0
  %620 = getelementptr inbounds nuw i8, ptr %614, i64 56
  store i64 %619, ptr %620, align 8
  br label %933

621:
  %622 = phi ptr [ %480, %529 ], [ %480, %500 ], [ %536, %585 ], [ %536, %556 ]
  %623 = phi i64 [ %493, %529 ], [ %493, %500 ], [ %549, %585 ], [ %549, %556 ]
  %624 = phi i64 [ %525, %529 ], [ %502, %500 ], [ %581, %585 ], [ %558, %556 ]
  %625 = phi i64 [ %479, %529 ], [ %479, %500 ], [ %477, %585 ], [ %477, %556 ]
  %626 = getelementptr inbounds nuw i8, ptr %622, i64 8
  %627 = load i64, ptr %626, align 8
  %628 = add i64 %627, %623
  store i64 %628, ptr %626, align 8
  %629 = getelementptr inbounds nuw i8, ptr %622, i64 16
  %630 = load i64, ptr %629, align 8
  %631 = call noundef i64 @llvm.smax.i64(i64 %630, i64 %628)
  store i64 %631, ptr %629, align 8
  %632 = getelementptr inbounds nuw i8, ptr %622, i64 32
  %633 = load i64, ptr %632, align 8
  %634 = add i64 %633, 1
  store i64 %634, ptr %632, align 8
  %635 = load ptr, ptr %68, align 8
  %636 = load ptr, ptr %635, align 8
  store ptr %636, ptr %68, align 8
  %637 = load i64, ptr %59, align 8
  %638 = add i64 %637, -1
  store i64 %638, ptr %59, align 8
  store i64 1, ptr %635, align 8
  %639 = getelementptr inbounds nuw i8, ptr %635, i64 16
  store i64 %624, ptr %639, align 8
  %640 = getelementptr inbounds nuw i8, ptr %635, i64 24
  store i64 %625, ptr %640, align 8
  %641 = getelementptr inbounds nuw i8, ptr %635, i64 32
  store i64 -1, ptr %641, align 8
  %642 = getelementptr inbounds nuw i8, ptr %635, i64 48
  store i64 0, ptr %642, align 8
  %643 = inttoptr i64 %624 to ptr
  %644 = load i64, ptr %444, align 8
  %645 = inttoptr i64 %644 to ptr
  call void @llvm.memmove.p0.p0.i64(ptr align 1 %643, ptr align 1 %645, i64 %445, i1 false)
  %646 = load i64, ptr %639, align 8
  br label %647

647:
  %648 = phi i64 [ %467, %474 ], [ %467, %471 ], [ %477, %621 ]
  %649 = phi i64 [ %463, %474 ], [ %463, %471 ], [ %646, %621 ]
  %650 = phi ptr [ %449, %474 ], [ %449, %471 ], [ %635, %621 ]
  %651 = getelementptr inbounds nuw i8, ptr %650, i64 16
  %652 = add i64 %649, %445
  %653 = inttoptr i64 %652 to ptr
  %654 = load i64, ptr %446, align 8
  %655 = inttoptr i64 %654 to ptr
  call void @llvm.memmove.p0.p0.i64(ptr align 1 %653, ptr align 1 %655, i64 %447, i1 false)
  %656 = getelementptr inbounds nuw i8, ptr %650, i64 120
  store i64 %648, ptr %656, align 8
  %657 = load ptr, ptr %68, align 8
  %658 = load ptr, ptr %657, align 8
  store ptr %658, ptr %68, align 8
  %659 = load i64, ptr %59, align 8
  %660 = add i64 %659, -1
  store i64 %660, ptr %59, align 8
  store i64 1, ptr %657, align 8
  %661 = getelementptr inbounds nuw i8, ptr %657, i64 8
  store ptr %650, ptr %661, align 8
  %662 = getelementptr inbounds nuw i8, ptr %657, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %662, ptr noundef nonnull readonly align 8 dereferenceable(104) %444, i64 104, i1 false)
  %663 = load i64, ptr %651, align 8
  store i64 %663, ptr %662, align 8
  %664 = load i64, ptr %434, align 8
  %665 = load i64, ptr %436, align 8
  %666 = add i64 %665, %664
  %667 = getelementptr inbounds nuw i8, ptr %657, i64 24
  store i64 %666, ptr %667, align 8
  %668 = getelementptr inbounds nuw i8, ptr %657, i64 48
  store i64 0, ptr %668, align 8
  %669 = load i64, ptr %83, align 8
  %670 = getelementptr inbounds i64, ptr %428, i64 %669
  %671 = load i64, ptr %670, align 8
  %672 = getelementptr inbounds nuw i8, ptr %657, i64 56
  %673 = getelementptr inbounds i64, ptr %672, i64 %669
  %674 = load i64, ptr %673, align 8
  %675 = add i64 %674, %671
  store i64 %675, ptr %673, align 8
  %676 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %677 = load i64, ptr %676, align 8
  %678 = getelementptr inbounds ptr, ptr %82, i64 %677
  %679 = load ptr, ptr %678, align 8
  store ptr %657, ptr %678, align 8
  %680 = icmp eq ptr %679, null
  br i1 %680, label %900, label %681

681:
  %682 = load i64, ptr %679, align 8
  %683 = icmp eq i64 %682, 0
  br i1 %683, label %900, label %684

684:
  %685 = add i64 %682, -1
  store i64 %685, ptr %679, align 8
  %686 = icmp eq i64 %685, 0
  br i1 %686, label %687, label %900

687:
  store ptr null, ptr %679, align 8
  call fastcc void @destroy(ptr noundef nonnull %11, ptr noundef %679)
  br label %900

688:
  %689 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %690 = load i64, ptr %689, align 8
  %691 = icmp eq i64 %86, 8
  %692 = call fastcc i32 @call(ptr noundef nonnull %11, ptr noundef %8, i64 noundef %690, ptr noundef null, i1 noundef zeroext %691)
  br label %927

693:
  %694 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %695 = load i64, ptr %694, align 8
  %696 = getelementptr inbounds ptr, ptr %82, i64 %695
  %697 = load ptr, ptr %696, align 8
  %698 = getelementptr inbounds nuw i8, ptr %697, i64 32
  %699 = load i64, ptr %698, align 8
  %700 = icmp eq i64 %699, -3
  br i1 %700, label %701, label %930

701:
  %702 = getelementptr inbounds nuw i8, ptr %697, i64 16
  %703 = load ptr, ptr %67, align 8
  %704 = load i64, ptr %702, align 8
  %705 = getelementptr inbounds %struct.function, ptr %703, i64 %704
  %706 = getelementptr inbounds nuw i8, ptr %705, i64 8
  %707 = load i64, ptr %706, align 8
  %708 = getelementptr inbounds nuw i8, ptr %697, i64 24
  %709 = load i64, ptr %708, align 8
  %710 = getelementptr inbounds nuw i8, ptr %81, i64 48
  %711 = load i64, ptr %710, align 8
  %712 = add i64 %711, %709
  %713 = icmp eq i64 %707, %712
  br i1 %713, label %714, label %930

714:
  %715 = getelementptr inbounds nuw i8, ptr %81, i64 40
  %716 = load i64, ptr %715, align 8
  %717 = icmp ne i64 %716, 0
  %718 = call fastcc i32 @call(ptr noundef nonnull %11, ptr noundef %8, i64 noundef %704, ptr noundef nonnull %697, i1 noundef zeroext %717)
  br label %927

719:
  %720 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %721 = load i64, ptr %720, align 8
  %722 = getelementptr inbounds ptr, ptr %82, i64 %721
  %723 = load ptr, ptr %722, align 8
  store ptr null, ptr %722, align 8
  %724 = getelementptr inbounds i8, ptr %82, i64 -8
  %725 = load i64, ptr %724, align 8
  %726 = icmp sgt i64 %725, 0
  br i1 %726, label %727, label %742

727:
  %728 = phi i64 [ %740, %739 ], [ 0, %719 ]
  %729 = getelementptr inbounds nuw ptr, ptr %82, i64 %728
  %730 = load ptr, ptr %729, align 8
  %731 = icmp eq ptr %730, null
  br i1 %731, label %739, label %732

732:
  store ptr null, ptr %729, align 8
  %733 = load i64, ptr %730, align 8
  %734 = icmp eq i64 %733, 0
  br i1 %734, label %739, label %735

735:
  %736 = add i64 %733, -1
  store i64 %736, ptr %730, align 8
  %737 = icmp eq i64 %736, 0
  br i1 %737, label %738, label %739

738:
  store ptr null, ptr %730, align 8
  call fastcc void @destroy(ptr noundef nonnull %11, ptr noundef %730)
  br label %739

739:
  %740 = add nuw nsw i64 %728, 1
  %741 = icmp eq i64 %740, %725
  br i1 %741, label %742, label %727

742:
  %743 = load i64, ptr %65, align 8
  %744 = icmp eq i64 %743, 0
  br i1 %744, label %745, label %773

745:
  %746 = getelementptr inbounds nuw i8, ptr %723, i64 8
  %747 = load ptr, ptr %746, align 8
  %748 = getelementptr inbounds nuw i8, ptr %11, i64 136
  store ptr %723, ptr %748, align 8
  store ptr null, ptr %48, align 8
  %749 = getelementptr inbounds nuw i8, ptr %723, i64 16
  %750 = getelementptr inbounds nuw i8, ptr %723, i64 32
  %751 = load i64, ptr %750, align 8
  %752 = icmp slt i64 %751, 0
  br i1 %752, label %936, label %753

753:
  %754 = load i64, ptr %723, align 8
  %755 = icmp eq i64 %754, 1
  %756 = icmp ne ptr %747, null
  %757 = select i1 %755, i1 %756, i1 false
  br i1 %757, label %758, label %936

758:
  %759 = getelementptr inbounds nuw i8, ptr %747, i64 16
  %760 = getelementptr inbounds nuw i8, ptr %747, i64 32
  %761 = load i64, ptr %760, align 8
  %762 = icmp eq i64 %761, -1
  br i1 %762, label %763, label %936

763:
  %764 = load i64, ptr %747, align 8
  %765 = icmp eq i64 %764, 1
  br i1 %765, label %766, label %936

766:
  %767 = getelementptr inbounds nuw i8, ptr %11, i64 168
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %767, ptr noundef nonnull align 8 dereferenceable(104) %749, i64 104, i1 false)
  %768 = load i64, ptr %759, align 8
  %769 = getelementptr inbounds nuw i8, ptr %11, i64 272
  store i64 %768, ptr %769, align 8
  %770 = getelementptr inbounds nuw i8, ptr %747, i64 24
  %771 = load i64, ptr %770, align 8
  %772 = getelementptr inbounds nuw i8, ptr %11, i64 280
  store i64 %771, ptr %772, align 8
  store i64 0, ptr %759, align 8
  call fastcc void @let_go(ptr noundef nonnull %11)
  br label %936

773:
  %774 = getelementptr inbounds i8, ptr %82, i64 -32
  %775 = load ptr, ptr %774, align 8
  %776 = getelementptr inbounds i8, ptr %82, i64 -24
  %777 = load i64, ptr %776, align 8
  %778 = getelementptr inbounds i8, ptr %82, i64 -16
  %779 = load i64, ptr %778, align 8
  %780 = load ptr, ptr %51, align 8
  %781 = getelementptr inbounds ptr, ptr %780, i64 %777
  store i64 %777, ptr %53, align 8
  %782 = add i64 %743, -1
  store i64 %782, ptr %65, align 8
  %783 = getelementptr inbounds i8, ptr %781, i64 -8
  %784 = load i64, ptr %783, align 8
  %785 = load i64, ptr %66, align 8
  %786 = add i64 %785, %784
  store i64 %786, ptr %66, align 8
  store ptr %775, ptr %8, align 8
  store ptr %781, ptr %50, align 8
  %787 = getelementptr inbounds ptr, ptr %781, i64 %779
  %788 = load ptr, ptr %787, align 8
  store ptr %723, ptr %787, align 8
  %789 = icmp eq ptr %788, null
  br i1 %789, label %927, label %790

790:
  %791 = load i64, ptr %788, align 8
  %792 = icmp eq i64 %791, 0
  br i1 %792, label %927, label %793

793:
  %794 = add i64 %791, -1
  store i64 %794, ptr %788, align 8
  %795 = icmp eq i64 %794, 0
  br i1 %795, label %796, label %927

796:
  store ptr null, ptr %788, align 8
  call fastcc void @destroy(ptr noundef nonnull %11, ptr noundef %788)
  br label %927

797:
  %798 = load i64, ptr %60, align 8
  %799 = icmp eq i64 %798, 0
  br i1 %799, label %801, label %800

800:
  store i64 0, ptr %60, align 8
  br label %900

801:
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  %802 = getelementptr inbounds nuw i8, ptr %81, i64 32
  %803 = load i64, ptr %802, align 8
  %804 = getelementptr inbounds i64, ptr %83, i64 %803
  %805 = load i64, ptr %804, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(104) %7, i8 0, i64 104, i1 false)
  store i64 %803, ptr %61, align 8
  %806 = icmp sgt i64 %803, 0
  br i1 %806, label %807, label %846

807:
  %808 = sub i64 %803, %805
  br label %809

809:
  %810 = phi i64 [ 0, %807 ], [ %844, %837 ]
  %811 = getelementptr inbounds nuw i64, ptr %83, i64 %810
  %812 = load i64, ptr %811, align 8
  %813 = getelementptr inbounds ptr, ptr %82, i64 %812
  %814 = load ptr, ptr %813, align 8
  %815 = getelementptr inbounds nuw i8, ptr %814, i64 16
  %816 = getelementptr inbounds nuw ptr, ptr %6, i64 %810
  store ptr %815, ptr %816, align 8
  %817 = getelementptr inbounds nuw i8, ptr %814, i64 32
  %818 = load i64, ptr %817, align 8
  %819 = icmp slt i64 %818, 0
  br i1 %819, label %895, label %820

820:
  %821 = getelementptr inbounds nuw i8, ptr %814, i64 48
  %822 = load i64, ptr %821, align 8
  %823 = and i64 %822, 2
  %824 = icmp eq i64 %823, 0
  br i1 %824, label %825, label %895

825:
  %826 = icmp slt i64 %810, %808
  %827 = and i64 %822, 1
  %828 = icmp eq i64 %827, 0
  %829 = or i1 %826, %828
  br i1 %829, label %830, label %895

830:
  %831 = getelementptr inbounds nuw i8, ptr %814, i64 24
  %832 = load i64, ptr %831, align 8
  %833 = icmp ult i64 %818, 11
  br i1 %833, label %834, label %837

834:
  %835 = getelementptr inbounds nuw i64, ptr @switch.table.anytile_drive, i64 %818
  %836 = load i64, ptr %835, align 8
  br label %837

837:
  %838 = phi i64 [ %836, %834 ], [ 8, %830 ]
  %839 = mul i64 %838, %832
  %840 = load i64, ptr %7, align 16
  %841 = add i64 %840, %839
  store i64 %841, ptr %7, align 16
  %842 = getelementptr i64, ptr %7, i64 %810
  %843 = getelementptr i8, ptr %842, i64 16
  store i64 %832, ptr %843, align 8
  %844 = add nuw nsw i64 %810, 1
  %845 = icmp eq i64 %844, %803
  br i1 %845, label %846, label %809

846:
  %847 = load ptr, ptr %62, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %848 = icmp eq ptr %847, null
  br i1 %848, label %855, label %849

849:
  %850 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5)
  %851 = load i64, ptr %5, align 8
  %852 = mul i64 %851, 1000000000
  %853 = load i64, ptr %63, align 8
  %854 = add i64 %852, %853
  br label %855

855:
  %856 = phi i64 [ %854, %849 ], [ 0, %846 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  %857 = getelementptr inbounds nuw i8, ptr %81, i64 24
  %858 = load i64, ptr %857, align 8
  %859 = inttoptr i64 %858 to ptr
  %860 = getelementptr inbounds nuw i8, ptr %804, i64 8
  %861 = call zeroext i1 %859(ptr noundef nonnull %6, ptr noundef nonnull %860)
  br i1 %861, label %862, label %895

862:
  %863 = load ptr, ptr %62, align 8
  %864 = getelementptr inbounds nuw i8, ptr %81, i64 40
  %865 = load i64, ptr %864, align 8
  %866 = add i64 %803, 2
  %867 = icmp eq ptr %863, null
  br i1 %867, label %894, label %868

868:
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %869 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4)
  %870 = load i64, ptr %4, align 8
  %871 = load i64, ptr %64, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %872 = getelementptr inbounds nuw i8, ptr %863, i64 8
  %873 = load i64, ptr %872, align 8
  %874 = add i64 %873, 1
  store i64 %874, ptr %872, align 8
  %875 = load i64, ptr %863, align 8
  %876 = icmp slt i64 %873, %875
  br i1 %876, label %877, label %894

877:
  %878 = mul i64 %870, 1000000000
  %879 = add i64 %878, %871
  %880 = getelementptr inbounds nuw i8, ptr %863, i64 16
  %881 = getelementptr inbounds %struct.event, ptr %880, i64 %873
  store i64 %865, ptr %881, align 8
  %882 = getelementptr inbounds nuw i8, ptr %881, i64 8
  store i64 %856, ptr %882, align 8
  %883 = getelementptr inbounds nuw i8, ptr %881, i64 16
  store i64 %879, ptr %883, align 8
  %884 = icmp sgt i64 %866, 0
  br i1 %884, label %885, label %894

885:
  %886 = getelementptr inbounds nuw i8, ptr %881, i64 24
  br label %887

887:
  %888 = phi i64 [ 0, %885 ], [ %892, %887 ]
  %889 = getelementptr inbounds nuw i64, ptr %7, i64 %888
  %890 = load i64, ptr %889, align 8
  %891 = getelementptr inbounds nuw i64, ptr %886, i64 %888
  store i64 %890, ptr %891, align 8
  %892 = add nuw nsw i64 %888, 1
  %893 = icmp eq i64 %892, %866
  br i1 %893, label %894, label %887

894:
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  store i64 0, ptr %60, align 8
  br label %900

895:
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  store i64 0, ptr %60, align 8
  br label %933

896:
  %897 = load i64, ptr %60, align 8
  %898 = freeze i64 %897
  %899 = icmp eq i64 %898, 0
  store i64 0, ptr %60, align 8
  br i1 %899, label %930, label %900

900:
  %901 = phi i64 [ %85, %800 ], [ %85, %896 ], [ %277, %268 ], [ %190, %174 ], [ %85, %894 ], [ %267, %262 ], [ %85, %687 ], [ %85, %684 ], [ %85, %681 ], [ %85, %647 ], [ %85, %361 ], [ %85, %358 ], [ %85, %355 ], [ %85, %349 ], [ %85, %170 ], [ %85, %167 ], [ %85, %159 ], [ %85, %128 ], [ %85, %125 ], [ %85, %119 ], [ %279, %278 ], [ %85, %173 ], [ %96, %93 ], [ %85, %131 ]
  %902 = getelementptr inbounds nuw i8, ptr %81, i64 48
  %903 = load i64, ptr %902, align 8
  %904 = getelementptr inbounds i64, ptr %83, i64 %903
  %905 = getelementptr inbounds nuw i8, ptr %81, i64 56
  %906 = load i64, ptr %905, align 8
  %907 = icmp sgt i64 %906, 0
  br i1 %907, label %908, label %925

908:
  %909 = phi i64 [ %923, %922 ], [ 0, %900 ]
  %910 = getelementptr inbounds nuw i64, ptr %904, i64 %909
  %911 = load i64, ptr %910, align 8
  %912 = getelementptr inbounds ptr, ptr %82, i64 %911
  %913 = load ptr, ptr %912, align 8
  store ptr null, ptr %912, align 8
  %914 = icmp eq ptr %913, null
  br i1 %914, label %922, label %915

915:
  %916 = load i64, ptr %913, align 8
  %917 = icmp eq i64 %916, 0
  br i1 %917, label %922, label %918

918:
  %919 = add i64 %916, -1
  store i64 %919, ptr %913, align 8
  %920 = icmp eq i64 %919, 0
  br i1 %920, label %921, label %922

921:
  store ptr null, ptr %913, align 8
  call fastcc void @destroy(ptr noundef nonnull %11, ptr noundef %913)
  br label %922

922:
  %923 = add nuw nsw i64 %909, 1
  %924 = icmp eq i64 %923, %906
  br i1 %924, label %925, label %908

925:
  %926 = getelementptr inbounds i64, ptr %81, i64 %901
  store ptr %926, ptr %8, align 8
  br label %927

927:
  %928 = phi i32 [ 0, %773 ], [ %692, %688 ], [ %718, %714 ], [ 0, %796 ], [ 0, %925 ], [ 0, %790 ], [ 0, %793 ]
  %929 = icmp eq i32 %928, 0
  br i1 %929, label %69, label %930

930:
  %931 = phi i32 [ 3, %174 ], [ 3, %202 ], [ 3, %433 ], [ 3, %105 ], [ 3, %701 ], [ 3, %132 ], [ 3, %80 ], [ 3, %97 ], [ 3, %362 ], [ 3, %386 ], [ 3, %380 ], [ 3, %376 ], [ 3, %424 ], [ 3, %416 ], [ %91, %87 ], [ 3, %693 ], [ 3, %224 ], [ 3, %244 ], [ 3, %228 ], [ 3, %257 ], [ 3, %240 ], [ 3, %191 ], [ 3, %219 ], [ 3, %206 ], [ 3, %896 ], [ 3, %268 ], [ %928, %927 ], [ 2, %69 ]
  %932 = sext i32 %931 to i64
  br label %933

933:
  %934 = phi i64 [ %932, %930 ], [ 3, %895 ], [ 3, %407 ], [ 5, %310 ], [ 5, %318 ], [ 5, %613 ], [ 3, %397 ], [ 3, %401 ], [ 5, %78 ]
  %935 = load ptr, ptr %8, align 8
  store ptr %935, ptr %48, align 8
  br label %936

936:
  %937 = phi i64 [ %934, %933 ], [ 0, %753 ], [ 0, %758 ], [ 0, %763 ], [ 1, %766 ], [ 0, %745 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  call void @PyEval_RestoreThread(ptr noundef %12)
  %938 = call ptr @PyLong_FromLong(i64 noundef %937)
  ret ptr %938
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

declare i32 @clock_gettime(i32 noundef, ptr noundef) nonlazybind

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

