package cli

import (
	"slices"
	"strconv"
	"strings"
)

// libsvmFlags are flags of svm-train that mean one thing here too, and the flags that say it, with the text before their value.
var libsvmFlags = map[string][2]string{
	"-c": {"--set", "C="}, "-g": {"--set", "gamma="}, "-p": {"--set", "epsilon="}, "-e": {"--tol", ""}, "-v": {"--cv", ""},
}

// libsvmMachines are the methods of -s by their numbers, "" for those that are not here.
var libsvmMachines = []string{"svm", "", "one-class", "svr", ""}

// libsvmKernels are the kernels of -t by their numbers.
var libsvmKernels = []string{"linear", "polynomial", "gaussian", "sigmoid"}

// habitual turns what people type from the habit of other programs into the program's own words: --version, help VERB, and
// after fit -s, -t, -c, -g, -p, -e, -v, -m, -wLABEL and -q as of svm-train. What it does not know it leaves as it is.
func habitual(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch {
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case args[0] == "help" && len(args) == 1:
		return []string{"-h"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "-h")
	case args[0] != "fit":
		return args
	}
	var own []string
	weights := -1 // where those of classes stand, which svm-train takes one by one
	for i := 0; i < len(args); i++ {
		if args[i] == "-q" {
			own = append(own, "--quiet")
			continue
		}
		if i+1 < len(args) {
			a, value := args[i], args[i+1]
			label, weight := strings.CutPrefix(a, "-w")
			if weight = weight && label != ""; weight && weights >= 0 {
				own[weights] += "," + label + "=" + value
				i++
				continue
			}
			if said := ofTrain(a, value); said != nil {
				if own = append(own, said...); weight {
					weights = len(own) - 1
				}
				i++
				continue
			}
		}
		own = append(own, args[i])
	}
	return own
}

// ofTrain says a flag of svm-train and its value in the program's own words, nil if there are none for it.
func ofTrain(flag, value string) []string {
	numbered := func(own string, words []string) []string {
		if len(value) != 1 || value[0] < '0' || int(value[0]-'0') >= len(words) || words[value[0]-'0'] == "" {
			return nil
		}
		return []string{own, words[value[0]-'0']}
	}
	label, weight := strings.CutPrefix(flag, "-w")
	if _, err := strconv.Atoi(value); flag == "-v" && err != nil {
		return nil // without a number of folds it is --verbose
	}
	switch {
	case flag == "-t":
		return numbered("--kernel", libsvmKernels)
	case flag == "-s":
		return numbered("--method", libsvmMachines)
	case flag == "-m":
		return []string{"--cache", value + "Mi"}
	case weight && label != "":
		return []string{"--class-weight", label + "=" + value}
	}
	if own, ok := libsvmFlags[flag]; ok {
		return []string{own[0], own[1] + value}
	}
	return nil
}
