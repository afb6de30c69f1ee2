package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// listing is what `go list` says of a package.
type listing struct {
	ImportPath, Name, Export string
	GoFiles, Imports         []string
	Module                   *struct {
		Path string
		Main bool
	}
}

// own says whether the package is of the module that is measured.
func (p listing) own() bool { return p.Module != nil && p.Module.Main }

// public says whether programs outside the module may import the package.
func (p listing) public() bool {
	return p.own() && p.Name != "main" && len(p.GoFiles) > 0 && !internal(p.ImportPath)
}

// internal says whether a package of this path is closed to other modules.
func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// listed are the packages of the module in a folder; with -export and -deps compiled, and all that they import.
func listed(dir string, flags ...string) ([]listing, error) {
	flags = append([]string{"list", "-json=ImportPath,Name,Export,GoFiles,Imports,Module"}, flags...)
	c := exec.Command("go", append(flags, "./...")...) //nolint:gosec // flags of this file
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	var packages []listing
	for d := json.NewDecoder(out); ; {
		var p listing
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errors.Join(err, c.Wait())
		}
		packages = append(packages, p)
	}
	return packages, c.Wait()
}

// surface is what a module shows to those who import it.
type surface struct {
	names map[string][]string // of each public package: functions, types, constants, variables; methods and fields as Type.Name
	leaks map[string]bool     // internal types that a public signature names
}

// all are the names of all packages.
func (s surface) all() []string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(s.names)) {
		for _, name := range s.names[path] {
			all = append(all, path+"."+name)
		}
	}
	return all
}

// exported reads the surface from the compiled packages. An alias counts as one name: the fields and methods of its type are counted
// where the type is declared.
func exported(packages []listing) (surface, error) {
	files := map[string]string{}
	for _, p := range packages {
		files[p.ImportPath] = p.Export
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file := files[path]
		if file == "" {
			return nil, fmt.Errorf("package %s is not compiled", path)
		}
		return os.Open(file) //nolint:gosec // the go command's own cache
	})
	s := surface{map[string][]string{}, map[string]bool{}}
	for _, p := range packages {
		if !p.public() {
			continue
		}
		pkg, err := compiled.Import(p.ImportPath)
		if err != nil {
			return s, err
		}
		s.names[p.ImportPath] = nil
		for _, name := range pkg.Scope().Names() {
			if token.IsExported(name) {
				s.object(p.ImportPath, pkg.Scope().Lookup(name))
			}
		}
	}
	return s, nil
}

// object counts a declaration at the top of a package, with the methods and fields of a type.
func (s surface) object(path string, o types.Object) {
	add := func(name string, t types.Type) {
		s.names[path] = append(s.names[path], name)
		s.leak(t, path+"."+name)
	}
	typeName, ok := o.(*types.TypeName)
	if !ok {
		add(o.Name(), o.Type())
		return
	}
	named, ok := o.Type().(*types.Named)
	if typeName.IsAlias() || !ok {
		add(o.Name(), types.Unalias(o.Type()))
		return
	}
	add(o.Name(), nil)
	for m := range named.Methods() {
		if m.Exported() {
			add(o.Name()+"."+m.Name(), m.Type())
		}
	}
	switch u := named.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() {
				add(o.Name()+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range u.ExplicitMethods() {
			if m.Exported() {
				add(o.Name()+"."+m.Name(), m.Type())
			}
		}
		for e := range u.EmbeddedTypes() {
			s.leak(e, path+"."+o.Name())
		}
	default:
		s.leak(u, path+"."+o.Name())
	}
}

// leak notes the internal types of the module that a type names, with the first name that shows each.
func (s surface) leak(t types.Type, where string) {
	switch t := t.(type) {
	case *types.Alias:
		s.leak(types.Unalias(t), where)
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			s.leak(a, where)
		}
		if pkg := t.Obj().Pkg(); pkg != nil && internal(pkg.Path()) && !strings.HasPrefix(pkg.Path(), "vendor/") {
			s.leaks[pkg.Path()+"."+t.Obj().Name()] = true
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels and the values of maps
		if m, ok := t.(*types.Map); ok {
			s.leak(m.Key(), where)
		}
		s.leak(t.Elem(), where)
	case *types.Signature:
		for v := range t.Params().Variables() {
			s.leak(v.Type(), where)
		}
		for v := range t.Results().Variables() {
			s.leak(v.Type(), where)
		}
		for p := range t.TypeParams().TypeParams() {
			s.leak(p.Constraint(), where)
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				s.leak(f.Type(), where)
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			s.leak(m.Type(), where)
		}
	}
}
