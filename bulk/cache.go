package bulk

import "crypto/sha256"

type cache struct{}

func openCache(string, int64) (*cache, error) { return nil, usage("no cache yet") }

func (c *cache) get(model string, input [sha256.Size]byte) *answer    { return nil }
func (c *cache) put(model string, input [sha256.Size]byte, a *answer) {}
