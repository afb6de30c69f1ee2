package tables

// compact are bytes in the compact protocol of Thrift, in which Parquet writes what it says of itself. Reading takes from the front.
type compact []byte

// The kinds of values; a truth value within a structure is its kind alone.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindI16    = 4
	kindI32    = 5
	kindI64    = 6
	kindDouble = 7
	kindText   = 8
	kindList   = 9
	kindSet    = 10
	kindMap    = 11
	kindStruct = 12
	kindUUID   = 13
)

// structure reads one to its end. Each is called with the number and kind of every field, and says whether it took the value;
// others are passed over. Lists, texts and maps that are said to be longer than what follows are errors, whosever they are.
func (c *compact) structure(depth int, each func(field int16, kind byte) (took bool, err error)) error {
	if depth > mostDepth {
		return errSizes
	}
	for field := int16(0); ; {
		head, err := c.octet()
		kind := head & 15
		if err != nil || kind == 0 {
			return err
		}
		if step := int16(head >> 4); step > 0 {
			field += step
		} else {
			v, err := c.signed()
			if err != nil {
				return err
			}
			field = int16(v)
		}
		took := false
		if each != nil {
			took, err = each(field, kind)
		}
		if err == nil && !took {
			err = c.pass(kind, depth)
		}
		if err != nil {
			return err
		}
	}
}

// pass goes over a value.
func (c *compact) pass(kind byte, depth int) (err error) {
	switch kind {
	case kindTrue, kindFalse:
	case kindByte:
		_, err = c.octet()
	case kindI16, kindI32, kindI64:
		_, err = c.number()
	case kindDouble:
		_, err = c.take(8)
	case kindUUID:
		_, err = c.take(16)
	case kindText:
		_, err = c.text()
	case kindStruct:
		err = c.structure(depth+1, nil)
	case kindList, kindSet:
		n, of, e := c.list()
		for err = e; n > 0 && err == nil; n-- {
			err = c.element(of, depth+1)
		}
	case kindMap:
		n, e := c.length()
		if e != nil || n == 0 {
			return e
		}
		of, e := c.octet()
		for err = e; n > 0 && err == nil; n-- {
			if err = c.element(of>>4, depth+1); err == nil {
				err = c.element(of&15, depth+1)
			}
		}
	default:
		err = errSizes
	}
	return err
}

// element passes over one of a list or a map, where truth values have a byte.
func (c *compact) element(kind byte, depth int) error {
	if kind == kindTrue || kind == kindFalse {
		kind = kindByte
	}
	if depth > mostDepth {
		return errSizes
	}
	return c.pass(kind, depth)
}

// list begins one: how many elements there are, each of a byte at least, and of which kind.
func (c *compact) list() (n int, kind byte, err error) {
	head, err := c.octet()
	if err != nil {
		return 0, 0, err
	}
	if n = int(head >> 4); n == 15 {
		n, err = c.length()
	}
	if n > len(*c) {
		err = errSizes
	}
	return n, head & 15, err
}

// structures reads a list of structures.
func (c *compact) structures(depth int, each func(i int) error) error {
	n, kind, err := c.list()
	if err != nil || n == 0 {
		return err
	}
	if kind != kindStruct || depth > mostDepth {
		return errSizes
	}
	for i := 0; i < n && err == nil; i++ {
		err = each(i)
	}
	return err
}

func (c *compact) text() ([]byte, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	return c.take(n)
}

// length is one of no more than what follows.
func (c *compact) length() (int, error) {
	v, err := c.number()
	n := int32(v)
	if err != nil || n < 0 || int(n) > len(*c) {
		return 0, errSizes
	}
	return int(n), nil
}

func (c *compact) i32() (int32, error) {
	v, err := c.signed()
	return int32(v), err
}

func (c *compact) signed() (int64, error) {
	v, err := c.number()
	return int64(v>>1) ^ -int64(v&1), err
}

// number is one of as many groups of seven bits as it has; what is beyond 64 bits is lost, as the library loses it.
func (c *compact) number() (v uint64, err error) {
	for shift := 0; ; shift += 7 {
		b, err := c.octet()
		if err != nil {
			return 0, err
		}
		if v |= uint64(b&127) << shift; b < 128 {
			return v, nil
		}
	}
}

func (c *compact) octet() (byte, error) {
	b, err := c.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func (c *compact) take(n int) ([]byte, error) {
	if n < 0 || n > len(*c) {
		return nil, errSizes
	}
	b := (*c)[:n]
	*c = (*c)[n:]
	return b, nil
}
