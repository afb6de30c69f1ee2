// Package result declares what a fit is asked for and what it answers: plain structs, in the shape of the recipe in a model file and
// of the program's --json.
//
//	Recipe, Input, Options    what is asked: choices, rows, limits and listeners
//	Result, FrontResult       what was found, and their parts
//	UsageError, SetError      what could not be asked
//
// The package fits nothing. Package mercer names the structs that a program needs most often; they are declared here because the
// packages that make the answer stand below mercer.
package result
