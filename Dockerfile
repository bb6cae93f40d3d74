# The static command alone, for linux/amd64 and linux/arm64. The context has it as amd64/doisift and arm64/doisift, from the released archives:
#   docker buildx build --platform linux/amd64,linux/arm64 -f Dockerfile CONTEXT
# Mount what is read: docker run --rm -v "$PWD:/work" IMAGE check refs.bib. The roots of TLS that --online needs are in the command; sources
# at https addresses need those of the system, mounted and named by SSL_CERT_FILE.
FROM scratch
ARG TARGETARCH
COPY --chmod=0755 ${TARGETARCH}/doisift /doisift
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/doisift"]
