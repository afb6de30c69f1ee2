package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/beam/shard"
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
	said []read.Warning
}

// of are the rows of all shards. They are read unless they were read last, from files of the same names, sizes and times, in the same
// way. They are shared, and must not be changed.
func (k *kept) of(ctx context.Context, s Spec) (*data.Set, []read.Warning, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	from, err := source(s)
	if err != nil {
		return nil, nil, err
	}
	if k.from != from {
		k.from, k.set = "", nil // not both in memory
		set, said, err := table(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		k.from, k.set, k.said = from, set, said
	}
	one := *k.set
	return &one, k.said, nil
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
func table(ctx context.Context, s Spec) (*data.Set, []read.Warning, error) {
	o := s.Read.Reading()
	set, said, err := joinedRows(ctx, s.Shards, nil, o)
	var fault *read.Error
	words := errors.As(err, &fault) && fault.Words()
	o.Numbers = err == nil && columns.Plain(set.Features, set.Rows) && !columns.AmountsOf(set.Answers).Found
	if o.Numbers && !set.Coded && len(o.Drop)+len(o.Features) == 0 || err != nil && !words {
		return set, said, err
	}
	seen, until, ends, err := shard.Ended(s.Shards, func(until []int) (*read.Seen, error) { return look(ctx, s.Shards, until, o) })
	if err != nil {
		return nil, nil, err
	}
	o.Label = seen.Label()
	if o.Table, err = seen.Decide(s.Shards, o); err != nil {
		return nil, nil, err
	}
	ends = append(ends, shard.Guessed(s.Shards, o.Table)...)
	if err := s.Read.Refuse(ends); err != nil {
		return nil, nil, err
	}
	o.Features, o.Drop = nil, nil // the table says it
	if set, said, err = joinedRows(ctx, s.Shards, until, o); err != nil {
		return nil, nil, err
	}
	columns.NewCoder(o.Table).Complete(set.Rows)
	set.Table = o.Table
	return set, append(said, ends...), nil
}

// look looks at the cells of all shards, whose rows end at the lines until, 0 = with the text; nil: all do.
func look(ctx context.Context, shards []string, until []int, o read.Options) (all *read.Seen, err error) {
	for k, file := range shards {
		if until != nil {
			o.Until = until[k]
		}
		seen, err := read.Look(ctx, file, k, o)
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = seen
			continue
		}
		if err := all.Join(seen); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return all, nil
}

// joinedRows are those of all shards, up to the lines until, and what there is to tell of them. Neighbours are joined in pairs, so that a
// row is copied as often as the number of shards can be halved. A shard of which no row is left has none.
func joinedRows(ctx context.Context, shards []string, until []int, o read.Options) (*data.Set, []read.Warning, error) {
	var sets []*data.Set
	var said []read.Warning
	coded := false
	for i, file := range shards {
		if len(sets) > 0 && sets[0].Features != nil && o.Table == nil {
			o.Want, o.Features, o.Drop, o.Label = sets[0].Features, nil, nil, sets[0].LabelName
		}
		if until != nil {
			o.Until = until[i]
		}
		set, warnings, err := read.Open(ctx, file, o)
		if shard.IsEmpty(err) && (len(sets) > 0 || i < len(shards)-1) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		coded = coded || set.Coded
		sets, said = append(sets, set), append(said, warnings...)
	}
	for len(sets) > 1 {
		for i := 0; i < len(sets); i += 2 {
			set := sets[i]
			if i+1 < len(sets) {
				next := sets[i+1]
				rows, err := set.Rows.Append(next.Rows)
				if err != nil {
					return nil, nil, fmt.Errorf("%s: %w", next.Source, err)
				}
				set.Rows, set.Answers, set.Lines = rows, slices.Concat(set.Answers, next.Answers), nil
			}
			sets[i/2] = set
		}
		sets = sets[:(len(sets)+1)/2]
	}
	sets[0].Coded = coded
	return sets[0], said, nil
}
