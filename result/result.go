package result

import (
	"github.com/mercer-ml/mercer/kernel"
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
	Tuning  *Tuning        `json:"tuning,omitempty"`
	// Candidates are the names of the machines of the design that the answer is made of, and of the baseline; Recipe.Candidates takes them.
	Candidates []string `json:"candidates,omitempty"`
	// Relevance is the share of each column in how much the outputs change where its cells are those of other rows, largest first; of at
	// most 500 columns that are not sparse.
	Relevance []kernel.Relevance `json:"relevance,omitempty"`
	// Guesses are what was decided of the file: what the labels are, the kinds of columns.
	Guesses []string `json:"guesses,omitempty"`
	// Selected are the features that --set select kept, in their order.
	Selected []string  `json:"selected,omitempty"`
	Baseline *Baseline `json:"baseline,omitempty"`
	Interval *Interval `json:"interval,omitempty"` // of a regression
	Estimate *Estimate `json:"estimate,omitempty"` // of the error on other rows; nil: nothing was left out
	// Decision is how classes are decided by probabilities, if not for the most probable one.
	Decision    *Decision         `json:"decision,omitempty"`
	Metrics     map[string]Metric `json:"metrics,omitempty"`
	Certificate *Certificate      `json:"certificate,omitempty"`
	Graph       *GraphState       `json:"graph,omitempty"`
	Clusters    *ClusterState     `json:"clusters,omitempty"`
	Scaling     string            `json:"scaling,omitempty"`
	Balance     *Balance          `json:"balance,omitempty"`
	Basis       *BasisState       `json:"basis,omitempty"` // of a machine that was given few centres
	Views       *ViewState        `json:"views,omitempty"` // of a model of several views
	Race        []Raced           `json:"race,omitempty"`  // what auto tried on many labelled rows
	Splits      *Splits           `json:"splits,omitempty"`
	Seconds     Seconds           `json:"seconds"`
	Forecast    *Foreseen         `json:"forecast,omitempty"`
	Memory      int64             `json:"memory_bytes,omitempty"` // as in Forecast
	Warnings    []string          `json:"warnings,omitempty"`
	Model       string            `json:"model,omitempty"`
}

// RowCounts counts the rows by their part in the fit.
type RowCounts struct {
	Labelled   int `json:"labelled"`
	Unlabelled int `json:"unlabelled"`
	Test       int `json:"test"`
	Features   int `json:"features"`
}

// Foreseen is what the fit was expected to cost before it began.
type Foreseen struct {
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes"`
}

// Seconds are wall-clock times.
type Seconds struct {
	Total float64 `json:"total"`
	Tune  float64 `json:"tune"`
	Fit   float64 `json:"fit"`
	// RowsPerSecond is how many rows the model predicts in a second on the threads of the fit; 0: not measured.
	RowsPerSecond float64 `json:"rows_per_second,omitempty"`
}

// Member is one machine of an averaged model.
type Member struct {
	Class  string         `json:"class,omitempty"` // the class that it tells from the rest, if each class has a machine of its own
	Method string         `json:"method"`
	Weight float64        `json:"weight"`
	Score  float64        `json:"score"`
	Kernel string         `json:"kernel"`
	Params map[string]any `json:"params"`
	// Error is the share of wrong classes, or the root mean square, of its own outputs of rows left out; of a stack alone, in which
	// Weight is the share of the member.
	Error *float64 `json:"error,omitempty"`
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

// Certificate says how exactly the fitted machine solves its problem.
type Certificate struct {
	Objective float64 `json:"objective"`
	Residual  float64 `json:"residual"`
	Gap       float64 `json:"gap,omitempty"`
	Least     float64 `json:"least_eigenvalue,omitempty"` // the least eigenvalue of an indefinite kernel, which is below zero
	Steps     int     `json:"steps,omitempty"`
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
