// Package page has what all pages of the program share: their style sheet, which follows the reader's light or dark scheme,
// fits a telephone and a desk, and prints.
package page

import _ "embed" // the style sheet

//go:embed style.css
var style string

// Style is the style sheet. Pages have a header, a main and a footer; sections, tables, warnings and numbers look as
// they do in a report.
func Style() string { return style }
