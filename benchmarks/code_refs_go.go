// Every use of every package-level name, field and method of a Go repository, by the compiler's own type checker:
//
//	go run code_refs_go.go ROOT > TRUTH.jsonl
//
// Every module below ROOT counts. Packages outside of them and the standard library are unknown to it, as
// they are to CueDeck. An interface's row names the types that satisfy it, without tests and generic types.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type place struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

type row struct {
	Name       string  `json:"name"`
	Kind       string  `json:"kind"`
	Def        place   `json:"def"`
	Refs       []place `json:"refs"`
	Implements []place `json:"implements,omitempty"`
}

type loader struct {
	root     string
	modules  map[string]string // the folder of each module by its path
	files    *token.FileSet
	standard types.Importer
	known    map[string]*types.Package
	info     *types.Info
	parsed   map[string]*ast.File
}

// folder says where a package of the repository is.
func (l *loader) folder(path string) (string, bool) {
	for module := path; module != "." && module != "/"; module = pathOf(module) {
		if at, ok := l.modules[module]; ok {
			return filepath.Join(at, strings.TrimPrefix(path, module)), true
		}
	}
	return "", false
}

func pathOf(path string) string { return filepath.ToSlash(filepath.Dir(path)) }

// path says how a folder's package is imported.
func (l *loader) path(folder string) string {
	for at := folder; strings.HasPrefix(at, l.root); at = filepath.Dir(at) {
		for module, home := range l.modules {
			if home == at {
				return module + filepath.ToSlash(strings.TrimPrefix(folder, at))
			}
		}
	}
	return filepath.ToSlash(strings.TrimPrefix(folder, l.root))
}

func moduleName(file string) string {
	text, _ := os.ReadFile(file)
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			return fields[1]
		}
	}
	return ""
}

func (l *loader) Import(path string) (*types.Package, error) {
	if found, ok := l.known[path]; ok {
		if found == nil {
			return nil, fmt.Errorf("import cycle or unknown: %s", path)
		}
		return found, nil
	}
	l.known[path] = nil
	var found *types.Package
	var err error
	if folder, ok := l.folder(path); ok {
		found = l.check(path, l.sources(folder, false))
	} else if !strings.Contains(strings.Split(path, "/")[0], ".") {
		found, err = l.standard.Import(path)
	} else {
		parts := strings.Split(path, "/")
		found = types.NewPackage(path, parts[len(parts)-1])
		found.MarkComplete()
	}
	l.known[path] = found
	return found, err
}

func (l *loader) sources(folder string, tests bool) []string {
	entries, _ := os.ReadDir(folder)
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || (!tests && strings.HasSuffix(name, "_test.go")) {
			continue
		}
		if ok, _ := build.Default.MatchFile(folder, name); ok {
			names = append(names, filepath.Join(folder, name))
		}
	}
	return names
}

func (l *loader) check(path string, names []string) *types.Package {
	var files []*ast.File
	for _, name := range names {
		file := l.parsed[name]
		if file == nil {
			file, _ = parser.ParseFile(l.files, name, nil, parser.SkipObjectResolution)
			l.parsed[name] = file
		}
		if file != nil {
			files = append(files, file)
		}
	}
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
	found, _ := config.Check(path, l.files, files, l.info)
	return found
}

func (l *loader) place(at token.Pos) (place, bool) {
	position := l.files.Position(at)
	path, err := filepath.Rel(l.root, position.Filename)
	if err != nil || strings.HasPrefix(path, "..") {
		return place{}, false
	}
	return place{path, position.Line, position.Column - 1}, true
}

func kind(object types.Object) string {
	switch object := object.(type) {
	case *types.Func:
		return "function"
	case *types.TypeName:
		if _, parameter := object.Type().(*types.TypeParam); parameter {
			return ""
		}
		if object.Parent() != nil && object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return "class"
		}
	case *types.Var:
		if object.IsField() && !object.Embedded() {
			return "field"
		}
		if object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return "variable"
		}
	case *types.Const:
		if object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return "variable"
		}
	}
	return ""
}

// known says whether everything that a type embeds is: what is not may have any method.
func known(of types.Type, depth int) bool {
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	fields, ok := of.Underlying().(*types.Struct)
	if !ok || depth > 8 {
		return of.Underlying() != types.Typ[types.Invalid]
	}
	for at := 0; at < fields.NumFields(); at++ {
		if field := fields.Field(at); field.Embedded() && !known(field.Type(), depth+1) {
			return false
		}
	}
	return true
}

// satisfied tells of every interface with methods which types have them.
func (l *loader) satisfied(tell func(name *types.TypeName, by place)) {
	interfaces, others := map[*types.TypeName]*types.Interface{}, []*types.TypeName{}
	for path, loaded := range l.known {
		if _, ours := l.folder(path); loaded == nil || !ours {
			continue
		}
		for _, each := range loaded.Scope().Names() {
			name, ok := loaded.Scope().Lookup(each).(*types.TypeName)
			if !ok || name.IsAlias() {
				continue
			}
			if named, ok := name.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 {
				continue
			}
			if asked, ok := name.Type().Underlying().(*types.Interface); !ok && known(name.Type(), 0) {
				others = append(others, name)
			} else if ok && asked.NumMethods() > 0 && asked.IsMethodSet() {
				interfaces[name] = asked
			}
		}
	}
	for name, asked := range interfaces {
		for _, other := range others {
			if types.Implements(types.NewPointer(other.Type()), asked) {
				if at, ok := l.place(other.Pos()); ok {
					tell(name, at)
				}
			}
		}
	}
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	files := token.NewFileSet()
	l := &loader{root, map[string]string{}, files, importer.ForCompiler(files, "source", nil), map[string]*types.Package{},
		&types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}, map[string]*ast.File{}}
	folders := map[string]bool{}
	filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != root {
			if strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "vendor" {
				return filepath.SkipDir
			}
		}
		if err == nil && entry.Name() == "go.mod" {
			l.modules[moduleName(path)] = filepath.Dir(path)
		}
		if err == nil && strings.HasSuffix(path, ".go") {
			folders[filepath.Dir(path)] = true
		}
		return nil
	})
	names := make([]string, 0, len(folders))
	for folder := range folders {
		names = append(names, folder)
	}
	sort.Strings(names)
	// Packages first, then each again with its tests: an object is known by where it is declared.
	for _, withTests := range []bool{false, true} {
		for _, folder := range names {
			path := l.path(folder)
			if !withTests {
				l.Import(path)
				continue
			}
			var inside, outside []string
			for _, name := range l.sources(folder, true) {
				if l.parsed[name] == nil {
					l.parsed[name], _ = parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
				}
				if file := l.parsed[name]; file != nil && strings.HasSuffix(file.Name.Name, "_test") && strings.HasSuffix(name, "_test.go") {
					outside = append(outside, name)
				} else {
					inside = append(inside, name)
				}
			}
			augmented := l.check(path, inside)
			plain := l.known[path]
			l.known[path] = augmented
			l.check(path+"_test", outside)
			l.known[path] = plain
		}
	}
	rows := map[place]*row{}
	of := func(object types.Object) *row {
		if f, ok := object.(*types.Func); ok {
			object = f.Origin()
		}
		if v, ok := object.(*types.Var); ok {
			object = v.Origin()
		}
		name := kind(object)
		at, ok := l.place(object.Pos())
		if name == "" || !ok || object.Name() == "_" {
			return nil
		}
		if rows[at] == nil {
			rows[at] = &row{object.Name(), name, at, []place{}, nil}
		}
		return rows[at]
	}
	for _, object := range l.info.Defs {
		if object != nil {
			of(object)
		}
	}
	seen := map[[2]place]bool{}
	for ident, object := range l.info.Uses {
		if found := of(object); found != nil {
			at, ok := l.place(ident.Pos())
			if ok && !seen[[2]place{found.Def, at}] {
				seen[[2]place{found.Def, at}] = true
				found.Refs = append(found.Refs, at)
			}
		}
	}
	l.satisfied(func(name *types.TypeName, by place) {
		if found := of(name); found != nil {
			found.Implements = append(found.Implements, by)
		}
	})
	out := json.NewEncoder(os.Stdout)
	for _, found := range rows {
		out.Encode(found)
	}
}
