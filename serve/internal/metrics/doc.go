// Package metrics tells Prometheus what a server does.
//
// Durations, batches and what waits are in the statistics of a service, and its states in its index: they are read when somebody asks for the metrics, so
// that nothing is counted twice. Two things are counted here: the calls of a service by method, protocol and code ([Metrics.Service]), and the loads of models
// ([Metrics.Load]).
//
// Labels are names of models and versions that the service has, never what a client claims, and series end with their model: a server's metrics
// are as many as its models.
package metrics
