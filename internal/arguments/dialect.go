package arguments

// Dialect are the flags that say how the text of a table is written, which is found out without them.
type Dialect struct {
	Delimiter string   `help:"What divides the cells of CSV: a character, or tab." placeholder:"CHAR|tab"`
	Header    string   `help:"Lines that name the columns, or none." placeholder:"N|none"`
	Skip      string   `help:"Lines above the names, which are passed over." placeholder:"N"`
	Quote     string   `help:"What cells are quoted with, or none." placeholder:"CHAR|none"`
	Comment   string   `help:"What lines begin with that are passed over, or none." placeholder:"CHAR|none"`
	Decimal   string   `help:"Decimal mark of numbers." enum:",comma,point" default:"" placeholder:"comma|point"`
	Missing   []string `help:"Cells that stand for missing ones, beside empty, NA and the like; COLUMN=VALUE in one." placeholder:"VALUE"`
	Strict    bool     `help:"Refuse a file where something unusual has to be guessed."`
}

// Given says whether any of the flags was.
func (d Dialect) Given() bool {
	return d.Delimiter+d.Header+d.Skip+d.Quote+d.Comment+d.Decimal != "" || len(d.Missing) > 0 || d.Strict
}
