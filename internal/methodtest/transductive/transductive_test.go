// Package transductive tries the methods that guess the labels that are missing.
package transductive

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/methodtest"
	"github.com/mercer-ml/mercer/internal/test/onecore"
)

func TestMain(m *testing.M) { onecore.Main(m) }

func TestMethods(t *testing.T) { methodtest.RunGroup(t, methodtest.Transductive) }
