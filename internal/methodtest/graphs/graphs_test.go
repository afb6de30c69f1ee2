// Package graphs tries the methods with a graph of all rows.
package graphs

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/methodtest"
	"github.com/mercer-ml/mercer/internal/test/onecore"
)

func TestMain(m *testing.M) { onecore.Main(m) }

func TestMethods(t *testing.T) { methodtest.RunGroup(t, methodtest.Graphs) }
