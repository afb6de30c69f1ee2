package landmark

// FirstPart is the number of landmarks in the first part of the features.
func FirstPart(f *Folds) int { return f.cut.r }
