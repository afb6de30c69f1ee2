package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mercer-ml/mercer/data"
)

// TestTable: a model keeps how columns become features, and a table that does not make them is refused.
func TestTable(t *testing.T) {
	m := sample(false)
	fill := 1.5
	m.Table = data.NewTable([]data.Column{{Name: "left", Kind: data.KindIgnored}})
	for _, name := range m.Features {
		m.Table.Columns = append(m.Table.Columns, data.Column{Name: name, Kind: data.KindNumber, Fill: &fill, Unit: "kg"})
	}
	raw := encode(t, m)
	got, err := read(t, raw)
	if err != nil || !strings.HasPrefix(string(raw), "mercer model 6\n") || !cmp.Equal(got.Table, m.Table) {
		t.Fatalf("%v: %+v", err, got)
	}
	for want, spoil := range map[string]func(*data.Table){
		"features, the model has": func(t *data.Table) { t.Columns[1].Missing = true },
		"has no fill":             func(t *data.Table) { t.Columns[1].Fill = nil },
		"unknown kind":            func(t *data.Table) { t.Columns[1].Kind = "x" },
		"of version 9":            func(t *data.Table) { t.Version = 9 },
		"are named":               func(t *data.Table) { t.Columns[0].Name = t.Columns[1].Name },
	} {
		bad := *m.Table
		bad.Columns = append([]data.Column(nil), m.Table.Columns...)
		spoil(&bad)
		m2 := *m
		m2.Table = &bad
		if _, err := read(t, encode(t, &m2)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
