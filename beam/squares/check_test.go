package squares

import (
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/result"
)

// TestLinearName: linear-rls is what mercer calls the machine that rls is over shards.
func TestLinearName(t *testing.T) {
	got, _, err := Check(result.Recipe{Method: "linear-rls", Tune: "kfold:3"})
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := Check(result.Recipe{Method: "rls", Tune: "kfold:3"})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, of rls %+v, %v", got, want, err)
	}
}
