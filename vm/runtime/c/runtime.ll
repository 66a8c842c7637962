; LLVM IR of runtime.c, written by scripts/runtime: do not edit. 25c118c8f902280b
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
%struct.shared_size = type { i64, i64, i64, i64 }
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
@switch.table.copied_array = private constant [15 x i64] [i64 4, i64 4, i64 8, i64 1, i64 1, i64 8, i64 2, i64 1, i64 2, i64 2, i64 4, i64 8, i64 2, i64 1, i64 1], align 8

define ptr @anytile_begin(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = tail call i64 @PyLong_AsSsize_t(ptr noundef %4)
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i64 @PyLong_AsSsize_t(ptr noundef %8)
  %10 = tail call ptr @PyEval_SaveThread()
  %11 = tail call fastcc i32 @begin(ptr noundef %6, i64 noundef %9)
  tail call void @PyEval_RestoreThread(ptr noundef %10)
  %12 = zext nneg i32 %11 to i64
  %13 = tail call ptr @PyLong_FromLong(i64 noundef %12)
  ret ptr %13
}

declare i64 @PyLong_AsSsize_t(ptr noundef) nonlazybind

declare ptr @PyEval_SaveThread() nonlazybind

define internal fastcc range(i32 0, 2) i32 @begin(ptr noundef captures(none) %0, i64 noundef %1) #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds %struct.function, ptr %4, i64 %1
  %6 = load i64, ptr %5, align 8
  %7 = add i64 %6, 4
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %9 = load i64, ptr %8, align 8
  %10 = icmp sgt i64 %7, %9
  br i1 %10, label %14, label %11

11:
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %13 = load ptr, ptr %12, align 8
  br label %16

14:
  %15 = tail call fastcc ptr @grow_stack(ptr noundef nonnull %0, i64 noundef %7)
  br label %16

16:
  %17 = phi ptr [ %13, %11 ], [ %15, %14 ]
  %18 = icmp eq ptr %17, null
  br i1 %18, label %64, label %19

19:
  %20 = getelementptr inbounds nuw i8, ptr %17, i64 32
  %21 = load i64, ptr %5, align 8
  %22 = shl i64 %21, 3
  tail call void @llvm.memset.p0.i64(ptr nonnull align 8 %20, i8 0, i64 %22, i1 false)
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 160
  %24 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %25 = load i64, ptr %24, align 8
  %26 = icmp sgt i64 %25, 0
  br i1 %26, label %27, label %44

27:
  %28 = load ptr, ptr %23, align 8
  %29 = getelementptr inbounds nuw i8, ptr %28, i64 40
  br label %30

30:
  %31 = phi i64 [ 0, %27 ], [ %42, %39 ]
  %32 = getelementptr inbounds nuw ptr, ptr %29, i64 %31
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, 0
  br i1 %35, label %39, label %36

36:
  %37 = add i64 %34, 1
  store i64 %37, ptr %33, align 8
  %38 = load ptr, ptr %32, align 8
  br label %39

39:
  %40 = phi ptr [ %33, %30 ], [ %38, %36 ]
  %41 = getelementptr inbounds nuw ptr, ptr %20, i64 %31
  store ptr %40, ptr %41, align 8
  %42 = add nuw nsw i64 %31, 1
  %43 = icmp eq i64 %42, %25
  br i1 %43, label %44, label %30

44:
  %45 = load i64, ptr %5, align 8
  %46 = getelementptr inbounds nuw i8, ptr %17, i64 24
  store i64 %45, ptr %46, align 8
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 88
  store i64 4, ptr %47, align 8
  %48 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %49 = load ptr, ptr %48, align 8
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 96
  store ptr %49, ptr %50, align 8
  %51 = load ptr, ptr %23, align 8
  store ptr null, ptr %23, align 8
  %52 = icmp eq ptr %51, null
  br i1 %52, label %60, label %53

53:
  %54 = load i64, ptr %51, align 8
  %55 = icmp eq i64 %54, 0
  br i1 %55, label %60, label %56

56:
  %57 = add i64 %54, -1
  store i64 %57, ptr %51, align 8
  %58 = icmp eq i64 %57, 0
  br i1 %58, label %59, label %60

59:
  store ptr null, ptr %51, align 8
  tail call fastcc void @destroy(ptr noundef nonnull %0, ptr noundef %51)
  br label %60

60:
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 104
  store i64 0, ptr %61, align 8
  %62 = getelementptr inbounds nuw i8, ptr %0, i64 112
  store i64 67108864, ptr %62, align 8
  %63 = getelementptr inbounds nuw i8, ptr %0, i64 144
  store i64 0, ptr %63, align 8
  br label %64

64:
  %65 = phi i32 [ 0, %60 ], [ 1, %16 ]
  ret i32 %65
}

declare void @PyEval_RestoreThread(ptr noundef) nonlazybind

declare ptr @PyLong_FromLong(i64 noundef) nonlazybind

define ptr @anytile_drive(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = tail call i64 @PyLong_AsSsize_t(ptr noundef %4)
  %6 = inttoptr i64 %5 to ptr
  %7 = tail call ptr @PyEval_SaveThread()
  %8 = load ptr, ptr %6, align 8
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 64
  %10 = atomicrmw xchg ptr %9, i64 0 acquire, align 8
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %42, label %12

12:
  %13 = inttoptr i64 %10 to ptr
  %14 = getelementptr inbounds nuw i8, ptr %8, i64 72
  %15 = getelementptr inbounds nuw i8, ptr %8, i64 8
  br label %16

16:
  %17 = phi ptr [ %13, %12 ], [ %18, %16 ]
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds nuw i8, ptr %17, i64 8
  %20 = load i64, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %17, i64 16
  %22 = load i64, ptr %21, align 8
  %23 = add i64 %22, 63
  %24 = ashr i64 %23, 6
  %25 = tail call noundef i64 @llvm.smax.i64(i64 %24, i64 1)
  %26 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %25, i1 true)
  %27 = sub nsw i64 59, %26
  %28 = tail call noundef i64 @llvm.smax.i64(i64 %27, i64 0)
  %29 = add nsw i64 %25, -1
  %30 = lshr i64 %29, %28
  %31 = add nuw nsw i64 %30, 1
  %32 = shl i64 %31, %28
  %33 = shl i64 %32, 6
  %34 = inttoptr i64 %20 to ptr
  %35 = getelementptr ptr, ptr %14, i64 %31
  %36 = shl nuw nsw i64 %28, 7
  %37 = getelementptr i8, ptr %35, i64 %36
  %38 = load ptr, ptr %37, align 8
  store ptr %38, ptr %34, align 8
  store ptr %34, ptr %37, align 8
  %39 = load i64, ptr %15, align 8
  %40 = sub i64 %39, %33
  store i64 %40, ptr %15, align 8
  tail call void @free(ptr noundef nonnull %17)
  %41 = icmp eq ptr %18, null
  br i1 %41, label %42, label %16

42:
  %43 = tail call fastcc i32 @drive(ptr noundef nonnull %6)
  tail call void @PyEval_RestoreThread(ptr noundef %7)
  %44 = sext i32 %43 to i64
  %45 = tail call ptr @PyLong_FromLong(i64 noundef %44)
  ret ptr %45
}

define internal fastcc range(i32 16, 6) i32 @drive(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca %struct.timespec, align 8
  %4 = alloca [4 x ptr], align 16
  %5 = alloca [13 x i64], align 16
  %6 = alloca %struct.place, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %8 = load ptr, ptr %7, align 8
  store ptr %8, ptr %6, align 8
  %9 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %13 = load i64, ptr %12, align 8
  %14 = getelementptr inbounds ptr, ptr %11, i64 %13
  store ptr %14, ptr %9, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %20 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %22 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %23 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 32
  br label %28

28:
  %29 = phi i64 [ %16, %1 ], [ %30, %772 ]
  %30 = add i64 %29, -1
  %31 = icmp slt i64 %29, 1
  br i1 %31, label %775, label %32

32:
  %33 = load i64, ptr %17, align 8
  br label %34

34:
  %35 = load i64, ptr %18, align 8
  %36 = icmp slt i64 %35, %33
  br i1 %36, label %37, label %39

37:
  %38 = call fastcc zeroext i1 @more_cells(ptr noundef nonnull %0)
  br i1 %38, label %34, label %775

39:
  %40 = load ptr, ptr %6, align 8
  %41 = load ptr, ptr %9, align 8
  %42 = getelementptr inbounds nuw i8, ptr %40, i64 64
  %43 = getelementptr inbounds nuw i8, ptr %40, i64 16
  %44 = load i64, ptr %43, align 8
  %45 = load i64, ptr %40, align 8
  switch i64 %45, label %775 [
    i64 0, label %46
    i64 1, label %56
    i64 2, label %91
    i64 3, label %133
    i64 4, label %150
    i64 5, label %237
    i64 6, label %239
    i64 12, label %321
    i64 7, label %533
    i64 8, label %533
    i64 9, label %538
    i64 10, label %564
    i64 13, label %642
    i64 11, label %741
  ]

46:
  %47 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %48 = load i64, ptr %47, align 8
  %49 = inttoptr i64 %48 to ptr
  %50 = call i32 %49(ptr noundef %41, ptr noundef nonnull %0)
  %51 = icmp ugt i32 %50, 15
  br i1 %51, label %775, label %52

52:
  %53 = zext nneg i32 %50 to i64
  %54 = getelementptr inbounds nuw i64, ptr %42, i64 %53
  %55 = load i64, ptr %54, align 8
  br label %745

56:
  %57 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %58 = load i64, ptr %57, align 8
  %59 = getelementptr inbounds ptr, ptr %41, i64 %58
  %60 = load ptr, ptr %59, align 8
  %61 = getelementptr inbounds nuw i8, ptr %60, i64 32
  %62 = load i64, ptr %61, align 8
  %63 = icmp eq i64 %62, -2
  br i1 %63, label %64, label %775

64:
  %65 = getelementptr inbounds nuw i8, ptr %40, i64 40
  %66 = load i64, ptr %65, align 8
  %67 = getelementptr inbounds nuw i8, ptr %60, i64 24
  %68 = load i64, ptr %67, align 8
  %69 = icmp ult i64 %66, %68
  br i1 %69, label %70, label %775

70:
  %71 = getelementptr inbounds nuw i8, ptr %60, i64 40
  %72 = getelementptr inbounds ptr, ptr %71, i64 %66
  %73 = load ptr, ptr %72, align 8
  %74 = load i64, ptr %73, align 8
  %75 = icmp eq i64 %74, 0
  br i1 %75, label %78, label %76

76:
  %77 = add i64 %74, 1
  store i64 %77, ptr %73, align 8
  br label %78

78:
  %79 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %80 = load i64, ptr %79, align 8
  %81 = getelementptr inbounds ptr, ptr %41, i64 %80
  %82 = load ptr, ptr %81, align 8
  store ptr %73, ptr %81, align 8
  %83 = icmp eq ptr %82, null
  br i1 %83, label %745, label %84

84:
  %85 = load i64, ptr %82, align 8
  %86 = icmp eq i64 %85, 0
  br i1 %86, label %745, label %87

87:
  %88 = add i64 %85, -1
  store i64 %88, ptr %82, align 8
  %89 = icmp eq i64 %88, 0
  br i1 %89, label %90, label %745

90:
  store ptr null, ptr %82, align 8
  call fastcc void @destroy(ptr noundef nonnull %0, ptr noundef %82)
  br label %745

91:
  %92 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %93 = load i64, ptr %92, align 8
  %94 = getelementptr inbounds ptr, ptr %41, i64 %93
  %95 = load ptr, ptr %94, align 8
  %96 = getelementptr inbounds nuw i8, ptr %95, i64 32
  %97 = load i64, ptr %96, align 8
  %98 = icmp eq i64 %97, -2
  br i1 %98, label %99, label %775

99:
  %100 = load ptr, ptr %27, align 8
  %101 = load ptr, ptr %100, align 8
  store ptr %101, ptr %27, align 8
  %102 = add i64 %35, -1
  store i64 %102, ptr %18, align 8
  store i64 1, ptr %100, align 8
  %103 = getelementptr inbounds nuw i8, ptr %100, i64 8
  store ptr null, ptr %103, align 8
  %104 = getelementptr inbounds nuw i8, ptr %100, i64 16
  %105 = getelementptr inbounds nuw i8, ptr %100, i64 128
  %106 = ptrtoint ptr %105 to i64
  store i64 %106, ptr %104, align 8
  %107 = getelementptr inbounds nuw i8, ptr %100, i64 24
  store i64 1, ptr %107, align 8
  %108 = getelementptr inbounds nuw i8, ptr %100, i64 32
  store i64 2, ptr %108, align 8
  %109 = getelementptr inbounds nuw i8, ptr %100, i64 40
  store i64 0, ptr %109, align 8
  %110 = getelementptr inbounds nuw i8, ptr %100, i64 48
  store i64 1, ptr %110, align 8
  %111 = getelementptr inbounds nuw i8, ptr %100, i64 56
  store i64 1, ptr %111, align 8
  %112 = getelementptr inbounds nuw i8, ptr %100, i64 64
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %112, i8 0, i64 56, i1 false)
  br label %113

113:
  %114 = phi i64 [ 1, %99 ], [ %116, %113 ]
  %115 = getelementptr inbounds nuw i64, ptr %111, i64 %114
  store i64 1, ptr %115, align 8
  %116 = add nuw nsw i64 %114, 1
  %117 = icmp eq i64 %116, 8
  br i1 %117, label %118, label %113

118:
  %119 = getelementptr inbounds nuw i8, ptr %95, i64 16
  %120 = load i64, ptr %119, align 8
  store i64 %120, ptr %105, align 8
  %121 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %122 = load i64, ptr %121, align 8
  %123 = getelementptr inbounds ptr, ptr %41, i64 %122
  %124 = load ptr, ptr %123, align 8
  store ptr %100, ptr %123, align 8
  %125 = icmp eq ptr %124, null
  br i1 %125, label %745, label %126

126:
  %127 = load i64, ptr %124, align 8
  %128 = icmp eq i64 %127, 0
  br i1 %128, label %745, label %129

129:
  %130 = add i64 %127, -1
  store i64 %130, ptr %124, align 8
  %131 = icmp eq i64 %130, 0
  br i1 %131, label %132, label %745

132:
  store ptr null, ptr %124, align 8
  call fastcc void @destroy(ptr noundef nonnull %0, ptr noundef %124)
  br label %745

133:
  %134 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %135 = load i64, ptr %134, align 8
  %136 = getelementptr inbounds ptr, ptr %41, i64 %135
  %137 = load ptr, ptr %136, align 8
  %138 = getelementptr inbounds nuw i8, ptr %137, i64 16
  %139 = getelementptr inbounds nuw i8, ptr %137, i64 32
  %140 = load i64, ptr %139, align 8
  %141 = freeze i64 %140
  %142 = icmp eq i64 %141, -2
  %143 = load i64, ptr %138, align 8
  %144 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %145 = load i64, ptr %144, align 8
  %146 = icmp ne i64 %143, %145
  %147 = zext i1 %146 to i64
  %148 = getelementptr inbounds nuw i64, ptr %42, i64 %147
  %149 = load i64, ptr %148, align 8
  br i1 %142, label %745, label %775

150:
  %151 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %152 = load i64, ptr %151, align 8
  %153 = getelementptr inbounds ptr, ptr %41, i64 %152
  %154 = load ptr, ptr %153, align 8
  %155 = getelementptr inbounds nuw i8, ptr %154, i64 16
  %156 = load i64, ptr %155, align 8
  %157 = inttoptr i64 %156 to ptr
  %158 = getelementptr inbounds nuw i8, ptr %154, i64 32
  %159 = load i64, ptr %158, align 8
  %160 = icmp slt i64 %159, 0
  br i1 %160, label %775, label %161

161:
  %162 = getelementptr inbounds nuw i8, ptr %154, i64 24
  %163 = load i64, ptr %162, align 8
  %164 = icmp eq i64 %163, 1
  br i1 %164, label %165, label %775

165:
  switch i64 %159, label %775 [
    i64 2, label %166
    i64 1, label %168
    i64 3, label %171
    i64 4, label %175
    i64 0, label %178
  ]

166:
  %167 = load i64, ptr %157, align 1
  br label %187

168:
  %169 = load i32, ptr %157, align 1
  %170 = sext i32 %169 to i64
  br label %187

171:
  %172 = load i8, ptr %157, align 1
  %173 = icmp ne i8 %172, 0
  %174 = zext i1 %173 to i64
  br label %187

175:
  %176 = load i8, ptr %157, align 1
  %177 = zext i8 %176 to i64
  br label %187

178:
  %179 = load float, ptr %157, align 1
  %180 = fcmp oge float %179, 0xC3E0000000000000
  %181 = fcmp olt float %179, 0x43E0000000000000
  %182 = and i1 %180, %181
  br i1 %182, label %183, label %775

183:
  %184 = fptosi float %179 to i64
  %185 = sitofp i64 %184 to float
  %186 = fcmp oeq float %179, %185
  br i1 %186, label %187, label %775

187:
  %188 = phi i64 [ %184, %183 ], [ %177, %175 ], [ %174, %171 ], [ %170, %168 ], [ %167, %166 ]
  %189 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %190 = load i64, ptr %189, align 8
  %191 = getelementptr inbounds ptr, ptr %41, i64 %190
  %192 = load ptr, ptr %191, align 8
  %193 = getelementptr inbounds nuw i8, ptr %192, i64 16
  %194 = load i64, ptr %193, align 8
  %195 = inttoptr i64 %194 to ptr
  %196 = getelementptr inbounds nuw i8, ptr %192, i64 32
  %197 = load i64, ptr %196, align 8
  %198 = icmp slt i64 %197, 0
  br i1 %198, label %775, label %199

199:
  %200 = getelementptr inbounds nuw i8, ptr %192, i64 24
  %201 = load i64, ptr %200, align 8
  %202 = icmp eq i64 %201, 1
  br i1 %202, label %203, label %775

203:
  switch i64 %197, label %775 [
    i64 2, label %204
    i64 1, label %206
    i64 3, label %209
    i64 4, label %213
    i64 0, label %216
  ]

204:
  %205 = load i64, ptr %195, align 1
  br label %221

206:
  %207 = load i32, ptr %195, align 1
  %208 = sext i32 %207 to i64
  br label %221

209:
  %210 = load i8, ptr %195, align 1
  %211 = icmp ne i8 %210, 0
  %212 = zext i1 %211 to i64
  br label %221

213:
  %214 = load i8, ptr %195, align 1
  %215 = zext i8 %214 to i64
  br label %221

216:
  %217 = load float, ptr %195, align 1
  %218 = fcmp oge float %217, 0xC3E0000000000000
  %219 = fcmp olt float %217, 0x43E0000000000000
  %220 = and i1 %218, %219
  br i1 %220, label %227, label %775

221:
  %222 = phi i64 [ %205, %204 ], [ %215, %213 ], [ %212, %209 ], [ %208, %206 ]
  %223 = icmp ne i64 %188, %222
  %224 = zext i1 %223 to i64
  %225 = getelementptr inbounds nuw i64, ptr %42, i64 %224
  %226 = load i64, ptr %225, align 8
  br label %745

227:
  %228 = fptosi float %217 to i64
  %229 = sitofp i64 %228 to float
  %230 = fcmp oeq float %217, %229
  %231 = freeze i1 %230
  %232 = icmp ne i64 %188, %228
  %233 = select i1 %231, i1 %232, i1 false
  %234 = zext i1 %233 to i64
  %235 = getelementptr inbounds nuw i64, ptr %42, i64 %234
  %236 = load i64, ptr %235, align 8
  br i1 %231, label %745, label %775

237:
  %238 = load i64, ptr %42, align 8
  br label %745

239:
  %240 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %241 = load i64, ptr %240, align 8
  %242 = getelementptr inbounds nuw i8, ptr %40, i64 48
  %243 = load i64, ptr %242, align 8
  %244 = getelementptr inbounds nuw i8, ptr %40, i64 40
  %245 = load i64, ptr %244, align 8
  %246 = icmp slt i64 %243, 20
  br i1 %246, label %247, label %251

247:
  %248 = load ptr, ptr %27, align 8
  %249 = load ptr, ptr %248, align 8
  store ptr %249, ptr %27, align 8
  %250 = add i64 %35, -1
  store i64 %250, ptr %18, align 8
  br label %282

251:
  %252 = shl i64 %243, 3
  %253 = add i64 %252, 40
  %254 = load ptr, ptr %0, align 8
  %255 = load i64, ptr %254, align 8
  %256 = getelementptr inbounds nuw i8, ptr %254, i64 48
  %257 = load i64, ptr %256, align 8
  %258 = sub i64 %255, %257
  %259 = getelementptr inbounds nuw i8, ptr %254, i64 24
  %260 = load i64, ptr %259, align 8
  %261 = add i64 %260, %253
  %262 = icmp sgt i64 %261, %258
  br i1 %262, label %263, label %264

263:
  call fastcc void @trim(ptr noundef nonnull %254)
  br label %264

264:
  %265 = getelementptr inbounds nuw i8, ptr %254, i64 8
  %266 = load i64, ptr %265, align 8
  %267 = add i64 %266, %253
  %268 = icmp sgt i64 %267, %258
  br i1 %268, label %269, label %271

269:
  %270 = getelementptr inbounds nuw i8, ptr %254, i64 56
  store i64 %253, ptr %270, align 8
  br label %775

271:
  %272 = load i64, ptr %256, align 8
  %273 = add i64 %272, %253
  store i64 %273, ptr %256, align 8
  %274 = getelementptr inbounds nuw i8, ptr %254, i64 56
  store i64 0, ptr %274, align 8
  %275 = call ptr @malloc(i64 noundef %253)
  %276 = icmp eq ptr %275, null
  br i1 %276, label %277, label %282

277:
  %278 = load ptr, ptr %0, align 8
  %279 = getelementptr inbounds nuw i8, ptr %278, i64 48
  %280 = load i64, ptr %279, align 8
  %281 = sub i64 %280, %253
  store i64 %281, ptr %279, align 8
  br label %775

282:
  %283 = phi ptr [ %248, %247 ], [ %275, %271 ]
  store i64 1, ptr %283, align 8
  %284 = getelementptr inbounds nuw i8, ptr %283, i64 16
  store i64 %241, ptr %284, align 8
  %285 = getelementptr inbounds nuw i8, ptr %283, i64 24
  store i64 %243, ptr %285, align 8
  %286 = getelementptr inbounds nuw i8, ptr %283, i64 32
  store i64 %245, ptr %286, align 8
  %287 = getelementptr inbounds nuw i8, ptr %283, i64 40
  %288 = load i64, ptr %242, align 8
  %289 = icmp sgt i64 %288, 0
  br i1 %289, label %290, label %308

290:
  %291 = phi i64 [ %306, %303 ], [ 0, %282 ]
  %292 = getelementptr inbounds nuw i64, ptr %42, i64 %291
  %293 = load i64, ptr %292, align 8
  %294 = getelementptr inbounds ptr, ptr %41, i64 %293
  %295 = load ptr, ptr %294, align 8
  %296 = load i64, ptr %295, align 8
  %297 = icmp eq i64 %296, 0
  br i1 %297, label %303, label %298

298:
  %299 = add i64 %296, 1
  store i64 %299, ptr %295, align 8
  %300 = load i64, ptr %292, align 8
  %301 = getelementptr inbounds ptr, ptr %41, i64 %300
  %302 = load ptr, ptr %301, align 8
  br label %303

303:
  %304 = phi ptr [ %295, %290 ], [ %302, %298 ]
  %305 = getelementptr inbounds nuw ptr, ptr %287, i64 %291
  store ptr %304, ptr %305, align 8
  %306 = add nuw nsw i64 %291, 1
  %307 = icmp eq i64 %306, %288
  br i1 %307, label %308, label %290

308:
  %309 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %310 = load i64, ptr %309, align 8
  %311 = getelementptr inbounds ptr, ptr %41, i64 %310
  %312 = load ptr, ptr %311, align 8
  store ptr %283, ptr %311, align 8
  %313 = icmp eq ptr %312, null
  br i1 %313, label %745, label %314

314:
  %315 = load i64, ptr %312, align 8
  %316 = icmp eq i64 %315, 0
  br i1 %316, label %745, label %317

317:
  %318 = add i64 %315, -1
  store i64 %318, ptr %312, align 8
  %319 = icmp eq i64 %318, 0
  br i1 %319, label %320, label %745

320:
  store ptr null, ptr %312, align 8
  call fastcc void @destroy(ptr noundef %0, ptr noundef %312)
  br label %745

321:
  %322 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %323 = load i64, ptr %322, align 8
  %324 = getelementptr inbounds ptr, ptr %41, i64 %323
  %325 = load ptr, ptr %324, align 8
  %326 = getelementptr inbounds nuw i8, ptr %40, i64 40
  %327 = load i64, ptr %326, align 8
  %328 = getelementptr inbounds ptr, ptr %41, i64 %327
  %329 = load ptr, ptr %328, align 8
  %330 = getelementptr inbounds nuw i8, ptr %325, i64 32
  %331 = load i64, ptr %330, align 8
  %332 = getelementptr inbounds nuw i8, ptr %40, i64 72
  %333 = load i64, ptr %332, align 8
  %334 = icmp eq i64 %331, %333
  br i1 %334, label %335, label %775

335:
  %336 = getelementptr inbounds nuw i8, ptr %329, i64 32
  %337 = load i64, ptr %336, align 8
  %338 = icmp eq i64 %337, %331
  br i1 %338, label %339, label %775

339:
  %340 = getelementptr inbounds nuw i8, ptr %325, i64 40
  %341 = load i64, ptr %340, align 8
  %342 = getelementptr inbounds nuw i8, ptr %329, i64 40
  %343 = load i64, ptr %342, align 8
  %344 = icmp eq i64 %341, %343
  br i1 %344, label %345, label %775

345:
  %346 = load i64, ptr %42, align 8
  %347 = icmp slt i64 %346, %341
  br i1 %347, label %348, label %775

348:
  %349 = icmp sgt i64 %341, 0
  br i1 %349, label %350, label %375

350:
  %351 = getelementptr inbounds nuw i8, ptr %325, i64 56
  %352 = getelementptr inbounds nuw i8, ptr %329, i64 56
  br label %353

353:
  %354 = phi i64 [ 0, %350 ], [ %373, %372 ]
  %355 = icmp slt i64 %354, %346
  br i1 %355, label %356, label %364

356:
  %357 = getelementptr inbounds nuw i64, ptr %351, i64 %354
  %358 = load i64, ptr %357, align 8
  %359 = icmp eq i64 %358, 1
  br i1 %359, label %360, label %775

360:
  %361 = getelementptr inbounds nuw i64, ptr %352, i64 %354
  %362 = load i64, ptr %361, align 8
  %363 = icmp eq i64 %362, 1
  br i1 %363, label %372, label %775

364:
  %365 = icmp sgt i64 %354, %346
  br i1 %365, label %366, label %372

366:
  %367 = getelementptr inbounds nuw i64, ptr %351, i64 %354
  %368 = load i64, ptr %367, align 8
  %369 = getelementptr inbounds nuw i64, ptr %352, i64 %354
  %370 = load i64, ptr %369, align 8
  %371 = icmp eq i64 %368, %370
  br i1 %371, label %372, label %775

372:
  %373 = add nuw nsw i64 %354, 1
  %374 = icmp eq i64 %373, %341
  br i1 %374, label %375, label %353

375:
  %376 = getelementptr inbounds nuw i8, ptr %325, i64 48
  %377 = load i64, ptr %376, align 8
  %378 = getelementptr inbounds nuw i8, ptr %329, i64 48
  %379 = load i64, ptr %378, align 8
  %380 = or i64 %379, %377
  %381 = and i64 %380, 2
  %382 = icmp eq i64 %381, 0
  br i1 %382, label %383, label %775

383:
  %384 = getelementptr inbounds nuw i8, ptr %325, i64 56
  %385 = getelementptr inbounds i64, ptr %384, i64 %346
  %386 = load i64, ptr %385, align 8
  %387 = getelementptr inbounds nuw i8, ptr %329, i64 56
  %388 = getelementptr inbounds i64, ptr %387, i64 %346
  %389 = load i64, ptr %388, align 8
  %390 = add i64 %389, %386
  %391 = icmp slt i64 %390, 2147483648
  br i1 %391, label %392, label %775

392:
  %393 = getelementptr inbounds nuw i8, ptr %325, i64 24
  %394 = load i64, ptr %393, align 8
  %395 = getelementptr inbounds nuw i8, ptr %329, i64 24
  %396 = load i64, ptr %395, align 8
  %397 = add i64 %396, %394
  %398 = getelementptr inbounds nuw i8, ptr %40, i64 80
  %399 = load i64, ptr %398, align 8
  %400 = mul i64 %397, %399
  %401 = icmp slt i64 %400, 281474976710657
  br i1 %401, label %402, label %775

402:
  %403 = getelementptr inbounds nuw i8, ptr %325, i64 16
  %404 = mul i64 %399, %394
  %405 = getelementptr inbounds nuw i8, ptr %329, i64 16
  %406 = mul i64 %396, %399
  %407 = getelementptr inbounds nuw i8, ptr %325, i64 8
  %408 = load ptr, ptr %407, align 8
  %409 = icmp eq ptr %408, null
  br i1 %409, label %435, label %410

410:
  %411 = getelementptr inbounds nuw i8, ptr %408, i64 16
  %412 = getelementptr inbounds nuw i8, ptr %408, i64 32
  %413 = load i64, ptr %412, align 8
  %414 = icmp eq i64 %413, -1
  %415 = icmp ne i64 %404, 0
  %416 = and i1 %414, %415
  br i1 %416, label %417, label %435

417:
  %418 = getelementptr inbounds nuw i8, ptr %408, i64 120
  %419 = load i64, ptr %418, align 8
  %420 = icmp eq i64 %419, %404
  br i1 %420, label %421, label %435

421:
  %422 = load i64, ptr %411, align 8
  %423 = load i64, ptr %403, align 8
  %424 = icmp eq i64 %422, %423
  br i1 %424, label %425, label %435

425:
  %426 = add i64 %406, %404
  %427 = getelementptr inbounds nuw i8, ptr %408, i64 24
  %428 = load i64, ptr %427, align 8
  %429 = icmp sgt i64 %426, %428
  br i1 %429, label %435, label %430

430:
  %431 = load i64, ptr %408, align 8
  %432 = icmp eq i64 %431, 0
  br i1 %432, label %492, label %433

433:
  %434 = add i64 %431, 1
  store i64 %434, ptr %408, align 8
  br label %492

435:
  %436 = add i64 %406, %404
  %437 = sdiv i64 %436, 2
  %438 = add i64 %437, %436
  %439 = load ptr, ptr %0, align 8
  %440 = call fastcc i64 @take(ptr noundef %439, i64 noundef %438)
  %441 = icmp eq i64 %440, 0
  br i1 %441, label %442, label %477

442:
  %443 = load ptr, ptr %0, align 8
  %444 = call fastcc i64 @take(ptr noundef %443, i64 noundef %436)
  %445 = icmp eq i64 %444, 0
  br i1 %445, label %446, label %477

446:
  %447 = add i64 %436, 63
  %448 = ashr i64 %447, 6
  %449 = call noundef i64 @llvm.smax.i64(i64 %448, i64 1)
  %450 = call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %449, i1 true)
  %451 = sub nsw i64 59, %450
  %452 = call noundef i64 @llvm.smax.i64(i64 %451, i64 0)
  %453 = add nsw i64 %449, -1
  %454 = lshr i64 %453, %452
  %455 = add nuw nsw i64 %454, 1
  %456 = shl i64 %455, %452
  %457 = shl i64 %456, 6
  %458 = load ptr, ptr %0, align 8
  %459 = load i64, ptr %458, align 8
  %460 = getelementptr inbounds nuw i8, ptr %458, i64 48
  %461 = load i64, ptr %460, align 8
  %462 = sub i64 %459, %461
  %463 = getelementptr inbounds nuw i8, ptr %458, i64 24
  %464 = load i64, ptr %463, align 8
  %465 = add i64 %464, %457
  %466 = icmp sgt i64 %465, %462
  br i1 %466, label %467, label %469

467:
  call fastcc void @trim(ptr noundef nonnull %458)
  %468 = load ptr, ptr %0, align 8
  br label %469

469:
  %470 = phi ptr [ %458, %446 ], [ %468, %467 ]
  %471 = getelementptr inbounds nuw i8, ptr %458, i64 8
  %472 = load i64, ptr %471, align 8
  %473 = add i64 %472, %457
  %474 = icmp sgt i64 %473, %462
  %475 = select i1 %474, i64 %457, i64 0
  %476 = getelementptr inbounds nuw i8, ptr %470, i64 56
  store i64 %475, ptr %476, align 8
  br label %775

477:
  %478 = phi i64 [ %436, %442 ], [ %438, %435 ]
  %479 = phi i64 [ %444, %442 ], [ %440, %435 ]
  %480 = load ptr, ptr %27, align 8
  %481 = load ptr, ptr %480, align 8
  store ptr %481, ptr %27, align 8
  %482 = load i64, ptr %18, align 8
  %483 = add i64 %482, -1
  store i64 %483, ptr %18, align 8
  store i64 1, ptr %480, align 8
  %484 = getelementptr inbounds nuw i8, ptr %480, i64 16
  store i64 %479, ptr %484, align 8
  %485 = getelementptr inbounds nuw i8, ptr %480, i64 24
  store i64 %478, ptr %485, align 8
  %486 = getelementptr inbounds nuw i8, ptr %480, i64 32
  store i64 -1, ptr %486, align 8
  %487 = getelementptr inbounds nuw i8, ptr %480, i64 48
  store i64 0, ptr %487, align 8
  %488 = inttoptr i64 %479 to ptr
  %489 = load i64, ptr %403, align 8
  %490 = inttoptr i64 %489 to ptr
  call void @llvm.memmove.p0.p0.i64(ptr nonnull align 1 %488, ptr align 1 %490, i64 %404, i1 false)
  %491 = load i64, ptr %484, align 8
  br label %492

492:
  %493 = phi i64 [ %426, %433 ], [ %426, %430 ], [ %436, %477 ]
  %494 = phi i64 [ %422, %433 ], [ %422, %430 ], [ %491, %477 ]
  %495 = phi ptr [ %408, %433 ], [ %408, %430 ], [ %480, %477 ]
  %496 = getelementptr inbounds nuw i8, ptr %495, i64 16
  %497 = add i64 %494, %404
  %498 = inttoptr i64 %497 to ptr
  %499 = load i64, ptr %405, align 8
  %500 = inttoptr i64 %499 to ptr
  call void @llvm.memmove.p0.p0.i64(ptr align 1 %498, ptr align 1 %500, i64 %406, i1 false)
  %501 = getelementptr inbounds nuw i8, ptr %495, i64 120
  store i64 %493, ptr %501, align 8
  %502 = load ptr, ptr %27, align 8
  %503 = load ptr, ptr %502, align 8
  store ptr %503, ptr %27, align 8
  %504 = load i64, ptr %18, align 8
  %505 = add i64 %504, -1
  store i64 %505, ptr %18, align 8
  store i64 1, ptr %502, align 8
  %506 = getelementptr inbounds nuw i8, ptr %502, i64 8
  store ptr %495, ptr %506, align 8
  %507 = getelementptr inbounds nuw i8, ptr %502, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %507, ptr noundef nonnull readonly align 8 dereferenceable(104) %403, i64 104, i1 false)
  %508 = load i64, ptr %496, align 8
  store i64 %508, ptr %507, align 8
  %509 = load i64, ptr %393, align 8
  %510 = load i64, ptr %395, align 8
  %511 = add i64 %510, %509
  %512 = getelementptr inbounds nuw i8, ptr %502, i64 24
  store i64 %511, ptr %512, align 8
  %513 = getelementptr inbounds nuw i8, ptr %502, i64 48
  store i64 0, ptr %513, align 8
  %514 = load i64, ptr %42, align 8
  %515 = getelementptr inbounds i64, ptr %387, i64 %514
  %516 = load i64, ptr %515, align 8
  %517 = getelementptr inbounds nuw i8, ptr %502, i64 56
  %518 = getelementptr inbounds i64, ptr %517, i64 %514
  %519 = load i64, ptr %518, align 8
  %520 = add i64 %519, %516
  store i64 %520, ptr %518, align 8
  %521 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %522 = load i64, ptr %521, align 8
  %523 = getelementptr inbounds ptr, ptr %41, i64 %522
  %524 = load ptr, ptr %523, align 8
  store ptr %502, ptr %523, align 8
  %525 = icmp eq ptr %524, null
  br i1 %525, label %745, label %526

526:
  %527 = load i64, ptr %524, align 8
  %528 = icmp eq i64 %527, 0
  br i1 %528, label %745, label %529

529:
  %530 = add i64 %527, -1
  store i64 %530, ptr %524, align 8
  %531 = icmp eq i64 %530, 0
  br i1 %531, label %532, label %745

532:
  store ptr null, ptr %524, align 8
  call fastcc void @destroy(ptr noundef nonnull %0, ptr noundef %524)
  br label %745

533:
  %534 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %535 = load i64, ptr %534, align 8
  %536 = icmp eq i64 %45, 8
  %537 = call fastcc i32 @call(ptr noundef nonnull %0, ptr noundef %6, i64 noundef %535, ptr noundef null, i1 noundef zeroext %536)
  br label %772

538:
  %539 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %540 = load i64, ptr %539, align 8
  %541 = getelementptr inbounds ptr, ptr %41, i64 %540
  %542 = load ptr, ptr %541, align 8
  %543 = getelementptr inbounds nuw i8, ptr %542, i64 32
  %544 = load i64, ptr %543, align 8
  %545 = icmp eq i64 %544, -3
  br i1 %545, label %546, label %775

546:
  %547 = getelementptr inbounds nuw i8, ptr %542, i64 16
  %548 = load ptr, ptr %26, align 8
  %549 = load i64, ptr %547, align 8
  %550 = getelementptr inbounds %struct.function, ptr %548, i64 %549
  %551 = getelementptr inbounds nuw i8, ptr %550, i64 8
  %552 = load i64, ptr %551, align 8
  %553 = getelementptr inbounds nuw i8, ptr %542, i64 24
  %554 = load i64, ptr %553, align 8
  %555 = getelementptr inbounds nuw i8, ptr %40, i64 48
  %556 = load i64, ptr %555, align 8
  %557 = add i64 %556, %554
  %558 = icmp eq i64 %552, %557
  br i1 %558, label %559, label %775

559:
  %560 = getelementptr inbounds nuw i8, ptr %40, i64 40
  %561 = load i64, ptr %560, align 8
  %562 = icmp ne i64 %561, 0
  %563 = call fastcc i32 @call(ptr noundef nonnull %0, ptr noundef %6, i64 noundef %549, ptr noundef nonnull %542, i1 noundef zeroext %562)
  br label %772

564:
  %565 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %566 = load i64, ptr %565, align 8
  %567 = getelementptr inbounds ptr, ptr %41, i64 %566
  %568 = load ptr, ptr %567, align 8
  store ptr null, ptr %567, align 8
  %569 = getelementptr inbounds i8, ptr %41, i64 -8
  %570 = load i64, ptr %569, align 8
  %571 = icmp sgt i64 %570, 0
  br i1 %571, label %572, label %587

572:
  %573 = phi i64 [ %585, %584 ], [ 0, %564 ]
  %574 = getelementptr inbounds nuw ptr, ptr %41, i64 %573
  %575 = load ptr, ptr %574, align 8
  %576 = icmp eq ptr %575, null
  br i1 %576, label %584, label %577

577:
  store ptr null, ptr %574, align 8
  %578 = load i64, ptr %575, align 8
  %579 = icmp eq i64 %578, 0
  br i1 %579, label %584, label %580

580:
  %581 = add i64 %578, -1
  store i64 %581, ptr %575, align 8
  %582 = icmp eq i64 %581, 0
  br i1 %582, label %583, label %584

583:
  store ptr null, ptr %575, align 8
  call fastcc void @destroy(ptr noundef %0, ptr noundef %575)
  br label %584

584:
  %585 = add nuw nsw i64 %573, 1
  %586 = icmp eq i64 %585, %570
  br i1 %586, label %587, label %572

587:
  %588 = load i64, ptr %24, align 8
  %589 = icmp eq i64 %588, 0
  br i1 %589, label %590, label %618

590:
  %591 = getelementptr inbounds nuw i8, ptr %568, i64 8
  %592 = load ptr, ptr %591, align 8
  %593 = getelementptr inbounds nuw i8, ptr %0, i64 136
  store ptr %568, ptr %593, align 8
  store ptr null, ptr %7, align 8
  %594 = getelementptr inbounds nuw i8, ptr %568, i64 16
  %595 = getelementptr inbounds nuw i8, ptr %568, i64 32
  %596 = load i64, ptr %595, align 8
  %597 = icmp slt i64 %596, 0
  br i1 %597, label %778, label %598

598:
  %599 = load i64, ptr %568, align 8
  %600 = icmp eq i64 %599, 1
  %601 = icmp ne ptr %592, null
  %602 = select i1 %600, i1 %601, i1 false
  br i1 %602, label %603, label %778

603:
  %604 = getelementptr inbounds nuw i8, ptr %592, i64 16
  %605 = getelementptr inbounds nuw i8, ptr %592, i64 32
  %606 = load i64, ptr %605, align 8
  %607 = icmp eq i64 %606, -1
  br i1 %607, label %608, label %778

608:
  %609 = load i64, ptr %592, align 8
  %610 = icmp eq i64 %609, 1
  br i1 %610, label %611, label %778

611:
  %612 = getelementptr inbounds nuw i8, ptr %0, i64 168
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %612, ptr noundef nonnull align 8 dereferenceable(104) %594, i64 104, i1 false)
  %613 = load i64, ptr %604, align 8
  %614 = getelementptr inbounds nuw i8, ptr %0, i64 272
  store i64 %613, ptr %614, align 8
  %615 = getelementptr inbounds nuw i8, ptr %592, i64 24
  %616 = load i64, ptr %615, align 8
  %617 = getelementptr inbounds nuw i8, ptr %0, i64 280
  store i64 %616, ptr %617, align 8
  store i64 0, ptr %604, align 8
  call fastcc void @let_go(ptr noundef nonnull %0)
  br label %778

618:
  %619 = getelementptr inbounds i8, ptr %41, i64 -32
  %620 = load ptr, ptr %619, align 8
  %621 = getelementptr inbounds i8, ptr %41, i64 -24
  %622 = load i64, ptr %621, align 8
  %623 = getelementptr inbounds i8, ptr %41, i64 -16
  %624 = load i64, ptr %623, align 8
  %625 = load ptr, ptr %10, align 8
  %626 = getelementptr inbounds ptr, ptr %625, i64 %622
  store i64 %622, ptr %12, align 8
  %627 = add i64 %588, -1
  store i64 %627, ptr %24, align 8
  %628 = getelementptr inbounds i8, ptr %626, i64 -8
  %629 = load i64, ptr %628, align 8
  %630 = load i64, ptr %25, align 8
  %631 = add i64 %630, %629
  store i64 %631, ptr %25, align 8
  store ptr %620, ptr %6, align 8
  store ptr %626, ptr %9, align 8
  %632 = getelementptr inbounds ptr, ptr %626, i64 %624
  %633 = load ptr, ptr %632, align 8
  store ptr %568, ptr %632, align 8
  %634 = icmp eq ptr %633, null
  br i1 %634, label %772, label %635

635:
  %636 = load i64, ptr %633, align 8
  %637 = icmp eq i64 %636, 0
  br i1 %637, label %772, label %638

638:
  %639 = add i64 %636, -1
  store i64 %639, ptr %633, align 8
  %640 = icmp eq i64 %639, 0
  br i1 %640, label %641, label %772

641:
  store ptr null, ptr %633, align 8
  call fastcc void @destroy(ptr noundef nonnull %0, ptr noundef %633)
  br label %772

642:
  %643 = load i64, ptr %19, align 8
  %644 = icmp eq i64 %643, 0
  br i1 %644, label %646, label %645

645:
  store i64 0, ptr %19, align 8
  br label %745

646:
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %647 = getelementptr inbounds nuw i8, ptr %40, i64 32
  %648 = load i64, ptr %647, align 8
  %649 = getelementptr inbounds i64, ptr %42, i64 %648
  %650 = load i64, ptr %649, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(104) %5, i8 0, i64 104, i1 false)
  store i64 %648, ptr %20, align 8
  %651 = icmp sgt i64 %648, 0
  br i1 %651, label %652, label %691

652:
  %653 = sub i64 %648, %650
  br label %654

654:
  %655 = phi i64 [ 0, %652 ], [ %689, %682 ]
  %656 = getelementptr inbounds nuw i64, ptr %42, i64 %655
  %657 = load i64, ptr %656, align 8
  %658 = getelementptr inbounds ptr, ptr %41, i64 %657
  %659 = load ptr, ptr %658, align 8
  %660 = getelementptr inbounds nuw i8, ptr %659, i64 16
  %661 = getelementptr inbounds nuw ptr, ptr %4, i64 %655
  store ptr %660, ptr %661, align 8
  %662 = getelementptr inbounds nuw i8, ptr %659, i64 32
  %663 = load i64, ptr %662, align 8
  %664 = icmp slt i64 %663, 0
  br i1 %664, label %740, label %665

665:
  %666 = getelementptr inbounds nuw i8, ptr %659, i64 48
  %667 = load i64, ptr %666, align 8
  %668 = and i64 %667, 2
  %669 = icmp eq i64 %668, 0
  br i1 %669, label %670, label %740

670:
  %671 = icmp slt i64 %655, %653
  %672 = and i64 %667, 1
  %673 = icmp eq i64 %672, 0
  %674 = or i1 %671, %673
  br i1 %674, label %675, label %740

675:
  %676 = getelementptr inbounds nuw i8, ptr %659, i64 24
  %677 = load i64, ptr %676, align 8
  %678 = icmp ult i64 %663, 15
  br i1 %678, label %679, label %682

679:
  %680 = getelementptr inbounds nuw i64, ptr @switch.table.copied_array, i64 %663
  %681 = load i64, ptr %680, align 8
  br label %682

682:
  %683 = phi i64 [ %681, %679 ], [ 8, %675 ]
  %684 = mul i64 %683, %677
  %685 = load i64, ptr %5, align 16
  %686 = add i64 %685, %684
  store i64 %686, ptr %5, align 16
  %687 = getelementptr i64, ptr %5, i64 %655
  %688 = getelementptr i8, ptr %687, i64 16
  store i64 %677, ptr %688, align 8
  %689 = add nuw nsw i64 %655, 1
  %690 = icmp eq i64 %689, %648
  br i1 %690, label %691, label %654

691:
  %692 = load ptr, ptr %21, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  %693 = icmp eq ptr %692, null
  br i1 %693, label %700, label %694

694:
  %695 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3)
  %696 = load i64, ptr %3, align 8
  %697 = mul i64 %696, 1000000000
  %698 = load i64, ptr %22, align 8
  %699 = add i64 %697, %698
  br label %700

700:
  %701 = phi i64 [ %699, %694 ], [ 0, %691 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  %702 = getelementptr inbounds nuw i8, ptr %40, i64 24
  %703 = load i64, ptr %702, align 8
  %704 = inttoptr i64 %703 to ptr
  %705 = getelementptr inbounds nuw i8, ptr %649, i64 8
  %706 = call zeroext i1 %704(ptr noundef nonnull %4, ptr noundef nonnull %705)
  br i1 %706, label %707, label %740

707:
  %708 = load ptr, ptr %21, align 8
  %709 = getelementptr inbounds nuw i8, ptr %40, i64 40
  %710 = load i64, ptr %709, align 8
  %711 = add i64 %648, 2
  %712 = icmp eq ptr %708, null
  br i1 %712, label %739, label %713

713:
  call void @llvm.lifetime.start.p0(ptr nonnull %2)
  %714 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2)
  %715 = load i64, ptr %2, align 8
  %716 = load i64, ptr %23, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %2)
  %717 = getelementptr inbounds nuw i8, ptr %708, i64 8
  %718 = load i64, ptr %717, align 8
  %719 = add i64 %718, 1
  store i64 %719, ptr %717, align 8
  %720 = load i64, ptr %708, align 8
  %721 = icmp slt i64 %718, %720
  br i1 %721, label %722, label %739

722:
  %723 = mul i64 %715, 1000000000
  %724 = add i64 %723, %716
  %725 = getelementptr inbounds nuw i8, ptr %708, i64 16
  %726 = getelementptr inbounds %struct.event, ptr %725, i64 %718
  store i64 %710, ptr %726, align 8
  %727 = getelementptr inbounds nuw i8, ptr %726, i64 8
  store i64 %701, ptr %727, align 8
  %728 = getelementptr inbounds nuw i8, ptr %726, i64 16
  store i64 %724, ptr %728, align 8
  %729 = icmp sgt i64 %711, 0
  br i1 %729, label %730, label %739

730:
  %731 = getelementptr inbounds nuw i8, ptr %726, i64 24
  br label %732

732:
  %733 = phi i64 [ 0, %730 ], [ %737, %732 ]
  %734 = getelementptr inbounds nuw i64, ptr %5, i64 %733
  %735 = load i64, ptr %734, align 8
  %736 = getelementptr inbounds nuw i64, ptr %731, i64 %733
  store i64 %735, ptr %736, align 8
  %737 = add nuw nsw i64 %733, 1
  %738 = icmp eq i64 %737, %711
  br i1 %738, label %739, label %732

739:
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  store i64 0, ptr %19, align 8
  br label %745

740:
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  store i64 0, ptr %19, align 8
  br label %775

741:
  %742 = load i64, ptr %19, align 8
  %743 = freeze i64 %742
  %744 = icmp eq i64 %743, 0
  store i64 0, ptr %19, align 8
  br i1 %744, label %775, label %745

745:
  %746 = phi i64 [ %44, %645 ], [ %44, %741 ], [ %236, %227 ], [ %149, %133 ], [ %44, %739 ], [ %226, %221 ], [ %44, %532 ], [ %44, %529 ], [ %44, %526 ], [ %44, %492 ], [ %44, %320 ], [ %44, %317 ], [ %44, %314 ], [ %44, %308 ], [ %44, %129 ], [ %44, %126 ], [ %44, %118 ], [ %44, %87 ], [ %44, %84 ], [ %44, %78 ], [ %238, %237 ], [ %44, %132 ], [ %55, %52 ], [ %44, %90 ]
  %747 = getelementptr inbounds nuw i8, ptr %40, i64 48
  %748 = load i64, ptr %747, align 8
  %749 = getelementptr inbounds i64, ptr %42, i64 %748
  %750 = getelementptr inbounds nuw i8, ptr %40, i64 56
  %751 = load i64, ptr %750, align 8
  %752 = icmp sgt i64 %751, 0
  br i1 %752, label %753, label %770

753:
  %754 = phi i64 [ %768, %767 ], [ 0, %745 ]
  %755 = getelementptr inbounds nuw i64, ptr %749, i64 %754
  %756 = load i64, ptr %755, align 8
  %757 = getelementptr inbounds ptr, ptr %41, i64 %756
  %758 = load ptr, ptr %757, align 8
  store ptr null, ptr %757, align 8
  %759 = icmp eq ptr %758, null
  br i1 %759, label %767, label %760

760:
  %761 = load i64, ptr %758, align 8
  %762 = icmp eq i64 %761, 0
  br i1 %762, label %767, label %763

763:
  %764 = add i64 %761, -1
  store i64 %764, ptr %758, align 8
  %765 = icmp eq i64 %764, 0
  br i1 %765, label %766, label %767

766:
  store ptr null, ptr %758, align 8
  call fastcc void @destroy(ptr noundef %0, ptr noundef %758)
  br label %767

767:
  %768 = add nuw nsw i64 %754, 1
  %769 = icmp eq i64 %768, %751
  br i1 %769, label %770, label %753

770:
  %771 = getelementptr inbounds i64, ptr %40, i64 %746
  store ptr %771, ptr %6, align 8
  br label %772

772:
  %773 = phi i32 [ 0, %618 ], [ %537, %533 ], [ %563, %559 ], [ 0, %641 ], [ 0, %770 ], [ 0, %635 ], [ 0, %638 ]
  %774 = icmp eq i32 %773, 0
  br i1 %774, label %28, label %775

775:
  %776 = phi i32 [ 5, %37 ], [ 3, %740 ], [ 3, %366 ], [ 5, %269 ], [ 5, %277 ], [ 5, %469 ], [ 3, %356 ], [ 3, %360 ], [ 3, %133 ], [ 3, %161 ], [ 3, %392 ], [ 3, %64 ], [ 3, %546 ], [ 3, %91 ], [ 3, %39 ], [ 3, %56 ], [ 3, %321 ], [ 3, %345 ], [ 3, %339 ], [ 3, %335 ], [ 3, %383 ], [ 3, %375 ], [ %50, %46 ], [ 3, %538 ], [ 3, %183 ], [ 3, %203 ], [ 3, %187 ], [ 3, %216 ], [ 3, %199 ], [ 3, %150 ], [ 3, %178 ], [ 3, %165 ], [ 3, %741 ], [ 3, %227 ], [ %773, %772 ], [ 2, %28 ]
  %777 = load ptr, ptr %6, align 8
  store ptr %777, ptr %7, align 8
  br label %778

778:
  %779 = phi i32 [ %776, %775 ], [ 0, %598 ], [ 0, %603 ], [ 0, %608 ], [ 1, %611 ], [ 0, %590 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  ret i32 %779
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
  %4 = tail call i64 @PyLong_AsSsize_t(ptr noundef %0)
  %5 = inttoptr i64 %4 to ptr
  %6 = load ptr, ptr %1, align 8
  %7 = tail call i64 @PyLong_AsSsize_t(ptr noundef %6)
  %8 = inttoptr i64 %7 to ptr
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %12 = add i64 %2, -2
  %13 = tail call fastcc zeroext i1 @taken(ptr noundef %5, ptr noundef %8, ptr noundef %10, ptr noundef nonnull %11, i64 noundef %12)
  %14 = zext i1 %13 to i64
  %15 = tail call ptr @PyLong_FromLong(i64 noundef %14)
  ret ptr %15
}

define internal fastcc noundef zeroext i1 @taken(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef readonly captures(none) %3, i64 noundef %4) #0 {
  %6 = alloca %struct.item, align 8
  %7 = alloca %struct.intake, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  store ptr @anytile_facts, ptr %7, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 8
  store ptr %0, ptr %8, align 8
  %9 = getelementptr inbounds nuw i8, ptr %7, i64 16
  store ptr %1, ptr %9, align 8
  %10 = getelementptr inbounds nuw i8, ptr %7, i64 24
  store ptr %2, ptr %10, align 8
  %11 = getelementptr inbounds nuw i8, ptr %7, i64 32
  store i64 0, ptr %11, align 8
  %12 = getelementptr inbounds nuw i8, ptr %1, i64 272
  %13 = load i64, ptr %12, align 8
  %14 = icmp eq i64 %13, 0
  br i1 %14, label %39, label %15

15:
  %16 = load ptr, ptr %1, align 8
  %17 = getelementptr inbounds nuw i8, ptr %1, i64 280
  %18 = load i64, ptr %17, align 8
  %19 = add i64 %18, 63
  %20 = ashr i64 %19, 6
  %21 = tail call noundef i64 @llvm.smax.i64(i64 %20, i64 1)
  %22 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %21, i1 true)
  %23 = sub nsw i64 59, %22
  %24 = tail call noundef i64 @llvm.smax.i64(i64 %23, i64 0)
  %25 = add nsw i64 %21, -1
  %26 = lshr i64 %25, %24
  %27 = add nuw nsw i64 %26, 1
  %28 = shl i64 %27, %24
  %29 = shl i64 %28, 6
  %30 = inttoptr i64 %13 to ptr
  %31 = getelementptr inbounds nuw i8, ptr %16, i64 72
  %32 = getelementptr ptr, ptr %31, i64 %27
  %33 = shl nuw nsw i64 %24, 7
  %34 = getelementptr i8, ptr %32, i64 %33
  %35 = load ptr, ptr %34, align 8
  store ptr %35, ptr %30, align 8
  store ptr %30, ptr %34, align 8
  %36 = getelementptr inbounds nuw i8, ptr %16, i64 8
  %37 = load i64, ptr %36, align 8
  %38 = sub i64 %37, %29
  store i64 %38, ptr %36, align 8
  store i64 0, ptr %12, align 8
  br label %39

39:
  tail call fastcc void @let_go(ptr noundef nonnull %1)
  %40 = load i64, ptr %0, align 8
  %41 = icmp eq i64 %4, %40
  br i1 %41, label %42, label %321

42:
  %43 = getelementptr inbounds nuw i8, ptr %1, i64 40
  br label %44

44:
  %45 = load i64, ptr %43, align 8
  %46 = icmp sgt i64 %45, 0
  br i1 %46, label %49, label %47

47:
  %48 = tail call fastcc zeroext i1 @more_cells(ptr noundef nonnull %1)
  br i1 %48, label %44, label %321

49:
  %50 = icmp slt i64 %4, 20
  br i1 %50, label %51, label %57

51:
  %52 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %53 = load ptr, ptr %52, align 8
  %54 = load ptr, ptr %53, align 8
  store ptr %54, ptr %52, align 8
  %55 = add nsw i64 %45, -1
  store i64 %55, ptr %43, align 8
  %56 = shl i64 %4, 3
  br label %90

57:
  %58 = shl i64 %4, 3
  %59 = add i64 %58, 40
  %60 = load ptr, ptr %1, align 8
  %61 = load i64, ptr %60, align 8
  %62 = getelementptr inbounds nuw i8, ptr %60, i64 48
  %63 = load i64, ptr %62, align 8
  %64 = sub i64 %61, %63
  %65 = getelementptr inbounds nuw i8, ptr %60, i64 24
  %66 = load i64, ptr %65, align 8
  %67 = add i64 %66, %59
  %68 = icmp sgt i64 %67, %64
  br i1 %68, label %69, label %70

69:
  tail call fastcc void @trim(ptr noundef nonnull %60)
  br label %70

70:
  %71 = getelementptr inbounds nuw i8, ptr %60, i64 8
  %72 = load i64, ptr %71, align 8
  %73 = add i64 %72, %59
  %74 = icmp sgt i64 %73, %64
  br i1 %74, label %75, label %77

75:
  %76 = getelementptr inbounds nuw i8, ptr %60, i64 56
  store i64 %59, ptr %76, align 8
  br label %88

77:
  %78 = load i64, ptr %62, align 8
  %79 = add i64 %78, %59
  store i64 %79, ptr %62, align 8
  %80 = getelementptr inbounds nuw i8, ptr %60, i64 56
  store i64 0, ptr %80, align 8
  %81 = tail call ptr @malloc(i64 noundef %59)
  %82 = icmp eq ptr %81, null
  br i1 %82, label %83, label %90

83:
  %84 = load ptr, ptr %1, align 8
  %85 = getelementptr inbounds nuw i8, ptr %84, i64 48
  %86 = load i64, ptr %85, align 8
  %87 = sub i64 %86, %59
  store i64 %87, ptr %85, align 8
  br label %88

88:
  %89 = getelementptr inbounds nuw i8, ptr %1, i64 160
  store ptr null, ptr %89, align 8
  br label %321

90:
  %91 = phi i64 [ %58, %77 ], [ %56, %51 ]
  %92 = phi ptr [ %81, %77 ], [ %53, %51 ]
  store i64 1, ptr %92, align 8
  %93 = getelementptr inbounds nuw i8, ptr %92, i64 16
  store i64 0, ptr %93, align 8
  %94 = getelementptr inbounds nuw i8, ptr %92, i64 24
  store i64 %4, ptr %94, align 8
  %95 = getelementptr inbounds nuw i8, ptr %92, i64 32
  store i64 -2, ptr %95, align 8
  %96 = getelementptr inbounds nuw i8, ptr %92, i64 40
  tail call void @llvm.memset.p0.i64(ptr nonnull align 8 %96, i8 0, i64 %91, i1 false)
  %97 = getelementptr inbounds nuw i8, ptr %1, i64 160
  store ptr %92, ptr %97, align 8
  %98 = icmp sgt i64 %4, 0
  br i1 %98, label %99, label %139

99:
  %100 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %101 = getelementptr inbounds nuw i8, ptr %1, i64 80
  %102 = getelementptr inbounds nuw i8, ptr %1, i64 72
  br label %109

103:
  %104 = icmp eq i64 %131, 0
  br i1 %104, label %139, label %105

105:
  %106 = getelementptr inbounds nuw i8, ptr %1, i64 72
  %107 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %108 = getelementptr inbounds nuw i8, ptr %6, i64 16
  br label %147

109:
  %110 = phi i64 [ %131, %130 ], [ 0, %99 ]
  %111 = phi i64 [ %135, %130 ], [ 0, %99 ]
  %112 = getelementptr inbounds nuw ptr, ptr %3, i64 %111
  %113 = load ptr, ptr %112, align 8
  %114 = load ptr, ptr %100, align 8
  %115 = getelementptr inbounds nuw ptr, ptr %114, i64 %111
  %116 = load ptr, ptr %115, align 8
  %117 = getelementptr inbounds nuw ptr, ptr %96, i64 %111
  %118 = mul i64 %110, 24
  %119 = add i64 %118, 24
  %120 = ashr exact i64 %119, 3
  %121 = load i64, ptr %101, align 8
  %122 = icmp sgt i64 %120, %121
  br i1 %122, label %125, label %123

123:
  %124 = load ptr, ptr %102, align 8
  br label %127

125:
  %126 = tail call fastcc ptr @grow_stack(ptr noundef nonnull %1, i64 noundef %120)
  br label %127

127:
  %128 = phi ptr [ %124, %123 ], [ %126, %125 ]
  %129 = icmp eq ptr %128, null
  br i1 %129, label %321, label %130

130:
  %131 = add i64 %110, 1
  %132 = getelementptr inbounds %struct.item, ptr %128, i64 %110
  store ptr %113, ptr %132, align 8
  %133 = getelementptr inbounds nuw i8, ptr %132, i64 8
  store ptr %116, ptr %133, align 8
  %134 = getelementptr inbounds nuw i8, ptr %132, i64 16
  store ptr %117, ptr %134, align 8
  %135 = add nuw nsw i64 %111, 1
  %136 = icmp eq i64 %135, %4
  br i1 %136, label %103, label %109

137:
  %138 = load ptr, ptr %8, align 8
  br label %139

139:
  %140 = phi ptr [ %138, %137 ], [ %0, %103 ], [ %0, %90 ]
  %141 = getelementptr inbounds nuw i8, ptr %140, i64 40
  %142 = load i64, ptr %141, align 8
  %143 = icmp slt i64 %142, 1
  br i1 %143, label %349, label %144

144:
  %145 = getelementptr inbounds nuw i8, ptr %140, i64 48
  %146 = load ptr, ptr %145, align 8
  br label %300

147:
  %148 = phi i64 [ %131, %105 ], [ %294, %292 ]
  %149 = phi i64 [ 4194304, %105 ], [ %293, %292 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  %150 = load ptr, ptr %106, align 8
  %151 = add i64 %148, -1
  store i64 %151, ptr %11, align 8
  %152 = getelementptr inbounds %struct.item, ptr %150, i64 %151
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %6, ptr noundef nonnull align 8 dereferenceable(24) %152, i64 24, i1 false)
  %153 = icmp slt i64 %149, 0
  br i1 %153, label %296, label %154

154:
  %155 = load i64, ptr %43, align 8
  %156 = icmp sgt i64 %155, 0
  br i1 %156, label %159, label %157

157:
  %158 = tail call fastcc zeroext i1 @more_cells(ptr noundef nonnull %1)
  br i1 %158, label %154, label %296

159:
  %160 = load ptr, ptr %107, align 8
  %161 = load i64, ptr %160, align 8
  switch i64 %161, label %296 [
    i64 0, label %162
    i64 1, label %253
    i64 2, label %287
  ]

162:
  %163 = load ptr, ptr %7, align 8
  %164 = load ptr, ptr %6, align 8
  %165 = load i64, ptr %163, align 8
  %166 = getelementptr inbounds i8, ptr %164, i64 %165
  %167 = getelementptr inbounds i8, ptr %166, i64 -8
  %168 = load ptr, ptr %167, align 8
  %169 = getelementptr inbounds nuw i8, ptr %163, i64 16
  %170 = load ptr, ptr %169, align 8
  %171 = icmp eq ptr %168, %170
  br i1 %171, label %172, label %296

172:
  %173 = getelementptr inbounds nuw i8, ptr %166, i64 40
  %174 = load ptr, ptr %173, align 8
  %175 = getelementptr inbounds nuw i8, ptr %160, i64 8
  %176 = load ptr, ptr %175, align 8
  %177 = icmp eq ptr %174, %176
  br i1 %177, label %178, label %296

178:
  %179 = getelementptr inbounds nuw i8, ptr %166, i64 48
  %180 = load i32, ptr %179, align 8
  %181 = and i32 %180, 257
  %182 = icmp eq i32 %181, 257
  br i1 %182, label %183, label %296

183:
  %184 = getelementptr inbounds nuw i8, ptr %166, i64 8
  %185 = load i32, ptr %184, align 8
  %186 = sext i32 %185 to i64
  %187 = getelementptr inbounds nuw i8, ptr %160, i64 24
  %188 = load i64, ptr %187, align 8
  %189 = icmp eq i64 %188, %186
  br i1 %189, label %190, label %296

190:
  %191 = icmp sgt i32 %185, 0
  br i1 %191, label %192, label %211

192:
  %193 = getelementptr inbounds nuw i8, ptr %160, i64 32
  %194 = getelementptr inbounds nuw i8, ptr %166, i64 16
  %195 = load ptr, ptr %194, align 8
  br label %196

196:
  %197 = phi i64 [ 1, %192 ], [ %208, %206 ]
  %198 = phi i64 [ 0, %192 ], [ %209, %206 ]
  %199 = getelementptr inbounds nuw i64, ptr %193, i64 %198
  %200 = load i64, ptr %199, align 8
  %201 = icmp sgt i64 %200, -1
  %202 = getelementptr inbounds nuw i64, ptr %195, i64 %198
  %203 = load i64, ptr %202, align 8
  br i1 %201, label %204, label %206

204:
  %205 = icmp eq i64 %200, %203
  br i1 %205, label %206, label %296

206:
  %207 = phi i64 [ %200, %204 ], [ %203, %196 ]
  %208 = mul i64 %207, %197
  %209 = add nuw nsw i64 %198, 1
  %210 = icmp eq i64 %209, %186
  br i1 %210, label %211, label %196

211:
  %212 = phi i64 [ 1, %190 ], [ %208, %206 ]
  %213 = load ptr, ptr %10, align 8
  %214 = tail call i32 @PyList_Append(ptr noundef %213, ptr noundef nonnull %164)
  %215 = icmp eq i32 %214, 0
  br i1 %215, label %217, label %216

216:
  tail call void @PyErr_Clear()
  br label %296

217:
  %218 = load ptr, ptr %9, align 8
  %219 = getelementptr inbounds nuw i8, ptr %218, i64 32
  %220 = load ptr, ptr %219, align 8
  %221 = load ptr, ptr %220, align 8
  store ptr %221, ptr %219, align 8
  %222 = getelementptr inbounds nuw i8, ptr %218, i64 40
  %223 = load i64, ptr %222, align 8
  %224 = add i64 %223, -1
  store i64 %224, ptr %222, align 8
  store i64 1, ptr %220, align 8
  %225 = getelementptr inbounds nuw i8, ptr %220, i64 8
  store ptr null, ptr %225, align 8
  %226 = getelementptr inbounds nuw i8, ptr %220, i64 16
  %227 = load ptr, ptr %166, align 8
  %228 = ptrtoint ptr %227 to i64
  %229 = getelementptr inbounds nuw i8, ptr %160, i64 16
  %230 = load i64, ptr %229, align 8
  %231 = load i64, ptr %187, align 8
  store i64 %228, ptr %226, align 8
  %232 = getelementptr inbounds nuw i8, ptr %220, i64 24
  store i64 %212, ptr %232, align 8
  %233 = getelementptr inbounds nuw i8, ptr %220, i64 32
  store i64 %230, ptr %233, align 8
  %234 = getelementptr inbounds nuw i8, ptr %220, i64 40
  store i64 %231, ptr %234, align 8
  %235 = getelementptr inbounds nuw i8, ptr %220, i64 48
  store i64 1, ptr %235, align 8
  %236 = getelementptr inbounds nuw i8, ptr %220, i64 56
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(64) %236, i8 0, i64 64, i1 false)
  %237 = getelementptr inbounds nuw i8, ptr %166, i64 16
  br label %240

238:
  %239 = load ptr, ptr %108, align 8
  store ptr %220, ptr %239, align 8
  br label %292

240:
  %241 = phi i64 [ 0, %217 ], [ %251, %248 ]
  %242 = load i64, ptr %187, align 8
  %243 = icmp slt i64 %241, %242
  br i1 %243, label %244, label %248

244:
  %245 = load ptr, ptr %237, align 8
  %246 = getelementptr inbounds nuw i64, ptr %245, i64 %241
  %247 = load i64, ptr %246, align 8
  br label %248

248:
  %249 = phi i64 [ %247, %244 ], [ 1, %240 ]
  %250 = getelementptr inbounds nuw i64, ptr %236, i64 %241
  store i64 %249, ptr %250, align 8
  %251 = add nuw nsw i64 %241, 1
  %252 = icmp eq i64 %251, 8
  br i1 %252, label %238, label %240

253:
  %254 = load ptr, ptr %7, align 8
  %255 = load ptr, ptr %6, align 8
  %256 = load i64, ptr %254, align 8
  %257 = getelementptr inbounds i8, ptr %255, i64 %256
  %258 = getelementptr inbounds i8, ptr %257, i64 -8
  %259 = load ptr, ptr %258, align 8
  %260 = load ptr, ptr %8, align 8
  %261 = getelementptr inbounds nuw i8, ptr %260, i64 8
  %262 = load ptr, ptr %261, align 8
  %263 = icmp eq ptr %259, %262
  br i1 %263, label %264, label %296

264:
  %265 = getelementptr inbounds nuw i8, ptr %260, i64 16
  %266 = load i64, ptr %265, align 8
  %267 = getelementptr inbounds i8, ptr %255, i64 %266
  %268 = load ptr, ptr %267, align 8
  %269 = getelementptr inbounds nuw i8, ptr %260, i64 24
  %270 = load i64, ptr %269, align 8
  %271 = getelementptr inbounds i8, ptr %255, i64 %270
  %272 = load ptr, ptr %271, align 8
  %273 = icmp eq ptr %272, null
  br i1 %273, label %296, label %274

274:
  %275 = getelementptr inbounds nuw i8, ptr %160, i64 8
  %276 = load i64, ptr %275, align 8
  %277 = getelementptr inbounds nuw i8, ptr %160, i64 16
  %278 = icmp slt i64 %276, 1
  br i1 %278, label %296, label %279

279:
  %280 = phi i64 [ %285, %284 ], [ 0, %274 ]
  %281 = getelementptr inbounds nuw %struct.member, ptr %277, i64 %280
  %282 = load ptr, ptr %281, align 8
  %283 = icmp eq ptr %282, %268
  br i1 %283, label %290, label %284

284:
  %285 = add nuw nsw i64 %280, 1
  %286 = icmp eq i64 %276, %285
  br i1 %286, label %296, label %279

287:
  %288 = load ptr, ptr %6, align 8
  %289 = call fastcc zeroext i1 @take_fields(ptr noundef nonnull %7, ptr noundef nonnull readonly %6, ptr noundef %288, i64 noundef 0)
  br i1 %289, label %292, label %296

290:
  %291 = call fastcc zeroext i1 @take_fields(ptr noundef nonnull %7, ptr noundef nonnull readonly %6, ptr noundef nonnull %272, i64 noundef %280)
  br i1 %291, label %292, label %296

292:
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  %293 = add nsw i64 %149, -1
  %294 = load i64, ptr %11, align 8
  %295 = icmp eq i64 %294, 0
  br i1 %295, label %137, label %147

296:
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  br label %321

297:
  %298 = add nuw nsw i64 %301, 1
  %299 = icmp eq i64 %298, %142
  br i1 %299, label %349, label %300

300:
  %301 = phi i64 [ 0, %144 ], [ %298, %297 ]
  %302 = getelementptr inbounds nuw %struct.shared_size, ptr %146, i64 %301
  %303 = load i64, ptr %302, align 8
  %304 = getelementptr inbounds ptr, ptr %96, i64 %303
  %305 = load ptr, ptr %304, align 8
  %306 = getelementptr inbounds nuw i8, ptr %302, i64 16
  %307 = load i64, ptr %306, align 8
  %308 = getelementptr inbounds ptr, ptr %96, i64 %307
  %309 = load ptr, ptr %308, align 8
  %310 = getelementptr inbounds nuw i8, ptr %305, i64 56
  %311 = getelementptr inbounds nuw i8, ptr %302, i64 8
  %312 = load i64, ptr %311, align 8
  %313 = getelementptr inbounds i64, ptr %310, i64 %312
  %314 = load i64, ptr %313, align 8
  %315 = getelementptr inbounds nuw i8, ptr %309, i64 56
  %316 = getelementptr inbounds nuw i8, ptr %302, i64 24
  %317 = load i64, ptr %316, align 8
  %318 = getelementptr inbounds i64, ptr %315, i64 %317
  %319 = load i64, ptr %318, align 8
  %320 = icmp eq i64 %314, %319
  br i1 %320, label %297, label %321

321:
  %322 = load i64, ptr %12, align 8
  %323 = icmp eq i64 %322, 0
  br i1 %323, label %348, label %324

324:
  %325 = load ptr, ptr %1, align 8
  %326 = getelementptr inbounds nuw i8, ptr %1, i64 280
  %327 = load i64, ptr %326, align 8
  %328 = add i64 %327, 63
  %329 = ashr i64 %328, 6
  %330 = tail call noundef i64 @llvm.smax.i64(i64 %329, i64 1)
  %331 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %330, i1 true)
  %332 = sub nsw i64 59, %331
  %333 = tail call noundef i64 @llvm.smax.i64(i64 %332, i64 0)
  %334 = add nsw i64 %330, -1
  %335 = lshr i64 %334, %333
  %336 = add nuw nsw i64 %335, 1
  %337 = shl i64 %336, %333
  %338 = shl i64 %337, 6
  %339 = inttoptr i64 %322 to ptr
  %340 = getelementptr inbounds nuw i8, ptr %325, i64 72
  %341 = getelementptr ptr, ptr %340, i64 %336
  %342 = shl nuw nsw i64 %333, 7
  %343 = getelementptr i8, ptr %341, i64 %342
  %344 = load ptr, ptr %343, align 8
  store ptr %344, ptr %339, align 8
  store ptr %339, ptr %343, align 8
  %345 = getelementptr inbounds nuw i8, ptr %325, i64 8
  %346 = load i64, ptr %345, align 8
  %347 = sub i64 %346, %338
  store i64 %347, ptr %345, align 8
  store i64 0, ptr %12, align 8
  br label %348

348:
  tail call fastcc void @let_go(ptr noundef nonnull %1)
  br label %349

349:
  %350 = phi i1 [ false, %348 ], [ true, %139 ], [ true, %297 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  ret i1 %350
}

define ptr @anytile_outlet(ptr noundef %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = tail call i64 @PyLong_AsSsize_t(ptr noundef %0)
  %5 = inttoptr i64 %4 to ptr
  %6 = load ptr, ptr %1, align 8
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i64 @PyLong_AsSsize_t(ptr noundef %8)
  %10 = inttoptr i64 %9 to ptr
  %11 = tail call fastcc ptr @given_out(ptr noundef %5, ptr noundef %6, ptr noundef %10)
  %12 = icmp eq ptr %11, null
  br i1 %12, label %13, label %18

13:
  %14 = tail call ptr @PyErr_Occurred()
  %15 = icmp eq ptr %14, null
  br i1 %15, label %16, label %18

16:
  %17 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  br label %18

18:
  %19 = phi ptr [ %17, %16 ], [ null, %13 ], [ %11, %3 ]
  ret ptr %19
}

define internal fastcc ptr @given_out(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr inbounds nuw i8, ptr %2, i64 272
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load i64, ptr %6, align 8
  %8 = icmp slt i64 %7, 0
  %9 = load i64, ptr %5, align 8
  %10 = icmp eq i64 %9, 0
  br i1 %10, label %23, label %11

11:
  br i1 %8, label %12, label %120

12:
  %13 = getelementptr inbounds nuw i8, ptr %2, i64 184
  %14 = load i64, ptr %13, align 8
  %15 = icmp sgt i64 %14, -1
  br i1 %15, label %16, label %120

16:
  %17 = getelementptr inbounds nuw i8, ptr %2, i64 200
  %18 = load i64, ptr %17, align 8
  %19 = icmp eq i64 %18, 0
  br i1 %19, label %20, label %120

20:
  %21 = getelementptr inbounds nuw i8, ptr %2, i64 168
  %22 = tail call fastcc ptr @own_array(ptr noundef nonnull readonly %0, ptr noundef %1, ptr noundef %4, ptr noundef nonnull %21, ptr noundef nonnull %5, i64 noundef 0)
  br label %89

23:
  %24 = getelementptr inbounds nuw i8, ptr %2, i64 136
  %25 = load ptr, ptr %24, align 8
  %26 = icmp eq ptr %25, null
  br i1 %26, label %120, label %27

27:
  %28 = getelementptr inbounds nuw i8, ptr %25, i64 32
  %29 = load i64, ptr %28, align 8
  br i1 %8, label %30, label %40

30:
  %31 = icmp slt i64 %29, 0
  br i1 %31, label %120, label %32

32:
  %33 = getelementptr inbounds nuw i8, ptr %25, i64 48
  %34 = load i64, ptr %33, align 8
  %35 = and i64 %34, 3
  %36 = icmp eq i64 %35, 1
  br i1 %36, label %37, label %120

37:
  %38 = getelementptr inbounds nuw i8, ptr %25, i64 16
  %39 = tail call fastcc ptr @copied_array(ptr noundef nonnull readonly %0, ptr noundef %1, ptr noundef %4, ptr noundef nonnull %38)
  br label %89

40:
  %41 = icmp eq i64 %29, -2
  br i1 %41, label %42, label %120

42:
  %43 = load i64, ptr %25, align 8
  %44 = icmp eq i64 %43, 1
  br i1 %44, label %45, label %120

45:
  %46 = getelementptr inbounds nuw i8, ptr %25, i64 24
  %47 = load i64, ptr %46, align 8
  %48 = icmp eq i64 %47, %7
  br i1 %48, label %49, label %120

49:
  %50 = getelementptr inbounds nuw i8, ptr %25, i64 40
  %51 = icmp eq i64 %7, 0
  br i1 %51, label %87, label %52

52:
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 24
  br label %54

54:
  %55 = phi i64 [ 0, %52 ], [ %85, %84 ]
  %56 = getelementptr inbounds nuw ptr, ptr %50, i64 %55
  %57 = load ptr, ptr %56, align 8
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 8
  %59 = load ptr, ptr %58, align 8
  %60 = getelementptr inbounds nuw i8, ptr %57, i64 32
  %61 = load i64, ptr %60, align 8
  %62 = icmp slt i64 %61, 0
  br i1 %62, label %120, label %63

63:
  %64 = getelementptr inbounds nuw i8, ptr %57, i64 48
  %65 = load i64, ptr %64, align 8
  %66 = and i64 %65, 2
  %67 = icmp eq i64 %66, 0
  br i1 %67, label %68, label %120

68:
  %69 = and i64 %65, 1
  %70 = icmp eq i64 %69, 0
  br i1 %70, label %71, label %84

71:
  %72 = icmp eq ptr %59, null
  br i1 %72, label %120, label %73

73:
  %74 = getelementptr inbounds nuw i8, ptr %59, i64 32
  %75 = load i64, ptr %74, align 8
  %76 = icmp eq i64 %75, -1
  br i1 %76, label %77, label %120

77:
  %78 = load ptr, ptr %53, align 8
  %79 = icmp eq ptr %78, null
  br i1 %79, label %80, label %84

80:
  %81 = getelementptr inbounds nuw i8, ptr %59, i64 120
  %82 = load i64, ptr %81, align 8
  %83 = icmp eq i64 %82, 0
  br i1 %83, label %84, label %120

84:
  %85 = add nuw nsw i64 %55, 1
  %86 = icmp eq i64 %85, %7
  br i1 %86, label %87, label %54

87:
  %88 = tail call fastcc ptr @tuple_of(ptr noundef readonly %0, ptr noundef %1, ptr noundef %4, ptr noundef nonnull %50, i64 noundef %7)
  br label %89

89:
  %90 = phi ptr [ %39, %37 ], [ %22, %20 ], [ %88, %87 ]
  %91 = icmp eq ptr %90, null
  br i1 %91, label %120, label %92

92:
  %93 = load i64, ptr %5, align 8
  %94 = icmp eq i64 %93, 0
  br i1 %94, label %119, label %95

95:
  %96 = load ptr, ptr %2, align 8
  %97 = getelementptr inbounds nuw i8, ptr %2, i64 280
  %98 = load i64, ptr %97, align 8
  %99 = add i64 %98, 63
  %100 = ashr i64 %99, 6
  %101 = tail call noundef i64 @llvm.smax.i64(i64 %100, i64 1)
  %102 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %101, i1 true)
  %103 = sub nsw i64 59, %102
  %104 = tail call noundef i64 @llvm.smax.i64(i64 %103, i64 0)
  %105 = add nsw i64 %101, -1
  %106 = lshr i64 %105, %104
  %107 = add nuw nsw i64 %106, 1
  %108 = shl i64 %107, %104
  %109 = shl i64 %108, 6
  %110 = inttoptr i64 %93 to ptr
  %111 = getelementptr inbounds nuw i8, ptr %96, i64 72
  %112 = getelementptr ptr, ptr %111, i64 %107
  %113 = shl nuw nsw i64 %104, 7
  %114 = getelementptr i8, ptr %112, i64 %113
  %115 = load ptr, ptr %114, align 8
  store ptr %115, ptr %110, align 8
  store ptr %110, ptr %114, align 8
  %116 = getelementptr inbounds nuw i8, ptr %96, i64 8
  %117 = load i64, ptr %116, align 8
  %118 = sub i64 %117, %109
  store i64 %118, ptr %116, align 8
  store i64 0, ptr %5, align 8
  br label %119

119:
  tail call fastcc void @let_go(ptr noundef nonnull %2)
  br label %120

120:
  %121 = phi ptr [ null, %89 ], [ %90, %119 ], [ null, %12 ], [ null, %16 ], [ null, %11 ], [ null, %23 ], [ null, %30 ], [ null, %40 ], [ null, %45 ], [ null, %42 ], [ null, %32 ], [ null, %73 ], [ null, %80 ], [ null, %63 ], [ null, %54 ], [ null, %71 ]
  ret ptr %121
}

declare ptr @PyErr_Occurred() nonlazybind

define ptr @anytile_call(ptr noundef %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = tail call i64 @PyLong_AsSsize_t(ptr noundef %0)
  %5 = inttoptr i64 %4 to ptr
  %6 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i64 @PyLong_AsSsize_t(ptr noundef %7)
  %9 = inttoptr i64 %8 to ptr
  %10 = load ptr, ptr %5, align 8
  %11 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %14 = add i64 %2, -3
  %15 = tail call fastcc zeroext i1 @taken(ptr noundef %10, ptr noundef %9, ptr noundef %12, ptr noundef nonnull %13, i64 noundef %14)
  br i1 %15, label %16, label %85

16:
  %17 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %18 = load i64, ptr %17, align 8
  %19 = getelementptr inbounds nuw i8, ptr %9, i64 48
  store i64 %18, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %5, i64 32
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr inbounds nuw i8, ptr %9, i64 120
  store i64 %21, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %5, i64 40
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %9, i64 152
  store ptr %24, ptr %25, align 8
  %26 = getelementptr inbounds nuw i8, ptr %5, i64 48
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds nuw i8, ptr %9, i64 128
  store i64 %27, ptr %28, align 8
  %29 = tail call ptr @PyEval_SaveThread()
  %30 = load ptr, ptr %9, align 8
  %31 = getelementptr inbounds nuw i8, ptr %30, i64 64
  %32 = atomicrmw xchg ptr %31, i64 0 acquire, align 8
  %33 = icmp eq i64 %32, 0
  br i1 %33, label %64, label %34

34:
  %35 = inttoptr i64 %32 to ptr
  %36 = getelementptr inbounds nuw i8, ptr %30, i64 72
  %37 = getelementptr inbounds nuw i8, ptr %30, i64 8
  br label %38

38:
  %39 = phi ptr [ %35, %34 ], [ %40, %38 ]
  %40 = load ptr, ptr %39, align 8
  %41 = getelementptr inbounds nuw i8, ptr %39, i64 8
  %42 = load i64, ptr %41, align 8
  %43 = getelementptr inbounds nuw i8, ptr %39, i64 16
  %44 = load i64, ptr %43, align 8
  %45 = add i64 %44, 63
  %46 = ashr i64 %45, 6
  %47 = tail call noundef i64 @llvm.smax.i64(i64 %46, i64 1)
  %48 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %47, i1 true)
  %49 = sub nsw i64 59, %48
  %50 = tail call noundef i64 @llvm.smax.i64(i64 %49, i64 0)
  %51 = add nsw i64 %47, -1
  %52 = lshr i64 %51, %50
  %53 = add nuw nsw i64 %52, 1
  %54 = shl i64 %53, %50
  %55 = shl i64 %54, 6
  %56 = inttoptr i64 %42 to ptr
  %57 = getelementptr ptr, ptr %36, i64 %53
  %58 = shl nuw nsw i64 %50, 7
  %59 = getelementptr i8, ptr %57, i64 %58
  %60 = load ptr, ptr %59, align 8
  store ptr %60, ptr %56, align 8
  store ptr %56, ptr %59, align 8
  %61 = load i64, ptr %37, align 8
  %62 = sub i64 %61, %55
  store i64 %62, ptr %37, align 8
  tail call void @free(ptr noundef nonnull %39)
  %63 = icmp eq ptr %40, null
  br i1 %63, label %64, label %38

64:
  %65 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %66 = load i64, ptr %65, align 8
  %67 = tail call fastcc i32 @begin(ptr noundef nonnull %9, i64 noundef %66)
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %70, label %69

69:
  tail call void @PyEval_RestoreThread(ptr noundef %29)
  br label %79

70:
  %71 = tail call fastcc i32 @drive(ptr noundef nonnull %9)
  tail call void @PyEval_RestoreThread(ptr noundef %29)
  %72 = icmp slt i32 %71, 2
  br i1 %72, label %73, label %79

73:
  %74 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %75 = load ptr, ptr %74, align 8
  %76 = load ptr, ptr %1, align 8
  %77 = tail call fastcc ptr @given_out(ptr noundef %75, ptr noundef %76, ptr noundef nonnull %9)
  %78 = icmp eq ptr %77, null
  br i1 %78, label %79, label %88

79:
  %80 = phi i32 [ %71, %73 ], [ 5, %69 ], [ %71, %70 ]
  %81 = tail call ptr @PyErr_Occurred()
  %82 = icmp eq ptr %81, null
  br i1 %82, label %83, label %88

83:
  %84 = sext i32 %80 to i64
  br label %85

85:
  %86 = phi i64 [ %84, %83 ], [ -1, %3 ]
  %87 = tail call ptr @PyLong_FromLong(i64 noundef %86)
  br label %88

88:
  %89 = phi ptr [ null, %79 ], [ %77, %73 ], [ %87, %85 ]
  ret ptr %89
}

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
  %45 = tail call fastcc i64 @take(ptr noundef %7, i64 noundef %44)
  %46 = icmp eq i64 %45, 0
  br i1 %46, label %47, label %49

47:
  %48 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  br label %92

49:
  %50 = load ptr, ptr %1, align 8
  %51 = tail call ptr @malloc(i64 noundef 40)
  %52 = icmp eq ptr %51, null
  br i1 %52, label %62, label %53

53:
  store ptr null, ptr %51, align 8
  %54 = getelementptr inbounds nuw i8, ptr %51, i64 8
  store i64 %45, ptr %54, align 8
  %55 = getelementptr inbounds nuw i8, ptr %51, i64 16
  store i64 %44, ptr %55, align 8
  %56 = getelementptr inbounds nuw i8, ptr %51, i64 24
  store ptr %7, ptr %56, align 8
  %57 = getelementptr inbounds nuw i8, ptr %51, i64 32
  store ptr %50, ptr %57, align 8
  %58 = tail call ptr @PyCapsule_New(ptr noundef nonnull %51, ptr noundef null, ptr noundef nonnull @give_up)
  %59 = icmp eq ptr %58, null
  br i1 %59, label %60, label %61

60:
  tail call void @free(ptr noundef nonnull %51)
  br label %71

61:
  tail call void @Py_IncRef(ptr noundef %50)
  br label %65

62:
  %63 = tail call ptr @PyErr_NoMemory()
  %64 = icmp eq ptr %63, null
  br i1 %64, label %71, label %65

65:
  %66 = phi ptr [ %58, %61 ], [ %63, %62 ]
  %67 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %68 = load ptr, ptr %67, align 8
  %69 = tail call ptr @PyByteArray_AsString(ptr noundef %68)
  store i64 %45, ptr %69, align 1
  %70 = getelementptr inbounds nuw i8, ptr %69, i64 8
  store i64 %44, ptr %70, align 1
  br label %92

71:
  %72 = add i64 %44, 63
  %73 = ashr i64 %72, 6
  %74 = tail call noundef i64 @llvm.smax.i64(i64 %73, i64 1)
  %75 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %74, i1 true)
  %76 = sub nsw i64 59, %75
  %77 = tail call noundef i64 @llvm.smax.i64(i64 %76, i64 0)
  %78 = add nsw i64 %74, -1
  %79 = lshr i64 %78, %77
  %80 = add nuw nsw i64 %79, 1
  %81 = shl i64 %80, %77
  %82 = shl i64 %81, 6
  %83 = inttoptr i64 %45 to ptr
  %84 = getelementptr inbounds nuw i8, ptr %7, i64 72
  %85 = getelementptr ptr, ptr %84, i64 %80
  %86 = shl nuw nsw i64 %77, 7
  %87 = getelementptr i8, ptr %85, i64 %86
  %88 = load ptr, ptr %87, align 8
  store ptr %88, ptr %83, align 8
  store ptr %83, ptr %87, align 8
  %89 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %90 = load i64, ptr %89, align 8
  %91 = sub i64 %90, %82
  store i64 %91, ptr %89, align 8
  br label %92

92:
  %93 = phi ptr [ %48, %47 ], [ null, %71 ], [ %66, %65 ]
  ret ptr %93
}

define internal fastcc i64 @take(ptr noundef captures(none) %0, i64 noundef %1) #0 {
  %3 = icmp ugt i64 %1, 281474976710656
  br i1 %3, label %76, label %4

4:
  %5 = add nuw nsw i64 %1, 63
  %6 = lshr i64 %5, 6
  %7 = tail call i64 @llvm.umax.i64(i64 %6, i64 1)
  %8 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %7, i1 true)
  %9 = sub nsw i64 59, %8
  %10 = tail call noundef i64 @llvm.smax.i64(i64 %9, i64 0)
  %11 = add nsw i64 %7, -1
  %12 = lshr i64 %11, %10
  %13 = add nuw nsw i64 %12, 1
  %14 = shl i64 %13, %10
  %15 = shl i64 %14, 6
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %17 = getelementptr ptr, ptr %16, i64 %13
  %18 = shl nuw nsw i64 %10, 7
  %19 = getelementptr i8, ptr %17, i64 %18
  %20 = load ptr, ptr %19, align 8
  %21 = icmp eq ptr %20, null
  br i1 %21, label %25, label %22

22:
  %23 = load ptr, ptr %20, align 8
  store ptr %23, ptr %19, align 8
  store ptr null, ptr %20, align 8
  %24 = ptrtoint ptr %20 to i64
  br label %65

25:
  %26 = load i64, ptr %0, align 8
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %28 = load i64, ptr %27, align 8
  %29 = sub i64 %26, %28
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %31 = load i64, ptr %30, align 8
  %32 = add i64 %31, %15
  %33 = icmp sgt i64 %32, %29
  br i1 %33, label %34, label %35

34:
  tail call fastcc void @trim(ptr noundef nonnull %0)
  br label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %37 = load i64, ptr %36, align 8
  %38 = add i64 %37, %15
  %39 = icmp sgt i64 %38, %29
  br i1 %39, label %76, label %40

40:
  %41 = add i64 %15, 64
  %42 = tail call ptr @calloc(i64 noundef 1, i64 noundef %41)
  %43 = icmp eq ptr %42, null
  br i1 %43, label %76, label %44

44:
  %45 = ptrtoint ptr %42 to i64
  %46 = and i64 %45, -64
  %47 = add i64 %46, 64
  %48 = inttoptr i64 %47 to ptr
  %49 = icmp sgt i64 %15, 4194303
  br i1 %49, label %50, label %56

50:
  %51 = add i64 %46, 4159
  %52 = and i64 %51, -4096
  %53 = inttoptr i64 %52 to ptr
  %54 = add nsw i64 %15, -4096
  %55 = tail call i32 @madvise(ptr noundef %53, i64 noundef %54, i32 noundef 14)
  br label %56

56:
  %57 = getelementptr inbounds i8, ptr %48, i64 -8
  store ptr %42, ptr %57, align 8
  %58 = icmp eq i64 %47, 0
  br i1 %58, label %76, label %59

59:
  %60 = load i64, ptr %30, align 8
  %61 = add i64 %60, %15
  store i64 %61, ptr %30, align 8
  %62 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %63 = load i64, ptr %62, align 8
  %64 = add i64 %63, 1
  store i64 %64, ptr %62, align 8
  br label %65

65:
  %66 = phi i64 [ %24, %22 ], [ %47, %59 ]
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %68 = load i64, ptr %67, align 8
  %69 = add i64 %68, %15
  store i64 %69, ptr %67, align 8
  %70 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %71 = load i64, ptr %70, align 8
  %72 = tail call noundef i64 @llvm.smax.i64(i64 %71, i64 %69)
  store i64 %72, ptr %70, align 8
  %73 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %74 = load i64, ptr %73, align 8
  %75 = add i64 %74, 1
  store i64 %75, ptr %73, align 8
  br label %76

76:
  %77 = phi i64 [ 0, %2 ], [ %66, %65 ], [ 0, %56 ], [ 0, %35 ], [ 0, %40 ]
  ret i64 %77
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

define internal fastcc ptr @own_array(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef captures(none) %4, i64 noundef %5) #0 {
  %7 = alloca [3 x i64], align 16
  %8 = load i64, ptr %4, align 8
  %9 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %10 = load i64, ptr %9, align 8
  %11 = tail call ptr @malloc(i64 noundef 40)
  %12 = icmp eq ptr %11, null
  br i1 %12, label %22, label %13

13:
  store ptr null, ptr %11, align 8
  %14 = getelementptr inbounds nuw i8, ptr %11, i64 8
  store i64 %8, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %11, i64 16
  store i64 %10, ptr %15, align 8
  %16 = getelementptr inbounds nuw i8, ptr %11, i64 24
  store ptr %2, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %11, i64 32
  store ptr %1, ptr %17, align 8
  %18 = tail call ptr @PyCapsule_New(ptr noundef nonnull %11, ptr noundef null, ptr noundef nonnull @give_up)
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %21

20:
  tail call void @free(ptr noundef nonnull %11)
  br label %83

21:
  tail call void @Py_IncRef(ptr noundef %1)
  br label %25

22:
  %23 = tail call ptr @PyErr_NoMemory()
  %24 = icmp eq ptr %23, null
  br i1 %24, label %83, label %25

25:
  %26 = phi ptr [ %18, %21 ], [ %23, %22 ]
  %27 = load i64, ptr %4, align 8
  %28 = load i64, ptr %9, align 8
  store i64 0, ptr %4, align 8
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %30 = load ptr, ptr %29, align 8
  %31 = icmp eq ptr %30, null
  br i1 %31, label %59, label %32

32:
  %33 = tail call ptr @PyTuple_New(i64 noundef 4)
  %34 = icmp eq ptr %33, null
  br i1 %34, label %35, label %36

35:
  tail call void @Py_DecRef(ptr noundef nonnull %26)
  br label %83

36:
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  store i64 %27, ptr %7, align 16
  %37 = getelementptr inbounds nuw i8, ptr %7, i64 8
  store i64 %28, ptr %37, align 8
  %38 = getelementptr inbounds nuw i8, ptr %7, i64 16
  store i64 %5, ptr %38, align 16
  %39 = tail call i32 @PyTuple_SetItem(ptr noundef nonnull %33, i64 noundef 0, ptr noundef nonnull %26)
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %42, label %54

41:
  br i1 %51, label %55, label %54

42:
  %43 = phi i64 [ %49, %48 ], [ 0, %36 ]
  %44 = getelementptr inbounds nuw i64, ptr %7, i64 %43
  %45 = load i64, ptr %44, align 8
  %46 = tail call ptr @PyLong_FromLong(i64 noundef %45)
  %47 = icmp eq ptr %46, null
  br i1 %47, label %54, label %48

48:
  %49 = add nuw nsw i64 %43, 1
  %50 = tail call i32 @PyTuple_SetItem(ptr noundef nonnull %33, i64 noundef %49, ptr noundef nonnull %46)
  %51 = icmp eq i32 %50, 0
  %52 = icmp samesign ult i64 %43, 2
  %53 = select i1 %51, i1 %52, i1 false
  br i1 %53, label %42, label %41

54:
  tail call void @Py_DecRef(ptr noundef nonnull %33)
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  br label %83

55:
  %56 = load ptr, ptr %29, align 8
  %57 = tail call ptr @PyObject_CallObject(ptr noundef %56, ptr noundef nonnull %33)
  tail call void @Py_DecRef(ptr noundef nonnull %33)
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  %58 = icmp eq ptr %57, null
  br i1 %58, label %83, label %59

59:
  %60 = phi ptr [ %57, %55 ], [ %26, %25 ]
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %62 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %63 = load i64, ptr %62, align 8
  %64 = getelementptr inbounds ptr, ptr %61, i64 %63
  %65 = load ptr, ptr %64, align 8
  tail call void @Py_IncRef(ptr noundef %65)
  %66 = load ptr, ptr %0, align 8
  %67 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 16), align 8
  %68 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %69 = load i64, ptr %68, align 8
  %70 = trunc i64 %69 to i32
  %71 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %72 = load i64, ptr %3, align 8
  %73 = inttoptr i64 %72 to ptr
  %74 = tail call ptr %66(ptr noundef %67, ptr noundef %65, i32 noundef %70, ptr noundef nonnull %71, ptr noundef null, ptr noundef %73, i32 noundef 1281, ptr noundef null)
  %75 = icmp eq ptr %74, null
  br i1 %75, label %81, label %76

76:
  %77 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %78 = load ptr, ptr %77, align 8
  %79 = tail call i32 %78(ptr noundef nonnull %74, ptr noundef nonnull %60)
  %80 = icmp eq i32 %79, 0
  br i1 %80, label %83, label %81

81:
  %82 = phi ptr [ %60, %59 ], [ %74, %76 ]
  tail call void @Py_DecRef(ptr noundef nonnull %82)
  br label %83

83:
  %84 = phi ptr [ null, %22 ], [ null, %54 ], [ null, %55 ], [ null, %20 ], [ null, %35 ], [ %74, %76 ], [ null, %81 ]
  ret ptr %84
}

define internal fastcc ptr @copied_array(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef readonly captures(none) %3) #0 {
  %5 = alloca %struct.tensor, align 8
  %6 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %9 = load i64, ptr %8, align 8
  %10 = icmp ult i64 %9, 15
  br i1 %10, label %11, label %14

11:
  %12 = getelementptr inbounds nuw i64, ptr @switch.table.copied_array, i64 %9
  %13 = load i64, ptr %12, align 8
  br label %14

14:
  %15 = phi i64 [ %13, %11 ], [ 8, %4 ]
  %16 = mul i64 %15, %7
  %17 = tail call fastcc i64 @take(ptr noundef %2, i64 noundef %16)
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %5, ptr noundef nonnull align 8 dereferenceable(104) %3, i64 104, i1 false)
  store i64 %17, ptr %5, align 8
  %18 = icmp eq i64 %17, 0
  br i1 %18, label %91, label %19

19:
  %20 = icmp sgt i64 %16, 65535
  br i1 %20, label %25, label %21

21:
  %22 = inttoptr i64 %17 to ptr
  %23 = load i64, ptr %3, align 8
  %24 = inttoptr i64 %23 to ptr
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %22, ptr align 1 %24, i64 %16, i1 false)
  br label %32

25:
  %26 = tail call ptr @PyEval_SaveThread()
  %27 = inttoptr i64 %17 to ptr
  %28 = load i64, ptr %3, align 8
  %29 = inttoptr i64 %28 to ptr
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %27, ptr align 1 %29, i64 %16, i1 false)
  %30 = icmp eq ptr %26, null
  br i1 %30, label %32, label %31

31:
  tail call void @PyEval_RestoreThread(ptr noundef nonnull %26)
  br label %32

32:
  %33 = tail call ptr @malloc(i64 noundef 40)
  %34 = icmp eq ptr %33, null
  br i1 %34, label %44, label %35

35:
  store ptr null, ptr %33, align 8
  %36 = getelementptr inbounds nuw i8, ptr %33, i64 8
  store i64 %17, ptr %36, align 8
  %37 = getelementptr inbounds nuw i8, ptr %33, i64 16
  store i64 %16, ptr %37, align 8
  %38 = getelementptr inbounds nuw i8, ptr %33, i64 24
  store ptr %2, ptr %38, align 8
  %39 = getelementptr inbounds nuw i8, ptr %33, i64 32
  store ptr %1, ptr %39, align 8
  %40 = tail call ptr @PyCapsule_New(ptr noundef nonnull %33, ptr noundef null, ptr noundef nonnull @give_up)
  %41 = icmp eq ptr %40, null
  br i1 %41, label %42, label %43

42:
  tail call void @free(ptr noundef nonnull %33)
  br label %70

43:
  tail call void @Py_IncRef(ptr noundef %1)
  br label %47

44:
  %45 = tail call ptr @PyErr_NoMemory()
  %46 = icmp eq ptr %45, null
  br i1 %46, label %70, label %47

47:
  %48 = phi ptr [ %40, %43 ], [ %45, %44 ]
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %50 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %51 = load i64, ptr %50, align 8
  %52 = getelementptr inbounds ptr, ptr %49, i64 %51
  %53 = load ptr, ptr %52, align 8
  tail call void @Py_IncRef(ptr noundef %53)
  %54 = load ptr, ptr %0, align 8
  %55 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 16), align 8
  %56 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %57 = load i64, ptr %56, align 8
  %58 = trunc i64 %57 to i32
  %59 = getelementptr inbounds nuw i8, ptr %5, i64 40
  %60 = inttoptr i64 %17 to ptr
  %61 = call ptr %54(ptr noundef %55, ptr noundef %53, i32 noundef %58, ptr noundef nonnull %59, ptr noundef null, ptr noundef nonnull %60, i32 noundef 1281, ptr noundef null)
  %62 = icmp eq ptr %61, null
  br i1 %62, label %68, label %63

63:
  %64 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %65 = load ptr, ptr %64, align 8
  %66 = call i32 %65(ptr noundef nonnull %61, ptr noundef nonnull %48)
  %67 = icmp eq i32 %66, 0
  br i1 %67, label %91, label %68

68:
  %69 = phi ptr [ %48, %47 ], [ %61, %63 ]
  call void @Py_DecRef(ptr noundef nonnull %69)
  br label %91

70:
  %71 = add i64 %16, 63
  %72 = ashr i64 %71, 6
  %73 = tail call noundef i64 @llvm.smax.i64(i64 %72, i64 1)
  %74 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %73, i1 true)
  %75 = sub nsw i64 59, %74
  %76 = tail call noundef i64 @llvm.smax.i64(i64 %75, i64 0)
  %77 = add nsw i64 %73, -1
  %78 = lshr i64 %77, %76
  %79 = add nuw nsw i64 %78, 1
  %80 = shl i64 %79, %76
  %81 = shl i64 %80, 6
  %82 = inttoptr i64 %17 to ptr
  %83 = getelementptr inbounds nuw i8, ptr %2, i64 72
  %84 = getelementptr ptr, ptr %83, i64 %79
  %85 = shl nuw nsw i64 %76, 7
  %86 = getelementptr i8, ptr %84, i64 %85
  %87 = load ptr, ptr %86, align 8
  store ptr %87, ptr %82, align 8
  store ptr %82, ptr %86, align 8
  %88 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %89 = load i64, ptr %88, align 8
  %90 = sub i64 %89, %81
  store i64 %90, ptr %88, align 8
  br label %91

91:
  %92 = phi ptr [ null, %14 ], [ null, %70 ], [ %61, %63 ], [ null, %68 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  ret ptr %92
}

define internal fastcc ptr @tuple_of(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef readonly captures(none) %3, i64 noundef %4) #0 {
  %6 = tail call ptr @PyTuple_New(i64 noundef %4)
  %7 = icmp ne ptr %6, null
  %8 = shl i64 %4, 1
  %9 = icmp sgt i64 %8, 0
  %10 = and i1 %7, %9
  br i1 %10, label %11, label %119

11:
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 8
  br label %15

15:
  %16 = phi i64 [ 0, %11 ], [ %116, %115 ]
  %17 = srem i64 %16, %4
  %18 = getelementptr inbounds nuw ptr, ptr %3, i64 %17
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %19, i64 8
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr inbounds nuw i8, ptr %19, i64 32
  %23 = load i64, ptr %22, align 8
  %24 = icmp slt i64 %23, 0
  br i1 %24, label %69, label %25

25:
  %26 = getelementptr inbounds nuw i8, ptr %19, i64 48
  %27 = load i64, ptr %26, align 8
  %28 = and i64 %27, 2
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %30, label %69

30:
  %31 = and i64 %27, 1
  %32 = icmp eq i64 %31, 0
  br i1 %32, label %33, label %72

33:
  %34 = icmp eq ptr %21, null
  br i1 %34, label %69, label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %21, i64 32
  %37 = load i64, ptr %36, align 8
  %38 = icmp eq i64 %37, -1
  br i1 %38, label %39, label %69

39:
  %40 = load ptr, ptr %12, align 8
  %41 = icmp eq ptr %40, null
  br i1 %41, label %42, label %46

42:
  %43 = getelementptr inbounds nuw i8, ptr %21, i64 120
  %44 = load i64, ptr %43, align 8
  %45 = icmp eq i64 %44, 0
  br i1 %45, label %46, label %69

46:
  %47 = load i64, ptr %19, align 8
  %48 = icmp eq i64 %47, 1
  br i1 %48, label %49, label %52

49:
  %50 = load i64, ptr %21, align 8
  %51 = icmp ne i64 %50, 1
  br label %52

52:
  %53 = phi i1 [ true, %46 ], [ %51, %49 ]
  %54 = icmp ne i64 %17, 0
  %55 = and i1 %54, %53
  br i1 %55, label %59, label %66

56:
  %57 = add nuw nsw i64 %60, 1
  %58 = icmp eq i64 %57, %17
  br i1 %58, label %66, label %59

59:
  %60 = phi i64 [ %57, %56 ], [ 0, %52 ]
  %61 = getelementptr inbounds nuw ptr, ptr %3, i64 %60
  %62 = load ptr, ptr %61, align 8
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 8
  %64 = load ptr, ptr %63, align 8
  %65 = icmp eq ptr %64, %21
  br i1 %65, label %72, label %56

66:
  %67 = load i64, ptr %21, align 8
  %68 = icmp eq i64 %67, 0
  br label %69

69:
  %70 = phi i1 [ %68, %66 ], [ false, %35 ], [ false, %42 ], [ false, %25 ], [ false, %15 ], [ false, %33 ]
  %71 = icmp slt i64 %16, %4
  br i1 %71, label %115, label %74

72:
  %73 = icmp slt i64 %16, %4
  br i1 %73, label %75, label %115

74:
  br i1 %70, label %78, label %102

75:
  %76 = getelementptr inbounds nuw i8, ptr %19, i64 16
  %77 = tail call fastcc ptr @copied_array(ptr noundef readonly %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull %76)
  br label %108

78:
  %79 = getelementptr inbounds nuw i8, ptr %21, i64 128
  %80 = load i64, ptr %79, align 8
  %81 = inttoptr i64 %80 to ptr
  tail call void @Py_IncRef(ptr noundef %81)
  %82 = getelementptr inbounds nuw i8, ptr %19, i64 16
  %83 = load i64, ptr %22, align 8
  %84 = getelementptr inbounds ptr, ptr %13, i64 %83
  %85 = load ptr, ptr %84, align 8
  tail call void @Py_IncRef(ptr noundef %85)
  %86 = load ptr, ptr %0, align 8
  %87 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 16), align 8
  %88 = getelementptr inbounds nuw i8, ptr %19, i64 40
  %89 = load i64, ptr %88, align 8
  %90 = trunc i64 %89 to i32
  %91 = getelementptr inbounds nuw i8, ptr %19, i64 56
  %92 = load i64, ptr %82, align 8
  %93 = inttoptr i64 %92 to ptr
  %94 = tail call ptr %86(ptr noundef %87, ptr noundef %85, i32 noundef %90, ptr noundef nonnull %91, ptr noundef null, ptr noundef %93, i32 noundef 1281, ptr noundef null)
  %95 = icmp eq ptr %94, null
  br i1 %95, label %100, label %96

96:
  %97 = load ptr, ptr %14, align 8
  %98 = tail call i32 %97(ptr noundef nonnull %94, ptr noundef %81)
  %99 = icmp eq i32 %98, 0
  br i1 %99, label %111, label %100

100:
  %101 = phi ptr [ %81, %78 ], [ %94, %96 ]
  tail call void @Py_DecRef(ptr noundef %101)
  br label %118

102:
  %103 = getelementptr inbounds nuw i8, ptr %21, i64 16
  %104 = getelementptr inbounds nuw i8, ptr %19, i64 16
  %105 = getelementptr inbounds nuw i8, ptr %21, i64 120
  %106 = load i64, ptr %105, align 8
  %107 = tail call fastcc ptr @own_array(ptr noundef readonly %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull %104, ptr noundef nonnull %103, i64 noundef %106)
  br label %108

108:
  %109 = phi ptr [ %77, %75 ], [ %107, %102 ]
  %110 = icmp eq ptr %109, null
  br i1 %110, label %118, label %111

111:
  %112 = phi ptr [ %109, %108 ], [ %94, %96 ]
  %113 = tail call i32 @PyTuple_SetItem(ptr noundef nonnull %6, i64 noundef %17, ptr noundef nonnull %112)
  %114 = icmp eq i32 %113, 0
  br i1 %114, label %115, label %118

115:
  %116 = add nuw nsw i64 %16, 1
  %117 = icmp slt i64 %116, %8
  br i1 %117, label %15, label %119

118:
  tail call void @Py_DecRef(ptr noundef nonnull %6)
  br label %119

119:
  %120 = phi ptr [ null, %118 ], [ %6, %5 ], [ %6, %115 ]
  ret ptr %120
}

declare ptr @PyTuple_New(i64 noundef) nonlazybind

declare void @Py_DecRef(ptr noundef) nonlazybind

declare i32 @PyTuple_SetItem(ptr noundef, i64 noundef, ptr noundef) nonlazybind

declare ptr @PyObject_CallObject(ptr noundef, ptr noundef) nonlazybind

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

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) nonlazybind

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

