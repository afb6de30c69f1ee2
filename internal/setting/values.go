package setting

import "slices"

// Values are the settings that a recipe fixes, by key. They are asked by the declared
// setting, so that a name is spelled in one place.
type Values map[string]Value

// Given says whether the setting is fixed.
func (v Values) Given(s Setting) bool {
	_, ok := v[s.Key()]
	return ok
}

// Number is the first number of the setting, 0 if it has none.
func (v Values) Number(s Setting) float64 {
	if n := v[s.Key()].Numbers; len(n) > 0 {
		return n[0]
	}
	return 0
}

// Numbers are those of the setting, nil if it has none.
func (v Values) Numbers(s Setting) []float64 { return v[s.Key()].Numbers }

// Word is the word of the setting, or "" if it has none.
func (v Values) Word(s Setting) string {
	if w := v[s.Key()].Words; len(w) > 0 {
		return w[0]
	}
	return ""
}

// Words are those of the setting, nil if it has none.
func (v Values) Words(s Setting) []string { return v[s.Key()].Words }

// Text is what was given, "" if nothing was.
func (v Values) Text(s Setting) string { return v[s.Key()].Text }

// Is says whether the setting has the word.
func (v Values) Is(s Setting, word string) bool { return slices.Contains(v[s.Key()].Words, word) }
