package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/result"
)

// describeClusters says what the rows showed of clusters, where they showed something.
func (a *Answer) describeClusters(res *result.Result) {
	e := a.Candidates.Evidence
	if e == nil || !e.Spiked && !e.Clustered {
		return
	}
	c := &result.ClusterState{Used: slices.ContainsFunc(a.Choice.Members, func(m choose.Weighted) bool { return m.Own != nil })}
	tried := slices.ContainsFunc(a.Candidates.Members, func(m *choose.Candidate) bool { return m.Own != nil })
	var words []string
	if e.Spiked {
		c.Directions = e.Above
		words = append(words, "vary beyond their noise in "+several(c.Directions, "direction"))
	}
	if e.Clustered {
		c.Clusters = len(e.Clusters.Share)
		c.Shared, c.Agree = a.agree(e.Clusters)
		words = append(words, fmt.Sprintf("form %s (%d of the %d labels that share one agree)",
			several(c.Clusters, "cluster"), c.Agree, c.Shared))
	}
	c.Text = "the rows " + strings.Join(words, " and ")
	switch {
	case !tried:
		c.Text += "; the labels are too few to tell what these are"
	case !c.Used:
		c.Text += "; models on them did no better"
	}
	res.Clusters = c
}

// agree counts the labelled rows that are in a cluster with others, and those of them that have the
// commonest class there.
func (a *Answer) agree(clusters *mixture.Clusters) (shared, agree int) {
	p := a.Task.Problem
	posterior := clusters.Map(p.Rows.Select(p.Labelled).Dense)
	count := make([][]int, len(clusters.Share))
	for k := range count {
		count[k] = make([]int, len(p.Classes))
	}
	for q, class := range p.Class {
		row := posterior.RawRowView(q)
		best := 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		count[best][class]++
	}
	for _, c := range count {
		labels := 0
		for _, v := range c {
			labels += v
		}
		if labels > 1 {
			shared += labels
			agree += slices.Max(c)
		}
	}
	return shared, agree
}

// several is a number of things in words.
func several(n int, thing string) string {
	if n == 1 {
		return "one " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
