package reproduce

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// noise is a picture of random greys.
func noise(rng *rand.Rand, side int) []float64 { return uniform(rng, 0, 1, side*side) }

// slowDescriptor is a descriptor by its definition, pixel after pixel.
func slowDescriptor(grey []float64, side int, p patch) []float64 {
	at := func(x, y int) float64 { return grey[min(max(y, 0), side-1)*side+min(max(x, 0), side-1)] }
	to := make([]float64, patchNumbers)
	for y := range patchCells * p.cell {
		for x := range patchCells * p.cell {
			px, py := p.x+x, p.y+y
			dx, dy := (at(px+1, py)-at(px-1, py))/2, (at(px, py+1)-at(px, py-1))/2
			angle := math.Mod(math.Atan2(dy, dx)+2*math.Pi, 2*math.Pi)
			for k := range patchDirections {
				away := math.Abs(angle - float64(k)*2*math.Pi/patchDirections)
				away = min(away, 2*math.Pi-away) / (2 * math.Pi / patchDirections)
				to[(y/p.cell*patchCells+x/p.cell)*patchDirections+k] += max(0, 1-away) * math.Hypot(dx, dy)
			}
		}
	}
	unitLength(to)
	for k := range to {
		to[k] = min(to[k], 0.2)
	}
	unitLength(to)
	return to
}

// Descriptors are those of their definition, and do not change with light and shade.
func TestDescriptors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, side := range []int{16, 28, 32} {
		grey := noise(rng, side)
		brighter := make([]float64, len(grey))
		for i, v := range grey {
			brighter[i] = 40*v + 3
		}
		g, bright := &gradients{side: side}, &gradients{side: side}
		g.look(noise(rng, side)) // what was seen before does not matter
		g.look(grey)
		bright.look(brighter)
		for _, p := range patchesOf(side) {
			if p.x+patchCells*p.cell > side || p.y+patchCells*p.cell > side {
				t.Fatalf("%+v leaves a picture of %d", p, side)
			}
			got, other := make([]float64, patchNumbers), make([]float64, patchNumbers)
			g.describe(got, p)
			bright.describe(other, p)
			for k, want := range slowDescriptor(grey, side, p) {
				if math.Abs(got[k]-want) > 1e-10 || math.Abs(other[k]-want) > 1e-10 {
					t.Fatalf("%+v, number %d: %g, of the brighter picture %g, want %g", p, k, got[k], other[k], want)
				}
			}
		}
	}
}

// A patch of one grey, also one with a trace of noise, has the descriptor zero.
func TestFlatPatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	grey := noise(rng, 28)
	for i := range grey {
		grey[i] = 0.5 + 1e-4*grey[i]
	}
	g := &gradients{side: 28}
	g.look(grey)
	to := uniform(rng, 0, 1, patchNumbers)
	g.describe(to, patch{4, 4, 2})
	for k, v := range to {
		if v != 0 {
			t.Fatalf("number %d is %g", k, v)
		}
	}
}

// Histograms hold every patch once a level, at the word nearest by brute force and in the part of its centre.
func TestBags(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const side, words = 16, 7
	patches := patchesOf(side)
	b := newBags(side, patches, mat.NewDense(words, patchNumbers, uniform(rng, 0, 0.2, words*patchNumbers)))
	b.found.Apply(func(_, _ int, _ float64) float64 { return 0.2 * rng.Float64() }, b.found)
	got, want := make([]float64, b.columns()), make([]float64, (4+16)*words)
	b.count(got)
	for q, p := range patches {
		nearest, least := 0, math.Inf(1)
		for k := range words {
			sum := 0.0
			for j, v := range b.words.RawRowView(k) {
				sum += (v - b.found.At(q, j)) * (v - b.found.At(q, j))
			}
			if sum < least {
				nearest, least = k, sum
			}
		}
		half := func(start int) int { return min((start+2*p.cell)/8, 1) } // halves of 16 pixels
		quarter := func(start int) int { return min((start+2*p.cell)/4, 3) }
		want[(half(p.y)*2+half(p.x))*words+nearest] += 0.5 / float64(len(patches))
		want[(4+quarter(p.y)*4+quarter(p.x))*words+nearest] += 0.5 / float64(len(patches))
	}
	if len(got) != len(want) {
		t.Fatalf("%d columns, want %d", len(got), len(want))
	}
	sum := 0.0
	for k, v := range got {
		sum += v
		if math.Abs(v-want[k]) > 1e-12 {
			t.Errorf("column %d: %g, want %g", k, v, want[k])
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the histogram sums to %g", sum)
	}
}

// Splits have the pictures that their gallery asks for, and folds equal parts of the classes.
func TestGallery(t *testing.T) {
	g := gallery{classes: 3, rest: true, tune: 10, test: 4, words: 12}
	l := newLab(t, uspsSet.file, 1)
	set := l.classified(t.Context(), uspsSet)
	for _, i := range g.of(set, 2) {
		if set.class[i] < 2 {
			t.Fatalf("row %d of class %d is among the rest", i, set.class[i])
		}
	}
	p := g.hang(t.Context(), l, set, 0)
	if p.tune != 30 || p.rows.Len() != 42 || len(p.class) != 42 || len(p.tested()) != 12 {
		t.Fatalf("%d of %d rows to tune, %d classes, %d tested", p.tune, p.rows.Len(), len(p.class), len(p.tested()))
	}
	for _, fold := range p.folds {
		var count [3]int
		for _, i := range fold {
			if i >= p.tune {
				t.Fatalf("row %d, which tests, is in a fold", i)
			}
			count[p.class[i]]++
		}
		if count != [3]int{2, 2, 2} {
			t.Errorf("a fold of %v", count)
		}
	}
	for i := range p.class {
		if s := sumOf(p.rows.Sparse.Row(i)); math.Abs(s-1) > 1e-12 {
			t.Errorf("row %d sums to %g", i, s)
		}
	}
	again := g.hang(t.Context(), l, set, 0)
	if !mat.EqualApprox(p.rows.Sparse.ToDense(), again.rows.Sparse.ToDense(), 1e-12) {
		t.Error("the same run has other histograms")
	}
}

func sumOf(_ []int32, v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// Rows to test that are in the tables of the kernels without labels are what new rows are: H and outputs are those
// of a task that never saw them.
func TestPicturesToTestDoNotTrain(t *testing.T) {
	ctx := context.Background()
	l := newLab(t, uspsSet.file, 1)
	set := l.classified(t.Context(), uspsSet)
	p := gallery{classes: 2, tune: 15, test: 5, words: 30}.hang(ctx, l, set, 0)
	rows := p.rows
	rows.Sparse, rows.Dense = nil, p.rows.Sparse.ToDense()
	positive := (&classified{class: p.class}).against(0)
	all := indices.To(len(p.class))
	for _, m := range []model{chiSquareModel(), gaussianModel(), chiSquareMapModel()} {
		theta := []float64{2, 3}[:len(m.settings)]
		slow := m.outer(newTask(rows, positive, all[:p.tune], all[p.tune:], p.folds, new(kernel.Work)), quartic)
		fast := m.outer(p.task(0), quartic)
		want, err := slow.Eval(ctx, theta, param.WithGradient)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fast.Eval(ctx, theta, param.WithGradient)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.F, want.F, 1e-7) {
			t.Errorf("%s: H = %g, want %g", m.name, got.F, want.F)
		}
		for k, v := range want.Grad {
			if math.Abs(got.Grad[k]-v) > 1e-5*math.Abs(v)+1e-9 {
				t.Errorf("%s: slope %d of H is %g, want %g", m.name, k, got.Grad[k], v)
			}
		}
		scores := p.scores()
		p.outputs(ctx, scores, 0, fast, theta)
		g, machine := slow.machine(ctx, theta)
		out := mat.NewDense(len(p.tested()), 1, nil)
		if err := machine.Predict(ctx, out, g, slow.task.test); err != nil {
			t.Fatal(err)
		}
		for i := range p.tested() {
			if math.Abs(scores.At(i, 0)-out.At(i, 0)) > 1e-6 {
				t.Errorf("%s, row %d: %g, want %g", m.name, i, scores.At(i, 0), out.At(i, 0))
			}
		}
	}
}

// A grid of one point is chosen for every class, and in hindsight too; learning from there is at least as good.
func TestGridAndLearned(t *testing.T) {
	ctx := context.Background()
	l := newLab(t, uspsSet.file, 1)
	set := l.classified(t.Context(), uspsSet)
	p := gallery{classes: 3, tune: 15, test: 5, words: 30}.hang(ctx, l, set, 0)
	start := []float64{1, 1}
	right := l.gridded(ctx, "grid", p, chiSquareModel(), [][]float64{start})
	if top := l.cell("grid in hindsight", meanClass).values[0]; top != right {
		t.Errorf("%g by H, %g in hindsight", right, top)
	}
	l.learned(ctx, "learned", p, chiSquareModel(), start)
	if h, was := l.cell("learned", meanH).values[0], l.cell("grid by H", meanH).values[0]; !(h < was) {
		t.Errorf("H = %g learned from a point where it is %g", h, was)
	}
	// Three classes, five folds and a training at the end.
	if n := l.cell("grid by H", allTrainings).values[0]; n != 3*6 {
		t.Errorf("%g trainings of one point", n)
	}
}

// The diagonal of a confusion matrix by hand.
func TestDiagonal(t *testing.T) {
	each, mean := diagonal(mat.NewDense(4, 2, []float64{1, 0, 0, 1, -3, -2, 5, 6}), []int{0, 0, 1, 1})
	if each[0] != 50 || each[1] != 100 || mean != 75 {
		t.Errorf("%v, %g", each, mean)
	}
}

// Pictures that are not square are refused.
func TestVisualWordsOfOddPictures(t *testing.T) {
	err := caught(func() {
		visualWords(context.Background(), mat.NewDense(2, 12, nil), 2, 3, rand.New(rand.NewPCG(1, 1)))
	})
	if err == nil {
		t.Error("12 pixels are taken for a square")
	}
}

// Patches of 8, 12 and 16 pixels lie two pixels apart in pictures of 28 and 32 pixels, and one in those of 16.
func TestPatchesOfPictures(t *testing.T) {
	for side, step := range map[int]int{16: 1, 28: 2, 32: 2} {
		want := 0
		for _, pixels := range []int{8, 12, 16} {
			along := (side-pixels)/step + 1
			want += along * along
		}
		if got := len(patchesOf(side)); got != want {
			t.Errorf("pictures of %d pixels have %d patches, want %d", side, got, want)
		}
	}
}

// A descriptor has eight directions in each of sixteen cells. A slope of 45 degrees is the second of them alone, and as long in all cells.
func TestDirectionsOfPatches(t *testing.T) {
	const side = 16
	g, to := &gradients{side: side}, make([]float64, patchNumbers)
	grey := make([]float64, side*side)
	for i := range grey {
		grey[i] = float64(i%side + i/side)
	}
	g.look(grey)
	g.describe(to, patch{4, 4, 2})
	for k, v := range to {
		want := 0.0
		if k%8 == 1 {
			want = 0.25
		}
		if math.Abs(v-want) > 1e-9 {
			t.Errorf("number %d is %g, want %g", k, v, want)
		}
	}
	if len(to) != 4*4*8 {
		t.Errorf("%d numbers", len(to))
	}
}

// A patch is flat where its gradients are in the mean no longer than half a per cent of the largest grey value.
func TestContrastOfPatches(t *testing.T) {
	const side = 28
	for slope, flat := range map[float64]bool{0.0055: true, 0.006: false} { // of largest greys of 1.1485 and 1.162
		g, to := &gradients{side: side}, make([]float64, patchNumbers)
		grey := make([]float64, side*side)
		for i := range grey {
			grey[i] = 1 + slope*float64(i%side)
		}
		g.look(grey)
		g.describe(to, patch{4, 4, 2})
		length := 0.0
		for _, v := range to {
			length += v * v
		}
		if (length == 0) != flat {
			t.Errorf("a slope of %g: a descriptor of the squared length %g", slope, length)
		}
	}
}
