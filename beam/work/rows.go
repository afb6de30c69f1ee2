package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/columns"
)

// all keeps the rows that this process has read last. It is a variable of the package because nothing else that Beam knows lives as
// long as a worker process: candidates come one by one, to several DoFns at once, which all learn from the same rows.
var all kept

// kept are rows and what they were read from.
type kept struct {
	mu   sync.Mutex // held while rows are read, so that several who want the same rows have them read once
	from string
	set  *data.Set
}

// of are the rows of all shards. They are read unless they were read last, from files of the same names, sizes and times, in the same
// way. They are shared, and must not be changed.
func (k *kept) of(ctx context.Context, s Spec) (*data.Set, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	from, err := source(s)
	if err != nil {
		return nil, err
	}
	if k.from != from {
		k.from, k.set = "", nil // not both in memory
		set, err := table(ctx, s)
		if err != nil {
			return nil, err
		}
		k.from, k.set = from, set
	}
	one := *k.set
	return &one, nil
}

// source tells what rows come from and how they are read.
func source(s Spec) (string, error) {
	from, err := json.Marshal(s.Read)
	if err != nil {
		return "", err
	}
	text := string(from)
	for _, file := range s.Shards {
		info, err := os.Stat(file)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("\n%q %d %d", file, info.Size(), info.ModTime().UnixNano())
	}
	return text, nil
}

// table reads the rows of all shards, as mercer fit would read them from one file.
func table(ctx context.Context, s Spec) (*data.Set, error) {
	o := s.Read.Reading()
	set, err := joinedRows(ctx, s.Shards, o)
	var fault *read.Error
	words := errors.As(err, &fault) && fault.Words()
	o.Numbers = err == nil && columns.Plain(set.Features, set.Rows)
	if o.Numbers && len(o.Drop)+len(o.Features) == 0 || err != nil && !words {
		return set, err
	}
	var all *read.Seen
	for k, file := range s.Shards {
		seen, err := read.Look(ctx, file, k, o)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = seen
		} else if err := all.Join(seen); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	o.Label = all.Label()
	if o.Table, err = all.Decide(s.Shards, o); err != nil {
		return nil, err
	}
	o.Features, o.Drop = nil, nil // the table says it
	if set, err = joinedRows(ctx, s.Shards, o); err != nil {
		return nil, err
	}
	columns.NewCoder(o.Table).Complete(set.Rows)
	set.Table = o.Table
	return set, nil
}

// joinedRows are those of all shards. Neighbours are joined in pairs, so that a row is copied as often as the number of shards can be
// halved.
func joinedRows(ctx context.Context, shards []string, o read.Options) (*data.Set, error) {
	sets := make([]*data.Set, len(shards))
	for i, file := range shards {
		if i > 0 && sets[0].Features != nil && o.Table == nil {
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
