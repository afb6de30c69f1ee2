package result

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
