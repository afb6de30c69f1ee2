package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// declared changes a constant of a package or a function, which is a default of something.
func (f *finder) declared(n *ast.GenDecl) {
	if n.Tok != token.CONST {
		return
	}
	for _, spec := range n.Specs {
		s, ok := spec.(*ast.ValueSpec)
		if !ok || f.idle(s) {
			continue
		}
		for _, v := range s.Values {
			f.fallback(v)
		}
	}
}

// fallback changes a value that holds where nothing else is said.
func (f *finder) fallback(v ast.Expr) {
	switch v := v.(type) {
	case *ast.BasicLit:
		if with := changed(v); with != "" {
			f.known[v] = true
			f.add(byDefault, v, with)
		}
	case *ast.Ident:
		if v.Name == "true" || v.Name == "false" {
			f.add(byDefault, v, map[string]string{"true": "false", "false": "true"}[v.Name])
		}
	}
}

// condition swallows an error, changes the default that an if fills in, or negates the condition.
func (f *finder) condition(n *ast.IfStmt) {
	never := fmt.Sprintf("(%s) && false", f.source(n.Cond))
	switch {
	case f.returnsError(n):
		f.mark(n.Cond)
		f.add(swallowed, n.Cond, never)
		values := n.Body.List[0].(*ast.ReturnStmt).Results
		for _, v := range values[:len(values)-1] {
			f.skip[v] = true // nobody looks at what is beside an error
		}
	case f.fillsIn(n):
		f.mark(n.Cond)
		f.fallback(n.Body.List[0].(*ast.AssignStmt).Rhs[0])
	default:
		f.add(negated, n.Cond, "!("+f.source(n.Cond)+")")
	}
}

// mark keeps the operators of a condition from faults of other kinds.
func (f *finder) mark(e ast.Expr) {
	if b, ok := e.(*ast.BinaryExpr); ok && f.source(b.Y) == "nil" {
		f.known[b] = true
	}
}

// errorValue is a value that is an error made on the spot, or handed on.
var errorValue = regexp.MustCompile(`^(err|failed)$|^(fmt\.Errorf|errors\.New|usage|task\.Usage|Usage|&?[a-zA-Z.]*Error\b)`)

// returnsError says whether an if does nothing but return an error.
func (f *finder) returnsError(n *ast.IfStmt) bool {
	if len(n.Body.List) != 1 || n.Else != nil {
		return false
	}
	r, ok := n.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) == 0 {
		return false
	}
	return errorValue.MatchString(f.source(r.Results[len(r.Results)-1]))
}

// fillsIn says whether an if puts a value where there is none.
func (f *finder) fillsIn(n *ast.IfStmt) bool {
	b, ok := n.Cond.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL || len(n.Body.List) != 1 || n.Else != nil {
		return false
	}
	a, ok := n.Body.List[0].(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 || a.Tok != token.ASSIGN || f.source(a.Lhs[0]) != f.source(b.X) {
		return false
	}
	_, literal := a.Rhs[0].(*ast.BasicLit)
	return literal
}

// assigned drops an append.
func (f *finder) assigned(n *ast.AssignStmt) {
	if len(n.Rhs) != 1 || len(n.Lhs) != 1 || n.Tok != token.ASSIGN {
		return
	}
	if c, ok := n.Rhs[0].(*ast.CallExpr); ok && f.source(c.Fun) == "append" && !c.Ellipsis.IsValid() {
		f.addRange(dropped, n.Lhs[0].Pos(), n.Lhs[0].End(), "_", fmt.Sprintf("`%s` dropped", oneLine(f.source(n))))
	}
}

// telling are the functions that tell a person something.
var telling = regexp.MustCompile(`(?i)(^|\.)(warn|say|complain)\w*$`)

// statement drops a warning.
func (f *finder) statement(n *ast.ExprStmt) {
	if c, ok := n.X.(*ast.CallExpr); ok && telling.MatchString(f.source(c.Fun)) {
		f.addRange(dropped, n.Pos(), n.End(), "if false {"+f.source(n)+"}", fmt.Sprintf("`%s` dropped", oneLine(f.source(n))))
	}
}

// call ignores a setting or a seed, changes the default of a choice, or exchanges two arguments.
func (f *finder) call(n *ast.CallExpr) {
	name := f.source(n.Fun)
	switch last := name[strings.LastIndexByte(name, '.')+1:]; {
	case name == "cmp.Or" && len(n.Args) > 1:
		f.fallback(n.Args[len(n.Args)-1])
	case strings.Contains(name, ".") && reads.MatchString(last):
		f.ignore(n)
	}
	f.known[n.Fun] = true // a method is no field
	if name == "append" || symmetric.MatchString(name) {
		return // the order of a list; nothing would change
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if simple(a) && simple(b) && f.source(a) != f.source(b) {
			f.swap(a, b)
		}
	}
}

// symmetric are functions whose arguments have no order.
var symmetric = regexp.MustCompile(`^(min|max|math\.(Min|Max|Hypot)|floats\.(Dot|Distance)|(bytes|slices|mat)\.Equal)$`)

// simple says whether an expression is a name.
func simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name != "nil" && e.Name != "ctx"
	case *ast.SelectorExpr:
		return true
	}
	return false
}

// swap exchanges two expressions.
func (f *finder) swap(a, b ast.Node) {
	between := string(f.text[f.at(a.End()):f.at(b.Pos())])
	f.addRange(
		exchanged,
		a.Pos(),
		b.End(),
		f.source(b)+between+f.source(a),
		fmt.Sprintf("`%s` and `%s` exchanged", oneLine(f.source(a)), oneLine(f.source(b))),
	)
}

// reads are the methods that read a setting or a seed.
var reads = regexp.MustCompile(`^(Given|Is|Has|Number|Numbers|Text|Word|Words|Drawn|Seed)$`)

// requested are the values that say what a user asked for, by their usual names; short ones only
// in the packages that read requests.
var (
	requested = regexp.MustCompile(`(^|\.)(Recipe|recipe|Options|options|opt)$`)
	receivers = regexp.MustCompile(`^(r|o|c)$`)
	readers   = regexp.MustCompile(`/(cli|method|task|design)/[a-z0-9_]+\.go$`)
)

// asked ignores a field of what was asked for.
func (f *finder) asked(n *ast.SelectorExpr) {
	x := f.source(n.X)
	if f.known[n] || !ast.IsExported(n.Sel.Name) {
		return
	}
	if requested.MatchString(x) || strings.HasSuffix(n.Sel.Name, "Seed") || receivers.MatchString(x) && readers.MatchString(f.file) {
		f.ignore(n)
	}
}

// ignore puts the zero of its type in the place of an expression.
func (f *finder) ignore(e ast.Expr) {
	f.addRange(ignored, e.Pos(), e.End(), zero+"("+f.source(e)+")", fmt.Sprintf("`%s` ignored", oneLine(f.source(e))))
}

// pairs exchanges the values of two neighbouring fields or keys, but for sentences.
func (f *finder) pairs(n *ast.CompositeLit) {
	for i, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if strings.HasPrefix(f.source(kv.Key), "Default") {
			f.fallback(kv.Value)
		}
		if i == 0 {
			continue
		}
		before, ok := n.Elts[i-1].(*ast.KeyValueExpr)
		if ok && word(before.Value) && word(kv.Value) && f.source(before.Value) != f.source(kv.Value) {
			f.swap(before.Value, kv.Value)
		}
	}
}

// word says whether an expression is a name or a literal without a space.
func word(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return simple(e) || ok && !strings.Contains(l.Value, " ")
}

// cases exchanges the conditions of two neighbouring cases.
func (f *finder) cases(n *ast.SwitchStmt) {
	for i := 1; i < len(n.Body.List); i++ {
		a, b := n.Body.List[i-1].(*ast.CaseClause), n.Body.List[i].(*ast.CaseClause)
		if n.Tag == nil || len(a.List) != 1 || len(b.List) != 1 || !word(a.List[0]) || !word(b.List[0]) {
			continue
		}
		from, to := a.List[0], b.List[0]
		middle := string(f.text[f.at(from.End()):f.at(to.Pos())])
		f.addRange(
			exchanged,
			from.Pos(),
			to.End(),
			f.source(to)+middle+f.source(from),
			fmt.Sprintf("cases `%s` and `%s` exchanged", f.source(from), f.source(to)),
		)
	}
}
