// Package rpc serves the Open Inference Protocol over gRPC: the service inference.GRPCInferenceService, with Triton's extensions for model
// configurations, statistics, the repository and streams, and the service grpc.health.v1.Health. What it does not have is answered UNIMPLEMENTED.
//
// inference.proto declares the messages for clients; the tables here follow it.
package rpc
