package result

// Tuning says how the hyper-parameters were chosen.
type Tuning struct {
	Score       string  `json:"score"`
	Value       float64 `json:"value"`
	Evaluations int     `json:"evaluations"`
	Search      string  `json:"search"`
	Status      string  `json:"status"`
	// Fresh is the score of a search by gradients on other draws of the folds. Tied says that one
	// parameter for all features was kept, because one for each feature gained too little there, or could not gain enough.
	Fresh *Fresh `json:"fresh,omitempty"`
	Tied  bool   `json:"tied,omitempty"`
}

// Fresh is a score over several draws of the folds.
type Fresh struct {
	Draws int     `json:"draws"`
	Folds int     `json:"folds"`
	Mean  float64 `json:"mean"`
	Std   float64 `json:"std"`
}

// Raced is a machine that took part in a race, how far it came and why it went no further.
type Raced struct {
	Method string    `json:"method"`
	Kernel string    `json:"kernel"`
	Params []float64 `json:"params,omitempty"` // of the learner, C first
	Rows   int       `json:"rows"`             // labelled rows of its last heat
	Score  float64   `json:"score"`            // there
	Left   string    `json:"left,omitempty"`
}
