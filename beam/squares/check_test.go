package squares

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
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

// What columns are is no guess that --strict refuses once it was said of them.
func TestWhatWasSaidIsNoGuess(t *testing.T) {
	_, files := amounts(60).Written(t)
	for want, given := range map[string][]data.Column{
		"are amounts": nil, "": {{Name: "label", Kind: data.KindLabel, Amounts: true, Unit: "$", Thousands: true}},
	} {
		o := shard.Options{Strict: true, Given: given}
		surveyed, err := shard.Survey(t.Context(), files, o)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = Fit(t.Context(), surveyed, o, mercer.Recipe{}, here{files: files, o: o, fan: 4})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
