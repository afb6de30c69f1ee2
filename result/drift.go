package result

// DriftState says whether rows look like those that a model was learned from (package drift).
type DriftState struct {
	Rows     int     `json:"rows"`              // that were compared
	Learned  bool    `json:"learned,omitempty"` // these are the rows learned from: every column is as it was, and nothing has moved
	Compared int     `json:"compared"`          // quantities: columns, the distance to the nearest centre, the output
	Level    float64 `json:"level"`             // probability that rows like the old ones show any drift
	Least    float64 `json:"least"`             // distance from which drift is told
	Moved    []Moved `json:"moved"`             // the farthest first
	Largest  *Moved  `json:"largest,omitempty"` // the farthest of all, moved or not
	Unknown  string  `json:"unknown,omitempty"` // what could not be compared, and why
}

// Moved is a quantity whose distribution is another one now.
type Moved struct {
	What     string   `json:"what"`           // column, distance or output
	Name     string   `json:"name,omitempty"` // of the column
	Distance float64  `json:"distance"`       // the largest difference of the shares of rows up to a value
	P        float64  `json:"p"`              // probability of so much by chance
	Then     *float64 `json:"median_then,omitempty"`
	Now      *float64 `json:"median_now,omitempty"`
}
