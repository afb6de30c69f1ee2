package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is public stays what a program that imports the module needs: a package or a name more is a decision, and changes a bound here.
func TestPublic(t *testing.T) {
	const mostPackages, mostNames = 18, 1785
	packages, err := listed("../..", "-export", "-deps")
	if err != nil {
		t.Fatal(err)
	}
	public, err := exported(packages)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(public.names); n > mostPackages {
		t.Errorf("%d public packages, at most %d are meant to be: put it below internal/, or raise the bound", n, mostPackages)
	}
	if n := len(public.all()); n > mostNames {
		t.Errorf("%d exported names in public packages, at most %d are meant to be: unexport what only its own package uses, or raise "+
			"the bound", n, mostNames)
	}
	for leak := range public.leaks {
		t.Errorf("%s is named by a public signature: nobody outside the module can name it", leak)
	}
}

// The packages of this module stand as docs/architecture.md says, and no folders import each other.
func TestOrderOfPackages(t *testing.T) {
	packages, err := listed("../..")
	if err != nil {
		t.Fatal(err)
	}
	order, err := promised("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, against := range upward(packages, order) {
		t.Errorf("against the order of docs/architecture.md: %s", against)
	}
	for _, folder := range knotted(packages) {
		t.Errorf("%s imports itself by way of another folder", folder)
	}
	for _, name := range order {
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Errorf("docs/architecture.md names %s/: %v", name, err)
		}
	}
}

// module is a small module whose packages import as the map says.
func module(imports map[string][]string) []listing {
	var packages []listing
	for name, to := range imports {
		p := listing{ImportPath: "m/" + name, Name: "x", GoFiles: []string{"x.go"}}
		if name == "." {
			p.ImportPath = "m"
		}
		p.Module = &struct {
			Path string
			Main bool
		}{"m", true}
		for _, i := range to {
			p.Imports = append(p.Imports, strings.TrimSuffix("m/"+i, "/."))
		}
		p.Imports = append(p.Imports, "math", "mm/a")
		packages = append(packages, p)
	}
	return packages
}

func TestUpward(t *testing.T) {
	file := filepath.Join(t.TempDir(), "order.md")
	text := "Before.\n\n" + promise + "\n\n" +
		"```\na/ a/deep/   words, of b/ too\n             c/ is not a name here\n./ root\nb/  words\n```\n\n```\nd/\n```\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	order, err := promised(file)
	if err != nil || !slices.Equal(order, []string{"a", "a/deep", ".", "b"}) {
		t.Fatalf("the order is %q, %v", order, err)
	}
	packages := module(map[string][]string{
		"a": {"b", "a/deep", "."}, "a/x": {"a", "b"}, "a/deep": {"a/x"}, ".": {"b"}, "b": {"."}, "c": {"a"},
	})
	want := []string{"a/deep imports a/x", "b imports .", "c is not named"}
	if got := upward(packages, order); !slices.Equal(got, want) {
		t.Errorf("against the order are %q, expected %q", got, want)
	}
	for name, text := range map[string]string{"no promise": "```\na/\n```", "no block": promise, "twice": promise + "\n```\na/\na/\n```"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if order, err := promised(file); err == nil {
			t.Errorf("%s: the order is %q", name, order)
		}
	}
}

func TestKnotted(t *testing.T) {
	packages := module(map[string][]string{
		"a/x": {"b"}, "b": {"internal/c/y"}, "internal/c/y": {"a/x/deep"}, "a/x/deep": nil, // a/x, b and internal/c by way of a/x/deep
		"d/x": {"d/x/y", "a/x"}, "d/x/y": {"d/x/z"}, "internal/e": {"internal/c/y"}, ".": {"a/x"},
	})
	if got := knotted(packages); !slices.Equal(got, []string{"a/x", "b", "internal/c"}) {
		t.Errorf("the knot is %q", got)
	}
}

// What a package shows is counted name by name.
func TestObject(t *testing.T) {
	const text = `package p
		type S struct { A int; b int; E }
		type E struct { C func(int) bool }
		func (S) M() {}
		func (*S) P() {}
		func (S) hidden() {}
		type I interface { E(); f() }
		type Alias = S
		const K = 1
		var V int
		func F[T any](T) {}
		type hidden struct { A int }
		func f() {}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("m/p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := surface{map[string][]string{}, map[string]bool{}}
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			s.object("m/p", pkg.Scope().Lookup(name))
		}
	}
	names := s.names["m/p"]
	slices.Sort(names)
	want := []string{"Alias", "E", "E.C", "F", "I", "I.E", "K", "S", "S.A", "S.E", "S.M", "S.P", "V"}
	if !slices.Equal(names, want) {
		t.Errorf("the names are %q, expected %q", names, want)
	}
}

// An internal type is found wherever a signature can hold it.
func TestLeaks(t *testing.T) {
	inner := types.NewPackage("m/internal/x", "x")
	leaky := types.NewNamed(types.NewTypeName(token.NoPos, inner, "T", nil), types.Typ[types.Int], nil)
	one := func(t types.Type) *types.Tuple { return types.NewTuple(types.NewVar(token.NoPos, nil, "V", t)) }
	field := func(name string) types.Type {
		return types.NewStruct([]*types.Var{types.NewField(token.NoPos, nil, name, leaky, false)}, nil)
	}
	function := types.NewSignatureType(nil, nil, nil, one(leaky), nil, false)
	for name, c := range map[string]struct {
		t    types.Type
		want bool
	}{
		"itself":            {leaky, true},
		"a pointer":         {types.NewPointer(leaky), true},
		"a slice":           {types.NewSlice(types.NewPointer(leaky)), true},
		"an array":          {types.NewArray(leaky, 2), true},
		"a channel":         {types.NewChan(types.SendOnly, leaky), true},
		"a key":             {types.NewMap(leaky, types.Typ[types.Int]), true},
		"a value":           {types.NewMap(types.Typ[types.Int], leaky), true},
		"a parameter":       {function, true},
		"a result":          {types.NewSignatureType(nil, nil, nil, nil, one(leaky), false), true},
		"a function's":      {types.NewSignatureType(nil, nil, nil, one(function), nil, false), true},
		"an exported field": {field("A"), true},
		"a field kept back": {field("a"), false},
		"a method":          {types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, nil, "M", function)}, nil), true},
		"a number":          {types.Typ[types.Int], false},
		"an error":          {types.Universe.Lookup("error").Type(), false},
	} {
		s := surface{map[string][]string{}, map[string]bool{}}
		s.leak(c.t, "m.F")
		if s.leaks["m/internal/x.T"] != c.want || len(s.leaks) > 1 {
			t.Errorf("%s: the leaks are %v", name, s.leaks)
		}
	}
}

// Lines and parameters are those of files that are no tests.
func TestRead(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a/deep/a.go", "package a\n\nfunc six(a, b, c int, d, e, f string) {}\nfunc seven(a, b, c int, d, e, f string, _ bool) {}\n")
	write("a/long.go", "package a\n\nfunc (T) sixty() {"+strings.Repeat("\n", 59)+"}\nfunc (T) more(bool) {"+strings.Repeat("\n", 60)+"}\n")
	write("a/a_test.go", "package a\n\nfunc test(bool) {}\n")
	write("internal/b/b.go", "package b\n")
	write("main.go", "package main\n")
	write("a/testdata/c.go", "package c\n")
	write(".hidden/d.go", "package d\n")
	s, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(perFolder(s.lines), ";"); got != "    123 a;      4 a/deep;      1 .;      1 internal/b" ||
		sum(s.lines) != 129 || sum(s.tests) != 3 {
		t.Errorf("the lines are %q, those of tests %v", got, s.tests)
	}
	if s.functions != 4 || !slices.Equal(s.many, []string{"a/deep/a.go:4: seven"}) ||
		!slices.Equal(s.bools, []string{"a/deep/a.go:4: seven", "a/long.go:63: more"}) || !slices.Equal(s.long,
		[]string{"a/long.go:63: more"}) {
		t.Errorf("%d functions; many parameters: %q; bools: %q; long: %q", s.functions, s.many, s.bools, s.long)
	}
	write("a/bad.go", "package")
	if _, err := read(root); err == nil || !strings.Contains(err.Error(), "bad.go") {
		t.Errorf("a file that is no Go: %v", err)
	}
}

// Hidden folders and files are no folders at the top.
func TestTopFolders(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b", ".git", "a"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if names, err := topFolders(root); err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("the folders are %q, %v", names, err)
	}
}
