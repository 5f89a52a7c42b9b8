module github.com/pixlab/pixlab

go 1.26

require (
	github.com/getkin/kin-openapi v0.153.0 // indirect
	github.com/gorilla/mux v1.8.1 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
