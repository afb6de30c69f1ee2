//go:build (linux || darwin) && (amd64 || arm64) && !android && !nodlopen

package blas

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// OpenBLAS through its Fortran symbols, all of whose arguments are pointers:
// no floating-point registers, hence no reflection in the call. A row-major
// matrix is the column-major form of its transpose, so lower and upper, left
// and right change places and nothing is ever copied:
//
//	gemm   C' = op(B)' op(A)'
//	syrk   the upper triangle in column-major is our lower one
//	trsm   op(T) X = B  <=>  X' op(T)' = B'
//	potrf  A = U'U in column-major is our L L', L = U'
//	getrf  A' = P'L U in column-major is our A = (U')(L')P
//
// Fortran compilers pass the lengths of character arguments after the others;
// each call does so too.
type openBLAS struct {
	version string

	sgemm, dgemm, dsyrk, dtrsm, dtrsv, dpotrf, dpotri, dgetrf, dsyevd, set, number uintptr
	// calls recycles arguments, so that a call allocates nothing.
	calls sync.Pool
}

// p spells the conversions that must stand inside a call's argument list: there
// the compiler keeps the memory alive and in place for the length of the call.
type p = unsafe.Pointer

// call holds the scalars of one Fortran call where C can read them.
type call struct {
	m, n, k, lda, ldb, ldc, info, lwork, liwork int32
	alpha, beta                                 float64
	salpha, sbeta                               float32
	c                                           [4]byte
}

var libraryNames = map[string][]string{
	"linux": {
		"libopenblas.so.0", "libopenblas.so", "libopenblasp.so.0",
		"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
		"/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
		"/usr/lib64/libopenblas.so.0", "/usr/lib64/libopenblasp.so.0",
		"/usr/local/lib/libopenblas.so", "/opt/OpenBLAS/lib/libopenblas.so",
	},
	"darwin": {
		"libopenblas.dylib", "libopenblas.0.dylib",
		"/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
		"/usr/local/opt/openblas/lib/libopenblas.dylib",
		"/opt/local/lib/libopenblas.dylib",
	},
}

// waitCycles is the logarithm of the processor cycles for which an idle thread of OpenBLAS
// waits busily for more work: a third of a millisecond, instead of the 2^26 it takes
// by itself, in which it would keep a core from the goroutines that follow a call.
const waitCycles = "20"

// shortenWaits tells OpenBLAS so before it is loaded, unless the user has.
func shortenWaits() {
	const name = "OPENBLAS_THREAD_TIMEOUT"
	if _, given := os.LookupEnv(name); given {
		return
	}
	// Go's own setenv does not reach the environment that C reads.
	setenv, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return // it only waits longer
	}
	key, value := append([]byte(name), 0), append([]byte(waitCycles), 0)
	purego.SyscallN(setenv, uintptr(p(&key[0])), uintptr(p(&value[0])), 1)
}

func openLibrary() (engine, error) {
	shortenWaits()
	var lib uintptr
	var errs []error
	for _, name := range libraryNames[runtime.GOOS] {
		h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			lib = h
			break
		}
		errs = append(errs, err)
	}
	if lib == 0 {
		return nil, fmt.Errorf("blas: OpenBLAS not found (install libopenblas): %w", errs[0])
	}
	o := &openBLAS{calls: sync.Pool{New: func() any { return new(call) }}}
	var config uintptr
	var missing []error
	for name, addr := range map[string]*uintptr{
		"sgemm_": &o.sgemm, "dgemm_": &o.dgemm, "dsyrk_": &o.dsyrk, "dtrsm_": &o.dtrsm, "dtrsv_": &o.dtrsv,
		"dpotrf_": &o.dpotrf, "dpotri_": &o.dpotri, "dgetrf_": &o.dgetrf, "dsyevd_": &o.dsyevd,
		"openblas_set_num_threads": &o.set, "openblas_get_num_threads": &o.number,
		"openblas_get_config": &config,
	} {
		s, err := purego.Dlsym(lib, name)
		if err != nil {
			missing = append(missing, err)
		}
		*addr = s
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("blas: OpenBLAS found but incomplete: %w", errors.Join(missing...))
	}
	var get func() string
	purego.RegisterFunc(&get, config)
	text := get() // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64"
	if strings.Contains(text, "USE64BITINT") {
		return nil, errors.New("blas: OpenBLAS found but built for 64-bit integers; install the standard one")
	}
	o.version = "(unknown version)"
	if f := strings.Fields(text); len(f) > 1 {
		o.version = f[1]
	}
	o.setThreads(1) // small problems, as of the self-test, need wake no others
	return o, nil
}

func (o *openBLAS) name() string {
	return fmt.Sprintf("openblas %s, %d threads", o.version, o.threads())
}

func (o *openBLAS) threads() int {
	n, _, _ := purego.SyscallN(o.number)
	return int(int32(n))
}

func (o *openBLAS) setThreads(n int) { purego.SyscallN(o.set, uintptr(n)) }

func (o *openBLAS) get() *call { return o.calls.Get().(*call) }

func (o *openBLAS) gemm(alpha float64, a, b Op, beta float64, c blas64.General) {
	_, k := a.dims()
	s := o.get()
	s.m, s.n, s.k = int32(c.Rows), int32(c.Cols), int32(k)
	s.lda, s.ldb, s.ldc = int32(a.Stride), int32(b.Stride), int32(c.Stride)
	s.alpha, s.beta = alpha, beta
	s.c[0], s.c[1] = byte(b.trans.word()), byte(a.trans.word())
	purego.SyscallN(
		o.dgemm,
		uintptr(p(&s.c[0])),
		uintptr(p(&s.c[1])),
		uintptr(p(&s.n)),
		uintptr(p(&s.m)),
		uintptr(p(&s.k)),
		uintptr(p(&s.alpha)),
		uintptr(
			p(&b.Data[0]),
		),
		uintptr(p(&s.ldb)),
		uintptr(p(&a.Data[0])),
		uintptr(p(&s.lda)),
		uintptr(p(&s.beta)),
		uintptr(p(&c.Data[0])),
		uintptr(p(&s.ldc)),
		1,
		1,
	)
	o.calls.Put(s)
}

func (o *openBLAS) gemm32(alpha float32, a, b Op32, beta float32, c blas32.General) {
	_, k := a.dims()
	s := o.get()
	s.m, s.n, s.k = int32(c.Rows), int32(c.Cols), int32(k)
	s.lda, s.ldb, s.ldc = int32(a.Stride), int32(b.Stride), int32(c.Stride)
	s.salpha, s.sbeta = alpha, beta
	s.c[0], s.c[1] = byte(b.trans.word()), byte(a.trans.word())
	purego.SyscallN(
		o.sgemm,
		uintptr(p(&s.c[0])),
		uintptr(p(&s.c[1])),
		uintptr(p(&s.n)),
		uintptr(p(&s.m)),
		uintptr(p(&s.k)),
		uintptr(p(&s.salpha)),
		uintptr(
			p(&b.Data[0]),
		),
		uintptr(p(&s.ldb)),
		uintptr(p(&a.Data[0])),
		uintptr(p(&s.lda)),
		uintptr(p(&s.sbeta)),
		uintptr(p(&c.Data[0])),
		uintptr(p(&s.ldc)),
		1,
		1,
	)
	o.calls.Put(s)
}

func (o *openBLAS) syrk(alpha float64, a Op, beta float64, c blas64.General) {
	_, k := a.dims()
	s := o.get()
	s.n, s.k, s.lda, s.ldc = int32(c.Rows), int32(k), int32(a.Stride), int32(c.Stride)
	s.alpha, s.beta = alpha, beta
	s.c[0], s.c[1] = 'U', byte(a.t().trans.word())
	purego.SyscallN(o.dsyrk, uintptr(p(&s.c[0])), uintptr(p(&s.c[1])), uintptr(p(&s.n)), uintptr(p(&s.k)), uintptr(p(&s.alpha)),
		uintptr(p(&a.Data[0])), uintptr(p(&s.lda)), uintptr(p(&s.beta)), uintptr(p(&c.Data[0])), uintptr(p(&s.ldc)), 1, 1)
	o.calls.Put(s)
}

func (o *openBLAS) trsm(side gblas.Side, t triangle, b blas64.General) {
	s := o.get()
	s.m, s.n, s.lda, s.ldb, s.alpha = int32(b.Cols), int32(b.Rows), int32(t.Stride), int32(b.Stride), 1
	s.c[0], s.c[1], s.c[3] = byte(gblas.Right), byte(gblas.Upper), byte(t.diag())
	if side == gblas.Right {
		s.c[0] = byte(gblas.Left)
	}
	if t.upper {
		s.c[1] = byte(gblas.Lower)
	}
	if b.Cols == 1 && side == gblas.Left {
		s.c[2] = byte(t.t().trans.word())
		purego.SyscallN(o.dtrsv, uintptr(p(&s.c[1])), uintptr(p(&s.c[2])), uintptr(p(&s.c[3])), uintptr(p(&s.n)),
			uintptr(p(&t.Data[0])), uintptr(p(&s.lda)), uintptr(p(&b.Data[0])), uintptr(p(&s.ldb)), 1, 1, 1)
	} else {
		s.c[2] = byte(t.trans.word())
		purego.SyscallN(o.dtrsm, uintptr(p(&s.c[0])), uintptr(p(&s.c[1])), uintptr(p(&s.c[2])), uintptr(p(&s.c[3])), uintptr(p(&s.m)),
			uintptr(p(&s.n)), uintptr(p(&s.alpha)),
			uintptr(p(&t.Data[0])), uintptr(p(&s.lda)), uintptr(p(&b.Data[0])), uintptr(p(&s.ldb)), 1, 1, 1, 1)
	}
	o.calls.Put(s)
}

func (o *openBLAS) potrf(a blas64.General) int {
	s := o.get()
	s.n, s.lda, s.c[0] = int32(a.Rows), int32(a.Stride), 'U'
	purego.SyscallN(o.dpotrf, uintptr(p(&s.c[0])), uintptr(p(&s.n)), uintptr(p(&a.Data[0])), uintptr(p(&s.lda)), uintptr(p(&s.info)), 1)
	fail := int(s.info) - 1
	o.calls.Put(s)
	return fail
}

func (o *openBLAS) potri(l blas64.General) {
	s := o.get()
	s.n, s.lda, s.c[0] = int32(l.Rows), int32(l.Stride), 'U'
	purego.SyscallN(o.dpotri, uintptr(p(&s.c[0])), uintptr(p(&s.n)), uintptr(p(&l.Data[0])), uintptr(p(&s.lda)), uintptr(p(&s.info)), 1)
	o.calls.Put(s)
}

func (o *openBLAS) getrf(a blas64.General, piv []int) int {
	s := o.get()
	s.m, s.n, s.lda = int32(a.Cols), int32(a.Rows), int32(a.Stride)
	ipiv := make([]int32, a.Rows)
	purego.SyscallN(
		o.dgetrf,
		uintptr(p(&s.m)),
		uintptr(p(&s.n)),
		uintptr(p(&a.Data[0])),
		uintptr(p(&s.lda)),
		uintptr(p(&ipiv[0])),
		uintptr(p(&s.info)),
	)
	for i, v := range ipiv {
		piv[i] = int(v) - 1
	}
	fail := int(s.info) - 1
	o.calls.Put(s)
	return fail
}

func (o *openBLAS) syev(a blas64.General, w []float64) bool {
	n := a.Rows
	s := o.get()
	work := make([]float64, 1+6*n+2*n*n) // dsyevd's least, and enough
	iwork := make([]int32, 3+5*n)
	s.n, s.lda, s.lwork, s.liwork = int32(n), int32(a.Stride), int32(len(work)), int32(len(iwork))
	s.c[0], s.c[1] = 'V', 'U'
	purego.SyscallN(
		o.dsyevd,
		uintptr(p(&s.c[0])),
		uintptr(p(&s.c[1])),
		uintptr(p(&s.n)),
		uintptr(p(&a.Data[0])),
		uintptr(p(&s.lda)),
		uintptr(p(&w[0])),
		uintptr(p(&work[0])),
		uintptr(p(&s.lwork)),
		uintptr(p(&iwork[0])),
		uintptr(p(&s.liwork)),
		uintptr(p(&s.info)),
		1,
		1,
	)
	ok := s.info == 0
	o.calls.Put(s)
	return ok
}
