// Package views tries the methods with one function a view.
package views

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/methodtest"
	"github.com/mercer-ml/mercer/internal/test/onecore"
)

func TestMain(m *testing.M) { onecore.Main(m) }

func TestMethods(t *testing.T) { methodtest.RunGroup(t, methodtest.Views) }
