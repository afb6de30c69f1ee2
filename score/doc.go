// Package score judges hyper-parameters: what a machine predicts for labelled rows
// whose labels it was not given, in closed form or by training again, and the
// derivative of that by every parameter. Every score is a param.Objective.
//
// A new criterion or bound is a file here; package internal/task gives it its word.
package score
