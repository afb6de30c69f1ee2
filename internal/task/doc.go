// Package task holds what a method is asked to do. That is the recipe and the rows to learn
// from and, once prepared, the scaled rows, the labels, the kernel and the folds that every
// method starts from.
//
// Change here what all methods share: a setting that several of them have, the words of scores
// and searches, how rows are prepared. What one method alone does belongs to package method.
package task
