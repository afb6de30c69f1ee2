// Package supervised tries the methods that learn from labelled rows alone, and those with a front.
package supervised

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/methodtest"
	"github.com/mercer-ml/mercer/internal/test/onecore"
)

func TestMain(m *testing.M) { onecore.Main(m) }

func TestMethods(t *testing.T) { methodtest.RunGroup(t, methodtest.Supervised) }
