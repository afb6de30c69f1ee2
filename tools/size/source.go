package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// source is what the files of all modules hold.
type source struct {
	lines, tests map[string]int // of each folder at the top; those below internal/ by themselves
	functions    int            // declared outside tests
	many         []string       // functions with more than 6 parameters, the receiver not counted
	bools        []string       // functions with a parameter of type bool
	long         []string       // functions with more than 60 lines
}

// read reads every file of Go below a folder, those of nested modules too. Hidden folders and testdata are left out.
func read(root string) (source, error) {
	s := source{lines: map[string]int{}, tests: map[string]int{}}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || hidden(d.Name())):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path) //nolint:gosec // a file of this module
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		lines := bytes.Count(text, []byte("\n"))
		if strings.HasSuffix(path, "_test.go") {
			s.tests[folder(filepath.ToSlash(filepath.Dir(relative)))] += lines
			return nil
		}
		s.lines[folder(filepath.ToSlash(filepath.Dir(relative)))] += lines
		file, err := parser.ParseFile(fset, relative, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok {
				s.function(fset, f)
			}
		}
		return nil
	})
	return s, err
}

// function counts a declared function or method.
func (s *source) function(fset *token.FileSet, f *ast.FuncDecl) {
	s.functions++
	at := fset.Position(f.Pos())
	where := fmt.Sprintf("%s:%d: %s", filepath.ToSlash(at.Filename), at.Line, f.Name.Name)
	parameters, flags := 0, false
	for _, p := range f.Type.Params.List {
		parameters += max(1, len(p.Names))
		if name, ok := p.Type.(*ast.Ident); ok && name.Name == "bool" {
			flags = true
		}
	}
	if parameters > 6 {
		s.many = append(s.many, where)
	}
	if flags {
		s.bools = append(s.bools, where)
	}
	if fset.Position(f.End()).Line-at.Line+1 > 60 {
		s.long = append(s.long, where)
	}
}
