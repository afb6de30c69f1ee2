// Package bench holds the benchmarks of Mercer's claims about speed and memory;
// README.md says how they are run and what bounds them from below.
package bench
