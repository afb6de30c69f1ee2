package columns

// AppendQuoted adds a cell of CSV in quotes.
func AppendQuoted(text, cell []byte) []byte {
	text = append(text, '"')
	for _, c := range cell {
		if c == '"' {
			text = append(text, '"')
		}
		text = append(text, c)
	}
	return append(text, '"')
}
