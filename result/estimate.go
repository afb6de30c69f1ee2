package result

// Estimate is the error to expect on rows that a fit has not learned from: the share of wrong classes, or the root of
// the mean square of a regression's errors, with an interval of level Level.
//
// From says how the rows were left out: leave-one-out, 5 folds, hold-out, forward hold-out; 5 outer folds if the whole fit was
// repeated for each (CrossValidate). Corrected says that the choice among candidates has not flattered it (choose.Rechosen, or outer
// folds); else hyper-parameters were moved to make the same left-out errors small, and it errs to the better side.
type Estimate struct {
	Measure string  `json:"measure"` // error or rmse
	Error   float64 `json:"error"`
	// Trivial is the same error of the most frequent class, or of the mean, on these rows; nil: not known.
	Trivial   *float64 `json:"trivial,omitempty"`
	Low       float64  `json:"low"`
	High      float64  `json:"high"`
	Level     float64  `json:"level"`
	Interval  string   `json:"interval"` // how it was made
	Rows      int      `json:"rows"`     // left out
	From      string   `json:"from"`
	Corrected bool     `json:"corrected"`
	// Classes are there where they are unequal, by the rows that the fit itself left out.
	Classes []ClassEstimate `json:"classes,omitempty"`
}

// ClassEstimate is one class of an Estimate: how many of its rows were left out, the share of them that is found (Recall), and of the rows
// that are taken for it the share that is of it (Precision); nil: of no row.
type ClassEstimate struct {
	Class     string   `json:"class"`
	Rows      int      `json:"rows"`
	Recall    *float64 `json:"recall,omitempty"`
	Precision *float64 `json:"precision,omitempty"`
}
