package cli

import (
	"context"
	"fmt"
	"net"
	"time"
)

// dialTime is how long a job server may take to answer.
const dialTime = 10 * time.Second

// reachable says in one line that what a flag names does not answer at its address, where Beam would wait.
func reachable(ctx context.Context, flag, endpoint, nobody, remedy string) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("%s %s: %s answers (%w); %s", flag, endpoint, nobody, err, remedy)
	}
	return c.Close()
}
