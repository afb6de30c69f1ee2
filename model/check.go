package model

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/kernel"
)

// check refuses headers whose parts do not fit each other.
func (m *Model) check() error {
	switch {
	case m.Columns < 1 || m.Features != nil && len(m.Features) != m.Columns:
		return corrupt("%d features with %d names", m.Columns, len(m.Features))
	case m.Text != nil && (m.Features == nil || !m.Sparse || m.Text.NGrams < 0):
		return corrupt("text without a list of words")
	case m.Text != nil && len(slices.Compact(slices.Sorted(slices.Values(m.Features)))) < m.Columns:
		return corrupt("text with a list of words that has one twice")
	case m.Table != nil:
		if err := m.tabled(); err != nil {
			return corrupt("table: %v", err)
		}
	}
	if m.Fill != nil && (m.Table != nil || m.Sparse || len(m.Fill) != m.Columns) {
		return corrupt("%d fills of missing cells for %d features", len(m.Fill), m.Columns)
	}
	switch {
	case m.Task != data.Classification && m.Task != data.Regression:
		return corrupt("neither a classification nor a regression")
	case m.Task == data.Classification && len(m.Classes) < 2:
		return corrupt("%d classes", len(m.Classes))
	}
	if m.Calibration != nil {
		if err := m.Calibration.Check(); err != nil {
			return corrupt("calibration: %v", err)
		}
		if err := m.calibrates(); err != nil {
			return err
		}
	}
	if err := m.decides(); err != nil {
		return corrupt("%v", err)
	}
	if m.Residuals != nil {
		if m.Task != data.Regression {
			return corrupt("residuals of a classification")
		}
		if err := m.Residuals.Check(); err != nil {
			return corrupt("%v", err)
		}
	}
	if err := m.profile.Check(m.Columns); err != nil {
		return corrupt("%v", err)
	}
	if err := m.Scaling.Check(m.Columns); err != nil {
		return corrupt("scaling: %v", err)
	}
	return nil
}

// tabled says what is wrong with the table, whose features are those of the model.
func (m *Model) tabled() error {
	if err := m.Table.Check(); err != nil {
		return err
	}
	if names, _ := m.Table.Features(); m.Text != nil || !slices.Equal(names, m.Features) {
		return fmt.Errorf("its %d columns make %d features, the model has %d", len(m.Table.Columns), len(names), len(m.Features))
	}
	for _, c := range m.Table.Columns {
		if c.Feature() && c.Fill == nil && c.Kind != data.KindCategory {
			return fmt.Errorf("column %q has no fill", c.Name)
		}
	}
	return nil
}

// HoldsColumns refuses a table of so many bytes for each column of the model, where memory has no room for it. A file of sparse
// rows may announce columns by the thousand million and store few of them, so whoever spreads them out asks first.
func (m *Model) HoldsColumns(bytes int) error {
	need, allowed := float64(bytes)*float64(m.Columns), machine.Allowed(0)
	if allowed > 0 && need > float64(allowed) {
		return fmt.Errorf("its %d columns need %.3g bytes of memory, %.3g are allowed; number the features without gaps and fit anew",
			m.Columns, need, float64(allowed))
	}
	return nil
}

// bounded refuses models that announce more than a file of some bytes can know: outputs, and columns
// of which a prediction keeps a table. Of sparse rows it keeps none, so that their columns may be many.
func (m *Model) bounded(file int64) error {
	if int64(m.Outputs()) > file {
		return corrupt("announces %d outputs in %d bytes", m.Outputs(), file)
	}
	if int64(m.Columns) <= file {
		return nil
	}
	tables := !m.Sparse
	look := func(parts []Part) {
		for _, p := range parts {
			tables = tables || p.Columns != nil
			for _, f := range p.Functions {
				if e, ok := expansionOf(f); ok {
					tables = tables || kernel.Numbered(e.Kernel)
				}
			}
		}
	}
	look(m.Parts)
	if m.Front != nil {
		for _, one := range m.Front.Members {
			look(one.Parts)
		}
	}
	if tables {
		return corrupt("announces %d columns in %d bytes", m.Columns, file)
	}
	return nil
}
