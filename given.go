package mercer

import (
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
)

// given is the error of a set that cannot be learned from at all: none, one without rows, or one whose parts are of different lengths.
func given(set *data.Set) error {
	switch {
	case set == nil:
		return errors.New("the input has no set of rows; read one by read.Open, or take one by data.Builtin")
	case set.Rows.Dense == nil && set.Rows.Sparse == nil, set.Rows.Len() == 0:
		return fmt.Errorf("%s: the set has no rows; give rows to learn from", named(set))
	case set.Answers != nil && len(set.Answers) != set.Rows.Len():
		return fmt.Errorf("%s: %d answers of %d rows; give one for each row, empty where none is known", named(set), len(set.Answers),
			set.Rows.Len())
	}
	return nil
}

// named is what messages call a set.
func named(set *data.Set) string {
	if set.Source == "" {
		return "the input"
	}
	return set.Source
}
