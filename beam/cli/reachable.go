package cli

import (
	"context"
	"fmt"
	"net"
	"time"
)

// dialTime is how long a job server may take to answer.
const dialTime = 10 * time.Second

// reachable says in one line that nothing answers at the address of a job server, where Beam would wait.
func reachable(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("--endpoint %s: no runner answers (%w); start its job server, as docs/scale.md shows", endpoint, err)
	}
	return c.Close()
}
