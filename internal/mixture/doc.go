// Package mixture says what rows without labels show of clusters: how many Gaussians of one
// spherical variance explain them best, which directions stand out from noise, and the two
// together as features that a kernel can be made of.
//
// Change here how clusters are found. Which evidence is enough for a machine to be tried is a
// matter of Evidence; what the machine is, of packages kernel and design.
package mixture
