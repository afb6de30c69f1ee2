package reproduce

import "maps"

// protocols are what runs the experiments, by their ids.
func protocols() map[string]protocol {
	all := map[string]protocol{"lecture-fit": lectureFit}
	for _, of := range []map[string]protocol{beckerProtocols(), klatzerProtocols(), kokshenevProtocols(), sindhwaniProtocols()} {
		maps.Copy(all, of)
	}
	return all
}

func beckerProtocols() map[string]protocol {
	return map[string]protocol{
		"becker-f3.1":     beckerF31,
		"becker-f3.2":     beckerF32,
		"becker-f4.1":     beckerF41(coil20),
		"becker-f4.2":     beckerF41(uspst),
		"becker-f4.3":     beckerF43(coil20, 40, 160),
		"becker-f4.4":     beckerF43(uspst, 50, 200),
		"becker-f4.5":     beckerF45,
		"becker-f4.6":     beckerF46(table42[1]),
		"becker-f4.7":     beckerF46(table42[4]),
		"becker-t4.2":     beckerT42,
		"becker-t4.2-fit": beckerFit,
		"becker-press":    beckerPress,
	}
}

func klatzerProtocols() map[string]protocol {
	photographs, things := []dataset{fashionSet, coilSet}, []dataset{fashionSet, uspsSet} // in the place of those of the source
	penalties, gammas := []float64{1, 10, 100, 1000}, []float64{0.5, 1, 1.5, 2}
	return map[string]protocol{
		"klatzer-t5.1":     klatzerT51,
		"klatzer-t5.2":     klatzerT52,
		"klatzer-t5.3":     klatzerT53,
		"klatzer-t5.4":     klatzerT54,
		"klatzer-t5.5":     klatzerT55,
		"klatzer-t5.6":     klatzerT56,
		"klatzer-t5.6-fit": klatzerFit,
		"klatzer-t5.7":     klatzerT57,
		"klatzer-f5.2":     klatzerF52,
		"klatzer-f5.4":     klatzerF54,
		"klatzer-f5.8":     klatzerF58,
		"klatzer-f5.9":     klatzerF59,
		"klatzer-f5.10":    klatzerF510,
		"klatzer-f5.11":    klatzerF511,
		"klatzer-f5.12":    klatzerF512,
		"klatzer-f6.1":     klatzerF61,
		"klatzer-f6.2":     againstGrid{caltech(10), photographs, chiSquareModel(), []float64{0.5, 1}, points(gammas, gammas)}.run,
		"klatzer-f6.3":     againstGrid{graz, things, chiSquareMapModel(), []float64{10}, points(penalties)}.run,
		"klatzer-f6.4":     againstGrid{graz, things, chiSquareModel(), []float64{0.5, 1}, points(penalties, gammas)}.run,
		"klatzer-f6.5":     klatzerF65,
	}
}

func kokshenevProtocols() map[string]protocol {
	return map[string]protocol{
		"kokshenev-t4.1":     kokshenevT41,
		"kokshenev-t4.1-fit": kokshenevFit,
		"kokshenev-f4.4":     kokshenevF44,
		"kokshenev-t4.2":     kokshenevT42,
		"kokshenev-t4.3":     kokshenevT43,
		"kokshenev-t4.4":     kokshenevT44,
		"kokshenev-t5.3":     searchesCompared(machineSet.gaussians, 0),
		"kokshenev-t5.4":     searchesCompared(machineSet.polynomials, 1),
		"kokshenev-fC":       kokshenevMaps,
		"kokshenev-t5.5":     printedTests("kokshenev-t5.3"),
		"kokshenev-t5.6":     printedTests("kokshenev-t5.4"),
	}
}

func sindhwaniProtocols() map[string]protocol {
	text := textFigures()
	return map[string]protocol{
		"sindhwani-f2.3":        sindhwaniPlane("circles-det", circlePairs),
		"sindhwani-f2.4":        sindhwaniPlane("moons-det", moonPairs),
		"sindhwani-f2.5":        sindhwaniF25,
		"sindhwani-f2.6":        sindhwaniF26,
		"sindhwani-f2.7":        sindhwaniF27,
		"sindhwani-t2.3":        sindhwaniT23,
		"sindhwani-t2.4":        sindhwaniT24,
		"sindhwani-t2.4-fit":    sindhwaniFit,
		"sindhwani-f2.8":        sindhwaniF28,
		"sindhwani-t2.6":        sindhwaniT26,
		"sindhwani-t2.6-quoted": sindhwaniT26Quoted,
		"sindhwani-t2.7":        sindhwaniT27,
		"sindhwani-t2.8":        sindhwaniT28,
		"sindhwani-t2.9":        sindhwaniT29,
		"sindhwani-f2.9":        sindhwaniF29,
		"sindhwani-f2.10":       sindhwaniClusters("moons-det", 6, 0.25, 0.5),
		"sindhwani-f2.11":       sindhwaniClusters("two-spirals:n=600", 2, 0.25, 0.5, 1),
		"sindhwani-t3.1":        sindhwaniT31,
		"sindhwani-t3.2":        sindhwaniT32,
		"sindhwani-t3.4":        sindhwaniT34,
		"sindhwani-t3.6":        sindhwaniT36,
		"sindhwani-t3.7":        sindhwaniT37,
		"sindhwani-f3.1":        sindhwaniF31,
		"sindhwani-f3.4":        sindhwaniF34,
		"sindhwani-f3.5":        sindhwaniF35,
		"sindhwani-f3.6":        sindhwaniF36,
		"sindhwani-f4.2":        sindhwaniF42,
		"sindhwani-f4.3":        sindhwaniF43,
		"sindhwani-t4.1":        sindhwaniT41,
		"sindhwani-t5.1":        sindhwaniT51,
		"sindhwani-t5.2":        sindhwaniT52,
		"sindhwani-t5.3":        sindhwaniT53,
		"sindhwani-t5.4":        sindhwaniT54,
		"sindhwani-t5.5":        sindhwaniT55,
		"sindhwani-f5.1":        sindhwaniF51,
		"sindhwani-f5.2":        sindhwaniF52,
		"sindhwani-t6.1":        sindhwaniT61,
		"sindhwani-t6.2":        sindhwaniFull(table62, table64, table66),
		"sindhwani-f6.1":        sindhwaniF6(text[0]),
		"sindhwani-f6.2":        sindhwaniF6(text[1]),
		"sindhwani-f6.3":        sindhwaniF6(text[2]),
		"sindhwani-f6.4":        sindhwaniF6(text[3]),
	}
}
