// Package measure takes the times of runs and says what they mean: quantiles, ratios with their spread, and what this machine can do at
// most, which shares are of. Commands and the suite under bench stand on it; nothing here decides what is computed.
package measure
