package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// train fits one candidate's recipe on all rows, which its worker must have the memory for, and leaves the model in the folder.
// A candidate that cannot be trained is an answer too: others may be.
func train(ctx context.Context, s Spec, element int) (*[]Done, error) {
	d := Done{Element: element}
	var r mercer.Recipe
	if err := json.Unmarshal([]byte(s.Candidates[element]), &r); err != nil {
		return nil, err
	}
	set, err := all(ctx, s)
	if err != nil {
		return nil, err
	}
	m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, r, mercer.Options{Memory: s.Read.Memory})
	var wrong *mercer.UsageError
	switch {
	case errors.As(err, &wrong) || ctx.Err() != nil:
		return nil, err
	case err != nil:
		d.Failed = err.Error()
		return &[]Done{d}, nil
	}
	d.Score, d.Rows = res.Tuning.Value, set.Rows.Len()
	if d.Result, err = json.Marshal(res); err != nil {
		d.Failed = "its score is not finite"
		return &[]Done{d}, nil
	}
	d.Path = filepath.Join(s.Folder, fmt.Sprintf("candidate-%d.mercer", element))
	return &[]Done{d}, m.Save(d.Path)
}

// all are the rows of all shards, as mercer fit would read them from one file. Neighbours are joined in pairs, so that a row is copied
// as often as the number of shards can be halved.
func all(ctx context.Context, s Spec) (*data.Set, error) {
	sets := make([]*data.Set, len(s.Shards))
	for i, file := range s.Shards {
		o := s.Read.Reading()
		if i > 0 && sets[0].Features != nil {
			o.Want, o.Features, o.Drop, o.Label = sets[0].Features, nil, nil, sets[0].LabelName
		}
		var err error
		if sets[i], _, err = read.Open(ctx, file, o); err != nil {
			return nil, err
		}
	}
	for len(sets) > 1 {
		for i := 0; i < len(sets); i += 2 {
			set := sets[i]
			if i+1 < len(sets) {
				next := sets[i+1]
				rows, err := set.Rows.Append(next.Rows)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", next.Source, err)
				}
				set.Rows, set.Answers, set.Lines = rows, slices.Concat(set.Answers, next.Answers), nil
			}
			sets[i/2] = set
		}
		sets = sets[:(len(sets)+1)/2]
	}
	return sets[0], nil
}
