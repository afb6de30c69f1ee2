package mobj_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/onecore"
)

func TestMain(m *testing.M) { onecore.Main(m) }
