// Package supervised tries the methods that learn from labelled rows alone, and those with a front.
package supervised

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/onecore"
	"github.com/mercer-ml/mercer/methodtest"
)

func TestMain(m *testing.M) { onecore.Main(m) }

func TestMethods(t *testing.T) { methodtest.RunGroup(t, methodtest.Supervised) }
