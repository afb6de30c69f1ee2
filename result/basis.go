package result

// BasisState says of a machine that was given few centres how many it has and how they were chosen. Sizes are those that
// --basis auto has tried.
type BasisState struct {
	Centres int          `json:"centres"`
	Choose  string       `json:"choose"`
	Sizes   []BasisPoint `json:"sizes,omitempty"`
}

// BasisPoint is one number of centres. Error is the mean loss on labelled rows that were left out, the share of errors or the mean
// square, and Spread its standard error.
type BasisPoint struct {
	Centres int     `json:"centres"`
	Error   float64 `json:"error"`
	Spread  float64 `json:"std_error"`
	Front   bool    `json:"front"` // no other size is better in both
	Chosen  bool    `json:"chosen,omitempty"`
	// Apart is the share of all rows that it decides otherwise than the machine without a limit; of a regression the mean square of
	// the difference over the mean square of the left-out errors. Reduced says that it is that machine, made smaller: its Error is that
	// one's and Apart, the most that it can be; of a regression that one's times 1 + Apart, what it is where the two do not go together.
	Apart   float64 `json:"apart"`
	Reduced bool    `json:"reduced,omitempty"`
	// Distilled says of a reduced machine that it has learned decisions alone, and has outputs of its own.
	Distilled bool `json:"distilled,omitempty"`
}

// Shrunk is what a model of fewer centres has changed on some rows.
type Shrunk struct {
	Before    int     `json:"centres_before"`
	After     int     `json:"centres_after"`
	Rows      int     `json:"rows"`
	Largest   float64 `json:"largest"`           // of any output on any row
	Mean      float64 `json:"mean"`              // of all outputs on all rows, absolute
	Size      float64 `json:"size"`              // mean absolute output, to compare with
	Decisions *int    `json:"changed,omitempty"` // rows that are decided otherwise; of classifiers
}
