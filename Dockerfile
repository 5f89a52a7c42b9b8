# One static binary that runs as nobody, in an image with nothing else but the
# public certificate authorities. No secret is part of it: they come from the
# environment, see "pixlab receiver --help".
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /pixlab ./cmd/pixlab

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /pixlab /pixlab
USER 65532:65532
ENTRYPOINT ["/pixlab"]
