package cli

import "slices"

// libsvmFlags are flags of svm-train that mean one thing here too, and the flags that say it.
var libsvmFlags = map[string]string{"-c": "C=", "-g": "gamma="}

// libsvmKernels are the kernels of -t by their numbers.
var libsvmKernels = []string{"linear", "polynomial", "gaussian", "sigmoid"}

// habitual turns what people type from the habit of other programs into the program's own words: --version, help VERB, and
// after fit -c, -g and -t as of svm-train. What it does not know it leaves as it is.
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
	for i := 0; i < len(args); i++ {
		a, last := args[i], i == len(args)-1
		if name, ok := libsvmFlags[a]; ok && !last {
			i++
			own = append(own, "--set", name+args[i])
			continue
		}
		if at := -1; a == "-t" && !last {
			if len(args[i+1]) == 1 {
				at = int(args[i+1][0]) - '0'
			}
			if at >= 0 && at < len(libsvmKernels) {
				i++
				own = append(own, "--kernel", libsvmKernels[at])
				continue
			}
		}
		own = append(own, a)
	}
	return own
}
