# The action's image: one static binary and the CA certificates. It runs as root because the files that the runner
# mounts belong to another user.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY cmd cmd
COPY internal internal
COPY schema schema
COPY verify verify
RUN CGO_ENABLED=0 GOFLAGS="$(cat cmd/release/flags.txt)" go build -o /closeout ./cmd/closeout

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /closeout /closeout
ENTRYPOINT ["/closeout"]
CMD ["action"]
