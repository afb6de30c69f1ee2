package mercer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/data"
)

// balanceWord is the word of --set balance= for the shares of the labels.
const balanceWord = "labels"

// parseBalance reads --set balance: the share of the second of two classes, or one a class in
// sorted order; nil for the shares of the labels.
func parseBalance(text string) ([]float64, error) {
	if text == balanceWord {
		return nil, nil
	}
	bad := errors.New("give the share of the second class, as 0.3, shares of all classes in sorted order that sum to 1, or labels")
	var shares []float64
	sum := 0.0
	for _, part := range strings.Split(text, ",") {
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

// balance moves the outputs so that unlabelled rows are decided in the shares asked for.
func (j *job) balance(c *auto.Choice) error {
	text := j.recipe.Set["balance"]
	if text == "" {
		return nil
	}
	p := j.problem
	if p.Task != data.Classification || p.Coding.Pairs && p.Outputs() > 1 {
		return &UsageError{[]string{"--set balance: it is for two classes or one-versus-rest machines; add --multiclass one-vs-rest"}}
	}
	shares, _ := parseBalance(text) // checked
	if shares == nil {
		shares = make([]float64, len(p.Classes))
		for _, k := range p.Class {
			shares[k] += 1 / float64(len(p.Class))
		}
	}
	if len(shares) != len(p.Classes) {
		return fmt.Errorf("%s: --set balance=%s has %d shares, there are %d classes: %s", j.in.Set.Source, text, len(shares), len(p.Classes), strings.Join(p.Classes, ", "))
	}
	c.Offset = auto.Balance(p, auto.Outputs(p, c.Members), shares)
	if c.Offset == nil && !slices.ContainsFunc(j.warnings, func(s string) bool { return strings.HasPrefix(s, "--set balance") }) {
		j.warnings = append(j.warnings, "--set balance: no row is unlabelled, and nothing is balanced")
	}
	return nil
}
