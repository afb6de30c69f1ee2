package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// JSON form: {"type": NAME, ...} with the fields of the kernel in lower case; the
// parts of composites are nested the same way. Zero parameters are left out:
//
//	{"type":"gaussian","sigma":1.5}
//	{"type":"sum","terms":[{"type":"linear"},{"type":"scaled","weight":2,"base":{"type":"gaussian"}}]}

// maxDepth bounds the nesting of kernels that are read.
const maxDepth = 32

// ErrForeign is wrapped by Marshal for kernels that this package does not know.
var ErrForeign = errors.New("not a kernel of package kernel")

// Marshal writes a kernel as JSON. Kernels of other packages are ErrForeign;
// values that make no kernel are errors too.
func Marshal(k Kernel) ([]byte, error) {
	if err := check(k, described); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return marshal(k)
}

func marshal(k Kernel) ([]byte, error) {
	name, fields, ours := known(k)
	if !ours {
		return nil, fmt.Errorf("kernel: %s is %w and cannot be written", name, ErrForeign)
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

// Unmarshal reads a kernel that Marshal wrote. Unknown types and fields, fields
// of another type of kernel and values out of range are errors.
func Unmarshal(b []byte) (Kernel, error) {
	k, err := unmarshal(b, maxDepth)
	if err == nil {
		err = check(k, described)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return k, nil
}

func unmarshal(b []byte, depth int) (Kernel, error) {
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
	if at < 0 {
		return nil, fmt.Errorf("unknown type %q; known are %s, scaled, sum, product, normalised, columns", name, strings.Join(Names(), ", "))
	}
	fields, taken := kinds[at].fresh()
	for _, f := range fields {
		if err := f.unmarshal(given.take(f.name), depth); err != nil {
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

// unmarshal takes a value, nil if there is none.
func (f field) unmarshal(b json.RawMessage, depth int) (err error) {
	switch v := f.value.(type) {
	case *Kernel:
		if b == nil {
			return fmt.Errorf("no %s kernel", f.name)
		}
		*v, err = unmarshal(b, depth-1)
		return err
	case *[]Kernel:
		var list []json.RawMessage
		if b != nil {
			err = json.Unmarshal(b, &list)
		}
		for _, b := range list {
			k, err := unmarshal(b, depth-1)
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
	names := []string{"type"}
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
