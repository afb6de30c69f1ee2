package reproduce

import (
	"context"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
)

// The spoken letters of section 2.7.2: the first group of speakers and, never seen, the fifth. A row is an utterance, its label the
// letter's number from 1; those of a speaker stand together, two of each letter.
const (
	isoletSpeakers   = "isolet1.csv.gz"
	isoletOthers     = "isolet5.csv.gz"
	isoletLetters    = 26
	isoletUtterances = 2 * isoletLetters // of a speaker
	spokenSigma      = 10
)

// spoken are utterances.
type spoken struct {
	x       data.Rows
	class   []int // 0: letters A to M
	speaker []int
	again   []bool // the second of its letter by the speaker
}

// among are some of the rows.
func (s spoken) among(rows []int) spoken {
	return spoken{data.Rows{Dense: s.x.Select(rows).Dense}, indices.Of(s.class, rows), indices.Of(s.speaker, rows), indices.Of(s.again, rows)}
}

// hasFile says whether a file is in the folder of the data.
func (l *lab) hasFile(name string) bool {
	_, err := os.Stat(filepath.Join(l.dataDir, name))
	return l.dataDir != "" && err == nil
}

// spoken reads a file of utterances.
func (l *lab) spoken(ctx context.Context, file string) spoken {
	set := l.classified(ctx, dataset{name: "Isolet", file: file})
	s := spoken{x: set.x}
	said := map[[2]int]int{} // by speaker and letter
	for i, letter := range set.class {
		if letter < 1 || letter > isoletLetters {
			fail("%s: row %d has letter %d; they are 1 to %d", file, i+1, letter, isoletLetters)
		}
		at := [2]int{i / isoletUtterances, letter}
		said[at]++
		s.speaker = append(s.speaker, at[0])
		s.again = append(s.again, said[at] > 1)
		s.class = append(s.class, (letter-1)/(isoletLetters/2))
	}
	return s
}

// spokenBySpeaker says what there must be for the figures on spoken letters.
func (l *lab) spokenBySpeaker(ctx context.Context) spoken {
	if !l.hasFile(isoletSpeakers) {
		fail("%s needs %s in the folder of --data, the first 30 speakers of Isolet of the UCI repository: not available to us; "+
			"sindhwani-t2.3 runs the same machines on printed letters", l.id, isoletSpeakers)
	}
	s := l.spoken(ctx, isoletSpeakers)
	if n := len(s.class); n%isoletUtterances != 0 {
		fail("%s: %d rows, which are no %d of each speaker", isoletSpeakers, n, isoletUtterances)
	}
	return s
}

// sindhwaniF26 knows all letters of one speaker, of the other 29 none, and has never seen other speakers.
func sindhwaniF26(ctx context.Context, l *lab) {
	train, unseen := l.spokenBySpeaker(ctx), spoken{}
	if l.hasFile(isoletOthers) {
		unseen = l.spoken(ctx, isoletOthers)
	} else {
		l.note("%s, the speakers never seen, is not in the folder of the data", isoletOthers)
	}
	l.bySpeakers(ctx, train, unseen)
}

// sindhwaniF27 learns from the first time that the speakers say a letter, and has never seen the second.
func sindhwaniF27(ctx context.Context, l *lab) {
	s := l.spokenBySpeaker(ctx)
	var first, second []int
	for i, again := range s.again {
		if again {
			second = append(second, i)
		} else {
			first = append(first, i)
		}
	}
	l.bySpeakers(ctx, s.among(first), s.among(second))
}

// bySpeakers trains the machines with the labels of each speaker in turn; unseen may be empty.
func (l *lab) bySpeakers(ctx context.Context, s, unseen spoken) {
	base := kernel.Gaussian{Sigma: spokenSigma}
	plain := must(base.Bind(ctx, s.x, nil))
	norm := manifold.Graph{Recipe: graph.Recipe{Neighbours: isoletNeighbours}}
	warped := must(manifold.Warp{Base: base, Norm: norm, Ratio: 1}.Bind(ctx, s.x, nil))
	picture := Figure{Name: "speakers", Title: "Errors at the break-even point, a point a labelled speaker",
		X: Axis{Name: breakEvenError + ", unlabelled"}, Y: Axis{Name: breakEvenError + ", never seen"}}
	for _, m := range isoletMachines {
		g := plain
		if m.warped {
			g = warped
		}
		c := Curve{Name: m.name, Loose: true}
		for speaker := range min(l.runs, s.speaker[len(s.speaker)-1]+1) {
			var labelled []int
			for i, who := range s.speaker {
				if who == speaker {
					labelled = append(labelled, i)
				}
			}
			p := learn.NewProblem(s.x, known(twoClasses(), s.class, labelled))
			machine := trained(ctx, g, m.learner, p, m.own)
			hidden := learn.Others(len(s.class), labelled)
			out := evaluated(ctx, g, machine, 1).RawMatrix().Data
			wrong := wrongAtBreakEven(indices.Of(out, hidden), indices.Of(s.class, hidden))
			l.add(m.name, breakEvenError+", unlabelled", wrong)
			if len(unseen.class) == 0 {
				continue
			}
			never := wrongAtBreakEven(predicted(ctx, g, machine, unseen.x, 1).RawMatrix().Data, unseen.class)
			l.add(m.name, breakEvenError+", never seen", never)
			c.X, c.Y = append(c.X, wrong), append(c.Y, never)
		}
		picture.Curves = append(picture.Curves, c)
	}
	if len(unseen.class) > 0 {
		l.draw(picture)
	}
}

// wrongAtBreakEven is the error in percent where as many rows are decided for class 1 as there are of it.
func wrongAtBreakEven(out []float64, class []int) float64 {
	positive, n := make([]bool, len(class)), 0
	for i, k := range class {
		if k == 1 {
			positive[i] = true
			n++
		}
	}
	return 200 * (1 - metric.PRBEP(out, positive)) * float64(n) / float64(len(class))
}
