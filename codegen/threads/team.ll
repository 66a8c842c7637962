; LLVM IR of team.c, written by scripts/runtime: do not edit. 07802624304523c9
%struct.team = type { i32, ptr, ptr, [40 x i8], i32, i32, [56 x i8], i32, i32, [56 x i8], i32, i32, i32, i8, i64, [1024 x i64], [40 x i8] }
%struct.moment = type { i64, i64 }
%struct.cores = type { [16 x i64] }
%struct.signals = type { [16 x i64] }

@key = internal global i32 0, align 4
@teams = internal global [64 x %struct.team] zeroinitializer, align 64
@futex = internal global i64 0, align 8
@left_alone = internal global i8 0, align 1

define void @anytile_fork(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) #0 {
  %5 = alloca %struct.moment, align 8
  %6 = alloca %struct.cores, align 8
  %7 = alloca %struct.signals, align 8
  %8 = alloca %struct.signals, align 8
  %9 = tail call i32 @llvm.smax.i32(i32 %2, i32 1)
  %10 = tail call i32 @llvm.umin.i32(i32 %9, i32 1024)
  %11 = icmp sgt i32 %2, 1
  br i1 %11, label %12, label %24

12:
  %13 = phi i64 [ %22, %21 ], [ 0, %4 ]
  %14 = getelementptr inbounds nuw %struct.team, ptr @teams, i64 %13
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 192
  %16 = load atomic i32, ptr %15 monotonic, align 64
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %21

18:
  %19 = cmpxchg ptr %15, i32 0, i32 1 acquire monotonic, align 64
  %20 = extractvalue { i32, i1 } %19, 1
  br i1 %20, label %38, label %21

21:
  %22 = add nuw nsw i64 %13, 1
  %23 = icmp eq i64 %22, 64
  br i1 %23, label %24, label %12

24:
  %25 = zext nneg i32 %10 to i64
  %26 = shl nuw nsw i64 %25, 32
  br label %30

27:
  %28 = load i32, ptr @key, align 4
  %29 = tail call i32 @pthread_setspecific(i32 noundef %28, ptr noundef nonnull inttoptr (i64 4294967296 to ptr))
  br label %240

30:
  %31 = phi i64 [ 0, %24 ], [ %36, %30 ]
  %32 = load i32, ptr @key, align 4
  %33 = or disjoint i64 %26, %31
  %34 = inttoptr i64 %33 to ptr
  %35 = tail call i32 @pthread_setspecific(i32 noundef %32, ptr noundef nonnull %34)
  tail call void %0(ptr noundef %1)
  %36 = add nuw nsw i64 %31, 1
  %37 = icmp eq i64 %36, %25
  br i1 %37, label %27, label %30

38:
  %39 = getelementptr inbounds nuw i8, ptr %14, i64 196
  %40 = load i32, ptr %39, align 4
  %41 = add i32 %40, 1
  %42 = icmp slt i32 %41, %10
  br i1 %42, label %43, label %81

43:
  %44 = getelementptr inbounds nuw i8, ptr %14, i64 204
  %45 = load i8, ptr %44, align 4
  %46 = trunc nuw i8 %45 to i1
  br i1 %46, label %81, label %47

47:
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  call void @llvm.lifetime.start.p0(ptr nonnull %8)
  br label %55

48:
  %49 = add nsw i32 %10, -1
  store i64 -1241, ptr %7, align 8
  %50 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %7, ptr noundef nonnull %8)
  %51 = load i32, ptr %39, align 4
  %52 = icmp slt i32 %51, %49
  br i1 %52, label %53, label %79

53:
  %54 = getelementptr inbounds nuw i8, ptr %14, i64 216
  br label %60

55:
  %56 = phi i64 [ 0, %47 ], [ %58, %55 ]
  %57 = getelementptr inbounds nuw i64, ptr %7, i64 %56
  store i64 -1, ptr %57, align 8
  %58 = add nuw nsw i64 %56, 1
  %59 = icmp eq i64 %58, 16
  br i1 %59, label %48, label %55

60:
  %61 = phi i32 [ %51, %53 ], [ %77, %76 ]
  %62 = load i8, ptr %44, align 4
  %63 = trunc nuw i8 %62 to i1
  br i1 %63, label %79, label %64

64:
  %65 = sext i32 %61 to i64
  %66 = getelementptr inbounds i64, ptr %54, i64 %65
  %67 = call i32 @pthread_create(ptr noundef nonnull %66, ptr noundef null, ptr noundef nonnull @help, ptr noundef nonnull %14)
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %71, label %69

69:
  store i8 1, ptr %44, align 4
  %70 = load i32, ptr %39, align 4
  br label %76

71:
  %72 = load i64, ptr %66, align 8
  %73 = call i32 @pthread_detach(i64 noundef %72)
  %74 = load i32, ptr %39, align 4
  %75 = add i32 %74, 1
  store i32 %75, ptr %39, align 4
  br label %76

76:
  %77 = phi i32 [ %75, %71 ], [ %70, %69 ]
  %78 = icmp slt i32 %77, %49
  br i1 %78, label %60, label %79

79:
  %80 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %8, ptr noundef null)
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  br label %81

81:
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %6, i8 0, i64 128, i1 false)
  %82 = load i8, ptr @left_alone, align 1
  %83 = trunc nuw i8 %82 to i1
  br i1 %83, label %137, label %84

84:
  %85 = call i32 @sched_getcpu()
  %86 = sext i32 %85 to i64
  %87 = getelementptr inbounds nuw i8, ptr %14, i64 208
  %88 = load i64, ptr %87, align 16
  %89 = icmp eq i64 %88, %86
  br i1 %89, label %90, label %97

90:
  %91 = getelementptr inbounds nuw i8, ptr %14, i64 200
  %92 = load i32, ptr %91, align 8
  %93 = load i32, ptr %39, align 4
  %94 = icmp eq i32 %92, %93
  %95 = icmp ugt i32 %85, 1023
  %96 = or i1 %95, %94
  br i1 %96, label %137, label %99

97:
  %98 = icmp ugt i32 %85, 1023
  br i1 %98, label %137, label %99

99:
  %100 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %6)
  %101 = icmp slt i32 %100, 0
  br i1 %101, label %137, label %102

102:
  %103 = and i64 %86, 63
  %104 = shl nuw i64 1, %103
  %105 = xor i64 %104, -1
  %106 = lshr i64 %86, 6
  %107 = getelementptr inbounds nuw i64, ptr %6, i64 %106
  %108 = load i64, ptr %107, align 8
  %109 = and i64 %108, %105
  store i64 %109, ptr %107, align 8
  br label %117

110:
  %111 = icmp eq i64 %122, 0
  br i1 %111, label %137, label %112

112:
  %113 = load i32, ptr %39, align 4
  %114 = icmp sgt i32 %113, 0
  br i1 %114, label %115, label %125

115:
  %116 = getelementptr inbounds nuw i8, ptr %14, i64 216
  br label %128

117:
  %118 = phi i64 [ 0, %102 ], [ %123, %117 ]
  %119 = phi i64 [ 0, %102 ], [ %122, %117 ]
  %120 = getelementptr inbounds nuw i64, ptr %6, i64 %118
  %121 = load i64, ptr %120, align 8
  %122 = or i64 %121, %119
  %123 = add nuw nsw i64 %118, 1
  %124 = icmp eq i64 %123, 16
  br i1 %124, label %110, label %117

125:
  %126 = phi i32 [ %113, %112 ], [ %134, %128 ]
  store i64 %86, ptr %87, align 16
  %127 = getelementptr inbounds nuw i8, ptr %14, i64 200
  store i32 %126, ptr %127, align 8
  br label %137

128:
  %129 = phi i64 [ 0, %115 ], [ %133, %128 ]
  %130 = getelementptr inbounds nuw i64, ptr %116, i64 %129
  %131 = load i64, ptr %130, align 8
  %132 = call i32 @pthread_setaffinity_np(i64 noundef %131, i64 noundef 128, ptr noundef nonnull %6)
  %133 = add nuw nsw i64 %129, 1
  %134 = load i32, ptr %39, align 4
  %135 = sext i32 %134 to i64
  %136 = icmp slt i64 %133, %135
  br i1 %136, label %128, label %125

137:
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  %138 = getelementptr inbounds nuw i8, ptr %14, i64 64
  %139 = load atomic i32, ptr %138 monotonic, align 64
  %140 = add i32 %139, 1
  %141 = getelementptr inbounds nuw i8, ptr %14, i64 8
  store ptr %0, ptr %141, align 8
  %142 = getelementptr inbounds nuw i8, ptr %14, i64 16
  store ptr %1, ptr %142, align 16
  %143 = getelementptr inbounds nuw i8, ptr %14, i64 128
  store atomic i32 0, ptr %143 monotonic, align 64
  %144 = shl nuw nsw i32 %10, 16
  %145 = or disjoint i32 %144, 1
  store atomic i32 %145, ptr %14 release, align 64
  store atomic i32 %140, ptr %138 seq_cst, align 64
  %146 = getelementptr inbounds nuw i8, ptr %14, i64 68
  %147 = load atomic i32, ptr %146 seq_cst, align 4
  %148 = icmp eq i32 %147, 0
  br i1 %148, label %153, label %149

149:
  %150 = add nsw i32 %10, -1
  %151 = load i64, ptr @futex, align 8
  %152 = call i64 (i64, ...) @syscall(i64 noundef %151, ptr noundef nonnull %138, i32 noundef 129, i32 noundef %150, ptr noundef null, ptr noundef null, i32 noundef 0)
  br label %153

153:
  %154 = load i32, ptr @key, align 4
  %155 = zext nneg i32 %10 to i64
  %156 = shl nuw nsw i64 %155, 32
  %157 = inttoptr i64 %156 to ptr
  %158 = call i32 @pthread_setspecific(i32 noundef %154, ptr noundef nonnull %157)
  call void %0(ptr noundef %1)
  %159 = atomicrmw add ptr %143, i32 1 seq_cst, align 64
  %160 = getelementptr inbounds nuw i8, ptr %14, i64 132
  br label %161

161:
  %162 = load atomic i32, ptr %14 acquire, align 64
  br label %163

163:
  %164 = phi i32 [ %162, %161 ], [ %172, %168 ]
  %165 = and i32 %164, 65535
  %166 = lshr i32 %164, 16
  %167 = icmp samesign ult i32 %165, %166
  br i1 %167, label %168, label %193

168:
  %169 = add i32 %164, 1
  %170 = cmpxchg weak ptr %14, i32 %164, i32 %169 acq_rel acquire, align 64
  %171 = extractvalue { i32, i1 } %170, 1
  %172 = extractvalue { i32, i1 } %170, 0
  br i1 %171, label %173, label %163

173:
  %174 = load ptr, ptr %141, align 8
  %175 = load ptr, ptr %142, align 16
  %176 = load i32, ptr @key, align 4
  %177 = zext nneg i32 %166 to i64
  %178 = shl nuw nsw i64 %177, 32
  %179 = zext nneg i32 %165 to i64
  %180 = or disjoint i64 %178, %179
  %181 = inttoptr i64 %180 to ptr
  %182 = call i32 @pthread_setspecific(i32 noundef %176, ptr noundef nonnull %181)
  call void %174(ptr noundef %175)
  %183 = atomicrmw add ptr %143, i32 1 seq_cst, align 64
  %184 = add i32 %183, 1
  %185 = icmp eq i32 %184, %166
  br i1 %185, label %187, label %186

186:
  br label %161

187:
  %188 = load atomic i32, ptr %160 seq_cst, align 4
  %189 = icmp eq i32 %188, 0
  br i1 %189, label %186, label %190

190:
  %191 = load i64, ptr @futex, align 8
  %192 = call i64 (i64, ...) @syscall(i64 noundef %191, ptr noundef nonnull %143, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0)
  br label %186

193:
  %194 = load i32, ptr @key, align 4
  %195 = call i32 @pthread_setspecific(i32 noundef %194, ptr noundef nonnull inttoptr (i64 4294967296 to ptr))
  %196 = load atomic i32, ptr %143 acquire, align 64
  %197 = icmp eq i32 %196, %10
  br i1 %197, label %239, label %198

198:
  %199 = getelementptr inbounds nuw i8, ptr %5, i64 8
  br label %200

200:
  %201 = phi i32 [ %196, %198 ], [ %237, %236 ]
  %202 = load atomic i32, ptr %143 acquire, align 4
  br label %203

203:
  %204 = phi i64 [ 0, %200 ], [ %216, %207 ]
  %205 = phi i32 [ %202, %200 ], [ %220, %207 ]
  %206 = icmp eq i32 %205, %201
  br i1 %206, label %218, label %225

207:
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %5, i8 0, i64 16, i1 false)
  %208 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5)
  %209 = load i64, ptr %5, align 8
  %210 = mul i64 %209, 1000000000
  %211 = load i64, ptr %199, align 8
  %212 = add i64 %210, %211
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  %213 = icmp eq i64 %204, 0
  %214 = icmp slt i64 %212, %204
  %215 = add i64 %212, 80000
  %216 = select i1 %213, i64 %215, i64 %204
  %217 = select i1 %213, i1 true, i1 %214
  br i1 %217, label %203, label %225

218:
  %219 = phi i32 [ %221, %218 ], [ 0, %203 ]
  call void @relax()
  %220 = load atomic i32, ptr %143 acquire, align 4
  %221 = add nuw nsw i32 %219, 1
  %222 = icmp samesign ult i32 %219, 31
  %223 = icmp eq i32 %220, %201
  %224 = select i1 %222, i1 %223, i1 false
  br i1 %224, label %218, label %207

225:
  %226 = phi i32 [ %220, %207 ], [ %205, %203 ]
  %227 = icmp eq i32 %226, %201
  br i1 %227, label %228, label %236

228:
  store atomic i32 1, ptr %160 seq_cst, align 4
  %229 = load atomic i32, ptr %143 seq_cst, align 64
  %230 = icmp eq i32 %229, %201
  br i1 %230, label %231, label %234

231:
  %232 = load i64, ptr @futex, align 8
  %233 = call i64 (i64, ...) @syscall(i64 noundef %232, ptr noundef nonnull %143, i32 noundef 128, i32 noundef %201, ptr noundef null, ptr noundef null, i32 noundef 0)
  br label %234

234:
  store atomic i32 0, ptr %160 monotonic, align 4
  %235 = load atomic i32, ptr %143 acquire, align 64
  br label %236

236:
  %237 = phi i32 [ %235, %234 ], [ %226, %225 ]
  %238 = icmp eq i32 %237, %10
  br i1 %238, label %239, label %200

239:
  store atomic i32 0, ptr %15 release, align 64
  br label %240

240:
  ret void
}

define i32 @anytile_number() #0 {
  %1 = load i32, ptr @key, align 4
  %2 = tail call ptr @pthread_getspecific(i32 noundef %1)
  %3 = ptrtoint ptr %2 to i64
  %4 = trunc i64 %3 to i32
  ret i32 %4
}

declare ptr @pthread_getspecific(i32 noundef) nonlazybind

define i32 @anytile_count() #0 {
  %1 = load i32, ptr @key, align 4
  %2 = tail call ptr @pthread_getspecific(i32 noundef %1)
  %3 = ptrtoint ptr %2 to i64
  %4 = lshr i64 %3, 32
  %5 = trunc nuw i64 %4 to i32
  %6 = icmp eq i64 %4, 0
  %7 = select i1 %6, i32 1, i32 %5
  ret i32 %7
}

define double @anytile_clock() #0 {
  %1 = alloca %struct.moment, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %1)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %1, i8 0, i64 16, i1 false)
  %2 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %1)
  %3 = load i64, ptr %1, align 8
  %4 = mul i64 %3, 1000000000
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %6 = load i64, ptr %5, align 8
  %7 = add i64 %4, %6
  call void @llvm.lifetime.end.p0(ptr nonnull %1)
  %8 = sitofp i64 %7 to double
  %9 = fmul double %8, 1.000000e-09
  ret double %9
}

define void @anytile_forget() #0 {
  br label %2

1:
  ret void

2:
  %3 = phi i64 [ 0, %0 ], [ %11, %2 ]
  %4 = getelementptr inbounds nuw %struct.team, ptr @teams, i64 %3
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 200
  store i32 0, ptr %5, align 8
  %6 = getelementptr inbounds nuw i8, ptr %4, i64 196
  store i32 0, ptr %6, align 4
  %7 = getelementptr inbounds nuw i8, ptr %4, i64 204
  store i8 0, ptr %7, align 4
  %8 = getelementptr inbounds nuw i8, ptr %4, i64 68
  store atomic i32 0, ptr %8 seq_cst, align 4
  %9 = getelementptr inbounds nuw i8, ptr %4, i64 132
  store atomic i32 0, ptr %9 seq_cst, align 4
  %10 = getelementptr inbounds nuw i8, ptr %4, i64 192
  store atomic i32 0, ptr %10 seq_cst, align 64
  %11 = add nuw nsw i64 %3, 1
  %12 = icmp eq i64 %11, 64
  br i1 %12, label %1, label %2
}

define i32 @anytile_begin(i64 noundef %0, i64 noundef %1) #0 {
  store i64 %0, ptr @futex, align 8
  %3 = icmp ne i64 %1, 0
  %4 = zext i1 %3 to i8
  store i8 %4, ptr @left_alone, align 1
  br label %7

5:
  %6 = tail call i32 @pthread_key_create(ptr noundef nonnull @key, ptr noundef null)
  ret i32 %6

7:
  %8 = phi i64 [ 0, %2 ], [ %11, %7 ]
  %9 = getelementptr inbounds nuw %struct.team, ptr @teams, i64 %8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 208
  store i64 -1, ptr %10, align 16
  %11 = add nuw nsw i64 %8, 1
  %12 = icmp eq i64 %11, 64
  br i1 %12, label %5, label %7
}

declare i32 @pthread_key_create(ptr noundef, ptr noundef) nonlazybind

declare i32 @pthread_setspecific(i32 noundef, ptr noundef) nonlazybind

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) nonlazybind

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) nonlazybind

define internal noalias noundef nonnull ptr @help(ptr noundef %0) #0 {
  %2 = alloca %struct.moment, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %4 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 132
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 68
  br label %10

10:
  %11 = phi i32 [ 0, %1 ], [ %37, %50 ]
  br label %12

12:
  %13 = load atomic i32, ptr %3 acquire, align 4
  br label %14

14:
  %15 = phi i64 [ 0, %12 ], [ %27, %18 ]
  %16 = phi i32 [ %13, %12 ], [ %31, %18 ]
  %17 = icmp eq i32 %16, %11
  br i1 %17, label %29, label %36

18:
  call void @llvm.lifetime.start.p0(ptr nonnull %2)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %2, i8 0, i64 16, i1 false)
  %19 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2)
  %20 = load i64, ptr %2, align 8
  %21 = mul i64 %20, 1000000000
  %22 = load i64, ptr %4, align 8
  %23 = add i64 %21, %22
  call void @llvm.lifetime.end.p0(ptr nonnull %2)
  %24 = icmp eq i64 %15, 0
  %25 = icmp slt i64 %23, %15
  %26 = add i64 %23, 80000
  %27 = select i1 %24, i64 %26, i64 %15
  %28 = select i1 %24, i1 true, i1 %25
  br i1 %28, label %14, label %36

29:
  %30 = phi i32 [ %32, %29 ], [ 0, %14 ]
  call void @relax()
  %31 = load atomic i32, ptr %3 acquire, align 4
  %32 = add nuw nsw i32 %30, 1
  %33 = icmp samesign ult i32 %30, 31
  %34 = icmp eq i32 %31, %11
  %35 = select i1 %33, i1 %34, i1 false
  br i1 %35, label %29, label %18

36:
  %37 = phi i32 [ %31, %18 ], [ %16, %14 ]
  %38 = icmp eq i32 %37, %11
  br i1 %38, label %39, label %48

39:
  %40 = atomicrmw add ptr %9, i32 1 seq_cst, align 4
  %41 = load atomic i32, ptr %3 seq_cst, align 64
  %42 = icmp eq i32 %41, %11
  br i1 %42, label %43, label %46

43:
  %44 = load i64, ptr @futex, align 8
  %45 = call i64 (i64, ...) @syscall(i64 noundef %44, ptr noundef nonnull %3, i32 noundef 128, i32 noundef %11, ptr noundef null, ptr noundef null, i32 noundef 0)
  br label %46

46:
  %47 = atomicrmw sub ptr %9, i32 1 seq_cst, align 4
  br label %12

48:
  %49 = load atomic i32, ptr %0 acquire, align 64
  br label %50

50:
  %51 = phi i32 [ %49, %48 ], [ %59, %55 ]
  %52 = and i32 %51, 65535
  %53 = lshr i32 %51, 16
  %54 = icmp samesign ult i32 %52, %53
  br i1 %54, label %55, label %10

55:
  %56 = add i32 %51, 1
  %57 = cmpxchg weak ptr %0, i32 %51, i32 %56 acq_rel acquire, align 64
  %58 = extractvalue { i32, i1 } %57, 1
  %59 = extractvalue { i32, i1 } %57, 0
  br i1 %58, label %60, label %50

60:
  %61 = load ptr, ptr %5, align 8
  %62 = load ptr, ptr %6, align 16
  %63 = load i32, ptr @key, align 4
  %64 = zext nneg i32 %53 to i64
  %65 = shl nuw nsw i64 %64, 32
  %66 = zext nneg i32 %52 to i64
  %67 = or disjoint i64 %65, %66
  %68 = inttoptr i64 %67 to ptr
  %69 = call i32 @pthread_setspecific(i32 noundef %63, ptr noundef nonnull %68)
  call void %61(ptr noundef %62)
  %70 = atomicrmw add ptr %7, i32 1 seq_cst, align 64
  %71 = add i32 %70, 1
  %72 = icmp eq i32 %71, %53
  br i1 %72, label %74, label %73

73:
  br label %48

74:
  %75 = load atomic i32, ptr %8 seq_cst, align 4
  %76 = icmp eq i32 %75, 0
  br i1 %76, label %73, label %77

77:
  %78 = load i64, ptr @futex, align 8
  %79 = call i64 (i64, ...) @syscall(i64 noundef %78, ptr noundef nonnull %7, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0)
  br label %73
}

declare i32 @pthread_detach(i64 noundef) nonlazybind

declare i32 @sched_getcpu() nonlazybind

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) nonlazybind

declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) nonlazybind

declare i64 @syscall(i64 noundef, ...) nonlazybind

declare void @relax() nonlazybind

declare i32 @clock_gettime(i32 noundef, ptr noundef) nonlazybind

