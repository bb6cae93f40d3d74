class Doisift < Formula
  desc "Sifts DOI names out of text and dumps of any size"
  homepage "@address@"
  version "@version@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@url:doisift-VERSION-aarch64-apple-darwin.tar.gz@"
      sha256 "@sha256:doisift-VERSION-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@url:doisift-VERSION-x86_64-apple-darwin.tar.gz@"
      sha256 "@sha256:doisift-VERSION-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@url:doisift-VERSION-aarch64-unknown-linux-musl.tar.gz@"
      sha256 "@sha256:doisift-VERSION-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@url:doisift-VERSION-x86_64-unknown-linux-musl.tar.gz@"
      sha256 "@sha256:doisift-VERSION-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "doisift"
    man1.install "doisift.1"
    bash_completion.install "completions/doisift.bash" => "doisift"
    zsh_completion.install "completions/_doisift"
    fish_completion.install "completions/doisift.fish"
  end

  test do
    assert_equal "10.1000/abc\n", shell_output("#{bin}/doisift normalize https://doi.org/10.1000/ABC")
  end
end
