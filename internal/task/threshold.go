package task

import (
	"errors"
	"fmt"
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

	costs, rate []ofClass // by name
}

// ParseThreshold reads --decide.
func ParseThreshold(text string) (t Thresholds, err error) {
	word, value, given := strings.Cut(text, "=")
	switch {
	case word == "cost" && given && strings.Contains(value, "="):
		t.costs, err = parseOfClasses(value, "cost")
		return t, err
	case word == "cost" && given:
		for part := range strings.SplitSeq(value, ":") {
			v, err := strconv.ParseFloat(part, 64)
			if err != nil || !(v > 0) || v-v != 0 {
				return Thresholds{}, errors.New("give a positive cost by the name of a class, as in cost=ill=20")
			}
			t.Costs = append(t.Costs, v)
		}
		if len(t.Costs) < 2 {
			return Thresholds{}, errors.New("name the class, as in cost=ill=20")
		}
		return t, nil
	case word == "rate" && given && strings.Contains(value, "="):
		t.rate, err = parseOfClasses(value, "share")
		if err == nil && (len(t.rate) > 1 || !(t.rate[0].value < 1)) {
			err = errors.New("give a share between 0 and 1 of one class, as in rate=ill=0.05")
		}
		return t, err
	case word == "rate" && given:
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v > 0 && v < 1) {
			return Thresholds{}, errors.New("give a share between 0 and 1, as in rate=ill=0.05")
		}
		return Thresholds{Rate: v}, nil
	case given:
	case word == "balanced":
		return Thresholds{Balanced: true}, nil
	case word == "" || word == "default":
		return Thresholds{}, nil
	}
	return Thresholds{}, errors.New("not known; choose default, balanced, cost=CLASS=COST,... or rate=CLASS=SHARE")
}

// Of is the decision between these classes: costs and a share that were given by name are in Costs and Rate. The error is one of a
// number that does not suit them.
func (t Thresholds) Of(classes []string) (Thresholds, error) {
	order := strings.Join(classes, ", ")
	var err error
	switch {
	case t.costs != nil:
		t.Costs, err = numberOfClasses(t.costs, classes, 1)
		return t, err
	case (t.rate != nil || t.Rate > 0) && len(classes) > 2:
		return t, fmt.Errorf("a rate is for two classes, there are %d (%s); give cost=CLASS=COST", len(classes), order)
	case t.rate != nil:
		share, err := numberOfClasses(t.rate, classes, 0)
		if err != nil {
			return t, err
		}
		if t.Rate = share[1]; share[0] > 0 {
			t.Rate = 1 - share[0]
		}
	case t.Costs != nil && len(t.Costs) != len(classes):
		return t, fmt.Errorf("there are %d costs and %d classes; give each by name, as in cost=%s=%g; the classes are %s", len(t.Costs),
			len(classes), classes[0], t.Costs[0], order)
	}
	return t, nil
}

// decides refuses decisions that do not suit the labels.
func (t *Task) decides() error {
	asked, err := ParseThreshold(t.Recipe.Decide)
	switch {
	case err != nil || !t.Decides():
		return err
	case t.Labels.Task == data.Regression:
		return Usage("--decide %s is for classes, and %s is a regression; leave it out", t.Recipe.Decide, t.Input.Set.Source)
	case t.Coding.OneClass:
		return Usage("--decide %s: method %s learns one class; choose --set nu=SHARE", t.Recipe.Decide, t.Coding.Method)
	}
	if _, err = asked.Of(t.Labels.Classes); err != nil {
		return Usage("--decide %s: %v", t.Recipe.Decide, err)
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
	if err == nil {
		asked, err = asked.Of(t.Labels.Classes)
	}
	if err == nil && t.Recipe.ClassWeight != "" && (asked.Balanced || asked.Costs != nil) {
		t.Warn("--decide %s with --class-weight %s weighs the classes twice: probabilities are those of the weighted classes; "+
			"leave one of them out", t.Recipe.Decide, t.Recipe.ClassWeight)
	}
	if err == nil && asked.Rate > 0 && len(n) == 2 {
		if share := float64(n[1]) / float64(l); (share-0.5)*(asked.Rate-0.5) < 0 {
			t.Warn("--decide %s: %.3g %% of the rows are decided for class %s, which has %.3g %% of the labels; for that share "+
				"of class %s "+
				"give rate=%s=%.6g", t.Recipe.Decide, 100*asked.Rate, t.Labels.Classes[1], 100*share, t.Labels.Classes[0],
				t.Labels.Classes[0],
				asked.Rate)
		}
	}
	for k, v := range n {
		if few := v < fewRows && v*fewShare*len(n) < l; !few && (len(n) > 2 || float64(v) >= rare*float64(l)) {
			continue
		}
		t.Warn("class %s has %d of %d labelled rows, so that the error says little of it; look at its recall, and see "+
			"--decide balanced and --class-weight balanced", t.Labels.Classes[k], v, l)
	}
}
