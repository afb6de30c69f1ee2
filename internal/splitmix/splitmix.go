// Package splitmix makes one number as random as those of a generator from any numbers, the same wherever and in whatever order it is
// asked for: what is drawn by it does not depend on who draws.
package splitmix

// Hash mixes numbers, by the finaliser of SplitMix64 after each (Steele, Lea and Flood, OOPSLA 2014).
func Hash(list ...uint64) uint64 {
	x := uint64(0x9e3779b97f4a7c15)
	for _, v := range list {
		x += v + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}
