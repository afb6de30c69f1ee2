package rbf

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/test/onecore"
)

func TestMain(m *testing.M) { onecore.Main(m) }
