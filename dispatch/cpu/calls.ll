; LLVM IR of calls.c, written by scripts/runtime: do not edit. 434e94ee3e227a24
%struct.anon = type { %struct.python, ptr, ptr }
%struct.python = type { i64, i64, ptr }
%struct.object = type opaque
%struct.span = type { ptr, ptr }
%struct.operand = type { i64, ptr, i64, i64, i64 }

@anytile_facts = global %struct.anon zeroinitializer, align 8
@_Py_NoneStruct = external global %struct.object, align 1

define ptr @anytile_enter(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = tail call i64 @PyLong_AsSsize_t(ptr noundef %4)
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %8 = add i64 %2, -1
  %9 = tail call fastcc i64 @enter(ptr noundef %6, ptr noundef nonnull %7, i64 noundef %8)
  %10 = tail call ptr @PyLong_FromLong(i64 noundef %9)
  ret ptr %10
}

declare ptr @PyLong_FromLong(i64 noundef) nonlazybind

define internal fastcc range(i64 -2147483648, 2147483648) i64 @enter(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %6 = load i64, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %8 = load i64, ptr %7, align 8
  %9 = add i64 %8, %6
  %10 = icmp eq i64 %2, %9
  br i1 %10, label %11, label %152

11:
  %12 = load i64, ptr %4, align 8
  %13 = tail call ptr @llvm.stacksave.p0()
  %14 = alloca ptr, i64 %12, align 16
  %15 = alloca %struct.span, i64 %2, align 16
  %16 = load i64, ptr %4, align 8
  %17 = icmp sgt i64 %16, 0
  br i1 %17, label %18, label %20

18:
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 40
  br label %28

20:
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %22 = getelementptr inbounds i64, ptr %21, i64 %16
  %23 = icmp sgt i64 %2, 0
  br i1 %23, label %24, label %95

24:
  %25 = getelementptr inbounds nuw i8, ptr %4, i64 32
  %26 = load i64, ptr @anytile_facts, align 8
  %27 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 16), align 8
  br label %36

28:
  %29 = phi i64 [ 0, %18 ], [ %34, %28 ]
  %30 = getelementptr inbounds nuw i64, ptr %19, i64 %29
  %31 = load i64, ptr %30, align 8
  %32 = inttoptr i64 %31 to ptr
  %33 = getelementptr inbounds nuw ptr, ptr %14, i64 %29
  store ptr %32, ptr %33, align 8
  %34 = add nuw nsw i64 %29, 1
  %35 = icmp slt i64 %34, %16
  br i1 %35, label %28, label %20

36:
  %37 = phi ptr [ %22, %24 ], [ %92, %83 ]
  %38 = phi i64 [ 0, %24 ], [ %93, %83 ]
  %39 = getelementptr inbounds nuw %struct.operand, ptr %25, i64 %38
  %40 = getelementptr inbounds nuw ptr, ptr %1, i64 %38
  %41 = load ptr, ptr %40, align 8
  %42 = getelementptr inbounds i8, ptr %41, i64 %26
  %43 = getelementptr inbounds i8, ptr %42, i64 -8
  %44 = load ptr, ptr %43, align 8
  %45 = icmp eq ptr %44, %27
  br i1 %45, label %46, label %150

46:
  %47 = getelementptr inbounds nuw i8, ptr %42, i64 40
  %48 = load ptr, ptr %47, align 8
  %49 = getelementptr inbounds nuw i8, ptr %39, i64 8
  %50 = load ptr, ptr %49, align 8
  %51 = icmp eq ptr %48, %50
  br i1 %51, label %52, label %150

52:
  %53 = getelementptr inbounds nuw i8, ptr %42, i64 48
  %54 = load i32, ptr %53, align 8
  %55 = sext i32 %54 to i64
  %56 = getelementptr inbounds nuw i8, ptr %39, i64 16
  %57 = load i64, ptr %56, align 8
  %58 = and i64 %57, %55
  %59 = icmp eq i64 %58, %57
  br i1 %59, label %60, label %150

60:
  %61 = getelementptr inbounds nuw i8, ptr %42, i64 8
  %62 = load i32, ptr %61, align 8
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds nuw i8, ptr %39, i64 24
  %65 = load i64, ptr %64, align 8
  %66 = icmp eq i64 %65, %63
  br i1 %66, label %67, label %150

67:
  %68 = icmp sgt i32 %62, 0
  br i1 %68, label %69, label %83

69:
  %70 = getelementptr inbounds nuw i8, ptr %42, i64 16
  %71 = load ptr, ptr %70, align 8
  %72 = getelementptr inbounds nuw i8, ptr %37, i64 16
  br label %76

73:
  %74 = add nuw nsw i64 %77, 1
  %75 = icmp eq i64 %74, %63
  br i1 %75, label %83, label %76

76:
  %77 = phi i64 [ 0, %69 ], [ %74, %73 ]
  %78 = getelementptr inbounds nuw i64, ptr %71, i64 %77
  %79 = load i64, ptr %78, align 8
  %80 = getelementptr inbounds nuw i64, ptr %72, i64 %77
  %81 = load i64, ptr %80, align 8
  %82 = icmp eq i64 %79, %81
  br i1 %82, label %73, label %150

83:
  %84 = load ptr, ptr %42, align 8
  %85 = load i64, ptr %39, align 8
  %86 = getelementptr inbounds ptr, ptr %14, i64 %85
  store ptr %84, ptr %86, align 8
  %87 = getelementptr inbounds nuw %struct.span, ptr %15, i64 %38
  %88 = load i64, ptr %37, align 8
  %89 = getelementptr inbounds i8, ptr %84, i64 %88
  store ptr %84, ptr %87, align 16
  %90 = getelementptr inbounds nuw i8, ptr %87, i64 8
  store ptr %89, ptr %90, align 8
  %91 = getelementptr inbounds nuw i8, ptr %37, i64 16
  %92 = getelementptr inbounds i64, ptr %91, i64 %63
  %93 = add nuw nsw i64 %38, 1
  %94 = icmp eq i64 %93, %2
  br i1 %94, label %95, label %36

95:
  %96 = load i64, ptr %5, align 8
  %97 = icmp slt i64 %96, %2
  br i1 %97, label %98, label %121

98:
  %99 = phi i64 [ %119, %118 ], [ %96, %95 ]
  %100 = icmp sgt i64 %99, 0
  br i1 %100, label %101, label %118

101:
  %102 = getelementptr inbounds nuw %struct.span, ptr %15, i64 %99
  %103 = load ptr, ptr %102, align 16
  %104 = getelementptr inbounds nuw i8, ptr %102, i64 8
  %105 = load ptr, ptr %104, align 8
  br label %109

106:
  %107 = add nuw nsw i64 %110, 1
  %108 = icmp eq i64 %107, %99
  br i1 %108, label %118, label %109

109:
  %110 = phi i64 [ 0, %101 ], [ %107, %106 ]
  %111 = getelementptr inbounds nuw %struct.span, ptr %15, i64 %110
  %112 = load ptr, ptr %111, align 16
  %113 = getelementptr inbounds nuw i8, ptr %111, i64 8
  %114 = load ptr, ptr %113, align 8
  %115 = icmp ult ptr %103, %114
  %116 = icmp ult ptr %112, %105
  %117 = select i1 %115, i1 %116, i1 false
  br i1 %117, label %150, label %106

118:
  %119 = add nsw i64 %99, 1
  %120 = icmp eq i64 %119, %2
  br i1 %120, label %121, label %98

121:
  %122 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %123 = load i64, ptr %122, align 8
  %124 = icmp eq i64 %123, 0
  br i1 %124, label %127, label %125

125:
  %126 = call fastcc zeroext i1 @have_misplaced(ptr noundef nonnull %4, ptr noundef nonnull %22, ptr noundef %15)
  br i1 %126, label %150, label %127

127:
  %128 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %129 = load i64, ptr %128, align 8
  %130 = icmp eq i64 %129, 0
  br i1 %130, label %140, label %131

131:
  %132 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %133 = load ptr, ptr %132, align 8
  %134 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %135 = load ptr, ptr %134, align 8
  %136 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %137 = load ptr, ptr %136, align 8
  %138 = call i32 %133(ptr noundef nonnull %14, ptr noundef %135, ptr noundef %137)
  %139 = sext i32 %138 to i64
  br label %150

140:
  %141 = tail call ptr @PyEval_SaveThread()
  %142 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %143 = load ptr, ptr %142, align 8
  %144 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %145 = load ptr, ptr %144, align 8
  %146 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %147 = load ptr, ptr %146, align 8
  %148 = call i32 %143(ptr noundef nonnull %14, ptr noundef %145, ptr noundef %147)
  call void @PyEval_RestoreThread(ptr noundef %141)
  %149 = sext i32 %148 to i64
  br label %150

150:
  %151 = phi i64 [ -2147483648, %109 ], [ %139, %131 ], [ %149, %140 ], [ -2147483647, %76 ], [ -2147483648, %125 ], [ -2147483648, %36 ], [ -2147483648, %60 ], [ -2147483648, %52 ], [ -2147483648, %46 ]
  call void @llvm.stackrestore.p0(ptr %13)
  br label %152

152:
  %153 = phi i64 [ %151, %150 ], [ -2147483648, %3 ]
  ret i64 %153
}

define ptr @anytile_call(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = tail call ptr @PyList_GetItem(ptr noundef %0, i64 noundef 0)
  %5 = icmp eq ptr %2, null
  br i1 %5, label %15, label %6

6:
  %7 = tail call i64 @PyDict_Size(ptr noundef nonnull %2)
  %8 = icmp eq i64 %7, 1
  br i1 %8, label %9, label %23

9:
  %10 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 32), align 8
  %11 = tail call ptr @PyDict_GetItem(ptr noundef nonnull %2, ptr noundef %10)
  %12 = icmp ne ptr %11, null
  %13 = icmp ne ptr %11, @_Py_NoneStruct
  %14 = and i1 %12, %13
  br label %15

15:
  %16 = phi ptr [ %11, %9 ], [ null, %3 ]
  %17 = phi i1 [ %14, %9 ], [ true, %3 ]
  %18 = icmp ne ptr %4, @_Py_NoneStruct
  %19 = select i1 %17, i1 %18, i1 false
  br i1 %19, label %20, label %23

20:
  tail call void @Py_IncRef(ptr noundef %4)
  %21 = tail call fastcc ptr @result_of(ptr noundef %4, ptr noundef %1, ptr noundef %16)
  tail call void @Py_DecRef(ptr noundef %4)
  %22 = icmp eq ptr %21, null
  br i1 %22, label %23, label %26

23:
  %24 = tail call ptr @PyList_GetItem(ptr noundef %0, i64 noundef 1)
  %25 = tail call ptr @PyObject_Call(ptr noundef %24, ptr noundef %1, ptr noundef %2)
  br label %26

26:
  %27 = phi ptr [ %25, %23 ], [ %21, %20 ]
  ret ptr %27
}

declare ptr @PyList_GetItem(ptr noundef, i64 noundef) nonlazybind

declare i64 @PyDict_Size(ptr noundef) nonlazybind

declare ptr @PyDict_GetItem(ptr noundef, ptr noundef) nonlazybind

declare void @Py_IncRef(ptr noundef) nonlazybind

define internal fastcc ptr @result_of(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef %2) #0 {
  %4 = load i64, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 8), align 8
  %5 = getelementptr inbounds i8, ptr %0, i64 %4
  %6 = load ptr, ptr %5, align 8
  %7 = tail call i64 @PyLong_AsSsize_t(ptr noundef %6)
  %8 = inttoptr i64 %7 to ptr
  %9 = load i64, ptr @anytile_facts, align 8
  %10 = getelementptr inbounds i8, ptr %1, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = load ptr, ptr %8, align 8
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %14 = load i64, ptr %13, align 8
  %15 = icmp eq i64 %11, %14
  br i1 %15, label %16, label %49

16:
  %17 = icmp eq ptr %2, null
  br i1 %17, label %19, label %18

18:
  tail call void @Py_IncRef(ptr noundef nonnull %2)
  br label %26

19:
  %20 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 24), align 8
  %21 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %22 = load ptr, ptr %21, align 8
  %23 = tail call ptr @PyObject_CallObject(ptr noundef %20, ptr noundef %22)
  %24 = icmp eq ptr %23, null
  br i1 %24, label %25, label %26

25:
  tail call void @PyErr_Clear()
  br label %49

26:
  %27 = phi ptr [ %2, %18 ], [ %23, %19 ]
  %28 = add i64 %11, 1
  %29 = tail call ptr @llvm.stacksave.p0()
  %30 = alloca ptr, i64 %28, align 16
  %31 = icmp sgt i64 %11, 0
  br i1 %31, label %32, label %35

32:
  %33 = load i64, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 8), align 8
  %34 = getelementptr inbounds i8, ptr %1, i64 %33
  br label %39

35:
  %36 = getelementptr inbounds ptr, ptr %30, i64 %11
  store ptr %27, ptr %36, align 8
  %37 = call fastcc i64 @enter(ptr noundef nonnull %8, ptr noundef nonnull %30, i64 noundef %28)
  %38 = icmp eq i64 %37, 0
  br i1 %38, label %47, label %46

39:
  %40 = phi i64 [ 0, %32 ], [ %44, %39 ]
  %41 = getelementptr inbounds nuw ptr, ptr %34, i64 %40
  %42 = load ptr, ptr %41, align 8
  %43 = getelementptr inbounds nuw ptr, ptr %30, i64 %40
  store ptr %42, ptr %43, align 8
  %44 = add nuw nsw i64 %40, 1
  %45 = icmp eq i64 %44, %11
  br i1 %45, label %35, label %39

46:
  tail call void @Py_DecRef(ptr noundef nonnull %27)
  br label %47

47:
  %48 = phi ptr [ null, %46 ], [ %27, %35 ]
  call void @llvm.stackrestore.p0(ptr %29)
  br label %49

49:
  %50 = phi ptr [ null, %25 ], [ %48, %47 ], [ null, %3 ]
  ret ptr %50
}

declare void @Py_DecRef(ptr noundef) nonlazybind

declare ptr @PyObject_Call(ptr noundef, ptr noundef, ptr noundef) nonlazybind

define ptr @anytile_fields(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = load ptr, ptr %1, align 8
  %5 = load i64, ptr @anytile_facts, align 8
  %6 = getelementptr inbounds i8, ptr %4, i64 %5
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i64 @PyLong_AsSsize_t(ptr noundef %8)
  %10 = inttoptr i64 %9 to ptr
  %11 = load ptr, ptr %1, align 8
  %12 = load i64, ptr @anytile_facts, align 8
  %13 = getelementptr inbounds i8, ptr %11, i64 %12
  %14 = getelementptr inbounds i8, ptr %13, i64 -8
  %15 = load ptr, ptr %14, align 8
  %16 = ptrtoint ptr %15 to i64
  store i64 %16, ptr %10, align 8
  %17 = load ptr, ptr %6, align 8
  %18 = ptrtoint ptr %17 to i64
  %19 = getelementptr inbounds nuw i8, ptr %10, i64 8
  store i64 %18, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %21 = load ptr, ptr %20, align 8
  %22 = ptrtoint ptr %21 to i64
  %23 = getelementptr inbounds nuw i8, ptr %10, i64 16
  store i64 %22, ptr %23, align 8
  %24 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %25 = load i32, ptr %24, align 8
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds nuw i8, ptr %10, i64 24
  store i64 %26, ptr %27, align 8
  %28 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %29 = load i32, ptr %28, align 8
  %30 = sext i32 %29 to i64
  %31 = getelementptr inbounds nuw i8, ptr %10, i64 32
  store i64 %30, ptr %31, align 8
  %32 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr @anytile_facts, align 8
  %35 = getelementptr inbounds i8, ptr %33, i64 %34
  %36 = load i64, ptr %35, align 8
  %37 = getelementptr inbounds nuw i8, ptr %10, i64 40
  store i64 %36, ptr %37, align 8
  %38 = load ptr, ptr %32, align 8
  %39 = load i64, ptr getelementptr inbounds nuw (i8, ptr @anytile_facts, i64 8), align 8
  %40 = getelementptr inbounds i8, ptr %38, i64 %39
  %41 = load ptr, ptr %40, align 8
  %42 = ptrtoint ptr %41 to i64
  %43 = getelementptr inbounds nuw i8, ptr %10, i64 48
  store i64 %42, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %45 = load ptr, ptr %44, align 8
  %46 = ptrtoint ptr %45 to i64
  %47 = getelementptr inbounds nuw i8, ptr %10, i64 56
  store i64 %46, ptr %47, align 8
  %48 = tail call ptr @PyLong_FromLong(i64 noundef 0)
  ret ptr %48
}

define internal fastcc noundef zeroext i1 @have_misplaced(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef nonnull readonly captures(none) %2) #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load i64, ptr %4, align 8
  %6 = icmp sgt i64 %5, 0
  br i1 %6, label %7, label %90

7:
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 32
  br label %9

9:
  %10 = phi ptr [ %1, %7 ], [ %87, %83 ]
  %11 = phi i64 [ 0, %7 ], [ %88, %83 ]
  %12 = getelementptr inbounds nuw %struct.operand, ptr %8, i64 %11
  %13 = getelementptr inbounds nuw %struct.span, ptr %2, i64 %11
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %12, i64 32
  %16 = load i64, ptr %15, align 8
  switch i64 %16, label %83 [
    i64 4, label %17
    i64 8, label %51
  ]

17:
  %18 = load i64, ptr %10, align 8
  %19 = sdiv i64 %18, 4
  %20 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %21 = load i64, ptr %20, align 8
  %22 = shl i64 %21, 1
  %23 = insertelement <16 x i64> poison, i64 %21, i64 0
  %24 = shufflevector <16 x i64> %23, <16 x i64> poison, <16 x i32> zeroinitializer
  %25 = insertelement <16 x i64> poison, i64 %22, i64 0
  %26 = shufflevector <16 x i64> %25, <16 x i64> poison, <16 x i32> zeroinitializer
  br label %27

27:
  %28 = phi i64 [ 0, %17 ], [ %29, %31 ]
  %29 = add nuw nsw i64 %28, 16
  %30 = icmp sgt i64 %29, %19
  br i1 %30, label %39, label %31

31:
  %32 = getelementptr inbounds nuw i32, ptr %14, i64 %28
  %33 = load <16 x i32>, ptr %32, align 4
  %34 = sext <16 x i32> %33 to <16 x i64>
  %35 = add <16 x i64> %24, %34
  %36 = icmp uge <16 x i64> %35, %26
  %37 = bitcast <16 x i1> %36 to i16
  %38 = icmp eq i16 %37, 0
  br i1 %38, label %27, label %39

39:
  %40 = icmp slt i64 %28, %19
  br i1 %40, label %44, label %83

41:
  %42 = add nuw nsw i64 %45, 1
  %43 = icmp eq i64 %42, %19
  br i1 %43, label %83, label %44

44:
  %45 = phi i64 [ %42, %41 ], [ %28, %39 ]
  %46 = getelementptr inbounds nuw i32, ptr %14, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = sext i32 %47 to i64
  %49 = add i64 %21, %48
  %50 = icmp ult i64 %49, %22
  br i1 %50, label %41, label %90

51:
  %52 = load i64, ptr %10, align 8
  %53 = sdiv i64 %52, 8
  %54 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %55 = load i64, ptr %54, align 8
  %56 = shl i64 %55, 1
  %57 = insertelement <16 x i64> poison, i64 %55, i64 0
  %58 = shufflevector <16 x i64> %57, <16 x i64> poison, <16 x i32> zeroinitializer
  %59 = insertelement <16 x i64> poison, i64 %56, i64 0
  %60 = shufflevector <16 x i64> %59, <16 x i64> poison, <16 x i32> zeroinitializer
  br label %61

61:
  %62 = phi i64 [ 0, %51 ], [ %63, %65 ]
  %63 = add nuw nsw i64 %62, 16
  %64 = icmp sgt i64 %63, %53
  br i1 %64, label %72, label %65

65:
  %66 = getelementptr inbounds nuw i64, ptr %14, i64 %62
  %67 = load <16 x i64>, ptr %66, align 8
  %68 = add <16 x i64> %67, %58
  %69 = icmp uge <16 x i64> %68, %60
  %70 = bitcast <16 x i1> %69 to i16
  %71 = icmp eq i16 %70, 0
  br i1 %71, label %61, label %72

72:
  %73 = icmp slt i64 %62, %53
  br i1 %73, label %77, label %83

74:
  %75 = add nuw nsw i64 %78, 1
  %76 = icmp eq i64 %75, %53
  br i1 %76, label %83, label %77

77:
  %78 = phi i64 [ %75, %74 ], [ %62, %72 ]
  %79 = getelementptr inbounds nuw i64, ptr %14, i64 %78
  %80 = load i64, ptr %79, align 8
  %81 = add i64 %80, %55
  %82 = icmp ult i64 %81, %56
  br i1 %82, label %74, label %90

83:
  %84 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %85 = getelementptr inbounds nuw i8, ptr %12, i64 24
  %86 = load i64, ptr %85, align 8
  %87 = getelementptr inbounds i64, ptr %84, i64 %86
  %88 = add nuw nsw i64 %11, 1
  %89 = icmp eq i64 %88, %5
  br i1 %89, label %90, label %9

90:
  %91 = phi i1 [ true, %44 ], [ true, %77 ], [ false, %3 ], [ false, %83 ]
  ret i1 %91
}

declare ptr @PyEval_SaveThread() nonlazybind

declare void @PyEval_RestoreThread(ptr noundef) nonlazybind

declare i64 @PyLong_AsSsize_t(ptr noundef) nonlazybind

declare ptr @PyObject_CallObject(ptr noundef, ptr noundef) nonlazybind

declare void @PyErr_Clear() nonlazybind

