"""The grammar of the text form as data, and the page that shows it.

`lexer.KINDS` are the words, `RULES` how they stand together: what `parser` accepts the rules describe, which a test
holds on generated modules and on mutants of them. What names mean, and types, are not a matter of grammar.
"""

from __future__ import annotations

from anytile.compiler.text.lexer import KEYWORDS, KINDS

# 'x' is a word as it stands; NAME, NUMBER, ... are words of a kind, a NAME no keyword and a KEY any name; [x] may be
# there, {x} any number of times; of alternatives the first that fits is meant.
RULES = {
    "module": "{ data | constant | function }",
    "data": "'data' NAME [ '[' [ NAME { ',' NAME } [ ',' ] ] ']' ] '{' [ constructor { ',' constructor } [ ',' ] ] '}'",
    "constructor": "NAME [ '(' types ')' ]",
    "constant": "'const' CONSTANT ':' type [ '=' '[' [ number { ',' number } [ ',' ] ] ']' ] ';'",
    "number": "NUMBER | 'nan' | 'true' | 'false'",
    "function": "'def' [ '[' attributes ']' ] NAME '(' params ')' [ '->' type ] block",
    "params": "[ param { ',' param } [ ',' ] ]",
    "param": "NAME [ ':' type ]",
    "attributes": "[ attribute { ',' attribute } [ ',' ] ]",
    "attribute": "KEY '=' value",
    "value": "TEXT | NUMBER | 'nan' | 'true' | 'false' | '(' [ value { ',' value } [ ',' ] ] ')'",
    "types": "[ type { ',' type } [ ',' ] ]",
    "type": "tensor | 'fn' '(' types ')' '->' type | '(' types ')' | NAME [ '[' types ']' ]",
    "tensor": "'Tensor' '[' '(' [ dim { ',' dim } [ ',' ] ] ')' ',' NAME ']'",
    "dim": "SYMBOL | NUMBER",
    "block": "'{' { 'let' NAME [ ':' type ] '=' expr ';' } expr '}'",
    "expr": "primary { '(' [ argument { ',' argument } [ ',' ] ] ')' [ '@' TEXT ] | '.' NUMBER }",
    "argument": "attribute | expr",
    "primary": "block | if | match | closure | tuple | CONSTANT | number | NAME",
    "if": "'if' '(' expr ')' block 'else' block",
    "match": "'match' '(' expr ')' '{' [ clause { ',' clause } [ ',' ] ] '}'",
    "clause": "pattern '=>' expr",
    "patterns": "[ pattern { ',' pattern } [ ',' ] ]",
    "pattern": "'(' patterns ')' | '_' | NAME [ '(' patterns ')' | ':' type ]",
    "closure": "'fn' [ '[' attributes ']' ] '(' params ')' [ '->' type ] block",
    "tuple": "'(' [ expr { ',' expr } [ ',' ] ] ')'",
}

_ABOUT = """\
A module in text: what `str(module)` writes and `anytile.Module.parse(text, constants)` reads back as the same module.
`anytile compile FILE` reads a file of it; arrays of constants that the text only names lie beside it in an `.npz`.

    data Tree { Leaf(Tensor[(1, 4), float32]), Node(Tree, Tree) }
    const $w: Tensor[(4, 4), float32];
    def main(t: Tree) -> Tensor[(1, 4), float32] {
      match (t) {
        Leaf(x) => tanh(dense(x, $w)) @"leaf",
        Node(left, right) => add(main(left), main(right)),
      }
    }

A name means, in this order: a variable in scope, a function of the module, a constructor, an
[operator](operators.md). `( x )` is x, `( x, )` a tuple of one. `?n` is a dimension that is unknown until run time, `?`
one of which not even that is known whether it equals another. `@"..."` says where in the user's model a call is from;
errors name it. What a type leaves out is inferred. `operator.gelu` is the operator, whatever else is called gelu.
"""


def reference() -> str:
    """The page: words, then rules."""
    lines = ["# The text form of a module", "", _ABOUT, "## Words", ""]
    lines += ["| kind | pattern | what it is |", "| --- | --- | --- |"]
    for kind in KINDS:
        pattern = kind.pattern.replace("|", "\\|")
        lines.append(f"| {kind.name} | `{pattern}` | {kind.doc} |")
    lines += ["", f"Keywords: {', '.join(f'`{word}`' for word in sorted(KEYWORDS))}.", "", "## Rules", ""]
    lines += [
        "`'x'` is a word as it stands; NAME, NUMBER, ... are words of a kind, a NAME no keyword, a KEY any name;",
        "`[ x ]` may be there, `{ x }` any number of times; of alternatives the first that fits is meant.",
        "",
    ]
    width = max(map(len, RULES))
    lines += [f"    {name:<{width}} = {rule}" for name, rule in RULES.items()]
    return "\n".join(lines) + "\n"
