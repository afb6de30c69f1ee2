package design

import (
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
)

// The rows decide whether a machine for clusters is tried, not the labels: a few labels cannot tell
// it from a machine for manifolds, for the scores of so many candidates are noise. Where the rows
// are a few round clusters in noise, the leave-one-out score then asks whether the classes follow
// them. Thresholds (package mixture) and priors were chosen on the generated sets of
// docs/automatic-choice.md.
const (
	componentPrior = 1
	clusterPrior   = 4
	// labelsEach is the number of labels there must be for each cluster: with fewer, the class of some cluster
	// is a guess. Iris, eight clusters and nine labels, errs 2 points more with the clusters (10 draws).
	labelsEach = 2
)

// Clusters lists the machines of the method called id on kernels that were found in all rows: on the
// components above the noise where the rest is alike in all directions, and on the posteriors of a
// mixture where it explains the rows and the labels are enough. Without evidence there are none.
func (d Design) Clusters(id string, labels int) []*choose.Candidate {
	var plan []*choose.Candidate
	if d.Evidence == nil {
		return nil
	}
	if d.Evidence.Spiked {
		own := kernel.Components{Fit: d.Evidence.Components}
		plan = append(plan, &choose.Candidate{Method: id, Width: 1, Linear: true, Own: own, Transductive: true, Prior: componentPrior})
	}
	if d.Evidence.Clustered && labels >= labelsEach*len(d.Evidence.Clusters.Share) {
		own := kernel.Clusters{Fit: d.Evidence.Clusters}
		plan = append(plan, &choose.Candidate{Method: id, Width: 1, Own: own, Transductive: true, Prior: clusterPrior})
	}
	return plan
}
