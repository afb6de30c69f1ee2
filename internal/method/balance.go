package method

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// balanceWord is the word of --set balance= for the shares of the labels.
const balanceWord = "labels"

// ParseBalance reads --set balance: the share of the second of two classes, or one a class in
// sorted order; nil for the shares of the labels.
func ParseBalance(text string) ([]float64, error) {
	if text == balanceWord {
		return nil, nil
	}
	bad := errors.New("give the share of the second class, as 0.3, shares of all classes in sorted order that sum to 1, or labels")
	var shares []float64
	sum := 0.0
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return nil, bad
		}
		shares = append(shares, v)
		sum += v
	}
	if len(shares) == 1 {
		return []float64{1 - shares[0], shares[0]}, nil
	}
	if math.Abs(sum-1) > 1e-6 {
		return nil, bad
	}
	return shares, nil
}

// sharesOf reads a setting of shares, one for each class of the task.
func sharesOf(t *task.Task, s setting.Setting) ([]float64, error) {
	text, classes := t.Values.Text(s), t.Problem.Classes
	shares, _ := ParseBalance(text) // read before
	if shares == nil {
		return s3vm.Shares(t.Problem), nil
	}
	if len(shares) != len(classes) {
		return nil, fmt.Errorf(
			"%s: --set %s=%s has %d shares, and there are %d classes; give one share for each, in the order %s",
			t.Input.Set.Source,
			s.Name,
			text,
			len(shares),
			len(classes),
			strings.Join(classes, ", "),
		)
	}
	return shares, nil
}

// Balance is the shares of the classes in which --set balance asks for unlabelled rows to be decided; nil: they are decided as they come.
func Balance(t *task.Task) ([]float64, error) {
	if !t.Values.Given(balanced) {
		return nil, nil
	}
	p := t.Problem
	if p.Task != data.Classification || p.Coding.Pairs && p.Outputs() > 1 {
		return nil, task.Usage("--set balance: it is for two classes or one-versus-rest machines; add --multiclass one-vs-rest")
	}
	if len(p.Labelled) == p.Rows.Len() {
		t.Warn("--set balance: no row is unlabelled, and nothing is balanced")
	}
	return sharesOf(t, balanced)
}
