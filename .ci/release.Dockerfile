# The action's image in a release: the same files as in ../Dockerfile, with the program that the release contains. The
# context is the directory that `go run ./cmd/release build` wrote. Nothing is run, so any machine builds it for any other.
FROM golang:1.26-bookworm AS certificates

FROM scratch
ARG VERSION
ARG TARGETARCH
LABEL org.opencontainers.image.source=https://github.com/closeout-gate/closeout
COPY --from=certificates /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY closeout_${VERSION}_linux_${TARGETARCH} /closeout
ENTRYPOINT ["/closeout"]
CMD ["action"]
