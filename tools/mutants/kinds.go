package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// kind is a kind of fault.
type kind int

const (
	comparison kind = iota
	arithmetic
	constant
	boundary
	negated
	dropped
	ignored
	exchanged
	swallowed
	byDefault
)

func (k kind) String() string {
	return [...]string{"comparison turned", "arithmetic sign turned", "constant off", "boundary of a slice", "condition negated",
		"warning or append dropped", "seed or setting ignored", "two words exchanged", "error swallowed", "default changed"}[k]
}

// kinds are all of them, in the order of the draw.
func kinds() []kind {
	return []kind{comparison, arithmetic, constant, boundary, negated, dropped, ignored, exchanged, swallowed, byDefault}
}

// timing are names of constants and variables that change how long something takes, or how it is
// written in memory, and no result: faults in them are equivalent.
var timing = regexp.MustCompile(
	`(?i)panel|block|chunk|tile|unroll|grain|lanes|worker|thread|parallel|capacity|buffer|cores|batch|stride|flops`,
)

// speed is what the comment of a constant says that only changes how long something takes.
var speed = regexp.MustCompile(`(?i)no\s+result\s+depends\s+on`)

// finder collects the faults of a file.
type finder struct {
	file  string
	text  []byte
	set   *token.FileSet
	found []*fault
	skip  map[ast.Node]bool // below which nothing is changed
	known map[ast.Node]bool // errors' conditions and defaults: of their own kind alone
}

// faults are all changes of a file, in the order of its text.
func faults(path string) ([]*fault, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &finder{file: path, text: text, set: token.NewFileSet(), skip: map[ast.Node]bool{}, known: map[ast.Node]bool{}}
	parsed, err := parser.ParseFile(f.set, path, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	ast.Inspect(parsed, f.visit)
	return f.found, nil
}

// visit takes a node and says whether to go below it.
func (f *finder) visit(n ast.Node) bool {
	if n == nil || f.skip[n] || f.idle(n) {
		return false
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		f.declared(n)
	case *ast.IfStmt:
		f.condition(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.SliceExpr:
		f.slice(n)
	case *ast.AssignStmt:
		f.assigned(n)
	case *ast.ExprStmt:
		f.statement(n)
	case *ast.CallExpr:
		f.call(n)
	case *ast.SelectorExpr:
		f.asked(n)
	case *ast.CompositeLit:
		f.pairs(n)
	case *ast.SwitchStmt:
		f.cases(n)
	}
	return true
}

// idle says whether nothing below a node changes a result: imports, tags, texts of panics, sizes in advance,
// what is named in timing, and constants whose comment says that no result depends on them.
func (f *finder) idle(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.StructType:
		return true
	case *ast.ValueSpec:
		return timing.MatchString(n.Names[0].Name) || speed.MatchString(n.Comment.Text()+n.Doc.Text())
	case *ast.GenDecl:
		return speed.MatchString(n.Doc.Text())
	case *ast.AssignStmt:
		name, ok := n.Lhs[0].(*ast.Ident)
		return ok && timing.MatchString(name.Name)
	case *ast.IfStmt:
		return timing.MatchString(f.source(n.Cond))
	case *ast.CallExpr:
		switch f.source(n.Fun) {
		case "panic":
			return true
		case "make":
			if len(n.Args) == 3 {
				f.skip[n.Args[2]] = true
			}
		}
	}
	return false
}

// source is the text of a node.
func (f *finder) source(n ast.Node) string { return string(f.text[f.at(n.Pos()):f.at(n.End())]) }

func (f *finder) at(p token.Pos) int { return f.set.Position(p).Offset }

// add records that the text of a node is replaced.
func (f *finder) add(k kind, n ast.Node, with string) { f.addRange(k, n.Pos(), n.End(), with, "") }

// addRange records that a range is replaced; what is left empty says so itself.
func (f *finder) addRange(k kind, from, to token.Pos, with, what string) {
	at, end := f.at(from), f.at(to)
	if what == "" {
		what = fmt.Sprintf("`%s` turned into `%s`", oneLine(string(f.text[at:end])), oneLine(with))
	}
	f.found = append(f.found, &fault{kind: k, file: f.file, at: at, end: end, with: with, line: f.set.Position(from).Line, what: what})
}

// oneLine is the first line of a text, shortened.
func oneLine(s string) string {
	first, _, more := strings.Cut(s, "\n")
	const most = 80
	if len(first) > most {
		first, more = first[:most], true
	}
	if more {
		first += " ..."
	}
	return first
}

// turns are the operators and what they are turned into.
var turns = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
}

// binary turns a comparison or a sign. A comparison with nil is left to the kind of errors.
func (f *finder) binary(n *ast.BinaryExpr) {
	with, ok := turns[n.Op]
	if !ok || f.known[n] || f.source(n.Y) == "nil" {
		return
	}
	k := comparison
	if n.Op == token.ADD || n.Op == token.SUB || n.Op == token.MUL || n.Op == token.QUO {
		k = arithmetic
		if f.text[f.at(n.Y.Pos())] == '"' || f.text[f.at(n.X.Pos())] == '"' {
			return // texts are joined, not added
		}
	}
	end := n.OpPos + token.Pos(len(n.Op.String()))
	what := fmt.Sprintf("`%s` with `%s`", oneLine(f.source(n)), with)
	f.addRange(k, n.OpPos, end, with.String(), what)
}

// literal changes a number: by one, or by a factor.
func (f *finder) literal(n *ast.BasicLit) {
	if with := changed(n); with != "" && !f.known[n] {
		f.add(constant, n, with)
	}
}

// changed is another number in the place of a literal, "" for texts.
func changed(n *ast.BasicLit) string {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			return strconv.FormatInt(v+1, 10)
		}
	case token.FLOAT:
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			factor := 2.0
			if v <= 1e-3 { // a tolerance, of which twice as much is none the worse
				factor = 1e4
			}
			return strconv.FormatFloat(factor*v, 'g', -1, 64)
		}
	}
	return ""
}

// slice moves a boundary by one.
func (f *finder) slice(n *ast.SliceExpr) {
	switch {
	case n.Slice3:
	case n.High != nil:
		f.add(boundary, n.High, f.source(n.High)+"-1")
	case n.Low != nil:
		f.add(boundary, n.Low, f.source(n.Low)+"+1")
	}
}
