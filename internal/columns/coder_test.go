package columns

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// The coder reads every cell that decides on a column of numbers: in brackets, with money, groups of three or a decimal comma.
func TestCodedNumbers(t *testing.T) {
	for _, c := range []struct {
		column data.Column
		cells  map[string]float64
		faults []string
	}{
		{data.Column{Thousands: true, Unit: "$"}, map[string]float64{
			"(12.50)": -12.5, "12.50": 12.5, "(1,234.50)": -1234.5, "($1,234.5)": -1234.5, "( 3 )": -3, "-7": -7,
		}, []string{"(-3)", "()", "( )", "(3", "(three)", "$(3)"}},
		{data.Column{Decimal: ","}, map[string]float64{"(1.234,5)": -1234.5, "0,5": 0.5, "(7)": -7}, []string{"(+7)"}},
	} {
		fill := 0.0
		c.column.Name, c.column.Kind, c.column.Fill = "sum", data.KindNumber, &fill
		c.column.Thousands = c.column.Thousands || c.column.Decimal == ","
		coder := NewCoder(data.NewTable([]data.Column{c.column}))
		to := make([]float64, 1)
		for cell, want := range c.cells {
			if what, _ := coder.Set(to, 0, []byte(cell), coder.NewUnknown()); what != "" || to[0] != want {
				t.Errorf("%q is %g, want %g: %s", cell, to[0], want, what)
			}
		}
		for _, cell := range c.faults {
			if what, _ := coder.Set(to, 0, []byte(cell), coder.NewUnknown()); what == "" {
				t.Errorf("%q is %g, want a fault", cell, to[0])
			}
		}
	}
}
