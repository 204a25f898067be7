package main

// What of the messages of connectrpc.conformance.v1 matters here.

type credentials struct {
	cert []byte `wire:"1,cert"`
	key  []byte `wire:"2,key"`
}

// start is a ServerCompatRequest, started a ServerCompatResponse.
type start struct {
	tls         bool         `wire:"4,use_tls"`
	client      []byte       `wire:"5,client_tls_cert"`
	limit       uint32       `wire:"6,message_receive_limit"`
	credentials *credentials `wire:"7,server_creds"`
}

type started struct {
	host string `wire:"1,host"`
	port uint32 `wire:"2,port"`
	cert []byte `wire:"3,pem_cert"`
}

type header struct {
	name   string   `wire:"1,name"`
	values []string `wire:"2,value"`
}

type anything struct {
	name  string `wire:"1,type_url"`
	bytes []byte `wire:"2,value"`
}

// failure is an Error, and a google.rpc.Status.
type failure struct {
	code    int32       `wire:"1,code"`
	message string      `wire:"2,message"`
	details []*anything `wire:"3,details"`
}

type definition struct {
	headers  []*header `wire:"1,response_headers"`
	trailers []*header `wire:"4,response_trailers"`
	data     []byte    `wire:"2,response_data"`
	failure  *failure  `wire:"3,error"`
	delay    uint32    `wire:"6,response_delay_ms"`
}

type streamDefinition struct {
	headers  []*header `wire:"1,response_headers"`
	trailers []*header `wire:"5,response_trailers"`
	data     [][]byte  `wire:"2,response_data"`
	failure  *failure  `wire:"4,error"`
	delay    uint32    `wire:"3,response_delay_ms"`
}

type request struct {
	definition *definition `wire:"1,response_definition"`
}

// serverRequest is a ServerStreamRequest, bidiRequest a BidiStreamRequest.
type serverRequest struct {
	definition *streamDefinition `wire:"1,response_definition"`
}

type bidiRequest struct {
	definition *streamDefinition `wire:"1,response_definition"`
	full       bool              `wire:"2,full_duplex"`
}

type info struct {
	headers  []*header   `wire:"1,request_headers"`
	timeout  int64       `wire:"2,timeout_ms"`
	requests []*anything `wire:"3,requests"`
}

type payload struct {
	data []byte `wire:"1,data"`
	info *info  `wire:"2,request_info"`
}

type answer struct {
	payload *payload `wire:"1,payload"`
}
