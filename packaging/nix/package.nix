{
  lib,
  stdenvNoCC,
  fetchurl,
  installShellFiles,
}:

let
  sources = {
    x86_64-linux = {
      url = "@url:doisift-VERSION-x86_64-unknown-linux-musl.tar.gz@";
      sha256 = "@sha256:doisift-VERSION-x86_64-unknown-linux-musl.tar.gz@";
    };
    aarch64-linux = {
      url = "@url:doisift-VERSION-aarch64-unknown-linux-musl.tar.gz@";
      sha256 = "@sha256:doisift-VERSION-aarch64-unknown-linux-musl.tar.gz@";
    };
    x86_64-darwin = {
      url = "@url:doisift-VERSION-x86_64-apple-darwin.tar.gz@";
      sha256 = "@sha256:doisift-VERSION-x86_64-apple-darwin.tar.gz@";
    };
    aarch64-darwin = {
      url = "@url:doisift-VERSION-aarch64-apple-darwin.tar.gz@";
      sha256 = "@sha256:doisift-VERSION-aarch64-apple-darwin.tar.gz@";
    };
  };
in
stdenvNoCC.mkDerivation {
  pname = "doisift";
  version = "@version@";

  src = fetchurl sources.${stdenvNoCC.hostPlatform.system};

  nativeBuildInputs = [ installShellFiles ];

  installPhase = ''
    runHook preInstall
    install -D doisift $out/bin/doisift
    installManPage doisift.1
    installShellCompletion --cmd doisift \
      --bash completions/doisift.bash --fish completions/doisift.fish --zsh completions/_doisift
    runHook postInstall
  '';

  meta = {
    description = "@description@";
    homepage = "@address@";
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "doisift";
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
