package task

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Thresholds is how classes are decided from probabilities. It is the flag --decide after reading; the zero value is the
// usual decision, for the most probable class.
type Thresholds struct {
	Balanced bool
	Costs    []float64 // of a mistaken row of each class, in their order; nil: equal
	Rate     float64   // share of the rows decided for the second of two classes; 0: what comes of it
}

// ParseThreshold reads --decide.
func ParseThreshold(text string) (Thresholds, error) {
	word, value, given := strings.Cut(text, "=")
	switch {
	case word == "cost" && given:
		var t Thresholds
		for part := range strings.SplitSeq(value, ":") {
			v, err := strconv.ParseFloat(part, 64)
			if err != nil || !(v > 0) || v-v != 0 {
				return Thresholds{}, errors.New("give a positive cost for each class in their order, as in cost=1:20")
			}
			t.Costs = append(t.Costs, v)
		}
		if len(t.Costs) < 2 {
			return Thresholds{}, errors.New("give a cost for each class, as in cost=1:20")
		}
		return t, nil
	case word == "rate" && given:
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v > 0 && v < 1) {
			return Thresholds{}, errors.New("give a share between 0 and 1, as in rate=0.05")
		}
		return Thresholds{Rate: v}, nil
	case given:
	case word == "balanced":
		return Thresholds{Balanced: true}, nil
	case word == "" || word == "default":
		return Thresholds{}, nil
	}
	return Thresholds{}, errors.New("not known; choose default, balanced, cost=A:B or rate=SHARE")
}

// decides refuses decisions that do not suit the labels.
func (t *Task) decides() error {
	asked, err := ParseThreshold(t.Recipe.Decide)
	classes := t.Labels.Classes
	switch {
	case err != nil || !t.Decides():
		return err
	case t.Labels.Task == data.Regression:
		return Usage("--decide %s is for classes, and %s is a regression; leave it out", t.Recipe.Decide, t.Input.Set.Source)
	case t.Coding.OneClass:
		return Usage("--decide %s: method %s learns one class; choose --set nu=SHARE", t.Recipe.Decide, t.Coding.Method)
	case asked.Rate > 0 && len(classes) > 2:
		return Usage("--decide %s is for two classes, there are %d; give cost= and a cost for each", t.Recipe.Decide, len(classes))
	case asked.Costs != nil && len(asked.Costs) != len(classes):
		return Usage("--decide %s has %d costs, there are %d classes; give one for each, in the order %s",
			t.Recipe.Decide, len(asked.Costs), len(classes), strings.Join(classes, ", "))
	}
	return nil
}

// What is known of a class from few rows may be far off, and of a rare one the error says nothing.
const (
	fewRows  = 10   // below which a class has few rows,
	fewShare = 5    // if they are less than a fifth of an even share
	rare     = 0.05 // share of the rows below which one of two classes is rare, however many rows it has
)

// uneven warns where a class has few rows beside the others.
func (t *Task) uneven() {
	if t.Labels.Task != data.Classification || t.Coding.OneClass {
		return
	}
	n, l := t.Labels.Counts(), len(t.Labels.Labelled())
	asked, err := ParseThreshold(t.Recipe.Decide)
	if err == nil && t.Recipe.ClassWeight != "" && (asked.Balanced || asked.Costs != nil) {
		t.Warn("--decide %s with --class-weight %s weighs the classes twice: probabilities are those of the weighted classes; "+
			"leave one of them out", t.Recipe.Decide, t.Recipe.ClassWeight)
	}
	if err == nil && asked.Rate > 0 && len(n) == 2 {
		if share := float64(n[1]) / float64(l); (share-0.5)*(asked.Rate-0.5) < 0 {
			t.Warn("--decide %s: %.3g %% of the rows are decided for class %s, which has %.3g %% of the labels; for that share of class %s "+
				"give rate=%.6g", t.Recipe.Decide, 100*asked.Rate, t.Labels.Classes[1], 100*share, t.Labels.Classes[0], 1-asked.Rate)
		}
	}
	for k, v := range n {
		if few := v < fewRows && v*fewShare*len(n) < l; !few && (len(n) > 2 || float64(v) >= rare*float64(l)) {
			continue
		}
		t.Warn("class %s has %d of %d labelled rows, so that the error says little of it; see its recall in mercer evaluate, "+
			"and --decide balanced or --class-weight balanced", t.Labels.Classes[k], v, l)
	}
}
