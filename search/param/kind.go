package param

import "fmt"

var kindNames = [...]string{Real: "real", Log: "log", Integer: "integer", Choice: "choice", Simplex: "simplex"}

// String returns real, log, integer, choice or simplex.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// MarshalText writes the name, so that JSON files say "log" and not 1.
func (k Kind) MarshalText() ([]byte, error) {
	if k < 0 || int(k) >= len(kindNames) {
		return nil, fmt.Errorf("param: unknown kind %d", int(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads a name that MarshalText wrote.
func (k *Kind) UnmarshalText(b []byte) error {
	for i, name := range kindNames {
		if name == string(b) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("param: unknown kind %q (real, log, integer, choice or simplex)", b)
}

// discrete tells whether the dimension takes whole values only.
func (k Kind) discrete() bool { return k == Integer || k == Choice }
