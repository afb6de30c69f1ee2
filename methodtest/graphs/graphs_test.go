// Package graphs tries the methods with a graph of all rows.
package graphs

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/onecore"
	"github.com/mercer-ml/mercer/methodtest"
)

func TestMain(m *testing.M) { onecore.Main(m) }

func TestMethods(t *testing.T) { methodtest.RunGroup(t, methodtest.Graphs) }
