// Package cite names the sources, so that all texts cite them alike.
//
// A new source is a constant here.
package cite

// The five documents that the project implements, and as they are cited.
const (
	Becker    = "Becker 2013 (dissertation, Unicamp)"
	Klatzer   = "Klatzer 2014 (master's thesis, TU Graz)"
	Kokshenev = "Kokshenev 2010 (thesis, UFMG)"
	Rosasco   = "Odone & Rosasco 2014 (MLCC, lecture 3)"
	Sindhwani = "Sindhwani 2007 (thesis, Chicago)"
)
