package columns

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestMarksAreNumbers: what stands for missing cells of numbers is found however the number is written, by the profile and by the coder,
// and comma and point between thousands are no decimal marks.
func TestMarksAreNumbers(t *testing.T) {
	m := marksOf([]string{"-999", "gone", "1.5"})
	for cell, want := range map[string]bool{"-999": true, "-999.0": true, "-9.99e2": true, "-999,0": true, "1,5": true, "1,500": false,
		"gone": true, "Gone": false, "999": false, "": false, "-99": false, "-999.0 kg": false} {
		if m.has([]byte(cell)) != want {
			t.Errorf("%q: %v", cell, !want)
		}
	}
	fill := 4.0
	e := NewCoder(data.NewTable([]data.Column{{Name: "age", Kind: data.KindNumber, Empty: []string{"-999"}, Missing: true, Fill: &fill},
		{Name: "code", Kind: data.KindCategory, Levels: []string{"-999.0", "b"}, Empty: []string{"-999"}}}))
	row, u := make([]float64, e.Dim()), e.NewUnknown()
	for cell, want := range map[string]string{"-999.0": "[4 1]", "5": "[5 0]"} {
		if what, _ := e.Set(row, 0, []byte(cell), u); what != "" || fmt.Sprint(row[:2]) != want {
			t.Errorf("%s: %v, %s", cell, row[:2], what)
		}
	}
	if what, _ := e.Set(row, 1, []byte("-999.0"), u); what != "" || fmt.Sprint(row[2:]) != "[1 0]" {
		t.Errorf("a word that was learned: %v, %s", row, what)
	}
	if col, err := table(t, "age", Settings{Empty: map[string][]string{"age": {"-999"}}}, "-999.0", "1", "2", "2.5"); err != nil ||
		col.Kind != data.KindNumber {
		t.Errorf("%+v, %v", col, err)
	}
}
