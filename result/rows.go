package result

// GraphState describes the graph of a semi-supervised fit.
type GraphState struct {
	Components       int     `json:"components"`
	WithoutLabel     int     `json:"components_without_label"`
	RowsWithoutLabel int     `json:"rows_without_label"`
	Isolated         int     `json:"isolated"`
	Edges            int     `json:"edges"`
	MeanDegree       float64 `json:"mean_degree"`
	MeanEdge         float64 `json:"mean_edge"`
}

// ClusterState says what all rows showed of clusters without their labels, and whether the labels
// follow them.
type ClusterState struct {
	Directions int `json:"directions"`         // in which the rows vary more than by noise
	Clusters   int `json:"clusters,omitempty"` // 0: the rows show none
	// Shared are the labelled rows that are in a cluster with others, Agree those of them that have the
	// commonest class there.
	Shared int    `json:"shared,omitempty"`
	Agree  int    `json:"agree,omitempty"`
	Used   bool   `json:"used"` // a machine on them is part of the answer
	Text   string `json:"text"`
}

// ViewState shows each view by itself and how far the views agree. Agreement is the share of the rows with
// several views, labelled or not, on which all these decide the same class. Disputed are unlabelled rows, numbered from 0,
// on which they decide differently, those first whose views are surest: what a label would tell most of.
type ViewState struct {
	Views     []OneView `json:"views"`
	Agreement *float64  `json:"agreement,omitempty"` // of classes
	Disputed  []int     `json:"disputed,omitempty"`
}

// OneView is one view of a model: how many rows have it, and the measures of its function on them.
type OneView struct {
	Name    string            `json:"name"`
	Rows    int               `json:"rows"`
	Metrics map[string]Metric `json:"metrics"`
}
