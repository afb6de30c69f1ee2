package mercer

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/text"
	"github.com/mercer-ml/mercer/model"
)

// OpenFor reads the rows called name for a model, as `mercer predict` does: columns are found by their names, in whatever order they
// stand; words, dates and missing cells become what they became in the fit, documents the counts of the model's words. Answers are
// read where the rows have them. The name and the options are those of read.Open.
func OpenFor(ctx context.Context, m *model.Model, name string, o read.Options) (*data.Set, []read.Warning, error) {
	set, warnings, err := read.Open(ctx, name, apply.Options(m, o, false))
	if err != nil {
		return nil, nil, err
	}
	set, err = apply.Suited(m, set)
	return set, warnings, err
}

// Documents counts the words of documents for a model that learned from text: a row each. Of all their words, so many as of says, the
// model does not have unknown. A model that learned from other columns is an error.
func Documents(ctx context.Context, m *model.Model, documents []string) (rows data.Rows, unknown, of int, err error) {
	if m.Text == nil {
		return data.Rows{}, 0, 0, errors.New("the model learned from columns, not from documents; give rows of its columns")
	}
	words, err := text.NewVocabulary(m.Features, *m.Text)
	if err != nil {
		return data.Rows{}, 0, 0, err
	}
	rows, lacks, err := words.Count(ctx, documents)
	return rows, lacks.Words, lacks.Of, err
}
