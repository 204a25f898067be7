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
	credentialsFields.Set(func(m *credentials) []wire.Field {
		return []wire.Field{
			wire.Data(1, "cert", &m.cert),
			wire.Data(2, "key", &m.key),
		}
	})
	startFields.Set(func(m *start) []wire.Field {
		return []wire.Field{
			wire.Number(4, "use_tls", wire.Bool, &m.tls),
			wire.Data(5, "client_tls_cert", &m.client),
			wire.Number(6, "message_receive_limit", wire.Narrowed, &m.limit),
			wire.One(7, "server_creds", &credentialsFields, &m.credentials),
		}
	})
	startedFields.Set(func(m *started) []wire.Field {
		return []wire.Field{
			wire.Text(1, "host", &m.host),
			wire.Number(2, "port", wire.Narrowed, &m.port),
			wire.Data(3, "pem_cert", &m.cert),
		}
	})
	headerFields.Set(func(m *header) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Texts(2, "value", &m.values),
		}
	})
	anyFields.Set(func(m *anything) []wire.Field {
		return []wire.Field{
			wire.Text(1, "type_url", &m.name),
			wire.Data(2, "value", &m.bytes),
		}
	})
	failureFields.Set(func(m *failure) []wire.Field {
		return []wire.Field{
			wire.Enum(1, "code", &m.code),
			wire.Text(2, "message", &m.message),
			wire.Many(3, "details", &anyFields, &m.details),
		}
	})
	definitionFields.Set(func(m *definition) []wire.Field {
		return []wire.Field{
			wire.Many(1, "response_headers", &headerFields, &m.headers),
			wire.Data(2, "response_data", &m.data),
			wire.One(3, "error", &failureFields, &m.failure),
			wire.Many(4, "response_trailers", &headerFields, &m.trailers),
			wire.Number(6, "response_delay_ms", wire.Narrowed, &m.delay),
		}
	})
	streamDefinitionFields.Set(func(m *streamDefinition) []wire.Field {
		return []wire.Field{
			wire.Many(1, "response_headers", &headerFields, &m.headers),
			wire.Datas(2, "response_data", &m.data),
			wire.Number(3, "response_delay_ms", wire.Narrowed, &m.delay),
			wire.One(4, "error", &failureFields, &m.failure),
			wire.Many(5, "response_trailers", &headerFields, &m.trailers),
		}
	})
	requestFields.Set(func(m *request) []wire.Field {
		return []wire.Field{wire.One(1, "response_definition", &definitionFields, &m.definition)}
	})
	serverStreamFields.Set(func(m *streamRequest) []wire.Field {
		return []wire.Field{wire.One(1, "response_definition", &streamDefinitionFields, &m.definition)}
	})
	bidiStreamFields.Set(func(m *streamRequest) []wire.Field {
		return []wire.Field{
			wire.One(1, "response_definition", &streamDefinitionFields, &m.definition),
			wire.Number(2, "full_duplex", wire.Bool, &m.full),
		}
	})
	infoFields.Set(func(m *info) []wire.Field {
		return []wire.Field{
			wire.Many(1, "request_headers", &headerFields, &m.headers),
			wire.Number(2, "timeout_ms", wire.Signed, &m.timeout),
			wire.Many(3, "requests", &anyFields, &m.requests),
		}
	})
	payloadFields.Set(func(m *payload) []wire.Field {
		return []wire.Field{
			wire.Data(1, "data", &m.data),
			wire.One(2, "request_info", &infoFields, &m.info),
		}
	})
	answerFields.Set(func(m *answer) []wire.Field { return []wire.Field{wire.One(1, "payload", &payloadFields, &m.payload)} })
}
