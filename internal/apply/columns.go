package apply

import "io"

// Column is one of predictions: words or numbers, the other is nil.
type Column struct {
	Name    string
	Words   []string
	Numbers []float64
}

// Columns are those of the batch, in the order of CSV. They are valid until the next batch.
func (p *Answers) Columns() []Column {
	var list []Column
	if p.ID != "" {
		list = append(list, Column{Name: p.ID, Words: p.IDs})
	}
	names := p.Names
	if p.kind != nil {
		list = append(list, Column{Name: names[0], Words: p.class})
		names = names[1:]
	}
	for j, v := range p.values {
		list = append(list, Column{Name: names[j], Numbers: v})
	}
	return list
}

// Writer writes predictions in a format of files that this package does not know.
type Writer interface {
	// Endings are those of the names of such files, as ".parquet", in lower case.
	Endings() []string
	// Begin writes the head of a file with such columns, whose rows are not yet written.
	Begin(w io.Writer, columns []Column) (Rows, error)
}

// Rows is a file that is being written.
type Rows interface {
	// Write writes a batch; all batches have the same columns.
	Write(columns []Column) error
	// Close writes the end of the file; the writer that it goes to stays open.
	Close() error
}
