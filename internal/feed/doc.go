// Package feed makes the inputs of models from files: which forms files have, which files the arguments of a command stand for, which input
// each of them is for, and what is in them. What is done to pictures and sounds then, package pipeline does.
package feed
