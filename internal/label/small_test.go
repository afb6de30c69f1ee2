package label

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// alike are features of groups of rows: all rows of one are alike, and rows of two have nothing in common. N labels of a group, n of
// them of one class, give its rows the output n/(N + noise) of this class.
func alike(sizes ...int) *Features {
	f := &Features{Count: len(sizes)}
	for g, s := range sizes {
		f.Component = append(f.Component, slices.Repeat([]int{g}, s)...)
	}
	f.Z = mat.NewDense(len(f.Component), len(sizes), nil)
	for i, g := range f.Component {
		f.Z.Set(i, g, 1)
	}
	return f
}

// beliefs are those of a row in a group with these labels.
func beliefs(labels ...float64) []float64 {
	total := 0.0
	for _, n := range labels {
		total += n
	}
	b := make([]float64, len(labels))
	for k, n := range labels {
		b[k] = (n + noise/float64(len(labels))) / (total + noise)
	}
	return b
}

// TestFeaturesByDefinition: products of features are the normalised kernel of the Laplacian, and places are the second and third
// eigenvectors, half by value and half by rank.
func TestFeaturesByDefinition(t *testing.T) {
	const n = 14
	rng := rand.New(rand.NewPCG(4, 2))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{float64(i) + 0.3*rng.NormFloat64(), rng.NormFloat64()})
	}
	rows := data.Rows{Dense: x}
	for _, c := range []struct {
		r            Recipe
		k, m         int
		soft, degree float64
	}{
		{Recipe{}, 10, n - 1, 0.1, 3}, {Recipe{Neighbours: 3, Size: 4, Soft: 0.02, Degree: 1}, 3, 4, 0.02, 1},
		{Recipe{Neighbours: 99, Size: 13}, n - 1, 13, 0.1, 3}, {Recipe{Neighbours: 4, Size: 2}, 4, 2, 0.1, 3},
		{Recipe{Size: 1}, 10, 1, 0.1, 3},
	} {
		f, err := c.r.Fit(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.Recipe{Neighbours: c.k, Weights: graph.SelfTuned}.Build(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, unit := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			unit.Set(i, i, 1)
		}
		g.Laplacian().MulTo(l, unit)
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				sym.SetSym(i, j, l.At(i, j))
			}
		}
		var e mat.EigenSym
		if !e.Factorize(sym, true) {
			t.Fatal("the Laplacian has no eigenvectors")
		}
		value := e.Values(nil)
		var u mat.Dense
		e.VectorsTo(&u)
		kernel := func(i, r int) (sum float64) {
			for j := range c.m {
				sum += u.At(i, j) * u.At(r, j) * math.Pow(max(value[j], 0)+c.soft, -c.degree)
			}
			return sum
		}
		if _, m := f.Z.Dims(); m != c.m {
			t.Fatalf("%+v: %d features", c.r, m)
		}
		for i := range n {
			for r := range n {
				want := kernel(i, r) / math.Sqrt(kernel(i, i)*kernel(r, r))
				if got := dot(f.Z.RawRowView(i), f.Z.RawRowView(r)); math.Abs(got-want) > 1e-6 {
					t.Fatalf("%+v: rows %d and %d have the product %v, want %v", c.r, i, r, got, want)
				}
			}
		}
		for j := range 2 {
			at := min(j+1, c.m-1)
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(u.At(a, at), u.At(b, at)) })
			lo, hi := u.At(order[0], at), u.At(order[n-1], at)
			up, down := 0.0, 0.0 // the direction of an eigenvector is open
			for rank, i := range order {
				want := (float64(rank)/(n-1) + (u.At(i, at)-lo)/(hi-lo)) / 2
				up, down = max(up, math.Abs(f.Place.At(i, j)-want)), max(down, math.Abs(1-f.Place.At(i, j)-want))
			}
			if c.m > 1 && min(up, down) > 1e-5 { // the first eigenvector alone may have values that are equal but for rounding
				t.Errorf("%+v: place %d is off by %v", c.r, j, min(up, down))
			}
		}
	}
	flat := mat.NewDense(3, 1, []float64{5, 5, 5})
	if spread(flat, 0); !slices.Equal(flat.RawMatrix().Data, []float64{0, 0.5, 1}) {
		t.Errorf("equal places are spread to %v", flat.RawMatrix().Data)
	}
	for _, c := range []struct {
		r    Recipe
		n, d int
		want int64
	}{
		{Recipe{}, 100, 3, 8*100*(11*109+3) + 80*100*10}, {Recipe{}, 1000, 2, 8*1000*(11*210+2) + 80*1000*10},
		{Recipe{Size: 7, Neighbours: 4}, 100, 1, 8*100*(11*17+1) + 80*100*4}, {Recipe{}, 5, 1, 8*5*(11*14+1) + 80*5*4},
	} {
		if got := c.r.Bytes(data.Rows{Dense: mat.NewDense(c.n, c.d, nil)}); got != c.want {
			t.Errorf("%+v of %d rows: %d bytes, want %d", c.r, c.n, got, c.want)
		}
	}
	_, err := Recipe{}.Fit(t.Context(), data.Rows{Dense: mat.NewDense(2, 1, []float64{1, 2})})
	failtest.Refused(t, err, "label: 2 rows; at least 3 are needed")
	if _, err := (Recipe{}).Fit(t.Context(), data.Rows{Dense: mat.NewDense(3, 1, []float64{1, 2, math.NaN()})}); err == nil {
		t.Error("rows without a graph have features")
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := Recipe{}.Fit(ctx, rows)
		return err
	})
}

// TestSeedOfFeatures: eigenvectors that are not worked out to the last digit depend on where they start, which the seed says.
func TestSeedOfFeatures(t *testing.T) {
	x := mat.NewDense(320, 2, nil)
	rng := rand.New(rand.NewPCG(5, 5))
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	fit := func(seed uint64) *mat.Dense {
		f, err := Recipe{Size: 5, Seed: seed}.Fit(t.Context(), data.Rows{Dense: x})
		if err != nil {
			t.Fatal(err)
		}
		return f.Z
	}
	if one := fit(1); !mat.Equal(one, fit(1)) || mat.Equal(one, fit(2)) {
		t.Error("features are not those of their seed")
	}
}

// TestChooserWithoutSettings: of many rows 200 are compared, by what they do to 500.
func TestChooserWithoutSettings(t *testing.T) {
	const n, asked = 600, 7
	rng := rand.New(rand.NewPCG(1, asked))
	candidates, judges := rng.Perm(n), rng.Perm(n)
	other := func(list, than []int) int {
		return list[slices.IndexFunc(list, func(i int) bool { return !slices.Contains(than, i) })]
	}
	candidate, judge := other(candidates[:200], judges[:501]), other(judges[:500], candidates[:201])
	for _, c := range []struct {
		a, b int // the only rows that have features
		want bool
	}{{candidates[199], judge, true}, {candidates[200], judge, false}, {candidate, judges[499], true}, {candidate, judges[500], false}} {
		z := mat.NewDense(n, 1, nil)
		z.Set(c.a, 0, 1)
		z.Set(c.b, 0, 1)
		row, why := Chooser{Seed: 1}.Next(NewLearner(z, none(n), 2), indices.To(n), asked)
		if why != WhyRisk || (row == c.a || row == c.b) != c.want {
			t.Errorf("rows %d and %d: row %d is asked", c.a, c.b, row)
		}
	}
}

// TestStateByHand: what is known of groups of rows that are alike, counted by hand.
func TestStateByHand(t *testing.T) {
	f := alike(6, 6, 2, 20)
	given := make(data.Answers, 34)
	copy(given, []string{"a", "b", "b", "b", "b", "a"}) // of 5 others 4 are b and one a: the last is suspicious, and the first
	copy(given[6:], []string{"a", "b", "b", "b", "a"})  // of 4 others 3 are b and one a: not quite
	copy(given[12:], []string{"c", ""})                 // nothing else is known
	s, err := Begin(f, Start{Answers: given, Classes: []string{"a", "b", "c"}}, Chooser{CheckEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	st := s.State()
	if fmt.Sprint(st.Classes) != "[{a 4 20} {b 7 1} {c 1 1}]" || st.Rows != 34 || st.Answered != 12 || st.Skipped != 0 || st.Undo {
		t.Errorf("%+v", st)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	if len(st.Suspicious) != 2 || st.Suspicious[0].Row != 0 || st.Suspicious[1].Row != 5 || st.Suspicious[0].Label != "a" ||
		st.Suspicious[0].Class != "b" {
		t.Fatalf("suspicious: %+v", st.Suspicious)
	}
	near("belief in a label", st.Suspicious[0].Belief, beliefs(1, 4, 0)[0])
	if len(st.Doubted) != shown || st.Doubted[0].Row != 14 || st.Doubted[11].Row != 25 || st.Doubted[0].Class != "a" {
		t.Fatalf("doubted: %+v", st.Doubted)
	}
	near("belief in nothing", st.Doubted[0].Belief, 1.0/3)
	mixed, one := beliefs(2, 3, 0), beliefs(0, 0, 1)
	near("error believed", st.Error.Believed, (20*2.0/3+1-mixed[1]+1-one[2])/22)
	for i, want := range map[int][3]int{
		0: {0, 255, 1}, 1: {1, 255, 1}, 11: {1, int(255 * mixed[1]), 0}, 13: {2, int(255 * one[2]), 0}, 33: {0, 85, 0},
	} {
		// Beliefs of a third are 85 of 255, or less by rounding.
		if d := int(st.Sure[i]) - want[1]; int(st.Decided[i]) != want[0] || d > 0 || d < -1 || int(st.Labelled[i]) != want[2] {
			t.Errorf("row %d: decided %d, sure %d, labelled %d", i, st.Decided[i], st.Sure[i], st.Labelled[i])
		}
	}
	// A label that is asked about again, and confirmed, is not suspicious any more; taken back it is.
	if err := s.Ask(s.Question(), 5); err != nil {
		t.Fatal(err)
	}
	st = s.State()
	if st.Given != "a" || st.Question.Why != WhyAgain || st.Question.Row != 5 {
		t.Errorf("asked again: %+v, %q", st.Question, st.Given)
	}
	near("belief of what is asked", st.Belief[1], beliefs(1, 4, 0)[1])
	if err := s.Answer(s.Question(), Reply{Label: "a"}); err != nil {
		t.Fatal(err)
	}
	if st = s.State(); len(st.Suspicious) != 1 || st.Suspicious[0].Row != 0 || !st.Undo || st.Given != "" {
		t.Errorf("confirmed: %+v", st.Suspicious)
	}
	if err := s.Undo(s.Question()); err != nil {
		t.Fatal(err)
	}
	if st = s.State(); len(st.Suspicious) != 2 || st.Undo || st.Question.Row != 5 || st.Question.Why != WhyAgain {
		t.Errorf("taken back: %+v", st)
	}
	// A row that is skipped is neither asked nor doubted, and counted.
	if err := s.Ask(s.Question(), 20); err != nil {
		t.Fatal(err)
	}
	if err := s.Skip(s.Question(), ""); err != nil {
		t.Fatal(err)
	}
	st = s.State()
	if st.Skipped != 1 || slices.ContainsFunc(st.Doubted, func(d Doubt) bool { return d.Row == 20 }) || len(st.Doubted) != shown {
		t.Errorf("skipped: %+v", st)
	}
	for s.Question().Row >= 0 {
		if s.Question().Row == 20 {
			t.Fatal("a skipped row is asked about")
		}
		if err := s.Answer(s.Question(), Reply{Label: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if st = s.State(); st.Answered != 33 || len(st.Doubted) != 0 || len(st.Belief) != 0 || st.Question.Row != -1 {
		t.Errorf("all answered but one: %+v", st)
	}
}

// TestSuspicionByHalf: another class makes a label suspicious only if it is believed to more than one half.
func TestSuspicionByHalf(t *testing.T) {
	for _, c := range []struct {
		others string // of a row of class a
		want   bool
	}{{"bbcc", false}, {"bbbcc", true}, {"bbbcccdd", false}, {"b", true}, {"", false}, {"a", false}, {"abbb", false}, {"abbbb", true}} {
		given := data.Answers{"a"}
		for _, o := range c.others {
			given = append(given, string(o))
		}
		s, err := Begin(alike(len(given), 1), Start{Answers: append(given, "d"), Classes: []string{"a", "b", "c", "d"}}, Chooser{})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(s.State().Suspicious, func(d Doubt) bool { return d.Row == 0 })
		if got != c.want {
			t.Errorf("a among %q: suspicious %v", c.others, got)
		}
	}
}

// TestChecksByHand: every so many questions one is drawn at random, and rows that were labelled so are counted with their mistakes.
func TestChecksByHand(t *testing.T) {
	l := NewLearner(alike(7, 5).Z, none(12), 2)
	free := []int{1, 2, 3, 5, 7, 8, 9, 11}
	for every, checks := range map[int][]int{0: {4, 9}, 1: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 3: {2, 5, 8}, -1: nil} {
		var got []int
		for asked := range 10 {
			row, why := Chooser{CheckEvery: every, Seed: 4}.Next(l, free, asked)
			if why == WhyCheck {
				got = append(got, asked)
			} else if why != WhyRisk || row != 1 { // the first of the larger group
				t.Errorf("question %d is row %d, %s", asked, row, why)
			}
			if !slices.Contains(free, row) {
				t.Errorf("row %d is not free", row)
			}
		}
		if !slices.Equal(got, checks) {
			t.Errorf("every %d: checks at %v", every, got)
		}
	}
	seen := map[int]int{}
	for seed := range uint64(800) {
		row, _ := Chooser{CheckEvery: 1, Seed: seed}.Next(l, free, 3)
		seen[row]++
	}
	for _, row := range free {
		if seen[row] < 60 || seen[row] > 140 { // four deviations
			t.Errorf("of 800 checks %d are row %d", seen[row], row)
		}
	}
	rows := []int{3, 4, 6, 8, 9, 12, 15}
	rng := rand.New(rand.NewPCG(1, 1))
	if got := draw(rows, 7, rng); !slices.Equal(got, rows) {
		t.Errorf("all rows drawn: %v", got)
	}
	some := draw(rows, 4, rng)
	if len(some) != 4 || !slices.IsSorted(some) || len(slices.Compact(slices.Clone(some))) != 4 ||
		slices.ContainsFunc(some, func(i int) bool { return !slices.Contains(rows, i) }) {
		t.Errorf("four rows drawn: %v", some)
	}
	s, err := Begin(alike(5, 1), Start{Classes: []string{"a", "b"}, Clock: then, Entries: []Entry{
		{Row: 0, Label: "a", Why: WhyCheck}, {Row: 1, Label: "a", Why: WhyRisk}, {Row: 2, Label: "b", Why: WhyCheck},
		{Row: 3, Label: "a", Why: WhyAgain}, {Row: 4, Label: "b", Why: WhyCheck}, {Row: 4, Undo: true}, {Row: 4, Label: "a", Why: WhyRisk},
	}}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	// Row 0 has three a and one b for company, row 2 four a, and the check of row 4 was taken back.
	if e := s.State().Error; e.Checks != 2 || e.Mistaken != 1 {
		t.Errorf("%+v", e)
	}
}

// TestEstimateByFormula: the estimate is the mean, and its ends are the quantiles, of the distribution that is written above.
func TestEstimateByFormula(t *testing.T) {
	for _, c := range []struct {
		r    float64
		q, e int
	}{{0.5, 0, 0}, {0.2, 10, 3}, {0, 4, 0}, {1, 4, 4}, {0.3, 7, 5}} {
		a, b := 2*c.r+float64(c.e)/2+0.5, 2*(1-c.r)+float64(c.q-c.e)/2+0.5
		d := distuv.Beta{Alpha: a, Beta: b}
		got := newEstimate(c.r, c.q, c.e)
		if math.Abs(got.Error-a/(a+b)) > 1e-15 || math.Abs(d.CDF(got.Low)-0.05) > 1e-9 || math.Abs(d.CDF(got.High)-0.95) > 1e-9 ||
			got.Level != 0.9 || got.Checks != c.q || got.Mistaken != c.e || got.Believed != c.r {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// keeper keeps nothing while it fails.
type keeper struct{ fail error }

func (k *keeper) Append(Entry) error { return k.fail }

// TestSessionRefuses: what a session refuses, in words, and that it is as it was.
func TestSessionRefuses(t *testing.T) {
	names := make([]string, maxClasses)
	for k := range names {
		names[k] = fmt.Sprint("c", k)
	}
	_, err := Begin(alike(3), Start{Classes: append(slices.Clone(names), "more")}, Chooser{})
	failtest.Refused(t, err, "257 classes; at most 256 can be labelled")
	keep := &keeper{}
	s, err := Begin(alike(3), Start{Classes: names, Keeper: keep, Clock: then}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	q := s.Question()
	failtest.Refused(t, s.Answer(q, Reply{Label: "more", New: true}),
		`"more" would be one class too many; there are 256, and no more can be labelled`)
	failtest.Refused(t, s.Answer(q, Reply{Label: " NA", New: true}), `"NA" means that there is no label; give another name, or skip the row`)
	if err := s.Answer(q, Reply{Label: " c255 ", New: true}); err != nil {
		t.Error(err)
	}
	few, err := Begin(alike(3), Start{Classes: []string{"x", "y"}, Keeper: keep, Clock: then}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	q = few.Question()
	failtest.Refused(t, few.Answer(q, Reply{Label: "z"}), `"z" is no class; the classes are x, y; a new one is to be added as such`)
	failtest.Refused(t, few.Ask(q, -1), "there is no row -1; rows are numbered from 0 to 2")
	failtest.Refused(t, few.Ask(q, 3), "there is no row 3; rows are numbered from 0 to 2")
	for _, old := range []Question{{Number: q.Number + 1, Row: q.Row}, {Number: q.Number, Row: q.Row + 1}} {
		if !errors.Is(few.Ask(old, 1), ErrStale) || !errors.Is(few.Answer(old, Reply{Label: "x"}), ErrStale) || !errors.Is(few.Skip(old, ""),
			ErrStale) {
			t.Errorf("%+v is asked for %+v", old, q)
		}
	}
	if err := few.Undo(q); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing is taken back: %v", err)
	}
	if err := few.Ask(q, 2); err != nil {
		t.Fatal(err)
	}
	if err := few.Answer(few.Question(), Reply{Label: "z", New: true}); err != nil {
		t.Fatal(err)
	}
	before := few.State()
	keep.fail = errors.New("no disk")
	now := few.Question()
	if !errors.Is(few.Undo(now), keep.fail) || !errors.Is(few.Answer(now, Reply{Label: "x"}), keep.fail) ||
		!errors.Is(few.Skip(now, ""), keep.fail) {
		t.Error("what is not kept is done")
	}
	if !errors.Is(few.Undo(q), ErrStale) {
		t.Error("an old question takes an answer back")
	}
	if after := few.State(); fmt.Sprint(before) != fmt.Sprint(after) || before.Answered != 1 || len(before.Classes) != 3 {
		t.Errorf("%+v became %+v", before, after)
	}
	failtest.Panics(t, "label: not one class a row", func() { NewLearner(mat.NewDense(3, 1, nil), none(2), 2) })
}

// broken is a disk that fails at one of its calls.
type broken struct {
	disk
	calls, fails int
}

var errBroken = errors.New("the disk is broken")

func (b *broken) next() error {
	if b.calls++; b.calls == b.fails {
		return errBroken
	}
	return nil
}

func (b *broken) WriteAt(p []byte, at int64) (int, error) {
	if err := b.next(); err != nil {
		n, _ := b.disk.WriteAt(p[:len(p)/2], at)
		return n, err
	}
	return b.disk.WriteAt(p, at)
}

func (b *broken) Truncate(size int64) error {
	if err := b.next(); err != nil {
		return err
	}
	return b.disk.Truncate(size)
}

func (b *broken) Sync() error {
	if err := b.next(); err != nil {
		return err
	}
	return b.disk.Sync()
}

// TestBrokenDisk: whatever of the disk fails, the answer is refused, and the log has all others, before and after.
func TestBrokenDisk(t *testing.T) {
	for fails := 1; fails <= 3; fails++ {
		path := filepath.Join(t.TempDir(), "log")
		log, err := OpenLog(path, subject)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Append(Entry{Row: 1, Label: "first"}); err != nil {
			t.Fatal(err)
		}
		log.file = &broken{disk: log.file, fails: fails}
		if err := log.Append(Entry{Row: 2, Label: strings.Repeat("long", 20)}); !errors.Is(err, errBroken) {
			t.Errorf("call %d fails: %v", fails, err)
		}
		if err := errors.Join(log.Append(Entry{Row: 3, Label: "last"}), log.Close()); err != nil {
			t.Fatal(err)
		}
		if log, err = OpenLog(path, subject); err != nil || len(log.Entries) != 2 || log.Entries[1].Label != "last" || log.Torn {
			t.Fatalf("call %d failed: %+v, %v", fails, log, err)
		}
		log.Close()
	}
	if _, err := begins(io.MultiReader(strings.NewReader("no log"), iotest.ErrReader(errBroken)), "log", subject); !errors.Is(err, errBroken) {
		t.Errorf("a log that cannot be read: %v", err)
	}
	head := `{"mercer_labels":1,"data":"moons","rows":60,"checksum":"sha256:1"}` + "\n"
	if _, err := begins(io.MultiReader(strings.NewReader(head), iotest.ErrReader(errBroken)), "log", subject); !errors.Is(err, errBroken) {
		t.Errorf("a log that cannot be read to its end: %v", err)
	}
	if _, err := OpenLog(filepath.Join(t.TempDir(), "none", "log"), subject); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log in no folder: %v", err)
	}
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(head+`{"time":"`), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Log{file: &broken{disk: f, fails: 1}}).open(f, path, subject); !errors.Is(err, errBroken) {
		t.Errorf("half a line that cannot be cut off: %v", err)
	}
	f.Close()
	if err := (&Log{file: f}).open(f, path, subject); err == nil || errors.As(err, new(*LogError)) {
		t.Errorf("a log that cannot be locked: %v", err)
	}
	if err := (&Log{file: &broken{disk: f}}).Append(Entry{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); !errors.As(
		err, new(*json.MarshalerError)) {
		t.Errorf("a time that no line can have: %v", err)
	}
}

// TestGainOfManyClasses: of many classes the answers that count are those of half the belief in the first, at least.
func TestGainOfManyClasses(t *testing.T) {
	const classes = 120
	for few, counts := range map[int]bool{2: false, 3: true} { // of 5 labels of the first
		var class []int
		for k := range classes {
			n := few
			if k == 0 {
				n = 5
			}
			class = append(class, slices.Repeat([]int{k}, n)...)
		}
		class = append(class, data.Unlabelled, data.Unlabelled)
		free := len(class) - 2
		f := alike(len(class))
		l := NewLearner(f.Z, slices.Clone(class), classes)
		risk := func(l *Learner) float64 {
			b := make([]float64, classes)
			l.Belief(b, free+1)
			return 1 - slices.Max(b)
		}
		p := make([]float64, classes)
		l.Belief(p, free)
		want, total := 0.0, 0.0
		for y, w := range p {
			if y > 0 && !counts {
				continue
			}
			more := slices.Clone(class)
			more[free] = y
			want += w * (risk(l) - risk(NewLearner(f.Z, more, classes)))
			total += w
		}
		if got := l.gains([]int{free}, []int{free + 1})[0]; math.Abs(got-want/total) > 1e-12 {
			t.Errorf("with %d labels of other classes the gain is %g, want %g", few, got, want/total)
		}
	}
}
