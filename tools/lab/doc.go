// Package lab holds the benchmarks of Mercer's claims about speed and memory;
// README.md says how they are run and what bounds them from below.
//
// A new benchmark is a file here, and a program that prints a table a folder below.
package lab
