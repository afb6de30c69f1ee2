package peers

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// Probabilities of svm-train -b 1 and of mercer fit --tune kfold:5, both from
// five-fold outputs: trained on two rows of three, judged on the third.

// probabilityProblems are the sets of this comparison.
func probabilityProblems() []problem {
	return []problem{
		{"a9a", "a9a.svm.gz", 1, true, 1, 0.03},
		{"digits", "digits.csv.gz", 0, false, 10, 0.1},
		{"satimage", "satimage.csv.gz", 0, false, 10, 1},
		{"segment", "segment.csv.gz", 0, false, 10, 1},
		{"vowel", "vowel.csv", 0, false, 10, 2},
		{"usps-10", "usps_train.csv.gz", 0, false, 1, 0.01},
	}
}

// probabilities compares those of both on the third of the rows that neither was trained on.
func (c comparison) probabilities(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "| set | rows trained on, judged | s, svm-train -b 1 | s, plain | s | "+
		"times plain | log loss | contradicted |\n|---|---|---|---|---|---|---|---|")
	for _, p := range probabilityProblems() {
		if !measure.Wanted(c.Sets, p.name) {
			continue
		}
		train, test := filepath.Join(c.folder, p.name+".train.svm"), filepath.Join(c.folder, p.name+".test.svm")
		size, err := p.write(ctx, filepath.Join(c.Data, p.file), train, func(i int) bool { return i%3 != 2 })
		if err == nil {
			_, err = p.write(ctx, filepath.Join(c.Data, p.file), test, func(i int) bool { return i%3 == 2 })
		}
		if err == nil {
			err = c.probability(ctx, w, p, train, test, size)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	fmt.Fprintln(w, "\nSeconds of mercer are plain, and with probabilities. Of log loss, and of rows whose most probable label "+
		"contradicts the decision, the first is of svm-predict -b 1.")
	return nil
}

func (c comparison) probability(ctx context.Context, w io.Writer, p problem, train, test, size string) error {
	svm, _, err := process.Timed(ctx, "svm-train", append(c.flags(p), "-b", "1", "-q", train, train+".libsvm")...)
	if err != nil {
		return err
	}
	var plain, full []result
	for range c.Runs {
		a, err := c.fit(ctx, p, train, "none")
		if err != nil {
			return err
		}
		b, err := c.fit(ctx, p, train, "kfold:5")
		if err != nil {
			return err
		}
		plain, full = append(plain, a), append(full, b)
	}
	theirs, err := libsvmProbabilities(ctx, train+".libsvm", test)
	if err != nil {
		return err
	}
	ours, err := mercerProbabilities(ctx, c.Program, train+".mercer", test)
	if err != nil {
		return err
	}
	truth, err := labelsOf(test)
	if err != nil {
		return err
	}
	lossA, againstA, err := judge(theirs, truth)
	if err != nil {
		return err
	}
	lossB, againstB, err := judge(ours, truth)
	if err != nil {
		return err
	}
	a, b := median(plain).Seconds, median(full).Seconds
	fmt.Fprintf(w, "| %s | %s, %d | %.2f | %.2f | %.2f | %.1f | %.4f / %.4f | %d / %d |\n", p.name, size, len(truth), svm.Seconds, a, b,
		b/a, lossA, lossB, againstA, againstB)
	return nil
}

// judged are predictions: the labels decided and the probabilities of all.
type judged struct {
	label       []string
	probability []map[string]float64
}

// judge returns the mean log loss and the number of rows for which another label is more probable than
// the one decided. A tie contradicts nothing.
func judge(j judged, truth []string) (loss float64, against int, err error) {
	if len(j.label) != len(truth) || len(j.probability) != len(truth) {
		return 0, 0, fmt.Errorf("%d labels and %d probabilities of %d rows", len(j.label), len(j.probability), len(truth))
	}
	for i, p := range j.probability {
		loss -= math.Log(max(p[truth[i]], 1e-12)) / float64(len(truth))
		for label, v := range p {
			if label != j.label[i] && v > p[j.label[i]] {
				against++
				break
			}
		}
	}
	return loss, against, nil
}

func labelsOf(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		label, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		out = append(out, label)
	}
	return out, nil
}

// libsvmProbabilities are those of svm-predict -b 1, with the labels it decides without.
func libsvmProbabilities(ctx context.Context, model, test string) (judged, error) {
	out := judged{}
	if _, _, err := process.Timed(ctx, "svm-predict", "-b", "0", "-q", test, model, test+".labels"); err != nil {
		return out, err
	}
	if _, _, err := process.Timed(ctx, "svm-predict", "-b", "1", "-q", test, model, test+".probabilities"); err != nil {
		return out, err
	}
	var err error
	if out.label, err = labelsOf(test + ".labels"); err != nil {
		return out, err
	}
	text, err := os.ReadFile(test + ".probabilities")
	if err != nil {
		return out, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	names := strings.Fields(lines[0]) // "labels" and the labels
	for _, line := range lines[1:] {
		row := map[string]float64{}
		for q, f := range strings.Fields(line)[1:] {
			if row[names[q+1]], err = strconv.ParseFloat(f, 64); err != nil {
				return out, err
			}
		}
		out.probability = append(out.probability, row)
	}
	return out, nil
}

func mercerProbabilities(ctx context.Context, program, model, test string) (judged, error) {
	out := judged{}
	_, text, err := process.Timed(ctx, program, "predict", model, test, "--probability", "--quiet")
	if err != nil {
		return out, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return out, err
	}
	label := slices.Index(rows[0], "prediction")
	for _, r := range rows[1:] {
		row := map[string]float64{}
		for q, f := range r {
			if name, ok := strings.CutPrefix(rows[0][q], "probability_"); ok {
				if row[name], err = strconv.ParseFloat(f, 64); err != nil {
					return out, err
				}
			}
		}
		out.label, out.probability = append(out.label, r[label]), append(out.probability, row)
	}
	return out, nil
}
