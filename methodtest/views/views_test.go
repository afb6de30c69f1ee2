// Package views tries the methods with one function a view.
package views

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/onecore"
	"github.com/mercer-ml/mercer/methodtest"
)

func TestMain(m *testing.M) { onecore.Main(m) }

func TestMethods(t *testing.T) { methodtest.RunGroup(t, methodtest.Views) }
