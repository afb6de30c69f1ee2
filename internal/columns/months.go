package columns

import "time"

// Months in other languages. A date is read by its layout as it stands, or else with its first word in English.

// months are names of months in lower case, those that languages share among them, each with its number.
var months = monthsOf([12][]string{
	{"jan", "januar", "jänner", "jän", "janvier", "janv", "enero", "ene", "gennaio", "januari", "janeiro"},
	{"feb", "februar", "février", "fevrier", "févr", "febrero", "febbraio", "februari", "fevereiro"},
	{"mar", "märz", "maerz", "mär", "mrz", "mars", "marzo", "maart", "mrt", "março"},
	{"apr", "april", "avril", "avr", "abril", "abr", "aprile"},
	{"may", "mai", "mayo", "maggio", "mei", "maio"},
	{"jun", "juni", "juin", "junio", "giugno", "junho"},
	{"jul", "juli", "juillet", "juil", "julio", "luglio", "julho"},
	{"aug", "august", "août", "aout", "agosto", "augustus"},
	{"sep", "september", "sept", "septembre", "septiembre", "setiembre", "settembre", "setembro"},
	{"oct", "oktober", "okt", "octobre", "octubre", "ottobre", "outubro"},
	{"nov", "november", "novembre", "noviembre", "novembro"},
	{"dec", "dezember", "dez", "décembre", "déc", "diciembre", "dicembre", "december", "dezembro"},
})

func monthsOf(names [12][]string) map[string]time.Month {
	list := map[string]time.Month{}
	for m, all := range names {
		for _, name := range all {
			list[name] = time.Month(m + 1)
		}
	}
	return list
}

// isLetter says whether a byte is a letter of ASCII, or part of a character that is none.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

// inEnglish is a cell whose first word is a month, with that as a layout spells it: whole, or its first three letters. A point behind an
// abbreviation goes.
func inEnglish(cell []byte, whole bool) (string, bool) {
	from := 0
	for from < len(cell) && !isLetter(cell[from]) {
		from++
	}
	to := from
	var lower [longestDate]byte
	for to < len(cell) && isLetter(cell[to]) && to-from < len(lower) {
		if lower[to-from] = cell[to]; cell[to] < 0x80 {
			lower[to-from] |= 0x20
		}
		to++
	}
	month, ok := months[string(lower[:to-from])]
	if !ok {
		return "", false
	}
	name := month.String()
	if !whole {
		name = name[:3]
	}
	if to+1 < len(cell) && cell[to] == '.' && cell[to+1] == ' ' {
		to++
	}
	return string(cell[:from]) + name + string(cell[to:]), true
}
