package columns

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestMidnights: a day stands for its midnight beside times, and a midnight for its day beside days; any other time there is a fault.
func TestMidnights(t *testing.T) {
	for format, c := range map[string]struct {
		same   string
		cells  []string
		faults []string
	}{
		"2006-01-02": {"2020-02-29", []string{"2020-02-29 00:00", "2020-02-29T00:00:00", "2020-02-29 00:00:00.000", "2020-02-29 00:00:00+00:00",
			"2020-02-29T00:00:00Z", "2020-02-29 0:00"}, []string{"2020-02-29 00:01", "2020-02-29 00:00:00+01:00", "2020-02-30 00:00", " 00:00:00"}},
		"2.1.2006":             {"29.2.2020", []string{"29.02.2020 00:00:00"}, []string{"29.2.2020 12:00"}},
		"2006-01-02 15:04:05":  {"2020-02-29 00:00:00", []string{"2020-02-29"}, []string{"2020-02-30", "2020-02", "00:00:00"}},
		"2006-01-02T15:04:05Z": {"2020-02-29T00:00:00Z", []string{"2020-02-29"}, []string{"29.02.2020"}},
		"1/2/2006 3:04 PM":     {"2/29/2020 12:00 AM", []string{"2/29/2020"}, []string{"29/2/2020"}},
		"15:04":                {"00:00", nil, []string{"2020-02-29", "00:00 00:00"}},
		"2006-01":              {"2020-02", nil, []string{"2020-02 00:00", "2020-02-29"}},
	} {
		fill := 0.0
		coder := NewCoder(data.NewTable([]data.Column{{Name: "when", Kind: data.KindDate, Format: format, Fill: &fill}}))
		read := func(cell string) (float64, string) {
			var to [1]float64
			what, _ := coder.Set(to[:], 0, []byte(cell), coder.NewUnknown())
			return to[0], what
		}
		want, fault := read(c.same)
		if fault != "" {
			t.Fatalf("%s: %s", format, fault)
		}
		for _, cell := range c.cells {
			if got, what := read(cell); what != "" || got != want {
				t.Errorf("%s: %q is %v, want %v; %s", format, cell, got, want, what)
			}
		}
		for _, cell := range c.faults {
			if got, what := read(cell); what == "" {
				t.Errorf("%s: %q is %v, want a fault", format, cell, got)
			}
		}
	}
}

// TestTruth: true and false of a file that says so are the levels in any case, or digits, or unknown.
func TestTruth(t *testing.T) {
	fill := 0.5
	for _, c := range []struct {
		of   data.Column
		cell string
		want float64
	}{
		{data.Column{Kind: data.KindYesNo, Levels: []string{"FALSE", "TRUE"}}, "true", 1},
		{data.Column{Kind: data.KindYesNo, Levels: []string{"false", "true"}}, "FALSE", 0},
		{data.Column{Kind: data.KindCategory, Levels: []string{"True"}}, "TRUE", 1},
		{data.Column{Kind: data.KindCategory, Levels: []string{"1"}}, "true", 1},
		{data.Column{Kind: data.KindYesNo, Levels: []string{"no", "yes"}}, "true", 0.5},
		{data.Column{Kind: data.KindNumber}, "true", 1}, {data.Column{Kind: data.KindNumber, Decimal: ","}, "False", 0},
		{data.Column{Kind: data.KindNumber, Decimal: ","}, "1.125", 1.125}, {data.Column{Kind: data.KindNumber, Unit: "%"}, "53%", 53},
		{data.Column{Kind: data.KindNumber, Unit: "kg"}, "53%", 0.53}, {data.Column{Kind: data.KindCategory, Levels: []string{"7"}}, "7", 1},
		{data.Column{Kind: data.KindCategory, Levels: []string{"1000000"}}, "1e+06", 1},
	} {
		c.of.Name, c.of.Fill = "x", &fill
		coder := NewCoder(data.NewTable([]data.Column{c.of}))
		var to [1]float64
		u := coder.NewUnknown()
		what, _ := coder.SetTyped(to[:], 0, []byte(c.cell), u)
		if what != "" || to[0] != c.want || (u.Words[0] > 0) != (c.want == fill) {
			t.Errorf("%+v: %s is %v, want %v; %s, %+v", c.of, c.cell, to[0], c.want, what, u)
		}
	}
}

// TestScaled: a number is as exact a hundred times as it was.
func TestScaled(t *testing.T) {
	for cell, want := range map[string]string{"0.07": "7", "0.28999999999999998": "29", "-1e-3": "-0.1", "0": "0", "1": "100", "x": "x"} {
		if got := string(Scaled([]byte(cell), 2)); got != want {
			t.Errorf("%s: %s, want %s", cell, got, want)
		}
	}
	if got := string(Fraction([]byte("7%"))); got != "0.07" {
		t.Errorf("7%% is %s", got)
	}
}
