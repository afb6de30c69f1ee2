package param

// Words describe what a recipe chooses by its name, such as a kernel or a loss, to whoever chooses.
type Words struct {
	ID         string // the name
	Title      string
	Formula    string // lines
	About      string // when to choose it
	Cost       string
	Parameters []Meaning
	Source     string
	LIBSVM     string // what LIBSVM calls it
	SciKit     string // what scikit-learn does
	Example    string
}

// Meaning is what a parameter is in words.
type Meaning struct {
	Name    string `json:"name"`
	Range   string `json:"range"`
	Default string `json:"default"`
	About   string `json:"about"`
}
