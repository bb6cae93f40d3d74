#!/bin/sh
# Builds the native part, in src/. The source package brings all crates with it, so nothing is downloaded.
set -eu
PATH="$PATH:${HOME:-/root}/.cargo/bin"
export PATH
cd rust
if [ ! -f ../vendor.tar.xz ]; then
    # A clone of the repository; its checks build for speed of the build.
    profile="${DOISIFT_R_PROFILE:-release}"
    cargo build --profile "$profile"
    cp "${CARGO_TARGET_DIR:-target}/$(test "$profile" = dev && echo debug || echo "$profile")/libdoisift_r.a" .
    exit
fi
tar -xJf ../vendor.tar.xz
# Nothing is written outside of the folder in which R builds.
CARGO_HOME="$PWD/cargo-home"
export CARGO_HOME
cargo build --release --offline --locked \
    --config 'source.crates-io.replace-with = "vendored"' \
    --config 'source.vendored.directory = "vendor"'
cp "${CARGO_TARGET_DIR:-target}/release/libdoisift_r.a" .
rm -rf vendor crates target cargo-home
