package model

import "github.com/mercer-ml/mercer/internal/drift"

// Profile is what a model remembers of the rows that it was learned from.
func Profile(m *Model) *drift.Profile { return m.profile }

// SetProfile makes it remember p.
func SetProfile(m *Model, p *drift.Profile) { m.profile = p }
