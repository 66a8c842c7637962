"""Printer of the text form: writes a module as text that `parser` reads back as the same module.

Variables get names that are theirs alone in their function, constants names that are theirs alone in the module. Small
constants stand in the text; the arrays of the others are `stored(module)`, to be kept beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import numpy as np

from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.traverse import bound_in, nodes
from anytile.compiler.text.lexer import KEYWORDS, OPERATOR
from anytile.core.dtypes import COMPUTED
from anytile.core.errors import SpecError

INLINE = 8  # constants of up to so many elements stand in the text


def module_text(module: ir.Module) -> str:
    names = _constant_names(module)
    pieces = [str(d) for d in module.data.values()]
    pieces += [_declaration(name, array) for name, array in names.arrays.items()]
    try:
        pieces += [_Printer(module, f, names).function(f, name) for name, f in module.functions.items()]
    except RecursionError:
        raise SpecError("a module's expressions are nested too deeply to print; bind their parts in a let") from None
    return "\n".join(pieces) + "\n"


def stored(module: ir.Module) -> dict[str, ir.Array]:
    """The arrays that the text only names."""
    return {name: array for name, array in _constant_names(module).arrays.items() if array.size > INLINE}


def variable_names(module: ir.Module) -> dict[str, dict[ir.Var, str]]:
    """By function, what the text calls every variable."""
    constants = _constant_names(module)
    return {name: _Printer(module, f, constants).names for name, f in module.functions.items()}


class _Names:
    """Names that are given out once."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.next: dict[str, int] = {}

    def give(self, wanted: str) -> str:
        name = wanted
        while name in self.taken:
            self.next[wanted] = self.next.get(wanted, 0) + 1
            name = f"{wanted}_{self.next[wanted]}"
        self.taken.add(name)
        return name


class _Constants:
    def __init__(self) -> None:
        self.arrays: dict[str, ir.Array] = {}
        self.names: dict[ir.Constant, str] = {}


def _constant_names(module: ir.Module) -> _Constants:
    made, names = _Constants(), _Names(("file", "allow_pickle"))  # as arguments of numpy.savez are called
    known: dict[tuple[str, int], str] = {}
    for f in module.functions.values():
        for e in nodes(f):
            if (
                isinstance(e, ir.Constant)
                and e not in made.names
                and (e.name or e.array.ndim or e.array.dtype.name not in COMPUTED)
            ):
                key = (e.name, id(e.array))
                if key not in known:
                    wanted = re.sub(r"[^\w.]", "_", e.name).strip(".") or "c"
                    known[key] = names.give(wanted)
                    made.arrays[known[key]] = e.array
                made.names[e] = known[key]
    return made


def _has_name(e: ir.Constant) -> bool:
    """Scalars stand where they are read, unless they are of dtypes that numbers are not written in."""
    return bool(e.name or e.array.ndim) or e.array.dtype.name not in COMPUTED


def _declaration(name: str, array: ir.Array) -> str:
    t = ir.Constant(array).type
    if array.size > INLINE:
        return f"const ${name}: {t};"
    return f"const ${name}: {t} = [{', '.join(map(_number, array.ravel()))}];"


def _number(x: np.generic) -> str:
    if x.dtype == bool:
        return "true" if x else "false"
    return str(x)  # numpy writes the shortest text that reads back


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return text if text and not text[0].isdigit() and text != "_" else f"v{text}"


class _Printer:
    """Prints one function. `names` of variables are given where they are bound; its parameters keep theirs.

    Operators whose names are `elsewhere` used for something that can be called say that they are operators.
    """

    def __init__(self, module: ir.Module, f: ir.Expr, constants: _Constants) -> None:
        self.constants = constants
        constructors = {c.name for d in module.data.values() for c in d.constructors}
        taken = {*KEYWORDS, *constructors}
        params = f.params if isinstance(f, ir.Function) else ()
        own = {_identifier(p.name) for p in params}
        everything = list(nodes(f))
        for e in everything:
            if isinstance(e, ir.GlobalRef):
                taken.add(e.name)
            elif isinstance(e, ir.Call) and isinstance(e.callee, ir.OperatorRef) and e.callee.name not in own:
                taken.add(e.callee.name)
        names = _Names(taken)
        self.names = {v: names.give(_identifier(v.name)) for e in everything for v in bound_in(e)}
        self.elsewhere = {*module.functions, *constructors, *(self.names[p] for p in params)}

    def function(self, f: ir.Function, name: str) -> str:
        return f"def {_attrs(f.attrs)}{name}{self.rest(f, 0)}"

    def rest(self, f: ir.Function, indent: int) -> str:
        """A function without its first word."""
        params = ", ".join(map(self.bound, f.params))
        result = f" -> {f.result}" if f.result is not None else ""
        return f"({params}){result} {self.block(f.body, indent)}"

    def bound(self, v: ir.Var) -> str:
        return self.names[v] + (f": {v.type}" if v.type is not None else "")

    def block(self, e: ir.Expr, indent: int) -> str:
        """Braces around an expression; the bindings of a let stand in them."""
        inner = indent + 1
        lines = []
        if isinstance(e, ir.Let):
            lines = [f"let {self.bound(v)} = {self.expr(value, inner)};" for v, value in e.bindings]
            e = e.body
        lines.append(self.expr(e, inner))
        return "{\n" + "".join("  " * inner + line + "\n" for line in lines) + "  " * indent + "}"

    def expr(self, e: ir.Expr, indent: int) -> str:
        match e:
            case ir.Var():
                return self.names.get(e, e.name)
            case ir.Constant():
                return f"${self.constants.names[e]}" if e in self.constants.names else _scalar(e.array.reshape(1)[0])
            case ir.GlobalRef(name):
                return name
            case ir.TupleExpr(fields):
                inside = ", ".join(self.expr(f, indent) for f in fields)
                return f"({inside}{',' if len(fields) == 1 else ''})"
            case ir.TupleGet(value, index):
                return f"{self.head(value, indent)}.{index}"
            case ir.Let():
                return self.block(e, indent)
            case ir.If(condition, then, otherwise):
                test = self.expr(condition, indent)
                return f"if ({test}) {self.block(then, indent)} else {self.block(otherwise, indent)}"
            case ir.Function():
                return f"fn {_attrs(e.attrs)}{self.rest(e, indent)}"
            case ir.Match(value, clauses):
                pad = "  " * (indent + 1)
                lines = (f"{pad}{self.pattern(p)} => {self.expr(body, indent + 1)},\n" for p, body in clauses)
                return f"match ({self.expr(value, indent)}) {{\n{''.join(lines)}{'  ' * indent}}}"
            case ir.Call(callee, args, attrs, where):
                match callee:
                    case ir.OperatorRef(name):
                        head = OPERATOR + name if name in self.elsewhere else name
                    case ir.ConstructorRef(_, name):
                        head = name
                    case _:
                        head = self.head(callee, indent)
                inside = ", ".join([*(self.expr(a, indent) for a in args), *(f"{k}={_value(v)}" for k, v in attrs)])
                return f"{head}({inside})" + (f" @{json.dumps(where)}" if where else "")

    def head(self, e: ir.Expr, indent: int) -> str:
        """What stands before arguments or a field, in parentheses where it would be read otherwise."""
        text = self.expr(e, indent)
        return text if isinstance(e, ir.Var | ir.GlobalRef | ir.TupleExpr | ir.TupleGet | ir.Call) else f"({text})"

    def pattern(self, p: ir.Pattern) -> str:
        match p:
            case ir.Wildcard():
                return "_"
            case ir.Bind(v):
                return self.bound(v)
            case ir.Construct(ref, patterns):
                return ref.name + (f"({', '.join(map(self.pattern, patterns))})" if patterns else "")
            case ir.TuplePattern(patterns):
                return f"({', '.join(map(self.pattern, patterns))}{',' if len(patterns) == 1 else ''})"


def _scalar(x: np.generic) -> str:
    return f"{x}i32" if x.dtype == np.int32 else _number(x)


def _attrs(attrs: ir.Attrs) -> str:
    return f"[{', '.join(f'{key}={_value(value)}' for key, value in attrs)}] " if attrs else ""


def _value(value: ir.AttrValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))}{',' if len(value) == 1 else ''})"
    return repr(value)
