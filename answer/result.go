package answer

import (
	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// Result is what a fit found, in the shape of `fit --json` (the contract is in
// docs/formats.md): parts that do not apply are absent.
type Result struct {
	Method  string         `json:"method"`
	Kernel  string         `json:"kernel"`
	Task    string         `json:"task"`
	Classes []string       `json:"classes,omitempty"`
	Rows    RowCounts      `json:"rows"`
	Params  map[string]any `json:"params,omitempty"`
	Support int            `json:"support,omitempty"` // rows with a coefficient: support vectors
	Members []Member       `json:"members,omitempty"`
	Tuning  *choose.Tuning `json:"tuning,omitempty"`
	// Candidates are the names of the machines of the design that the answer is made of, and of the baseline; Recipe.Candidates takes them.
	Candidates []string `json:"candidates,omitempty"`
	// Relevance is the share of each feature, or group of features, in the kernel's variation.
	Relevance []kernel.Relevance `json:"relevance,omitempty"`
	// Selected are the features that --set select kept, in their order.
	Selected []string  `json:"selected,omitempty"`
	Baseline *Baseline `json:"baseline,omitempty"`
	Interval *Interval `json:"interval,omitempty"` // of a regression
	Estimate *Estimate `json:"estimate,omitempty"` // of the error on other rows; nil: nothing was left out
	// Decision is how classes are decided by probabilities, if not for the most probable one.
	Decision    *model.Decision   `json:"decision,omitempty"`
	Metrics     map[string]Metric `json:"metrics,omitempty"`
	Certificate *Certificate      `json:"certificate,omitempty"`
	Graph       *GraphState       `json:"graph,omitempty"`
	Clusters    *ClusterState     `json:"clusters,omitempty"`
	Scaling     string            `json:"scaling,omitempty"`
	Balance     *Balance          `json:"balance,omitempty"`
	Basis       *BasisState       `json:"basis,omitempty"` // of a machine that was given few centres
	Views       *ViewState        `json:"views,omitempty"` // of a model of several views
	Race        []choose.Raced    `json:"race,omitempty"`  // what auto tried on many labelled rows
	Splits      *Splits           `json:"splits,omitempty"`
	Seconds     Seconds           `json:"seconds"`
	Forecast    *Foreseen         `json:"forecast,omitempty"`
	Memory      int64             `json:"memory_bytes,omitempty"` // as in Forecast
	Warnings    []string          `json:"warnings,omitempty"`
	Model       string            `json:"model,omitempty"`
}

// Foreseen is what the fit was expected to cost before it began.
type Foreseen struct {
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes"`
}

// RowCounts counts the rows by their part in the fit.
type RowCounts struct {
	Labelled   int `json:"labelled"`
	Unlabelled int `json:"unlabelled"`
	Test       int `json:"test"`
	Features   int `json:"features"`
}

// Member is one machine of an averaged model.
type Member struct {
	Class  string         `json:"class,omitempty"` // the class that it tells from the rest, if each class has a machine of its own
	Weight float64        `json:"weight"`
	Score  float64        `json:"score"`
	Kernel string         `json:"kernel"`
	Params map[string]any `json:"params"`
}

// Baseline is the supervised machine beside a semi-supervised one.
type Baseline struct {
	Method  string            `json:"method"`
	Kernel  string            `json:"kernel"`
	Params  map[string]any    `json:"params,omitempty"`
	Score   *float64          `json:"score,omitempty"`
	Metrics map[string]Metric `json:"metrics"`
}

// Interval is what new answers lie in with probability Level, from f(x)+Lower to f(x)+Upper, by the errors on
// rows left out (calibrate.Residuals).
type Interval struct {
	Level float64 `json:"level"`
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
	Rows  int     `json:"rows"` // left out
	From  string  `json:"from"` // leave-one-out, 5 folds, hold-out: how
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

// Metric holds the measures of one set of rows, by name: error, balanced_accuracy,
// prbep, auc, log_loss, calibration_error; rmse, mae, r2, coverage_90.
type Metric map[string]float64

// Certificate says how exactly the fitted machine solves its problem.
type Certificate struct {
	Objective float64 `json:"objective"`
	Residual  float64 `json:"residual"`
	Gap       float64 `json:"gap,omitempty"`
	Least     float64 `json:"least_eigenvalue,omitempty"` // the least eigenvalue of an indefinite kernel, which is below zero
	Steps     int     `json:"steps,omitempty"`
}

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

// Balance is the share of each class, in the order of Classes, among the labels
// and among the predictions for unlabelled rows. Asked is the share in which a transductive machine was to decide
// these, with its standard error where it is that of the labels.
type Balance struct {
	Labelled   []float64 `json:"labelled"`
	Unlabelled []float64 `json:"unlabelled,omitempty"`
	Asked      []float64 `json:"asked,omitempty"`
	AskedError []float64 `json:"asked_error,omitempty"`
}

// Splits summarises a run over several splits of one file.
type Splits struct {
	Count    int                `json:"count"`
	Hidden   map[string]float64 `json:"hidden"`
	Baseline *SplitBaseline     `json:"baseline,omitempty"`
	Each     []float64          `json:"each,omitempty"`
}

// SplitBaseline is the baseline's part of Splits.
type SplitBaseline struct {
	Hidden map[string]float64 `json:"hidden"`
	Each   []float64          `json:"each,omitempty"`
}

// Seconds are wall-clock times.
type Seconds struct {
	Total float64 `json:"total"`
	Tune  float64 `json:"tune"`
	Fit   float64 `json:"fit"`
}
