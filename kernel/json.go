package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// JSON form: {"type": NAME, ...} with the fields of the kernel in lower case; the
// parts of composites are nested the same way. Zero parameters are left out:
//
//	{"type":"gaussian","sigma":1.5}
//	{"type":"sum","terms":[{"type":"linear"},{"type":"scaled","weight":2,"base":{"type":"gaussian"}}]}
//
// A kernel of another package is written as its Go type and what package json makes of it:
//
//	{"type":"mine.Student","value":{"Width":1.5}}

// maxDepth bounds the nesting of kernels that are read.
const maxDepth = 32

// ErrForeign is wrapped by Marshal for kernels of other packages that package json does not give back as they were.
var ErrForeign = errors.New("not a kernel of package kernel")

// Marshal writes a kernel as JSON. Kernels of other packages are written as package json writes them; where that does not give them back,
// as those with unexported fields, they are ErrForeign. Values that make no kernel are errors too.
func Marshal(k Kernel) ([]byte, error) {
	if err := check(k, described); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return marshal(k)
}

func marshal(k Kernel) ([]byte, error) {
	name, fields, ours := known(k)
	if !ours {
		return marshalForeign(name, k)
	}
	b := fmt.Appendf(nil, `{"type":%q`, name)
	for _, f := range fields {
		v, err := f.marshal()
		if err != nil {
			return nil, err
		}
		if !zero(v) {
			b = fmt.Appendf(b, ",%q:%s", f.name, v)
		}
	}
	return append(b, '}'), nil
}

// marshalForeign writes a kernel of another package.
func marshalForeign(name string, k Kernel) ([]byte, error) {
	value, err := json.Marshal(k)
	if err == nil {
		var back Kernel
		if back, err = foreign(value, k); err == nil && reflect.DeepEqual(back, k) {
			return fmt.Appendf(nil, `{"type":%q,"value":%s}`, name, value), nil
		}
	}
	if err == nil {
		err = errors.New("its JSON form gives back another value")
	}
	return nil, fmt.Errorf("kernel: %s is %w and cannot be written: %w", name, ErrForeign, err)
}

// foreign reads a value of the type of a kernel of another package.
func foreign(value []byte, like Kernel) (Kernel, error) {
	t := reflect.TypeOf(like)
	pointed := t.Kind() == reflect.Pointer
	if pointed {
		t = t.Elem()
	}
	k := reflect.New(t)
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(k.Interface()); err != nil {
		return nil, err
	}
	if !pointed {
		k = k.Elem()
	}
	return k.Interface().(Kernel), nil
}

// own are kernels of other packages that a reader knows.
type own []Kernel

// find is one of the type of that name, also inside the kernels that are known.
func (list own) find(name string) Kernel {
	for _, k := range list {
		if k == nil {
			continue
		}
		if of, _, ours := known(k); !ours && of == name {
			return k
		}
		if k := own(parts(k)).find(name); k != nil {
			return k
		}
	}
	return nil
}

func (f field) marshal() ([]byte, error) {
	switch v := f.value.(type) {
	case *Kernel:
		return marshal(*v)
	case *[]Kernel:
		list := make([]json.RawMessage, len(*v))
		for i, k := range *v {
			var err error
			if list[i], err = marshal(k); err != nil {
				return nil, err
			}
		}
		return json.Marshal(list)
	}
	return json.Marshal(f.value)
}

// zero says whether a value in JSON is that of a parameter that is not given.
func zero(b []byte) bool { return slices.Contains([]string{"0", "-0", "null", "[]"}, string(b)) }

// Unmarshal reads a kernel that Marshal wrote. Kernels of other packages are read if one of their type is among those given, whatever its
// values. Other types, unknown fields, fields of another type of kernel and values out of range are errors.
func Unmarshal(b []byte, others ...Kernel) (Kernel, error) {
	k, err := own(others).unmarshal(b, maxDepth)
	if err == nil {
		err = check(k, described)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return k, nil
}

func (list own) unmarshal(b []byte, depth int) (Kernel, error) {
	if depth == 0 {
		return nil, fmt.Errorf("more than %d kernels inside each other", maxDepth)
	}
	given := members{}
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&given); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	if err := given.named(); err != nil {
		return nil, err
	}
	var name string
	if b := given.take("type"); b != nil {
		if err := json.Unmarshal(b, &name); err != nil {
			return nil, err
		}
	}
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.ID == name })
	if like := list.find(name); at < 0 && like != nil {
		return foreign(given.take("value"), like)
	}
	if at < 0 && strings.Contains(name, ".") {
		return nil, fmt.Errorf("%s is a type of another package; load the model in a program that has it, and give Load one", name)
	}
	if at < 0 {
		return nil, fmt.Errorf("unknown type %q; known are %s, scaled, sum, product, normalised, columns", name,
			strings.Join(Names(), ", "))
	}
	fields, taken := kinds[at].fresh()
	for _, f := range fields {
		if err := list.field(f, given.take(f.name), depth); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	maps.DeleteFunc(given, func(_ string, b json.RawMessage) bool { return zero(b) })
	if len(given) > 0 {
		left, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: fields that it does not have: %s", name, left[1:])
	}
	return taken(), nil
}

// field gives a parameter its value, nil if there is none.
func (list own) field(f field, b json.RawMessage, depth int) (err error) {
	switch v := f.value.(type) {
	case *Kernel:
		if b == nil {
			return fmt.Errorf("no %s kernel", f.name)
		}
		*v, err = list.unmarshal(b, depth-1)
		return err
	case *[]Kernel:
		var terms []json.RawMessage
		if b != nil {
			err = json.Unmarshal(b, &terms)
		}
		for _, b := range terms {
			k, err := list.unmarshal(b, depth-1)
			if err != nil {
				return err
			}
			*v = append(*v, k)
		}
		return err
	}
	if b == nil {
		return nil
	}
	return json.Unmarshal(b, f.value)
}

// members are those of a JSON object.
type members map[string]json.RawMessage

// named reports a name that no kernel has for a parameter.
func (m members) named() error {
	names := []string{"type", "value"}
	for _, k := range kinds {
		fields, _ := k.fresh()
		for _, f := range fields {
			names = append(names, f.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, name) }) {
			return fmt.Errorf("json: unknown field %q", name)
		}
	}
	return nil
}

// take removes a member, whose name may be in upper case as it may everywhere in package json.
func (m members) take(name string) json.RawMessage {
	for key, b := range m {
		if strings.EqualFold(key, name) {
			delete(m, key)
			return b
		}
	}
	return nil
}
