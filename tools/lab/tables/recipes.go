package tables

// recipe makes a dirty table of a clean one. A step dirties some columns, which are counted from 0.
type recipe struct {
	set, file string // as mercer and the folder of data know it
	dirt      string // in words
	steps     []step
	delimiter string // "" is a comma
	commas    bool   // decimal commas
	mark      bool   // a byte-order mark
	latin     bool   // Latin-1
	rare      float64
	whole     bool // the target in whole numbers
}

func (r recipe) name() string { return r.set + "-" + short(r.dirt) }

// recipes are thirty tables: each dirt stands alone once at least, and most stand together.
func recipes() []recipe {
	return []recipe{
		{set: "iris", dirt: "ids, words for quarters", steps: []step{id("id"), words(2, 4)}},
		{set: "wine", dirt: "missing cells", steps: []step{missing(0.1, "", 0, 3, 6, 9)}},
		{set: "breast-cancer", dirt: "missing marks, units", steps: []step{missing(0.05, "?", 1, 4), unit(0, "mm"), unit(2, "mm")}},
		{set: "digits", dirt: "constant columns, names", steps: []step{names("image"), constant("source", "scan")}},
		{set: "heart", file: "heart_statlog.csv", dirt: "words, yes and no", steps: []step{words(2, 4), yesNo(1, "yes", "no"),
			yesNo(8, "Y", "N")}},
		{set: "heart", file: "heart_statlog.csv", dirt: "semicolons, decimal commas", delimiter: ";", commas: true,
			steps: []step{missing(0.05, "NA", 3, 4)}},
		{set: "australian", file: "australian.csv", dirt: "words, missing words", steps: []step{words(3, 3), words(4, 8), missing(0.1,
			"", 3, 4)}},
		{set: "australian", file: "australian.csv", dirt: "thousands, unequal classes", rare: 0.05, steps: []step{thousands(13)}},
		{set: "pima", file: "pima_diabetes.csv", dirt: "dates, ids", steps: []step{id("patient_id"), date(7, "2006-01-02"),
			missing(0.1, "null", 3)}},
		{set: "pima", file: "pima_diabetes.csv", dirt: "unequal classes", rare: 0.03, steps: []step{missing(0.05, "", 4)}},
		{set: "glass", file: "glass.csv", dirt: "tabs, units", delimiter: "\t", steps: []step{unit(1, "%"), unit(2, "%"), unit(3, "%")}},
		{set: "glass", file: "glass.csv", dirt: "Latin-1, words", latin: true, steps: []step{towns(6, 5), names("Pröbe")}},
		{set: "vehicle", file: "vehicle.csv", dirt: "mark, missing", mark: true, steps: []step{missing(0.1, "n/a", 0, 5, 10),
			id("unnamed")}},
		{set: "vowel", file: "vowel.csv", dirt: "semicolons, ids", delimiter: ";", commas: true, steps: []step{id("No")}},
		{set: "liver", file: "liver_bupa.csv", dirt: "dashes for missing", steps: []step{missing(0.1, "-", 0, 2), unit(5, "ml")}},
		{set: "sonar", file: "sonar.csv", dirt: "tabs, missing", delimiter: "\t", steps: []step{missing(0.05, "NaN", 3, 9, 20, 33),
			constant("ship", "A")}},
		{set: "seeds", file: "seeds.csv", dirt: "dates, noise words", steps: []step{date(0, "02.01.2006"), noise("farm", 12)}},
		{set: "parkinsons", file: "parkinsons.csv", dirt: "names, missing", steps: []step{names("phon"), missing(0.08, "", 2, 8, 15)}},
		{set: "wdbc", file: "wdbc.csv", dirt: "unequal classes, units", rare: 0.02, steps: []step{unit(0, "mm"), id("ID")}},
		{set: "segment", file: "segment.csv.gz", dirt: "words, constants", steps: []step{words(1, 6), constant("camera", "1")}},
		{set: "boston", file: "boston.csv", dirt: "missing, yes and no", steps: []step{missing(0.1, "", 0, 5, 7),
			yesNo(3, "true", "false")}},
		{set: "boston", file: "boston.csv", dirt: "whole targets, ids", whole: true, steps: []step{id("house")}},
		{set: "autompg", file: "autompg.csv", dirt: "words, units", steps: []step{words(0, 3), unit(3, "lbs"), towns(6, 3)}},
		{set: "autompg", file: "autompg.csv", dirt: "semicolons, decimal commas", delimiter: ";", commas: true, steps: []step{date(5,
			"02.01.2006")}},
		{set: "diabetes", file: "diabetes_reg.csv", dirt: "whole targets, missing", whole: true, steps: []step{missing(0.1, "?", 2, 3, 8)}},
		{set: "diabetes", file: "diabetes_reg.csv", dirt: "dates of slashes", steps: []step{date(0, "01/02/2006"), noise("clinic", 6)}},
		{set: "abalone", file: "abalone.csv.gz", dirt: "whole targets, words", whole: true, steps: []step{words(0, 3), unit(1, "cm")}},
		{set: "space_ga", file: "space_ga.csv.gz", dirt: "thousands, mark", mark: true, steps: []step{thousands(0), id("county_id")}},
		{set: "mg", file: "mg_scale.csv", dirt: "tabs, missing", delimiter: "\t", steps: []step{missing(0.05, "", 0, 1, 2)}},
		{set: "banana", file: "banana.csv", dirt: "times, noise", steps: []step{date(0, "2006-01-02 15:04"), noise("shift", 3),
			missing(0.05, "", 1)}},
	}
}
