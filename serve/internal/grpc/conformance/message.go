package main

import "github.com/concord-nn/concord/internal/wire"

// What of the messages of connectrpc.conformance.v1 matters here.

type credentials struct{ cert, key []byte }

// start is a ServerCompatRequest, started a ServerCompatResponse.
type start struct {
	tls         bool
	client      []byte
	limit       uint32
	credentials *credentials
}

type started struct {
	host string
	port uint32
	cert []byte
}

type header struct {
	name   string
	values []string
}

type anything struct {
	name  string
	bytes []byte
}

// failure is an Error, and a google.rpc.Status.
type failure struct {
	code    int32
	message string
	details []*anything
}

type definition struct {
	headers, trailers []*header
	data              []byte
	failure           *failure
	delay             uint32
}

type streamDefinition struct {
	headers, trailers []*header
	data              [][]byte
	failure           *failure
	delay             uint32
}

type request struct{ definition *definition }

type streamRequest struct {
	definition *streamDefinition
	full       bool // of a BidiStreamRequest; the field 2 of a ServerStreamRequest is data that nothing depends on
}

type info struct {
	headers  []*header
	timeout  int64
	requests []*anything
}

type payload struct {
	data []byte
	info *info
}

type answer struct{ payload *payload }

var (
	credentialsFields      wire.Table[credentials]
	startFields            wire.Table[start]
	startedFields          wire.Table[started]
	headerFields           wire.Table[header]
	anyFields              wire.Table[anything]
	failureFields          wire.Table[failure]
	definitionFields       wire.Table[definition]
	streamDefinitionFields wire.Table[streamDefinition]
	requestFields          wire.Table[request]
	serverStreamFields     wire.Table[streamRequest]
	bidiStreamFields       wire.Table[streamRequest]
	infoFields             wire.Table[info]
	payloadFields          wire.Table[payload]
	answerFields           wire.Table[answer]
)

func init() {
	credentialsFields.Set(
		wire.Row(1, "cert", wire.Data(func(m *credentials) *[]byte { return &m.cert })),
		wire.Row(2, "key", wire.Data(func(m *credentials) *[]byte { return &m.key })),
	)
	startFields.Set(
		wire.Row(4, "use_tls", wire.Number(wire.Bool, func(m *start) *bool { return &m.tls })),
		wire.Row(5, "client_tls_cert", wire.Data(func(m *start) *[]byte { return &m.client })),
		wire.Row(6, "message_receive_limit", wire.Number(wire.Narrowed, func(m *start) *uint32 { return &m.limit })),
		wire.Row(7, "server_creds", wire.One(&credentialsFields, func(m *start) **credentials { return &m.credentials })),
	)
	startedFields.Set(
		wire.Row(1, "host", wire.Text(func(m *started) *string { return &m.host })),
		wire.Row(2, "port", wire.Number(wire.Narrowed, func(m *started) *uint32 { return &m.port })),
		wire.Row(3, "pem_cert", wire.Data(func(m *started) *[]byte { return &m.cert })),
	)
	headerFields.Set(
		wire.Row(1, "name", wire.Text(func(m *header) *string { return &m.name })),
		wire.Row(2, "value", wire.Texts(func(m *header) *[]string { return &m.values })),
	)
	anyFields.Set(
		wire.Row(1, "type_url", wire.Text(func(m *anything) *string { return &m.name })),
		wire.Row(2, "value", wire.Data(func(m *anything) *[]byte { return &m.bytes })),
	)
	failureFields.Set(
		wire.Row(1, "code", wire.Enum(func(m *failure) *int32 { return &m.code })),
		wire.Row(2, "message", wire.Text(func(m *failure) *string { return &m.message })),
		wire.Row(3, "details", wire.Many(&anyFields, func(m *failure) *[]*anything { return &m.details })),
	)
	definitionFields.Set(
		wire.Row(1, "response_headers", wire.Many(&headerFields, func(m *definition) *[]*header { return &m.headers })),
		wire.Row(2, "response_data", wire.Data(func(m *definition) *[]byte { return &m.data })),
		wire.Row(3, "error", wire.One(&failureFields, func(m *definition) **failure { return &m.failure })),
		wire.Row(4, "response_trailers", wire.Many(&headerFields, func(m *definition) *[]*header { return &m.trailers })),
		wire.Row(6, "response_delay_ms", wire.Number(wire.Narrowed, func(m *definition) *uint32 { return &m.delay })),
	)
	streamDefinitionFields.Set(
		wire.Row(1, "response_headers", wire.Many(&headerFields, func(m *streamDefinition) *[]*header { return &m.headers })),
		wire.Row(2, "response_data", wire.Datas(func(m *streamDefinition) *[][]byte { return &m.data })),
		wire.Row(3, "response_delay_ms", wire.Number(wire.Narrowed, func(m *streamDefinition) *uint32 { return &m.delay })),
		wire.Row(4, "error", wire.One(&failureFields, func(m *streamDefinition) **failure { return &m.failure })),
		wire.Row(5, "response_trailers", wire.Many(&headerFields, func(m *streamDefinition) *[]*header { return &m.trailers })),
	)
	requestFields.Set(wire.Row(1, "response_definition", wire.One(&definitionFields, func(m *request) **definition { return &m.definition })))
	definitionRow := wire.Row(1, "response_definition",
		wire.One(&streamDefinitionFields, func(m *streamRequest) **streamDefinition { return &m.definition }))
	serverStreamFields.Set(definitionRow)
	bidiStreamFields.Set(
		definitionRow,
		wire.Row(2, "full_duplex", wire.Number(wire.Bool, func(m *streamRequest) *bool { return &m.full })),
	)
	infoFields.Set(
		wire.Row(1, "request_headers", wire.Many(&headerFields, func(m *info) *[]*header { return &m.headers })),
		wire.Row(2, "timeout_ms", wire.Number(wire.Signed, func(m *info) *int64 { return &m.timeout })),
		wire.Row(3, "requests", wire.Many(&anyFields, func(m *info) *[]*anything { return &m.requests })),
	)
	payloadFields.Set(
		wire.Row(1, "data", wire.Data(func(m *payload) *[]byte { return &m.data })),
		wire.Row(2, "request_info", wire.One(&infoFields, func(m *payload) **info { return &m.info })),
	)
	answerFields.Set(wire.Row(1, "payload", wire.One(&payloadFields, func(m *answer) **payload { return &m.payload })))
}
