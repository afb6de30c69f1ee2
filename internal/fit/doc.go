// Package fit leads from a recipe and rows to an answer, stage by stage: what is asked is checked and read by the declarations of its
// method, its cost is foreseen, a scaling is chosen, the method trains its candidates, and its rule chooses from them. Package mercer is
// the door to it.
//
// Change here what comes before and after the training of all methods; what one method does belongs to package method.
package fit
