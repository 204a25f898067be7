// Package random makes models of CVM that are legal by construction, or broken in one place, for tests: graphs over all operators with all
// forms of their attributes, parameters and inputs biased to the bounds of their precisions, and storage plans that reuse and, on demand,
// overlap. What an application yields it learns from package formal.
package random
