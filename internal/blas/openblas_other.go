//go:build !((linux || darwin) && (amd64 || arm64)) || android || nodlopen

package blas

import "errors"

func openLibrary() (engine, error) {
	return nil, errors.New("blas: this build does not look for OpenBLAS")
}
