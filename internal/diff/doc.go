// Package diff compares two networks. [Compare] finds what differs in their structure: it matches the operators of two
// graphs by what they do and how they are connected, whatever they are called and in whatever order they stand, so that
// one inserted operator is one difference. [Run] executes two networks on the same inputs, operator by operator, and
// measures how far their values are apart and where they part first.
package diff
